"""Test problems of Nussinov and the matrix chain: lengths around block borders, reversed and scaled problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.folding import reference
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_length

BORDERS = (1, 2, 3, 31, 32, 33, 62, 63, 64, 65, 66)
"""Numbers of letters and matrices around the block size of the CPU and the tile size of a GPU."""
LONGEST, LONGER = 70, 200
ALPHABETS = ("ACGU", "GC", "GU", "ACGUN", "A")


def draw_folding(choose: TrialChooser, longest: int = LONGEST) -> FoldingProblem:
    """Return a problem of random letters of which all, some or none pair."""
    length, alphabet = (
        choose.choose_one((0, draw_length(choose, BORDERS, longest), draw_length(choose, BORDERS, longest))),
        choose.choose_one(ALPHABETS),
    )
    letters = "".join(choose.make_generator().choice(list(alphabet), length))
    return make_folding(letters, choose.draw_integer(0, 5), choose.choose_one((False, True)))


def draw_chain(choose: TrialChooser, longest: int = LONGEST) -> ChainProblem:
    """Return a chain of matrices; dimensions are often equal, so that many orders cost the same."""
    length, most = draw_length(choose, BORDERS, longest), choose.choose_one((1, 2, 9, 1000))
    return make_chain(choose.make_generator().integers(1, most, length + 1, endpoint=True))


def make_folding(letters: str, min_loop: int = 3, wobble: bool = True) -> FoldingProblem:
    """Return the folding problem of these RNA letters."""
    return FoldingProblem(Sequence("rna", letters.encode("ascii"), SequenceType.RNA), min_loop, wobble)


def make_chain(dimensions: np.ndarray) -> ChainProblem:
    """Return the problem of these dimensions."""
    return ChainProblem(tuple(dimensions.tolist()))


def check_same_folding(
    problem: FoldingProblem, found: FoldingAnswer, expected: FoldingAnswer | int, method: Method
) -> None:
    """Check the number of pairs; the textbook gives no structure, another method the same pairs."""
    most = expected if isinstance(expected, int) else expected.pairs
    assert found.pairs == most, f"{found.pairs} pairs, not {most}"
    if not isinstance(expected, int):
        np.testing.assert_array_equal(found.partners, expected.partners)


def check_same_chain(problem: ChainProblem, found: ChainAnswer, expected: ChainAnswer | int, method: Method) -> None:
    """Check the cost; the textbook gives no order, another method the same order."""
    least = expected if isinstance(expected, int) else expected.cost
    assert found.cost == least, f"a cost of {found.cost}, not {least}"
    if not isinstance(expected, int):
        np.testing.assert_array_equal(found.splits, expected.splits)


def reverse_letters(problem: FoldingProblem) -> FoldingProblem:
    """Return the problem with its letters reversed: whatever pairs does so in either order."""
    return replace(problem, sequence=replace(problem.sequence, letters=problem.sequence.letters[::-1]))


def _check_same_count(problem: FoldingProblem, found: FoldingAnswer, changed: FoldingAnswer, method: Method) -> None:
    assert found.pairs == changed.pairs, f"{found.pairs} pairs, and {changed.pairs} when changed"


def _check_scaled_cost(factor: int) -> Callable[[ChainProblem, ChainAnswer, ChainAnswer, Method], None]:
    def same(problem: ChainProblem, found: ChainAnswer, changed: ChainAnswer, method: Method) -> None:
        assert factor * found.cost == changed.cost, f"a cost of {found.cost}, and {changed.cost} when changed"

    return same


def make_large_folding(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem whose table takes the memory of a large one; time grows with the third power of the length."""
    return make_folding("".join(np.random.default_rng(1).choice(list("ACGU"), 16 * size))), {}


def make_large_chain(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a matrix chain whose table is large."""
    return make_chain(np.random.default_rng(1).integers(1, 50, 16 * size + 1)), {}


def unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    """Return the phases that follow the table and compute no part of it."""
    return frozenset({"structure", "order"})


FOLDING = Trials(
    draw_problem=draw_folding,
    solve_by_textbook=reference.most_pairs,
    assert_same_answer=check_same_folding,
    make_large_problem=make_large_folding,
    make_long_problem=make_large_folding,
    draw_larger_problem=lambda choose: draw_folding(choose, LONGER),
    symmetries=(ProblemSymmetry("letters read backwards", reverse_letters, _check_same_count),),
    phases_without_steps=unlogged_phases,
)
CHAIN = Trials(
    draw_problem=draw_chain,
    solve_by_textbook=reference.least_cost,
    assert_same_answer=check_same_chain,
    make_large_problem=make_large_chain,
    make_long_problem=make_large_chain,
    draw_larger_problem=lambda choose: draw_chain(choose, LONGER),
    symmetries=(
        ProblemSymmetry(
            "matrices transposed", lambda problem: ChainProblem(problem.dimensions[::-1]), _check_scaled_cost(1)
        ),
        ProblemSymmetry(
            "all dimensions doubled",
            lambda problem: ChainProblem(tuple(2 * size for size in problem.dimensions)),
            _check_scaled_cost(8),
        ),
    ),
    phases_without_steps=unlogged_phases,
)
