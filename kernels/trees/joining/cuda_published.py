"""NJ-basic and NJ-compact as published on the GPU: it finds each pair, and the host joins it (joins_published.cu)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.cuda import textures
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.trees import sizes
from antidiag.kernels.trees.joining.cuda_sources import NO_CLUSTER, PUBLISHED, SLOT_PAIR
from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree, working_matrix
from antidiag.kernels.trees.parameters import CellBlockParameters
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem

JOINS_PER_REPORT = 32
"""Joins between two reports of progress."""


@dataclass(frozen=True, slots=True)
class LoadedMatrix:
    """A matrix on the device: its cells as in joins_blocks.cu, and the sums of its rows."""

    problem: TreeProblem
    run: DeviceRun
    cells: cupy.ndarray
    sums: cupy.ndarray
    is_folded: bool


def refuse_texture(problem: TreeProblem, is_folded: bool) -> None:
    """MemoryRefused where this GPU cannot bind the matrix to a texture."""
    rows = sizes.folded_rows(problem.taxa) if is_folded else problem.taxa + 1
    textures.refuse_texels(rows * (problem.taxa + 1), "choose mapping=dense, or NJ-compact, which needs half as many")


def run_joins(matrix: LoadedMatrix, parameters: CellBlockParameters) -> Outcome:
    """Make all joins and return the outcome."""
    problem, run = matrix.problem, matrix.run
    joining = _HostJoining(matrix, parameters)
    pairs = max(problem.cells, 1)
    with run.begin_phase("joins", ahead=1) as phase:
        for done in joining.make_joins():
            left = problem.taxa - done
            phase.note_launch(problem.cells - (left**3 - left) // 6, pairs)
    run.report_progress(pairs, pairs, "joins")
    return Outcome(joining.answer(), run.times_ms, device_bytes=run.device_bytes)


class _HostJoining:
    """The joins: distances, sums and nodes of all clusters on the host, whose place is their slot."""

    def __init__(self, matrix: LoadedMatrix, parameters: CellBlockParameters) -> None:
        self.matrix, self.problem, taxa = matrix, matrix.problem, matrix.problem.taxa
        run, made = matrix.run, max(taxa - 3, 0)
        defines = {
            "DOUBLE": self.problem.precision == "double",
            "FOLDED": matrix.is_folded,
            "ACROSS": parameters.threads_across,
            "CELLS": parameters.cells_across,
        }
        self.kernel = run.compile_kernel(PUBLISHED, "scan_cell_blocks", **defines)
        self.threads = parameters.threads_across**2
        self.blocks = sizes.count_cell_blocks(taxa, parameters.side)
        self.found = run.allocate_array((self.blocks, SLOT_PAIR.word_count // 2), np.float64)
        self.textures = (
            textures.bind_texture(matrix.cells, self.problem.dtype.itemsize // 4),
            textures.bind_texture(matrix.sums, 2),
        )
        self.D, self.S = working_matrix(self.problem), run.download_array(matrix.sums[:taxa])
        self.valid, self.nodes = np.ones(taxa, bool), np.arange(taxa, dtype=np.int32)
        self.joins, self.records = np.empty((made, 2), np.int32), np.empty((made, RECORD))

    def make_joins(self) -> Iterator[int]:
        """Make all joins, and yield how many are made, after some at a time."""
        made = len(self.joins)
        for step in range(made):
            self._join(step, *self._find_pair(self.problem.taxa - step))
            if (step + 1) % JOINS_PER_REPORT == 0 or step + 1 == made:
                yield step + 1

    def _find_pair(self, clusters: int) -> tuple[int, int]:
        """Return the slots of the best pair, the smaller one first: the best of what the blocks found."""
        numbers = np.int32(self.problem.taxa), np.int32(clusters)
        self.kernel((self.blocks,), (self.threads,), (*self.textures, *numbers, self.found))
        found = self.found.get().view(SLOT_PAIR.dtype)[:, 0]
        best = found[found["criterion"] == found["criterion"].min()]
        first = best[np.lexsort((best["low"], best["high"]))[0]]
        return int(first["low"]), int(first["high"])

    def _join(self, step: int, low: int, high: int) -> None:
        """Put the cluster of two slots into the smaller one; the other one becomes empty."""
        D, S, clusters = self.D, self.S, self.problem.taxa - step
        between = np.float64(D[low, high])
        self.joins[step] = self.nodes[low], self.nodes[high]
        self.records[step] = between, S[low], S[high]
        sum_of_new = 0.5 * ((S[low] + S[high]) - clusters * between)
        self.valid[[low, high]] = False
        others = self.valid
        both = D[low].astype(np.float64) + D[high]
        distances = (0.5 * (both - between)).astype(D.dtype)
        D[low, others] = distances[others]
        D[others, low] = distances[others]
        S[others] = (S[others] - both[others]) + distances[others]
        S[low], S[high] = sum_of_new, NO_CLUSTER
        self.nodes[low] = self.problem.taxa + step
        self.valid[low] = True
        self._copy_cluster(low)

    def _copy_cluster(self, slot: int) -> None:
        """Copy the distances of a cluster, a row and a column of the triangle, and all sums to the device."""
        # The column's cells above and below the middle are in two columns of the folded matrix.
        middle = min(slot, (self.problem.taxa + 1) // 2) if self.matrix.is_folded else slot
        ends = (slot + 1, self.problem.taxa), (0, middle), (middle, slot)
        copied = [self._queue_copy(slot, first, last) for first, last in ends if first < last]
        self.matrix.sums[: self.S.size].set(self.S)
        cupy.cuda.get_current_stream().synchronize()
        del copied  # the arrays that were on their way

    def _queue_copy(self, slot: int, first: int, last: int) -> np.ndarray:
        """Queue a copy of the distances of a cluster to those in slots first .. last - 1; return what is copied.

        Their cells are in one row or in one column.
        """
        start, end = self._cell_place(slot, first), self._cell_place(slot, last - 1)
        values = np.ascontiguousarray(self.D[slot, first:last][:: 1 if start <= end else -1])
        pitch = abs(end - start) // max(last - first - 1, 1) * values.itemsize
        target = self.matrix.cells.data.ptr + min(start, end) * values.itemsize
        if pitch in (0, values.itemsize):
            width, count, pitch = values.nbytes, 1, values.nbytes
        else:
            width, count = values.itemsize, values.size
        kind, stream = cupy.cuda.runtime.memcpyHostToDevice, cupy.cuda.get_current_stream().ptr
        cupy.cuda.runtime.memcpy2DAsync(target, pitch, values.ctypes.data, width, width, count, kind, stream)
        return values

    def _cell_place(self, one: int, other: int) -> int:
        """Return where the distance of two slots is (cell_place in cell_blocks.cuh)."""
        y, x, wide = 1 + min(one, other), 1 + max(one, other), self.problem.taxa + 1
        plain = y * wide + x
        return wide * (wide + 1) - plain if self.matrix.is_folded and y > wide // 2 else plain

    def answer(self) -> TreeAnswer:
        """Return the tree of the joins."""
        left = np.flatnonzero(self.valid)
        return make_joined_tree(self.problem, self.joins, self.records, self.nodes[left], self.D[np.ix_(left, left)])
