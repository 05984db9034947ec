"""Walkthroughs of folding and matrix chains: intervals of the same length do not need each other.

The blocks of the GPU method are left out: a step is a diagonal of the table, whose cells threads share.
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
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input, parse_sequence, sequence_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

THREADS = count_input("threads", "Threads", "Threads that share the intervals of one length.", 4, "threads", most=64)

RECURRENCE = "M(i, j) = max( M(i, j-1), M(i, k-1) + 1 + M(k+1, j-1) for every k that pairs with j )"
PRODUCTS = "C(i, j) = min over k of C(i, k) + C(k+1, j) + rows(i) x columns(k) x columns(j)"


@dataclass(frozen=True, eq=False)
class FoldingTables:
    """The most pairs of every interval: M(i, j) for letters i .. j; 0 where j < i."""

    problem: FoldingProblem

    @cached_property
    def best_pairs(self) -> np.ndarray:
        """M as float64, shape (n + 1, n + 1): row i, column j + 1, so that empty intervals have a cell."""
        n = self.problem.n
        table = np.zeros((n + 2, n + 1))
        for length in range(1, n):
            for i in range(n - length):
                j = i + length
                ways = [table[i, k] + 1 + table[k + 1, j] for k in self.list_partners(i, j)]
                table[i, j + 1] = max([table[i, j], *ways])
        return table[: n + 1]

    def list_partners(self, i: int, j: int) -> list[int]:
        """Return the letters from i on that can pair with letter j."""
        made = self.problem
        return [
            k for k in range(i, j - made.min_loop) if made.pairing_table[made.letter_codes[k], made.letter_codes[j]]
        ]

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        i, j = cell[1], cell[2] - 1
        letters = self.problem.sequence.letters.decode("ascii")
        single, value = f"M({i + 1}, {j}): letter {letters[j]} stays single", self.best_pairs[i, j]
        cases = [FormulaCase(single, format_sum(value), value, ((0, i, j, 0),), "single")]
        for k in self.list_partners(i, j):
            left, inner, sources = self.best_pairs[i, k], self.best_pairs[k + 1, j], ((0, i, k, 0), (0, k + 1, j, 0))
            text, label = (
                f"M({i + 1}, {k}) + 1 + M({k + 2}, {j})",
                f"{letters[k]}{k + 1} pairs with {letters[j]}{j + 1}",
            )
            cases.append(FormulaCase(text, format_sum(left, 1, inner), left + 1 + inner, sources, label))
        return CellFormula(f"M({i + 1}, {j + 1})", "max", tuple(cases), float(self.best_pairs[i, j + 1]))

    def trace_partners(self) -> np.ndarray:
        """Return a structure by the tie rule, traced from the end as the recurrence splits."""
        found = np.full(self.problem.n, -1, np.int32)
        parts = [(0, self.problem.n - 1)]
        while parts:
            i, j = parts.pop()
            if j <= i:
                continue
            if self.best_pairs[i, j + 1] == self.best_pairs[i, j]:
                parts.append((i, j - 1))
                continue
            k = next(
                k
                for k in self.list_partners(i, j)
                if self.best_pairs[i, k] + 1 + self.best_pairs[k + 1, j] == self.best_pairs[i, j + 1]
            )
            found[k], found[j] = j, k
            parts += [(i, k - 1), (k + 1, j - 1)]
        return found


def animate_folding(problem: FoldingProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of Nussinov: intervals by their length, letters in the margins."""
    folded, n = FoldingTables(problem), problem.n
    shape = n + 1, n + 1, 1
    numbers, at, who = blank_table(shape)
    numbers[:, :, 0] = folded.best_pairs
    cells_of: list[list[tuple[int, int]]] = []
    for length in range(n):
        cells_of.append([(i, i + length + 1) for i in range(n - length)])
    for i in range(n + 1):
        at[i, : min(i + 2, n + 1), 0] = GIVEN_STEP
    steps = _make_length_steps(
        cells_of[1:], at, who, values["threads"], 4, lambda i, j: len(folded.list_partners(i, j - 1)) + 1
    )
    letters = problem.sequence.letters.decode("ascii")
    table = AnimationTable("M", numbers, at, who, (*letters, ""), ("", *letters), formula=RECURRENCE)
    partners = folded.trace_partners()
    answer = FoldingAnswer(int(folded.best_pairs[0, n]), partners)
    return Animation(
        title="Nussinov",
        tables=(table,),
        steps=steps,
        workers=numbered_names(values["threads"], "thread"),
        explain=folded.explain_cell,
        answer=answer,
        answer_text=f"{format_count(answer.pairs, 'pair')}\n{letters}\n{answer.dot_bracket}",
        ends=((0, 0, n, 0),),
        path=tuple((0, i, int(j) + 1, 0) for i, j in enumerate(partners) if j > i),
    )


