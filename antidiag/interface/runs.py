"""Running a method from Python: settings by name, progress, and Ctrl-C."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, cast

from antidiag.interface.inputs import check_counts
from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

LOOK_S = 0.1
"""How often a waiting call looks for Ctrl-C where the system does not wake it."""


def run_method(
    method: Method, data: Sequence[Any], backend: str, device: int, progress: bool, settings: Mapping[str, Any]
) -> Result:
    """Run a method and return its result.

    Raises
    ------
    InputError, ParameterError, MemoryRefused, BackendUnavailable
        Before anything is computed.
    KeyboardInterrupt
        After Ctrl-C, when the run has stopped.
    """
    check_counts(method, data)
    options, parameters = _split_settings(method, settings)
    problem = method.problem_type.make_problem(data, options)
    planned = engine.plan_run(method, problem, parameters, cast(engine.BackendChoice, backend), device)
    with _watched(progress) as monitor:
        return wait_for_run(_workers().submit(partial(engine.execute, planned, monitor)), monitor)


def _split_settings(method: Method, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options and the parameters among settings; raise ParameterError for an unknown name."""
    options = {option.name for option in method.problem_type.options}
    parameters = method.parameters.names()
    for name in settings:
        if name not in options and name not in parameters:
            known = sorted(options | parameters)
            close = difflib.get_close_matches(name, known, 2)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known settings: {', '.join(known) or 'none'}"
            raise ParameterError(f"{method.id} has no setting {name!r}; {hint}")
    given = {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in settings.items()}
    return (
        {name: value for name, value in given.items() if name in options and value is not None},
        {name: value for name, value in given.items() if name in parameters},
    )


@contextmanager
def _watched(progress: bool) -> Iterator[Monitor]:
    """Yield a monitor, which draws a bar where progress is wanted."""
    if not progress:
        yield Monitor()
        return
    from antidiag.app.cli.progress import draw_progress

    with draw_progress() as monitor:
        yield monitor


def wait_for_run(future: Future[Result], monitor: Monitor) -> Result:
    """Return the result of a run on another thread; Ctrl-C cancels it and waits until it has stopped."""
    while True:
        try:
            result = future.result(LOOK_S)
            if monitor.is_cancelled:  # it ended before it heard
                raise KeyboardInterrupt
            return result
        except NotYet:
            if future.done():  # the error is the run's own
                raise
        except KeyboardInterrupt:
            if future.done():
                raise
            monitor.cancel()
        except Cancelled:
            raise KeyboardInterrupt from None


@cache
def _workers() -> ThreadPoolExecutor:
    """Return the threads on which runs compute, so that the caller's thread can hear Ctrl-C."""
    return ThreadPoolExecutor(thread_name_prefix="antidiag")


os.register_at_fork(after_in_child=_workers.cache_clear) if hasattr(os, "register_at_fork") else None
