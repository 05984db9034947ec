"""Neighbor joining on the GPU: buffers, launches, and the download of the joins; see the .cu files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.parallel_copy import copy_values
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import SourcePart, compile_kernel
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.joining import cuda_published
from antidiag.kernels.trees.joining.cuda_published import LoadedMatrix
from antidiag.kernels.trees.joining.cuda_sources import BLOCKS, BOUNDED, CLUSTERS, PAIR, PRUNED, STATE
from antidiag.kernels.trees.joining.tree_from_joins import RECORD, make_joined_tree
from antidiag.kernels.trees.parameters import CellBlockParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.sizes import STAGING, epoch_length, folded_rows

THREADS = 256
SCAN = "scan_blocks"
"""The kernel of NJ-basic and NJ-compact that compares all pairs, at every join."""
BLOCKS_A_MULTIPROCESSOR = 4
BATCH = 32
"""Joins between two checks for cancellation; captured once as a graph and launched again and again."""
SHRUNK = 0.75
"""The graph is captured again for smaller grids when this share of the clusters is left."""


def nj_basic(problem: TreeProblem, parameters: CellBlockParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run NJ-basic: the triangle in a square matrix."""
    return _run_blocks(problem, parameters, DeviceRun(monitor, steps, rows=1), folded=False)


