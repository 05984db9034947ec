"""PartTree on the CPU: by an index of the references, by maps (PartTree-serial), and as CUDA-Parttree."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
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
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.splitting.recursion import EMPTY, PartTreeRecursion
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
MOST_BYTES = 1 << 29
"""Bytes of the maps of references that are counted together, and of their shared words with all sequences."""


def parttree(problem: PartTreeProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run PartTree by an index from words to references; threads take parts of all groups of a level."""
    run = CpuRun(monitor, steps, parameters.threads)
    return run_recursion(problem, run, IndexedDistances, TASK, (WORDS,), threads=0)


def parttree_serial(
    problem: PartTreeProblem, parameters: MethodParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run PartTree on one thread, comparing every sequence with a map of every reference."""
    return run_recursion(problem, CpuRun(monitor, steps), SerialDistances, phases=(WORDS,))


def cuda_parttree(problem: PartTreeProblem, parameters: SectionParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Run algorithm 2 of CUDA-Parttree on threads, each of which takes sections."""

    def measure_of(words: WordArrays, bins: int, phase: CpuPhase, report: ReportProgress) -> SectionedDistances:
        return SectionedDistances(words, bins, phase, report, parameters.section)

    return run_recursion(problem, CpuRun(monitor, steps, parameters.threads), measure_of)


MeasureMaker = Callable[[WordArrays, int, CpuPhase, ReportProgress], Callable[..., MeasuredDistances]]
"""Makes a distance measure of words, the number of possible ones, the phase, and a function that hears of progress."""


def run_recursion(
    problem: PartTreeProblem,
    run: CpuRun,
    measure_of: MeasureMaker,
    task: int = WHOLE_GROUP,
    phases: tuple[str, ...] = PAPER_PHASES,
    threads: int = 1,
) -> Outcome:
    """Encode the sequences in the first of the phases, and run the recursion with a distance measure.

    ``threads`` share the groups of a level, those of the run if it is 0. By default it is CUDA-Parttree:
    five phases of the paper, and the rest of the recursion on one thread.
    """
    run.compile_once(compile_all)
    for name in (*phases, RECURSION):
        with run.phase(name):  # so that all phases are listed, in this order
            pass
    with run.phase(phases[0], total=len(problem.sequences)) as phase:
        letters = concatenate_letters(problem.sequences, problem.is_protein)
        words = encode_sixmers(letters, problem.is_protein, phase)
    with run.phase(RECURSION) as phase:
        report = RecursionProgress(run.monitor, RECURSION)
        measure = measure_of(words, letters.possible_words, phase, report.report_distances)
        answer = PartTreeRecursion(problem, words, measure, phase, report, task, threads).answer()
    return Outcome(answer, run.times_ms, words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes)


def encode_sixmers(letters: LetterArrays, protein: bool, phase: CpuPhase) -> WordArrays:
    """Return the 6-mers of all sequences."""
    words, count, several = empty_words(letters, protein), letters.sequences, cpu_encoding.SEQUENCES_AT_ONCE
    tables = np.zeros((phase.run.threads, letters.possible_words), np.int32)
    spans = [(first, min(first + several, count)) for first in range(0, count, several)]
    phase.share_tasks(
        spans,
        lambda worker, span: cpu_encoding.encode_words(letters, words, tables[worker], *span, phase.run.stop),
        sizes=[last - first for first, last in spans],
    )
    return words


def log_level(phase: CpuPhase, level: int, batch: DistanceBatch, worker: int, begun_ns: int) -> None:
    """Log what a worker did of a level since ``begun_ns``, as members (rows) x references (columns)."""
    references = int(np.diff(batch.ref_starts).max(initial=0))
    phase.log(LoggedCells((0, batch.members.size), (0, references), level), worker, begun_ns)


def empty_distances(batch: DistanceBatch, with_all: bool) -> MeasuredDistances:
    """Return arrays for the distances of a batch."""
    size = batch.members.size
    if not with_all:
        return MeasuredDistances(np.zeros(size, np.int32), np.zeros(size), EMPTY, np.zeros(1, np.int64))
    places = np.concatenate([[0], np.cumsum(np.diff(batch.starts) * np.diff(batch.ref_starts))])
    return MeasuredDistances(np.zeros(1, np.int32), np.zeros(size), np.empty(max(int(places[-1]), 1)), places)


class DistanceMeasure:
    """Base of the distance measures; while they work they call ``report(done, total)``, which may raise Cancelled."""

    def __init__(self, words: WordArrays, bins: int, phase: CpuPhase, report: ReportProgress) -> None:
        self.words, self.bins, self.phase, self.report = words, bins, phase, report


class IndexedDistances(DistanceMeasure):
    """Distances by an index of the references, on threads."""

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        found, ticket, stop = empty_distances(batch, with_all), np.zeros(1, np.int64), self.phase.run.stop
        threads = max(1, min(self.phase.run.threads, len(batch.tasks)))
        done = np.zeros((threads, 8), np.int64)
        references = int(np.diff(batch.ref_starts).max(initial=0))
        until = np.concatenate([[0], np.cumsum((self.words.ends - self.words.begins)[batch.refs])])
        most = int(np.diff(until[batch.ref_starts]).max(initial=0))

        def run_worker(worker: int) -> None:
            begun_ns, own = time.perf_counter_ns(), cpu_shared_words.empty_index(self.bins, references, most)
            cpu_shared_words.measure_by_index(self.words, batch, found, own, ticket, done[worker, :1], stop)
            log_level(self.phase, level, batch, worker, begun_ns)

        members = int((batch.tasks[:, 2] - batch.tasks[:, 1]).sum())
        self.phase.share(run_worker, lambda: self.report(int(done[:, 0].sum()), members), threads)
        return found


class SerialDistances(DistanceMeasure):
    """Distances by algorithm 1 of Razzolini and Melo (2020), on one thread."""

    def __init__(self, words: WordArrays, bins: int, phase: CpuPhase, report: ReportProgress) -> None:
        super().__init__(words, bins, phase, report)
        self.ref_map, self.mirror = np.zeros(bins, np.int32), np.zeros(bins, np.int32)

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        found, done, stop = empty_distances(batch, with_all), np.zeros(1, np.int64), self.phase.run.stop

        def run_worker(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            cpu_shared_words.measure_by_maps(
                self.words, batch, found, self.ref_map, self.mirror, 0, len(batch.tasks), done, stop
            )
            log_level(self.phase, level, batch, worker, begun_ns)

        group, first, last = batch.tasks.T
        distances = int(np.dot(last - first, np.diff(batch.ref_starts)[group]))
        self.phase.share(run_worker, lambda: self.report(int(done[0]), distances), threads=1)
        return found


class SectionedDistances(SerialDistances):
    """Distances as in CUDA-Parttree: by algorithm 2 of all sequences on the first level, by algorithm 1 of all others.

    Its five steps are phases of the run.
    """

    def __init__(self, words: WordArrays, bins: int, phase: CpuPhase, report: ReportProgress, section: int) -> None:
        super().__init__(words, bins, phase, report)
        self.section, self.run = section, phase.run
        self.references_done = 0
        """References that all sequences have been counted against."""

    def __call__(self, batch: DistanceBatch, with_all: bool, level: int) -> MeasuredDistances:
        """Measure a batch; see `recursion.Measure`."""
        if level or with_all or batch.refs.size < 2:
            return super().__call__(batch, with_all, level)
        found, run = empty_distances(batch, with_all), self.run
        found.least[:] = np.inf
        with run.phase(SETUP):
            own = make_sections(self.words, batch.members, self.section)
            self.send_sections(own)
        parts = reference_batches(batch.refs.size, self.bins, batch.members.size, MOST_BYTES)
        for first in parts:
            refs = batch.refs[first : first + parts.step]
            with run.phase(MAPS):
                maps = np.zeros((refs.size, self.bins), np.int32)
                fill_maps(self.words, refs, maps)
            self.references_done = first
            shared = self.count_shared_words(own, maps, batch)
            with run.phase(RETURN) as phase:
                phase.share(
                    lambda worker: return_distances(self.words, batch, own, shared, first, found, run.stop),  # noqa: B023
                    run.monitor.check,
                    threads=1,
                )
        return found

    def send_sections(self, base_sections: SequenceSections) -> None:
        """Bring the sections to where they are counted; on the CPU they stay where they are."""

    def count_shared_words(self, base_sections: SequenceSections, maps: np.ndarray, batch: DistanceBatch) -> np.ndarray:
        """Return the words that every sequence, in the order of the sections, shares with some references."""
        shared, count = np.empty((len(maps), base_sections.order.size), np.int32), base_sections.lengths.size
        total = base_sections.order.size * batch.refs.size

        def log(first: int) -> LoggedCells:
            last = min((first + SECTIONS_AT_ONCE) * base_sections.size, base_sections.order.size)
            references = self.references_done, self.references_done + len(maps)
            return LoggedCells((first * base_sections.size, last), references)

        def report_progress() -> None:
            counted = min(int(phase.done.sum()) * SECTIONS_AT_ONCE / count, 1.0)
            self.report(round(base_sections.order.size * (self.references_done + counted * len(maps))), total)

        with self.run.phase(CALCULATION) as phase:

            def compute(worker: int, first: int) -> None:
                last = min(first + SECTIONS_AT_ONCE, count)
                count_shared_words(base_sections, maps, shared, first, last, self.run.stop)

            phase.share_tasks(range(0, count, SECTIONS_AT_ONCE), compute, log, report=report_progress)
        return shared


@cache
def compile_all() -> None:
    """Compile all kinds, or load them from the cache, by a run of each: two references, and members alone and not
    alone."""
    texts = (b"ACDEFGHIKL", b"ACDEFGHIKLMNP", b"WWWWWWWWWW", b"ACDEFG")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    problem = PartTreeProblem(sequences, 3)
    letters = concatenate_letters(sequences, True)
    with CpuRun().phase(RECURSION) as phase:
        report = RecursionProgress(phase.run.monitor, RECURSION)
        words = encode_sixmers(letters, True, phase)
        given = words, letters.possible_words, phase, report.report_distances
        for measure, task in (
            (IndexedDistances(*given), TASK),
            (SerialDistances(*given), WHOLE_GROUP),
            (SectionedDistances(*given, 2), WHOLE_GROUP),
        ):
            PartTreeRecursion(problem, words, measure, phase, report, task).answer()
