"""How Nussinov and the matrix chain are tried: rows around the borders of blocks, the textbook, rows read backwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.folding import reference
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

BORDERS = (1, 2, 3, 31, 32, 33, 62, 63, 64, 65, 66)
"""Numbers of letters and matrices around blocks of the CPU, and tiles of a GPU."""
LONGEST, LONGER = 70, 200
ALPHABETS = ("ACGU", "GC", "GU", "ACGUN", "A")


def draw(choose: Choose, longest: int = LONGEST) -> FoldingProblem:
    """Random letters, of which any, some or none pair."""
    length, alphabet = choose.of((0, _length(choose, longest), _length(choose, longest))), choose.of(ALPHABETS)
    letters = "".join(choose.random().choice(list(alphabet), length))
    return folding(letters, choose.integer(0, 5), choose.of((False, True)))


def draw_chain(choose: Choose, longest: int = LONGEST) -> ChainProblem:
    """Matrices of few or many rows, often equally many, so that many orders cost the same."""
    length, most = _length(choose, longest), choose.of((1, 2, 9, 1000))
    return chain(choose.random().integers(1, most, length + 1, endpoint=True))


def folding(letters: str, min_loop: int = 3, wobble: bool = True) -> FoldingProblem:
    """A piece of RNA of these letters."""
    return FoldingProblem(Sequence("rna", letters.encode("ascii"), SequenceType.RNA), min_loop, wobble)


def chain(dimensions: np.ndarray) -> ChainProblem:
    return ChainProblem(tuple(dimensions.tolist()))


def same(problem: FoldingProblem, found: FoldingAnswer, expected: FoldingAnswer | int, method: Method) -> None:
    """As many pairs as the textbook, which gives no structure; of two methods, the same pairs."""
    most = expected if isinstance(expected, int) else expected.pairs
    assert found.pairs == most, f"{found.pairs} pairs, not {most}"
    if not isinstance(expected, int):
        np.testing.assert_array_equal(found.partners, expected.partners)


def same_chain(problem: ChainProblem, found: ChainAnswer, expected: ChainAnswer | int, method: Method) -> None:
    """The cost of the textbook, which gives no order; of two methods, the same order."""
    least = expected if isinstance(expected, int) else expected.cost
    assert found.cost == least, f"a cost of {found.cost}, not {least}"
    if not isinstance(expected, int):
        np.testing.assert_array_equal(found.splits, expected.splits)


def backwards(problem: FoldingProblem) -> FoldingProblem:
    """The letters read from the end: whatever pairs does so in either order."""
    return replace(problem, sequence=replace(problem.sequence, letters=problem.sequence.letters[::-1]))


def _as_many(problem: FoldingProblem, found: FoldingAnswer, changed: FoldingAnswer, method: Method) -> None:
    assert found.pairs == changed.pairs, f"{found.pairs} pairs, and {changed.pairs} when changed"


def _times(factor: int) -> Callable[[ChainProblem, ChainAnswer, ChainAnswer, Method], None]:
    def same(problem: ChainProblem, found: ChainAnswer, changed: ChainAnswer, method: Method) -> None:
        assert factor * found.cost == changed.cost, f"a cost of {found.cost}, and {changed.cost} when changed"

    return same


def large(method: Method, backend: str, size: int) -> Run:
    """Memory is that of the table, and time grows with the third power: a small table takes little of it."""
    return folding("".join(np.random.default_rng(1).choice(list("ACGU"), 16 * size))), {}


def large_chain(method: Method, backend: str, size: int) -> Run:
    return chain(np.random.default_rng(1).integers(1, 50, 16 * size + 1)), {}


def unlogged(method: Method, backend: str) -> frozenset[str]:
    """What follows the table computes no part of it."""
    return frozenset({"structure", "order"})


def _length(choose: Choose, longest: int) -> int:
    return choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest)


FOLDING = Trials(
    draw=draw,
    oracle=reference.most_pairs,
    same=same,
    large=large,
    long=large,
    larger=lambda choose: draw(choose, LONGER),
    symmetries=(Symmetry("letters read backwards", backwards, _as_many),),
    unlogged=unlogged,
)
CHAIN = Trials(
    draw=draw_chain,
    oracle=reference.least_cost,
    same=same_chain,
    large=large_chain,
    long=large_chain,
    larger=lambda choose: draw_chain(choose, LONGER),
    symmetries=(
        Symmetry("matrices transposed", lambda problem: ChainProblem(problem.dimensions[::-1]), _times(1)),
        Symmetry(
            "all dimensions doubled",
            lambda problem: ChainProblem(tuple(2 * size for size in problem.dimensions)),
            _times(8),
        ),
    ),
    unlogged=unlogged,
)
