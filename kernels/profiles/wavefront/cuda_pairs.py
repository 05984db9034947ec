"""Many profile alignments on the device at once: their layout, the queue of their strips, and their paths."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun, LaunchPhase
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.profiles.column_scores import cpu_counts
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.column_scores.scoring import FREQUENCY_UNITS, ROOT
from antidiag.kernels.profiles.device import FOLDER, SCORES_AND_MODES
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.sizes import FACTOR_LOAD, GPU_BATCH, GPU_STRIP, exceeds_half_precision
from antidiag.kernels.profiles.whole_table.cpu_table import complete_answer

THREADS = 160
"""Threads of a block: a warp for the cells, four for their scores."""
BLOCKS_OF_ONE, BLOCKS_OF_MANY = 3, 4
"""Blocks of a multiprocessor. Strips of a single alignment wait for each other and run faster with more registers; with
many alignments some block always has work."""
EIGHT, SIXTEEN = 8, 16
"""Factors of a tensor core step; rows of a product."""
PLAIN, DOUBLED, HALVED, ROWS, COLUMNS = range(5)
"""How factors become 16-bit numbers (factors.cu)."""
FACTOR_THREADS = 256
ABSENT = 0x80
"""Every byte of a border that is not computed yet."""
TILES, SHORT_PATH, MOST_SIDE = 1024, 16, 24
"""Tiles of a path in one launch, some tens of milliseconds; tiles of a path that one block traces as fast as many; and
maximum tiles on a side of a square."""
ENTRIES = 2 * GPU_STRIP + 2 * GPU_BATCH + 1
"""Entries of a tile: cells and states in which a path may enter it, and the end of the path."""

PAIR = DeviceStruct(
    "Pair",
    """
    const uint4 *rows, *columns;            // factors, see factors.cu; zeros behind the last
    const int2 *row_costs;                  // m: of row i, R_i - open_i and -R_i+1, of what gaps over i rows cost, R_i
    const int2 *column_costs;               // n + 1: C_j - open_j and -C_j
    unsigned long long* borders;            // (strips - 1) x m: H and G between strips
    int4* kept;                             // strips x batches - 1 x 128: H and E in the last row of a batch
    int4* best;                             // strips: score, row, column
    unsigned char* operations;              // m + n
    int m, n, strips, origin;
    float unit;
