"""Jobs that run a method and add the result to the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from antidiag.app import texts
from antidiag.app.jobs.planning import RunRequest
from antidiag.app.jobs.queue import Job
from antidiag.app.session.session import Entry, Session
from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice, execute, plan_run
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun
from antidiag.kernels.run_plan import RunPlan


def make_run_job(request: RunRequest, plan: RunPlan, session: Session) -> Job:
    """Return the job that runs a request and adds its result at the top of the list.

    The run is planned again when the job starts, because the free memory may have changed.
    """

    def work(monitor: Monitor) -> Result:
        return execute(request.plan(), monitor)

    def done(result: Result) -> None:
        session.add_result(Entry(result, dict(request.options), dict(request.parameters)))

    of = getattr(plan.problem, "title", "")
    place = plan.device_name if plan.backend == "cuda" else "CPU"
    settings = texts.format_settings(plan.method.parameters.select_used(plan.parameters.as_mapping(), plan.backend))
    title = " \N{MIDDLE DOT} ".join(part for part in (plan.method.name, of, settings, place) if part)
    lane = _job_lane(plan.backend, plan.device)
    cells = plan.method.cost.count_work(plan.problem, plan.parameters)
    return Job(title, lane, work, done, cells=cells, detachable=True)


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


def would_repeat(plan: RunPlan, given: Mapping[str, Any], entry: Entry) -> bool:
    """Return whether a run of this plan, with the parameters ``given`` by hand, would repeat the result of an entry.

    Automatic parameters may differ, because they depend on the machine, for example on its free memory.
    """
    result = entry.result
    if (result.method, result.backend) != (plan.method.id, plan.backend):
        return False
    by_hand, planned = {**given, **entry.parameters}, plan.parameters.as_mapping()
    same = all(result.parameters.get(name) == planned.get(name) for name in by_hand)
    return same and result.problem == plan.problem
