"""The stages of consistency-based alignment that go over all pairs, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from kernels.cpu import workers
from kernels.monitor import Monitor
from kernels.msa.consistency import cpu_pairs, cpu_sparse, cpu_strips, sparse
from kernels.msa.consistency.cpu_strips import CELLS, COLUMNS, LANES, Weights
from kernels.msa.consistency.models import PairModel
from kernels.msa.consistency.sparse import Posteriors

CUT = 656
"""Units of a posterior of .01: what is less is dropped."""

ROWS_ENTRIES = 12
"""Entries a row and lane for which there is room at first."""


@dataclass(frozen=True)
class Task:
    """A sequence x, and up to 16 that are no shorter."""

    x: int
    others: tuple[int, ...]
    cells: int


@dataclass
class Found:
    """Compressed rows of unordered pairs, by (x, y)."""

    pairs: dict[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)

    def laid_out(self, lengths: np.ndarray, threads: int, check: Callable[[], None]) -> Posteriors:
        counts = np.zeros((lengths.size, lengths.size), np.int64)
        for (x, y), (_, columns, _) in self.pairs.items():
            counts[x, y] = counts[y, x] = columns.size
        made = sparse.layout(lengths, counts)
        pairs = list(self.pairs.items())

        def put(number: int) -> None:
            (x, y), rows = pairs[number]
            cpu_sparse.put(made.arrays, x, y, *rows)

        each(put, len(pairs), threads, workers.stop_word(), lambda done: check())
        return made


def each(work: Callable[[int], None], tasks: int, threads: int, stop: np.ndarray, poll: Callable[[int], None]) -> None:
    """``work(task)`` for all tasks, on threads that take one after the other; ``poll(tasks done)`` meanwhile."""
    numbers, done = count(), count()

    def share(worker: int) -> None:
        while not stop[0] and (number := next(numbers)) < tasks:
            work(number)
            next(done)

    workers.share(share, min(threads, max(tasks, 1)), stop, lambda: poll(done.__reduce__()[1][0]))


def weights(model: PairModel, longest: int) -> Weights:
    """A model as compiled code takes it."""
    ends, exponents = model.ends(longest)
    numbers = (model.match, *model.into, *model.extend, *model.leave)
    return Weights(model.odds, *map(np.float32, numbers), model.kinds == 2, ends, exponents)


def tasks(lengths: np.ndarray) -> list[Task]:
    """All pairs of sequences that are not empty, the most work first."""
    order = [int(x) for x in np.argsort(lengths, kind="stable") if lengths[x]]
    made = []
    for place, x in enumerate(order):
        for first in range(place + 1, len(order), LANES):
            others = tuple(order[first : first + LANES])
            made.append(Task(x, others, int(lengths[x] * lengths[list(others)].sum())))
    return sorted(made, key=lambda task: -task.cells)


def room(m: int, n: int) -> cpu_pairs.Room:
    """Room for a task of sequences up to these lengths."""
    borders, row = -(-n // COLUMNS) + 4, (m + 1) * LANES
    return cpu_pairs.Room(
        np.zeros((2, borders, 4, row), np.float32),
        np.zeros((2, borders, row), np.int32),
        np.zeros(m * CELLS, np.float32),
        np.zeros(m * CELLS, np.float32),
        np.zeros(m * LANES, np.int32),
        np.zeros(ROWS_ENTRIES * m * LANES, np.int64),
    )


def posteriors(
    sequences: Sequence[np.ndarray], models: Sequence[PairModel], threads: int, monitor: Monitor, cut: int = CUT
) -> Posteriors:
    """Posteriors of all pairs of encoded sequences: the root of the mean square of those of the models."""
    lengths = np.array([sequence.size for sequence in sequences], np.int64)
    ends = np.cumsum(lengths)
    letters = np.concatenate([*sequences, np.empty(0, np.uint8)])
    longest, found, work = int(lengths.max(initial=0)), Found(), tasks(lengths)
    forward = tuple(weights(model, longest) for model in models)
    backward = tuple(weights(model.reversed(), longest) for model in models)
    total, done, stop = sum(task.cells for task in work), [0], workers.stop_word()

    def compute(number: int) -> None:
        task = work[number]
        y = np.array(task.others)
        offsets, m = np.stack([ends[y] - lengths[y], ends[y]], 1), int(lengths[task.x])
        space, entries = room(m, int(lengths[y].max())), -1
        rows = cpu_strips.rows()
        first = int(ends[task.x]) - m
        entries = cpu_pairs.posteriors(letters, first, first + m, offsets, forward, backward, space, rows, cut, stop)
        while entries > space.words.size:
            space = space._replace(words=np.zeros(entries, np.int64))
            entries = cpu_pairs.posteriors(
                letters, first, first + m, offsets, forward, backward, space, rows, cut, stop
            )
        if entries < 0:
            return
        pointers = np.empty((y.size, m + 1), np.int32)
        columns, units = np.empty(entries, np.uint16), np.empty(entries, np.uint16)
        starts = cpu_sparse.sort_words(space.words, entries, y.size, m, y.size, pointers, columns, units).tolist()
        for lane, other in enumerate(task.others):
            part = slice(starts[lane], starts[lane + 1])
            found.pairs[task.x, other] = pointers[lane], columns[part], units[part]
        done[0] += task.cells

    each(compute, len(work), threads, stop, lambda _: monitor.update(done[0], total, "posteriors"))
    for x, y in _with_empty(lengths):
        found.pairs[x, y] = np.zeros(int(lengths[x]) + 1, np.int32), np.empty(0, np.uint16), np.empty(0, np.uint16)
    return found.laid_out(lengths, threads, monitor.check)


def accuracies(found: Posteriors, threads: int, monitor: Monitor) -> np.ndarray:
    """Expected accuracy of all pairs, float64 (n, n): the largest sum of posteriors over the shorter length."""
    n = found.count
    made = np.ones((n, n))

    def row(x: int) -> None:
        for y in range(x + 1, n):
            shorter = max(int(min(found.lengths[x], found.lengths[y])), 1)
            made[x, y] = made[y, x] = cpu_sparse.accuracy(found.arrays, x, y) / (65536 * shorter)

    each(row, n, threads, workers.stop_word(), lambda done: monitor.update(done, n, "distances"))
    return made


def consistent(
    found: Posteriors,
    chosen: np.ndarray,
    of_sequences: np.ndarray,
    own: float,
    threads: int,
    monitor: Monitor,
    part: tuple[int, int] = (0, 1),
    cut: int = CUT,
) -> Posteriors:
    """One round of consistency by way of the sequences ``chosen`` of each (int32, n rows); weights, and that of oneself."""
    n, made, stop = found.count, Found(), workers.stop_word()
    pairs = [(x, y) for x in range(n) for y in range(x + 1, n)]
    of_sequences = of_sequences.astype(np.float32)
    before, whole = part

    def compute(number: int) -> None:
        x, y = pairs[number]
        m = int(found.lengths[x])
        pointers, room = np.empty(m + 1, np.int32), ROWS_ENTRIES * m + 64
        itself = np.float32(own) * (of_sequences[x] + of_sequences[y])
        while True:
            columns, units = np.empty(room, np.uint16), np.empty(room, np.uint16)
            entries = cpu_sparse.consistent(
                found.arrays, x, y, chosen, of_sequences, itself, cut, pointers, columns, units, stop
            )
            if entries <= room:
                break
            room = entries
        if entries >= 0:
            made.pairs[x, y] = pointers, columns[:entries].copy(), units[:entries].copy()

    total = len(pairs)
    each(compute, total, threads, stop,
         lambda done: monitor.update(before * total + done, whole * total, "consistency"))  # fmt: skip
    return made.laid_out(found.lengths, threads, monitor.check)


def _with_empty(lengths: np.ndarray) -> list[tuple[int, int]]:
    n = lengths.size
    return [(x, y) for x in range(n) for y in range(x + 1, n) if not (lengths[x] and lengths[y])]
