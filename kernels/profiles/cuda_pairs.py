"""Many alignments of profiles on the device at once: how they lie there, the queue of their strips, and their paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Phase, Run
from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.profiles import cpu_counts
from antidiag.kernels.profiles.cpu_table import whole_answer
from antidiag.kernels.profiles.many import Many
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.scoring import (
    FREQUENCY_UNITS,
    GLOBAL,
    LINEAR,
    LOCAL,
    LOG_BITS,
    LOGARITHM,
    ROOT,
    SEMI_GLOBAL,
)
from antidiag.kernels.profiles.sizes import GPU_BATCH, GPU_STRIP, beyond_halves

THREADS = 160
"""Of a block: a warp for the cells, four for their scores."""
BLOCKS_OF_ONE, BLOCKS_OF_MANY = 3, 4
"""That a multiprocessor holds: one alignment's strips wait for each other, and each is faster with more registers; of
many some block always has work."""
EIGHT, LOAD, SIXTEEN = 8, 32, 16
"""Factors of a step of the tensor cores, and of a load of a thread and its three neighbours; rows of a product."""
PLAIN, DOUBLED, HALVED, ROWS, COLUMNS = range(5)
"""How factors become 16-bit numbers, see factors.cu."""
FACTOR_THREADS = 256
ABSENT = 0x80
"""Every byte of a border that is not there yet."""
TILES, SHORT_PATH, MOST_SIDE = 1024, 16, 24
"""Tiles of a path in a launch: some tens of milliseconds. Tiles of a path that one block goes through as fast as many
would; and tiles on a side of the squares that many blocks go through."""
ENTRIES = 2 * GPU_STRIP + 2 * GPU_BATCH + 1
"""Of a tile: cells and states in which a path may enter it, and the one in which it ends."""

PAIR = Struct("Pair", """
    const uint4 *rows, *columns;            // factors, see factors.cu; zeros behind the last
    const int2 *row_costs;                  // m: of row i, R_i - open_i and -R_i+1, of what gaps over i rows cost, R_i
    const int2 *column_costs;               // n + 1: C_j - open_j and -C_j
    unsigned long long* borders;            // (strips - 1) x m: H and G between strips
    int4* kept;                             // strips x batches - 1 x 128: H and E in the last row of a batch
    int4* best;                             // strips: score, row, column
    unsigned char* operations;              // m + n
    int m, n, strips, origin;
    float unit;