def nj_compact(problem: TreeProblem, parameters: CellBlockParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run NJ-compact: the triangle in the folded matrix."""
    return _run_blocks(problem, parameters, DeviceRun(monitor, steps, rows=1), folded=True)


def _run_blocks(problem: TreeProblem, parameters: CellBlockParameters, run: DeviceRun, folded: bool) -> Outcome:
    """Run NJ-basic or NJ-compact (``folded``) with either mapping."""
    if not parameters.is_published:
        return _BlockJoining(problem, parameters, run, folded).run_joins()
    cuda_published.refuse_texture(problem, folded)
    device = _BlockJoining(problem, parameters, run, folded)
    return cuda_published.run_joins(LoadedMatrix(problem, run, device.cells, device.S, folded), parameters)


def basic_occupancy(problem: TreeProblem, parameters: CellBlockParameters) -> dict[str, float]:
    """Return the occupancy by the kernel of NJ-basic that scans the pairs."""
    return _scan_occupancy(problem, parameters, folded=False)


def compact_occupancy(problem: TreeProblem, parameters: CellBlockParameters) -> dict[str, float]:
    """Return the occupancy by the kernel of NJ-compact that scans the pairs."""
    return _scan_occupancy(problem, parameters, folded=True)


def _scan_occupancy(problem: TreeProblem, parameters: CellBlockParameters, folded: bool) -> dict[str, float]:
    defines = {**_block_defines(parameters, folded), "DOUBLE": problem.precision == "double"}
    kernel, _ = compile_kernel(BLOCKS, SCAN, defines)
    return block_limits.kernel_occupancy(kernel, int(parameters.block))


def _block_defines(parameters: CellBlockParameters, folded: bool) -> dict[str, int]:
    """Return the compile-time constants of NJ-basic and NJ-compact."""
    return {"SIDE": parameters.side, "THREADS": int(parameters.block), "FOLDED": int(folded)}


def nj_pruned(problem: TreeProblem, parameters: PrunedParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run NJ-pruned: bounds on the rows."""
    return PrunedJoining(problem, parameters, DeviceRun(monitor, steps, rows=1)).run_joins()


class _DeviceJoining:
    """A run: the arrays that all three methods have on the device, and the loop over the joins."""

    parts: tuple[SourcePart, ...]

    def __init__(self, problem: Any, run: DeviceRun, defines: Mapping[str, int]) -> None:
        self.problem, self.run, self.taxa = problem, run, problem.taxa
        self.defines = {**defines, "DOUBLE": problem.precision == "double"}
        self.kernels: dict[str, Any] = {}
        made = max(self.taxa - 3, 0)
        self.S = run.allocate_array(2 * self.taxa, np.float64)
        places = np.arange(self.taxa, dtype=np.int32)
        self.slots, self.nodes = run.upload_together(places, places)
        self.joins = run.allocate_array((max(made, 1), 2), np.int32)
        self.records = run.allocate_array((max(made, 1), RECORD), np.float64)
        self.multiprocessors = block_limits.multiprocessor_count()
        self.found = run.allocate_array((self.grid_size(self.taxa**2, 1), PAIR.word_count // 2), np.float64)
        self.set_state()
        self.load()

    def kernel(self, name: str) -> Any:
        """Return a kernel, compiled once: a join below 2,000 taxa takes less time than to look a kernel up."""
        if name not in self.kernels:
            self.kernels[name] = self.run.compile_kernel(self.parts, name, **self.defines)
        return self.kernels[name]

    def grid_size(self, work: int, threads: int) -> int:
        """Return the blocks for so many items, at most as many as the device keeps busy at once."""
        return max(1, min(-(-work // threads), BLOCKS_A_MULTIPROCESSOR * self.multiprocessors))

    def set_state(self, **more: float) -> None:
        """Upload the state before the first join."""
        state = np.zeros(1, STATE.dtype)
        for name, value in {"r": self.taxa, "spare": self.taxa, **more}.items():
            state[name] = value
        self.state = self.run.upload_array(state.view(np.int64))

    def load(self) -> None:
        """Upload the matrix and sum its rows."""
        raise NotImplementedError

    def upload_rows(self, rows: cupy.ndarray, first: int) -> None:
        """Upload rows of the square matrix, from the first on, and sum them."""
        values = self.problem.matrix.values

        def fill(begin: int, end: int, out: np.ndarray) -> None:
            copy_values(out, values[first + begin : first + end])

        self.run.upload_rows(rows, fill)
        self.sum_rows(rows, first)

    def sum_rows(self, rows: cupy.ndarray, first: int) -> None:
        """Sum rows of the square matrix, from the first on."""
        count = int(rows.shape[0])
        sizes = np.int64(self.taxa), np.int32(count), np.int32(self.taxa)
        self.kernel("sum_rows")((self.grid_size(count, THREADS // 32),), (THREADS,), (rows, *sizes, self.S[first:]))

    def launch_join(self, clusters: int) -> None:
        """Launch the kernels of one join, with grids for so many clusters."""
        raise NotImplementedError

    def launch_pass(self, clusters: int) -> None:
        """Launch what is done before every epoch."""

    def joins_per_epoch(self, clusters: int) -> int:
        """Return the joins until the next pass."""
        return self.taxa

    def remaining_distances(self, cluster_count: int) -> np.ndarray:
        """Download the distances of the remaining clusters."""
        raise NotImplementedError

    def run_joins(self) -> Outcome:
        """Make all joins and return the outcome."""
        self.make_joins()
        answer = make_joined_tree(self.problem, *self.download_joins())
        return Outcome(answer, self.run.times_ms, device_bytes=self.run.device_bytes)

    def make_joins(self) -> None:
        """Make all joins, in the phase "joins"."""
        pairs = (self.taxa**3 - self.taxa) // 6
        with self.run.begin_phase("joins", ahead=1) as phase:
            for done in self.all_joins():
                left = self.taxa - done
                phase.note_launch(pairs - (left**3 - left) // 6, max(pairs, 1))
        self.run.report_progress(max(pairs, 1), max(pairs, 1), "joins")

    def all_joins(self) -> Iterator[int]:
        """Launch all joins, a batch at a time, and yield how many are launched."""
        stream, captured, until = cupy.cuda.get_current_stream(), 0, 0
        graph, done, to_do = None, 0, max(self.taxa - 3, 0)
        while done < to_do:
            clusters = self.taxa - done
            if done >= until:
                self.launch_pass(clusters)
                until = done + self.joins_per_epoch(clusters)
            count = min(BATCH, to_do - done, until - done)
            if count < BATCH:
                self._launch_joins(clusters, count)
            else:
                if graph is None or clusters < SHRUNK * captured:
                    stream.begin_capture()
                    self._launch_joins(clusters, BATCH)
                    graph, captured = stream.end_capture(), clusters
                graph.launch(stream)
            done += count
            yield done

    def _launch_joins(self, clusters: int, count: int) -> None:
        for _ in range(count):
            self.launch_join(clusters)

    def download_joins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Download the joins, as `tree_from_joins.make_joined_tree` takes them."""
        run, left, made = self.run, min(self.taxa, 3), max(self.taxa - 3, 0)
        order = np.argsort(run.download_array(self.slots[:left]))
        nodes = run.download_array(self.nodes[:left])[order]
        apart = self.remaining_distances(left)[np.ix_(order, order)]
        joins, records = run.download_array(self.joins[:made]), run.download_array(self.records[:made])
        return joins, records, nodes, apart


class _BlockJoining(_DeviceJoining):
    """NJ-basic and NJ-compact on the device."""

    parts = BLOCKS

    def __init__(self, problem: TreeProblem, parameters: CellBlockParameters, run: DeviceRun, folded: bool) -> None:
        rows = folded_rows(problem.taxa) if folded else problem.taxa + 1
        self.side, self.threads = parameters.side, int(parameters.block)
        self.cells = run.allocate_array(rows * (problem.taxa + 1), problem.dtype)
        super().__init__(problem, run, _block_defines(parameters, folded))

    def load(self) -> None:
        """Upload bands of rows, whose cells are then put where they belong."""
        height = min(self.taxa, max(1, STAGING // (self.problem.dtype.itemsize * self.taxa)))
        band = self.run.allocate_array((height, self.taxa), self.problem.dtype)
        for first in range(0, self.taxa, height):
            rows = band[: min(height, self.taxa - first)]
            self.upload_rows(rows, first)
            count = int(rows.shape[0])
            self.kernel("fill_cells")(
                (self.grid_size(count, 1),),
                (THREADS,),
                (rows, self.cells, np.int32(self.taxa), np.int32(first), np.int32(first + count)),
            )

    def launch_join(self, clusters: int) -> None:
        blocks = -(-clusters // self.side)
        shared = CLUSTERS.from_object(self)
        self.kernel(SCAN)(
            (self.grid_size(blocks * (blocks + 1) // 2, 1),),
            (self.threads,),
            (*shared, self.found, self.joins, self.records),
        )
        self.kernel("join_clusters")((self.grid_size(clusters, THREADS),), (THREADS,), shared)

    def remaining_distances(self, cluster_count: int) -> np.ndarray:
        apart = self.run.allocate_array((cluster_count, cluster_count), np.float64)
        self.kernel("remaining_distances")(
            (1,), (32,), (self.cells, np.int32(self.taxa), np.int32(cluster_count), apart)
        )
        return self.run.download_array(apart)


class PrunedJoining(_DeviceJoining):
    """NJ-pruned on the device."""

    parts = PRUNED

    def __init__(self, problem: Any, parameters: PrunedParameters, run: DeviceRun) -> None:
        taxa = problem.taxa
        self.D, self.stride = run.allocate_array((taxa + 1, taxa), problem.dtype), np.int64(taxa)
        self.parameters = parameters
        self.u, self.snapshot = run.allocate_array(taxa, problem.dtype), run.allocate_array(taxa, problem.dtype)
        self.H, self.T = run.allocate_array(taxa, np.float64), run.allocate_array(taxa, np.float64)
        self.partners, self.rows = run.allocate_array(taxa, np.int32), run.upload_array(np.arange(taxa, dtype=np.int32))
        super().__init__(problem, run, {})
        self.of_blocks = run.allocate_array((self.grid_size(taxa, 1), 4), np.float64)
        if taxa > 3:
            self._start_bounds()

    def _start_bounds(self) -> None:
        """Compute the largest distance, a first limit, and bounds that say nothing."""
        taxa, blocks = np.int32(self.taxa), len(self.of_blocks)
        most = self.run.allocate_array((blocks, 2), np.float64)
        self.kernel("survey_matrix")((blocks,), (THREADS,), (self.D, self.stride, self.S, taxa, most))
        greatest, of_pairs = self.run.download_array(most).max(0).tolist()
        self.set_state(greatest=greatest, limit=-of_pairs)
        self.kernel("start_bounds")(
            (self.grid_size(self.taxa, THREADS),),
            (THREADS,),
            (self.S, self.u, self.snapshot, self.H, self.T, self.partners, taxa),
        )

    def load(self) -> None:
        """Upload all rows of the matrix."""
        self.upload_rows(self.D[: self.taxa], 0)

    def launch_pass(self, clusters: int) -> None:
        """Launch the kernel that renews the bounds of all rows."""
        self.kernel("renew_bounds")(
            (self.grid_size(clusters, 1),),
            (THREADS,),
            (self.D, self.stride, self.rows, self.u, self.snapshot, self.H, self.state),
        )

    def joins_per_epoch(self, clusters: int) -> int:
        """Return whole batches of joins, so that the graph can be used."""
        return -(-epoch_length(clusters, self.parameters.epoch) // BATCH) * BATCH

    def launch_join(self, clusters: int) -> None:
        """Launch the search for the closest pair and its join."""
        shared = BOUNDED.from_object(self, sums=self.S)
        search = *shared, self.found, self.joins, self.records
        self.kernel("search_rows")((self.grid_size(clusters, 1),), (THREADS,), search)
        self.kernel("join_clusters")((self.grid_size(clusters, THREADS),), (THREADS,), (*shared, self.of_blocks))

    def remaining_distances(self, cluster_count: int) -> np.ndarray:
        """Download the rows of the remaining clusters and return their distances."""
        rows = [
            self.run.download_array(self.D[row, :cluster_count])
            for row in self.run.download_array(self.rows[:cluster_count]).tolist()
        ]
        return np.array(rows, np.float64)
