"""The cube on threads: its faces, and what every thread keeps (the work of a thread: `cpu_chunks`).

Chunks are handed out in antidiagonal order, and follow their neighbours window by window. Where faces are not kept, a
chunk overwrites those that it read, so that there is one face per row and one per column of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.steps import STEP
from antidiag.kernels.triple.chunks.cpu import layouts
from antidiag.kernels.triple.chunks.cpu.boxes import ThreadMemory
from antidiag.kernels.triple.chunks.cpu.chunk_worker import EVENT_COLUMNS, ChunkBoard, compute_chunks, recompute_box
from antidiag.kernels.triple.chunks.cpu.faces import FaceArrays
from antidiag.kernels.triple.chunks.cpu.grid_shape import GridShape, locate_box, locate_faces, make_grid_shape
from antidiag.kernels.triple.chunks.cpu.int16 import NumberRange, choose_numbers
from antidiag.kernels.triple.chunks.cpu.layouts import BoxLayout
from antidiag.kernels.triple.chunks.cpu.windows import bound_window_count
from antidiag.kernels.triple.encoding import EncodedTriple
from antidiag.kernels.triple.grid import ChunkGrid, ChunkKind
from antidiag.kernels.triple.model import Cell

Chunk = tuple[int, int]


@dataclass(eq=False)
class ChunkedCube:
    """A problem cut into chunks, its faces, and what compiled code needs of both.

    ``faces``, flat: of all boxes that are kept, upwards in o, l and t (`cpu_faces`); ``start_faces`` int32 likewise, or
    None. ``axes`` says which of i, j, k are o, l and t. ``narrow``: numbers have 16 bits (`int16`) instead of 32.
    """

    encoded: EncodedTriple
    grid: ChunkGrid
    kind: ChunkKind
    run: CpuRun
    narrow: bool = False

    def __post_init__(self) -> None:
        counts = layouts.count_faces(self.grid, self.kind, self.run.threads)
        sizes = layouts.face_sizes(self.layout)
        # Faces that no box gives are the border of the cube: minus infinity.
        o, l, t = (  # noqa: E741 - the names of the axes
            np.full(counts[axis] * size, self.numbers.negative, self.numbers.dtype)
            for axis, size in zip(self.box_axes, sizes, strict=True)
        )
        self.faces = o, l, t
        self.start_faces = (
            (np.zeros_like(o), np.zeros_like(l), np.zeros_like(t)) if self.kind.has_local_starts else None
        )
        self.progress = np.zeros(self.grid.chunks * WORD_STRIDE, np.int64)
        self.last = np.zeros(2, np.int64)

    @property
    def numbers(self) -> NumberRange:
        """Range and type of the numbers."""
        return choose_numbers(self.narrow)

    @property
    def box_axes(self) -> tuple[int, int, int]:
        """Which of i, j, k are o, l and t."""
        return (2, 0, 1) if self.kind.layered else (0, 1, 2)

    @property
    def order(self) -> bool | None:
        """The order as compiled code takes it: None or True, so that Numba chooses when it compiles."""
        return True if self.kind.layered else None

    @cached_property
    def gap_costs(self) -> tuple[np.int32, np.int32] | None:
        """Costs of opening one gap and two, negative; None with linear gaps."""
        opening = self.encoded.open
        return (np.int32(-opening), np.int32(-2 * opening)) if self.encoded.has_affine_gaps else None

    @cached_property
    def order_of_chunks(self) -> dict[Chunk, int]:
        """The number of every chunk."""
        return {chunk: number for number, chunk in enumerate(self.grid.chunk_order())}

    @cached_property
    def shape(self) -> GridShape:
        """The grid as compiled code takes it."""
        return make_grid_shape(self.grid, self.kind)

    @cached_property
    def layout(self) -> BoxLayout:
        """The layout of a thread's memory."""
        return layouts.make_box_layout(self.grid, self.kind.layered, self.encoded.has_affine_gaps, self.narrow)

    @cached_property
    def axis_letters(self) -> tuple[np.ndarray, np.ndarray]:
        """Codes along o and l, with the front letter behind them for the lanes beyond the last cell."""
        pad = np.full(self.grid.s + self.layout.lanes, self.encoded.letter_count - 1, np.uint8)
        return tuple(np.concatenate([self.encoded.codes[axis], pad]) for axis in self.box_axes[:2])  # type: ignore[return-value]

    @cached_property
    def score_tables(self) -> tuple[layouts.ScoreTables, int]:
        """Where a thread's scores are, and how many there are."""
        return layouts.place_grid_scores(self.grid, self.encoded.letter_count, self.layout, self.kind.layered)

    @cached_property
    def thread_scores(self) -> np.ndarray:
        """The scores of the letters, as a thread takes them (`layouts.ScoreTables`)."""
        (places, size), table = self.score_tables, np.maximum(self.encoded.table, self.numbers.barred)
        scores = np.full(size, self.numbers.barred, self.numbers.dtype)
        o, l, t = self.box_axes  # noqa: E741 - the names of the axes
        along_l, along_t, lanes = self.encoded.codes[l], self.encoded.codes[t], self.layout.lanes

        def place_scores(start: int, length: int, first: int, axes: tuple[int, int], codes: np.ndarray) -> None:
            """Scores of every letter along the first axis with those along the second, from ``first`` of a row on."""
            between = table if axes[0] < axes[1] else table.T
            view = scores[start : start + len(table) * length].reshape(-1, length)
            view[:, first : first + codes.size] = between[:, codes]

        place_scores(places.ol, places.ol_row, 0, (o, l), along_l)
        place_scores(places.ot - lanes - along_t.size + 1, places.ot_row, lanes, (o, t), along_t[::-1])
        place_scores(places.lt, places.lt_row, lanes, (l, t), along_t)
        return scores

    @property
    def host_bytes(self) -> int:
        """Bytes of the faces."""
        starts = 0 if self.start_faces is None else sum(face.nbytes for face in self.start_faces)
        return sum(face.nbytes for face in self.faces) + starts + self.progress.nbytes


