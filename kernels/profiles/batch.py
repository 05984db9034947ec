"""Many alignments of profiles at once, such as the nodes of a level of a guide tree: for families that build on this.

On the CPU every thread aligns pairs of its own, the largest first, so that none waits at the end. On a GPU all strips
of all pairs are in one queue on the device (`cuda_batch`).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from collections.abc import Sequence as Sequences
from functools import cache

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cpu_strips
from antidiag.kernels.profiles.cpu_strips import WORD, Turns
from antidiag.kernels.profiles.cpu_table import tiny, whole_answer
from antidiag.kernels.profiles.cpu_wavefront import room, whole_of
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.scoring import ColumnScoring, Encoded, Span
from antidiag.kernels.profiles.sizes import BATCH, STRIP_WIDTH

LONG = 2**16
"""Cells of alignments whose problems are made by threads."""


def align(
    pairs: Sequences[tuple[Profile, Profile]],
    scoring: ColumnScoring,
    span: Span = Span.GLOBAL,
    threads: int | None = None,
    monitor: Monitor | None = None,
    backend: str = "cpu",
) -> list[ProfileAnswer]:
    """The best alignment of each pair, in their order; the same as that of `ProfileProblem` by any method.

    ``threads`` None: all cores. With the ``backend`` "cuda" on the current device, which `kernels.cuda.devices.use` has
    begun on this thread. Errors as `ProfileProblem.encoded` has them; raises Cancelled.
    """
    if backend == "cuda":
        from antidiag.kernels.profiles import cuda_batch  # it imports CuPy

        return cuda_batch.align(pairs, scoring, span, monitor or Monitor())
    sizes = [len(first) * len(second) for first, second in pairs]
    return align_each(sizes, lambda at: ProfileProblem(*pairs[at], scoring, span).encoded, threads, monitor)


def align_each(
    sizes: Sequences[int],
    make: Callable[[int], Encoded],
    threads: int | None = None,
    monitor: Monitor | None = None,
    backend: str = "cpu",
) -> list[ProfileAnswer]:
    """The same of problems in whole numbers, of one kind of score and one mode: ``make(at)`` gives one, on the thread
    that aligns it, and ``sizes`` are their cells."""
    if backend == "cuda":
        from antidiag.kernels.profiles import cuda_batch

        return cuda_batch.encoded(_all_made(sizes, make, monitor or Monitor()), monitor or Monitor())
    _compiled()
    found: list[ProfileAnswer | None] = [None] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    tickets, lock, stop = itertools.count(), threading.Lock(), workers.stop_word()
    done, monitor = np.zeros(max(threads or workers.cores(), 1), np.int64), monitor or Monitor()

    def work(worker: int) -> None:
        while not stop[0]:
            with lock:
                ticket = next(tickets)
            if ticket >= len(order):
                return
            at = order[ticket]
            found[at] = _one(make(at), stop)
            done[worker] += 1

    if sizes:
        workers.share(
            work, min(len(done), len(sizes)), stop, lambda: monitor.update(int(done.sum()), len(sizes), "alignments")
        )
    return [answer for answer in found if answer is not None]


def _all_made(sizes: Sequences[int], make: Callable[[int], Encoded], monitor: Monitor) -> list[Encoded]:
    """All problems, by threads where they are so long that making one takes longer than to hand it over."""
    if len(sizes) < 2 or sum(sizes) < LONG * len(sizes):
        return [make(at) for at in range(len(sizes))]
    found: list[Encoded | None] = [None] * len(sizes)
    tickets, stop = itertools.count(), workers.stop_word()

    def work(worker: int) -> None:
        while not stop[0] and (at := next(tickets)) < len(sizes):
            found[at] = make(at)

    workers.share(work, min(workers.cores(), len(sizes)), stop, monitor.check)
    return [made for made in found if made is not None]


def _one(made: Encoded, stop: np.ndarray) -> ProfileAnswer | None:
    """The alignment of a pair, on this thread; None where all are to stop."""
    whole = whole_of(made, STRIP_WIDTH, BATCH)
    kept, packed = room(whole), cpu_strips.packed_rows(whole.rows)
    turns = Turns(np.zeros(len(kept.best) * WORD, np.int64), stop)
    times: np.ndarray = np.zeros((-(-made.m // BATCH), 2), np.int64)
    for number in range(len(kept.best)):
        if not cpu_strips.strip(whole, packed, number, kept, turns, times):
            return None
    score, i, j = cpu_strips.best_end(whole, kept)
    operations = np.empty(i + j, np.uint8)
    count, first, second, _ = cpu_strips.path(whole, packed, kept, i, j, operations, stop)
    if count < 0:
        return None
    return whole_answer(made.mode, (made.m, made.n), score, (first, second), (i, j), operations[:count][::-1])


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder."""
    _one(tiny(), workers.stop_word())
