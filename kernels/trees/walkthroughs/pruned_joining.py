"""A walkthrough of NJ-pruned: a bound for every row; the row of the smallest bound is read, until no bound is as good.

With u(i) = R(i) / (r - 2), a pair is the better the smaller d(i, j) - u(i) - u(j) is. Row i has two lower bounds: its
minimum when the epoch began, minus the largest growth of any u since then; and its minimum when it was last read, minus
the largest growth of each join since then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.text import format_count
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.walkthroughs.joining import BASIC, BLOCKS, CRITERION, SUMS, D, ShownJoining
from antidiag.kernels.walkthroughs.animation import (
    NEVER_STEP,
    TOLERANCE,
    Animation,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_number,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input

EPOCH = count_input("epoch", "Epoch", "Joins between two passes over the whole matrix.", 3, "joins", most=64)
BOUND = 4
"""The table of bounds, after the tables of all joining."""


class _ShownPrunedJoining(ShownJoining):
    """Slots as in all joining, both minima of every row, and u of every slot now and when the epoch began."""

    def __init__(self, shown_problem: TreeProblem, workers: int, epoch: int) -> None:
        self.epoch = epoch
        self.u: dict[int, float] = {}
        self.snapshot: dict[int, float] = {}
        self.least_then: dict[int, float] = {}
        self.least_read: dict[int, float] = {}
        self.new: set[int] = set()
        self.drift = 0.0
        self.bounds = blank_table((shown_problem.taxa, 1, max(shown_problem.taxa - 3, 1)))
        self.read: list[int] = []
        super().__init__(shown_problem, workers, average=False)

    def _add_search(self, number_of: int) -> None:
        if not number_of:
            self._add_first_sums()
        self._update_growth(number_of)
        if number_of % self.epoch == 0:
            self._add_epoch(number_of)
        self._add_bounds(number_of)
        self._read_rows(number_of)

    def _update_growth(self, number_of: int) -> None:
        """Update u of all clusters, and its largest growth."""
        r = len(self.slots)
        now = {i: self.newest_value(SUMS, i) / (r - 2) for i in self.slots}
        if number_of:
            self.new.add(self.pair[1])
            self.least_then[self.pair[1]] = self.least_read[self.pair[1]] = -math.inf
            self.u[self.pair[1]] = self.snapshot[self.pair[1]] = now[self.pair[1]]
            self.drift += max(max(now[i] - self.u[i] for i in self.slots), 0.0)
        self.u = now

    def _add_epoch(self, number_of: int) -> None:
        """Begin an epoch: compute the minimum of every row again."""
        self.snapshot, self.new, self.drift = dict(self.u), set(), 0.0
        for i in self.slots:
            least = min((self.newest_value(D, i, j) - self.u[j] for j in self.slots if j < i), default=math.inf)
            self.least_then[i] = self.least_read[i] = least
        pairs = [(i, j) for i in self.slots for j in self.slots if j < i]
        self.add_step(
            f"An epoch begins: a pass over all {len(pairs):,} distances finds the minimum of d \u2212 u of every row.",
            f"join {number_of + 1}",
            held=(HeldData("registers", "a minimum per row", 4 * len(self.slots)),),
            crossings=(DataCrossing("the matrix, read", "global memory", 4 * len(pairs)),),
            marked=tuple(self.newest_cell(D, i, j) for i, j in pairs),
            barrier=True,
        )

    def _add_bounds(self, number_of: int) -> None:
        values, at, who = self.bounds
        total = max(self.u[i] - self.snapshot[i] for i in self.slots)
        for i in self.slots:
            cell = (BOUND, i, 0, number_of)
            minima = (
                ("minimum when the epoch began", self.least_then[i], total),
                ("minimum when it was read", self.least_read[i], self.drift),
            )
            self.cases[cell] = tuple(
                FormulaCase(
                    f"{text} \u2212 growth since \u2212 u",
                    f"{format_number(least)} \u2212 {format_number(growth)} \u2212 {format_number(self.u[i])}",
                    least - growth - self.u[i],
                )
                for text, least, growth in minima
            )
            values[cell[1:]], at[cell[1:]] = max(case.value for case in self.cases[cell]), len(self.steps)
            who[cell[1:]] = i % self.workers
        numbers = 12 * len(self.slots)
        self.add_step(
            f"A bound for each of {format_count(len(self.slots), 'row')}: no pair of it can be better.",
            f"join {number_of + 1}",
            held=(HeldData("global memory", "two minima per row, and u", numbers),),
            crossings=(DataCrossing("minima and u, read", "global memory", numbers),),
        )

    def _read_rows(self, number_of: int) -> None:
        r, best, self.read = len(self.slots), math.inf, []
        left = {i: float(self.bounds[0][i, 0, number_of]) for i in self.slots}
        found: dict[tuple[int, int], float] = {}
        while left:
            i = min(left, key=lambda slot: (left[slot], slot))
            if left[i] == math.inf or left[i] > best / (r - 2) + TOLERANCE:
                break
            others = [j for j in self.slots if j != i and (i in self.new or (j < i and j not in self.new))]
            self._add_row(number_of, i, left.pop(i), others, found)
            best = min(found.values(), default=math.inf)
        self.least(number_of, list(found), f"No bound of the other {format_count(len(left), 'row')} is as good: ")

    def _add_row(
        self, number_of: int, i: int, bound: float, others: list[int], pair_criteria: dict[tuple[int, int], float]
    ) -> None:
        """Compare the pairs of a row, and keep its minima."""
        pairs = [pair for pair in ((max(i, j), min(i, j)) for j in others) if pair not in pair_criteria]
        which = "which is new" if i in self.new and bound == -math.inf else f"whose bound is {format_number(bound)}"
        self.add_criteria(
            number_of, pairs, f"The row of {self.cluster_name(i)} is read, {which}: {format_count(len(pairs), 'pair')}."
        )
        pair_criteria.update({pair: self.newest_value(CRITERION, *pair) for pair in pairs})
        away = [(self.newest_value(D, i, j), j) for j in others]
        self.least_then[i] = min((d - self.snapshot[j] for d, j in away), default=math.inf)
        self.least_read[i] = min((d - self.u[j] for d, j in away), default=math.inf) + self.drift
        self.read.append(i)


def play_pruned(shown_problem: TreeProblem, values: Mapping[str, Any]) -> Animation:
    """Play the joins of the full search, reading few rows."""
    joining = _ShownPrunedJoining(shown_problem, values["workers"], values["epoch"])
    found = joining.make_play("NJ-pruned")
    numbers, at, who = joining.bounds
    gone = np.where(joining.gone[:, :1] < NEVER_STEP, joining.gone[:, :1], NEVER_STEP)
    bounds = AnimationTable(
        "bounds",
        numbers,
        at,
        who,
        shown_problem.matrix.names,
        ("bound",),
        versions=True,
        unused_from=gone,
        counts_cells=False,
        formula="bound(i) = max( minimum then \u2212 growth, minimum when read \u2212 growth ) \u2212 u(i)",
    )

    def explain(cell: Cell) -> CellFormula:
        if cell[0] != BOUND:
            return found.explain(cell)
        return CellFormula(
            f"bound({shown_problem.matrix.names[cell[1]]})", "max", joining.cases[cell], float(numbers[cell[1:]])
        )

    return replace(found, tables=(*found.tables, bounds), explain=explain)


PRUNED = replace(BASIC, parameters=(BLOCKS, EPOCH), animate=play_pruned)
