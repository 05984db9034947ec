"""NJ-pruned step by step: a bound for every row, the row of the least bound is read, until no bound is as good.

With u(i) = R(i) / (r - 2), a pair is the better the less d(i, j) - u(i) - u(j) is. Row i bounds that from below: by its
minimum when the epoch began, less the most that any u has grown since; and by its minimum when it was last read, less
the greatest growth of each join since then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.model import (
    CLOSE,
    NEVER,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    blank,
    number,
)
from antidiag.kernels.text import counted
from antidiag.kernels.trees.plays import BASIC, BLOCKS, CRITERION, SUMS, D, Joining
from antidiag.kernels.trees.problem import TreeProblem

EPOCH = Parameter("epoch", "int", "Epoch", "Joins between two passes over the whole matrix.", default=3, minimum=1,
                  maximum=64, unit="joins")  # fmt: skip
BOUND = 4
"""The table of bounds, after those of all joining."""


class _Pruned(Joining):
    """Slots as in all joining; of every row both minima, and of every slot u now and when the epoch began."""

    def __init__(self, made: TreeProblem, workers: int, epoch: int) -> None:
        self.epoch = epoch
        self.u: dict[int, float] = {}
        self.snapshot: dict[int, float] = {}
        self.least_then: dict[int, float] = {}
        self.least_read: dict[int, float] = {}
        self.new: set[int] = set()
        self.drift = 0.0
        self.bounds = blank((made.taxa, 1, max(made.taxa - 3, 1)))
        self.read: list[int] = []
        super().__init__(made, workers, average=False)

    def _search(self, number_of: int) -> None:
        if not number_of:
            self._first_sums()
        self._grow(number_of)
        if number_of % self.epoch == 0:
            self._pass(number_of)
        self._bound(number_of)
        self._read_rows(number_of)

    def _grow(self, number_of: int) -> None:
        """u of all clusters, and how much it grew at most."""
        r = len(self.slots)
        now = {i: self.value(SUMS, i) / (r - 2) for i in self.slots}
        if number_of:
            self.new.add(self.pair[1])
            self.least_then[self.pair[1]] = self.least_read[self.pair[1]] = -math.inf
            self.u[self.pair[1]] = self.snapshot[self.pair[1]] = now[self.pair[1]]
            self.drift += max(max(now[i] - self.u[i] for i in self.slots), 0.0)
        self.u = now

    def _pass(self, number_of: int) -> None:
        """An epoch begins: the minimum of every row anew."""
        self.snapshot, self.new, self.drift = dict(self.u), set(), 0.0
        for i in self.slots:
            least = min((self.value(D, i, j) - self.u[j] for j in self.slots if j < i), default=math.inf)
            self.least_then[i] = self.least_read[i] = least
        pairs = [(i, j) for i in self.slots for j in self.slots if j < i]
        self.steps.append(Step(
            f"An epoch begins: a pass over all {len(pairs):,} distances finds the minimum of d \u2212 u in every row.",
            f"join {number_of + 1}", (Held("registers", "a minimum a row", 4 * len(self.slots)),),
            (Crossing("the matrix, read", "global memory", 4 * len(pairs)),),
            marked=tuple(self.cell(D, i, j) for i, j in pairs), barrier=True,
        ))  # fmt: skip

    def _bound(self, number_of: int) -> None:
        values, at, who = self.bounds
        total = max(self.u[i] - self.snapshot[i] for i in self.slots)
        for i in self.slots:
            cell = (BOUND, i, 0, number_of)
            cases = tuple(
                Case(f"{text} \u2212 {grown} \u2212 u", f"{number(least)} \u2212 {number(growth)} \u2212 "
                     f"{number(self.u[i])}", least - growth - self.u[i])
                for text, grown, least, growth in (
                    ("minimum when the epoch began", "growth since", self.least_then[i], total),
                    ("minimum when it was read", "growth since", self.least_read[i], self.drift))
            )  # fmt: skip
            self.cases[cell] = cases
            values[cell[1:]], at[cell[1:]] = max(case.value for case in cases), len(self.steps)
            who[cell[1:]] = i % self.workers
        self.steps.append(Step(
            f"A bound for each of {counted(len(self.slots), 'row')}: no pair of it can be better.",
            f"join {number_of + 1}", (Held("global memory", "two minima a row, and u", 12 * len(self.slots)),),
            (Crossing("minima and u, read", "global memory", 12 * len(self.slots)),),
        ))  # fmt: skip

    def _read_rows(self, number_of: int) -> None:
        r, best, self.read = len(self.slots), math.inf, []
        left = {i: float(self.bounds[0][i, 0, number_of]) for i in self.slots}
        found: dict[tuple[int, int], float] = {}
        while left:
            i = min(left, key=lambda slot: (left[slot], slot))
            if left[i] == math.inf or left[i] > best / (r - 2) + CLOSE:
                break
            others = [j for j in self.slots if j != i and (i in self.new or (j < i and j not in self.new))]
            self._read(number_of, i, left.pop(i), others, found)
            best = min(found.values(), default=math.inf)
        self.least(number_of, list(found), f"No bound of the other {counted(len(left), 'row')} is as good: ")

    def _read(self, number_of: int, i: int, bound: float, others: list[int],
              found: dict[tuple[int, int], float]) -> None:  # fmt: skip
        """Compare the pairs of a row, and remember its minima."""
        pairs = [pair for pair in ((max(i, j), min(i, j)) for j in others) if pair not in found]
        told = "which is new" if i in self.new and bound == -math.inf else f"whose bound is {number(bound)}"
        self.criteria(number_of, pairs, f"The row of {self.named(i)} is read, {told}: {counted(len(pairs), 'pair')}.")
        found.update({pair: self.value(CRITERION, *pair) for pair in pairs})
        away = [(self.value(D, i, j), j) for j in others]
        self.least_then[i] = min((d - self.snapshot[j] for d, j in away), default=math.inf)
        self.least_read[i] = min((d - self.u[j] for d, j in away), default=math.inf) + self.drift
        self.read.append(i)


def play(made: TreeProblem, values: Mapping[str, Any]) -> Play:
    """The joins of the full search, by reading few rows."""
    joining = _Pruned(made, values["workers"], values["epoch"])
    found = joining.play("NJ-pruned")
    numbers, at, who = joining.bounds
    gone = np.where(joining.gone[:, :1] < NEVER, joining.gone[:, :1], NEVER)
    bounds = Table(
        "bounds",
        numbers,
        at,
        who,
        made.matrix.names,
        ("bound",),
        versions=True,
        gone=gone,
        counts=False,
        formula="bound(i) = max( minimum then \u2212 growth, minimum when read \u2212 growth ) \u2212 u(i)",
    )

    def explain(cell: Cell) -> Formula:
        if cell[0] != BOUND:
            return found.explain(cell)
        return Formula(f"bound({made.matrix.names[cell[1]]})", "max", joining.cases[cell], float(numbers[cell[1:]]))

    return replace(found, tables=(*found.tables, bounds), explain=explain)


PRUNED = replace(BASIC, parameters=(BLOCKS, EPOCH), play=play)
