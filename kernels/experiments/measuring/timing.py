"""Timing of calls: warm-up, interleaved repeats, and a clock around nothing but the call."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import engine
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.experiments.point_data.points import TimedRun
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.steps import StepLog

LOG = logging.getLogger(__name__)
TimedCall = Callable[[], tuple[TimedRun, Any]]
"""A call that times itself and returns the timed run and the value of the call."""


@dataclass
class TimedRuns:
    """The timed runs of one call in order, the value of the last run, and the error that ended them.

    ``compilation_ms`` is the time that the first call, mostly the warm-up, spent on compiling or loading code.
    """

    runs: list[TimedRun] = field(default_factory=list)
    value: Any = None
    compilation_ms: float = 0.0
    error: Exception | None = None


def record_failure(error: Exception) -> Exception:
    """Return the error that ended a point; an unexpected one is logged with its traceback.

    After a MemoryError the arrays of the failed run are released, so that the next point can have their memory.
    """
    if not isinstance(error, AntidiagError):
        LOG.error("a point failed: %s: %s", type(error).__name__, error, exc_info=error)
    if isinstance(error, MemoryError):
        traceback.clear_frames(error.__traceback__)
    return error


def method_call(planned: RunPlan, monitor: Monitor) -> TimedCall:
    """Return a timed call that runs a plan without a step log; the clock stops when the device has finished."""

    def call() -> tuple[TimedRun, Result]:
        if forget_problem := planned.method.cost.forget_problem:
            forget_problem(planned.problem)
        before = time.perf_counter_ns()
        result = engine.execute(planned, monitor, StepLog(keeps=False), keep_rate=False, keep_parts=False)
        if planned.backend == "cuda":
            devices.wait_for_device(planned.device)
        wall_ms = (time.perf_counter_ns() - before) / 1e6
        return TimedRun(wall_ms, dict(result.times_ms)), result

    return call


def plain_call(function: Callable[[], Any]) -> TimedCall:
    """Return a timed call of a function that reports no phases, such as a peer's."""

    def call() -> tuple[TimedRun, Any]:
        before = time.perf_counter_ns()
        value = function()
        return TimedRun((time.perf_counter_ns() - before) / 1e6), value

    return call


def peer_call(prepare: Callable[[], Callable[[], Any]]) -> TimedCall:
    """Return a timed call of a peer; the first call also prepares it, which is not timed."""
    prepared: list[TimedCall] = []

    def call() -> tuple[TimedRun, Any]:
        if not prepared:
            prepared.append(plain_call(prepare()))
        return prepared[0]()

    return call


def take_turns(
    calls: Sequence[TimedCall],
    repeats: int,
    warm_up: int = 1,
    patience_s: float = 60.0,
    pause: Callable[[], None] = lambda: None,
) -> list[TimedRuns]:
    """Run the calls in turn: each ``warm_up`` times without and ``repeats`` times with the clock.

    A call whose timed runs took more than ``patience_s`` together is not repeated. A call that raises an error is not
    repeated either; its error is kept. ``pause()`` runs before each call; it may wait, and an error that it raises ends
    all calls.
    """
    found = [TimedRuns() for _ in calls]
    for turn in range(warm_up + repeats):
        for call, measured in zip(calls, found, strict=True):
            tired = sum(run.wall_ms for run in measured.runs) > patience_s * 1e3
            if measured.error is None and not tired:
                pause()
                _take_turn(call, measured, is_first=turn == 0, is_timed=turn >= warm_up)
    return found


def _take_turn(call: TimedCall, measured: TimedRuns, is_first: bool, is_timed: bool) -> None:
    try:
        run, value = call()
    except Cancelled:
        raise
    except Exception as error:  # of any code that is measured, which must not end the other points of a sweep
        measured.error = record_failure(error)
        return
    if is_first:
        measured.compilation_ms = run.compilation_ms
    if is_timed:
        measured.runs.append(run)
        measured.value = value
