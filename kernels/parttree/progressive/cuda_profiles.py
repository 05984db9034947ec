"""The progressive stage on the GPU: all joins of a level in one launch; profiles stay on the device as counts.

Profiles lie one after another in one array, where each is written as soon as its length is known. Where the next ones
do not fit, those that are still needed move to a new array. The top of the tree, where levels have few joins, is
aligned by the host, with the same result: there one alignment after another is faster than as many launches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.parttree.progressive.alignment_rules import AlignmentLeaves
from antidiag.kernels.parttree.progressive.cpu_profiles import MERGED, MOST_ROWS, ReadyProfiles
from antidiag.kernels.parttree.progressive.cpu_stage import AlignedNodes, align_tree_steps
from antidiag.kernels.parttree.progressive.cuda_sources import JOIN, PATH, PROFILES
from antidiag.kernels.parttree.progressive.tree_tasks import order_steps, steps_above
from antidiag.kernels.parttree.sizes import initial_device_bytes
from antidiag.kernels.parttree.symbols import SYMBOLS, ScoreRules

LANES, MOST_WARPS, BUSY_WARPS = 32, 8, 16
"""Lanes of a warp; warps of a block at most; warps per multiprocessor below which blocks become smaller."""
LEVEL_S, JOIN_S, HOST_S, HOST_CELL_S = 3e-4, 2e-6, 1e-5, 2e-9
"""About what a level takes on the device, and a join of it; and on the host a join, and its cost by the square of the
mean length of a sequence. Seconds."""
ALIGNED = "alignment"
GAP_BUFFER_SIZE = 1 << 17
"""Gaps that are kept on the device until they are downloaded together."""
COLUMN_BYTES = 2 * SYMBOLS


class LevelAlignments:
    """The alignments of all joins of a tree."""

    def __init__(self, run: DeviceRun, leaves: AlignmentLeaves, joins: np.ndarray, rules: ScoreRules) -> None:
        self.run, self.rules, self.leaves, self.count = run, rules, leaves, leaves.sequences.size
        self.joins = joins
        nodes = self.count + len(joins)
        self.sides, self.rows, self.heights = np.empty((nodes, 2), np.int64), np.ones(nodes, np.int64), np.zeros(nodes)
        _order_branches(joins, self.count, self.sides, self.rows, self.heights)
        self.columns = np.zeros(nodes, np.int64)
        self.columns[: self.count] = np.diff(leaves.offsets)
        self.codes, self.table = run.upload_array(leaves.codes), run.upload_array(rules.table)
        self.address = np.zeros(nodes, np.int64)
        self.address[: self.count] = self.codes.data.ptr + leaves.offsets[:-1]
        self.waiting = np.zeros(nodes, bool)
        waiting, self.launch_bytes = initial_device_bytes(self.count, leaves.codes.size)
        self.arena, self.top = run.allocate_array(waiting // 16 * 16, np.uint8), 0
        self.workspace = run.allocate_array(self.launch_bytes, np.uint8)
        self.gaps, self.found = run.allocate_array((GAP_BUFFER_SIZE, 2), np.int32), [np.zeros((0, 2), np.int32)]
        self.gaps_on_device, self.gaps_fetched = 0, 0
        self.places = np.zeros((nodes, 3), np.int64)
        self.kernels = {
            name: run.compile_kernel(PROFILES, name) for name in ("align_profiles", "merge_profiles", "move_profiles")
        }

    def align_all(self, phase: CpuPhase) -> AlignedNodes:
        """Align all joins, those of narrow levels on threads of the host."""
        made = (self.heights > 0) & (self.heights < self._host_height()) & (self.rows <= MOST_ROWS)
        own = np.flatnonzero(made)
        order = own[np.argsort(self.heights[own], kind="stable")]
        ends = np.flatnonzero(np.diff(self.heights[order], append=-1)) + 1
        first = done = 0
        for last in ends.tolist():
            for part in self._split_level(order[first:last]):
                self._align_nodes(part)
                done += part.size
                self.run.report_progress(done, self.columns.size, ALIGNED)
            first = last
        self._fetch_gaps()
        nodes, taken = steps_above(order_steps(self.joins, self.count), self.joins, self.count, made)
        gaps = align_tree_steps(
            self.leaves,
            nodes,
            self._fetch_profiles(taken),
            self.rules,
            phase,
            self.columns,
            self.places,
            lambda more: self.run.report_progress(done + more, self.columns.size, ALIGNED),
        )
        self.places[nodes.node[nodes.leaf == MERGED]] += self.gaps_fetched
        self.run.report_progress(1, 1, ALIGNED)
        return self.columns, self.places, np.concatenate([*self.found, gaps])

    def _host_height(self) -> int:
        """Return the height from which the host is faster, after the first level at least."""
        widths = np.bincount(self.heights.astype(np.int64))[1:]
        mean = self.leaves.codes.size / self.count
        device = np.concatenate([[0], np.cumsum(LEVEL_S + JOIN_S * widths)])
        host = np.concatenate([np.cumsum(widths[::-1])[::-1], [0]]) * (HOST_S + HOST_CELL_S * mean**2)
        return max(2, 1 + int(np.argmin(device + host)))

    def _fetch_profiles(self, nodes: np.ndarray) -> ReadyProfiles:
        """Download the profiles that the host continues with."""
        self._move_profiles(0)
        sizes = self.columns[nodes]
        counts = self.run.download_array(self.arena[: self.top]).view(np.uint16)
        starts = _start_offsets(SYMBOLS * sizes)
        ready = ReadyProfiles(
            np.empty(int(starts[-1]), np.uint16), starts[:-1], sizes, self.rows[nodes], np.zeros_like(sizes)
        )
        _transpose_counts(counts, (self.address[nodes] - self.arena.data.ptr) // 2, ready)
        return ready

    def _split_level(self, nodes: np.ndarray) -> Iterator[np.ndarray]:
        """Yield nodes of a level that are aligned together, the larger ones first."""
        m, n = self.columns[self.sides[nodes]].T
        takes = _direction_bytes(m, n) + 4 * _workspace_words(m, n) + COLUMN_BYTES * (m + n)
        order = np.argsort(-takes, kind="stable")
        nodes, until, first = nodes[order], np.cumsum(takes[order]), 0
        while first < nodes.size:
            before = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, before + self.launch_bytes, "right")))
            yield nodes[first:last]
            first = last

    def _align_nodes(self, nodes: np.ndarray) -> None:
        """Align the sides of some nodes, and write their counts and gaps."""
        run, sides = self.run, self.sides[nodes]
        m, n = self.columns[sides].T
        self._reserve(COLUMN_BYTES * int((m + n).sum()))
        room, ways = _start_offsets(_workspace_words(m, n)), _start_offsets(_direction_bytes(m, n))
        words = 4 * int(room[-1])
        if words + int(ways[-1]) > self.workspace.size:
            self.workspace = None  # freed before more is allocated
            self.workspace = run.allocate_array(words + int(ways[-1]), np.uint8)
        begin = self.workspace.data.ptr
        joins = np.zeros(nodes.size, JOIN.dtype)
        joins["a"], joins["b"] = self.address[sides].T
        joins["m"], joins["n"] = m, n
        joins["rows_a"], joins["rows_b"] = rows = self.rows[sides].T
        joins["leaf_a"], joins["leaf_b"] = self.count > sides.T
        joins["pairs"] = (1 / rows.prod(axis=0, dtype=float)).astype(np.float32)
        joins["room"], joins["ways"] = begin + 4 * room[:-1], begin + words + ways[:-1]
        there, found = _upload_bytes(run, joins), run.allocate_array(nodes.size * PATH.word_count, np.int32)
        strips = -(-int(m.max()) // LANES)
        warps = max(1, min(MOST_WARPS, strips, BUSY_WARPS * block_limits.multiprocessor_count() // nodes.size))
        shared = 4 * SYMBOLS * (SYMBOLS + LANES * warps)
        costs = [np.float32(cost) for cost in self.rules[1:]]
        self.kernels["align_profiles"](
            (nodes.size,), (LANES * warps,), (there, self.table.reshape(-1), *costs, found), shared_mem=shared
        )
        paths = run.download_array(found).view(PATH.dtype)
        self.columns[nodes] = paths["columns"]
        self._merge_nodes(nodes, joins, paths, found)

    def _merge_nodes(self, nodes: np.ndarray, joins: np.ndarray, paths: np.ndarray, found: Any) -> None:
        """Write the counts and gaps of aligned nodes."""
        run = self.run
        target = self.top + _start_offsets(COLUMN_BYTES * self.columns[nodes])
        self.top = int(target[-1])
        joins["target"] = self.address[nodes] = self.arena.data.ptr + target[:-1]
        self.waiting[nodes], self.waiting[self.sides[nodes]] = True, False
        places = _start_offsets(np.stack([paths["gaps_a"], paths["gaps_b"]], 1).reshape(-1))
        if self.gaps_on_device + places[-1] > len(self.gaps):
            self._fetch_gaps()
        if places[-1] > len(self.gaps):
            self.gaps = run.allocate_array((int(places[-1]), 2), np.int32)
        own = self.gaps_fetched + self.gaps_on_device + places
        self.places[nodes] = np.stack([own[:-1:2], own[1::2], own[2::2]], 1)
        there, starts = _upload_bytes(run, joins), run.upload_array(self.gaps_on_device + places)
        self.kernels["merge_profiles"]((nodes.size,), (128,), (there, found, starts, self.gaps))
        self.gaps_on_device += int(places[-1])

    def _fetch_gaps(self) -> None:
        """Download the gaps that are on the device."""
        self.found.append(self.run.download_array(self.gaps[: self.gaps_on_device]))
        self.gaps_fetched, self.gaps_on_device = self.gaps_fetched + self.gaps_on_device, 0

    def _reserve(self, nbytes: int) -> None:
        """Ensure ``nbytes`` free bytes after the profiles."""
        if self.top + nbytes > self.arena.size:
            self._move_profiles(nbytes)

    def _move_profiles(self, nbytes: int) -> None:
        """Move needed profiles to a new array with ``nbytes`` free bytes or more after them."""
        nodes = np.flatnonzero(self.waiting)
        sizes = COLUMN_BYTES * self.columns[nodes]
        starts = _start_offsets(sizes)
        free = int(starts[-1]) + nbytes if nbytes else 16
        arena = self.run.allocate_array(int(starts[-1]) + free, np.uint8)
        if nodes.size:
            numbers = (self.address[nodes] - self.arena.data.ptr, starts[:-1], sizes)
            there = [self.run.upload_array(one // 16) for one in numbers]
            self.kernels["move_profiles"]((nodes.size,), (128,), (*there, self.arena, arena))
            self.address[nodes] = arena.data.ptr + starts[:-1]
        self.arena, self.top = arena, int(starts[-1])


def _direction_bytes(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the bytes of directions."""
    return -(-m // LANES) * LANES * (n + LANES - 1)


def _workspace_words(m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the words of the rest of an alignment's workspace, a multiple of 4: Room in profiles.cu."""
    words = (10 + COLUMN_BYTES // 4) * (m + n) + 2 * n + 13
    return -(-words // 4) * 4


def _start_offsets(sizes: np.ndarray) -> np.ndarray:
    """Return where items of these sizes begin, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _upload_bytes(run: DeviceRun, records: np.ndarray) -> Any:
    """Copy a structured array to the device, as bytes."""
    return run.upload_array(records.view(np.uint8))


@cached_njit
def _order_branches(joins, count, sides, rows, heights):
    """Write for every node its two branches, the one with more leaves first, its leaves, and its height."""
    for join in range(joins.shape[0]):
        one, other, node = joins[join, 0], joins[join, 1], count + join
        if rows[one] < rows[other]:
            one, other = other, one
        sides[node, 0], sides[node, 1] = one, other
        rows[node] = rows[one] + rows[other]
        heights[node] = max(heights[one], heights[other]) + 1


@cached_njit
def _transpose_counts(counts, begins, ready):
    """Transpose counts by columns to planes by symbols, and note which symbols are there."""
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
