"""The methods in strips, step by step: StripedScore, the three phases of the alignments, tiles.

Phase 1: worker p takes the strips p, p + workers, ...; a strip goes antidiagonal by antidiagonal, and enters a row as
soon as the batch of T rows in which it lies is complete on the boundary to its left. Phase 2 goes from boundary to
boundary; phase 3 computes again what lies on the path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.plays.matrices import H, Pair
from antidiag.kernels.plays.model import (
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
    names,
    number,
)  # fmt: skip
from antidiag.kernels.plays.schedule import Item, Schedule, antidiagonals, pieces, simulate
from antidiag.kernels.text import counted


@dataclass(frozen=True)
class Kind:
    """What sets the methods apart.

    ``states``: phase 1 keeps local start states, and phases 2 and 3 follow. ``chunks``: it keeps the last rows of
    chunks of h rows too. ``local``: phase 3 computes every chunk on the path by itself. ``tiles``: phase 2 goes
    back tile by tile, each computed again when the path comes to it.
    """

    title: str
    states: bool = False
    chunks: bool = False
    local: bool = False
    tiles: bool = False


SCORE = Kind("StripedScore")
STRIPED = Kind("StripedAlignment", states=True)
CHUNKED_1 = Kind("ChunkedAlignment1", states=True, chunks=True)
CHUNKED_2 = Kind("ChunkedAlignment2", states=True, chunks=True, local=True)
TILES = Kind("CheckpointedAlignment", tiles=True)


def play(kind: Kind, problem: PairProblem, values: Mapping[str, Any]) -> Play:
    """A method in strips."""
    return _Strips(kind, Pair(problem), values).play()


Box = tuple[range, range]
"""Rows and columns that are computed again."""


class _Strips:
    def __init__(self, kind: Kind, pair: Pair, values: Mapping[str, Any]) -> None:
        self.kind, self.pair = kind, pair
        self.s, self.T, self.workers = values["s"], values["T"], values["workers"]
        self.h = values["h"] if kind.chunks else values["s"] if kind.tiles else pair.m
        self.strips = pieces(pair.n, self.s)
        self.steps: list[Step] = []
        self.first = self._phase_1()
        self.tables = list(pair.tables(self.first.step_of, self.first.worker_of, self._cuts()))
        self.start_table = self.again_table = -1
        self.box_of: dict[Item, int] = {}

    def play(self) -> Play:
        self._tell_phase_1()
        if self.kind.states:
            self._start_states()
        if self.kind.states or self.kind.tiles:
            boxes = self._boxes()
            if self.kind.states:
                self._phase_2(boxes)
            self._phase_3(boxes)
        notes: tuple[str, ...] = ()
        if self.kind is STRIPED:
            notes = ("Phase 3 starts at the first row of every strip, as published; see the method's parameter for the "
                     "way that starts at the start point.",)  # fmt: skip
        pair = self.pair
        return Play(
            self.kind.title, tuple(self.tables), tuple(self.steps), names(self.workers, "multiprocessor"), self.explain,
            pair.answer, pair.told(), pair.ends, tuple((H, i, j, 0) for i, j in pair.path), notes=notes,
            exits=pair.exits,
        )  # fmt: skip

    def explain(self, cell: Cell) -> Formula:
        table, i, j, _ = cell
        if table == self.start_table:
            return self._start_formula(i, j)
        if table < self.again_table or self.again_table < 0:
            return self.pair.formula(table, i, j)
        box = self.box_of[i, j]

        def of(table: int, row: int, column: int) -> int:
            """Phase 3 takes what it computes itself, else what phase 1 kept."""
            return table + (self.again_table if self.box_of.get((row, column)) == box else 0)

        return self.pair.formula(table - self.again_table, i, j, of)

    # Phase 1

    def _phase_1(self) -> Schedule:
        pair, rows = self.pair, range(1, self.pair.m + 1)
        queues: list[list[list[Item]]] = [[] for _ in range(self.workers)]
        for number_of, columns in enumerate(self.strips):
            queues[number_of % self.workers] += antidiagonals(rows, columns)
        entries = {columns.start for columns in self.strips[1:]}

        def needs(cell: Item) -> tuple[Item, ...]:
            i, j = cell
            return ((min(-(-i // self.T) * self.T, pair.m), j - 1),) if j in entries else ()

        return simulate(queues, needs)

    def _cuts(self) -> tuple[list[int], list[int]]:
        rows = [piece.start for piece in pieces(self.pair.m, self.h)[1:]] if self.h < self.pair.m else []
        return rows, [strip.start for strip in self.strips[1:]]

    def _tell_phase_1(self) -> None:
        at: list[list[Item]] = [[] for _ in range(self.first.steps)]
        for cell, step in self.first.step_of.items():
            at[step].append(cell)
        done: set[Item] = set()
        for step, cells in enumerate(at):
            done.update(cells)
            going = sorted({(cell[1] - 1) // self.s for cell in cells})
            waiting = self.first.waiting[step]
            text = f"{counted(len(cells), 'cell')} of {'strip' if len(going) == 1 else 'strips'} {_list(going)}"
            if waiting:
                text += f"; multiprocessor {_list(waiting)} {'waits' if len(waiting) == 1 else 'wait'} for a batch"
            self.steps.append(Step(f"{text}.", "phase 1", self._held(step, cells, done), self._crossings(step, cells),
                                   waiting))  # fmt: skip

    def _held(self, step: int, cells: list[Item], done: set[Item]) -> tuple[Held, ...]:
        found = []
        for strip in sorted({(cell[1] - 1) // self.s for cell in cells}):
            fresh = [cell for cell, at in self.first.step_of.items()
                     if (cell[1] - 1) // self.s == strip and step - 1 <= at <= step]  # fmt: skip
            lanes = len(self.strips[strip])
            found.append(Held("registers", f"strip {strip}: H of two antidiagonals, E and F of one", 16 * lanes,
                              _of_h(fresh)))  # fmt: skip
        borders = [cell for cell in done if cell[1] % self.s == 0 and cell[1] < self.pair.n]
        kept, each = ("boundaries: H and F", 8) if not self.kind.states else ("boundaries: H, F and start states", 16)
        if borders:
            found.append(Held("global memory", kept, each * len(borders), _of_h(borders)))
        if self.kind.chunks or self.kind.tiles:
            rows = [cell for cell in done if cell[0] % self.h == 0 and cell[0] < self.pair.m]
            if rows:
                each = 16 if self.kind.local else 8
                found.append(Held("global memory", "last rows of chunks: H and E", each * len(rows), _of_h(rows)))
        return tuple(found)

    def _crossings(self, step: int, cells: list[Item]) -> tuple[Crossing, ...]:
        """A batch is written when its last cell is there, and read when the strip on the right enters its first row."""
        found, each = [], 16 if self.kind.states else 8
        for i, j in sorted(cells):
            strip = (j - 1) // self.s
            own = strip % self.workers
            if j % self.s == 0 and j < self.pair.n and (i % self.T == 0 or i == self.pair.m):
                batch = [(row, j) for row in range((i - 1) // self.T * self.T + 1, i + 1)]
                found.append(Crossing(f"strip {strip} writes {self._rows(batch)} of its boundary", "global memory",
                                      each * len(batch), own, (strip + 1) % self.workers, _of_h(batch)))  # fmt: skip
            if strip and j == self.strips[strip].start and (i - 1) % self.T == 0:
                batch = [(row, j - 1) for row in range(i, min(i + self.T, self.pair.m + 1))]
                found.append(Crossing(f"strip {strip} reads {self._rows(batch)} of the boundary", "global memory",
                                      8 * len(batch), (strip - 1) % self.workers, own, _of_h(batch)))  # fmt: skip
        if self.kind.chunks or self.kind.tiles:
            rows = [cell for cell in sorted(cells) if cell[0] % self.h == 0 and cell[0] < self.pair.m]
            if rows:
                each = 16 if self.kind.local else 8
                what = "H, E and start states" if self.kind.local else "H and E"
                found.append(Crossing(f"{what} of the last row of a chunk", "global memory", each * len(rows),
                                      cells=_of_h(rows)))  # fmt: skip
        return tuple(found)

    def _rows(self, batch: Sequence[Item]) -> str:
        first, last = batch[0][0], batch[-1][0]
        return f"row {first}" if first == last else f"rows {first} to {last}"

    # Start states and phase 2

    def _start_states(self) -> None:
        """For every boundary cell, the row where the best path to its H came into the strip, or began in it."""
        self.start_table = len(self.tables)
        shape = self.pair.m + 1, self.pair.n + 1, 1
        values, steps, workers = blank(shape)
        main = self.tables[H]
        cells = [(i, strip.stop - 1) for strip in self.strips for i in range(1, self.pair.m + 1)]
        if self.kind.local:
            cells += [(i, j) for i in range(self.h, self.pair.m, self.h) for j in range(1, self.pair.n + 1)]
        for i, j in cells:
            values[i, j, 0] = self._start(i, j)[0]
            steps[i, j, 0], workers[i, j, 0] = main.step_of[i, j, 0], main.worker_of[i, j, 0]
        self.tables.append(
            Table("start states of H", values, steps, workers, main.rows, main.columns, cuts=main.cuts,
                  formula="where the best path to H(i, j) came into the strip: its row", counts=False)
        )  # fmt: skip

    def _start(self, i: int, j: int) -> tuple[int, str]:
        """Row and name of the start state of H(i, j): by the rule of ties, going back in the strip or chunk."""
        left, state = (j - 1) // self.s * self.s, H
        top = (i - 1) // self.h * self.h if self.kind.local else 0
        while j > left and i > top:
            formula = self.pair.formula(state, i, j)
            if formula.alone is not None and formula.alone in formula.winners:
                return i, f"row {i}, where it begins"
            ((state, i, j, _),) = formula.cases[formula.winners[0]].sources  # cases stand in the order of the rule
        return i, f"{'HEF'[state]}({i}, {j})"

    def _start_formula(self, i: int, j: int) -> Formula:
        row, name = self._start(i, j)
        case = Case(f"the best path to H({i}, {j}) enters from {name}", number(row), row, ((H, i, j, 0),))
        return Formula(f"start({i}, {j})", "value", (case,), row)

    def _phase_2(self, boxes: list[Box]) -> None:
        path = self.pair.path
        for box in reversed(boxes):
            inside = [cell for cell in path if cell[0] in box[0] and cell[1] in box[1]]
            if not inside:
                continue
            end, strip = inside[-1], (box[1].start - 1) // self.s
            marked = [(H, *end, 0)]
            if self.tables[self.start_table].step_of[(*end, 0)] < NEVER:
                marked.append((self.start_table, *end, 0))
            entry = path[path.index(inside[0]) - 1] if path.index(inside[0]) else inside[0]
            marked.append((H, *entry, 0))
            part = f"chunk {(end[0] - 1) // self.h} of strip {strip}" if self.kind.local else f"strip {strip}"
            self.steps.append(Step(
                f"The path leaves {part} in cell {end}; the start state there says that it came from {entry}. "
                "Nothing inside is looked at.", "phase 2", marked=tuple(marked),
                held=self.steps[-1].held[-1:],
                crossings=(Crossing("one start state", "global memory", 8),),
            ))  # fmt: skip

    # Phase 3

    def _boxes(self) -> list[Box]:
        """What is computed again, from the start of the path: strips from their top, from a chunk, or single chunks."""
        cells = [cell for cell in self.pair.path if cell[0] and cell[1]]
        height = self.h if self.kind.local or self.kind.tiles else self.pair.m
        parts: dict[tuple[int, int], list[Item]] = {}
        for i, j in cells:
            parts.setdefault(((i - 1) // height, (j - 1) // self.s), []).append((i, j))
        found = []
        for (_, strip), part in parts.items():
            top = (part[0][0] - 1) // self.h * self.h + 1
            found.append((range(top, part[-1][0] + 1), range(self.strips[strip].start, part[-1][1] + 1)))
        return found

    def _phase_3(self, boxes: list[Box]) -> None:
        first, workers = len(self.steps), 1 if self.kind.tiles else self.workers
        order = list(reversed(boxes)) if self.kind.tiles else boxes
        queues: list[list[list[Item]]] = [[] for _ in range(workers)]
        for place, box in enumerate(order):
            queues[place % workers] += antidiagonals(*box)
        found = simulate(queues, lambda item: (), first)
        self.box_of = {(i, j): number_of for number_of, box in enumerate(order) for i in box[0] for j in box[1]}
        self.again_table = len(self.tables)
        self.tables += self.pair.tables(found.step_of, found.worker_of, self._cuts(), " again", borders=False)
        at: list[list[Item]] = [[] for _ in range(found.steps)]
        for cell, step in found.step_of.items():
            at[step - first].append(cell)
        phase = "phase 2" if self.kind.tiles else "phase 3"
        word = "tile" if self.kind.tiles else "chunk" if self.kind.local else "strip"
        for cells in at:
            there = sorted({self.box_of[cell] for cell in cells})
            self.steps.append(Step(
                f"{counted(len(cells), 'cell')} computed again, with directions, in {counted(len(there), word)} "
                f"on the path.", phase, self._held_again(cells, there, order), self._crossings_again(cells, order),
            ))  # fmt: skip
        path = tuple((self.again_table + H, i, j, 0) for i, j in self.pair.path if (i, j) in found.step_of)
        if path:
            self.steps.append(Step("The directions are walked back: the alignment.", phase, marked=path))

    def _held_again(self, cells: list[Item], there: list[int], order: list[Box]) -> tuple[Held, ...]:
        sizes = [len(order[number_of][0]) * len(order[number_of][1]) for number_of in there]
        return (
            Held("registers", "H of two antidiagonals, E and F of one", 16 * sum(len(order[b][1]) for b in there),
                 tuple((self.again_table, i, j, 0) for i, j in cells)),
            Held("global memory", "directions, half a byte a cell", -(-sum(sizes) // 2)),
            *(held for held in self.steps[self.first.steps - 1].held if held.place == "global memory"),
        )  # fmt: skip

    def _crossings_again(self, cells: list[Item], order: list[Box]) -> tuple[Crossing, ...]:
        found = []
        for cell in cells:
            rows, columns = order[self.box_of[cell]]
            if cell == (rows.start, columns.start):
                left = [(i, columns.start - 1) for i in rows] if columns.start > 1 else []
                above = [(rows.start - 1, j) for j in columns] if rows.start > 1 else []
                if left or above:
                    found.append(Crossing("stored boundaries are read", "global memory", 8 * (len(left) + len(above)),
                                          cells=_of_h(left + above)))  # fmt: skip
        return tuple(found)


def _list(numbers: Any) -> str:
    return ", ".join(map(str, numbers))


def _of_h(cells: Any) -> tuple[Cell, ...]:
    return tuple((H, i, j, 0) for i, j in cells)
