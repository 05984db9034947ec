"""Jobs that run a method and add the result to the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from antidiag.app import texts
from antidiag.app.jobs.planning import RunRequest
from antidiag.app.jobs.queue import Job
from antidiag.app.jobs.run_places import CLUSTER, describe_executor
from antidiag.app.session.session import Entry, Session
from antidiag.kernels import memory, registry
from antidiag.kernels.engine import BackendChoice, execute, plan_run
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun
from antidiag.kernels.run_plan import RunPlan

if TYPE_CHECKING:
    from antidiag.kernels.executors.executor import Executor


def make_run_job(request: RunRequest, plan: RunPlan, session: Session) -> Job:
    """Return the job that runs a request and adds its result at the top of the list.

    The run is planned again when the job starts, because the free memory may have changed. A run that is shared out
    opens its executor on the thread of the job, whose status tells of the pieces.
    """
    shared = None if request.executor is None else SharedRun(request)

    def work(monitor: Monitor) -> Result:
        return shared.execute_pieces(monitor) if shared else execute(request.plan(), monitor)

    def done(result: Result) -> None:
        session.add_result(Entry(result, dict(request.options), dict(request.parameters)))

    of = getattr(plan.problem, "title", "")
    place = plan.device_name if plan.backend == "cuda" else "CPU"
    values, lane = plan.parameters.as_mapping(), _job_lane(plan.backend, plan.device)
    if request.executor is not None:  # each worker chooses what was not set by hand
        values, place, lane = request.parameters, describe_executor(request.executor), _shared_lane(request)
    settings = texts.format_settings(plan.method.parameters.select_used(values, plan.backend))
    title = " \N{MIDDLE DOT} ".join(part for part in (plan.method.name, of, settings, place) if part)
    cells = plan.method.cost.count_work(plan.problem, plan.parameters)
    status = shared.describe_pieces if shared else None
    return Job(title, lane, work, done, cells=cells, detachable=True, status=status)


class SharedRun:
    """A run whose pieces an executor computes, and how many of them are done while it runs."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._opened: Executor | None = None

    def execute_pieces(self, monitor: Monitor) -> Result:
        """Return the result, which equals that of a run in one piece.

        Raises MemoryRefused, Cancelled, and the errors of the executor and of `execute_split`.
        """
        from antidiag.kernels.batch_runs.split_runs import execute_split

        plan = self._request.plan()
        memory.raise_if_refused(plan.refusal, "Choose a smaller problem, or free memory")
        with self._request.executor.open() as executor:
            self._opened = executor
            return execute_split(
                plan.method,
                plan.problem,
                self._request.parameters,
                executor,
                monitor,
                self._request.backend,
                plan.device,
            )

    def describe_pieces(self) -> str:
        """Return the counts of the pieces in words; "" while none is to be computed. Any thread may call this."""
        if self._opened is None:
            return "connecting" if self._request.executor.chosen_place == CLUSTER else ""
        counts = self._opened.counts
        return counts.describe() if counts.done + counts.failed < counts.total else ""


def make_resumed_job(run: InterruptedRun, session: Session) -> Job:
    """Return the job that continues an interrupted run from its folder."""

    def work(monitor: Monitor) -> Result:
        problem, method = run.problem(), registry.find_method(run.method)
        kept = interrupted_runs.resumed_parameters(method, run, {})
        return execute(plan_run(method, problem, kept, cast(BackendChoice, run.backend)), monitor, interrupted_run=run)

    def done(result: Result) -> None:
        method = registry.find_method(result.method)
        options = dict(method.problem_type.option_values(result.problem))
        session.add_result(Entry(result, options, interrupted_runs.resumed_parameters(method, run, {})))

    title = f"{describe_run(run)} \N{MIDDLE DOT} continued from {interrupted_runs.format_percent(run.fraction)}"
    return Job(title, _job_lane(run.backend, 0), work, done, detachable=True)


def describe_run(run: InterruptedRun) -> str:
    """Return the description of an interrupted run, such as 'CheckpointedAlignment · human x chimpanzee'."""
    names = [method.name for method in registry.METHODS if method.id == run.method]
    return " \N{MIDDLE DOT} ".join([*(names or [run.method]), run.title])


def _job_lane(backend: str, device: int) -> str:
    return f"cuda {device}" if backend == "cuda" else "cpu"


def _shared_lane(request: RunRequest) -> str:
    """Return the lane of a run that is shared out: a cluster has its own, others share those of this machine."""
    return CLUSTER if request.executor.chosen_place == CLUSTER else _job_lane(request.backend, 0)


def would_repeat(plan: RunPlan, given: Mapping[str, Any], entry: Entry, any_backend: bool = False) -> bool:
    """Return whether a run of this plan, with the parameters ``given`` by hand, would repeat the result of an entry.

    Automatic parameters may differ, because they depend on the machine, for example on its free memory. With
    ``any_backend``, so may the backend, which workers of a cluster choose.
    """
    result = entry.result
    if result.method != plan.method.id or not (any_backend or result.backend == plan.backend):
        return False
    by_hand, planned = {**given, **entry.parameters}, plan.parameters.as_mapping()
    same = all(result.parameters.get(name) == planned.get(name) for name in by_hand)
    return same and result.problem == plan.problem
