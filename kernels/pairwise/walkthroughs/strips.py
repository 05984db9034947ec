"""Walkthroughs of the methods in strips: StripedScore, the three phases of the alignments, and tiles.

Phase 1: worker p takes the strips p, p + workers, ...; a strip goes antidiagonal by antidiagonal, and enters a row as
soon as its batch of T rows is complete on the boundary to its left. Phase 2 goes from boundary to boundary; phase 3
computes again what lies on the path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.walkthroughs.pair_tables import GLOBAL, NAMES, H, PairTables, cells_of_h
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs.animation import (
    NEVER_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_number,
    numbered_names,
)
from antidiag.kernels.walkthroughs.worker_schedule import (
    Item,
    WorkerSchedule,
    rectangle_antidiagonals,
    simulate_workers,
    split_range,
)


@dataclass(frozen=True)
class StripVariant:
    """How the striped methods differ.

    ``keeps_states``: phase 1 keeps local start states, and phases 2 and 3 follow. ``keeps_chunk_rows``: it keeps the
    last rows of chunks of h rows too. ``local_chunks``: phase 3 computes every chunk on the path by itself.
    ``goes_by_tiles``: phase 2 goes back tile by tile, each computed again when the path comes to it.
    """

    title: str
    keeps_states: bool = False
    keeps_chunk_rows: bool = False
    local_chunks: bool = False
    goes_by_tiles: bool = False


SCORE = StripVariant("StripedScore")
STRIPED = StripVariant("StripedAlignment", keeps_states=True)
CHUNKED_1 = StripVariant("ChunkedAlignment1", keeps_states=True, keeps_chunk_rows=True)
CHUNKED_2 = StripVariant("ChunkedAlignment2", keeps_states=True, keeps_chunk_rows=True, local_chunks=True)
TILES = StripVariant("CheckpointedAlignment", goes_by_tiles=True)


def animate_strips(kind: StripVariant, problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of a method in strips."""
    return _StripAnimation(kind, PairTables(problem), values).make_animation()


Box = tuple[range, range]
"""Rows and columns that are computed again."""


