"""PartTree on the CPU: by an index of the references, by maps (PartTree-serial), and as CUDA-Parttree."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.phase_times import PhaseClock
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.parttree.kmers import cpu_encoding, cpu_shared_words
from antidiag.kernels.parttree.kmers.cpu_shared_words import TASK, DistanceBatch, MeasuredDistances
from antidiag.kernels.parttree.kmers.sections import (
    SECTIONS_AT_ONCE,
    SequenceSections,
    count_shared_words,
    fill_maps,
    make_sections,
    reference_batches,
    return_distances,
)
from antidiag.kernels.parttree.kmers.word_arrays import LetterArrays, WordArrays, concatenate_letters, empty_words
from antidiag.kernels.parttree.parameters import PartTreeThreads, SectionParameters
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress
from antidiag.kernels.parttree.splitting.recursion import EMPTY, build_part_tree
from antidiag.kernels.steps import StepLog

WHOLE_GROUP = 1 << 60
"""Members of a task that is a whole group."""
WORDS, RECURSION = "words", "recursion"
SETUP, MAPS, CALCULATION, RETRIEVAL, RETURN = PAPER_PHASES = (
    "sequence setup",
    "reference maps",
    "calculation",
    "retrieval",
    "return",
)
"""The five steps of CUDA-Parttree (Razzolini and Melo 2020, section 5.4)."""
CALCULATION_NUMBER = 3
MOST_BYTES = 1 << 29
"""Bytes of the maps of references that are counted together, and of their shared words with all sequences."""


def parttree(problem: PartTreeProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run PartTree by an index from words to references; threads take parts of all groups of a level."""
    return _run_recursion(problem, parameters.threads, monitor, steps, IndexedDistances, TASK)


