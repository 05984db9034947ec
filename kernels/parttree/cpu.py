"""PartTree on the CPU: ours, with an index of the references, and the serial one, with algorithm 1 of the paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree import cpu_counts, cpu_words
from antidiag.kernels.parttree.cpu_counts import TASK, Batch, Found
from antidiag.kernels.parttree.parameters import SectionParameters, Threads
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.recursion import NOTHING, part_tree, told
from antidiag.kernels.parttree.sections import PART, Sections, batches, calculate, maps_of, returned, sections
from antidiag.kernels.parttree.words import Letters, Words, empty_words, letters_of
from antidiag.kernels.steps import Steps

ALL = 1 << 60
"""Members of a task that is a whole group."""
WORDS, RECURSION = "words", "recursion"
SETUP, MAPS, CALCULATION, RETRIEVAL, RETURN = PAPER_PHASES = (
    "sequence setup", "reference maps", "calculation", "retrieval", "return",
)  # fmt: skip
"""The five steps of CUDA-Parttree (section 5.4)."""
CALCULATION_NUMBER = 3
MOST_BYTES = 1 << 29
"""Bytes of the maps of references that are counted together, and of what they share with all sequences."""


def parttree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The words of a member lead to the references that have them too; threads take parts of all groups of a level."""
    return _run(problem, typed(Threads, parameters).threads, monitor, steps, Indexed, TASK)


