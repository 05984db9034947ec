"""The stages of consistency-based alignment that go over all pairs, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import cpu_pairs, cpu_sparse, cpu_strips, sparse
from antidiag.kernels.msa.consistency.cpu_strips import CELLS, COLUMNS, LANES, Weights
from antidiag.kernels.msa.consistency.models import CUT, PairModel
from antidiag.kernels.msa.consistency.sparse import Part, Posteriors

PIECE = 64
"""Pairs that a thread does at a time."""

ROWS_ENTRIES = 12
"""Entries a row and lane for which there is room at first."""


@dataclass(frozen=True)
class Task:
    """A sequence x, and up to 16 that are no shorter."""

    x: int
    others: tuple[int, ...]
    cells: int


def laid_out(lengths: np.ndarray, parts: Sequence[Part], threads: int, check: Callable[[], None]) -> Posteriors:
    """The pairs of all parts."""
    made, stop = sparse.room_for(lengths, parts), workers.stop_word()
    pieces = [(part, first) for part in parts for first in range(0, len(part.pairs), PIECE)]

    def put(number: int) -> None:
        part, first = pieces[number]
        cpu_sparse.put_pairs(made.arrays, part, first, min(first + PIECE, len(part.pairs)), stop)

    each(put, len(pieces), threads, stop, lambda done: check())
    return made


def each(work: Callable[[int], None], tasks: int, threads: int, stop: np.ndarray, poll: Callable[[int], None]) -> None:
    """``work(task)`` for all tasks, on threads that take one after the other; ``poll(tasks done)`` meanwhile."""
    numbers, done = count(), list[int]()

    def share(worker: int) -> None:
        while not stop[0] and (number := next(numbers)) < tasks:
            work(number)
            done.append(number)

    workers.share(share, min(threads, max(tasks, 1)), stop, lambda: poll(len(done)))


def weights(model: PairModel, longest: int) -> Weights:
    """A model as compiled code takes it."""
    ends, exponents = model.ends(longest)
    into, extend, leave = (
        [np.float32(number) for number in kinds] for kinds in (model.into, model.extend, model.leave)
    )
    return Weights(model.odds, np.float32(model.match), into[0], into[1], extend[0], extend[1], leave[0], leave[1],
                   model.kinds == 2, ends, exponents)  # fmt: skip


def tasks(lengths: np.ndarray, cells: int = 1) -> list[Task]:
    """All pairs of so many cells at least, the most work first."""
    order = [int(x) for x in np.argsort(lengths, kind="stable") if lengths[x]]
    made = []
    for place, x in enumerate(order):
        beside = [y for y in order[place + 1 :] if lengths[x] * lengths[y] >= cells]
        for first in range(0, len(beside), LANES):
            others = tuple(beside[first : first + LANES])
            made.append(Task(x, others, int(lengths[x] * lengths[list(others)].sum())))
    return sorted(made, key=lambda task: -task.cells)


def tasks_with(lengths: np.ndarray, some: int) -> list[Task]:
    """All pairs in which one of the first ``some`` sequences is; of these and longer ones 16 at a time."""
    made = []
    for x in range(some):
        longer = [y for y in range(x + 1, lengths.size) if lengths[y] >= lengths[x]]
        shorter = [y for y in range(x + 1, lengths.size) if lengths[y] < lengths[x]]
        groups = [(x, tuple(longer[first : first + LANES])) for first in range(0, len(longer), LANES)]
        groups += [(y, (x,)) for y in shorter]
        made += [Task(one, others, int(lengths[one] * lengths[list(others)].sum())) for one, others in groups]
    return sorted(made, key=lambda task: -task.cells)


def room(m: int, n: int, models: int) -> cpu_pairs.Room:
    """Room for a task of sequences of these lengths."""
    borders, row = -(-n // COLUMNS) + 4, (m + 1) * LANES
    return cpu_pairs.Room(
        np.zeros((models, borders, 4, row), np.float32),
        np.zeros((models, borders, row), np.int32),
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
    parts = posteriors_of(sequences, models, tasks(lengths), threads, monitor, cut)
    return laid_out(lengths, parts, threads, monitor.check)


def posteriors_of(
    sequences: Sequence[np.ndarray], models: Sequence[PairModel], work: Sequence[Task], threads: int, monitor: Monitor,
    cut: int = CUT,
) -> list[Part]:  # fmt: skip
    """Posteriors of the pairs of some tasks."""
    lengths = np.array([sequence.size for sequence in sequences], np.int64)
    ends = np.cumsum(lengths)
    letters = np.concatenate([*sequences, np.empty(0, np.uint8)])
    longest = int(lengths.max(initial=0))
    parts: list[Part] = []
    forward = tuple(weights(model, longest) for model in models)
    backward = tuple(weights(model.reversed(), longest) for model in models)
    total, stop = sum(task.cells for task in work), workers.stop_word()
    done: list[int] = []

    def compute(number: int) -> None:
        task = work[number]
        y = np.array(task.others)
        offsets, m = np.stack([ends[y] - lengths[y], ends[y]], 1), int(lengths[task.x])
        space, rows = room(m, int(lengths[y].max()), len(models)), cpu_strips.rows()
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
        starts = cpu_sparse.sort_words(space.words, entries, y.size, m, pointers, columns, units)
        pairs = np.stack([np.full(y.size, task.x), y], 1).astype(np.int32)
        parts.append(Part(pairs, np.arange(y.size) * (m + 1), starts[:-1], pointers.reshape(-1), columns, units))
        done.append(task.cells)

    each(compute, len(work), threads, stop, lambda _: monitor.update(sum(done), total, "posteriors"))
    return parts


def accuracies(found: Posteriors, threads: int, monitor: Monitor) -> np.ndarray:
    """Expected accuracy of all pairs, float64 (n, n): the largest sum of posteriors over the shorter length."""
    made, stop = np.zeros((found.count, found.count)), workers.stop_word()
    each(lambda x: cpu_sparse.accuracies(found.arrays, x, made[x], stop), found.count, threads, stop,
         lambda done: monitor.update(done, found.count, "distances"))  # fmt: skip
    np.fill_diagonal(made, 0.5)
    return made + made.T


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
    """One round of consistency by way of those ``chosen`` for each (int32, n rows)."""
    stop, parts = workers.stop_word(), []
    of_sequences, relative = of_sequences.astype(np.float32), np.float32(own)
    pairs = np.stack(np.triu_indices(found.count, 1), 1).astype(np.int32)
    before, whole = part

    def compute(number: int) -> None:
        some = pairs[number * PIECE : (number + 1) * PIECE]
        m = found.lengths[some[:, 0]]
        rows, begins = np.cumsum(m + 1) - (m + 1), np.zeros(len(some), np.int64)
        pointers = np.zeros(int((m + 1).sum()), np.int32)
        columns, units = (np.empty(int(ROWS_ENTRIES * m.sum()) + 64, np.uint16) for _ in range(2))
        done = entries = 0
        while True:
            done, entries = cpu_sparse.consistent(
                found.arrays, some, done, chosen, of_sequences, relative, cut, pointers, rows, begins, columns, units,
                entries, stop,
            )  # fmt: skip
            if done == len(some) or stop[0]:
                break
            columns, units = (np.concatenate([array, np.empty_like(array)]) for array in (columns, units))
        parts.append(Part(some, rows, begins, pointers, columns[:entries].copy(), units[:entries].copy()))

    total = -(-len(pairs) // PIECE)
    each(compute, total, threads, stop,
         lambda done: monitor.update(before * total + done, whole * total, "consistency"))  # fmt: skip
    return laid_out(found.lengths, parts, threads, monitor.check)