""",
)
FINISH = DeviceStruct("Finish", "const int* table; int factor, offset;")
TILE = (
    SCORES_AND_MODES,
    DeviceConstants.from_values(BATCH=GPU_BATCH),
    PAIR,
    FINISH,
    *(FOLDER / name for name in ("finish.cuh", "tile.cuh", "lanes.cuh", "sweep.cuh")),
)
STRIPS, PATHS = (*TILE, FOLDER / "strips.cu"), (*TILE, FOLDER / "path.cuh", FOLDER / "paths.cu")
FACTORS = (
    DeviceConstants.from_values(
        PLAIN=PLAIN, DOUBLED=DOUBLED, HALVED=HALVED, ROWS=ROWS, COLUMNS=COLUMNS, UNITS=FREQUENCY_UNITS
    ),
    FOLDER / "factors.cu",
)
SQUARES = (*TILE, FOLDER / "path.cuh", FOLDER / "squares.cu")


class DeviceProfilePairs:
    """Alignments of one scoring and one mode on the device, with their borders and paths.

    ``items`` (int32, strips of all x 2: pair, strip) are in the order in which blocks take them: the first strips of
    all pairs, the second ones, and so on; ``cells`` are those of each. ``room`` are bytes that the pairs point to.
    """

    def __init__(self, run: DeviceRun, pair_batch: ProfilePairBatch) -> None:
        self.run, self.made = run, pair_batch
        self.kernels: dict[str, tuple[Any, int]] = {}
        """Compiled kernels, and how many of their blocks run at a time."""
        m, n = pair_batch.m, pair_batch.n
        strips, batches = -(-n // GPU_STRIP), (m - 1) // GPU_BATCH
        tops, lefts = _start_offsets(-(-m // SIXTEEN) * SIXTEEN), _start_offsets(strips * GPU_STRIP)
        rows, columns, steps = _upload_factors(run, pair_batch, tops, lefts)
        numbers: np.ndarray = np.repeat(np.arange(len(pair_batch)), strips)
        items = np.stack([numbers, np.arange(len(numbers)) - _start_offsets(strips)[:-1][numbers]], axis=1).astype(
            np.int32
        )
        items = np.ascontiguousarray(items[np.lexsort((items[:, 0], items[:, 1]))])
        row_costs = _shift_gap_costs(pair_batch.row_open, pair_batch.row_extend, m, True)
        column_costs = _shift_gap_costs(pair_batch.column_open, pair_batch.column_extend, n, False)
        sizes = {
            "borders": 8 * (strips - 1) * m,
            "kept": 8 * GPU_STRIP * strips * batches,
            "best": 16 * strips,
            "operations": m + n,
        }
        starts = {name: _start_offsets(size) for name, size in sizes.items()}
        room = {name: run.allocate_array(max(int(ends[-1]), 1), np.uint8) for name, ends in starts.items()}
        room["borders"].data.memset_async(ABSENT, room["borders"].nbytes, cupy.cuda.get_current_stream())
        given = rows, columns, *run.upload_together(row_costs, column_costs, pair_batch.table, items)
        pairs: np.ndarray = np.zeros(len(pair_batch), PAIR.dtype)
        width = rows.itemsize * rows.shape[1]
        for name, ends in starts.items():
            pairs[name] = room[name].data.ptr + ends[:-1]
        pairs["rows"], pairs["columns"] = given[0].data.ptr + width * tops[:-1], given[1].data.ptr + width * lefts[:-1]
        pairs["row_costs"] = given[2].data.ptr + 8 * _start_offsets(m)[:-1]
        pairs["column_costs"] = given[3].data.ptr + 8 * _start_offsets(n + 1)[:-1]
        pairs["m"], pairs["n"], pairs["strips"] = m, n, strips
        pairs["unit"], pairs["origin"] = 2.0**-pair_batch.shift, pair_batch.origin
        self.steps, self.room, self.inputs = steps, room, given  # which keeps alive what the pairs point to
        (self.on_device,) = run.upload_together(pairs.view(np.uint8))
        self.items = given[5]
        self.cells = m[items[:, 0]] * np.minimum(n[items[:, 0]] - items[:, 1] * GPU_STRIP, GPU_STRIP)
        self.ends = run.allocate_array((len(pair_batch), 8), np.int32)
        self.operations, self.operation_ends = room["operations"], starts["operations"][1:]
        self.ticket = run.allocate_array(1, np.int32)
        self.finish = FINISH(table=given[4], factor=pair_batch.factor, offset=pair_batch.offset)

    def compile_kernel(self, sources: tuple[Any, ...], name: str, **defines: int) -> Any:
        """Compile a kernel for the factors, score and mode of the pairs."""
        made = self.made
        return self.run.compile_kernel(
            sources, name, STEPS=self.steps, KIND=made.kind, MODE=made.mode, OPENING=not made.has_linear_gaps, **defines
        )

    def compile_all(self) -> None:
        """Compile the kernels before the clock of a phase starts."""
        self._strips_kernel()
        self._resident_kernel(PATHS, "paths")
        if self._traces_squares:
            self._square_kernels()

    def launch_strips(self, items: tuple[int, int], rows: tuple[int, int]) -> None:
        """Launch rows of some queue items; strips on their left and rows above were launched before."""
        kernel, resident = self._strips_kernel()
        self._reset_ticket()
        kernel(
            (min(items[1] - items[0], resident),),
            (THREADS,),
            (self.on_device, self.items, *self.finish, *map(np.int32, (*items, *rows)), self.ticket),
        )

    def launch_paths(self, quiet: bool = False) -> None:
        """Trace all paths: one block per alignment, or squares of tiles for a single long one."""
        with self.run.begin_phase("path", quiet=quiet) as phase:
            if self._traces_squares:
                self._launch_squares(phase)
                return
            launches = -(-self._most_tiles // TILES)  # successive tiles of a path differ in strip or batch
            for number in range(launches):
                self._launch_path_tiles(number == 0, TILES)
                phase.note_launch(number + 1, launches)

    @property
    def _most_tiles(self) -> int:
        """The most tiles that a path enters."""
        return int((-(-self.made.n // GPU_STRIP) + -(-self.made.m // GPU_BATCH)).max())

    @property
    def _traces_squares(self) -> bool:
        """Whether the path of a single long alignment is traced by squares of tiles."""
        return len(self.made) == 1 and self._most_tiles > SHORT_PATH

    def _launch_path_tiles(self, begin: bool, tiles: int) -> None:
        """Trace each path through its next tiles."""
        kernel, resident = self._resident_kernel(PATHS, "paths")
        self._reset_ticket()
        kernel(
            (min(len(self.made), resident),),
            (THREADS,),
            (self.on_device, *self.finish, *map(np.int32, (0, len(self.made), begin, tiles)), self.ends, self.ticket),
        )

    def _square_kernels(self) -> tuple[int, tuple[Any, ...]]:
        """Return the tiles on a side of a square, all of which run at a time, and the kernels that trace by squares."""
        _, resident = self._resident_kernel(PATHS, "paths")
        side = max(min(int(resident**0.5), MOST_SIDE), 2)
        return side, tuple(self.compile_kernel(SQUARES, name, SIDE=side) for name in ("exits", "chain", "operations"))

    def _launch_squares(self, phase: LaunchPhase) -> None:
        """Trace one path by squares of tiles."""
        (side, (exits, chain, operations)), tiles = self._square_kernels(), self._most_tiles
        _, resident = self._resident_kernel(PATHS, "paths")
        found = self.run.allocate_array((side * side, ENTRIES), np.uint32)
        hops = self.run.allocate_array((tiles + 1, 4), np.int32)
        count = self.run.allocate_filled(1, np.int32)
        launches = 2 + tiles // side  # a path leaves a square at its top or on its left
        self._launch_path_tiles(True, 0)
        for number in range(launches):
            exits((side * side,), (THREADS,), (self.on_device, *self.finish, self.ends, found))
            chain((1,), (1,), (self.on_device, self.ends, found, hops, count))
            phase.note_launch(number + 1, launches + 1)
        operations((min(resident, tiles + 1),), (THREADS,), (self.on_device, *self.finish, self.ends, hops, count))
        phase.note_launch(launches + 1, launches + 1)

    def download_answers(self) -> list[ProfileAnswer]:
        """Return the alignments in the order of the problems."""
        ends, operations = self.run.download_array(self.ends), self.run.download_array(self.operations)
        assert ends[:, 7].all(), "a path did not come to its end"
        return [
            complete_answer(self.made.mode, size, score, (i, j), (row, column), operations[end - count : end])
            for size, (i, j, _, count, score, row, column, _), end in zip(
                zip(self.made.m.tolist(), self.made.n.tolist(), strict=True),
                ends.tolist(),
                self.operation_ends.tolist(),
                strict=True,
            )
        ]

    def _reset_ticket(self) -> None:
        """Reset the ticket of the queue."""
        self.ticket.data.memset_async(0, self.ticket.nbytes, cupy.cuda.get_current_stream())

    def _strips_kernel(self) -> tuple[Any, int]:
        """Return the kernel of strips and how many of its blocks run at a time."""
        return self._resident_kernel(STRIPS, "strips", BLOCKS=BLOCKS_OF_MANY if len(self.made) > 1 else BLOCKS_OF_ONE)

    def _resident_kernel(self, sources: tuple[Any, ...], name: str, **defines: int) -> tuple[Any, int]:
        """Return a compiled kernel and how many of its blocks run at a time."""
        if name not in self.kernels:
            kernel = self.compile_kernel(sources, name, **defines)
            self.kernels[name] = kernel, block_limits.resident_blocks(kernel, THREADS, 0)
        return self.kernels[name]


def _start_offsets(sizes: np.ndarray) -> np.ndarray:
    """Return where each of consecutive parts begins, and where the last one ends; int64."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _shift_gap_costs(opens: np.ndarray, extends: np.ndarray, sizes: np.ndarray, behind: bool) -> np.ndarray:
    """Return shifted gap costs (see `PAIR`), int32 (all, 2); unless ``behind``, with one more after the last column."""
    found: np.ndarray = np.empty((len(opens) + (0 if behind else len(sizes)), 2), np.int32)
    cpu_counts.shift_gap_costs(opens, extends, sizes, behind, found)
    return found


