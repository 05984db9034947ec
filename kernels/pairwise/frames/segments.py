"""Segments: how the bases are cut into parts that are computed independently of each other.

A path of a score that counts spans a bounded number of bases (`FrameProblem.warm_up`), so a segment that begins so many
bases before its own part finds every best end in it. No cell outside of a segment is needed, and none is wrong in a way
that matters: values of a segment are never above the true ones, and those at the end of a best path are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.pairwise.frames.model import FrameProblem

LEAST_BASES = 2**14
"""Own bases of a segment on the CPU at least."""
WARM_UPS = 4
"""Own bases of a segment are at least so many times those that warm it up."""


@dataclass(frozen=True)
class Segment:
    """Bases ``first`` to ``last`` of a strand, of which those behind ``own`` count."""

    strand: int
    own: int
    first: int
    last: int


def cut_segments(problem: FrameProblem, least: int = LEAST_BASES, warm_ups: int = WARM_UPS) -> list[Segment]:
    """Return the segments of all strands, the forward one first."""
    n, before = len(problem.dna), problem.warm_up
    own = max(least, warm_ups * before)
    return [
        Segment(strand, start, max(start - before, 0), min(start + own, n))
        for strand in problem.strands
        for start in range(0, n, own)
    ]


def widest_segment(problem: FrameProblem, least: int = LEAST_BASES, warm_ups: int = WARM_UPS) -> int:
    """Return the bases of the widest segment."""
    before = problem.warm_up
    return min(max(least, warm_ups * before) + before, len(problem.dna))
