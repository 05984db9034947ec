"""Textbook recurrences of folding and matrix chains: slow and simple, the reference of the tests."""

from __future__ import annotations

from functools import cache

from antidiag.kernels.folding.problem import ChainProblem, FoldingProblem


def most_pairs(problem: FoldingProblem) -> int:
    """Return the most base pairs without crossing: the last letter is single or pairs with an earlier one."""

    def pairs(i: int, j: int) -> bool:
        return j - i > problem.min_loop and bool(
            problem.pairing_table[problem.letter_codes[i], problem.letter_codes[j]]
        )

    @cache
    def most(i: int, j: int) -> int:
        if j <= i:
            return 0
        ways = [most(i, k - 1) + 1 + most(k + 1, j - 1) for k in range(i, j) if pairs(k, j)]
        return max([most(i, j - 1), *ways])

    return most(0, problem.n - 1)


def least_cost(problem: ChainProblem) -> int:
    """Return the fewest multiplications over all ways to put the brackets."""
    size = problem.dimensions

    @cache
    def least(i: int, j: int) -> int:
        if i == j:
            return 0
        return min(least(i, k) + least(k + 1, j) + size[i] * size[k + 1] * size[j + 1] for k in range(i, j))

    return least(0, problem.n - 1)