def _make_length_steps(
    lines: Sequence[Sequence[tuple[int, int]]],
    step_of: np.ndarray,
    worker_of: np.ndarray,
    threads: int,
    size: int,
    count_ways: Callable[[int, int], int],
) -> tuple[AnimationStep, ...]:
    """Return a step for each diagonal: its cells, the cells that they read, and the triangle in memory."""
    steps, there = [], int((step_of == GIVEN_STEP).sum())
    for number, line in enumerate(lines):
        for place, (i, j) in enumerate(line):
            step_of[i, j, 0], worker_of[i, j, 0] = number, place % threads
        there += len(line)
        read = sum(2 * count_ways(i, j) for i, j in line)
        cells = tuple((0, i, j, 0) for i, j in line)
        most_ways = format_count(max(count_ways(i, j) for i, j in line), "way")
        text = f"Length {number + 2}: {format_count(len(line), 'interval')}, each split in up to {most_ways}."
        held = HeldData("global memory", "the triangle of shorter intervals", size * there, ())
        reading = DataCrossing("values of shorter intervals, read", "global memory", size * read)
        writing = DataCrossing("values of these intervals, written", "global memory", size * len(line), cells=cells)
        steps.append(AnimationStep(text, held=(held,), crossings=(reading, writing), barrier=True))
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class ChainTables:
    """The fewest multiplications of every partial product."""

    problem: ChainProblem

    @cached_property
    def least_costs(self) -> np.ndarray:
        """C(i, j) of the matrices i .. j as float64, shape (n, n); NaN where j < i."""
        n = self.problem.n
        table = np.full((n, n), np.nan)
        np.fill_diagonal(table, 0)
        for length in range(1, n):
            for i in range(n - length):
                table[i, i + length] = min(self.split_cost(table, i, i + length, k) for k in range(i, i + length))
        return table

    def split_cost(self, table: np.ndarray, i: int, j: int, k: int) -> float:
        """Return the cost of the product i .. j that is split after matrix k."""
        size = self.problem.dimensions
        return float(table[i, k] + table[k + 1, j] + size[i] * size[k + 1] * size[j + 1])

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        i, j, size = cell[1], cell[2], self.problem.dimensions
        cases = []
        for k in range(i, j):
            left, right = self.least_costs[i, k], self.least_costs[k + 1, j]
            text = f"C({i + 1}, {k + 1}) + C({k + 2}, {j + 1}) + {size[i]} x {size[k + 1]} x {size[j + 1]}"
            sum_text, value = (
                format_sum(left, right, size[i] * size[k + 1] * size[j + 1]),
                self.split_cost(self.least_costs, i, j, k),
            )
            sources = (0, i, k, 0), (0, k + 1, j, 0)
            cases.append(FormulaCase(text, sum_text, value, sources, f"split after A{k + 1}"))
        return CellFormula(f"C({i + 1}, {j + 1})", "min", tuple(cases), float(self.least_costs[i, j]))

    def trace_splits(self) -> np.ndarray:
        """Return first, split and last matrix of every product, outer ones first, split at the smallest best k."""
        found, parts = [], [(0, self.problem.n - 1)]
        while parts:
            i, j = parts.pop()
            if i < j:
                k = next(k for k in range(i, j) if self.split_cost(self.least_costs, i, j, k) == self.least_costs[i, j])
                found.append((i, k, j))
                parts += [(k + 1, j), (i, k)]
        return np.array(found, np.int32).reshape(-1, 3)


