"""A clock for several animations: equal steps or equal modelled time.

On the third clock, measured time, the methods themselves run (`kernels.experiments.measuring.paired_runs`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.walkthroughs.animation import Animation, ModelMachine

BY_STEPS, BY_TIME, BY_MEASURED = "steps", "modelled time", "measured time"


@dataclass(frozen=True, eq=False)
class SharedClock:
    """Ticks 0 to ``last``: at tick 0 nothing is computed; each later tick shows a step of at least one animation."""

    plays: tuple[Animation, ...]
    by: str = BY_STEPS
    machine: ModelMachine = field(default_factory=ModelMachine)

    @cached_property
    def _step_ends(self) -> tuple[np.ndarray, ...]:
        """End of each step of each animation, in the unit of the clock."""
        if self.by == BY_TIME:
            return tuple(play.times_ns(self.machine) for play in self.plays)
        return tuple(np.arange(1.0, len(play) + 1) for play in self.plays)

    @cached_property
    def _tick_times(self) -> np.ndarray:
        return np.unique(np.concatenate([np.zeros(1), *self._step_ends]))

    @property
    def last_tick(self) -> int:
        """Number of the last tick."""
        return len(self._tick_times) - 1

    def steps_at(self, tick: int) -> tuple[int, ...]:
        """Return the step of each animation at a tick; -1 before the first step."""
        now = self._tick_times[min(max(tick, 0), self.last_tick)]
        return tuple(int(np.searchsorted(times, now, side="right")) - 1 for times in self._step_ends)

    def tick_of(self, play: int, step: int) -> int:
        """Return the tick at which an animation has computed a step."""
        if step < 0:
            return 0
        return int(np.searchsorted(self._tick_times, self._step_ends[play][min(step, len(self._step_ends[play]) - 1)]))

    def format_tick(self, tick: int) -> str:
        """Return the time of a tick as text: '12' or '340 ns'."""
        now = self._tick_times[min(max(tick, 0), self.last_tick)]
        return f"{now:,.0f} ns" if self.by == BY_TIME else f"{now:,.0f}"
