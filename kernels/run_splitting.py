"""Runs that fall into independent pieces: how a method declares them, so that executors can share them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from antidiag.kernels.memory import Footprint
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True)
class RunPiece:
    """A piece of a run: its name, the numbers that say which part it computes, and its cost in any unit."""

    name: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    cost: float = 1.0


class PieceSource(Protocol):
    """The pieces of a run, which an executor computes when the method asks for them."""

    @property
    def pieces(self) -> Sequence[RunPiece]:
        """All pieces of the run."""

    def compute_pieces(
        self, pieces: Sequence[RunPiece], monitor: Monitor, in_order: bool = False
    ) -> Iterator[tuple[RunPiece, Any]]:
        """Yield some of the pieces with their values, as they end or ``in_order``."""
        ...


@dataclass(frozen=True)
class RunSplitting:
    """How a run of a method falls into pieces. Its answer equals that of a run in one piece.

    Either ``join_pieces`` makes the answer of the values of all pieces, or ``finish_run`` goes on with them.

    Fields
    ------
    noun
        What the pieces are, in words: "blocks of pairs".
    list_pieces
        ``list_pieces(problem, least)`` returns the pieces of a problem, ``least`` of them if there are so many.
    backends
        "package.module:function" for "cpu" and "cuda", called as ``function(problem, parameters, numbers, monitor)``
        with a prepared problem; returns a value of stored types. That of "cuda" runs on the current device.
    join_pieces
        "package.module:function", called as ``function(problem, pieces, monitor)`` with the original problem and pairs
        of a piece and its value, in any order; returns the outcome.
    finish_run
        "package.module:function" for "cpu" and "cuda", called by the caller of the run as
        ``function(problem, parameters, monitor, steps, source)`` with the original problem and a `PieceSource`; returns
        the outcome.
    pays_beside_gpu
        ``pays_beside_gpu(problem, workers)`` returns whether a run with ``finish_run`` whose caller has a GPU ends
        earlier if so many workers with GPUs compute the pieces; if not, it is computed there in one piece.
    prepare_problem
        Returns the problem that goes to each worker once.
    estimate_memory
        ``estimate_memory(problem, parameters, numbers, backend)`` returns the memory of a piece; None where pieces need
        little.
    """

    noun: str
    list_pieces: Callable[[Any, int], Sequence[RunPiece]]
    backends: Mapping[str, str]
    join_pieces: str = ""
    prepare_problem: Callable[[Any], Any] = lambda problem: problem
    finish_run: Mapping[str, str] = field(default_factory=dict)
    pays_beside_gpu: Callable[[Any, int], bool] = lambda problem, workers: True
    estimate_memory: Callable[[Any, Any, Mapping[str, int], str], Footprint] | None = None