def animate_chain(problem: ChainProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of the matrix chain: products of two matrices, of three, and so on."""
    costs, n = ChainTables(problem), problem.n
    numbers, at, who = blank_table((n, n, 1))
    numbers[:, :, 0] = costs.least_costs
    at[np.arange(n), np.arange(n), 0] = GIVEN_STEP
    lines = [[(i, i + length) for i in range(n - length)] for length in range(1, n)]
    steps = _make_length_steps(lines, at, who, values["threads"], 8, lambda i, j: j - i)
    matrices = tuple(f"A{number}" for number in range(1, n + 1))
    table = AnimationTable("C", numbers, at, who, matrices, matrices, formula=PRODUCTS)
    answer = ChainAnswer(int(costs.least_costs[0, n - 1]), costs.trace_splits())
    nothing = AnimationStep("One matrix: there is nothing to multiply.", marked=((0, 0, 0, 0),))
    return Animation(
        title="Optimal matrix chain",
        tables=(table,),
        steps=steps or (nothing,),
        workers=numbered_names(values["threads"], "thread"),
        explain=costs.explain_cell,
        answer=answer,
        answer_text=f"{answer.cost:,} multiplications\n{answer.format_order(problem)}",
        ends=((0, 0, n - 1, 0),),
        path=tuple((0, i, j, 0) for i, _, j in answer.splits.tolist()),
    )


def _build_folding(values: Mapping[str, Any]) -> FoldingProblem:
    sequence = parse_sequence(values["letters"], "letters", SequenceType.RNA)
    return problems.build_folding([sequence], {"min_loop": values["min_loop"], "wobble": values["wobble"]})


def _draw_folding(choose: TrialChooser) -> dict[str, Any]:
    letters = "".join(choose.choose_one("ACGU") for _ in range(choose.draw_integer(2, 14)))
    return {"letters": letters, "min_loop": choose.draw_integer(0, 3), "wobble": choose.choose_one((False, True))}


def _check_same_pairs(play: Animation, answer: Any) -> None:
    most = answer if isinstance(answer, int) else answer.pairs
    assert play.answer.pairs == most, f"{play.answer.pairs} pairs, not {most}"
    assert int((play.answer.partners >= 0).sum()) == 2 * most
    if not isinstance(answer, int):
        assert play.answer.partners.tolist() == answer.partners.tolist()


def _draw_chain(choose: TrialChooser) -> dict[str, Any]:
    return {"dimensions": ",".join(str(choose.draw_integer(1, 30)) for _ in range(choose.draw_integer(3, 9)))}


def _check_same_cost(play: Animation, answer: Any) -> None:
    least = answer if isinstance(answer, int) else answer.cost
    assert play.answer.cost == least, f"a cost of {play.answer.cost}, not {least}"
    if not isinstance(answer, int):
        assert play.answer.splits.tolist() == answer.splits.tolist()


NUSSINOV = Walkthrough(
    (sequence_input("letters", "Letters", "GGGAAAUCC"), *problems.FOLDING_OPTIONS),
    (THREADS,),
    _build_folding,
    animate_folding,
    _draw_folding,
    _check_same_pairs,
    lambda made: made.n**2,
)
CHAIN = Walkthrough(
    problems.CHAIN_OPTIONS,
    (THREADS,),
    lambda values: problems.build_chain([], {"dimensions": values["dimensions"]}),
    animate_chain,
    _draw_chain,
    _check_same_cost,
    lambda made: made.n**2,
)
