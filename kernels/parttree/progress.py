"""Progress of the methods for very many sequences."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from antidiag.kernels.monitor import Monitor

ReportProgress = Callable[[int, int], None]
"""``report(done, total)``; it raises Cancelled where that is wished."""
PROGRESS_STEPS = 10_000
"""Steps of the progress within a level."""


class RecursionProgress:
    """Progress of a recursion, which never falls: a sequence that is alone in its group is finished.

    While a level is split, the distances that are measured count for its share of the rest. The number of levels is
    estimated: the fewest that evenly split groups would need, and one more.
    """

    def __init__(self, monitor: Monitor, phase: str) -> None:
        self._monitor, self._phase = monitor, phase
        self._highest, self._share, self._level_start = 0.0, 0.0, 0.0
        self._measured_before, self._measuring, self._level_total = 0, 0, 1

    def __call__(self, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` is finished."""
        if done / total > self._highest:
            self._highest = done / total
            self._monitor.update(done, total, self._phase)
        else:
            self._monitor.check()

    def begin_level(self, sizes: np.ndarray, references: int) -> None:
        """Begin a level whose groups have ``sizes`` members (int64)."""
        picks = np.minimum(sizes, references)
        levels = max(1.0, math.log(max(int(sizes.max()), 2)) / math.log(max(references, 2)))
        self._level_start, self._share = self._highest, (1 - self._highest) / (1 + math.ceil(levels))
        self._measured_before, self._measuring = 0, 0
        self._level_total = int((sizes + picks**2 + sizes * picks).sum())

    def begin_distances(self, count: int) -> None:
        """Begin to measure ``count`` distances."""
        self._measured_before, self._measuring = self._measured_before + self._measuring, count

    def report_distances(self, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` of the distances that are being measured are known."""
        share = (self._measured_before + self._measuring * done / max(total, 1)) / self._level_total
        self(round(PROGRESS_STEPS * (self._level_start + self._share * min(share, 1.0))), PROGRESS_STEPS)
