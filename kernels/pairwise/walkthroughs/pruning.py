"""Walkthrough of pruning in strips: before each block it is asked whether a best alignment can pass it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pruning.reference import Block, BlockBound, PrunedMatrices, prune_matrices
from antidiag.kernels.pairwise.walkthroughs.pair_tables import H, PairTables, cells_of_h
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs.animation import (
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.worker_schedule import (
    Item,
    WorkerSchedule,
    rectangle_antidiagonals,
    simulate_workers,
    split_range,
)

TITLE = "StripedScore with pruning"


def animate_pruning(problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of pruning."""
    least = reference.align_pair(problem).score
    pair = PrunedTables(problem, values["s"], values["T"], least)
    return _PruningAnimation(pair, values["workers"]).make_animation()


@dataclass(frozen=True, eq=False)
class PrunedTables(PairTables):
    """A pair problem with its numbers as pruning computes them, in blocks of ``s`` columns and ``T`` rows."""

    s: int
    T: int
    least: int

    @cached_property
    def pruned(self) -> PrunedMatrices:
        """The matrices without skipped blocks."""
        return prune_matrices(self.encoded_pair, self.s, self.T, self.least)

    @cached_property
    def cell_values(self) -> tuple[np.ndarray, ...]:
        """H, E and F of each piece of the gap costs; minus infinity in blocks that are not computed."""
        return self.list_tables(self.pruned.values)

    def block_of(self, i: int, j: int) -> Block:
        """Return the block of a cell."""
        return (i - 1) // self.T, (j - 1) // self.s

    def is_computed(self, i: int, j: int) -> bool:
        """Return whether a cell is computed, or on the border of the matrix."""
        return not (i and j) or not self.pruned.is_skipped(self.block_of(i, j))


