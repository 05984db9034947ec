"""Many alignments of profiles on the device at once: how they lie there, the queue of their strips, and their paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda import blocks
from kernels.cuda.run import Run
from kernels.cuda.structs import Constants, Struct
from kernels.profiles.cpu_table import whole_answer
from kernels.profiles.problem import ProfileAnswer
from kernels.profiles.scoring import (
    FREQUENCY_UNITS,
    GLOBAL,
    LINEAR,
    LOCAL,
    LOG_BITS,
    LOGARITHM,
    ROOT,
    SEMI_GLOBAL,
    Encoded,
)
from kernels.profiles.sizes import GPU_BATCH, GPU_STRIP

THREADS = 160
"""Of a block: a warp for the cells, four for their scores."""
EIGHT, LOAD, ROWS = 8, 32, 16
"""Factors of a step of the tensor cores, and of a load of a thread and its three neighbours; rows of a product."""
ABSENT = 0x80
"""Every byte of a border that is not there yet."""
TILES = 1024
"""Tiles of a path in a launch: some tens of milliseconds."""

PAIR = Struct("Pair", """
    const uint4 *rows, *columns;            // factors, see `_factors`; zeros behind the last
    const int2 *row_costs;                  // m: of row i, R_i - open_i and -R_i+1, of what gaps over i rows cost, R_i
    const int2 *column_costs;               // n + 1: C_j - open_j and -C_j
    unsigned long long* borders;            // (strips - 1) x m: H and F between strips
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
TILE = (NUMBERS, PAIR, FINISH, HERE / "finish.cuh", HERE / "tile.cuh")
STRIPS, PATHS = (*TILE, HERE / "strips.cu"), (*TILE, HERE / "paths.cu")


