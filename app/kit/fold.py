"""Long times in which no worker does anything, folded: drawn narrow, so that what was computed has room. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.app.kit.lanes import Lanes

LONG = 0.1
"""A gap that lasts longer than this share of what was computed is folded."""
WIDTH = 0.03
"""Share of what was computed that a folded gap is as wide as."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Gaps by start, int64 (gaps,), the first from the start of the run, and the width in ns at which each is drawn."""

    starts_ns: np.ndarray
    lengths_ns: np.ndarray
    width_ns: float
    end_ns: int
    all_ns: int = 0
    """Nanoseconds of all gaps, also of those that are too short to be folded."""

    @property
    def inside_ns(self) -> int:
        """Nanoseconds of the gaps after the first event."""
        return int(self.lengths_ns[self.starts_ns > 0].sum())

    def at_least(self, spent_ns: float) -> np.ndarray:
        """Of something that took so long in all while nobody did anything, what at least was in each gap, in ns: what
        had no room in the others. Nothing, where it is longer than all gaps, and so was not all in this log."""
        left = spent_ns - (self.all_ns - self.lengths_ns)
        return np.clip(left, 0, self.lengths_ns) if spent_ns <= self.all_ns else np.zeros(self.lengths_ns.size)

    def drawn(self, times_ns: np.ndarray | float) -> np.ndarray:
        """Where times are drawn, as nanoseconds of the folded axis."""
        return np.interp(times_ns, *self._knots())

    def true(self, drawn_ns: np.ndarray | float) -> np.ndarray:
        """The times that are drawn there."""
        return np.interp(drawn_ns, *self._knots()[::-1])

    def _knots(self) -> tuple[np.ndarray, np.ndarray]:
        """Times at which the scale of the axis changes, and where they are drawn."""
        beyond = 4 * self.end_ns + 1
        times = np.stack([self.starts_ns, self.starts_ns + self.lengths_ns], axis=1).reshape(-1)
        lost = np.repeat(np.cumsum(self.lengths_ns - self.width_ns), 2)
        lost[::2] -= self.lengths_ns - self.width_ns
        total = lost[-1] if lost.size else 0.0
        ends = np.array([-beyond, beyond], float)
        return np.insert(ends, 1, times), np.insert(ends - np.array([0.0, total]), 1, times - lost)


def fold(found: Lanes) -> Fold:
    """The long gaps of a log: before its first event, and wherever nobody did anything.

    Between the events of a log that has only some of them, others may have been.
    """
    events = found.events[np.argsort(found.events["start_ns"], kind="stable")]
    reached = np.concatenate([[0], np.maximum.accumulate(events["end_ns"])])[: events.size]
    lengths = events["start_ns"] - reached
    gaps = lengths > 0
    computed = found.end_ns - int(lengths[gaps].sum())
    long = gaps & (lengths > LONG * computed) & ((reached == 0) | (found.share == 1))
    return Fold(reached[long], lengths[long], max(WIDTH * computed, 1.0), found.end_ns, int(lengths[gaps].sum()))


def folded(found: Lanes, by: Fold) -> Lanes:
    """The same events at the times at which they are drawn."""
    events = found.events.copy()
    for name in ("start_ns", "end_ns"):
        events[name] = np.rint(by.drawn(found.events[name])).astype(np.int64)
    return replace(found, events=events)
