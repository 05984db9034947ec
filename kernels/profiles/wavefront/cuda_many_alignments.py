"""Many profile alignments on the GPU: their strips share one queue on the device; then a block traces each path."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.sizes import estimate_one_of_many
from antidiag.kernels.profiles.wavefront import cuda_wavefront
from antidiag.kernels.profiles.wavefront.cuda_pairs import DeviceProfilePairs
from antidiag.kernels.steps import StepLog

TOGETHER = 2**30
"""Approximate bytes of the alignments that are on the device at a time."""


class ProfilePairShape(NamedTuple):
    """Symbols and columns of a pair before it is on the device."""

    symbols: int
    m: int
    n: int


def align_encoded_pairs(encoded_pairs: list[EncodedProfiles], monitor: Monitor) -> list[ProfileAnswer]:
    """Return the best alignments of encoded pairs of one scoring and one mode, in their order."""
    shapes = [ProfilePairShape(len(one.rows), one.m, one.n) for one in encoded_pairs]
    run = DeviceRun(monitor, StepLog())
    found: dict[int, ProfileAnswer] = {}
    for together in _group_pairs(shapes):
        batch = ProfilePairBatch.join_pairs([encoded_pairs[at] for at in together])
        group = DeviceProfilePairs(run, batch)
        group.compile_all()
        _launch_group(run, group)
        found.update(zip(together, group.download_answers(), strict=True))
        monitor.update(len(found), len(shapes), "alignments")
    return [found[at] for at in range(len(shapes))]


def _group_pairs(shapes: list[ProfilePairShape]) -> Iterator[list[int]]:
    """Yield the numbers of alignments that are on the device at a time, largest first, of equal symbols."""
    order = sorted(range(len(shapes)), key=lambda at: (shapes[at].symbols, -shapes[at].m * shapes[at].n))
    group: list[int] = []
    taken = 0
    for at in order:
        own = estimate_one_of_many(*shapes[at])
        if group and (taken + own > TOGETHER or shapes[at].symbols != shapes[group[0]].symbols):
            yield group
            group, taken = [], 0
        group.append(at)
        taken += own
    if group:
        yield group


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
