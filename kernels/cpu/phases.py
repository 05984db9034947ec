"""Times of the phases of a run on the CPU, and the events of one of them in the step log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from antidiag.kernels.steps import Steps


class PhaseClock:
    """Times of phases, one after another, into ``times_ms``."""

    def __init__(self, times_ms: dict[str, float]) -> None:
        self._times_ms = times_ms
        self.started_ns = self._last_ns = time.perf_counter_ns()

    @property
    def running_ms(self) -> float:
        """How long the phase that runs now has lasted."""
        return (time.perf_counter_ns() - self._last_ns) / 1e6

    def leave_out(self, milliseconds: float) -> None:
        """So much of the phase that runs now is of something else, such as compiling."""
        self._last_ns = min(self._last_ns + round(1e6 * milliseconds), time.perf_counter_ns())

    def phase(self, name: str) -> None:
        """A phase of this name ends now; it began where the last one ended."""
        now_ns = time.perf_counter_ns()
        self._times_ms[name] = (now_ns - self._last_ns) / 1e6
        self._last_ns = now_ns


@dataclass(frozen=True, slots=True)
class PhaseLog:
    """The events of one phase; times in the log begin when the run's clock does."""

    steps: Steps
    phase: int
    started_ns: int

    def add(self, strip: int, rows: tuple[int, int], columns: tuple[int, int], worker: int, begun_ns: int) -> None:
        """Cells that a worker began to compute at ``begun_ns`` (time.perf_counter_ns), and has computed now."""
        ended_ns = time.perf_counter_ns()
        self.steps.add(self.phase, strip, rows, columns, worker, begun_ns - self.started_ns, ended_ns - self.started_ns)


def time_ms(call: Callable[[], object]) -> float:
    """How long a call takes; for what must be compiled or loaded before the clock of the phases starts."""
    begun_ns = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begun_ns) / 1e6
