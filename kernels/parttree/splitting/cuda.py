"""PartTree on the GPU: words and distances of all levels are made there, picks and joins on the host; see words.cu."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.kmers.cpu_shared_words import DistanceBatch, MeasuredDistances
from antidiag.kernels.parttree.kmers.cuda_sources import BATCH, COUNTERS, FOUND, MEASURE, SECTIONS
from antidiag.kernels.parttree.kmers.cuda_sources import WORDS as STRUCT
from antidiag.kernels.parttree.kmers.sections import SequenceSections
from antidiag.kernels.parttree.kmers.word_arrays import LetterArrays, WordArrays, concatenate_letters, empty_words
from antidiag.kernels.parttree.parameters import PartTreeWarps, SectionParameters
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.splitting.cpu import (
    CALCULATION,
    MAPS,
    RECURSION,
    RETRIEVAL,
    WORDS,
    SectionedDistances,
    compile_all,
    empty_distances,
    log_level,
    run_recursion,
)
from antidiag.kernels.parttree.splitting.recursion import PartTreeRecursion
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.pair_tiles import next_size

TASK = 256
"""Members of a task at most."""
FIRST_LAUNCH = 1 << 26
"""Pairs of the first launch; later launches take about 100 ms."""
LAUNCH_PAIRS = 1 << 27
"""Pairs of a sequence and a reference in a launch of CUDA-Parttree."""
ENCODERS = 4
"""Blocks per multiprocessor that encode where their tables are in global memory."""


def parttree(problem: PartTreeProblem, parameters: PartTreeWarps, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run PartTree with counters of several references side by side in shared memory, on all levels."""
    run = DeviceRun(monitor, steps)
    host = run.host_part(count_processors())
    host.compile(compile_all)
    with host.phase(WORDS):
        letters = concatenate_letters(problem.sequences, problem.is_protein)
        counted = DeviceDistances(letters, problem.is_protein, run, parameters)
    monitor.update(1, 1, WORDS)
    with host.phase(RECURSION) as phase:
        counted.phase, report = phase, RecursionProgress(monitor, RECURSION)
        answer = PartTreeRecursion(problem, counted.words, counted, phase, report, TASK).answer()
    return Outcome(answer, run.times_ms, counted.letters.letters.nbytes + 64 * len(problem.sequences), run.device_bytes)