class _PruningAnimation:
    """Builds the steps and tables; a question is an item (-1 - number of a block in its strip, -1 - strip)."""

    def __init__(self, pair: PrunedTables, workers: int) -> None:
        self.pair, self.workers = pair, workers
        self.strips = split_range(pair.column_count, pair.s)
        self.batches = split_range(pair.row_count, pair.T)
        self.schedule = self._schedule()
        cuts = [part.start for part in self.batches[1:]], [part.start for part in self.strips[1:]]
        cells = {item: step for item, step in self.schedule.step_of.items() if item[0] > 0}
        self.tables = list(pair.make_tables(cells, self.schedule.worker_of, cuts))
        self.bound_table = len(self.tables)
        self.tables.append(self._make_bound_table())

    def make_animation(self) -> Animation:
        """Return the walkthrough."""
        steps = [self._make_step(items) for items in self._items_of_steps()]
        skipped = sum(map(self.pair.pruned.is_skipped, self.pair.pruned.bounds))
        notes = (
            f"{skipped} of {format_count(len(self.pair.pruned.bounds), 'block')} are skipped. Here the least score is "
            "that of the best alignment; a run takes that of a path along common words.",
        )
        names = numbered_names(self.workers, "multiprocessor")
        made = self.pair.build_animation(TITLE, self.tables, steps, names, self.explain_cell, notes)
        return replace(made, exits=tuple(cell for cell in made.exits if self.pair.is_computed(cell[1], cell[2])))

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell, or the bound of a block."""
        table, i, j, _ = cell
        if table == self.bound_table:
            return self._explain_bound((i, j))
        found = self.pair.explain_cell(table, i, j)
        cases = tuple(replace(case, sources=self._computed_sources(case)) for case in found.cases)
        return replace(found, cases=cases)

    def _computed_sources(self, case: FormulaCase) -> tuple[Cell, ...]:
        return tuple(source for source in case.sources if self.pair.is_computed(source[1], source[2]))

    def _schedule(self) -> WorkerSchedule:
        """Return the order: a question for each block, then its antidiagonals if it is computed."""
        queues: list[list[list[Item]]] = [[] for _ in range(self.workers)]
        for strip, columns in enumerate(self.strips):
            queue = queues[strip % self.workers]
            for number, rows in enumerate(self.batches):
                queue.append([(-1 - number, -1 - strip)])
                if not self.pair.pruned.is_skipped((number, strip)):
                    queue += rectangle_antidiagonals(rows, columns)

        def needs(item: Item) -> tuple[Item, ...]:
            number, strip = -1 - item[0], -1 - item[1]
            if item[0] > 0 or strip == 0:
                return ()
            if self.pair.pruned.is_skipped((number, strip - 1)):
                return ((item[0], item[1] + 1),)
            return ((self.batches[number].stop - 1, self.strips[strip].start - 1),)

        return simulate_workers(queues, needs)

    def _items_of_steps(self) -> list[list[Item]]:
        """Return what is done in each step."""
        at: list[list[Item]] = [[] for _ in range(self.schedule.step_count)]
        for item, step in self.schedule.step_of.items():
            at[step].append(item)
        return at

    def _make_bound_table(self) -> AnimationTable:
        """Return the table of the most that an alignment through each block can score."""
        values, steps, workers = blank_table((len(self.batches), len(self.strips), 1))
        for (number, strip), bound in self.pair.pruned.bounds.items():
            item = -1 - number, -1 - strip
            values[number, strip, 0] = bound.most
            steps[number, strip, 0] = self.schedule.step_of[item]
            workers[number, strip, 0] = self.schedule.worker_of[item]
        rows = tuple(f"rows {part.start} to {part.stop - 1}" for part in self.batches)
        columns = tuple(f"strip {strip}" for strip in range(len(self.strips)))
        formula = f"most = greatest value on the border + what can be gained behind it; skipped below {self.pair.least}"
        return AnimationTable(
            "most of a block", values, steps, workers, rows, columns, formula=formula, counts_cells=False
        )

    def _explain_bound(self, block: Block) -> CellFormula:
        bound = self.pair.pruned.bounds[block]
        filled = format_sum(float(bound.greatest), float(bound.gain))
        case = FormulaCase(_entry_text(bound) + " + gain", filled, float(bound.most), self._entry_cells(bound))
        return CellFormula(f"most({block[0]}, {block[1]})", "value", (case,), float(bound.most))

    def _entry_cells(self, bound: BlockBound) -> tuple[Cell, ...]:
        entry = bound.entry
        return ((H, *entry, 0),) if entry is not None and self.pair.is_computed(*entry) else ()

    def _make_step(self, items: list[Item]) -> AnimationStep:
        """Return a step: what is decided about blocks, and how many cells are computed."""
        questions, cells = [item for item in items if item[0] < 0], [item for item in items if item[0] > 0]
        texts, marked = [], []
        for item in sorted(questions, reverse=True):
            block = -1 - item[0], -1 - item[1]
            bound = self.pair.pruned.bounds[block]
            texts.append(self._decision_text(block, bound))
            marked += [(self.bound_table, *block, 0), *self._entry_cells(bound)]
        if cells:
            texts.append(f"{format_count(len(cells), 'cell')} computed.")
        held = HeldData("registers", "H of an antidiagonal", 4 * len(cells), cells_of_h(sorted(cells)))
        return AnimationStep(" ".join(texts), "phase 1", (held,) if cells else (), (), marked=tuple(marked))

    def _decision_text(self, block: Block, bound: BlockBound) -> str:
        rows, strip = self.batches[block[0]], block[1]
        place = f"Rows {rows.start} to {rows.stop - 1} of strip {strip}"
        sum_text = f"{_entry_text(bound)} is {bound.greatest}, behind it at most {bound.gain} can be gained"
        if self.pair.pruned.is_skipped(block):
            if bound.greatest < -(2**20):
                return f"{place} are skipped: nothing around them was computed."
            return f"{place} are skipped: {sum_text}, and {bound.most} is less than {self.pair.least}."
        return f"{place} are computed: {sum_text}, and {bound.most} is not less than {self.pair.least}."


def _entry_text(bound: BlockBound) -> str:
    """Return the greatest border value in words."""
    if bound.entry is None:
        return "a new alignment"
    return f"the border in cell ({bound.entry[0]}, {bound.entry[1]})"
