"""Folding and matrix chains step by step: parts of the same length do not need each other.

Blocks of the GPU method are left out: a step is a diagonal of the table, whose cells are shared among the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.folding import problem as problems
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import SequenceType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import letters_of, sequence_input
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    names,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

THREADS = Parameter("threads", "int", "Threads", "Those that share the parts of one length.", default=4, minimum=1,
                    maximum=64, unit="threads")  # fmt: skip

RECURRENCE = "M(i, j) = max( M(i, j-1), M(i, k-1) + 1 + M(k+1, j-1) for every k that pairs with j )"
PRODUCTS = "C(i, j) = min over k of C(i, k) + C(k+1, j) + rows(i) x columns(k) x columns(j)"


@dataclass(frozen=True, eq=False)
class Fold:
    """The most pairs of every part: M(i, j) of the letters i .. j; 0 where j < i."""

    problem: FoldingProblem

    @cached_property
    def most(self) -> np.ndarray:
        """float64, shape (n + 1, n + 1): row i, column j + 1, so that the empty parts have a place."""
        n = self.problem.n
        table = np.zeros((n + 2, n + 1))
        for length in range(1, n):
            for i in range(n - length):
                j = i + length
                ways = [table[i, k] + 1 + table[k + 1, j] for k in self.partners(i, j)]
                table[i, j + 1] = max([table[i, j], *ways])
        return table[: n + 1]

    def partners(self, i: int, j: int) -> list[int]:
        """Letters from i on that can pair with the last one."""
        made = self.problem
        return [k for k in range(i, j - made.min_loop) if made.pairing[made.codes[k], made.codes[j]]]

    def formula(self, cell: Cell) -> Formula:
        i, j = cell[1], cell[2] - 1
        letters = self.problem.sequence.letters.decode("ascii")
        cases = [Case(f"M({i + 1}, {j}): letter {letters[j]} stays single", added(self.most[i, j]), self.most[i, j],
                      ((0, i, j, 0),), "single")]  # fmt: skip
        for k in self.partners(i, j):
            left, inner = self.most[i, k], self.most[k + 1, j]
            cases.append(
                Case(
                    f"M({i + 1}, {k}) + 1 + M({k + 2}, {j})",
                    added(left, 1, inner),
                    left + 1 + inner,
                    ((0, i, k, 0), (0, k + 1, j, 0)),
                    f"{letters[k]}{k + 1} pairs with {letters[j]}{j + 1}",
                )
            )
        return Formula(f"M({i + 1}, {j + 1})", "max", tuple(cases), float(self.most[i, j + 1]))

    def partners_of(self) -> np.ndarray:
        """The structure by the rule: from the left, single where nothing is lost, else with the first that loses none.

        Read from the end, as the recurrence splits: see `kernels.folding`.
        """
        found = np.full(self.problem.n, -1, np.int32)
        parts = [(0, self.problem.n - 1)]
        while parts:
            i, j = parts.pop()
            if j <= i:
                continue
            if self.most[i, j + 1] == self.most[i, j]:
                parts.append((i, j - 1))
                continue
            k = next(k for k in self.partners(i, j)
                     if self.most[i, k] + 1 + self.most[k + 1, j] == self.most[i, j + 1])  # fmt: skip
            found[k], found[j] = j, k
            parts += [(i, k - 1), (k + 1, j - 1)]
        return found


def fold(made: FoldingProblem, values: Mapping[str, Any]) -> Play:
    """Parts by their length; letters in the margins."""
    folded, n = Fold(made), made.n
    shape = n + 1, n + 1, 1
    numbers, at, who = blank(shape)
    numbers[:, :, 0] = folded.most
    cells_of: list[list[tuple[int, int]]] = []
    for length in range(n):
        cells_of.append([(i, i + length + 1) for i in range(n - length)])
    for i in range(n + 1):
        at[i, : min(i + 2, n + 1), 0] = GIVEN
    steps = _triangle(cells_of[1:], at, who, values["threads"], 4, lambda i, j: len(folded.partners(i, j - 1)) + 1)
    letters = made.sequence.letters.decode("ascii")
    table = Table("M", numbers, at, who, (*letters, ""), ("", *letters), formula=RECURRENCE)
    partners = folded.partners_of()
    answer = FoldingAnswer(int(folded.most[0, n]), partners)
    brackets = answer.dot_bracket
    return Play("Nussinov", (table,), steps, names(values["threads"], "thread"), folded.formula, answer,
                f"{counted(answer.pairs, 'pair')}\n{letters}\n{brackets}", ((0, 0, n, 0),),
                tuple((0, i, int(j) + 1, 0) for i, j in enumerate(partners) if j > i))  # fmt: skip


def _triangle(
    lines: Sequence[Sequence[tuple[int, int]]], at: np.ndarray, who: np.ndarray, threads: int, size: int,
    ways: Callable[[int, int], int],
) -> tuple[Step, ...]:  # fmt: skip
    """A step for each diagonal: its cells, the cells that they read, all of the triangle in memory."""
    steps, there = [], int((at == GIVEN).sum())
    for number, line in enumerate(lines):
        for place, (i, j) in enumerate(line):
            at[i, j, 0], who[i, j, 0] = number, place % threads
        there += len(line)
        read = sum(2 * ways(i, j) for i, j in line)
        cells = tuple((0, i, j, 0) for i, j in line)
        steps.append(Step(
            f"Parts of {number + 2}: {counted(len(line), 'part')}, each split in up to "
            f"{counted(max(ways(i, j) for i, j in line), 'way')}.",
            held=(Held("global memory", "the triangle of shorter parts", size * there, ()),),
            crossings=(
                Crossing("values of shorter parts, read", "global memory", size * read),
                Crossing("values of these parts, written", "global memory", size * len(line), cells=cells),
            ),
            barrier=True,
        ))  # fmt: skip
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class Chain:
    """The fewest multiplications of every part of a product."""

    problem: ChainProblem

    @cached_property
    def least(self) -> np.ndarray:
        """float64, shape (n, n): C(i, j) of the matrices i .. j; NaN where j < i."""
        n = self.problem.n
        table = np.full((n, n), np.nan)
        np.fill_diagonal(table, 0)
        for length in range(1, n):
            for i in range(n - length):
                table[i, i + length] = min(self.cost(table, i, i + length, k) for k in range(i, i + length))
        return table

    def cost(self, table: np.ndarray, i: int, j: int, k: int) -> float:
        size = self.problem.dimensions
        return float(table[i, k] + table[k + 1, j] + size[i] * size[k + 1] * size[j + 1])

    def formula(self, cell: Cell) -> Formula:
        i, j, size = cell[1], cell[2], self.problem.dimensions
        cases = []
        for k in range(i, j):
            left, right = self.least[i, k], self.least[k + 1, j]
            text = f"C({i + 1}, {k + 1}) + C({k + 2}, {j + 1}) + {size[i]} x {size[k + 1]} x {size[j + 1]}"
            cases.append(Case(text, added(left, right, size[i] * size[k + 1] * size[j + 1]),
                              self.cost(self.least, i, j, k), ((0, i, k, 0), (0, k + 1, j, 0)),
                              f"split after A{k + 1}"))  # fmt: skip
        return Formula(f"C({i + 1}, {j + 1})", "min", tuple(cases), float(self.least[i, j]))

    def splits(self) -> np.ndarray:
        """First, split and last of every product, outer ones first, split at the smallest k that costs least."""
        found, parts = [], [(0, self.problem.n - 1)]
        while parts:
            i, j = parts.pop()
            if i < j:
                k = next(k for k in range(i, j) if self.cost(self.least, i, j, k) == self.least[i, j])
                found.append((i, k, j))
                parts += [(k + 1, j), (i, k)]
        return np.array(found, np.int32).reshape(-1, 3)


def chain(made: ChainProblem, values: Mapping[str, Any]) -> Play:
    """Products of two matrices, of three, and so on."""
    costs, n = Chain(made), made.n
    numbers, at, who = blank((n, n, 1))
    numbers[:, :, 0] = costs.least
    at[np.arange(n), np.arange(n), 0] = GIVEN
    lines = [[(i, i + length) for i in range(n - length)] for length in range(1, n)]
    steps = _triangle(lines, at, who, values["threads"], 8, lambda i, j: j - i)
    matrices = tuple(f"A{number}" for number in range(1, n + 1))
    table = Table("C", numbers, at, who, matrices, matrices, formula=PRODUCTS)
    answer = ChainAnswer(int(costs.least[0, n - 1]), costs.splits())
    return Play("Optimal matrix chain", (table,), steps or (Step("One matrix: nothing is multiplied.",
                marked=((0, 0, 0, 0),)),), names(values["threads"], "thread"), costs.formula, answer,
                f"{answer.cost:,} multiplications\n{answer.order(made)}", ((0, 0, n - 1, 0),),
                tuple((0, i, j, 0) for i, _, j in answer.splits.tolist()))  # fmt: skip


def _folding(values: Mapping[str, Any]) -> FoldingProblem:
    sequence = letters_of(values["letters"], "letters", SequenceType.RNA)
    return problems.build_folding([sequence], {"min_loop": values["min_loop"], "wobble": values["wobble"]})


def _draw_folding(choose: Choose) -> dict[str, Any]:
    letters = "".join(choose.of("ACGU") for _ in range(choose.integer(2, 14)))
    return {"letters": letters, "min_loop": choose.integer(0, 3), "wobble": choose.of((False, True))}


def _same_pairs(play: Play, answer: Any) -> None:
    most = answer if isinstance(answer, int) else answer.pairs
    assert play.answer.pairs == most, f"{play.answer.pairs} pairs, not {most}"
    assert int((play.answer.partners >= 0).sum()) == 2 * most
    if not isinstance(answer, int):
        assert play.answer.partners.tolist() == answer.partners.tolist()


def _draw_chain(choose: Choose) -> dict[str, Any]:
    return {"dimensions": ",".join(str(choose.integer(1, 30)) for _ in range(choose.integer(3, 9)))}


def _same_cost(play: Play, answer: Any) -> None:
    least = answer if isinstance(answer, int) else answer.cost
    assert play.answer.cost == least, f"a cost of {play.answer.cost}, not {least}"
    if not isinstance(answer, int):
        assert play.answer.splits.tolist() == answer.splits.tolist()


NUSSINOV = Staging(
    (sequence_input("letters", "Letters", "GGGAAAUCC"), *problems.FOLDING_OPTIONS), (THREADS,), _folding, fold,
    _draw_folding, _same_pairs, lambda made: made.n**2,
)  # fmt: skip
CHAIN = Staging(
    problems.CHAIN_OPTIONS, (THREADS,), lambda values: problems.build_chain([], {"dimensions": values["dimensions"]}),
    chain, _draw_chain, _same_cost, lambda made: made.n**2,
)  # fmt: skip