class _StripAnimation:
    """Builds the steps and tables of a walkthrough."""

    def __init__(self, kind: StripVariant, pair: PairTables, values: Mapping[str, Any]) -> None:
        self.kind, self.pair = kind, pair
        self.s, self.T, self.workers = values["s"], values["T"], values["workers"]
        self.h = values["h"] if kind.keeps_chunk_rows else values["s"] if kind.goes_by_tiles else pair.row_count
        self.strips = split_range(pair.column_count, self.s)
        self.steps: list[AnimationStep] = []
        self.first = self._schedule_phase_1()
        self.tables = list(pair.make_tables(self.first.step_of, self.first.worker_of, self._cut_lines()))
        self.start_table = self.again_table = -1
        self.box_of: dict[Item, int] = {}

    def make_animation(self) -> Animation:
        """Return the walkthrough."""
        self._add_phase_1_steps()
        if self.kind.keeps_states:
            self._add_start_states()
        if self.kind.keeps_states or self.kind.goes_by_tiles:
            boxes = self._recomputed_boxes()
            if self.kind.keeps_states:
                self._add_phase_2_steps(boxes)
            self._add_phase_3_steps(boxes)
        notes: tuple[str, ...] = ()
        if self.kind is STRIPED:
            notes = (
                "Phase 3 starts at the first row of every strip, as published; see the method's parameter for the "
                "way that starts at the start point.",
            )
        workers = numbered_names(self.workers, "multiprocessor")
        return self.pair.build_animation(self.kind.title, self.tables, self.steps, workers, self.explain_cell, notes)

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell of any table."""
        table, i, j, _ = cell
        if table == self.start_table:
            return self._explain_start(i, j)
        if table < self.again_table or self.again_table < 0:
            return self.pair.explain_cell(table, i, j)
        box = self.box_of[i, j]

        def of(table: int, row: int, column: int) -> int:
            """Phase 3 takes what it computes itself, else what phase 1 kept."""
            return table + (self.again_table if self.box_of.get((row, column)) == box else 0)

        return self.pair.explain_cell(table - self.again_table, i, j, of)

    # Phase 1

    def _schedule_phase_1(self) -> WorkerSchedule:
        pair, rows = self.pair, range(1, self.pair.row_count + 1)
        queues: list[list[list[Item]]] = [[] for _ in range(self.workers)]
        for number_of, columns in enumerate(self.strips):
            queues[number_of % self.workers] += rectangle_antidiagonals(rows, columns)
        entries = {columns.start for columns in self.strips[1:]}

        def needs(cell: Item) -> tuple[Item, ...]:
            i, j = cell
            return ((min(-(-i // self.T) * self.T, pair.row_count), j - 1),) if j in entries else ()

        return simulate_workers(queues, needs)

    def _cut_lines(self) -> tuple[list[int], list[int]]:
        rows = (
            [piece.start for piece in split_range(self.pair.row_count, self.h)[1:]]
            if self.h < self.pair.row_count
            else []
        )
        return rows, [strip.start for strip in self.strips[1:]]

    def _add_phase_1_steps(self) -> None:
        at: list[list[Item]] = [[] for _ in range(self.first.step_count)]
        for cell, step in self.first.step_of.items():
            at[step].append(cell)
        done: set[Item] = set()
        for step, cells in enumerate(at):
            done.update(cells)
            going = sorted({(cell[1] - 1) // self.s for cell in cells})
            waiting = self.first.waiting[step]
            text = (
                f"{format_count(len(cells), 'cell')} of {'strip' if len(going) == 1 else 'strips'} "
                f"{_join_numbers(going)}"
            )
            if waiting:
                text += (
                    f"; multiprocessor {_join_numbers(waiting)} {'waits' if len(waiting) == 1 else 'wait'} for a batch"
                )
            held, crossings = self._held_values(step, cells, done), self._list_crossings(cells)
            self.steps.append(AnimationStep(f"{text}.", "phase 1", held, crossings, waiting))

    def _held_values(self, step: int, cells: list[Item], done: set[Item]) -> tuple[HeldData, ...]:
        found = []
        for strip in sorted({(cell[1] - 1) // self.s for cell in cells}):
            own = [(cell, at) for cell, at in self.first.step_of.items() if (cell[1] - 1) // self.s == strip]
            recent = cells_of_h(cell for cell, at in own if step - 1 <= at <= step)
            text = f"strip {strip}: {self._registers_text}"
            found.append(HeldData("registers", text, self._registers_bytes * len(self.strips[strip]), recent))
        borders = [cell for cell in done if cell[1] % self.s == 0 and cell[1] < self.pair.column_count]
        kept, each = f"boundaries: {_join_words('H', *self._gaps('F'))}", self._cell_bytes
        if self.kind.keeps_states:
            kept, each = f"boundaries: {_join_words('H', *self._gaps('F'), 'start states')}", 2 * self._cell_bytes
        if borders:
            found.append(HeldData(GLOBAL, kept, each * len(borders), cells_of_h(borders)))
        if self.kind.keeps_chunk_rows or self.kind.goes_by_tiles:
            rows = [cell for cell in done if cell[0] % self.h == 0 and cell[0] < self.pair.row_count]
            if rows:
                each = (2 if self.kind.local_chunks else 1) * self._cell_bytes
                text = f"last rows of chunks: {_join_words('H', *self._gaps('E'))}"
                found.append(HeldData(GLOBAL, text, each * len(rows), cells_of_h(rows)))
        return tuple(found)

    def _list_crossings(self, cells: list[Item]) -> tuple[DataCrossing, ...]:
        """Return the batches that cross a boundary in a step.

        A batch is written when its last cell is complete, and read when the strip on the right enters its first row.
        """
        found, each = [], (2 if self.kind.keeps_states else 1) * self._cell_bytes
        for i, j in sorted(cells):
            strip = (j - 1) // self.s
            own = strip % self.workers
            if j % self.s == 0 and j < self.pair.column_count and (i % self.T == 0 or i == self.pair.row_count):
                batch = [(row, j) for row in range((i - 1) // self.T * self.T + 1, i + 1)]
                text = f"strip {strip} writes {self._row_range_text(batch)} of its boundary"
                right = (strip + 1) % self.workers
                found.append(DataCrossing(text, GLOBAL, each * len(batch), own, right, cells_of_h(batch)))
            if strip and j == self.strips[strip].start and (i - 1) % self.T == 0:
                batch = [(row, j - 1) for row in range(i, min(i + self.T, self.pair.row_count + 1))]
                text = f"strip {strip} reads {self._row_range_text(batch)} of the boundary"
                left = (strip - 1) % self.workers
                found.append(DataCrossing(text, GLOBAL, self._cell_bytes * len(batch), left, own, cells_of_h(batch)))
        if self.kind.keeps_chunk_rows or self.kind.goes_by_tiles:
            rows = [cell for cell in sorted(cells) if cell[0] % self.h == 0 and cell[0] < self.pair.row_count]
            if rows:
                each = (2 if self.kind.local_chunks else 1) * self._cell_bytes
                states = ("start states",) if self.kind.local_chunks else ()
                text = f"{_join_words('H', *self._gaps('E'), *states)} of the last row of a chunk"
                found.append(DataCrossing(text, GLOBAL, each * len(rows), cells=cells_of_h(rows)))
        return tuple(found)

    def _row_range_text(self, batch: Sequence[Item]) -> str:
        first, last = batch[0][0], batch[-1][0]
        return f"row {first}" if first == last else f"rows {first} to {last}"

    # Start states and phase 2

    def _add_start_states(self) -> None:
        """Add the table of start states: for every boundary cell, the row where the best path to its H entered the
        strip.
        """
        self.start_table = len(self.tables)
        shape = self.pair.row_count + 1, self.pair.column_count + 1, 1
        values, steps, workers = blank_table(shape)
        main = self.tables[H]
        cells = [(i, strip.stop - 1) for strip in self.strips for i in range(1, self.pair.row_count + 1)]
        if self.kind.local_chunks:
            cells += [
                (i, j) for i in range(self.h, self.pair.row_count, self.h) for j in range(1, self.pair.column_count + 1)
            ]
        for i, j in cells:
            values[i, j, 0] = self._find_start(i, j)[0]
            steps[i, j, 0], workers[i, j, 0] = main.step_of[i, j, 0], main.worker_of[i, j, 0]
        numbers = values, steps, workers, main.rows, main.columns
        text = "where the best path to H(i, j) enters the strip: its row"
        self.tables.append(
            AnimationTable("start states of H", *numbers, cuts=main.cuts, formula=text, counts_cells=False)
        )

    def _find_start(self, i: int, j: int) -> tuple[int, str]:
        """Return row and name of the start state of H(i, j), traced back by the tie rule in the strip or chunk."""
        left, state = (j - 1) // self.s * self.s, H
        top = (i - 1) // self.h * self.h if self.kind.local_chunks else 0
        while j > left and i > top:
            formula = self.pair.explain_cell(state, i, j)
            if formula.ending_case is not None and formula.ending_case in formula.winning_cases:
                return i, f"row {i}, where it begins"
            ((state, i, j, _),) = formula.cases[
                formula.winning_cases[0]
            ].sources  # cases stand in the order of the rule
        return i, f"{NAMES[state]}({i}, {j})"

    def _explain_start(self, i: int, j: int) -> CellFormula:
        row, name = self._find_start(i, j)
        case = FormulaCase(f"the best path to H({i}, {j}) enters from {name}", format_number(row), row, ((H, i, j, 0),))
        return CellFormula(f"start({i}, {j})", "value", (case,), row)

    def _add_phase_2_steps(self, boxes: list[Box]) -> None:
        path = self.pair.path_cells
        for box in reversed(boxes):
            inside = [cell for cell in path if cell[0] in box[0] and cell[1] in box[1]]
            if not inside:
                continue
            end, strip = inside[-1], (box[1].start - 1) // self.s
            marked = [(H, *end, 0)]
            if self.tables[self.start_table].step_of[(*end, 0)] < NEVER_STEP:
                marked.append((self.start_table, *end, 0))
            entry = path[path.index(inside[0]) - 1] if path.index(inside[0]) else inside[0]
            marked.append((H, *entry, 0))
            part = f"chunk {(end[0] - 1) // self.h} of strip {strip}" if self.kind.local_chunks else f"strip {strip}"
            text = f"The path leaves {part} in cell {end}; the start state there says that it came from {entry}. "
            crossing, held = DataCrossing("one start state", GLOBAL, 8), self.steps[-1].held[-1:]
            text += "No cell inside is read."
            self.steps.append(AnimationStep(text, "phase 2", held, (crossing,), marked=tuple(marked)))

    # Phase 3

    def _recomputed_boxes(self) -> list[Box]:
        """Return what is computed again, from the start of the path: strips, parts of strips, or single chunks."""
        cells = [cell for cell in self.pair.path_cells if cell[0] and cell[1]]
        height = self.h if self.kind.local_chunks or self.kind.goes_by_tiles else self.pair.row_count
        parts: dict[tuple[int, int], list[Item]] = {}
        for i, j in cells:
            parts.setdefault(((i - 1) // height, (j - 1) // self.s), []).append((i, j))
        found = []
        for (_, strip), part in parts.items():
            top = (part[0][0] - 1) // self.h * self.h + 1
            found.append((range(top, part[-1][0] + 1), range(self.strips[strip].start, part[-1][1] + 1)))
        return found

    def _add_phase_3_steps(self, boxes: list[Box]) -> None:
        first, workers = len(self.steps), 1 if self.kind.goes_by_tiles else self.workers
        order = list(reversed(boxes)) if self.kind.goes_by_tiles else boxes
        queues: list[list[list[Item]]] = [[] for _ in range(workers)]
        for place, box in enumerate(order):
            queues[place % workers] += rectangle_antidiagonals(*box)
        found = simulate_workers(queues, lambda item: (), first)
        self.box_of = {(i, j): number_of for number_of, box in enumerate(order) for i in box[0] for j in box[1]}
        self.again_table = len(self.tables)
        self.tables += self.pair.make_tables(found.step_of, found.worker_of, self._cut_lines(), " again", borders=False)
        at: list[list[Item]] = [[] for _ in range(found.step_count)]
        for cell, step in found.step_of.items():
            at[step - first].append(cell)
        phase = "phase 2" if self.kind.goes_by_tiles else "phase 3"
        word = "tile" if self.kind.goes_by_tiles else "chunk" if self.kind.local_chunks else "strip"
        for cells in at:
            there = sorted({self.box_of[cell] for cell in cells})
            text = (
                f"{format_count(len(cells), 'cell')} recomputed, with directions, in {format_count(len(there), word)}."
            )
            held, crossings = self._held_values_again(cells, there, order), self._list_crossings_again(cells, order)
            self.steps.append(AnimationStep(text, phase, held, crossings))
        path = tuple((self.again_table + H, i, j, 0) for i, j in self.pair.path_cells if (i, j) in found.step_of)
        if path:
            self.steps.append(AnimationStep("The directions are traced back: the alignment.", phase, marked=path))

    def _held_values_again(self, cells: list[Item], box_numbers: list[int], order: list[Box]) -> tuple[HeldData, ...]:
        sizes = [len(order[number_of][0]) * len(order[number_of][1]) for number_of in box_numbers]
        columns = sum(len(order[number_of][1]) for number_of in box_numbers)
        again = tuple((self.again_table, i, j, 0) for i, j in cells)
        return (
            HeldData("registers", self._registers_text, self._registers_bytes * columns, again),
            self._held_directions(sum(sizes)),
            *(held for held in self.steps[self.first.step_count - 1].held if held.place == GLOBAL),
        )

    @property
    def _cell_bytes(self) -> int:
        """Bytes of a boundary cell: H, and a gap state for each piece of the gap costs."""
        return 4 * self.pair.encoded_pair.value_count

    @property
    def _registers_text(self) -> str:
        """What a strip keeps in registers."""
        return f"H of two antidiagonals, {_join_words(*self._gaps('E'), *self._gaps('F'))} of one"

    @property
    def _registers_bytes(self) -> int:
        """Bytes of a column in registers."""
        return 8 * self.pair.encoded_pair.value_count

    def _gaps(self, name: str) -> tuple[str, ...]:
        """Return the name of a gap state, and with two pieces of gap costs that of the second one."""
        return (name, f"{name}2") if self.pair.has_two_pieces else (name,)

    def _held_directions(self, cells: int) -> HeldData:
        """Return the directions of so many cells: half a byte each, or a byte where gap costs have two pieces."""
        if self.pair.has_two_pieces:
            return HeldData(GLOBAL, "directions, a byte a cell", cells)
        return HeldData(GLOBAL, "directions, half a byte a cell", -(-cells // 2))

    def _list_crossings_again(self, cells: list[Item], order: list[Box]) -> tuple[DataCrossing, ...]:
        found = []
        for cell in cells:
            rows, columns = order[self.box_of[cell]]
            if cell == (rows.start, columns.start):
                left = [(i, columns.start - 1) for i in rows] if columns.start > 1 else []
                above = [(rows.start - 1, j) for j in columns] if rows.start > 1 else []
                stored = cells_of_h(left + above)
                if stored:
                    found.append(
                        DataCrossing("stored boundaries are read", GLOBAL, self._cell_bytes * len(stored), cells=stored)
                    )
        return tuple(found)


def _join_words(*words: str) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _join_numbers(numbers: Any) -> str:
    return ", ".join(map(str, numbers))