""")  # fmt: skip
FINISH = Struct("Finish", "const int* table; int factor, offset;")
NUMBERS = Constants.of(
    LINEAR=LINEAR, ROOT=ROOT, LOGARITHM=LOGARITHM, GLOBAL=GLOBAL, LOCAL=LOCAL, SEMI_GLOBAL=SEMI_GLOBAL,
    LOG_BITS=LOG_BITS, BATCH=GPU_BATCH,
)  # fmt: skip
HERE = Path(__file__).parent
TILE = (NUMBERS, PAIR, FINISH, *(HERE / name for name in ("finish.cuh", "tile.cuh", "lanes.cuh", "sweep.cuh")))
STRIPS, PATHS = (*TILE, HERE / "strips.cu"), (*TILE, HERE / "path.cuh", HERE / "paths.cu")
FACTORS = (
    Constants.of(PLAIN=PLAIN, DOUBLED=DOUBLED, HALVED=HALVED, ROWS=ROWS, COLUMNS=COLUMNS, UNITS=FREQUENCY_UNITS),
    HERE / "factors.cu",
)
SQUARES = (*TILE, HERE / "path.cuh", HERE / "squares.cu")


@dataclass(frozen=True)
class Pairs:
    """Alignments of one scoring and one mode, on the device; ``items`` (int32, strips of all x 2: pair, strip) are in
    the order in which blocks take them: the first strips of all, the second, and so on."""

    run: Run
    made: Many
    steps: int
    on_device: cupy.ndarray
    items: cupy.ndarray
    cells: np.ndarray
    ends: cupy.ndarray
    operations: cupy.ndarray
    operation_ends: np.ndarray
    ticket: cupy.ndarray
    finish: tuple[Any, ...]
    arrays: tuple[cupy.ndarray, ...]
    """What the pairs point at, so that it stays."""
    kernels: dict[str, tuple[Any, int]] = field(default_factory=dict)
    """What was launched, and how many blocks of it run at a time."""

    @classmethod
    def of(cls, run: Run, made: Many) -> Pairs:
        """Copy problems to the device, with room for their borders and paths."""
        m, n = made.m, made.n
        strips, batches = -(-n // GPU_STRIP), (m - 1) // GPU_BATCH
        tops, lefts = _starts(-(-m // SIXTEEN) * SIXTEEN), _starts(strips * GPU_STRIP)
        rows, columns, steps = _factors(run, made, tops, lefts)
        numbers: np.ndarray = np.repeat(np.arange(len(made)), strips)
        items = np.stack([numbers, np.arange(len(numbers)) - _starts(strips)[:-1][numbers]], axis=1).astype(np.int32)
        items = np.ascontiguousarray(items[np.lexsort((items[:, 0], items[:, 1]))])
        row_costs = _shifted(made.row_open, made.row_extend, m, True)
        column_costs = _shifted(made.column_open, made.column_extend, n, False)
        sizes = {"borders": 8 * (strips - 1) * m, "kept": 8 * GPU_STRIP * strips * batches, "best": 16 * strips,
                 "operations": m + n}  # fmt: skip
        starts = {name: _starts(size) for name, size in sizes.items()}
        room = {name: run.empty(max(int(ends[-1]), 1), np.uint8) for name, ends in starts.items()}
        room["borders"].data.memset_async(ABSENT, room["borders"].nbytes, cupy.cuda.get_current_stream())
        given = rows, columns, *run.upload(row_costs, column_costs, made.table, items)
        pairs: np.ndarray = np.zeros(len(made), PAIR.dtype)
        width = rows.itemsize * rows.shape[1]
        for name, ends in starts.items():
            pairs[name] = room[name].data.ptr + ends[:-1]
        pairs["rows"], pairs["columns"] = given[0].data.ptr + width * tops[:-1], given[1].data.ptr + width * lefts[:-1]
        pairs["row_costs"] = given[2].data.ptr + 8 * _starts(m)[:-1]
        pairs["column_costs"] = given[3].data.ptr + 8 * _starts(n + 1)[:-1]
        pairs["m"], pairs["n"], pairs["strips"] = m, n, strips
        pairs["unit"], pairs["origin"] = 2.0**-made.shift, made.origin
        return cls(
            run, made, steps, run.upload(pairs.view(np.uint8))[0], given[5],
            (m[items[:, 0]] * np.minimum(n[items[:, 0]] - items[:, 1] * GPU_STRIP, GPU_STRIP)),
            run.empty((len(made), 8), np.int32), room["operations"], starts["operations"][1:],
            run.empty(1, np.int32),
            FINISH(table=given[4], factor=made.factor, offset=made.offset), (*given, *room.values()),
        )  # fmt: skip

    def kernel(self, parts: tuple[Any, ...], name: str, **defines: int) -> Any:
        made = self.made
        return self.run.kernel(
            parts, name, STEPS=self.steps, KIND=made.kind, MODE=made.mode, OPENING=not made.linear, **defines
        )

    def prepare(self) -> None:
        """Have the kernels compiled before the clock of a phase starts."""
        self._strips()
        self._resident(PATHS, "paths")

    def strips(self, items: tuple[int, int], rows: tuple[int, int]) -> None:
        """Launch rows of some items of the queue; all strips on the left of them, and rows above, were launched."""
        kernel, resident = self._strips()
        self._queue()
        kernel((min(items[1] - items[0], resident),), (THREADS,), (
            self.on_device, self.items, *self.finish, *map(np.int32, (*items, *rows)), self.ticket,
        ))  # fmt: skip

    def path(self, quiet: bool = False) -> None:
        """The way back of all: of many alignments, or a short one, a block for each; of a long one by squares."""
        tiles = int((-(-self.made.n // GPU_STRIP) + -(-self.made.m // GPU_BATCH)).max())
        with self.run.phase("path", quiet=quiet) as phase:
            if len(self.made) == 1 and tiles > SHORT_PATH:
                self._squares(phase, tiles)
                return
            launches = -(-tiles // TILES)  # each tile of a path has another strip than the one before, or another batch
            for number in range(launches):
                self._paths(number == 0, TILES)
                phase.launched(number + 1, launches)

    def _paths(self, begin: bool, tiles: int) -> None:
        """The way back through the next so many tiles of each path."""
        kernel, resident = self._resident(PATHS, "paths")
        self._queue()
        kernel((min(len(self.made), resident),), (THREADS,), (
            self.on_device, *self.finish, *map(np.int32, (0, len(self.made), begin, tiles)), self.ends, self.ticket,
        ))  # fmt: skip

    def _squares(self, phase: Phase, tiles: int) -> None:
        """The way back of one alignment: by squares of tiles, each as many as run at a time."""
        _, resident = self._resident(PATHS, "paths")
        side = max(min(int(resident**0.5), MOST_SIDE), 2)
        exits, chain, operations = (self.kernel(SQUARES, name, SIDE=side) for name in ("exits", "chain", "operations"))
        found, hops = self.run.empty((side * side, ENTRIES), np.uint32), self.run.empty((tiles + 1, 4), np.int32)
        count = self.run.filled(1, np.int32)
        launches = 2 + tiles // side  # a path leaves a square at its top, or on its left
        self._paths(True, 0)
        for number in range(launches):
            exits((side * side,), (THREADS,), (self.on_device, *self.finish, self.ends, found))
            chain((1,), (1,), (self.on_device, self.ends, found, hops, count))
            phase.launched(number + 1, launches + 1)
        operations((min(resident, tiles + 1),), (THREADS,), (self.on_device, *self.finish, self.ends, hops, count))
        phase.launched(launches + 1, launches + 1)

    def answers(self) -> list[ProfileAnswer]:
        """The alignments, in the order of the problems."""
        ends, operations = self.run.down(self.ends), self.run.down(self.operations)
        assert ends[:, 7].all(), "a path did not come to its end"
        return [
            whole_answer(self.made.mode, size, score, (i, j), (row, column), operations[end - count : end])
            for size, (i, j, _, count, score, row, column, _), end in zip(
                zip(self.made.m.tolist(), self.made.n.tolist(), strict=True), ends.tolist(),
                self.operation_ends.tolist(), strict=True,
            )
        ]  # fmt: skip

    def _queue(self) -> None:
        self.ticket.data.memset_async(0, self.ticket.nbytes, cupy.cuda.get_current_stream())

    def _strips(self) -> tuple[Any, int]:
        return self._resident(STRIPS, "strips", BLOCKS=BLOCKS_OF_MANY if len(self.made) > 1 else BLOCKS_OF_ONE)

    def _resident(self, parts: tuple[Any, ...], name: str, **defines: int) -> tuple[Any, int]:
        if name not in self.kernels:
            kernel = self.kernel(parts, name, **defines)
            self.kernels[name] = kernel, blocks.resident(kernel, THREADS, 0)
        return self.kernels[name]


def _starts(sizes: np.ndarray) -> np.ndarray:
    """Where each begins that so many lie one after another, and where the last one ends; int64."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _shifted(opens: np.ndarray, extends: np.ndarray, sizes: np.ndarray, behind: bool) -> np.ndarray:
    """Costs of gaps as the device takes them (see `PAIR`), int32 (all, 2): for what is before each column, and unless
    ``behind`` for what is behind the last one as well."""
    found: np.ndarray = np.empty((len(opens) + (0 if behind else len(sizes)), 2), np.int32)
    cpu_counts.shifted(opens, extends, sizes, behind, found)
    return found


