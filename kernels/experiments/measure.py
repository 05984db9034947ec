"""Timing: medians need runs, and runs need a warm-up, turns, and a clock around nothing but the call."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import engine
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.experiments.points import Run
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.plan import Plan
from antidiag.kernels.steps import Steps

Timed = Callable[[], tuple[Run, Any]]
"""A call that times itself: the run, and what it returned."""


@dataclass
class Measured:
    """The timed runs of one call, in order; what the last of them returned; the error that ended them.

    ``compilation_ms`` is what the first call of all, mostly the warm-up, spent on compiling or loading code.
    """

    runs: list[Run] = field(default_factory=list)
    value: Any = None
    compilation_ms: float = 0.0
    error: Exception | None = None


def method_call(planned: Plan, monitor: Monitor) -> Timed:
    """A run of a plan, without its step log; the clock stops when the device is done, not when the launches are."""

    def call() -> tuple[Run, Result]:
        before = time.perf_counter_ns()
        result = engine.execute(planned, monitor, Steps(keeps=False), keep_rate=False, keep=False)
        if planned.backend == "cuda":
            devices.synchronize(planned.device)
        wall_ms = (time.perf_counter_ns() - before) / 1e6
        return Run(wall_ms, dict(result.times_ms)), result

    return call


def plain_call(function: Callable[[], Any]) -> Timed:
    """A call that reports no phases, such as a peer's."""

    def call() -> tuple[Run, Any]:
        before = time.perf_counter_ns()
        value = function()
        return Run((time.perf_counter_ns() - before) / 1e6), value

    return call


def peer_call(prepare: Callable[[], Callable[[], Any]]) -> Timed:
    """A call whose preparation, at the first time, is not counted."""
    prepared: list[Timed] = []

    def call() -> tuple[Run, Any]:
        if not prepared:
            prepared.append(plain_call(prepare()))
        return prepared[0]()

    return call


def take_turns(
    calls: Sequence[Timed],
    repeats: int,
    warm_up: int = 1,
    patience_s: float = 60.0,
    pause: Callable[[], None] = lambda: None,
) -> list[Measured]:
    """Every call ``warm_up`` times without and ``repeats`` times with the clock, in turn.

    A call whose timed runs took more than ``patience_s`` together is not repeated; one that raises is out, with
    its error. ``pause()`` runs before each call; it may wait, and what it raises ends all.
    """
    found = [Measured() for _ in calls]
    for turn in range(warm_up + repeats):
        for call, measured in zip(calls, found, strict=True):
            tired = sum(run.wall_ms for run in measured.runs) > patience_s * 1e3
            if measured.error is None and not tired:
                pause()
                _take_turn(call, measured, is_first=turn == 0, is_timed=turn >= warm_up)
    return found


def _take_turn(call: Timed, measured: Measured, is_first: bool, is_timed: bool) -> None:
    try:
        run, value = call()
    except Cancelled:
        raise
    except Exception as error:
        measured.error = error
        return
    if is_first:
        measured.compilation_ms = run.compilation_ms
    if is_timed:
        measured.runs.append(run)
        measured.value = value
