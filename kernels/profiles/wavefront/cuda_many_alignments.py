"""Many profile alignments on the GPU: their strips share one queue on the device; then a block traces each path."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.encoding import encode_batch
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.column_scores.scoring import ColumnScoring, EncodedProfiles, ProfileSpan
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.sizes import GPU_STRIP
from antidiag.kernels.profiles.wavefront import cuda_wavefront
from antidiag.kernels.profiles.wavefront.cuda_pairs import LOAD, DeviceProfilePairs
from antidiag.kernels.steps import StepLog

TOGETHER = 2**30
"""Approximate bytes of the alignments that are on the device at a time."""


class ProfilePairShape(NamedTuple):
    """Symbols and columns of a pair before it is on the device."""

    symbols: int
    m: int
    n: int


def align_profile_pairs(
    pairs: Sequences[tuple[Profile, Profile]], scoring: ColumnScoring, span: ProfileSpan, monitor: Monitor
) -> list[ProfileAnswer]:
    """Return the best alignment of each pair, in their order."""
    shapes = [ProfilePairShape(len(first.alphabet), len(first), len(second)) for first, second in pairs]
    return _align_in_groups(
        shapes, lambda group: encode_batch([pairs[at] for at in group], scoring, span, monitor.check), monitor
    )[0]


def align_encoded_pairs(encoded_pairs: list[EncodedProfiles], monitor: Monitor) -> list[ProfileAnswer]:
    """Return the best alignments of encoded pairs of one scoring and one mode."""
    return align_with_times(encoded_pairs, monitor)[0]


def align_with_times(
    encoded_pairs: list[EncodedProfiles], monitor: Monitor
) -> tuple[list[ProfileAnswer], dict[str, float]]:
    """Return the alignments, and the milliseconds of each phase."""
    shapes = [ProfilePairShape(len(one.rows), one.m, one.n) for one in encoded_pairs]
    return _align_in_groups(
        shapes, lambda group: ProfilePairBatch.join_pairs([encoded_pairs[at] for at in group]), monitor
    )


def _align_in_groups(
    shapes: list[ProfilePairShape], make: Callable[[list[int]], ProfilePairBatch], monitor: Monitor
) -> tuple[list[ProfileAnswer], dict[str, float]]:
    """Align groups of pairs; ``make`` returns the pairs of these numbers as one batch."""
    run = DeviceRun(monitor, StepLog())
    found: list[ProfileAnswer | None] = [None] * len(shapes)
    done = 0
    for together in _group_pairs(shapes):
        group = DeviceProfilePairs.upload_pairs(run, make(together))
        group.compile_all()
        _launch_group(run, group)
        for at, answer in zip(together, group.download_answers(), strict=True):
            found[at] = answer
        done += len(together)
        monitor.update(done, len(shapes), "alignments")
    return [answer for answer in found if answer is not None], run.times_ms


def _group_pairs(shapes: list[ProfilePairShape]) -> Iterator[list[int]]:
    """Yield the numbers of alignments that are on the device at a time, largest first, of equal symbols."""
    order = sorted(range(len(shapes)), key=lambda at: (shapes[at].symbols, -shapes[at].m * shapes[at].n))
    group: list[int] = []
    taken = 0
    for at in order:
        own = _estimate_device_bytes(shapes[at])
        if group and (taken + own > TOGETHER or shapes[at].symbols != shapes[group[0]].symbols):
            yield group
            group, taken = [], 0
        group.append(at)
        taken += own
    if group:
        yield group


def _estimate_device_bytes(shape: ProfilePairShape) -> int:
    """Estimate the bytes of borders and factors; these are most for narrow profiles."""
    strips = -(-shape.n // GPU_STRIP)
    factors = -(-2 * shape.symbols // LOAD) * LOAD  # at most, 2 bytes each
    return 16 * strips * shape.m + 2 * factors * (shape.m + strips * GPU_STRIP)


def _launch_group(run: DeviceRun, group: DeviceProfilePairs) -> None:
    """Launch all strips of a group and queue its paths behind them, so that the device never waits for the host."""
    run.add_time("strips", 0.0)  # strips end behind the paths, but are listed before them
    with run.begin_phase("strips", quiet=True) as phase:
        for items, rows in _slice_launches(group):
            group.launch_strips(items, rows)
            phase.note_launch()
        group.launch_paths(quiet=True)


def _slice_launches(group: DeviceProfilePairs) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the queue items and rows of each launch: rows of a single alignment, else parts of the queue."""
    rows, count = int(group.made.m.max()), len(group.items)
    if len(group.made) == 1:
        yield from (((0, count), span) for span in cuda_wavefront.slice_rows(rows, int(group.made.n[0])))
        return
    ends = np.cumsum(group.cells) // cuda_wavefront.SLICE_CELLS
    cuts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), count]
    yield from ((span, (0, rows)) for span in itertools.pairwise(cuts))
