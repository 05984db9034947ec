"""Trees step by step: neighbor joining (sums, criterion, the pair, the new row), and UPGMA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import distance_matrix
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import table_of, table_text
from antidiag.kernels.plays.model import (
    GIVEN,
    NEVER,
    Branch,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Rule,
    Step,
    Table,
    added,
    blank,
    names,
    number,
)  # fmt: skip
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trees import problem as problems
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, UPGMA, TreeProblem
from antidiag.kernels.trials import Choose

MATRIX = Parameter("distances", "text", "Distances", "A row for each taxon, parted by ;. Symmetric, 0 on the diagonal.",
                   default="0 5 9 9 8; 5 0 10 10 9; 9 10 0 8 7; 9 10 8 0 3; 8 9 7 3 0")  # fmt: skip
BLOCKS = Parameter("workers", "int", "Thread blocks", "Those that share the pairs of a search.", default=3, minimum=1,
                   maximum=16, unit="blocks")  # fmt: skip
D, CRITERION, LEAST, SUMS = range(4)


class Joining:
    """Clusters in slots; the matrix D, the criterion of all pairs, the least of it, and the sums of rows."""

    def __init__(self, made: TreeProblem, workers: int, average: bool) -> None:
        self.made, self.workers, self.average = made, workers, average
        self.n = made.taxa
        joins = max(self.n - (1 if average else 3), 0)
        shapes = ((self.n, self.n, joins + 1), (self.n, self.n, max(joins, 1)), (1, 1, max(joins, 1)),
                  (self.n, 1, joins + 1))  # fmt: skip
        self.found = [blank(shape) for shape in shapes]
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.steps: list[Step] = []
        self.slots, self.node = list(range(self.n)), list(range(self.n))
        self.size, self.height = [1] * self.n, dict.fromkeys(range(self.n), 0.0)
        self.branches: list[Branch] = []
        self.joins: list[tuple[int, int]] = []
        self.gone = np.full((self.n, self.n), NEVER, np.int32)
        self.newest = np.zeros((4, self.n, self.n), int)
        values, at, _ = self.found[D]
        values[:, :, 0], at[:, :, 0] = np.asarray(made.matrix.values, float), GIVEN
        for number_of in range(joins):
            self._search(number_of)
            self._join(number_of)

    def cell(self, table: int, i: int, j: int) -> Cell:
        return table, i, j, int(self.newest[table, i, j])

    def value(self, table: int, i: int, j: int = 0) -> float:
        return float(self.found[table][0][self.cell(table, i, j)[1:]])

    def write(self, cell: Cell, value: float, worker: int, cases: list[Case]) -> None:
        values, at, who = self.found[cell[0]]
        values[cell[1:]], at[cell[1:]], who[cell[1:]] = value, len(self.steps), worker
        self.cases[cell] = tuple(cases)

    # A search

    def _search(self, number_of: int) -> None:
        if not number_of and not self.average:
            self._first_sums()
        pairs = [(j, i) for j in self.slots for i in self.slots if i < j]
        if not self.average:
            self.criteria(number_of, pairs, f"{counted(len(self.slots), 'cluster')} are left: the criterion of "
                          f"{counted(len(pairs), 'pair')}"
                          + (", shared among blocks." if self.workers > 1 else ", one after another."))  # fmt: skip
        self.least(number_of, pairs)

    def least(self, number_of: int, pairs: list[tuple[int, int]], why: str = "") -> None:
        """The step that picks a pair; ``why`` no other is looked at."""
        table = D if self.average else CRITERION
        values = {pair: self.value(table, *pair) for pair in pairs}
        self.pair = min(pairs, key=lambda pair: (values[pair], *pair))
        cases = [Case(f"{'d' if self.average else 'Q'}({self.named(j)}, {self.named(i)})", number(values[j, i]),
                      values[j, i], (self.cell(table, j, i),)) for j, i in pairs]  # fmt: skip
        self.write((LEAST, 0, 0, number_of), values[self.pair], 0, cases)
        j, i = self.pair
        self.steps.append(Step(
            f"{why}{'the' if why else 'The'} least of {counted(len(pairs), 'pair')} is that of {self.named(i)} and "
            f"{self.named(j)}; of equal ones the first that is met.", f"join {number_of + 1}",
            (Held("shared memory", "the least of each thread, then of each block", 12 * self.workers),),
            (Crossing("the least of each block: value and pair", "global memory", 12 * self.workers),),
            marked=(self.cell(table, j, i),), barrier=True,
        ))  # fmt: skip

    def _first_sums(self) -> None:
        for i in range(self.n):
            total = float(sum(self.value(D, i, j) for j in range(self.n)))
            cases = [Case(f"d({self.named(i)}, {self.named(j)})", number(self.value(D, i, j)), self.value(D, i, j),
                          (self.cell(D, i, j),)) for j in range(self.n) if j != i]  # fmt: skip
            self.write((SUMS, i, 0, 0), total, i % self.workers, cases or [Case("0", "0", 0.0)])
        self.steps.append(Step(
            "The sums of all rows, once; they are kept up to date from here on.", "sums",
            (Held("global memory", "the matrix and its sums", 4 * self.n * (self.n + 1)),),
            (Crossing("the matrix, read", "global memory", 4 * self.n * self.n),), barrier=True,
        ))  # fmt: skip

    def criteria(self, number_of: int, pairs: list[tuple[int, int]], text: str) -> None:
        """The step that computes the criterion of some pairs."""
        if not pairs:
            return
        told, r = text, len(self.slots)
        share = -(-len(pairs) // self.workers)
        for place, (j, i) in enumerate(pairs):
            d, one, other = self.value(D, j, i), self.value(SUMS, j), self.value(SUMS, i)
            text = f"({r} \u2212 2) x d \u2212 R({self.named(j)}) \u2212 R({self.named(i)})"
            case = Case(text, f"{r - 2} x {number(d)} \u2212 {number(one)} \u2212 {number(other)}",
                        (r - 2) * d - (one + other), (self.cell(D, j, i), self.cell(SUMS, j, 0),
                                                      self.cell(SUMS, i, 0)))  # fmt: skip
            self.write((CRITERION, j, i, number_of), case.value, place // share, [case])
            self.newest[CRITERION, j, i] = number_of
        self.steps.append(Step(
            told, f"join {number_of + 1}", (Held("registers", "the least so far of each thread", 12 * self.workers),
                                      Held("global memory", "the matrix and its sums", 4 * r * (r + 1))),
            (Crossing("distances of all pairs, read", "global memory", 4 * len(pairs)),
             Crossing("sums, read", "global memory", 4 * r)),
        ))  # fmt: skip

    # A join

    def _join(self, number_of: int) -> None:
        (j, i), new = self.pair, self.n + number_of
        between, kept = self.value(D, j, i), [k for k in self.slots if k not in (i, j)]
        rows = []
        for k in kept:
            one, other = self.value(D, i, k), self.value(D, j, k)
            if self.average:
                a, b = self.size[i], self.size[j]
                value = (a * one + b * other) / (a + b)
                text, filled = (
                    "the mean over all taxa of both",
                    f"({a} x {number(one)} + {b} x {number(other)}) / {a + b}",
                )
            else:
                value = 0.5 * ((one + other) - between)
                text = f"( d({self.named(i)}, {self.named(k)}) + d({self.named(j)}, {self.named(k)}) \u2212 d ) / 2"
                filled = f"({added(one, other, -between)}) / 2"
            sources = (self.cell(D, i, k), self.cell(D, j, k), self.cell(D, j, i))
            rows.append((k, value, Case(text, filled, value, sources)))
        sums = [] if self.average else self._new_sums(i, j, between, [(k, value) for k, value, _ in rows])
        for place, (k, value, case) in enumerate(rows):
            for cell in ((D, i, k, number_of + 1), (D, k, i, number_of + 1)):
                self.write(cell, value, place % self.workers, [case])
        for place, (k, value, case) in enumerate(sums):
            self.write((SUMS, k, 0, number_of + 1), value, place % self.workers, [case])
        lengths = self._lengths(i, j, between)
        self.branches.append(Branch(new, (self.node[i], self.node[j]), self._height(i, j, between), len(self.steps),
                                    lengths))  # fmt: skip
        self.height[new] = self.branches[-1].height
        self.joins.append((self.node[i], self.node[j]))
        self.gone[j, :] = self.gone[:, j] = np.minimum(self.gone[j, :], len(self.steps))
        joined = f"{self.named(i)} and {self.named(j)}"
        crossed = 4 * (4 * len(rows) + len(sums))
        if rows or sums:
            self.steps.append(Step(
                f"{joined} become cluster {new + 1}, in the place of {self.named(i)}: its row and column are new"
                + ("." if self.average else ", and all sums follow."), f"join {number_of + 1}", (),
                (Crossing("two rows, read; a row and a column, written", "global memory", crossed),),
                marked=(self.cell(D, j, i),), barrier=True,
            ))  # fmt: skip
        else:
            self.steps.append(Step(f"{joined} are joined: one cluster is left.", f"join {number_of + 1}",
                                   marked=(self.cell(D, j, i),)))  # fmt: skip
        for k, _, _ in rows:
            self.newest[D, i, k] = self.newest[D, k, i] = number_of + 1
        for k, _, _ in sums:
            self.newest[SUMS, k, 0] = number_of + 1
        self.size[i], self.node[i] = self.size[i] + self.size[j], new
        self.slots.remove(j)

    def _new_sums(self, i: int, j: int, between: float, rows: list[tuple[int, float]]) -> list[tuple[int, float, Case]]:
        r = len(self.slots)
        one, other = self.value(SUMS, i), self.value(SUMS, j)
        value = 0.5 * ((one + other) - r * between)
        found = [(i, value, Case(f"( R({self.named(i)}) + R({self.named(j)}) \u2212 {r} x d ) / 2",
                                 f"({number(one)} + {number(other)} \u2212 {r} x {number(between)}) / 2", value,
                                 (self.cell(SUMS, i, 0), self.cell(SUMS, j, 0), self.cell(D, j, i))))]  # fmt: skip
        for k, new in rows:
            before, both = self.value(SUMS, k), self.value(D, i, k) + self.value(D, j, k)
            value = (before - both) + new
            found.append((k, value, Case(f"R({self.named(k)}) less both distances, and the new one",
                                         added(before, -both, new), value,
                                         (self.cell(SUMS, k, 0), self.cell(D, i, k), self.cell(D, j, k)))))  # fmt: skip
        return found

    def _lengths(self, i: int, j: int, between: float) -> tuple[float, float]:
        if self.average:
            return between / 2 - self.height[self.node[i]], between / 2 - self.height[self.node[j]]
        more = (self.value(SUMS, i) - self.value(SUMS, j)) / (2 * max(len(self.slots) - 2, 1))
        return between / 2 + more, between / 2 - more

    def _height(self, i: int, j: int, between: float) -> float:
        if self.average:
            return between / 2
        return 1 + max(self.height[self.node[i]], self.height[self.node[j]])

    def named(self, slot: int) -> str:
        """The name of the cluster in a slot."""
        node = self.node[slot]
        return self.made.matrix.names[node] if node < self.n else str(node + 1)

    def play(self, title: str) -> Play:
        if not self.average and len(self.slots) > 1:
            self._meet()
        taxa = self.made.matrix.names
        own = (
            "d(i, j)",
            "(r \u2212 2) x d(i, j) \u2212 R(i) \u2212 R(j)",
            "the least of all pairs",
            "R(i) = sum of d(i, j)",
        )
        tables = [
            Table(name, *self.found[place], rows, columns, versions=True,
                  gone=self.gone if place in (D, CRITERION) else None,
                  formula=formula)
            for place, (name, rows, columns, formula) in enumerate(
                zip(("distances", "criterion Q", "least", "sums R"), (taxa, taxa, ("",), taxa),
                    (taxa, taxa, ("",), ("R",)), own, strict=True)
            )
        ]  # fmt: skip
        if self.average:
            tables = [tables[D], Table("criterion Q", *self.found[CRITERION], aside=True), tables[LEAST],
                      Table("sums R", *self.found[SUMS], aside=True)]  # fmt: skip

        def explain(cell: Cell) -> Formula:
            left = ("d", "Q", "least", "R")[cell[0]]
            rule: Rule = "min" if cell[0] == LEAST else "sum" if cell[0] == SUMS and not cell[3] else "value"
            places = {D: f"({taxa[cell[1]]}, {taxa[cell[2]]})", CRITERION: f"({taxa[cell[1]]}, {taxa[cell[2]]})",
                      LEAST: "", SUMS: f"({taxa[cell[1]]})"}  # fmt: skip
            return Formula(left + places[cell[0]], rule, self.cases[cell], float(self.found[cell[0]][0][cell[1:]]))

        return Play(title, tuple(tables), tuple(self.steps), names(self.workers, "block"), explain, tuple(self.joins),
                    self._told(), leaves=taxa, branches=tuple(self.branches), unit="numbers")  # fmt: skip

    def _meet(self) -> None:
        """Neighbor joining ends where three clusters are left: they meet in the middle."""
        nodes = tuple(self.node[slot] for slot in self.slots)
        lengths = [
            0.5 * (sum(self.value(D, slot, other) for other in self.slots if other != slot)
                   - (self.value(D, *[other for other in self.slots if other != slot]) if len(nodes) == 3 else 0))
            for slot in self.slots
        ]  # fmt: skip
        self.branches.append(Branch(2 * self.n, nodes, 1 + max(self.height[node] for node in nodes), len(self.steps),
                                    tuple(lengths)))  # fmt: skip
        pairs = combinations(self.slots, 2)
        self.steps.append(Step(
            f"The {counted(len(nodes), 'cluster')} that are left meet in the middle.", "end",
            marked=tuple(self.cell(D, max(pair), min(pair)) for pair in pairs),
        ))  # fmt: skip

    def _told(self) -> str:
        def name(node: int) -> str:
            return self.made.matrix.names[node] if node < self.n else str(node + 1)

        return "\n".join(f"{name(a)} and {name(b)} become {self.n + at + 1}" for at, (a, b) in enumerate(self.joins))


def joining(made: TreeProblem, values: Mapping[str, Any], title: str, average: bool = False) -> Play:
    """Neighbor joining, or UPGMA."""
    return Joining(made, values["workers"], average).play(title)


def serial(made: TreeProblem, values: Mapping[str, Any], title: str, average: bool) -> Play:
    """The same on one thread of the host: nothing crosses, and nobody waits."""
    found = joining(made, {**values, "workers": 1}, title, average)
    steps = tuple(
        replace(step, crossings=(), barrier=False,
                held=tuple(replace(held, place="host memory") for held in step.held if held.place == "global memory"))
        for step in found.steps
    )  # fmt: skip
    return replace(found, steps=steps, workers=("thread",))


def folded(made: TreeProblem, values: Mapping[str, Any], title: str) -> Play:
    """The same joins in half the memory: the lower half of the triangle lies in the empty half of the matrix."""
    found = joining(made, values, title)
    half = 4 * (made.taxa + 1) * (made.taxa // 2 + 1)
    steps = tuple(
        replace(step, held=tuple(
            replace(held, what="the triangle, folded, and its sums", bytes=half + 4 * made.taxa)
            if held.place == "global memory" else held for held in step.held))
        for step in found.steps
    )  # fmt: skip
    return replace(found, steps=steps)


def tree_problem(values: Mapping[str, Any], least: int) -> TreeProblem:
    """The matrix that was typed; InputError where it is none of distances, or of too few taxa."""
    table = table_of(values["distances"], "distances", square=True)
    made = distance_matrix.checked([chr(65 + at % 26) + (str(at // 26) if at > 25 else "") for at in range(len(table))],
                                   table, "typed")  # fmt: skip
    if len(made) < least:
        raise InputError(f"distances: {counted(len(made), 'taxon', 'taxa')}; give {least} or more to see a join")
    return problems.build([made], {"precision": "double"})


def draw_matrix(choose: Choose, least: int) -> dict[str, Any]:
    """Some taxa, with ties among the distances."""
    n = choose.integer(least, 7)
    values = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        values[i, j] = values[j, i] = choose.integer(1, 12)
    return {"distances": table_text(values)}


def agrees_tree(play: Play, answer: Any, criterion: str) -> None:
    """The joins, in their order."""
    right = answer[criterion] if isinstance(answer, Mapping) else answer
    assert [list(pair) for pair in play.answer] == right.joins.tolist()


def _tree_staging(title: str, criterion: str, least: int) -> Staging:
    return Staging((MATRIX,), (), partial(tree_problem, least=least),
                   partial(serial, title=title, average=criterion == UPGMA), partial(draw_matrix, least=least),
                   partial(agrees_tree, criterion=criterion), lambda made: made.taxa**3)  # fmt: skip


SERIAL = _tree_staging("NJ-serial", NEIGHBOR_JOINING, 4)
BASIC = replace(SERIAL, parameters=(BLOCKS,), play=partial(joining, title="NJ-basic"))
COMPACT = replace(BASIC, play=partial(folded, title="NJ-compact"))
AVERAGE = _tree_staging("UPGMA", UPGMA, 2)
