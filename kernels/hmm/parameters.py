"""The parameters of the methods for hidden Markov models, as they are declared and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from antidiag.kernels.parameters import Parameter

PIECE = Parameter(
    name="piece",
    kind="int",
    label="Piece",
    help="Letters per piece of the sequence. Pieces run in parallel: short ones keep more workers busy, long ones need "
    "less joining and correcting.",
    minimum=4,
    maximum=1 << 24,
    unit="letters",
)

PIECE_ON_GPU = replace(PIECE, help=f"GPU: {PIECE.help[0].lower()}{PIECE.help[1:]}", backends=("cuda",))

BINDING = Parameter(
    name="binding",
    kind="choice",
    label="Texture bound",
    help="GPU: when the matrices are bound as a texture. once: before the first letter. letter: again for every "
    "letter, each with its own launch. The thesis does so, and its times are mostly launches.",
    default="once",
    choices=("once", "letter"),
    backends=("cuda",),
)


@dataclass(frozen=True, slots=True)
class HmmParameters:
    """Letters of a piece (0: the method has no pieces), threads of the CPU, and when textures are bound."""

    piece: int = 0
    threads: int = 1
    binding: str = "once"
