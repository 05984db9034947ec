"""PartTree on the CPU: ours, with an index of the references, and the serial one, with algorithm 1 of the paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from kernels.cpu import workers
from kernels.cpu.phases import PhaseClock, time_ms
from kernels.model import Outcome, Sequence, SequenceType
from kernels.monitor import Monitor
from kernels.parameters import typed
from kernels.parttree import cpu_counts, cpu_words
from kernels.parttree.cpu_counts import TASK, Batch, Found, Index
from kernels.parttree.parameters import Threads
from kernels.parttree.problem import PartTreeProblem
from kernels.parttree.recursion import NOTHING, part_tree, told
from kernels.parttree.words import Letters, Words, empty_words, letters_of
from kernels.steps import Steps

ALL = 1 << 60
"""Members of a task that is a whole group."""
WORDS, RECURSION = "words", "recursion"


def parttree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The words of a member lead to the references that have them too; threads take parts of all groups of a level."""
    return _run(problem, typed(Threads, parameters).threads, monitor, steps, Indexed, TASK)


def parttree_serial(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A map of every reference, which every sequence is held against."""
    return _run(problem, 1, monitor, steps, Serial, ALL)


def _run(
    problem: PartTreeProblem, threads: int, monitor: Monitor, steps: Steps, kind: type[Indexed] | type[Serial],
    task: int,
) -> Outcome:  # fmt: skip
    times_ms = {"compilation": time_ms(_compiled), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    letters = letters_of(problem.sequences, problem.protein)
    words = encoded(letters, problem.protein, threads, monitor)
    clock.phase(WORDS)
    measure = kind(words, letters.bins, threads, monitor, Log(steps, 2, clock.started_ns))
    answer = part_tree(problem, words, measure, threads, told(monitor, RECURSION), task)
    clock.phase(RECURSION)
    return Outcome(answer, times_ms, words.kmers.nbytes + words.counts.nbytes + letters.letters.nbytes)


def encoded(letters: Letters, protein: bool, threads: int, monitor: Monitor) -> Words:
    """The 6-mers of all sequences."""
    words, ticket, stop = empty_words(letters, protein), np.zeros(1, np.int64), workers.stop_word()
    threads = max(1, min(threads, letters.count // cpu_words.PART))
    done = np.zeros((threads, 8), np.int64)

    def work(worker: int) -> None:
        cpu_words.encode(letters, words, np.zeros(letters.bins, np.int32), ticket, done[worker, :1], stop)

    workers.share(work, threads, stop, lambda: monitor.update(int(done.max()), letters.count, WORDS))
    return words


class Log:
    """The step log of a phase: what a worker did of a level, as members (rows) x references (columns)."""

    def __init__(self, steps: Steps, phase: int, started_ns: int) -> None:
        self.steps, self.phase, self.started_ns = steps, phase, started_ns

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


class Indexed:
    """Distances by an index of the references, on threads."""

    def __init__(self, words: Words, bins: int, threads: int, monitor: Monitor, log: Log) -> None:
        self.words, self.bins, self.threads, self.monitor, self.log = words, bins, threads, monitor, log
        self.sizes = words.ends - words.begins

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

        workers.share(work, threads, stop, self.monitor.check)
        return found


class Serial:
    """Distances by algorithm 1, on one thread."""

    def __init__(self, words: Words, bins: int, threads: int, monitor: Monitor, log: Log) -> None:
        self.words, self.monitor, self.log = words, monitor, log
        self.ref_map, self.mirror = np.zeros(bins, np.int32), np.zeros(bins, np.int32)

    def __call__(self, batch: Batch, every: bool, level: int) -> Found:
        found, stop = room_for(batch, every), workers.stop_word()

        def work(worker: int) -> None:
            begun_ns = time.perf_counter_ns()
            cpu_counts.serial(self.words, batch, found, self.ref_map, self.mirror, 0, len(batch.tasks), stop)
            self.log.add(level, batch, worker, begun_ns)

        workers.share(work, 1, stop, self.monitor.check)
        return found


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder: two references and a member that is alone."""
    texts = (b"ACDEFGHIKL", b"ACDEFGHIKLMNP", b"WWWWWWWWWW", b"ACDEFG")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    problem = PartTreeProblem(sequences, 3)
    letters = letters_of(sequences, True)
    words, log = encoded(letters, True, 1, Monitor()), Log(Steps(), 2, 0)
    tell: Callable[[int, int], None] = lambda done, total: None  # noqa: E731
    for kind, task in ((Indexed, TASK), (Serial, ALL)):
        part_tree(problem, words, kind(words, letters.bins, 1, Monitor(), log), 1, tell, task)
