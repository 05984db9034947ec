"""The cube on threads: its faces, and what every thread keeps (the work of a thread: cpu_chunks.py).

Chunks are handed out in antidiagonal order, and follow their neighbours window by window. Where faces are not kept, a
chunk overwrites those that it read, so that there is one face a row and one a column of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import STEP, Steps
from antidiag.kernels.triple.chunks import cpu_sizes
from antidiag.kernels.triple.chunks.cpu_boxes import Memory
from antidiag.kernels.triple.chunks.cpu_chunks import EVENT, Board, compute_chunks, recompute
from antidiag.kernels.triple.chunks.cpu_faces import Faces
from antidiag.kernels.triple.chunks.cpu_shape import Shape, box_of, places_of, shape_of
from antidiag.kernels.triple.chunks.cpu_sizes import WORD, Layout
from antidiag.kernels.triple.chunks.cpu_windows import most_windows
from antidiag.kernels.triple.chunks.int16 import Numbers, numbers_of
from antidiag.kernels.triple.encoding import Encoded
from antidiag.kernels.triple.grid import Grid, Kind
from antidiag.kernels.triple.model import Cell

Chunk = tuple[int, int]


@dataclass(eq=False)
class Cube:
    """A problem cut into chunks, its faces, and what compiled code needs of both.

    ``faces``, flat: of all boxes that are kept, upwards in o, l and t (cpu_faces.py); ``start_faces`` int32 likewise,
    or None. ``axes`` says which of i, j, k are o, l and t. ``narrow``: numbers have 16 bits (int16.py) instead of 32.
    """

    encoded: Encoded
    grid: Grid
    kind: Kind
    workers: int
    narrow: bool = False
    stop: np.ndarray = field(default_factory=stop_word)

    def __post_init__(self) -> None:
        counts = cpu_sizes.face_counts(self.grid, self.kind, self.workers)
        sizes = cpu_sizes.face_sizes(self.layout)
        # Faces that no box gives are the border of the cube: minus infinity.
        o, l, t = (  # noqa: E741 - the names of the axes
            np.full(counts[axis] * size, self.numbers.negative, self.numbers.type)
            for axis, size in zip(self.axes, sizes, strict=True)
        )
        self.faces = o, l, t
        self.start_faces = (np.zeros_like(o), np.zeros_like(l), np.zeros_like(t)) if self.kind.starts else None
        self.progress = np.zeros(self.grid.chunks * WORD, np.int64)
        self.last = np.zeros(2, np.int64)

    @property
    def numbers(self) -> Numbers:
        return numbers_of(self.narrow)

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
    def order_of_chunks(self) -> dict[Chunk, int]:
        """The number of every chunk."""
        return {chunk: number for number, chunk in enumerate(self.grid.order())}

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.grid, self.kind)

    @cached_property
    def layout(self) -> Layout:
        return cpu_sizes.box_layout(self.grid, self.kind.layered, self.encoded.affine, self.narrow)

    @cached_property
    def letters(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes along o and l, with the front letter behind them for the lanes beyond the last cell."""
        pad = np.full(self.grid.s + self.layout.lanes, self.encoded.letters - 1, np.uint8)
        return tuple(np.concatenate([self.encoded.codes[axis], pad]) for axis in self.axes[:2])  # type: ignore[return-value]

    @cached_property
    def tables(self) -> tuple[cpu_sizes.Tables, int]:
        return cpu_sizes.score_tables(self.grid, self.encoded.letters, self.layout, self.kind.layered)

    @cached_property
    def scores(self) -> np.ndarray:
        """The scores of the letters, as a thread takes them (cpu_sizes.Tables); of the cube's numbers."""
        (places, size), table = self.tables, np.maximum(self.encoded.table, self.numbers.barred)
        scores = np.full(size, self.numbers.barred, self.numbers.type)
        o, l, t = self.axes  # noqa: E741 - the names of the axes
        along_l, along_t, lanes = self.encoded.codes[l], self.encoded.codes[t], self.layout.lanes

        def rows(start: int, length: int, first: int, axes: tuple[int, int], codes: np.ndarray) -> None:
            """Scores of every letter along the first axis with those along the second, from ``first`` of a row on."""
            between = table if axes[0] < axes[1] else table.T
            view = scores[start : start + len(table) * length].reshape(-1, length)
            view[:, first : first + codes.size] = between[:, codes]

        rows(places.ol, places.ol_row, 0, (o, l), along_l)
        rows(places.ot - lanes - along_t.size + 1, places.ot_row, lanes, (o, t), along_t[::-1])
        rows(places.lt, places.lt_row, lanes, (l, t), along_t)
        return scores

    @property
    def nbytes(self) -> int:
        starts = 0 if self.start_faces is None else sum(face.nbytes for face in self.start_faces)
        return sum(face.nbytes for face in self.faces) + starts + self.progress.nbytes