def _factors(run: Run, made: Many, tops: np.ndarray, lefts: np.ndarray) -> tuple[cupy.ndarray, cupy.ndarray, int]:
    """Rows and columns of all products as 16-bit numbers on the device (factors.cu), and how many steps of the tensor
    cores they take."""
    how, symbols = {"rows": PLAIN, "columns": PLAIN}, made.symbols
    if made.kind == ROOT:
        how = {"rows": ROWS, "columns": COLUMNS}
    elif beyond_halves(made.rows):
        how = {"rows": HALVED, "columns": DOUBLED}
    elif beyond_halves(made.columns):
        how = {"rows": DOUBLED, "columns": HALVED}
    count = symbols * (2 if HALVED in how.values() else 1) + (4 if ROWS in how.values() else 0)
    words, kernel = -(-count // LOAD) * LOAD // 2, run.kernel(FACTORS, "factors")
    found = []
    for name, values, lengths, into in (("rows", made.rows, made.m, tops), ("columns", made.columns, made.n, lefts)):
        given = run.up(values), *run.upload(_starts(symbols * (lengths + 1)), lengths, into)
        target = run.empty((int(into[-1]), words), np.uint32)
        with run.timed("transfer"):
            sizes = map(np.int32, (symbols, how[name], name == "rows", words))
            kernel((len(made),), (FACTOR_THREADS,), (*given, *sizes, target))
            cupy.cuda.get_current_stream().synchronize()
        found.append(target)
    return found[0], found[1], -(-count // EIGHT)
