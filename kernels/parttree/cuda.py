"""PartTree on the GPU: 6-mers and distances of all levels there, picks and joins on the host; see words.cu."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree.cpu import (
    CALCULATION,
    CALCULATION_NUMBER,
    MAPS,
    RECURSION,
    RETRIEVAL,
    WORDS,
    Log,
    Sectioned,
    compile_all,
    room_for,
    run_sections,
)
from antidiag.kernels.parttree.cpu_counts import Batch, Found
from antidiag.kernels.parttree.cuda_sources import BATCH, COUNTERS, FOUND, MEASURE, SECTIONS
from antidiag.kernels.parttree.cuda_sources import WORDS as STRUCT
from antidiag.kernels.parttree.parameters import SectionParameters, Warps
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.recursion import part_tree, told
from antidiag.kernels.parttree.sections import Sections
from antidiag.kernels.parttree.words import Letters, Words, empty_words, letters_of
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances.tiling import resized

TASK = 256
"""Members of a task at most."""
FIRST_LAUNCH = 1 << 26
"""Pairs of the first launch; further ones take about 100 ms."""
MOST_GROUPS, LEAST_REFERENCES = 8, 64
"""Groups that the references are cut into at most, and references that one has at least."""
ENCODERS = 4
"""Blocks a multiprocessor that encode where their tables are in global memory."""


def parttree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Counters of several references side by side in shared memory; all levels of the recursion."""
    run = Run(monitor, steps)
    run.spend("compilation", compiled_ms(compile_all, monitor))
    started_ns = time.perf_counter_ns()
    with run.timed(WORDS):
        letters = letters_of(problem.sequences, problem.protein)
        counted = Counted(letters, problem.protein, run, typed(Warps, parameters))
    monitor.update(1, 1, WORDS)
    counted.log = Log(steps, 2, started_ns)
    with run.timed(RECURSION):
        answer = part_tree(problem, counted.words, counted, workers.cores(), told(monitor, RECURSION), TASK)
    return Outcome(answer, run.times_ms, counted.letters.letters.nbytes + 64 * len(problem.sequences), run.device_bytes)


