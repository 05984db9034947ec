"""Many alignments of profiles on the GPU: their strips in one queue on the device, then their paths, a block each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cuda.run import Run
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cuda_wavefront
from antidiag.kernels.profiles.cuda_pairs import LOAD, Pairs
from antidiag.kernels.profiles.encoding import encode_together
from antidiag.kernels.profiles.many import Many
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.scoring import ColumnScoring, Encoded, Span
from antidiag.kernels.profiles.sizes import GPU_STRIP
from antidiag.kernels.steps import Steps

TOGETHER = 2**30
"""Bytes of the alignments that are on the device at a time, about."""


class Shape(NamedTuple):
    """What is asked of a pair before it is on the device: how many symbols, and columns of both."""

    symbols: int
    m: int
    n: int


def align(
    pairs: Sequences[tuple[Profile, Profile]], scoring: ColumnScoring, span: Span, monitor: Monitor
) -> list[ProfileAnswer]:
    """The best alignment of each pair, in their order."""
    shapes = [Shape(len(first.alphabet), len(first), len(second)) for first, second in pairs]
    return _aligned(
        shapes, lambda group: encode_together([pairs[at] for at in group], scoring, span, monitor.check), monitor
    )[0]


def encoded(made: list[Encoded], monitor: Monitor) -> list[ProfileAnswer]:
    """The same of problems of one scoring and one mode, in whole numbers."""
    return timed(made, monitor)[0]


def timed(made: list[Encoded], monitor: Monitor) -> tuple[list[ProfileAnswer], dict[str, float]]:
    """The alignments, and the milliseconds of each phase."""
    shapes = [Shape(len(one.rows), one.m, one.n) for one in made]
    return _aligned(shapes, lambda group: Many.of([made[at] for at in group]), monitor)


def _aligned(
    shapes: list[Shape], make: Callable[[list[int]], Many], monitor: Monitor
) -> tuple[list[ProfileAnswer], dict[str, float]]:
    """``make`` gives the pairs of such numbers, one behind the other."""
    run = Run(monitor, Steps())
    found: list[ProfileAnswer | None] = [None] * len(shapes)
    done = 0
    for together in _groups(shapes):
        group = Pairs.of(run, make(together))
        group.prepare()
        _launch(run, group)
        for at, answer in zip(together, group.answers(), strict=True):
            found[at] = answer
        done += len(together)
        monitor.update(done, len(shapes), "alignments")
    return [answer for answer in found if answer is not None], run.times_ms


def _groups(shapes: list[Shape]) -> Iterator[list[int]]:
    """Numbers of the alignments that are on the device at a time, the largest first; all over as many symbols."""
    order = sorted(range(len(shapes)), key=lambda at: (shapes[at].symbols, -shapes[at].m * shapes[at].n))
    group: list[int] = []
    taken = 0
    for at in order:
        own = _device_bytes(shapes[at])
        if group and (taken + own > TOGETHER or shapes[at].symbols != shapes[group[0]].symbols):
            yield group
            group, taken = [], 0
        group.append(at)
        taken += own
    if group:
        yield group


def _device_bytes(shape: Shape) -> int:
    """Borders between strips and batches, 8 bytes each, and factors of rows and of whole strips: of narrow profiles,
    these are most."""
    strips = -(-shape.n // GPU_STRIP)
    factors = -(-2 * shape.symbols // LOAD) * LOAD  # at most, of 2 bytes each
    return 16 * strips * shape.m + 2 * factors * (shape.m + strips * GPU_STRIP)


def _launch(run: Run, group: Pairs) -> None:
    """All strips of a group, and its paths, which are queued behind them: the device does not wait for the host."""
    run.spend("strips", 0.0)  # it ends behind the paths, and is told before them
    with run.phase("strips", quiet=True) as phase:
        for items, rows in _slices(group):
            group.strips(items, rows)
            phase.launched()
        group.path(quiet=True)


def _slices(group: Pairs) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Items of the queue and rows of each launch: some rows where it is one alignment, else some of the queue."""
    rows, count = int(group.made.m.max()), len(group.items)
    if len(group.made) == 1:
        yield from (((0, count), span) for span in cuda_wavefront.slices(rows, int(group.made.n[0])))
        return
    ends = np.cumsum(group.cells) // cuda_wavefront.SLICE_CELLS
    cuts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), count]
    yield from ((span, (0, rows)) for span in itertools.pairwise(cuts))
