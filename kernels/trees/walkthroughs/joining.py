"""Walkthroughs of tree building, step by step: neighbor joining (sums, criterion, pair, new row), and UPGMA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import distance_matrix
from antidiag.kernels.text import format_count
from antidiag.kernels.trees import problem as problems
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, UPGMA, TreeProblem
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    NEVER_STEP,
    Animation,
    AnimationBranch,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    Rule,
    blank_table,
    format_number,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input, format_table, parse_table, table_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

MATRIX = table_input(
    "distances",
    "Distances",
    "A row for each taxon, separated by ;. Symmetric, 0 on the diagonal.",
    "0 5 9 9 8; 5 0 10 10 9; 9 10 0 8 7; 9 10 8 0 3; 8 9 7 3 0",
)
BLOCKS = count_input("workers", "Thread blocks", "Blocks that share the pairs of a search.", 3, "blocks")
D, CRITERION, LEAST, SUMS = range(4)


class ShownJoining:
    """Clusters in slots; the matrix D, the criterion of all pairs, the smallest of it, and the sums of rows."""

    def __init__(self, shown_problem: TreeProblem, workers: int, average: bool) -> None:
        self.made, self.workers, self.average = shown_problem, workers, average
        self.n = shown_problem.taxa
        joins = max(self.n - (1 if average else 3), 0)
        shapes = (
            (self.n, self.n, joins + 1),
            (self.n, self.n, max(joins, 1)),
            (1, 1, max(joins, 1)),
            (self.n, 1, joins + 1),
        )
        self.found = [blank_table(shape) for shape in shapes]
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.steps: list[AnimationStep] = []
        self.slots, self.node = list(range(self.n)), list(range(self.n))
        self.size, self.height = [1] * self.n, dict.fromkeys(range(self.n), 0.0)
        self.branches: list[AnimationBranch] = []
        self.joins: list[tuple[int, int]] = []
        self.gone = np.full((self.n, self.n), NEVER_STEP, np.int32)
        self.newest = np.zeros((4, self.n, self.n), int)
        values, at, _ = self.found[D]
        values[:, :, 0], at[:, :, 0] = np.asarray(shown_problem.matrix.values, float), GIVEN_STEP
        for number_of in range(joins):
            self._add_search(number_of)
            self._add_join(number_of)

    def newest_cell(self, table: int, i: int, j: int) -> Cell:
        """Return the newest version of a cell."""
        return table, i, j, int(self.newest[table, i, j])

    def newest_value(self, table: int, i: int, j: int = 0) -> float:
        """Return the newest value of a cell."""
        return float(self.found[table][0][self.newest_cell(table, i, j)[1:]])

    def write_cell(self, cell: Cell, value: float, worker: int, cases: list[FormulaCase]) -> None:
        """Write a cell and how its value comes about."""
        values, at, who = self.found[cell[0]]
        values[cell[1:]], at[cell[1:]], who[cell[1:]] = value, len(self.steps), worker
        self.cases[cell] = tuple(cases)

    def add_step(self, text: str, phase: str, **details: Any) -> None:
        """Append a step; ``details`` are fields of `AnimationStep`."""
        self.steps.append(AnimationStep(text, phase, **details))

    def distance_name(self, i: int, j: int) -> str:
        """Return d(i, j) with the names of the clusters."""
        return f"d({self.cluster_name(i)}, {self.cluster_name(j)})"

    # Search

    def _add_search(self, number_of: int) -> None:
        if not number_of and not self.average:
            self._add_first_sums()
        pairs = [(j, i) for j in self.slots for i in self.slots if i < j]
        if not self.average:
            sharing = "shared among blocks" if self.workers > 1 else "one after another"
            text = (
                f"{format_count(len(self.slots), 'cluster')} remain: the criterion of "
                f"{format_count(len(pairs), 'pair')}, "
            )
            self.add_criteria(number_of, pairs, f"{text}{sharing}.")
        self.least(number_of, pairs)

    def least(self, number_of: int, pairs: list[tuple[int, int]], why: str = "") -> None:
        """Add the step that picks a pair; ``why`` says why no other pair is considered."""
        table, letter = (D, "d") if self.average else (CRITERION, "Q")
        values = {pair: self.newest_value(table, *pair) for pair in pairs}
        self.pair = j, i = min(pairs, key=lambda pair: (values[pair], *pair))
        cases = [
            FormulaCase(
                f"{letter}({self.cluster_name(b)}, {self.cluster_name(a)})",
                format_number(value),
                value,
                (self.newest_cell(table, b, a),),
            )
            for (b, a), value in values.items()
        ]
        self.write_cell((LEAST, 0, 0, number_of), values[self.pair], 0, cases)
        self.add_step(
            f"{why}{'the' if why else 'The'} smallest of {format_count(len(pairs), 'pair')} is that of "
            f"{self.cluster_name(i)} and {self.cluster_name(j)}; of equal ones the first.",
            f"join {number_of + 1}",
            held=(HeldData("shared memory", "the smallest of each thread, then of each block", 12 * self.workers),),
            crossings=(DataCrossing("the smallest of each block: value and pair", "global memory", 12 * self.workers),),
            marked=(self.newest_cell(table, j, i),),
            barrier=True,
        )

    def _add_first_sums(self) -> None:
        for i in range(self.n):
            values = [self.newest_value(D, i, j) for j in range(self.n)]
            cases = [
                FormulaCase(self.distance_name(i, j), format_number(value), value, (self.newest_cell(D, i, j),))
                for j, value in enumerate(values)
                if j != i
            ]
            self.write_cell(
                (SUMS, i, 0, 0), float(sum(values)), i % self.workers, cases or [FormulaCase("0", "0", 0.0)]
            )
        self.add_step(
            "The sums of all rows, once; every join updates them.",
            "sums",
            held=(HeldData("global memory", "the matrix and its sums", 4 * self.n * (self.n + 1)),),
            crossings=(DataCrossing("the matrix, read", "global memory", 4 * self.n * self.n),),
            barrier=True,
        )

    def add_criteria(self, number_of: int, pairs: list[tuple[int, int]], text: str) -> None:
        """Add the step that computes the criterion of some pairs."""
        if not pairs:
            return
        r, share = len(self.slots), -(-len(pairs) // self.workers)
        for place, (j, i) in enumerate(pairs):
            d, one, other = self.newest_value(D, j, i), self.newest_value(SUMS, j), self.newest_value(SUMS, i)
            case = FormulaCase(
                f"({r} \u2212 2) x d \u2212 R({self.cluster_name(j)}) \u2212 R({self.cluster_name(i)})",
                f"{r - 2} x {format_number(d)} \u2212 {format_number(one)} \u2212 {format_number(other)}",
                (r - 2) * d - (one + other),
                (self.newest_cell(D, j, i), self.newest_cell(SUMS, j, 0), self.newest_cell(SUMS, i, 0)),
            )
            self.write_cell((CRITERION, j, i, number_of), case.value, place // share, [case])
            self.newest[CRITERION, j, i] = number_of
        best = HeldData("registers", "the smallest so far of each thread", 12 * self.workers)
        distances = DataCrossing("distances of all pairs, read", "global memory", 4 * len(pairs))
        self.add_step(
            text,
            f"join {number_of + 1}",
            held=(best, HeldData("global memory", "the matrix and its sums", 4 * r * (r + 1))),
            crossings=(distances, DataCrossing("sums, read", "global memory", 4 * r)),
        )

    # Join

    def _add_join(self, number_of: int) -> None:
        (j, i), new = self.pair, self.n + number_of
        between = self.newest_value(D, j, i)
        rows = {k: self._new_distance(i, j, k, between) for k in self.slots if k not in (i, j)}
        sums = {} if self.average else self._new_sums(i, j, between, rows)
        for place, (k, case) in enumerate(rows.items()):
            for cell in ((D, i, k, number_of + 1), (D, k, i, number_of + 1)):
                self.write_cell(cell, case.value, place % self.workers, [case])
        for place, (k, case) in enumerate(sums.items()):
            self.write_cell((SUMS, k, 0, number_of + 1), case.value, place % self.workers, [case])
        children, height = (self.node[i], self.node[j]), self._node_height(i, j, between)
        self.branches.append(AnimationBranch(new, children, height, len(self.steps), self._edge_lengths(i, j, between)))
        self.height[new] = height
        self.joins.append(children)
        self.gone[j, :] = self.gone[:, j] = np.minimum(self.gone[j, :], len(self.steps))
        joined = f"{self.cluster_name(i)} and {self.cluster_name(j)}"
        phase = f"join {number_of + 1}"
        marked = (self.newest_cell(D, j, i),)
        if rows:
            crossed = DataCrossing("two rows, read; a row and a column, written", "global memory", 16 * len(rows))
            if sums:
                crossed = replace(crossed, bytes=crossed.bytes + 4 * len(sums))
            self.add_step(
                f"{joined} become cluster {new + 1}, in the place of {self.cluster_name(i)}: its row and column are new"
                + (", and all sums are updated." if sums else "."),
                phase,
                crossings=(crossed,),
                marked=marked,
                barrier=True,
            )
        else:
            self.add_step(f"{joined} are joined: one cluster remains.", phase, marked=marked)
        for k in rows:
            self.newest[D, i, k] = self.newest[D, k, i] = number_of + 1
        for k in sums:
            self.newest[SUMS, k, 0] = number_of + 1
        self.size[i], self.node[i] = self.size[i] + self.size[j], new
        self.slots.remove(j)

    def _new_distance(self, i: int, j: int, k: int, between: float) -> FormulaCase:
        """Return the distance of cluster k to the join of i and j."""
        one, other = self.newest_value(D, i, k), self.newest_value(D, j, k)
        if self.average:
            a, b = self.size[i], self.size[j]
            value = (a * one + b * other) / (a + b)
            text = "mean over all taxa of both"
            filled = f"({a} x {format_number(one)} + {b} x {format_number(other)}) / {a + b}"
        else:
            value = 0.5 * ((one + other) - between)
            text = f"( {self.distance_name(i, k)} + {self.distance_name(j, k)} \u2212 d ) / 2"
            filled = f"({format_sum(one, other, -between)}) / 2"
        return FormulaCase(
            text, filled, value, (self.newest_cell(D, i, k), self.newest_cell(D, j, k), self.newest_cell(D, j, i))
        )

    def _new_sums(self, i: int, j: int, between: float, rows: Mapping[int, FormulaCase]) -> dict[int, FormulaCase]:
        """Return the sum of the join of i and j, and the updated sums of all other clusters."""
        r, one, other = len(self.slots), self.newest_value(SUMS, i), self.newest_value(SUMS, j)
        found = {
            i: FormulaCase(
                f"( R({self.cluster_name(i)}) + R({self.cluster_name(j)}) \u2212 {r} x d ) / 2",
                f"({format_number(one)} + {format_number(other)} \u2212 {r} x {format_number(between)}) / 2",
                0.5 * ((one + other) - r * between),
                (self.newest_cell(SUMS, i, 0), self.newest_cell(SUMS, j, 0), self.newest_cell(D, j, i)),
            )
        }
        for k, case in rows.items():
            before, both = self.newest_value(SUMS, k), self.newest_value(D, i, k) + self.newest_value(D, j, k)
            found[k] = FormulaCase(
                f"R({self.cluster_name(k)}) minus both distances, plus the new one",
                format_sum(before, -both, case.value),
                (before - both) + case.value,
                (self.newest_cell(SUMS, k, 0), self.newest_cell(D, i, k), self.newest_cell(D, j, k)),
            )
        return found

    def _edge_lengths(self, i: int, j: int, between: float) -> tuple[float, float]:
        if self.average:
            return between / 2 - self.height[self.node[i]], between / 2 - self.height[self.node[j]]
        more = (self.newest_value(SUMS, i) - self.newest_value(SUMS, j)) / (2 * max(len(self.slots) - 2, 1))
        return between / 2 + more, between / 2 - more

    def _node_height(self, i: int, j: int, between: float) -> float:
        if self.average:
            return between / 2
        return 1 + max(self.height[self.node[i]], self.height[self.node[j]])

    def cluster_name(self, slot: int) -> str:
        """Return the name of the cluster in a slot."""
        node = self.node[slot]
        return self.made.matrix.names[node] if node < self.n else str(node + 1)

    def make_play(self, title: str) -> Animation:
        """Return the walkthrough."""
        if not self.average and len(self.slots) > 1:
            self._add_meeting()
        taxa = self.made.matrix.names
        tables = [
            AnimationTable(name, *self.found[place], rows, columns, versions=True, unused_from=gone, formula=formula)
            for place, (name, rows, columns, gone, formula) in enumerate(
                (
                    ("distances", taxa, taxa, self.gone, "d(i, j)"),
                    ("criterion Q", taxa, taxa, self.gone, "(r \u2212 2) x d(i, j) \u2212 R(i) \u2212 R(j)"),
                    ("least", ("",), ("",), None, "the smallest of all pairs"),
                    ("sums R", taxa, ("R",), None, "R(i) = sum of d(i, j)"),
                )
            )
        ]
        if self.average:
            for place in (CRITERION, SUMS):
                tables[place] = AnimationTable(tables[place].name, *self.found[place], details_only=True)

        def explain(cell: Cell) -> CellFormula:
            table, i, j, version = cell
            left = (f"d({taxa[i]}, {taxa[j]})", f"Q({taxa[i]}, {taxa[j]})", "least", f"R({taxa[i]})")[table]
            rule: Rule = "min" if table == LEAST else "sum" if table == SUMS and not version else "value"
            return CellFormula(left, rule, self.cases[cell], float(self.found[table][0][cell[1:]]))

        return Animation(
            title,
            tuple(tables),
            tuple(self.steps),
            numbered_names(self.workers, "block"),
            explain,
            tuple(self.joins),
            self._answer_text(),
            leaves=taxa,
            branches=tuple(self.branches),
            unit="numbers",
        )

    def _add_meeting(self) -> None:
        """End neighbor joining: the last clusters, three or two, meet in one node."""
        nodes = tuple(self.node[slot] for slot in self.slots)
        lengths = []
        for slot in self.slots:
            others = [other for other in self.slots if other != slot]
            between = self.newest_value(D, *others) if len(others) == 2 else 0
            lengths.append(0.5 * (sum(self.newest_value(D, slot, other) for other in others) - between))
        height = 1 + max(self.height[node] for node in nodes)
        self.branches.append(AnimationBranch(2 * self.n, nodes, height, len(self.steps), tuple(lengths)))
        self.add_step(
            f"The last {format_count(len(nodes), 'cluster')} meet in one node.",
            "end",
            marked=tuple(self.newest_cell(D, max(pair), min(pair)) for pair in combinations(self.slots, 2)),
        )

    def _answer_text(self) -> str:
        def node_name(node: int) -> str:
            return self.made.matrix.names[node] if node < self.n else str(node + 1)

        return "\n".join(
            f"{node_name(a)} and {node_name(b)} become {self.n + at + 1}" for at, (a, b) in enumerate(self.joins)
        )


def play_joining(shown_problem: TreeProblem, values: Mapping[str, Any], title: str, average: bool = False) -> Animation:
    """Play neighbor joining, or UPGMA."""
    return ShownJoining(shown_problem, values["workers"], average).make_play(title)


def play_serial(shown_problem: TreeProblem, values: Mapping[str, Any], title: str, average: bool) -> Animation:
    """Play the joins on one thread of the host: nothing is transferred, and nobody waits."""
    found = play_joining(shown_problem, {**values, "workers": 1}, title, average)
    steps = tuple(
        replace(
            step,
            crossings=(),
            barrier=False,
            held=tuple(replace(held, place="host memory") for held in step.held if held.place == "global memory"),
        )
        for step in found.steps
    )
    return replace(found, steps=steps, workers=("thread",))


def play_folded(shown_problem: TreeProblem, values: Mapping[str, Any], title: str) -> Animation:
    """Play the joins in half the memory: the lower half of the triangle lies in the empty half of the matrix."""
    found = play_joining(shown_problem, values, title)
    half = 4 * (shown_problem.taxa + 1) * (shown_problem.taxa // 2 + 1)
    steps = tuple(
        replace(
            step,
            held=tuple(
                replace(held, what="the triangle, folded, and its sums", bytes=half + 4 * shown_problem.taxa)
                if held.place == "global memory"
                else held
                for held in step.held
            ),
        )
        for step in found.steps
    )
    return replace(found, steps=steps)


def parse_problem(values: Mapping[str, Any], least: int) -> TreeProblem:
    """Return the problem of a typed matrix; InputError where it holds no distances, or too few taxa."""
    table = parse_table(values["distances"], "distances", square=True)
    made = distance_matrix.make_distance_matrix(
        [chr(65 + at % 26) + (str(at // 26) if at > 25 else "") for at in range(len(table))], table, "typed"
    )
    if len(made) < least:
        raise InputError(f"distances: {format_count(len(made), 'taxon', 'taxa')}; give {least} or more to see a join")
    return problems.build_problem([made], {"precision": "double"})


def draw_matrix(choose: TrialChooser, least: int) -> dict[str, Any]:
    """Draw distances of some taxa, with ties."""
    n = choose.draw_integer(least, 7)
    values = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        values[i, j] = values[j, i] = choose.draw_integer(1, 12)
    return {"distances": format_table(values)}


def check_joins(play: Animation, answer: Any, criterion: str) -> None:
    """Check the joins, in their order."""
    right = answer[criterion] if isinstance(answer, Mapping) else answer
    assert [list(pair) for pair in play.answer] == right.joins.tolist()


def _joining_staging(title: str, criterion: str, least: int) -> Walkthrough:
    return Walkthrough(
        (MATRIX,),
        (),
        partial(parse_problem, least=least),
        partial(play_serial, title=title, average=criterion == UPGMA),
        partial(draw_matrix, least=least),
        partial(check_joins, criterion=criterion),
        lambda made: made.taxa**3,
    )


SERIAL = _joining_staging("NJ-serial", NEIGHBOR_JOINING, 4)
BASIC = replace(SERIAL, parameters=(BLOCKS,), animate=partial(play_joining, title="NJ-basic"))
COMPACT = replace(BASIC, animate=partial(play_folded, title="NJ-compact"))
AVERAGE = _joining_staging("UPGMA", UPGMA, 2)
