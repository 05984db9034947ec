"""Trees on the CPU: neighbor joining four ways, and UPGMA. What is compiled is in the modules beside this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import time_ms
from kernels.steps import Steps
from kernels.tree import Tree
from kernels.trees import cpu_blocks, cpu_pruned, cpu_serial, cpu_upgma
from kernels.trees.cpu_lanes import LANES
from kernels.trees.joining import RECORD, finish, working_matrix
from kernels.trees.problem import TreeAnswer, TreeProblem
from kernels.trees.sizes import block_side, epoch_length, folded_rows
from kernels.workers import share, stop_word

SLICE = 2e7
"""Pairs between two looks at the wish to cancel."""

SHARED_CELLS = 4e6
"""Cells of a pass that are worth starting threads for."""


def nj_serial(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The pseudocode of figure 2."""
    return _run(problem, parameters, monitor, _serial)


def nj_basic(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Cell blocks of the upper triangle, in a square matrix."""
    return _run(problem, parameters, monitor, _blocks)


def nj_compact(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The same blocks in the folded matrix."""
    return _run(problem, {**parameters, "folded": True}, monitor, _blocks)


def nj_pruned(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Bounds on the rows; see `cpu_pruned`."""
    return _run(problem, parameters, monitor, _pruned)


def upgma(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Mean distances of all pairs of taxa (Sokal and Michener 1958); the root is the last join."""
    return _run(problem, parameters, monitor, _upgma)


Loop = Callable[[TreeProblem, Mapping[str, Any], Monitor], tuple[TreeAnswer, int]]


def _run(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, loop: Loop) -> Outcome:
    """Compile, run and time a loop."""
    times_ms = {"compilation": time_ms(partial(_compiled, loop, problem.precision)), "transfer": 0.0}
    before = time.perf_counter()
    answer, host_bytes = loop(problem, parameters, monitor)
    times_ms["joins"] = (time.perf_counter() - before) * 1e3
    return Outcome(answer, times_ms, host_bytes)


@cache
def _compiled(loop: Loop, precision: str) -> None:
    """Compile a loop, or load it from the cache folder, by a run on five taxa."""
    from kernels.distances import checked, numbered

    tiny = TreeProblem(checked(numbered(5), 1 - np.eye(5)), precision)
    loop(tiny, {"threads": 1, "epoch": 2, "cells": "4", "block": "64"}, Monitor())


class _Joins:
    """What the loops of neighbor joining write, and how far they are."""

    def __init__(self, taxa: int) -> None:
        self.taxa, self.done = taxa, 0
        self.joins = np.empty((max(taxa - 3, 0), 2), np.int32)
        self.records = np.empty((max(taxa - 3, 0), RECORD))

    @property
    def to_do(self) -> int:
        return len(self.joins) - self.done

    def make(self, join: Callable[[int, int, np.ndarray], int], monitor: Monitor) -> None:
        """Make all joins on a thread: ``join(done, most, stop)`` returns how many there are then."""
        stop = stop_word()

        def work(worker: int) -> None:
            while self.to_do > 0 and not stop[0]:
                self.done = join(self.done, max(1, int(SLICE / (self.taxa - self.done) ** 2)), stop)

        share(work, 1, stop, lambda: self.report(monitor))

    def report(self, monitor: Monitor) -> None:
        """Progress in pairs: the first joins take the longest."""
        done = 1 - ((self.taxa - self.done) / self.taxa) ** 3
        monitor.update(int(done * 1000) if self.to_do else 1000, 1000, "joins")


def _serial(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor) -> tuple[TreeAnswer, int]:
    D, found = working_matrix(problem), _Joins(problem.taxa)
    S, valid, nodes = _sums(D, monitor), np.ones(problem.taxa, np.uint8), np.arange(problem.taxa, dtype=np.int32)
    found.make(
        lambda done, most, stop: cpu_serial.join(D, S, valid, nodes, done, most, found.joins, found.records, stop),
        monitor,
    )
    slots = np.flatnonzero(valid)
    return finish(problem, found.joins, found.records, nodes[slots], D[np.ix_(slots, slots)]), D.nbytes


def _blocks(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor) -> tuple[TreeAnswer, int]:
    taxa, found = problem.taxa, _Joins(problem.taxa)
    middle = folded_rows(taxa) - 1 if parameters.get("folded") else cpu_blocks.SQUARE
    values = problem.matrix.values.astype(problem.dtype, copy=False)
    cells = np.zeros((middle + 1 if middle else taxa + 1) * (taxa + 1), problem.dtype)
    cpu_blocks.fill(values, cells, middle)
    S = np.concatenate([np.zeros(1), _sums(values, monitor)])
    slots, nodes = np.arange(-1, taxa, dtype=np.int32), np.arange(-1, taxa, dtype=np.int32)
    side = block_side(parameters)
    found.make(
        lambda done, most, stop: cpu_blocks.join(
            cells, S, slots, nodes, taxa, middle, side, done, most, found.joins, found.records, stop
        ),
        monitor,
    )
    left = np.argsort(slots[1 : min(taxa, 3) + 1]) + 1
    apart = np.array([[cells[cpu_blocks.cell(y, x, taxa, middle)] if y != x else 0 for x in left] for y in left])
    return finish(problem, found.joins, found.records, nodes[left], apart), cells.nbytes


def _upgma(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor) -> tuple[TreeAnswer, int]:
    taxa, D = problem.taxa, working_matrix(problem)
    valid, sizes, nodes = np.ones(taxa, np.uint8), np.ones(taxa), np.arange(taxa, dtype=np.int32)
    nearest = np.array([cpu_upgma.nearest_before(D, valid, j) for j in range(taxa)], np.int64)
    joins, heights, done = np.empty((taxa - 1, 2), np.int32), np.empty(taxa - 1), 0
    while done < taxa - 1:
        most = max(1, int(SLICE / (taxa - done) / 64))
        done = cpu_upgma.join(D, valid, sizes, nearest, nodes, done, most, joins, heights)
        monitor.update(done, taxa - 1, "joins")
    return rooted_by_heights(problem, joins, heights), D.nbytes


def rooted_by_heights(problem: TreeProblem, joins: np.ndarray, heights: np.ndarray) -> TreeAnswer:
    """The answer of UPGMA: an edge is as long as the difference of the heights at its ends."""
    of_nodes = np.concatenate([np.zeros(problem.taxa), heights])
    lengths = heights[:, None] - of_nodes[joins]
    return TreeAnswer(Tree.from_joins(problem.matrix.names, joins, lengths, problem.matrix.name), joins)


def _pruned(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor) -> tuple[TreeAnswer, int]:
    taxa, D, found = problem.taxa, working_matrix(problem, LANES), _Joins(problem.taxa)
    epoch = _Epoch(D, _sums(D[:, :taxa], monitor), parameters["threads"], monitor)
    while found.to_do > 0:
        epoch.begin()
        to_do = min(epoch_length(epoch.count, parameters["epoch"]), found.to_do)
        while to_do > 0:
            most = min(to_do, max(1, int(SLICE / epoch.count / 64)))
            epoch.join(found, most)
            to_do -= most
            found.report(monitor)
        epoch.end()
    left, nodes = epoch.kept, epoch.nodes
    return finish(problem, found.joins, found.records, nodes[left], D[np.ix_(epoch.rows[left], left)]), D.nbytes


class _Epoch:
    """The arrays of `cpu_pruned`: what holds between two passes over the matrix, and the passes."""

    def __init__(self, D: np.ndarray, S: np.ndarray, threads: int, monitor: Monitor) -> None:
        self.D, self.S, self.threads, self.monitor = D, S, threads, monitor
        self.count, self.taxa = S.size, S.size
        self.rows, self.kept = np.arange(S.size), np.arange(S.size)
        self.nodes = np.arange(S.size, dtype=np.int32)
        self.drift = np.array([0.0, 0.0, float(D.max(initial=0)), 0.0])

    def begin(self) -> None:
        """Drop the columns of dead clusters and compute all bounds."""
        r, kept = self.kept.size, self.kept
        self.S, self.nodes = self.S[kept], self.nodes[kept]
        self.S = _padded(self.S, -cpu_pruned.NOWHERE * r)
        self.u = (self.S / (r - 2)).astype(self.D.dtype)
        self.H, self.T = np.zeros(self.u.size), np.zeros(self.u.size)
        self._pass(
            lambda first, last: cpu_pruned.drop_columns(self.D, self.rows, kept, self.u, self.H, first, last), r, r * r
        )
        self.rows, self.count = self.rows[kept], r
        self.T[:r] = -cpu_pruned.NOWHERE
        self.H[:r] -= self.drift[2] * cpu_pruned.slack(self.D.itemsize)
        self.drift[:2] = 0
        self.away = np.zeros_like(self.u)
        self.others = self.u.copy(), self.u.copy(), self.u.copy()

    def join(self, found: _Joins, most: int) -> None:
        """Up to ``most`` joins."""
        sizes = np.array([self.count, self.taxa - found.done, found.done, self.taxa + found.done])
        cpu_pruned.join(
            self.D, self.rows, self.S, self.nodes, self.away, self.u, *self.others, self.H, self.T, self.drift, sizes,
            found.joins, found.records, most,
        )  # fmt: skip
        found.done = int(sizes[2])

    def end(self) -> None:
        """Write the columns of the new clusters into the rows of the older ones."""
        self.kept = np.flatnonzero(self.S[: self.count] > -cpu_pruned.LIMIT)
        new = self.away[self.kept] != 0
        old, fresh = self.kept[~new], self.kept[new]
        self._pass(
            lambda first, last: cpu_pruned.fill_columns(self.D, self.rows, old, fresh, first, last),
            old.size, old.size * fresh.size,
        )  # fmt: skip

    def _pass(self, work: Callable[[int, int], None], rows: int, cells: int) -> None:
        """Do something for all rows, in blocks that the threads take in turns."""
        if cells < SHARED_CELLS or self.threads == 1:
            work(0, rows)
            return
        stop, block = stop_word(), max(LANES, int(SHARED_CELLS * rows / cells / 4))
        starts = iter(range(0, rows, block))

        def take(worker: int) -> None:
            for first in starts:
                if stop[0]:
                    return
                work(first, min(first + block, rows))

        share(take, self.threads, stop, self.monitor.check)


def _sums(D: np.ndarray, monitor: Monitor) -> np.ndarray:
    """Row sums in the one order that all methods share."""
    S = np.empty(len(D))
    rows = max(1, int(SLICE / max(len(D), 1)))
    for first in range(0, len(D), rows):
        cpu_serial.row_sums(D, S, first, min(first + rows, len(D)))
        monitor.check()
    return S


def _padded(values: np.ndarray, filling: float) -> np.ndarray:
    """Values in whole vectors."""
    padded = np.full(-(-values.size // LANES) * LANES, filling, values.dtype)
    padded[: values.size] = values
    return padded
