"""Times and logged events of the phases of a run; `kernels.cpu.cpu_run` replaces this module."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from antidiag.kernels.steps import StepLog


class PhaseClock:
    """Measures consecutive phases and writes their times to ``times_ms``."""

    def __init__(self, times_ms: dict[str, float]) -> None:
        self._times_ms = times_ms
        self.started_ns = self._last_ns = time.perf_counter_ns()

    @property
    def running_ms(self) -> float:
        """Return the milliseconds since the running phase began."""
        return (time.perf_counter_ns() - self._last_ns) / 1e6

    def exclude_ms(self, milliseconds: float) -> None:
        """Exclude some milliseconds, such as those of compilation, from the running phase."""
        self._last_ns = min(self._last_ns + round(1e6 * milliseconds), time.perf_counter_ns())

    def end_phase(self, name: str) -> None:
        """End the running phase under this name; the next one begins."""
        now_ns = time.perf_counter_ns()
        self._times_ms[name] = (now_ns - self._last_ns) / 1e6
        self._last_ns = now_ns


@dataclass(frozen=True, slots=True)
class PhaseLog:
    """Adds the events of one phase to the step log, with times relative to ``started_ns``."""

    steps: StepLog
    phase: int
    started_ns: int

    def add_event(
        self, strip: int, rows: tuple[int, int], columns: tuple[int, int], worker: int, begun_ns: int
    ) -> None:
        """Add cells that a worker began to compute at ``begun_ns`` (time.perf_counter_ns) and has finished now."""
        ended_ns = time.perf_counter_ns()
        self.steps.add(self.phase, strip, rows, columns, worker, begun_ns - self.started_ns, ended_ns - self.started_ns)


def measure_ms(call: Callable[[], object]) -> float:
    """Return the milliseconds that a call takes, such as one that compiles."""
    begun_ns = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - begun_ns) / 1e6