class ChunkWorker:
    """What one thread keeps: its box, and the scores laid out for it."""

    def __init__(self, cube: ChunkedCube, number: int, moves: bool = False) -> None:
        self.cube, self.number = cube, number
        n, numbers = cube.layout, cube.numbers
        values = layouts.allocate_aligned(n.size, numbers.negative, numbers.dtype)
        scores = layouts.allocate_aligned(cube.score_tables[1], cube.thread_scores, numbers.dtype)
        self.memory = ThreadMemory(values, scores, n, cube.score_tables[0])
        self.starts = (
            layouts.allocate_aligned(n.size, 0, np.dtype(np.int32))
            if cube.kind.has_local_starts and not moves
            else None
        )
        count, kind = layouts.count_moves(n)
        self.moves: np.ndarray | None = np.empty(count, kind) if moves else None
        self.path_moves = np.empty(layouts.longest_walk(n), np.uint8) if moves else None

    @property
    def host_bytes(self) -> int:
        """Bytes of its arrays."""
        arrays = (self.memory.values, self.memory.scores, self.starts, self.moves, self.path_moves)
        return sum(array.nbytes for array in arrays if array is not None)

    def compute_chunks(self, board: ChunkBoard) -> None:
        """Run phase 1: compute chunks until all are taken."""
        cube, faces = self.cube, FaceArrays(self.cube.faces, self.cube.start_faces)
        compute_chunks(
            self.memory,
            self.starts,
            cube.order,
            cube.gap_costs,
            cube.axis_letters,
            cube.shape,
            faces,
            board,
            self.number,
        )

    def recompute_box(self, chunk: Chunk, box: int, layers: int) -> None:
        """Run phase 3: compute the first layers of a box again, with its moves."""
        cube, faces = self.cube, FaceArrays(self.cube.faces, None)
        place = (*chunk, box)
        recompute_box(
            self.memory, self.moves, cube.order, cube.gap_costs, cube.axis_letters, cube.shape, faces, place, layers
        )


def compute_cube(cube: ChunkedCube, phase: CpuPhase) -> int:
    """Run phase 1: compute all chunks on threads; return the bytes that the threads kept. Raises Cancelled."""
    run = cube.run
    workers = [ChunkWorker(cube, number) for number in range(min(run.threads, cube.grid.chunks))]
    set_origin(cube)
    windows = bound_window_count(
        cube.kind.layered, locate_box(cube.shape, cube.layout, 0, 0, 0, cube.grid.h), cube.layout
    )
    events = np.zeros((cube.grid.chunks, cube.grid.boxes, windows, len(EVENT_COLUMNS)), np.int64)
    board = ChunkBoard(cube.grid.chunk_places(), np.zeros(1, np.int64), cube.progress, run.stop, events, cube.last)
    phase.share(
        lambda number: workers[number].compute_chunks(board),
        lambda: phase.report(int(cube.progress.sum())),
        len(workers),
    )
    run.steps.add_array(_build_log(cube.grid, board, run.started_ns))
    return sum(worker.host_bytes for worker in workers)


def set_origin(cube: ChunkedCube) -> None:
    """Write the 0 of the cell (-1, -1, -1) into the faces of the first box, where the front letters meet it."""
    n = cube.layout
    at = locate_faces(cube.shape, n, 0, 0, 0, 0).plane_in
    cube.faces[2][at + (3 * n.plane_part if n.parts > 1 else 0)] = 0


def _build_log(grid: ChunkGrid, board: ChunkBoard, started_ns: int) -> np.ndarray:
    """Return the windows that were computed as events of the step log."""
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


def letter_ranges(grid: ChunkGrid, chunk: Chunk, layers: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return cells of a chunk, and a range of layers, as ranges of letters (`kernels.steps`)."""
    starts, size = (chunk[0] * grid.s, chunk[1] * grid.s), grid.box_size(*chunk, 0)
    cells = [*((start, start + count) for start, count in zip(starts, size[:2], strict=True)), layers]
    return tuple((max(start - 1, 0), end - 1) for start, end in cells)


def to_box_axes(cube: ChunkedCube, chunk: Chunk, box: int, cell: Cell) -> tuple[int, ...]:
    """Return a cell of the cube, counted along o, l and t of a box."""
    start = chunk[0] * cube.grid.s, chunk[1] * cube.grid.s, box * cube.grid.h
    return tuple(cell[axis] - start[axis] for axis in cube.box_axes)
