"""One clock for several plays: the same step, or the same modelled time.

On the third clock, the measured one, no plays run but the methods themselves (`kernels.experiments.beside`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.plays.model import Machine, Play

BY_STEPS, BY_TIME, BY_MEASURED = "steps", "modelled time", "measured time"


@dataclass(frozen=True, eq=False)
class Clock:
    """Ticks 0 .. ``last``: at tick 0 nothing is computed; each later tick shows a step of one play at least."""

    plays: tuple[Play, ...]
    by: str = BY_STEPS
    machine: Machine = field(default_factory=Machine)

    @cached_property
    def _times(self) -> tuple[np.ndarray, ...]:
        """The end of each step of each play, in the unit of the clock."""
        if self.by == BY_TIME:
            return tuple(play.times_ns(self.machine) for play in self.plays)
        return tuple(np.arange(1.0, len(play) + 1) for play in self.plays)

    @cached_property
    def _moments(self) -> np.ndarray:
        return np.unique(np.concatenate([np.zeros(1), *self._times]))

    @property
    def last(self) -> int:
        return len(self._moments) - 1

    def steps(self, tick: int) -> tuple[int, ...]:
        """The step of each play that is shown at a tick; -1 before the first."""
        now = self._moments[min(max(tick, 0), self.last)]
        return tuple(int(np.searchsorted(times, now, side="right")) - 1 for times in self._times)

    def tick(self, play: int, step: int) -> int:
        """The tick at which a play has computed a step."""
        if step < 0:
            return 0
        return int(np.searchsorted(self._moments, self._times[play][min(step, len(self._times[play]) - 1)]))

    def told(self, tick: int) -> str:
        """'12', or '340 ns'."""
        now = self._moments[min(max(tick, 0), self.last)]
        return f"{now:,.0f} ns" if self.by == BY_TIME else f"{now:,.0f}"
