"""What 003 (chapter 5) says of the ways to the most probable path, as models.

l are the states, n the letters, p the workers.
"""

from __future__ import annotations

from functools import partial
from math import ceil, log2
from typing import Any

from antidiag.kernels.analysis import ADD_AND_MAX, ONE, Model, Parameters, of_a_worker, operations
from antidiag.kernels.hmm import sizes
from antidiag.kernels.hmm.kinds import Kind, SumKind

SECTION = "003, chapter 5"


def in_pieces(problem: Any, parameters: Parameters, backend: str, workers: int, kind: Kind) -> float:
    """Steps one after another: the pieces of a worker, then products of pieces up a tree, or pieces corrected once."""
    piece, states = int(parameters["piece"]), problem.states
    pieces = max(ceil(problem.n / piece), 1)
    of_one = min(piece, problem.n) * states**2 * (states if kind.joins else 1)
    rounds = ceil(pieces / workers) * of_one
    if not kind.joins:
        return float(rounds + of_one)
    return float(rounds + ceil(log2(pieces)) * states**3) if pieces > 1 else float(rounds)


def models(kind: Kind) -> tuple[Model, ...]:
    """The models of a way to the most probable path."""
    work = partial(sizes.work, kind=kind)
    found = (
        operations(work, ADD_AND_MAX, SECTION, "a sum and a minimum for every two states at every letter; in products "
                   "of matrices for every three"),
        of_a_worker(work, SECTION, "n l^2 steps, or n l^3 in products of matrices"),
    )  # fmt: skip
    if not kind.pieces:
        return found
    return *found, Model(
        "pieces", "Steps in pieces", "steps", "Pieces of a worker one after another, and what joins or corrects them.",
        "003, section 5.3", partial(in_pieces, kind=kind), grows_with_time=True,
    )  # fmt: skip


def sums(kind: SumKind) -> tuple[Model, ...]:
    """The models of a way through the sums over all paths."""
    work = lambda problem, parameters: float(problem.cells * kind.passes)  # noqa: E731
    told = "a multiplication and addition for every two states at every letter, in one pass of each kind"
    return operations(work, ONE, SECTION, told), of_a_worker(work, SECTION, "l^2 steps a letter and pass")
