"""Many pairs at once on the GPU: scores, and paths where they are wanted, in slices that fit the device."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.parallel_copy import copy_values
from antidiag.kernels.cuda import block_limits, pinned_transfers
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun, LaunchPhase
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.batch import slices
from antidiag.kernels.pairwise.batch.assembly import AnswerAssembly
from antidiag.kernels.pairwise.batch.cuda_sources import COSTS, PAIRS, SCORE_SOURCES, TRACE_SOURCES
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.batch.pair_blocks import block_problem
from antidiag.kernels.pairwise.batch.slices import BatchSlice, PairShapes
from antidiag.kernels.pairwise.batch.strands import compute_strands
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import StepLog

THREADS, TRACE_THREADS = 128, 128
REGISTER_THREADS = 512
"""Threads of a multiprocessor whose registers fit."""


def score_batch(problem: BatchProblem, parameters: Any, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the scores of all pairs on the current device."""
    return compute_strands(problem, monitor, lambda one, part: DeviceBatch(one, part, steps, paths=False).run_all())


def align_batch(problem: BatchProblem, parameters: Any, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best alignments of all pairs on the current device."""
    return compute_strands(problem, monitor, lambda one, part: DeviceBatch(one, part, steps, paths=True).run_all())


def score_block(problem: BatchProblem, parameters: Any, numbers: Mapping[str, int], monitor: Monitor) -> BatchAnswer:
    """Return the scores of a block of pairs (`pair_blocks`) on the current device."""
    return score_batch(block_problem(problem, numbers), parameters, monitor, StepLog(keeps=False)).answer


def align_block(problem: BatchProblem, parameters: Any, numbers: Mapping[str, int], monitor: Monitor) -> BatchAnswer:
    """Return the best alignments of a block of pairs (`pair_blocks`) on the current device."""
    return align_batch(block_problem(problem, numbers), parameters, monitor, StepLog(keeps=False)).answer


@dataclass(frozen=True, eq=False)
class SliceArrays:
    """The arrays of a slice on the device."""

    pairs: tuple[Any, ...]
    places: Any
    row_borders: Any
    column_borders: Any
    peaks: Any
    scores: Any
    ends: Any


class DeviceBatch:
    """A batch on the current device."""

    def __init__(self, problem: BatchProblem, monitor: Monitor, steps: StepLog, paths: bool) -> None:
        self.problem, self.paths = problem, paths
        self.run = DeviceRun(monitor, steps, rows=problem.pair_count)
        self.is_local = problem.mode == Mode.LOCAL
        self.letters = problem.encoded.table.shape[0]
        self.codes: Any = None
        self.beside = cupy.cuda.Stream(non_blocking=True)
        self.tables: dict[tuple[bool, bool], Any] = {}
        self.done_cells = self.done_pairs = 0

    def run_all(self) -> Outcome:
        """Compute all pairs, and those whose 16 bits overflowed again."""
        try:
            codes, multiprocessors = self.problem.encoded.codes, block_limits.multiprocessor_count()
            with ThreadPoolExecutor(1) as beside:
                sorting = beside.submit(self.sort_pairs, multiprocessors)
                self.codes = self.run.upload_array(codes)
                with self.run.time_phase("sorting"):
                    shapes, planned = sorting.result()
            answer = AnswerAssembly(self.problem, shapes.is_swapped, self.paths)
            total = sum(one.cells for one in planned)
            repeated = [self.run_slice(one, shapes, answer, total) for one in planned]
            chosen = np.unique(np.concatenate(repeated))
            if chosen.size:
                again = slices.plan_slices(
                    self.problem, shapes, self.paths, chosen, np.zeros(chosen.size, bool), multiprocessors
                )
                for one in again:
                    self.run_slice(one, shapes, answer, total)
            self.run.finish_pending()
            return Outcome(answer.make_answer(), self.run.times_ms, answer.host_bytes, self.run.device_bytes)
        finally:
            self.run.discard_pending()

    def sort_pairs(self, multiprocessors: int) -> tuple[PairShapes, list[BatchSlice]]:
        """Return the pairs as rows and columns, and the slices of all of them."""
        shapes = slices.orient_pairs(self.problem)
        return shapes, list(slices.plan_slices(self.problem, shapes, self.paths, multiprocessors=multiprocessors))

    def run_slice(self, one: BatchSlice, shapes: PairShapes, answer: AnswerAssembly, total: int) -> np.ndarray:
        """Compute a slice; return the pairs that are to be computed again, in 32 bits."""
        arrays = self.upload_slice(one, shapes)
        table = self.upload_table(one)
        with self.run.begin_phase("scores") as phase:
            self.launch_scores(one, arrays, table)
            self.note_done(phase, one, total)
        scores = arrays.scores.get()
        overflows = one.kernel.paired and self.is_local
        again = one.numbers[scores >= slices.LOCAL_LIMIT] if overflows else one.numbers[:0]
        answer.add_scores(one.numbers, scores)
        if self.paths:
            self.trace_paths(one, arrays, table, shapes, answer)
        return again

    def note_done(self, phase: LaunchPhase, one: BatchSlice, total: int) -> None:
        """Count the pairs of a slice as done."""
        self.done_cells += one.cells
        self.done_pairs += one.numbers.size
        phase.note_launch(min(self.done_cells, total), total)

    def upload_slice(self, one: BatchSlice, shapes: PairShapes) -> SliceArrays:
        """Copy what belongs to the pairs of a slice, and allocate what is computed of them."""
        numbers = one.numbers
        uploaded = self.run.upload_together(
            shapes.row_begins[numbers],
            shapes.column_begins[numbers],
            shapes.rows[numbers].astype(np.int32),
            shapes.columns[numbers].astype(np.int32),
            one.places.view(np.int64),
        )
        allocate = self.run.allocate_array
        pairs = PAIRS(
            codes=self.codes, row_begins=uploaded[0], column_begins=uploaded[1], rows=uploaded[2], columns=uploaded[3]
        )
        return SliceArrays(
            pairs,
            uploaded[4],
            allocate(max(one.sizes["row_borders"], 1), np.int64),
            allocate(max(one.sizes["column_borders"], 1), np.int64),
            allocate(max(one.sizes["peaks"], 1), np.int32),
            allocate(numbers.size, np.int32),
            allocate((numbers.size, 2), np.int32),
        )

    def upload_table(self, one: BatchSlice) -> Any:
        """Return the scores of letters with those of padding, on the device."""
        key = one.is_swapped, one.kernel.paired
        if key not in self.tables:
            free = slices.free_borders(self.problem, one.is_swapped)
            table = slices.padding_scores(self.problem.encoded, free, self.is_local, one.is_swapped, one.kernel.paired)
            (self.tables[key],) = self.run.upload_together(table)
        return self.tables[key]

    def costs_of(self, one: BatchSlice) -> tuple[Any, ...]:
        """Return costs and free borders as the kernels take them."""
        scoring, free = self.problem.scoring, slices.free_borders(self.problem, one.is_swapped)
        borders = {f"free_{name}": int(is_free) for name, is_free in free._asdict().items()}
        return COSTS(open=scoring.open + scoring.extend, extend=scoring.extend, letters=self.letters, **borders)

    def launch_scores(self, one: BatchSlice, arrays: SliceArrays, table: Any) -> None:
        """Launch the kernels that arrange the columns of a slice and compute its scores."""
        kernel, words = one.kernel, one.word_count
        multiprocessors = block_limits.multiprocessor_count()
        warps = THREADS // slices.LANES
        shared = slices.shared_bytes(self.letters, kernel.rows, kernel.paired, warps)
        defines = kernel.defines(THREADS, REGISTER_THREADS // THREADS)
        columns = self.run.allocate_array(4 * one.sizes["columns"], np.uint32)
        arrange = self.run.compile_kernel(SCORE_SOURCES, "arrange_pairs", **defines)
        grid = min(-(-words // warps), 32 * multiprocessors)
        span = np.int32(0), np.int32(words)
        arrange((grid,), (THREADS,), (*arrays.pairs, *span, arrays.places, np.int32(self.letters), columns))
        score = self.run.compile_kernel(SCORE_SOURCES, "score_pairs", **defines)
        allow_shared_bytes(score, shared)
        tickets = self.run.allocate_filled(1, np.uint32)
        grid = min(-(-words * kernel.group // THREADS), 8 * multiprocessors)
        arguments = (
            *(*arrays.pairs, *span, arrays.places, *self.costs_of(one), table, columns, tickets),
            *(arrays.row_borders, arrays.column_borders, arrays.peaks, arrays.scores, arrays.ends),
        )
        score((grid,), (THREADS,), arguments, shared_mem=shared)

    def trace_paths(
        self,
        one: BatchSlice,
        arrays: SliceArrays,
        table: Any,
        shapes: PairShapes,
        answer: AnswerAssembly,
    ) -> None:
        """Follow the paths of a slice, and take them while the next slice is computed."""
        numbers = one.numbers
        rooms = np.cumsum(shapes.rows[numbers] + shapes.columns[numbers])
        (room_ends,) = self.run.upload_together(rooms)
        operations = self.run.allocate_array(int(rooms[-1]), np.uint8)
        starts = self.run.allocate_array((numbers.size, 2), np.int32)
        counts = self.run.allocate_array(numbers.size, np.int32)
        kernel = self.run.compile_kernel(TRACE_SOURCES, "trace_pairs", **one.kernel.defines(TRACE_THREADS, 1))
        shared = 4 * (self.letters + 1) ** 2
        allow_shared_bytes(kernel, shared)
        per_block = TRACE_THREADS // slices.LANES
        span = np.int32(0), np.int32(numbers.size)
        with self.run.begin_phase("paths", quiet=True) as phase:
            arguments = (
                *(*arrays.pairs, *span, arrays.places, *self.costs_of(one), table),
                *(arrays.row_borders, arrays.column_borders, arrays.peaks, arrays.scores, arrays.ends),
                *(starts, counts, room_ends, operations),
            )
            kernel((-(-numbers.size // per_block),), (TRACE_THREADS,), arguments, shared_mem=shared)
            phase.note_launch()
        path_lengths = counts.get()
        offsets = np.concatenate([[0], np.cumsum(path_lengths, dtype=np.int64)])
        device_offsets, is_swapped = self.run.upload_together(offsets, shapes.is_swapped[numbers].view(np.uint8))
        together = self.run.allocate_array(max(int(offsets[-1]), 1), np.uint8)
        gather = self.run.compile_kernel(TRACE_SOURCES, "gather_operations", **one.kernel.defines(TRACE_THREADS, 1))
        grid = min(-(-numbers.size // per_block), 32 * block_limits.multiprocessor_count())
        gather((grid,), (TRACE_THREADS,), (*span, counts, room_ends, device_offsets, operations, is_swapped, together))
        gathered = cupy.cuda.Event(disable_timing=True)
        gathered.record()
        taken, ends = self.run.allocate_answer(together.shape, np.uint8), arrays.ends  # not the borders: they are freed

        def take_paths() -> None:
            with self.beside:
                self.beside.wait_event(gathered)
                pinned_transfers.download_rows(
                    together, lambda first, last, out: copy_values(taken[first:last], out), self.run.monitor.check
                )
                answer.add_paths(numbers, starts.get(), ends.get(), offsets, taken)

        self.run.run_while_waiting(take_paths)