def _upload_factors(
    run: DeviceRun, pair_batch: ProfilePairBatch, tops: np.ndarray, lefts: np.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray, int]:
    """Convert rows and columns to 16-bit factors on the device; return both and the tensor core steps per product."""
    how, symbols = {"rows": PLAIN, "columns": PLAIN}, pair_batch.symbol_count
    if pair_batch.kind == ROOT:
        how = {"rows": ROWS, "columns": COLUMNS}
    elif exceeds_half_precision(pair_batch.rows):
        how = {"rows": HALVED, "columns": DOUBLED}
    elif exceeds_half_precision(pair_batch.columns):
        how = {"rows": DOUBLED, "columns": HALVED}
    count = symbols * (2 if HALVED in how.values() else 1) + (4 if ROWS in how.values() else 0)
    words, kernel = -(-count // FACTOR_LOAD) * FACTOR_LOAD // 2, run.compile_kernel(FACTORS, "factors")
    found = []
    for name, values, lengths, into in (
        ("rows", pair_batch.rows, pair_batch.m, tops),
        ("columns", pair_batch.columns, pair_batch.n, lefts),
    ):
        given = run.upload_array(values), *run.upload_together(_start_offsets(symbols * (lengths + 1)), lengths, into)
        target = run.allocate_array((int(into[-1]), words), np.uint32)
        with run.time_phase("transfer"):
            sizes = map(np.int32, (symbols, how[name], name == "rows", words))
            kernel((len(pair_batch),), (FACTOR_THREADS,), (*given, *sizes, target))
            cupy.cuda.get_current_stream().synchronize()
        found.append(target)
    return found[0], found[1], -(-count // EIGHT)
