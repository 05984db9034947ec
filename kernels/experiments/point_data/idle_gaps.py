"""Long idle times of a run are folded: drawn narrow, to leave room for what was computed. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.experiments.point_data.timeline_lanes import TimelineLanes

LONG_SHARE = 0.1  # a gap longer than this share of the computing time is folded
FOLDED_SHARE = 0.03  # width of a folded gap as a share of the computing time


@dataclass(frozen=True, eq=False)
class IdleFold:
    """Folded gaps by start, int64 (gaps,); the first may begin with the run. ``width_ns`` is their drawn width."""

    starts_ns: np.ndarray
    lengths_ns: np.ndarray
    width_ns: float
    end_ns: int
    all_ns: int = 0  # length of all gaps, including those that are too short to be folded

    @property
    def gaps_after_start_ns(self) -> int:
        """Length of the folded gaps after the first event."""
        return int(self.lengths_ns[self.starts_ns > 0].sum())

    def least_share_ns(self, spent_ns: float) -> np.ndarray:
        """Return the least time that an activity of ``spent_ns`` took in each gap, if it ran only in gaps. Zero if it
        took longer than all gaps together: then part of it is not in this log."""
        left = spent_ns - (self.all_ns - self.lengths_ns)
        return np.clip(left, 0, self.lengths_ns) if spent_ns <= self.all_ns else np.zeros(self.lengths_ns.size)

    def fold_times(self, times_ns: np.ndarray | float) -> np.ndarray:
        """Return where times are drawn, in ns of the folded axis."""
        return np.interp(times_ns, *self._axis_knots())

    def unfold_times(self, drawn_ns: np.ndarray | float) -> np.ndarray:
        """Return the times that are drawn at these places."""
        return np.interp(drawn_ns, *self._axis_knots()[::-1])

    def _axis_knots(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the times at which the axis changes its scale, and where they are drawn."""
        beyond = 4 * self.end_ns + 1
        times = np.stack([self.starts_ns, self.starts_ns + self.lengths_ns], axis=1).reshape(-1)
        lost = np.repeat(np.cumsum(self.lengths_ns - self.width_ns), 2)
        lost[::2] -= self.lengths_ns - self.width_ns
        total = lost[-1] if lost.size else 0.0
        ends = np.array([-beyond, beyond], float)
        return np.insert(ends, 1, times), np.insert(ends - np.array([0.0, total]), 1, times - lost)


def find_idle_gaps(found: TimelineLanes) -> IdleFold:
    """Find the long idle times of a log. In a log that holds only a sample of the events, gaps between events may not
    be idle, so only the first counts."""
    events = found.events[np.argsort(found.events["start_ns"], kind="stable")]
    reached = np.concatenate([[0], np.maximum.accumulate(events["end_ns"])])[: events.size]
    lengths = events["start_ns"] - reached
    gaps = lengths > 0
    computed = found.end_ns - int(lengths[gaps].sum())
    long = gaps & (lengths > LONG_SHARE * computed) & ((reached == 0) | (found.share == 1))
    return IdleFold(
        reached[long], lengths[long], max(FOLDED_SHARE * computed, 1.0), found.end_ns, int(lengths[gaps].sum())
    )


def fold_lanes(found: TimelineLanes, gaps: IdleFold) -> TimelineLanes:
    """Return the events at the times at which they are drawn."""
    events = found.events.copy()
    for name in ("start_ns", "end_ns"):
        events[name] = np.rint(gaps.fold_times(found.events[name])).astype(np.int64)
    return replace(found, events=events)