class Worker:
    """What one thread keeps: its box, and the scores laid out for it."""

    def __init__(self, cube: Cube, number: int, moves: bool = False) -> None:
        self.cube, self.number = cube, number
        n, numbers = cube.layout, cube.numbers
        values = cpu_sizes.aligned(n.size, numbers.negative, numbers.type)
        scores = cpu_sizes.aligned(cube.tables[1], cube.scores, numbers.type)
        self.memory = Memory(values, scores, n, cube.tables[0])
        self.starts = cpu_sizes.aligned(n.size, 0, np.dtype(np.int32)) if cube.kind.starts and not moves else None
        count, kind = cpu_sizes.moves(n)
        self.moves: np.ndarray | None = np.empty(count, kind) if moves else None
        self.found = np.empty(cpu_sizes.longest_walk(n), np.uint8) if moves else None

    @property
    def nbytes(self) -> int:
        arrays = (self.memory.values, self.memory.scores, self.starts, self.moves, self.found)
        return sum(array.nbytes for array in arrays if array is not None)

    def work(self, board: Board) -> None:
        """Phase 1: compute chunks until all are taken."""
        cube, faces = self.cube, Faces(self.cube.faces, self.cube.start_faces)
        compute_chunks(
            self.memory, self.starts, cube.order, cube.costs, cube.letters, cube.shape, faces, board, self.number
        )

    def recompute(self, chunk: Chunk, box: int, layers: int) -> None:
        """Phase 3: compute the first layers of a box again, with its moves."""
        cube, faces = self.cube, Faces(self.cube.faces, None)
        place = (*chunk, box)
        recompute(self.memory, self.moves, cube.order, cube.costs, cube.letters, cube.shape, faces, place, layers)


def compute(cube: Cube, monitor: Monitor, steps: Steps, started_ns: int) -> int:
    """Phase 1: all chunks, on threads; the bytes that the threads kept. Raises Cancelled."""
    workers = [Worker(cube, number) for number in range(min(cube.workers, cube.grid.chunks))]
    seed(cube)
    windows = most_windows(cube.kind.layered, box_of(cube.shape, cube.layout, 0, 0, 0, cube.grid.h), cube.layout)
    events = np.zeros((cube.grid.chunks, cube.grid.boxes, windows, len(EVENT)), np.int64)
    board = Board(cube.grid.places(), np.zeros(1, np.int64), cube.progress, cube.stop, events, cube.last)

    def report() -> None:
        monitor.update(int(cube.progress.sum()), cube.grid.chunks * cube.grid.cells[2], "phase 1")

    share(lambda number: workers[number].work(board), len(workers), cube.stop, report)
    steps.extend(_logged(cube.grid, board, started_ns))
    return sum(worker.nbytes for worker in workers)


def seed(cube: Cube) -> None:
    """The 0 in the cell (-1, -1, -1) of the faces that come into the first box, where the front letters meet it."""
    n = cube.layout
    at = places_of(cube.shape, n, 0, 0, 0, 0).plane_in
    cube.faces[2][at + (3 * n.plane_part if n.parts > 1 else 0)] = 0


def _logged(grid: Grid, board: Board, started_ns: int) -> np.ndarray:
    """The windows that were computed as events of the step log."""
    chunks, boxes, windows = np.nonzero(board.events[..., 1])
    start, end, first_layer, last_layer, worker = board.events[chunks, boxes, windows].T
    found = np.zeros(chunks.size, STEP)
    found["phase"], found["strip"], found["worker"] = 1, chunks, worker
    found["start_ns"], found["end_ns"] = start - started_ns, end - started_ns
    for side, name in enumerate(("row", "column")):
        first = board.chunks[chunks, side] * grid.s
        found[f"{name}_start"] = np.maximum(first - 1, 0)
        found[f"{name}_end"] = np.minimum(first + grid.s, grid.cells[side]) - 1
    found["layer_start"], found["layer_end"] = np.maximum(first_layer - 1, 0), last_layer - 1
    return found


def ranges(grid: Grid, chunk: Chunk, layers: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Cells of a chunk, and a range of layers, as ranges of letters (kernels.steps)."""
    starts, size = (chunk[0] * grid.s, chunk[1] * grid.s), grid.size(*chunk, 0)
    cells = [*((start, start + count) for start, count in zip(starts, size[:2], strict=True)), layers]
    return tuple((max(start - 1, 0), end - 1) for start, end in cells)


def local(cube: Cube, chunk: Chunk, box: int, cell: Cell) -> tuple[int, ...]:
    """A cell of the cube counted along o, l and t of a box."""
    start = chunk[0] * cube.grid.s, chunk[1] * cube.grid.s, box * cube.grid.h
    return tuple(cell[axis] - start[axis] for axis in cube.axes)
