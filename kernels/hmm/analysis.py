"""Cost models of the methods of Viterbi and of sums over all paths (Hanif 2014, chapter 5).

l are the states, n the letters, p the workers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log2
from typing import Any

from antidiag.kernels.cost_models import (
    ADD_AND_MAX,
    ONE_OPERATION,
    CostModel,
    WorkFunction,
    operations_model,
    worker_share_model,
)
from antidiag.kernels.hmm.parameters import PieceParameters

SECTION = "Hanif 2014, chapter 5"


def count_corrected_steps(problem: Any, parameters: PieceParameters, backend: str, workers: int) -> float:
    """Count steps in sequence: the pieces of a worker, and each piece corrected once."""
    rounds, of_one, _ = _piece_rounds(problem, parameters, workers)
    return float((rounds + 1) * of_one)


def count_tree_steps(problem: Any, parameters: PieceParameters, backend: str, workers: int) -> float:
    """Count steps in sequence: the products of a worker's pieces, then products up a tree."""
    rounds, of_one, pieces = _piece_rounds(problem, parameters, workers)
    return float(rounds * of_one * problem.states + ceil(log2(pieces)) * problem.states**3)


def _piece_rounds(problem: Any, parameters: PieceParameters, workers: int) -> tuple[int, int, int]:
    """Return the most pieces of a worker, the steps of the rows of a piece, and the number of pieces."""
    pieces = max(ceil(problem.n / parameters.piece), 1)
    return ceil(pieces / workers), min(parameters.piece, problem.n) * problem.states**2, pieces


def list_viterbi_models(work: WorkFunction) -> tuple[CostModel, ...]:
    """List the cost models of a method of Viterbi."""
    text = "a sum and a minimum for every two states at every letter; in products of matrices for every three"
    return (
        operations_model(work, ADD_AND_MAX, SECTION, text),
        worker_share_model(work, SECTION, "n l^2 steps, or n l^3 in products of matrices"),
    )


def make_piece_model(count_steps: Callable[[Any, Any, str, int], float]) -> CostModel:
    """Return the model of the steps of pieces in sequence."""
    return CostModel(
        id="pieces",
        label="Steps in pieces",
        unit="steps",
        help="Pieces of a worker one after another, and what joins or corrects them.",
        source="Hanif 2014, section 5.3",
        value=count_steps,
        grows_with_time=True,
    )


def list_sum_models(passes: int) -> tuple[CostModel, ...]:
    """List the cost models of a method that sums over all paths in some passes over the letters."""
    work = lambda problem, parameters: float(problem.cells * passes)  # noqa: E731
    text = "a multiplication and addition for every two states at every letter, in one pass of each kind"
    return operations_model(work, ONE_OPERATION, SECTION, text), worker_share_model(
        work, SECTION, "l^2 steps per letter and pass"
    )