@dataclass(frozen=True)
class Pairs:
    """Alignments of one scoring and one mode, on the device; ``items`` (int32, strips of all x 2: pair, strip) are in
    the order in which blocks take them: the first strips of all, the second, and so on."""

    run: Run
    made: list[Encoded]
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

    @classmethod
    def of(cls, run: Run, made: list[Encoded]) -> Pairs:
        """Copy problems to the device, with room for their borders and paths."""
        m, n = (np.array([getattr(one, name) for one in made], np.int64) for name in ("m", "n"))
        strips, batches = -(-n // GPU_STRIP), (m - 1) // GPU_BATCH
        tops, lefts = _starts(-(-m // ROWS) * ROWS), _starts(strips * GPU_STRIP)
        rows, columns, steps = _factors(made, m, n, tops, lefts)
        numbers: np.ndarray = np.repeat(np.arange(len(made)), strips)
        items = np.stack([numbers, np.arange(len(numbers)) - _starts(strips)[:-1][numbers]], axis=1).astype(np.int32)
        items = np.ascontiguousarray(items[np.lexsort((items[:, 0], items[:, 1]))])
        row_costs = _shifted([one.row_open for one in made], [one.row_extend for one in made], 1)
        column_costs = _shifted([one.column_open for one in made], [one.column_extend for one in made], 0)
        sizes = {"borders": 8 * (strips - 1) * m, "kept": 8 * GPU_STRIP * strips * batches, "best": 16 * strips,
                 "operations": m + n}  # fmt: skip
        starts = {name: _starts(size) for name, size in sizes.items()}
        room = {name: run.empty(max(int(ends[-1]), 1), np.uint8) for name, ends in starts.items()}
        room["borders"].data.memset_async(ABSENT, room["borders"].nbytes, cupy.cuda.get_current_stream())
        given = run.upload(rows, columns, row_costs, column_costs, made[0].table, items)
        pairs: np.ndarray = np.zeros(len(made), PAIR.dtype)
        width = rows.itemsize * rows.shape[1]
        for name, ends in starts.items():
            pairs[name] = room[name].data.ptr + ends[:-1]
        pairs["rows"], pairs["columns"] = given[0].data.ptr + width * tops[:-1], given[1].data.ptr + width * lefts[:-1]
        pairs["row_costs"] = given[2].data.ptr + 8 * _starts(m)[:-1]
        pairs["column_costs"] = given[3].data.ptr + 8 * _starts(n + 1)[:-1]
        pairs["m"], pairs["n"], pairs["strips"] = m, n, strips
        pairs["unit"], pairs["origin"] = [2.0**-one.shift for one in made], [one.origin for one in made]
        return cls(
            run, made, steps, run.upload(pairs.view(np.uint8))[0], given[5],
            (m[items[:, 0]] * np.minimum(n[items[:, 0]] - items[:, 1] * GPU_STRIP, GPU_STRIP)),
            run.empty((len(made), 8), np.int32), room["operations"], starts["operations"][1:],
            run.empty(1, np.int32),
            FINISH(table=given[4], factor=made[0].factor, offset=made[0].offset), (*given, *room.values()),
        )  # fmt: skip

    def kernel(self, parts: tuple[Any, ...], name: str) -> Any:
        return self.run.kernel(parts, name, STEPS=self.steps, KIND=self.made[0].kind, MODE=self.made[0].mode)

    def strips(self, items: tuple[int, int], rows: tuple[int, int]) -> None:
        """Launch rows of some items of the queue; all strips on the left of them, and rows above, were launched."""
        kernel = self.kernel(STRIPS, "strips")
        self._queue()
        kernel((self._blocks(kernel, items[1] - items[0]),), (THREADS,), (
            self.on_device, self.items, *self.finish, *map(np.int32, (*items, *rows)), self.ticket,
        ))  # fmt: skip

    def paths(self, begin: bool) -> None:
        """Launch the way back through the next `TILES` tiles of each path."""
        kernel = self.kernel(PATHS, "paths")
        self._queue()
        kernel((self._blocks(kernel, len(self.made)),), (THREADS,), (
            self.on_device, *self.finish, *map(np.int32, (0, len(self.made), begin, TILES)), self.ends, self.ticket,
        ))  # fmt: skip

    @property
    def path_launches(self) -> int:
        """So many are enough: each tile of a path has another strip than the one before, or another batch."""
        most = max(-(-one.n // GPU_STRIP) + -(-one.m // GPU_BATCH) for one in self.made)
        return -(-most // TILES)

    def answers(self) -> list[ProfileAnswer]:
        """The alignments, in the order of the problems."""
        ends, operations = self.run.down(self.ends), self.run.down(self.operations)
        assert ends[:, 7].all(), "a path did not come to its end"
        found = []
        for made, (i, j, _, count, score, row, column, _), end in zip(
            self.made, ends.tolist(), self.operation_ends.tolist(), strict=True
        ):
            found.append(whole_answer(made, score, (i, j), (row, column), operations[end - count : end]))
        return found

    def _queue(self) -> None:
        self.ticket.data.memset_async(0, self.ticket.nbytes, cupy.cuda.get_current_stream())

    def _blocks(self, kernel: Any, wanted: int) -> int:
        return min(wanted, blocks.resident(kernel, THREADS, 0))


def _starts(sizes: np.ndarray) -> np.ndarray:
    """Where each begins that so many lie one after another, and where the last one ends; int64."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _shifted(opens: list[np.ndarray], extends: list[np.ndarray], behind: int) -> np.ndarray:
    """Costs of gaps as the device takes them (see `PAIR`), int32 (all, 2): for what is before each column, and for 0 as
    ``behind`` for what is behind the last one as well."""
    sizes = np.array([one.size for one in extends])
    ends = _starts(sizes)
    summed = np.concatenate([[0], np.cumsum(np.concatenate(extends), dtype=np.int64)])
    if behind:
        own: np.ndarray = np.repeat(summed[ends[:-1]], sizes)
        return np.stack(
            [summed[:-1] - own - np.concatenate(opens), own - summed[1:]], axis=1
        ).astype(np.int32)  # fmt: skip
    numbers: np.ndarray = np.repeat(np.arange(len(sizes)), sizes + 1)
    at = np.arange(len(numbers)) - numbers
    cost = summed[at] - summed[ends[:-1]][numbers]
    last = np.append(numbers[1:] != numbers[:-1], True)
    opening = np.concatenate([*opens, [0]])[np.where(last, len(at) - len(sizes), at)]
    return np.stack([cost - opening, -cost], axis=1).astype(np.int32)


def _factors(
    made: list[Encoded], m: np.ndarray, n: np.ndarray, tops: np.ndarray, lefts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows and columns of all products, float16 (all, factors), and how many steps of the tensor cores they take.

    A factor beyond 2048 is the sum of two that 16 bits hold. For distances the squares of both are factors, too, of
    which each is 2048 a + b, so that the product is the square of the distance.
    """
    rows = np.concatenate([one.rows[:, :-1] for one in made], axis=1)
    columns = np.concatenate([one.columns[:, :-1] for one in made], axis=1)
    ones: Callable[[np.ndarray], np.ndarray] = lambda one: np.ones((1, one.shape[1]), np.int16)  # noqa: E731
    if made[0].kind == ROOT:
        squares = [np.concatenate([getattr(one, name)[:-1] for one in made]) for name in ("row_bias", "column_bias")]
        (upper, lower), (right, left) = (divmod(one[None, :], FREQUENCY_UNITS) for one in squares)
        rows = np.concatenate([-2 * rows, upper, lower, FREQUENCY_UNITS * ones(rows), ones(rows)])
        columns = np.concatenate([columns, FREQUENCY_UNITS * ones(columns), ones(columns), right, left])
    elif np.abs(rows).max() > FREQUENCY_UNITS:
        rows, columns = np.concatenate(_halved(rows)), np.concatenate([columns, columns])
    elif np.abs(columns).max() > FREQUENCY_UNITS:
        rows, columns = np.concatenate([rows, rows]), np.concatenate(_halved(columns))
    steps = -(-len(rows) // EIGHT)
    return _placed(rows, m, tops), _placed(columns, n, lefts), steps


def _halved(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers up to 8192 in size as sums: of a multiple of 4, and what is left."""
    left = (values + 2) % 4 - 2
    return values - left, left


def _placed(values: np.ndarray, lengths: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Factors (count, all columns) as columns of float16 one after another, padded, in the order of threads: what one
    multiplies in step s, two factors, is word s mod 4 of the 16 bytes of its load s / 4."""
    at = np.arange(len(values))
    step, place = divmod(at, EIGHT)
    places = step // 4 * LOAD + place // 2 * EIGHT + step % 4 * 2 + place % 2
    found: np.ndarray = np.zeros((int(starts[-1]), -(-len(values) // LOAD) * LOAD), np.float16)
    numbers: np.ndarray = np.repeat(np.arange(len(lengths)), lengths)
    into = np.arange(len(numbers)) + (starts[:-1] - _starts(lengths)[:-1])[numbers]
    found[into[:, None], places[None, :]] = values.T
    return found