def cuda_parttree(problem: PartTreeProblem, parameters: SectionParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run algorithm 2 of CUDA-Parttree, a thread for each sequence; the rest stays on the host, as in the paper."""
    run = DeviceRun(monitor, steps)

    def measure_of(words: WordArrays, bins: int, phase: CpuPhase, report: ReportProgress) -> SectionedDistances:
        return DeviceSections(words, bins, phase, report, run, parameters)

    return replace(run_recursion(problem, run.host_part(), measure_of), device_bytes=run.device_bytes)


class DeviceSections(SectionedDistances):
    """CUDA-Parttree with its calculation on the device."""

    def __init__(
        self,
        words: WordArrays,
        bins: int,
        phase: CpuPhase,
        report: ReportProgress,
        device_run: DeviceRun,
        chosen: SectionParameters,
    ) -> None:
        super().__init__(words, bins, phase, report, chosen.section)
        self.device_run, self.block = device_run, int(chosen.block)
        self.kernel = device_run.compile_kernel(SECTIONS, "count_shared_words")

    def send_sections(self, base_sections: SequenceSections) -> None:
        """Upload the sections."""
        self.device_sections = [
            self.device_run.upload_array(one)
            for one in (base_sections.structs.reshape(-1), base_sections.addresses, base_sections.lengths)
        ]

    def count_shared_words(self, base_sections: SequenceSections, maps: np.ndarray, batch: DistanceBatch) -> np.ndarray:
        """Return the words that every sequence shares with some references, counted on the device."""
        run = self.device_run
        sequences = base_sections.order.size
        most = max(1, LAUNCH_PAIRS // max(base_sections.order.size, 1))
        with self.run.phase(MAPS):
            there, shared = run.upload_array(maps.reshape(-1)), run.allocate_array((len(maps), sequences), np.int32)
            cupy.cuda.get_current_stream().synchronize()
        begun_ns = time.perf_counter_ns()
        with self.run.phase(CALCULATION) as phase:
            for first in range(0, len(maps), most):
                part = there[first * self.bins :], shared[first:].reshape(-1)
                sizes = [np.int32(size) for size in (self.section, sequences)]
                last = np.int32(min(most, len(maps) - first))
                arguments = *self.device_sections, *sizes, part[0], np.int32(self.bins), last, part[1]
                self.kernel((-(-sequences // self.block),), (self.block,), arguments)
                cupy.cuda.get_current_stream().synchronize()
                run.monitor.check()
        log_level(phase, 0, batch, 0, begun_ns)
        with self.run.phase(RETRIEVAL):
            return run.download_array(shared)


class DeviceDistances:
    """The words of sequences on the device, and the distances of batches of them."""

    def __init__(self, letters: LetterArrays, protein: bool, run: DeviceRun, chosen: PartTreeWarps) -> None:
        self.letters, self.run, self.threads = letters, run, int(chosen.block)
        self.phase: CpuPhase | None = None
        self.multiprocessors, self.bins = block_limits.multiprocessor_count(), letters.possible_words
        size, count = max(letters.letters.size, 1), letters.sequences
        self.kmers, self.counts = run.allocate_array(size, np.uint16), run.allocate_array(size, np.int32)
        self.ends, self.totals, self.kept = (run.allocate_array(count, np.int64) for _ in range(3))
        self.heavy = run.allocate_array(count, np.uint8)
        self.begins = run.upload_array(letters.offsets)
        self._encode_words()
        empty = empty_words(LetterArrays(letters.letters[:0], letters.offsets, letters.codes, letters.base), protein)
        self.words = empty._replace(totals=run.download_array(self.totals), kept=run.download_array(self.kept))
        self.pairs = FIRST_LAUNCH
        self.refs = next((refs for refs in COUNTERS if refs * self.bins <= self._shared_bytes()), 1)
        self.kernel = run.compile_kernel(MEASURE, "measure_distances", **self._compile_constants())
        self.shared = -(-self.refs * self.bins // 16) * 16
        allow_shared_bytes(self.kernel, self.shared)

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        begun_ns, run = time.perf_counter_ns(), self.run
        found = empty_distances(batch, with_all)
        if with_all:
            everything = run.allocate_array(found.everything.size, np.float64)
            self.launch(
                batch, FOUND(nearest=None, least=None, everything=everything, places=run.upload_array(found.places))
            )
            found = found._replace(everything=run.download_array(everything))
        else:
            nearest = run.allocate_array(batch.members.size, np.int32)
            least = run.allocate_array(batch.members.size, np.float64)
            self.launch(batch, FOUND(nearest=nearest, least=least, everything=None, places=None))
            found = found._replace(nearest=run.download_array(nearest), least=run.download_array(least))
        if self.phase:
            log_level(self.phase, level, batch, 0, begun_ns)
        return found

    def launch(self, batch: DistanceBatch, measured: tuple[Any, ...]) -> None:
        """Run all tasks of a batch, in launches of about 100 ms."""
        if not len(batch.tasks):
            return
        run, stream = self.run, cupy.cuda.get_current_stream()
        arrays = {name: run.upload_array(values) for name, values in batch._asdict().items()}
        given = BATCH(**arrays, bins=self.bins, b=self.words.b)
        group, first, last = batch.tasks.T
        until = np.cumsum((last - first) * np.diff(batch.ref_starts)[group])
        grid = self.multiprocessors * max(1, self._shared_bytes() // (self.shared + 16 * TASK))
        at, done = 0, 0
        while at < len(batch.tasks):
            before = time.perf_counter()
            end = max(at + 1, int(np.searchsorted(until, done + self.pairs, "right")))
            ticket = run.allocate_filled(1, np.uint32)
            arguments = *STRUCT.from_object(self), *given, *measured, np.int32(at), np.int32(end), ticket
            self.kernel((min(grid, end - at),), (self.threads,), arguments, shared_mem=self.shared)
            if end < len(batch.tasks):
                stream.synchronize()
                run.monitor.check()
                self.pairs = next_size(self.pairs, (time.perf_counter() - before) * 1e3)
            at, done = end, int(until[end - 1])

    def _encode_words(self) -> None:
        """Make the words of all sequences on the device."""
        run, letters = self.run, self.letters
        in_shared = 4 * self.bins <= self._shared_bytes()
        blocks_each = self._shared_bytes() // (4 * self.bins) if in_shared else ENCODERS
        grid = min(max(letters.sequences, 1), self.multiprocessors * blocks_each)
        kernel = run.compile_kernel(MEASURE, "encode_words", **self._compile_constants(1))
        shared = 4 * self.bins if in_shared else 0
        allow_shared_bytes(kernel, shared)
        tables = None if in_shared else run.allocate_array(grid * self.bins, np.int32)
        there = run.upload_array(letters.letters) if letters.letters.size else run.allocate_array(1, np.uint8)
        codes, packed = run.upload_array(letters.codes), run.allocate_array(max(letters.letters.size, 1), np.uint8)
        sizes = (np.int32(number) for number in (letters.base, letters.sequences, self.bins))
        arguments = *STRUCT.from_object(self), there, codes, *sizes, packed, np.uint64(0) if tables is None else tables
        kernel((grid,), (32,), arguments, shared_mem=shared)
        cupy.cuda.get_current_stream().synchronize()

    def _compile_constants(self, refs: int | None = None) -> dict[str, int]:
        """Return the compile-time constants of the kernels."""
        return {"REFS": refs or self.refs, "TASK": TASK}

    def _shared_bytes(self) -> int:
        """Return the bytes of shared memory that a block may use for its counters."""
        return block_limits.max_shared_bytes() - 12 * TASK - 64
