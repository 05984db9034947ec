"""From a plan to a job, and from a job to a result in the session."""

from __future__ import annotations

from app import texts
from app.jobs import Job
from app.planning import Request
from app.session import Entry, Session
from kernels.engine import Plan, execute
from kernels.model import Result
from kernels.monitor import Monitor


def run_job(request: Request, plan: Plan, session: Session) -> Job:
    """The job that runs a request; its result goes to the top of the session's list.

    The plan is made again when the job's turn comes: memory that was free may be taken by then.
    """

    def work(monitor: Monitor) -> Result:
        return execute(request.plan(), monitor)

    def done(result: Result) -> None:
        session.add_result(Entry(result, dict(request.options), dict(request.parameters)))

    lane = f"cuda {plan.device}" if plan.backend == "cuda" else "cpu"
    of = getattr(plan.problem, "title", "")
    place = plan.device_name if plan.backend == "cuda" else "CPU"
    title = " \N{MIDDLE DOT} ".join(
        part for part in (plan.method.name, of, texts.settings(plan.parameters), place) if part
    )
    return Job(title, lane, work, done, cells=plan.method.work(plan.problem, plan.parameters))


def made_by(plan: Plan, result: Result) -> bool:
    """Whether a run of this plan would be this result again."""
    return (
        result.method == plan.method.id
        and result.backend == plan.backend
        and dict(result.parameters) == dict(plan.parameters)
        and result.problem == plan.problem
    )
