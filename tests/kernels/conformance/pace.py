"""How long a run of the trials takes, as shorter runs of the same trials foretell it.

The rate that a method names is that of its large problems; the trials are long and narrow where that takes much memory,
and some methods launch a kernel for every column of those.
"""

from __future__ import annotations

import math
from collections.abc import Callable

LONGEST_S = 2.0
"""Of a run that is begun."""
FARTHEST = 64.0
"""A run that was timed foretells runs of so many times its work."""
LEAST_GROWTH = 1.5
"""The next run that is timed does so many times the work at least, or none is."""


class Pace:
    """Which sizes of a method's trials are quick: ``work(size)`` is what a run does, in any unit, and None where there
    is no such run; ``seconds(size)`` makes a run and tells its time.

    Time is taken to grow with the work at most: what takes the same for every launch only makes it grow less.
    """

    def __init__(
        self, work: Callable[[int], float | None], seconds: Callable[[int], float], longest_s: float = LONGEST_S
    ) -> None:
        self._work, self._seconds, self._longest_s = work, seconds, longest_s
        self._timed: list[tuple[float, int, float]] = []
        """Work, size and seconds of runs."""

    def allows(self, size: int) -> bool:
        """Whether a run of a size takes no longer; runs smaller ones until one foretells it."""
        goal = self._work(size)
        if goal is None:
            return False
        while (step := self._step(size, goal)) is not None:
            work = self._work(step)
            if work is None:
                return False
            self._timed.append((work, step, self._seconds(step)))
        return self._foretold_s(goal) <= self._longest_s

    def _foretold_s(self, goal: float) -> float:
        work, _, taken = self._below(goal)
        return taken * max(1.0, goal / work)

    def _below(self, goal: float) -> tuple[float, int, float]:
        """The largest run of those that did less; the smallest where none did."""
        return max((run for run in self._timed if run[0] <= goal), default=min(self._timed))

    def _step(self, size: int, goal: float) -> int | None:
        """The size to be timed next; None where it is known whether the goal is quick."""
        if not self._timed:
            return 1
        work, before, taken = self._below(goal)
        growth = min(self._longest_s / taken, FARTHEST)
        if goal <= growth * work or growth < LEAST_GROWTH:
            return None
        share = math.log(growth) / math.log(goal / work)
        step = round(before * (size / before) ** share)
        while step > before and (self._work(step) or math.inf) > growth * work:
            step = (before + step) // 2
        return step if before < step < size else None
