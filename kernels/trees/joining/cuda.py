"""Neighbor joining on the GPU: buffers, launches, and the joins brought back. The kernels are in the .cu files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import Part
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.joining.cuda_sources import BLOCKS, BOUNDED, CLUSTERS, PAIR, PRUNED, STATE
from antidiag.kernels.trees.joining.finish import RECORD, finish
from antidiag.kernels.trees.parameters import BlockParameters, PrunedParameters
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem
from antidiag.kernels.trees.sizes import STAGING, block_side, epoch_length, folded_rows

THREADS = 256
BLOCKS_A_MULTIPROCESSOR = 4
BATCH = 32
"""Joins between two looks at the wish to cancel; captured once as a graph and launched again and again."""
SHRUNK = 0.75
"""The graph is captured again for smaller grids when so many of the clusters are left."""


def nj_basic(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """NJ-basic: the triangle in a square matrix."""
    return _Blocks(problem, parameters, Run(monitor, steps, rows=1), folded=False).outcome()


def nj_compact(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """NJ-compact: the triangle in the folded matrix."""
    return _Blocks(problem, parameters, Run(monitor, steps, rows=1), folded=True).outcome()


def nj_pruned(problem: TreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """NJ-pruned: bounds on the rows."""
    return _Pruned(problem, parameters, Run(monitor, steps, rows=1)).outcome()


class _Joining:
    """One run: what all three have on the device, and the loop over the joins."""

    parts: tuple[Part, ...]

    def __init__(self, problem: TreeProblem, run: Run, defines: Mapping[str, int]) -> None:
        self.problem, self.run, self.taxa = problem, run, problem.taxa
        self.defines = {**defines, "DOUBLE": problem.precision == "double"}
        self.kernels: dict[str, Any] = {}
        made = max(self.taxa - 3, 0)
        self.S = cupy.empty(2 * self.taxa, np.float64)
        self.slots = cupy.asarray(np.arange(self.taxa, dtype=np.int32))
        self.nodes = self.slots.copy()
        self.joins, self.records = (
            cupy.empty((max(made, 1), 2), np.int32),
            cupy.empty((max(made, 1), RECORD), np.float64),
        )
        self.multiprocessors = blocks.multiprocessors()
        self.found = cupy.empty((self.grid(self.taxa**2, 1), PAIR.words // 2), np.float64)
        self.state = cupy.empty(STATE.words // 2, np.int64)
        self.set_state()
        self.load()

    def kernel(self, name: str) -> Any:
        """Looked up once: a join below 2,000 taxa takes less time than to compile, or to look for, its kernels."""
        if name not in self.kernels:
            self.kernels[name] = self.run.kernel(self.parts, name, **self.defines)
        return self.kernels[name]

    def grid(self, work: int, threads: int) -> int:
        """Blocks for so many items, as many as the device keeps busy at once."""
        return max(1, min(-(-work // threads), BLOCKS_A_MULTIPROCESSOR * self.multiprocessors))

    def set_state(self, **more: float) -> None:
        """The state before the first join."""
        state = np.zeros(1, STATE.dtype)
        for name, value in {"r": self.taxa, "spare": self.taxa, **more}.items():
            state[name] = value
        self.state.set(state.view(np.int64))

    def load(self) -> None:
        """Bring the matrix to the device and sum its rows."""
        raise NotImplementedError

    def bring(self, rows: cupy.ndarray, first: int) -> None:
        """Rows of the square matrix, from the first on, and their sums."""
        values = self.problem.matrix.values

        def fill(begin: int, end: int, out: np.ndarray) -> None:
            np.copyto(out, values[first + begin : first + end], casting="unsafe")

        self.run.bring(rows, fill)
        count = int(rows.shape[0])
        sizes = np.int64(self.taxa), np.int32(count), np.int32(self.taxa)
        self.kernel("row_sums")(
            (self.grid(count, THREADS // 32),), (THREADS,), (rows, *sizes, self.S[first:])
        )  # fmt: skip

    def join(self, clusters: int) -> None:
        """Launch the kernels of one join, with grids for so many clusters."""
        raise NotImplementedError

    def pass_(self, clusters: int) -> None:
        """What is done before every epoch."""

    def epoch(self, clusters: int) -> int:
        """Joins until the next pass."""
        return self.taxa

    def apart(self, left: int) -> np.ndarray:
        """Distances of the clusters that are left."""
        raise NotImplementedError

    def outcome(self) -> Outcome:
        pairs = max(self.problem.cells, 1)
        with self.run.phase("joins", ahead=1) as phase:
            for done in self.all_joins():
                left = self.taxa - done
                phase.launched(self.problem.cells - (left**3 - left) // 6, pairs)
        self.run.tell(pairs, pairs, "joins")
        answer = self.answer()
        return Outcome(answer, self.run.times_ms, device_bytes=self.run.device_bytes)

    def all_joins(self) -> Iterator[int]:
        """Launch all joins, a batch at a time; yields how many are launched."""
        stream, captured, until = cupy.cuda.get_current_stream(), 0, 0
        graph, done, to_do = None, 0, max(self.taxa - 3, 0)
        while done < to_do:
            clusters = self.taxa - done
            if done >= until:
                self.pass_(clusters)
                until = done + self.epoch(clusters)
            count = min(BATCH, to_do - done, until - done)
            if count < BATCH:
                self._launch(clusters, count)
            else:
                if graph is None or clusters < SHRUNK * captured:
                    stream.begin_capture()
                    self._launch(clusters, BATCH)
                    graph, captured = stream.end_capture(), clusters
                graph.launch(stream)
            done += count
            yield done

    def _launch(self, clusters: int, count: int) -> None:
        for _ in range(count):
            self.join(clusters)

    def answer(self) -> TreeAnswer:
        """The joins on the host, and the tree of them."""
        with self.run.timed("transfer"):
            left, made = min(self.taxa, 3), max(self.taxa - 3, 0)
            order = np.argsort(self.slots.get()[:left])
            nodes = self.nodes.get()[:left][order]
            apart = self.apart(left)[np.ix_(order, order)]
            joins, records = self.joins.get()[:made], self.records.get()[:made]
        return finish(self.problem, joins, records, nodes, apart)


class _Blocks(_Joining):
    """NJ-basic and NJ-compact."""

    parts = BLOCKS

    def __init__(self, problem: TreeProblem, parameters: Mapping[str, Any], run: Run, folded: bool) -> None:
        rows = folded_rows(problem.taxa) if folded else problem.taxa + 1
        self.side, self.threads = block_side(parameters), int(typed(BlockParameters, parameters).block)
        self.cells = cupy.empty(rows * (problem.taxa + 1), problem.dtype)
        super().__init__(problem, run, {"SIDE": self.side, "THREADS": self.threads, "FOLDED": int(folded)})

    def load(self) -> None:
        """In bands of rows, whose cells are then put where they belong."""
        height = min(self.taxa, max(1, STAGING // (self.problem.dtype.itemsize * self.taxa)))
        band = cupy.empty((height, self.taxa), self.problem.dtype)
        for first in range(0, self.taxa, height):
            rows = band[: min(height, self.taxa - first)]
            self.bring(rows, first)
            count = int(rows.shape[0])
            self.kernel("fill")(
                (self.grid(count, 1),), (THREADS,),
                (rows, self.cells, np.int32(self.taxa), np.int32(first), np.int32(first + count)),
            )  # fmt: skip

    def join(self, clusters: int) -> None:
        blocks = -(-clusters // self.side)
        shared = CLUSTERS(
            cells=self.cells, S=self.S, slots=self.slots, nodes=self.nodes, taxa=self.taxa, state=self.state
        )
        self.kernel("scan")(
            (self.grid(blocks * (blocks + 1) // 2, 1),), (self.threads,),
            (*shared, self.found, self.joins, self.records),
        )  # fmt: skip
        self.kernel("unite")((self.grid(clusters, THREADS),), (THREADS,), shared)

    def apart(self, left: int) -> np.ndarray:
        apart = cupy.empty((left, left), np.float64)
        self.kernel("remaining")((1,), (32,), (self.cells, np.int32(self.taxa), np.int32(left), apart))
        return apart.get()


class _Pruned(_Joining):
    """NJ-pruned."""

    parts = PRUNED

    def __init__(self, problem: TreeProblem, parameters: Mapping[str, Any], run: Run) -> None:
        taxa = problem.taxa
        self.D, self.stride = cupy.empty((taxa + 1, taxa), problem.dtype), np.int64(taxa)
        self.parameters = parameters
        self.u, self.snapshot = cupy.empty(taxa, problem.dtype), cupy.empty(taxa, problem.dtype)
        self.H, self.T = cupy.empty(taxa, np.float64), cupy.empty(taxa, np.float64)
        self.partners, self.rows = cupy.empty(taxa, np.int32), cupy.asarray(np.arange(taxa, dtype=np.int32))
        super().__init__(problem, run, {})
        self.of_blocks = cupy.empty((self.grid(taxa, 1), 4), np.float64)
        if taxa > 3:
            self._start()

    def _start(self) -> None:
        """The greatest distance, a first limit, and bounds that say nothing."""
        taxa, blocks = np.int32(self.taxa), len(self.of_blocks)
        most = cupy.empty((blocks, 2), np.float64)
        self.kernel("survey")((blocks,), (THREADS,), (self.D, self.stride, self.S, taxa, most))
        greatest, of_pairs = most.get().max(0).tolist()
        self.set_state(greatest=greatest, limit=-of_pairs)
        self.kernel("start")(
            (self.grid(self.taxa, THREADS),), (THREADS,),
            (self.S, self.u, self.snapshot, self.H, self.T, self.partners, taxa),
        )  # fmt: skip

    def load(self) -> None:
        self.bring(self.D[: self.taxa], 0)

    def pass_(self, clusters: int) -> None:
        self.kernel("renew")(
            (self.grid(clusters, 1),), (THREADS,),
            (self.D, self.stride, self.rows, self.u, self.snapshot, self.H, self.state),
        )  # fmt: skip

    def epoch(self, clusters: int) -> int:
        """Whole batches, so that the graph serves."""
        return -(-epoch_length(clusters, typed(PrunedParameters, self.parameters).epoch) // BATCH) * BATCH

    def join(self, clusters: int) -> None:
        shared = BOUNDED(
            D=self.D, stride=self.stride, rows=self.rows, sums=self.S, u=self.u, snapshot=self.snapshot,
            slots=self.slots, nodes=self.nodes, H=self.H, T=self.T, partners=self.partners, taxa=self.taxa,
            state=self.state,
        )  # fmt: skip
        search = *shared, self.found, self.joins, self.records
        self.kernel("search")((self.grid(clusters, 1),), (THREADS,), search)
        self.kernel("unite")((self.grid(clusters, THREADS),), (THREADS,), (*shared, self.of_blocks))

    def apart(self, left: int) -> np.ndarray:
        rows = [self.D[row, :left].get() for row in self.rows[:left].tolist()]
        return np.array(rows, np.float64)
