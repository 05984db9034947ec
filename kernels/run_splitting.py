"""Runs that fall into independent pieces: how a method declares them, so that executors can share them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RunPiece:
    """A piece of a run: its name, the numbers that say which part it computes, and its cost in any unit."""

    name: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    cost: float = 1.0


def keep_problem(problem: Any) -> Any:
    """Return the problem unchanged (default of ``RunSplitting.prepare_problem``)."""
    return problem


@dataclass(frozen=True)
class RunSplitting:
    """How a run of a method falls into pieces. The joined answer equals that of a run in one piece.

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
        "package.module:function", called as ``function(problem, pieces)`` with the original problem and pairs of a
        piece and its value, in any order; returns the answer.
    prepare_problem
        Returns the problem that goes to each worker once.
    """

    noun: str
    list_pieces: Callable[[Any, int], Sequence[RunPiece]]
    backends: Mapping[str, str]
    join_pieces: str
    prepare_problem: Callable[[Any], Any] = keep_problem


JoinPieces = Callable[[Any, Iterable[tuple[RunPiece, Any]]], Any]