def parttree_serial(
    problem: PartTreeProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run PartTree on one thread, comparing every sequence with a map of every reference."""
    return _run_recursion(problem, 1, monitor, steps, SerialDistances, WHOLE_GROUP)


def cuda_parttree(problem: PartTreeProblem, parameters: SectionParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run algorithm 2 of CUDA-Parttree on threads, each of which takes sections."""

    def measure(words: WordArrays, bins: int, log: LevelLog, times_ms: dict[str, float]) -> SectionedDistances:
        return SectionedDistances(words, bins, parameters.section, parameters.threads, monitor, log, times_ms)

    return run_cuda_parttree(problem, parameters.threads, monitor, steps, measure)


def run_cuda_parttree(
    problem: PartTreeProblem,
    threads: int,
    monitor: Monitor,
    steps: StepLog,
    measure_of: Callable[[WordArrays, int, LevelLog, dict[str, float]], SectionedDistances],
) -> Outcome:
    """Run CUDA-Parttree: the five phases of the paper, and the rest of the recursion."""
    times_ms = {"compilation": compile_cancellably(compile_all, monitor), "transfer": 0.0}
    times_ms |= dict.fromkeys((*PAPER_PHASES, RECURSION), 0.0)
    clock = PhaseClock({})
    letters = concatenate_letters(problem.sequences, problem.protein)
    words = encode_sixmers(letters, problem.protein, threads, monitor)
    times_ms[SETUP] = clock.running_ms
    measure = measure_of(
        words, letters.possible_words, LevelLog(steps, len(PAPER_PHASES) + 1, clock.started_ns), times_ms
    )
    report = RecursionProgress(monitor, RECURSION)
    measure.report = report.report_distances
    answer = build_part_tree(problem, words, measure, 1, report, WHOLE_GROUP)
    times_ms[RECURSION] = max(clock.running_ms - sum(times_ms[phase] for phase in PAPER_PHASES), 0.0)
    nbytes = words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes
    return Outcome(answer, times_ms, nbytes)


def _run_recursion(
    problem: PartTreeProblem,
    threads: int,
    monitor: Monitor,
    steps: StepLog,
    kind: type[IndexedDistances] | type[SerialDistances],
    task: int,
) -> Outcome:
    """Run the recursion with a kind of distance measure."""
    times_ms = {"compilation": compile_cancellably(compile_all, monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    letters = concatenate_letters(problem.sequences, problem.protein)
    words = encode_sixmers(letters, problem.protein, threads, monitor)
    clock.end_phase(WORDS)
    measure = kind(words, letters.possible_words, threads, monitor, LevelLog(steps, 2, clock.started_ns))
    report = RecursionProgress(monitor, RECURSION)
    measure.report = report.report_distances
    answer = build_part_tree(problem, words, measure, threads, report, task)
    clock.end_phase(RECURSION)
    return Outcome(answer, times_ms, words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes)


def encode_sixmers(letters: LetterArrays, protein: bool, threads: int, monitor: Monitor) -> WordArrays:
    """Return the 6-mers of all sequences."""
    words, ticket, stop = empty_words(letters, protein), np.zeros(1, np.int64), workers.make_stop_word()
    threads = max(1, min(threads, letters.sequences // cpu_encoding.SEQUENCES_AT_ONCE))
    done = np.zeros((threads, 8), np.int64)

    def run_worker(worker: int) -> None:
        cpu_encoding.encode_words(
            letters, words, np.zeros(letters.possible_words, np.int32), ticket, done[worker, :1], stop
        )

    workers.share_work(run_worker, threads, stop, lambda: monitor.update(int(done.max()), letters.sequences, WORDS))
    return words


class LevelLog:
    """The step log of a phase: what a worker did of a level, as members (rows) x references (columns)."""

    def __init__(self, steps: StepLog, phase: int, started_ns: int) -> None:
        self.steps, self.phase, self.started_ns = steps, phase, started_ns

    def for_phase(self, phase: int) -> LevelLog:
        """Return the log of another phase."""
        return LevelLog(self.steps, phase, self.started_ns)

    def add(self, level: int, batch: DistanceBatch, worker: int, begun_ns: int) -> None:
        """Log what a worker did of a batch since ``begun_ns``."""
        references = int(np.diff(batch.ref_starts).max(initial=0))
        self.steps.add(
            self.phase,
            level,
            (0, batch.members.size),
            (0, references),
            worker,
            begun_ns - self.started_ns,
            time.perf_counter_ns() - self.started_ns,
        )


def empty_distances(batch: DistanceBatch, with_all: bool) -> MeasuredDistances:
    """Return arrays for the distances of a batch."""
    size = batch.members.size
    if not with_all:
        return MeasuredDistances(np.zeros(size, np.int32), np.zeros(size), EMPTY, np.zeros(1, np.int64))
    places = np.concatenate([[0], np.cumsum(np.diff(batch.starts) * np.diff(batch.ref_starts))])
    return MeasuredDistances(np.zeros(1, np.int32), np.zeros(size), np.empty(max(int(places[-1]), 1)), places)


class DistanceMeasure:
    """Base of the distance measures; while they work they call ``report(done, total)``, which may raise Cancelled."""

    def __init__(self, words: WordArrays, monitor: Monitor, log: LevelLog) -> None:
        self.words, self.monitor, self.log = words, monitor, log
        self.report: Callable[[int, int], None] = lambda done, total: monitor.check()


class IndexedDistances(DistanceMeasure):
    """Distances by an index of the references, on threads."""

    def __init__(self, words: WordArrays, bins: int, threads: int, monitor: Monitor, log: LevelLog) -> None:
        super().__init__(words, monitor, log)
        self.bins, self.threads, self.sizes = bins, threads, words.ends - words.begins

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        found, ticket, stop = empty_distances(batch, with_all), np.zeros(1, np.int64), workers.make_stop_word()
        threads = max(1, min(self.threads, len(batch.tasks)))
        done = np.zeros((threads, 8), np.int64)
        references = int(np.diff(batch.ref_starts).max(initial=0))
        until = np.concatenate([[0], np.cumsum(self.sizes[batch.refs])])
        most = int(np.diff(until[batch.ref_starts]).max(initial=0))

        def run_worker(worker: int) -> None:
            begun_ns, own = time.perf_counter_ns(), cpu_shared_words.empty_index(self.bins, references, most)
            cpu_shared_words.measure_by_index(self.words, batch, found, own, ticket, done[worker, :1], stop)
            self.log.add(level, batch, worker, begun_ns)

        members = int((batch.tasks[:, 2] - batch.tasks[:, 1]).sum())
        workers.share_work(run_worker, threads, stop, lambda: self.report(int(done[:, 0].sum()), members))
        return found


class SerialDistances(DistanceMeasure):
    """Distances by algorithm 1 of Razzolini and Melo (2020), on one thread."""

    def __init__(self, words: WordArrays, bins: int, threads: int, monitor: Monitor, log: LevelLog) -> None:
        super().__init__(words, monitor, log)
        self.ref_map, self.mirror = np.zeros(bins, np.int32), np.zeros(bins, np.int32)

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        found, done, stop = empty_distances(batch, with_all), np.zeros(1, np.int64), workers.make_stop_word()

        def run_worker(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            cpu_shared_words.measure_by_maps(
                self.words, batch, found, self.ref_map, self.mirror, 0, len(batch.tasks), done, stop
            )
            self.log.add(level, batch, worker, begun_ns)

        group, first, last = batch.tasks.T
        distances = int(np.dot(last - first, np.diff(batch.ref_starts)[group]))
        workers.share_work(run_worker, 1, stop, lambda: self.report(int(done[0]), distances))
        return found


class SectionedDistances(SerialDistances):
    """Distances as in CUDA-Parttree: by algorithm 2 of all sequences on the first level, by algorithm 1 of all others.

    Its five steps are phases of the run.
    """

    def __init__(
        self,
        words: WordArrays,
        bins: int,
        section: int,
        threads: int,
        monitor: Monitor,
        log: LevelLog,
        times_ms: dict[str, float],
    ) -> None:
        super().__init__(words, bins, threads, monitor, log)
        self.bins, self.section, self.threads, self.times_ms = bins, section, threads, times_ms
        self.stop = workers.make_stop_word()
        self.references_done = 0
        """References that all sequences have been counted against."""

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        if level or with_all or batch.refs.size < 2:
            return super().__call__(batch, with_all, level)
        found = empty_distances(batch, with_all)
        found.least[:] = np.inf
        with self.time_phase(SETUP):
            own = make_sections(self.words, batch.members, self.section)
            self.send_sections(own)
        parts = reference_batches(batch.refs.size, self.bins, batch.members.size, MOST_BYTES)
        for first in parts:
            refs = batch.refs[first : first + parts.step]
            with self.time_phase(MAPS):
                maps = np.zeros((refs.size, self.bins), np.int32)
                fill_maps(self.words, refs, maps)
            self.references_done = first
            shared = self.count_shared_words(own, maps, batch)
            with self.time_phase(RETURN):
                self.run_alone(partial(return_distances, self.words, batch, own, shared, first, found, self.stop))
        return found

    def send_sections(self, base_sections: SequenceSections) -> None:
        """Bring the sections to where they are counted; on the CPU they stay where they are."""

    def count_shared_words(self, base_sections: SequenceSections, maps: np.ndarray, batch: DistanceBatch) -> np.ndarray:
        """Return the words that every sequence, in the order of the sections, shares with some references."""
        shared, ticket = np.empty((len(maps), base_sections.order.size), np.int32), np.zeros(1, np.int64)
        threads = max(1, min(self.threads, base_sections.lengths.size // SECTIONS_AT_ONCE))

        def run_worker(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            count_shared_words(base_sections, maps, shared, ticket, self.stop)
            self.log.for_phase(CALCULATION_NUMBER).add(0, batch, worker, begun_ns)

        def report_progress() -> None:
            taken = min(int(ticket[0]) * SECTIONS_AT_ONCE / base_sections.lengths.size, 1.0)
            self.report(
                round(base_sections.order.size * (self.references_done + taken * len(maps))),
                base_sections.order.size * batch.refs.size,
            )

        with self.time_phase(CALCULATION):
            workers.share_work(run_worker, threads, self.stop, report_progress)
        with self.time_phase(RETRIEVAL):
            return shared

    def run_alone(self, work: Callable[[], None]) -> None:
        """Do something on one thread, and stop where the run is cancelled."""
        workers.share_work(lambda worker: work(), 1, self.stop, self.monitor.check)

    @contextmanager
    def time_phase(self, phase: str) -> Iterator[None]:
        """Add the time of the block to a phase."""
        before = time.perf_counter()
        yield
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + (time.perf_counter() - before) * 1e3


@cache
def compile_all() -> None:
    """Compile all kinds, or load them from the cache, by a run of each: two references, and members alone and not
    alone."""
    texts = (b"ACDEFGHIKL", b"ACDEFGHIKLMNP", b"WWWWWWWWWW", b"ACDEFG")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    problem = PartTreeProblem(sequences, 3)
    letters = concatenate_letters(sequences, True)
    words, log = encode_sixmers(letters, True, 1, Monitor()), LevelLog(StepLog(), 2, 0)
    for measure, task in (
        (IndexedDistances(words, letters.possible_words, 1, Monitor(), log), TASK),
        (SerialDistances(words, letters.possible_words, 1, Monitor(), log), WHOLE_GROUP),
        (SectionedDistances(words, letters.possible_words, 2, 1, Monitor(), log, {}), WHOLE_GROUP),
    ):
        build_part_tree(problem, words, measure, 1, RecursionProgress(Monitor(), RECURSION), task)
