"""Cost models of the methods of Viterbi and of sums over all paths (Hanif 2014, chapter 5).

l are the states, n the letters, p the workers.
"""

from __future__ import annotations

from functools import partial
from math import ceil, log2
from typing import Any

from antidiag.kernels.cost_models import (
    ADD_AND_MAX,
    ONE_OPERATION,
    CostModel,
    ParameterValues,
    operations_model,
    worker_share_model,
)
from antidiag.kernels.hmm import sizes
from antidiag.kernels.hmm.kinds import SumKind, ViterbiKind

SECTION = "Hanif 2014, chapter 5"


def count_piece_steps(
    problem: Any, parameters: ParameterValues, backend: str, workers: int, kind: ViterbiKind
) -> float:
    """Count steps in sequence: the pieces of a worker, then products up a tree, or each piece corrected once."""
    piece, states = int(parameters["piece"]), problem.states
    pieces = max(ceil(problem.n / piece), 1)
    of_one = min(piece, problem.n) * states**2 * (states if kind.joins_products else 1)
    rounds = ceil(pieces / workers) * of_one
    if not kind.joins_products:
        return float(rounds + of_one)
    return float(rounds + ceil(log2(pieces)) * states**3) if pieces > 1 else float(rounds)


def list_viterbi_models(kind: ViterbiKind) -> tuple[CostModel, ...]:
    """List the cost models of a method of Viterbi."""
    work = partial(sizes.count_work, kind=kind)
    text = "a sum and a minimum for every two states at every letter; in products of matrices for every three"
    found = (
        operations_model(work, ADD_AND_MAX, SECTION, text),
        worker_share_model(work, SECTION, "n l^2 steps, or n l^3 in products of matrices"),
    )
    if not kind.works_in_pieces:
        return found
    return *found, CostModel(
        id="pieces",
        label="Steps in pieces",
        unit="steps",
        help="Pieces of a worker one after another, and what joins or corrects them.",
        source="Hanif 2014, section 5.3",
        value=partial(count_piece_steps, kind=kind),
        grows_with_time=True,
    )


def list_sum_models(kind: SumKind) -> tuple[CostModel, ...]:
    """List the cost models of a method that sums over all paths."""
    work = lambda problem, parameters: float(problem.cells * kind.passes)  # noqa: E731
    text = "a multiplication and addition for every two states at every letter, in one pass of each kind"
    return operations_model(work, ONE_OPERATION, SECTION, text), worker_share_model(
        work, SECTION, "l^2 steps per letter and pass"
    )