def parttree_serial(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A map of every reference, which every sequence is held against."""
    return _run(problem, 1, monitor, steps, Serial, ALL)


def cuda_parttree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Algorithm 2 on threads, each of which takes sections."""
    chosen = typed(SectionParameters, parameters)

    def measure(words: Words, bins: int, log: Log, times_ms: dict[str, float]) -> Sectioned:
        return Sectioned(words, bins, chosen.section, chosen.threads, monitor, log, times_ms)

    return run_sections(problem, chosen.threads, monitor, steps, measure)


def run_sections(
    problem: PartTreeProblem, threads: int, monitor: Monitor, steps: Steps,
    measure_of: Callable[[Words, int, Log, dict[str, float]], Sectioned],
) -> Outcome:  # fmt: skip
    """A run of CUDA-Parttree: the five phases of the paper, and what else the recursion takes."""
    times_ms = {"compilation": compiled_ms(compile_all, monitor), "transfer": 0.0}
    times_ms |= dict.fromkeys((*PAPER_PHASES, RECURSION), 0.0)
    clock = PhaseClock({})
    letters = letters_of(problem.sequences, problem.protein)
    words = encoded(letters, problem.protein, threads, monitor)
    times_ms[SETUP] = clock.running_ms
    measure = measure_of(words, letters.bins, Log(steps, len(PAPER_PHASES) + 1, clock.started_ns), times_ms)
    tell = told(monitor, RECURSION)
    measure.measured = tell.measured
    answer = part_tree(problem, words, measure, 1, tell, ALL)
    times_ms[RECURSION] = max(clock.running_ms - sum(times_ms[phase] for phase in PAPER_PHASES), 0.0)
    nbytes = words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes
    return Outcome(answer, times_ms, nbytes)


def _run(
    problem: PartTreeProblem, threads: int, monitor: Monitor, steps: Steps, kind: type[Indexed] | type[Serial],
    task: int,
) -> Outcome:  # fmt: skip
    times_ms = {"compilation": compiled_ms(compile_all, monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    letters = letters_of(problem.sequences, problem.protein)
    words = encoded(letters, problem.protein, threads, monitor)
    clock.phase(WORDS)
    measure = kind(words, letters.bins, threads, monitor, Log(steps, 2, clock.started_ns))
    tell = told(monitor, RECURSION)
    measure.measured = tell.measured
    answer = part_tree(problem, words, measure, threads, tell, task)
    clock.phase(RECURSION)
    return Outcome(answer, times_ms, words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes)


def encoded(letters: Letters, protein: bool, threads: int, monitor: Monitor) -> Words:
    """The 6-mers of all sequences."""
    words, ticket, stop = empty_words(letters, protein), np.zeros(1, np.int64), workers.stop_word()
    threads = max(1, min(threads, letters.sequences // cpu_words.PART))
    done = np.zeros((threads, 8), np.int64)

    def work(worker: int) -> None:
        cpu_words.encode(letters, words, np.zeros(letters.bins, np.int32), ticket, done[worker, :1], stop)

    workers.share(work, threads, stop, lambda: monitor.update(int(done.max()), letters.sequences, WORDS))
    return words


class Log:
    """The step log of a phase: what a worker did of a level, as members (rows) x references (columns)."""

    def __init__(self, steps: Steps, phase: int, started_ns: int) -> None:
        self.steps, self.phase, self.started_ns = steps, phase, started_ns

    def on(self, phase: int) -> Log:
        """The log of another phase."""
        return Log(self.steps, phase, self.started_ns)

    def add(self, level: int, batch: Batch, worker: int, begun_ns: int) -> None:
        references = int(np.diff(batch.ref_starts).max(initial=0))
        self.steps.add(
            self.phase, level, (0, batch.members.size), (0, references), worker, begun_ns - self.started_ns,
            time.perf_counter_ns() - self.started_ns,
        )  # fmt: skip


def room_for(batch: Batch, every: bool) -> Found:
    """Where the distances of a batch go."""
    size = batch.members.size
    if not every:
        return Found(np.zeros(size, np.int32), np.zeros(size), NOTHING, np.zeros(1, np.int64))
    places = np.concatenate([[0], np.cumsum(np.diff(batch.starts) * np.diff(batch.ref_starts))])
    return Found(np.zeros(1, np.int32), np.zeros(size), np.empty(max(int(places[-1]), 1)), places)


class Measuring:
    """What measures distances; meanwhile it calls ``measured(done, total)``, which raises Cancelled when asked to."""

    def __init__(self, words: Words, monitor: Monitor, log: Log) -> None:
        self.words, self.monitor, self.log = words, monitor, log
        self.measured: Callable[[int, int], None] = lambda done, total: monitor.check()


class Indexed(Measuring):
    """Distances by an index of the references, on threads."""

    def __init__(self, words: Words, bins: int, threads: int, monitor: Monitor, log: Log) -> None:
        super().__init__(words, monitor, log)
        self.bins, self.threads, self.sizes = bins, threads, words.ends - words.begins

    def __call__(self, batch: Batch, every: bool, level: int) -> Found:
        found, ticket, stop = room_for(batch, every), np.zeros(1, np.int64), workers.stop_word()
        threads = max(1, min(self.threads, len(batch.tasks)))
        done = np.zeros((threads, 8), np.int64)
        references = int(np.diff(batch.ref_starts).max(initial=0))
        until = np.concatenate([[0], np.cumsum(self.sizes[batch.refs])])
        most = int(np.diff(until[batch.ref_starts]).max(initial=0))

        def work(worker: int) -> None:
            begun_ns, own = time.perf_counter_ns(), cpu_counts.index(self.bins, references, most)
            cpu_counts.measure(self.words, batch, found, own, ticket, done[worker, :1], stop)
            self.log.add(level, batch, worker, begun_ns)

        members = int((batch.tasks[:, 2] - batch.tasks[:, 1]).sum())
        workers.share(work, threads, stop, lambda: self.measured(int(done[:, 0].sum()), members))
        return found


class Serial(Measuring):
    """Distances by algorithm 1, on one thread."""

    def __init__(self, words: Words, bins: int, threads: int, monitor: Monitor, log: Log) -> None:
        super().__init__(words, monitor, log)
        self.ref_map, self.mirror = np.zeros(bins, np.int32), np.zeros(bins, np.int32)

    def __call__(self, batch: Batch, every: bool, level: int) -> Found:
        found, done, stop = room_for(batch, every), np.zeros(1, np.int64), workers.stop_word()

        def work(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            cpu_counts.serial(self.words, batch, found, self.ref_map, self.mirror, 0, len(batch.tasks), done, stop)
            self.log.add(level, batch, worker, begun_ns)

        group, first, last = batch.tasks.T
        distances = int(np.dot(last - first, np.diff(batch.ref_starts)[group]))
        workers.share(work, 1, stop, lambda: self.measured(int(done[0]), distances))
        return found


class Sectioned(Serial):
    """Distances as CUDA-Parttree has them: by algorithm 2 those of the references to all sequences on the first level,
    by algorithm 1 all others. Its five steps are phases of the run."""

    def __init__(
        self,
        words: Words,
        bins: int,
        section: int,
        threads: int,
        monitor: Monitor,
        log: Log,
        times_ms: dict[str, float],
    ) -> None:
        super().__init__(words, bins, threads, monitor, log)
        self.bins, self.section, self.threads, self.times_ms = bins, section, threads, times_ms
        self.stop = workers.stop_word()
        self.counted = 0
        """References that all sequences have been counted against."""

    def __call__(self, batch: Batch, every: bool, level: int) -> Found:
        if level or every or batch.refs.size < 2:
            return super().__call__(batch, every, level)
        found = room_for(batch, every)
        found.least[:] = np.inf
        with self.timed(SETUP):
            own = sections(self.words, batch.members, self.section)
            self.send(own)
        parts = batches(batch.refs.size, self.bins, batch.members.size, MOST_BYTES)
        for first in parts:
            refs = batch.refs[first : first + parts.step]
            with self.timed(MAPS):
                maps = np.zeros((refs.size, self.bins), np.int32)
                maps_of(self.words, refs, maps)
            self.counted = first
            shared = self.calculated(own, maps, batch)
            with self.timed(RETURN):
                self.alone(partial(returned, self.words, batch, own, shared, first, found, self.stop))
        return found

    def send(self, own: Sections) -> None:
        """The structs stay where they are."""

    def calculated(self, own: Sections, maps: np.ndarray, batch: Batch) -> np.ndarray:
        """The words that every sequence, in the order of the sections, shares with these references."""
        shared, ticket = np.empty((len(maps), own.order.size), np.int32), np.zeros(1, np.int64)
        threads = max(1, min(self.threads, own.lengths.size // PART))

        def work(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            calculate(own, maps, shared, ticket, self.stop)
            self.log.on(CALCULATION_NUMBER).add(0, batch, worker, begun_ns)

        def poll() -> None:
            taken = min(int(ticket[0]) * PART / own.lengths.size, 1.0)
            self.measured(round(own.order.size * (self.counted + taken * len(maps))), own.order.size * batch.refs.size)

        with self.timed(CALCULATION):
            workers.share(work, threads, self.stop, poll)
        with self.timed(RETRIEVAL):
            return shared

    def alone(self, work: Callable[[], None]) -> None:
        """Do something on one thread that hears the wish to cancel."""
        workers.share(lambda worker: work(), 1, self.stop, self.monitor.check)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        before = time.perf_counter()
        yield
        self.times_ms[phase] = self.times_ms.get(phase, 0.0) + (time.perf_counter() - before) * 1e3


@cache
def compile_all() -> None:
    """Compile, or load from the cache folder, by a run of each kind: two references, a member that is alone, and one
    that is not."""
    texts = (b"ACDEFGHIKL", b"ACDEFGHIKLMNP", b"WWWWWWWWWW", b"ACDEFG")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    problem = PartTreeProblem(sequences, 3)
    letters = letters_of(sequences, True)
    words, log = encoded(letters, True, 1, Monitor()), Log(Steps(), 2, 0)
    for measure, task in (
        (Indexed(words, letters.bins, 1, Monitor(), log), TASK),
        (Serial(words, letters.bins, 1, Monitor(), log), ALL),
        (Sectioned(words, letters.bins, 2, 1, Monitor(), log, {}), ALL),
    ):
        part_tree(problem, words, measure, 1, told(Monitor(), RECURSION), task)
