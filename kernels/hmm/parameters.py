"""Parameters of the methods for hidden Markov models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from antidiag.kernels.parameters import BOTH_BACKENDS, GPU_ONLY, MethodParameters, parameter, thread_count
from antidiag.kernels.semiring.thread_parameters import ThreadParameters


@dataclass(frozen=True, kw_only=True)
class TextureParameters(ThreadParameters):
    """Parameters of TMemViterbi."""

    binding: Literal["once", "letter"] = parameter(
        "Texture binding",
        "GPU: when the matrices are bound as a texture. once: before the first letter. letter: for every letter, "
        "with a launch each, as in the thesis.",
        default="once",
        backends=GPU_ONLY,
    )


def _piece_length(help: str, backends: tuple[str, ...]) -> Any:
    return parameter("Piece", help, minimum=4, maximum=1 << 24, unit="letters", backends=backends)


@dataclass(frozen=True, kw_only=True)
class PieceParameters(MethodParameters):
    """Parameters of the methods that cut the sequence into pieces."""

    piece: int = _piece_length(
        "Letters per piece of the sequence. Pieces run in parallel: short ones keep more workers busy, long ones need "
        "less joining and correcting.",
        BOTH_BACKENDS,
    )
    threads: int = thread_count("CPU: worker threads that share the work.")


@dataclass(frozen=True, kw_only=True)
class SumParameters(PieceParameters):
    """Parameters of the methods that sum over all paths, which have pieces on a GPU only."""

    piece: int = _piece_length(
        "GPU: letters per piece of the sequence. Pieces run in parallel: short ones keep more workers busy, long ones "
        "need less joining and correcting.",
        GPU_ONLY,
    )