def cuda_parttree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 2, a thread a sequence; what the paper leaves on the host stays there."""
    run, chosen = Run(monitor, steps), typed(SectionParameters, parameters)

    def measure(words: Words, bins: int, log: Log, times_ms: dict[str, float]) -> Sectioned:
        return OnDevice(run, chosen, words, bins, log, times_ms)

    outcome = run_sections(problem, 1, monitor, steps, measure)
    compiling_ms, times_ms = run.times_ms["compilation"], dict(outcome.times_ms)
    times_ms["compilation"] += compiling_ms
    times_ms[RECURSION] = max(times_ms[RECURSION] - compiling_ms, 0.0)
    return replace(outcome, times_ms=times_ms, device_bytes=run.device_bytes)


class OnDevice(Sectioned):
    """CUDA-Parttree with its calculation on the device."""

    def __init__(
        self, run: Run, chosen: SectionParameters, words: Words, bins: int, log: Log, times_ms: dict[str, float]
    ) -> None:
        super().__init__(words, bins, chosen.section, 1, run.monitor, log, times_ms)
        self.run, self.block, self.kernel = run, int(chosen.block), run.kernel(SECTIONS, "sections")

    def send(self, own: Sections) -> None:
        run = self.run
        self.there = [run.up(one) for one in (own.structs.reshape(-1), own.addresses, own.lengths)]

    def calculated(self, own: Sections, maps: np.ndarray, batch: Batch) -> np.ndarray:
        run, sequences, most = self.run, own.order.size, max(1, self.pairs // max(own.order.size, 1))
        with self.timed(MAPS):
            there, shared = run.up(maps.reshape(-1)), run.empty((len(maps), sequences), np.int32)
            cupy.cuda.get_current_stream().synchronize()
        begun_ns = time.perf_counter_ns()
        with self.timed(CALCULATION):
            for first in range(0, len(maps), most):
                part = there[first * self.bins :], shared[first:].reshape(-1)
                sizes = [np.int32(size) for size in (self.section, sequences)]
                last = np.int32(min(most, len(maps) - first))
                arguments = *self.there, *sizes, part[0], np.int32(self.bins), last, part[1]
                self.kernel((-(-sequences // self.block),), (self.block,), arguments)
                cupy.cuda.get_current_stream().synchronize()
                self.monitor.check()
        self.log.on(CALCULATION_NUMBER).add(0, batch, 0, begun_ns)
        with self.timed(RETRIEVAL):
            return shared.get()

    pairs = 1 << 27
    """Sequences x references of a launch."""


class Counted:
    """The words of sequences on the device, and the distances of batches of them."""

    def __init__(self, letters: Letters, protein: bool, run: Run, chosen: Warps) -> None:
        self.letters, self.run, self.threads = letters, run, int(chosen.block)
        self.log: Log | None = None
        self.multiprocessors, self.bins = blocks.multiprocessors(), letters.bins
        size, count = max(letters.letters.size, 1), letters.sequences
        self.kmers, self.counts = run.empty(size, np.uint16), run.empty(size, np.int32)
        self.ends, self.totals, self.kept = (run.empty(count, np.int64) for _ in range(3))
        self.heavy = run.empty(count, np.uint8)
        self.begins = run.up(letters.offsets)
        self._encode()
        empty = empty_words(Letters(letters.letters[:0], letters.offsets, letters.codes, letters.base), protein)
        self.words = empty._replace(totals=run.down(self.totals), kept=run.down(self.kept))
        self.pairs = FIRST_LAUNCH
        self.refs = next((refs for refs in COUNTERS if refs * self.bins <= self._most()), 1)
        self.kernel = run.kernel(MEASURE, "measure", **self._defines())
        self.shared = -(-self.refs * self.bins // 16) * 16
        allow_shared(self.kernel, self.shared)

    def __call__(self, batch: Batch, every: bool, level: int) -> Found:
        """Measure a batch, for `recursion.part_tree`."""
        begun_ns, run = time.perf_counter_ns(), self.run
        found = room_for(batch, every)
        everything = run.empty(found.everything.size, np.float64) if every else None
        nearest = None if every else run.empty(batch.members.size, np.int32)
        least = None if every else run.empty(batch.members.size, np.float64)
        self.launch(batch, FOUND(
            nearest=nearest, least=least, everything=everything, single=None,
            places=cupy.asarray(found.places) if every else None,
        ))  # fmt: skip
        if every:
            found = found._replace(everything=_down(everything))
        else:
            found = found._replace(nearest=_down(nearest), least=_down(least))
        if self.log:
            self.log.add(level, batch, 0, begun_ns)
        return found

    def reference_distances(self, refs: np.ndarray, members: np.ndarray) -> np.ndarray:
        """The distances of sequences (rows) to references, float32, as the recursion has them on its first level.

        They come to the host a part at a time, through memory that the device writes itself, while it counts the next.
        The tasks of a part are few, so that its references are cut into groups that keep all multiprocessors busy.
        """
        result = np.empty((members.size, refs.size), np.float32)
        rows = max(TASK, (1 << 26) // max(refs.size, 1) // TASK * TASK)
        parts = [(first, min(first + rows, members.size)) for first in range(0, members.size, rows)]
        streams = [cupy.cuda.get_current_stream(), cupy.cuda.Stream(non_blocking=True)]
        room = [self.run.empty(rows * refs.size, np.float32) for _ in range(2)]
        pinned = [_pinned(rows * refs.size) for _ in range(2)]
        waiting: list[tuple[np.ndarray, np.ndarray, np.ndarray, Any]] = []

        def fetch() -> None:
            target, source, groups, event = waiting.pop(0)
            event.synchronize()
            _copied(target, source, groups)

        for number, (first, last) in enumerate(parts):
            side = number % 2
            if len(waiting) == 2:
                fetch()
            self.run.monitor.check()
            groups = _groups(refs.size, -(-(last - first) // TASK), self.slots)
            places = cupy.asarray((last - first) * groups[:-1])
            found = FOUND(nearest=None, least=None, everything=None, single=room[side], places=places)
            self.launch(_by_groups(refs, groups, members[first:last]), found)
            counted = streams[0].record()
            streams[1].wait_event(counted)
            count = (last - first) * refs.size
            room[side].data.copy_to_host_async(pinned[side].ctypes.data, 4 * count, streams[1])
            waiting.append((result[first:last], pinned[side][:count], groups, streams[1].record()))
        while waiting:
            fetch()
        return result

    @property
    def slots(self) -> int:
        """Blocks that measure at once."""
        return self.multiprocessors * max(1, self._most() // (self.shared + 16 * TASK))

    def launch(self, batch: Batch, found: tuple[Any, ...]) -> None:
        """All tasks of a batch, in launches that take a moment each."""
        run, stream = self.run, cupy.cuda.get_current_stream()
        arrays = [cupy.asarray(array) for array in batch]
        given = BATCH(
            **dict(zip(("refs", "ref_starts", "members", "starts", "tasks"), arrays, strict=True)), bins=self.bins,
            b=self.words.b,
        )  # fmt: skip
        group, first, last = batch.tasks.T
        until = np.cumsum((last - first) * np.diff(batch.ref_starts)[group])
        grid, at, done = self.slots, 0, 0
        ticket = run.empty(1, np.uint32)
        while at < len(batch.tasks):
            before = time.perf_counter()
            end = max(at + 1, int(np.searchsorted(until, done + self.pairs, "right")))
            ticket.data.memset_async(0, 4, stream)
            arguments = *self._words(), *given, *found, np.int32(at), np.int32(end), ticket
            self.kernel((min(grid, end - at),), (self.threads,), arguments, shared_mem=self.shared)
            if end < len(batch.tasks):
                stream.synchronize()
                run.monitor.check()
                self.pairs = resized(self.pairs, (time.perf_counter() - before) * 1e3)
            at, done = end, int(until[end - 1])

    def _encode(self) -> None:
        run, letters = self.run, self.letters
        in_shared = 4 * self.bins <= self._most()
        grid = min(max(letters.sequences, 1), self.multiprocessors * (1 if in_shared else ENCODERS))
        if in_shared:
            grid = min(max(letters.sequences, 1), self.multiprocessors * max(1, self._most() // (4 * self.bins)))
        kernel = run.kernel(MEASURE, "encode", **self._defines(1))
        shared = 4 * self.bins if in_shared else 0
        allow_shared(kernel, shared)
        tables = None if in_shared else run.empty(grid * self.bins, np.int32)
        there = run.up(letters.letters) if letters.letters.size else run.empty(1, np.uint8)
        codes, packed = run.up(letters.codes), run.empty(max(letters.letters.size, 1), np.uint8)
        sizes = (np.int32(number) for number in (letters.base, letters.sequences, self.bins))
        arguments = *self._words(), there, codes, *sizes, packed, np.uint64(0) if tables is None else tables
        kernel((grid,), (32,), arguments, shared_mem=shared)
        cupy.cuda.get_current_stream().synchronize()

    def _words(self) -> tuple[Any, ...]:
        return STRUCT(
            kmers=self.kmers, counts=self.counts, begins=self.begins, ends=self.ends, totals=self.totals,
            kept=self.kept, heavy=self.heavy,
        )  # fmt: skip

    def _defines(self, refs: int | None = None) -> dict[str, int]:
        return {"REFS": refs or self.refs, "TASK": TASK}

    def _most(self) -> int:
        """Bytes of shared memory that a block may have for its counters."""
        return blocks.most_shared() - 12 * TASK - 64


def _down(array: Any) -> np.ndarray:
    return array.get()


def _pinned(count: int) -> np.ndarray:
    """Host memory for so many float32 that a device writes to without a detour."""
    return np.frombuffer(cupy.cuda.alloc_pinned_memory(4 * count), np.float32, count)


def _groups(references: int, tasks: int, slots: int) -> np.ndarray:
    """Where groups of references begin, and where the last ends, such that so many tasks for each leave the fewest of
    so many slots idle."""
    most = max(1, min(MOST_GROUPS, references // LEAST_REFERENCES))
    count = min(range(1, most + 1), key=lambda count: -(-tasks * count // slots) / (tasks * count))
    return np.linspace(0, references, count + 1).astype(np.int64)


def _by_groups(refs: np.ndarray, groups: np.ndarray, members: np.ndarray) -> Batch:
    """All members with every group of the references."""
    count, size = groups.size - 1, members.size
    first = np.arange(0, size, TASK)
    tasks = [
        (group, group * size + at, group * size + min(at + TASK, size))  # type: ignore[operator]
        for group in range(count)
        for at in first
    ]
    return Batch(refs, groups, np.tile(members, count), size * np.arange(count + 1), np.array(tasks))


def _copied(target: np.ndarray, source: np.ndarray, groups: np.ndarray) -> None:
    """Put the columns of every group side by side, on all cores: pages that are new take longer to get than to fill."""
    size = len(target)
    columns = [
        (slice(first, last), source[size * first : size * last].reshape(size, -1)) for first, last in pairwise(groups)
    ]
    threads = min(workers.cores(), 16)
    bounds = np.linspace(0, size, threads + 1).astype(np.int64)

    def work(worker: int) -> None:
        rows = slice(bounds[worker], bounds[worker + 1])
        for there, values in columns:
            target[rows, there] = values[rows]

    workers.share(work, threads, workers.stop_word(), lambda: None)
