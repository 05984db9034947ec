"""The cube on threads: chunks are handed out in antidiagonal order, and follow their neighbours window by window.

A chunk's progress word is the number of layers of which both of its vertical faces are ready. A thread that is about to
compute a window waits until the chunks above and on the left have the layers that it needs (and, through them, the one
between). Where faces are not kept, a chunk overwrites those that it read, so that there is one face a row and one a
column of the grid.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kernels.cpu_waiting import wait_for
from kernels.jit import compiled
from kernels.monitor import Monitor
from kernels.simd import acquire, release
from kernels.steps import Steps
from kernels.triple import cpu_faces, cpu_sizes
from kernels.triple.cpu_boxes import Box, skew
from kernels.triple.cpu_faces import Codes, Places, Span
from kernels.triple.cpu_sizes import LANES, WORD, Layout
from kernels.triple.encoding import BARRED, NEGATIVE, Encoded
from kernels.triple.grid import LAYER_AT, MOVE_AT, PLACE_BITS, Grid, Kind
from kernels.triple.model import Cell
from kernels.workers import share, stop_word

WINDOWS = 4
"""Windows that a box is cut into, unless they would be short."""
PLANES, LAYERS = 256, 32
"""Sloped planes, and layers, that a window has at least."""

Chunk = tuple[int, int]


@dataclass(eq=False)
class Cube:
    """A problem cut into chunks, its faces, and what compiled code needs of both.

    ``faces`` int32, flat: of all boxes that are kept, upwards in o, l and t (cpu_faces.py); ``start_faces``
    likewise, or None. ``axes`` says which of i, j, k are o, l and t.
    """

    encoded: Encoded
    grid: Grid
    kind: Kind
    workers: int
    stop: np.ndarray = field(default_factory=stop_word)

    def __post_init__(self) -> None:
        counts = cpu_sizes.face_counts(self.grid, self.kind, self.workers)
        sizes = cpu_sizes.face_sizes(self.layout)
        # Faces that no box gives are the border of the cube: minus infinity.
        self.faces = tuple(
            np.full(counts[axis] * size, NEGATIVE, np.int32) for axis, size in zip(self.axes, sizes, strict=True)
        )
        self.start_faces = tuple(np.zeros_like(face) for face in self.faces) if self.kind.starts else None
        self.progress = np.zeros(self.grid.chunks * WORD, np.int64)
        self.numbers = {chunk: number for number, chunk in enumerate(self.grid.order())}
        self.last = (NEGATIVE, 0)

    @property
    def axes(self) -> tuple[int, int, int]:
        return (2, 0, 1) if self.kind.layered else (0, 1, 2)

    @property
    def order(self) -> bool | None:
        """As compiled code is told: None or True, for the choice is made when it is compiled."""
        return True if self.kind.layered else None

    @cached_property
    def costs(self) -> tuple[np.int32, np.int32] | None:
        opening = self.encoded.open
        return (np.int32(-opening), np.int32(-2 * opening)) if self.encoded.affine else None

    @cached_property
    def layout(self) -> Layout:
        return cpu_sizes.box_layout(self.grid, self.kind.layered, self.encoded.affine)

    @cached_property
    def letters(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Codes along o, l and t, with the front letter behind them for the lanes beyond the last cell."""
        pad = np.full(self.grid.s + LANES, self.encoded.letters - 1, np.uint8)
        return tuple(np.concatenate([self.encoded.codes[axis], pad]) for axis in self.axes)  # type: ignore[return-value]

    @cached_property
    def tables(self) -> tuple[cpu_sizes.Tables, int]:
        return cpu_sizes.score_tables(self.grid, self.encoded.letters, self.layout, self.kind.layered)

    @cached_property
    def scores(self) -> np.ndarray:
        """The scores of the letters, as a thread takes them (cpu_sizes.Tables); int32."""
        (places, size), table = self.tables, self.encoded.table
        scores = np.full(size, BARRED, np.int32)
        o, l, t = self.axes  # noqa: E741 - the names of the axes
        letters = np.arange(len(table))
        along_l, along_t = self.encoded.codes[l], self.encoded.codes[t]

        def between(rows: int, columns: int) -> np.ndarray:
            return table if rows < columns else table.T

        starts_ol = places.ol + letters * places.ol_row
        scores[starts_ol[:, None] + np.arange(along_l.size)] = between(o, l)[:, along_l]
        starts_ot = places.ot + letters * places.ot_row
        scores[starts_ot[:, None] - np.arange(along_t.size)] = between(o, t)[:, along_t]
        starts_lt = places.lt + letters * places.lt_row + LANES
        scores[starts_lt[:, None] + np.arange(along_t.size)] = between(l, t)[:, along_t]
        return scores

    def box(self, chunk: Chunk, box: int, layers: int | None = None) -> Box:
        """A box in its axes; ``layers``: only so many of its first ones."""
        s, h = self.grid.s, self.grid.h
        start, size = (chunk[0] * s, chunk[1] * s, box * h), list(self.grid.size(*chunk, box))
        size[2] = layers or size[2]
        o, l, t = self.axes  # noqa: E741
        return Box(start[o], start[l], start[t], size[o], -(-size[l] // LANES), size[t])

    def codes(self, box: int) -> Codes:
        """How local starts are counted in a box."""
        weights = (1 << PLACE_BITS, 1, 1 << LAYER_AT)
        bits = (4 << MOVE_AT, 2 << MOVE_AT, 1 << MOVE_AT)
        first = (box * self.grid.h) << LAYER_AT
        return Codes(first, *(weights[axis] for axis in self.axes), *(bits[axis] for axis in self.axes))

    def places(self, chunk: Chunk, box: int, worker: int) -> Places:
        """Where the faces of a box come in and go out."""
        numbers = cpu_sizes.face_numbers(self.grid, self.kind, chunk, box, worker)
        sizes = cpu_sizes.face_sizes(self.layout)
        by_axis = [(numbers[axis], size) for axis, size in zip(self.axes, sizes, strict=True)]
        return Places(*(number[0] * size for number, size in by_axis), *(number[1] * size for number, size in by_axis))

    def word(self, row: int, column: int) -> int:
        """Where the progress word of a chunk is; -1 where there is no such chunk."""
        number = self.numbers.get((row, column))
        return -1 if number is None else number * WORD

    @property
    def nbytes(self) -> int:
        starts = 0 if self.start_faces is None else sum(face.nbytes for face in self.start_faces)
        return sum(face.nbytes for face in self.faces) + starts + self.progress.nbytes


class Worker:
    """What one thread keeps: its box, and the scores laid out for it."""

    def __init__(self, cube: Cube, number: int, moves: bool = False) -> None:
        self.cube, self.number = cube, number
        n = cube.layout
        self.values = cpu_sizes.aligned(n.size, NEGATIVE)
        self.starts = cpu_sizes.aligned(n.size, 0) if cube.kind.starts and not moves else None
        self.scores = cpu_sizes.aligned(cube.tables[1], BARRED)
        self.scores[:] = cube.scores
        count, kind = cpu_sizes.moves(n)
        self.moves: np.ndarray | None = np.empty(count, kind) if moves else None
        self.found = np.empty(cpu_sizes.longest_walk(n), np.uint8) if moves else None

    @property
    def nbytes(self) -> int:
        arrays = (self.values, self.starts, self.scores, self.moves, self.found)
        return sum(array.nbytes for array in arrays if array is not None)

    def begin(self, chunk: Chunk, box: int, layers: int | None = None) -> Box:
        """Lay out the scores of a box that is about to be computed."""
        cube, self.box = self.cube, self.cube.box(chunk, box, layers)
        skew(self.scores, cube.tables[0], cube.layout, cube.letters[1][self.box.l :], self.box)
        starts_or_moves = self.moves is not None or self.starts is not None
        self.before_window = (
            self.values, self.starts, self.moves, cube.order if starts_or_moves else None, cube.costs, self.scores,
            cube.tables[0], cube.layout, cube.letters[0][self.box.o :], self.box,
        )  # fmt: skip
        carried = cube.kind.subchunks and not cube.kind.local and box > 0
        start_faces = cube.start_faces if self.starts is not None else None
        places = cube.places(chunk, box, self.number)
        self.after_window = cube.faces, start_faces, carried, cube.codes(box), places
        return self.box

    def advance(self, lines: tuple[int, int], planes: Any, taken: Span, given: Span) -> None:
        """Compute a window of the box that was begun (cpu_faces.advance)."""
        cpu_faces.advance(*self.before_window, lines, planes, *self.after_window, taken, given)


def compute(cube: Cube, monitor: Monitor, steps: Steps, started_ns: int) -> int:
    """Phase 1: all chunks, on threads; the bytes that the threads kept. Raises Cancelled."""
    chunks, tickets = cube.grid.order(), itertools.count()
    workers = [Worker(cube, number) for number in range(min(cube.workers, cube.grid.chunks))]
    seed(cube)

    def work(number: int) -> None:
        while not cube.stop[0] and (chunk := next(tickets)) < len(chunks):
            for box in range(cube.grid.boxes):
                _box(workers[number], chunks[chunk], box, steps, started_ns)

    def report() -> None:
        monitor.update(int(cube.progress.sum()), cube.grid.chunks * cube.grid.cells[2], "phase 1")

    share(work, len(workers), cube.stop, report)
    return sum(worker.nbytes for worker in workers)


def seed(cube: Cube) -> None:
    """The 0 in the cell (-1, -1, -1) of the faces that come into the first box, where the front letters meet it."""
    at = cube.places((0, 0), 0, 0)
    n = cube.layout
    cube.faces[2][at.plane_in + (3 * n.plane_part if n.parts > 1 else 0)] = 0


def _box(worker: Worker, chunk: Chunk, box: int, steps: Steps, started_ns: int) -> None:
    """All windows of a box, each as soon as the neighbours are far enough."""
    cube = worker.cube
    extent = worker.begin(chunk, box)
    own, above, left = cube.word(*chunk), cube.word(chunk[0] - 1, chunk[1]), cube.word(chunk[0], chunk[1] - 1)
    first_layer = box * cube.grid.h
    windows = _layers if cube.kind.layered else _planes
    for lines, planes, taken, given, needed, ready, touched in windows(extent, cube.layout):
        if not await_layers(cube.progress, above, left, first_layer + needed, cube.stop):
            return
        begun_ns = time.perf_counter_ns()
        worker.advance(lines, planes, taken, given)
        publish(cube.progress, own, first_layer + ready)
        now_ns = time.perf_counter_ns()
        rows, columns, layers = ranges(cube.grid, chunk, (first_layer + touched[0], first_layer + touched[1]))
        steps.add(
            1, cube.numbers[chunk], rows, columns, worker.number, begun_ns - started_ns, now_ns - started_ns, layers
        )
    if (chunk, box) == ((cube.grid.rows - 1, cube.grid.columns - 1), cube.grid.boxes - 1):
        place = last_cell(cube, extent)
        cube.last = int(worker.values[place]), 0 if worker.starts is None else int(worker.starts[place])


def ranges(grid: Grid, chunk: Chunk, layers: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Cells of a chunk, and a range of layers, as ranges of letters (kernels.steps)."""
    starts, size = (chunk[0] * grid.s, chunk[1] * grid.s), grid.size(*chunk, 0)
    cells = [*((start, start + count) for start, count in zip(starts, size[:2], strict=True)), layers]
    return tuple((max(start - 1, 0), end - 1) for start, end in cells)


def last_cell(cube: Cube, extent: Box) -> int:
    """Where in a thread's memory the last cell of the cube is after the last box (with affine gaps, of all moves)."""
    n = cube.layout
    l = cube.grid.cells[cube.axes[1]] - 1 - extent.l  # noqa: E741
    strip, lane = divmod(l, LANES)
    part = 3 * n.row_part if n.parts > 1 else 0
    return n.rows + part + (strip * (n.steps + LANES) + extent.cells - 1 + lane) * LANES + lane


@compiled
def await_layers(progress, above, left, layers, stop):
    """Wait for the chunks of two words (-1: no chunk) to have so many layers; False where ``stop`` was set."""
    for word in (above, left):
        if word >= 0 and not wait_for(progress, word, layers, stop):
            return False
    return acquire(stop, 0) == 0


@compiled
def publish(progress, word, layers):
    """So many layers of a chunk are there."""
    release(progress, word, layers)


def _planes(extent: Box, n: Layout) -> Any:
    """Windows of SLOPED: lines, planes, what comes in and goes out, layers needed before, ready after, and touched."""
    width = extent.strips * LANES
    total = extent.lines + width + extent.cells - 2
    span = max(PLANES, -(-total // WINDOWS))
    ready = 0
    for first in range(0, total, span):
        last = min(first + span, total)
        # What a plane needs on the left and above lies in layers before it.
        before, needed = min(first, extent.cells), min(last, extent.cells)
        tail = LANES - 1
        rows_in = (min(first, extent.cells + tail) if first < extent.cells else extent.cells + tail,
                   last if last < extent.cells else extent.cells + tail)  # fmt: skip
        done = extent.cells if last == total else min(max(last - extent.lines - width + 2, 0), extent.cells - 1)
        taken = Span(rows_in, (-1, extent.lines, before, needed), (-1, extent.lines) if first == 0 else (0, 0))
        ended = last == total
        given = Span(
            (ready, done + tail if ended else done),
            (-1, extent.lines, ready, done),
            (-1, extent.lines) if ended else (0, 0),
        )
        touched = max(first - extent.lines - width + 2, 0), min(last, extent.cells)
        yield (0, extent.lines), (first, last), taken, given, needed, done, touched
        ready = done


def _layers(extent: Box, n: Layout) -> Any:
    """Windows of LAYERED; as ``_planes``."""
    span = max(LAYERS, -(-extent.lines // WINDOWS))
    steps = extent.cells + LANES - 1
    for first in range(0, extent.lines, span):
        last = min(first + span, extent.lines)
        lines = (first if first else -1), last
        taken = Span((0, 0) if first else (0, steps), (*lines, 0, extent.cells), lines)
        given = Span((0, steps) if last == extent.lines else (0, 0), (*lines, 0, extent.cells), lines)
        yield (first, last), None, taken, given, last, last, (first, last)


def whole(extent: Box) -> Span:
    """All that comes into a box."""
    return Span((0, extent.cells + LANES - 1), (-1, extent.lines, 0, extent.cells), (-1, extent.lines))


def local(cube: Cube, chunk: Chunk, box: int, cell: Cell) -> tuple[int, ...]:
    """A cell of the cube counted along o, l and t of a box."""
    start = chunk[0] * cube.grid.s, chunk[1] * cube.grid.s, box * cube.grid.h
    return tuple(cell[axis] - start[axis] for axis in cube.axes)
