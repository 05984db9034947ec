"""Running a method from Python: settings by name, progress, and Ctrl-C."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, cast

from antidiag.interface.inputs import check_counts
from antidiag.kernels import engine
from antidiag.kernels.batch_runs.split_runs import execute_split, find_splitting
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, Cancelled, ParameterError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from antidiag.kernels.run_plan import RunPlan

LOOK_S = 0.1
"""How often a waiting call looks for Ctrl-C where the system does not wake it."""
SHORT_MS = 20.0
"""Expected milliseconds of a run that is computed on the caller's thread; handing it over takes 0.1 to 0.3 ms."""
OPTION = re.compile(r"(?<!\S)--([a-z][a-z-]*)(?: (?!and\b|or\b)([a-z0-9]+)\b)?")
"""An option of the command line in a message, and its value: "--unknown missing"."""


def run_method(
    method: Method,
    data: Sequence[Any],
    backend: str,
    device: int | Sequence[int],
    progress: bool,
    settings: Mapping[str, Any],
    choice: ExecutorChoice | None = None,
) -> Result:
    """Run a method and return its result; with ``choice`` its pieces are shared out to that executor.

    Raises
    ------
    InputError, ParameterError, MemoryRefused, BackendUnavailable
        Before anything is computed.
    KeyboardInterrupt
        After Ctrl-C, when the run has stopped.
    """
    check_counts(method, data)
    options, parameters = _split_settings(method, settings)
    with errors_in_python():
        problem = method.problem_type.make_problem(data, options)
        first, peers = devices.select_gpus(device, method.shares_gpus)
        if choice is not None:
            find_splitting(method)
            with watch_progress(progress) as monitor:
                work = partial(_run_shared_out, method, problem, parameters, choice, monitor, backend, first)
                result = wait_for_run(_workers().submit(work), monitor)
            return _with_reading_notes(result, data)
        planned = engine.plan_run(method, problem, parameters, cast(engine.BackendChoice, backend), first, peers=peers)
        if _is_short(planned):
            result = engine.execute(planned, Monitor(is_attended=False))
        else:
            with watch_progress(progress) as monitor:
                result = wait_for_run(_workers().submit(partial(engine.execute, planned, monitor)), monitor)
    return _with_reading_notes(result, data)


def _with_reading_notes(result: Result, data: Sequence[Any]) -> Result:
    """Return a result whose notes begin with those on what reading changed."""
    notes = data_loading.reading_notes(data)
    return dataclasses.replace(result, notes=(*notes, *result.notes)) if notes else result


def _run_shared_out(
    method: Method,
    problem: Any,
    parameters: Mapping[str, Any],
    choice: ExecutorChoice,
    monitor: Monitor,
    backend: str,
    device: int,
) -> Result:
    """Run the pieces of a run on an executor that is opened for it."""
    with choice.open() as executor:
        return execute_split(method, problem, parameters, executor, monitor, backend, device)


def _is_short(planned: RunPlan) -> bool:
    """Return whether a run ends before anybody would press Ctrl-C or look at a bar, so that it needs no thread."""
    return planned.time_ms < SHORT_MS and not planned.compilation_ms and planned.backend == "cpu"


@contextmanager
def errors_in_python() -> Iterator[None]:
    """Write options of the command line in error messages as keyword arguments."""
    try:
        yield
    except AntidiagError as error:
        error.args = tuple(_as_keywords(part) if isinstance(part, str) else part for part in error.args)
        raise


def _as_keywords(text: str) -> str:
    """Return a message with keyword arguments: "--unknown missing" becomes "unknown='missing'"."""

    def write_keyword(found: re.Match[str]) -> str:
        return found[1].replace("-", "_") + (f"={found[2]!r}" if found[2] else "")

    return OPTION.sub(write_keyword, text)


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
def watch_progress(progress: bool) -> Iterator[Monitor]:
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
