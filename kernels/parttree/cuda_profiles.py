"""The progressive stage on the GPU: all joins of a level are aligned in one launch, and stay on the device as counts.

Profiles lie one after another in one array, where each is written as soon as it is known how long it is. Where the next
ones have no room, those that are still needed move to an array of their own. What is above, where a level has few
joins, is aligned by the host, which finds the same: one alignment after another takes it less time than as many
launches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.parttree.alignment import Leaves
from antidiag.kernels.parttree.cpu_profiles import MERGED, MOST_ROWS, Ready
from antidiag.kernels.parttree.cpu_stage import Found, aligned
from antidiag.kernels.parttree.cuda_sources import JOIN, PATH, PROFILES
from antidiag.kernels.parttree.sizes import rooms
from antidiag.kernels.parttree.symbols import SYMBOLS, Rules
from antidiag.kernels.parttree.tasks import above, steps_of

LANES, MOST_WARPS, FILLED = 32, 8, 16
"""Warps of a block at most; warps that a multiprocessor has to do at least, before blocks become smaller."""
LEVEL_S, JOIN_S, HOST_S, HOST_CELL_S = 3e-4, 2e-6, 1e-5, 2e-9
"""About what a level takes on the device, and a join of it; and on the host a join, and what it takes by the square of
the mean length of a sequence."""
ALIGNED = "alignment"
GAPS = 1 << 17
"""Gaps that are kept on the device until they come to the host together."""
COLUMN_BYTES = 2 * SYMBOLS


class Levels:
    """The alignments of all joins of a tree."""

    def __init__(self, run: Run, leaves: Leaves, joins: np.ndarray, rules: Rules) -> None:
        self.run, self.rules, self.leaves, self.count = run, rules, leaves, leaves.sequences.size
        self.joins = joins
        nodes = self.count + len(joins)
        self.sides, self.rows, self.heights = np.empty((nodes, 2), np.int64), np.ones(nodes, np.int64), np.zeros(nodes)
        _sides(joins, self.count, self.sides, self.rows, self.heights)
        self.columns = np.zeros(nodes, np.int64)
        self.columns[: self.count] = np.diff(leaves.offsets)
        self.codes, self.table = run.up(leaves.codes), run.up(rules.table)
        self.address = np.zeros(nodes, np.int64)
        self.address[: self.count] = self.codes.data.ptr + leaves.offsets[:-1]
        self.waiting = np.zeros(nodes, bool)
        waiting, self.launch_bytes = rooms(self.count, leaves.codes.size)
        self.arena, self.top = run.empty(waiting // 16 * 16, np.uint8), 0
        self.workspace = run.empty(self.launch_bytes, np.uint8)
        self.gaps, self.filled, self.told, self.found = (
            run.empty((GAPS, 2), np.int32),
            0,
            0,
            [np.zeros((0, 2), np.int32)],
        )
        self.places = np.zeros((nodes, 3), np.int64)
        self.kernels = {name: run.kernel(PROFILES, name) for name in ("aligned", "merged", "moved")}

    def aligned(self, threads: int) -> Found:
        """All joins, those of narrow levels on threads of the host."""
        made = (self.heights > 0) & (self.heights < self._narrow()) & (self.rows <= MOST_ROWS)
        own = np.flatnonzero(made)
        order = own[np.argsort(self.heights[own], kind="stable")]
        ends = np.flatnonzero(np.diff(self.heights[order], append=-1)) + 1
        first = done = 0
        for last in ends.tolist():
            for part in self._parts(order[first:last]):
                self._join(part)
                done += part.size
                self.run.tell(done, self.columns.size, ALIGNED)
            first = last
        self._fetch()
        nodes, taken = above(steps_of(self.joins, self.count), self.joins, self.count, made)
        gaps = aligned(
            self.leaves, nodes, self._ready(taken), self.rules, threads, self.columns, self.places,
            lambda more: self.run.tell(done + more, self.columns.size, ALIGNED),
        )  # fmt: skip
        self.places[nodes.node[nodes.leaf == MERGED]] += self.told
        self.run.tell(1, 1, ALIGNED)
        return self.columns, self.places, np.concatenate([*self.found, gaps])

    def _narrow(self) -> int:
        """The height from which on the host is faster, after the first level at least."""
        widths = np.bincount(self.heights.astype(np.int64))[1:]
        mean = self.leaves.codes.size / self.count
        device = np.concatenate([[0], np.cumsum(LEVEL_S + JOIN_S * widths)])
        host = np.concatenate([np.cumsum(widths[::-1])[::-1], [0]]) * (HOST_S + HOST_CELL_S * mean**2)
        return max(2, 1 + int(np.argmin(device + host)))

    def _ready(self, nodes: np.ndarray) -> Ready:
        """Profiles that the host takes over."""
        self._move(0)
        sizes = self.columns[nodes]
        counts = self.run.down(self.arena[: self.top]).view(np.uint16)
        starts = _starts(SYMBOLS * sizes)
        ready = Ready(np.empty(int(starts[-1]), np.uint16), starts[:-1], sizes, self.rows[nodes], np.zeros_like(sizes))
        _planes(counts, (self.address[nodes] - self.arena.data.ptr) // 2, ready)
        return ready

    def _parts(self, nodes: np.ndarray) -> Iterator[np.ndarray]:
        """Nodes of a level that are aligned together, the larger ones first."""
        m, n = self.columns[self.sides[nodes]].T
        takes = _ways(m, n) + 4 * _room(m, n) + COLUMN_BYTES * (m + n)
        order = np.argsort(-takes, kind="stable")
        nodes, until, first = nodes[order], np.cumsum(takes[order]), 0
        while first < nodes.size:
            before = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, before + self.launch_bytes, "right")))
            yield nodes[first:last]
            first = last

    def _join(self, nodes: np.ndarray) -> None:
        """Align the sides of some nodes, and write their counts and gaps."""
        run, sides = self.run, self.sides[nodes]
        m, n = self.columns[sides].T
        self._make_room(COLUMN_BYTES * int((m + n).sum()))
        room, ways = _starts(_room(m, n)), _starts(_ways(m, n))
        words = 4 * int(room[-1])
        if words + int(ways[-1]) > self.workspace.size:
            self.workspace = run.empty(words + int(ways[-1]), np.uint8)
        begin = self.workspace.data.ptr
        joins = np.zeros(nodes.size, JOIN.dtype)
        joins["a"], joins["b"] = self.address[sides].T
        joins["m"], joins["n"] = m, n
        joins["rows_a"], joins["rows_b"] = rows = self.rows[sides].T
        joins["leaf_a"], joins["leaf_b"] = self.count > sides.T
        joins["pairs"] = (1 / rows.prod(axis=0, dtype=float)).astype(np.float32)
        joins["room"], joins["ways"] = begin + 4 * room[:-1], begin + words + ways[:-1]
        there, found = _bytes(run, joins), run.empty(nodes.size * PATH.words, np.int32)
        strips = -(-int(m.max()) // LANES)
        warps = max(1, min(MOST_WARPS, strips, FILLED * blocks.multiprocessors() // nodes.size))
        shared = 4 * SYMBOLS * (SYMBOLS + LANES * warps)
        costs = [np.float32(cost) for cost in self.rules[1:]]
        self.kernels["aligned"](
            (nodes.size,), (LANES * warps,), (there, self.table.reshape(-1), *costs, found), shared_mem=shared
        )
        paths = found.get().view(PATH.dtype)
        self.columns[nodes] = paths["columns"]
        self._merge(nodes, joins, paths, found)

    def _merge(self, nodes: np.ndarray, joins: np.ndarray, paths: np.ndarray, found: Any) -> None:
        run = self.run
        target = self.top + _starts(COLUMN_BYTES * self.columns[nodes])
        self.top = int(target[-1])
        joins["target"] = self.address[nodes] = self.arena.data.ptr + target[:-1]
        self.waiting[nodes], self.waiting[self.sides[nodes]] = True, False
        places = _starts(np.stack([paths["gaps_a"], paths["gaps_b"]], 1).reshape(-1))
        if self.filled + places[-1] > len(self.gaps):
            self._fetch()
        if places[-1] > len(self.gaps):
            self.gaps = run.empty((int(places[-1]), 2), np.int32)
        own = self.told + self.filled + places
        self.places[nodes] = np.stack([own[:-1:2], own[1::2], own[2::2]], 1)
        there, starts = _bytes(run, joins), _bytes(run, self.filled + places)
        self.kernels["merged"]((nodes.size,), (128,), (there, found, starts, self.gaps))
        self.filled += int(places[-1])

    def _fetch(self) -> None:
        """The gaps that are on the device, to the host."""
        self.found.append(self.run.down(self.gaps[: self.filled]))
        self.told, self.filled = self.told + self.filled, 0

    def _make_room(self, nbytes: int) -> None:
        """Have so many bytes behind the profiles."""
        if self.top + nbytes > self.arena.size:
            self._move(nbytes)

    def _move(self, nbytes: int) -> None:
        """Profiles that are still needed to an array of their own, with so many bytes behind them, or more."""
        nodes = np.flatnonzero(self.waiting)
        sizes = COLUMN_BYTES * self.columns[nodes]
        starts = _starts(sizes)
        free = int(starts[-1]) + nbytes if nbytes else 16
        arena = self.run.empty(int(starts[-1]) + free, np.uint8)
        if nodes.size:
            numbers = (self.address[nodes] - self.arena.data.ptr, starts[:-1], sizes)
            there = [_bytes(self.run, one // 16) for one in numbers]
            self.kernels["moved"]((nodes.size,), (128,), (*there, self.arena, arena))
            self.address[nodes] = arena.data.ptr + starts[:-1]
        self.arena, self.top = arena, int(starts[-1])


def _ways(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Bytes of directions."""
    return -(-m // LANES) * LANES * (n + LANES - 1)


def _room(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Words of what else an alignment takes: Room in profiles.cu."""
    return 7 * (m + n) + 2 * n + 8


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _bytes(run: Run, array: np.ndarray) -> Any:
    """A small array on the device."""
    there = run.empty(max(array.nbytes, 1), np.uint8)
    there.data.copy_from_host_async(array.ctypes.data, array.nbytes, cupy.cuda.get_current_stream())
    return there


@compiled
def _sides(joins, count, sides, rows, heights):
    """Of every node: its two branches, the one with more leaves first; its leaves; and its height."""
    for join in range(joins.shape[0]):
        one, other, node = joins[join, 0], joins[join, 1], count + join
        if rows[one] < rows[other]:
            one, other = other, one
        sides[node, 0], sides[node, 1] = one, other
        rows[node] = rows[one] + rows[other]
        heights[node] = max(heights[one], heights[other]) + 1


@compiled
def _planes(counts, begins, ready):
    """Counts of one column after another as planes of symbols, and which of them are there."""
    for number in range(begins.size):
        size, source, target = ready.sizes[number], begins[number], ready.begins[number]
        for symbol in range(SYMBOLS):
            some = np.uint16(0)
            for column in range(size):
                value = counts[source + column * SYMBOLS + symbol]
                ready.planes[target + symbol * size + column] = value
                some |= value
            if some != 0:
                ready.present[number] |= np.int64(1) << symbol
