"""From a task to a call that can be timed, and from timed runs to a point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from antidiag.kernels import __version__, engine
from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.experiments import measure, models
from antidiag.kernels.experiments.digest import digest
from antidiag.kernels.experiments.measure import Measured, Timed
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.experiments.sweep import Task, contender, problem_type
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.plan import Plan


@dataclass(frozen=True)
class Prepared:
    """A task with all that is known of it before it runs; no ``call``: the point is final."""

    point: Point
    call: Timed | None = None


def prepare(task: Task, problem: Any, of_problem: str, monitor: Monitor) -> Prepared:
    """All that is known of a task before it runs; ``of_problem`` is the digest of its problem, which is built once."""
    found = contender(task.contender)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    point = replace(
        refused(task, ""),
        problem=of_problem,
        title=problem.title,
        size=problem.size,
        cells=problem.cells,
        work=problem.cells,
        unit=problem_type(task.problem_type).unit,
        started=started,
    )
    try:
        return _peer(found, task, problem, point) if isinstance(found, Peer) else _method(task, problem, point, monitor)
    except Exception as error:
        return Prepared(without(point, error))


def why_not(found: Peer, task: Task, problem: Any) -> str:
    """Why a peer cannot be measured on the problem of a task here, or ""."""
    if not found.solves(problem_type(task.problem_type)):
        return f"{found.name} does not solve this problem"
    return found.why_not(problem)


def _peer(found: Peer, task: Task, problem: Any, point: Point) -> Prepared:
    version = found.version() or ""
    point = replace(
        point,
        key=_key(found.id, {}, point.problem, "cpu", engine.cpu_name(), version),
        backend="cpu",
        device=engine.cpu_name(),
        host_bytes=found.host_bytes(problem),
        versions={found.name: version},
        reason=why_not(found, task, problem),
    )
    return Prepared(point, None if point.reason else measure.peer_call(lambda: found.prepare(problem)))


def _method(task: Task, problem: Any, point: Point, monitor: Monitor) -> Prepared:
    planned = task.plan(problem)
    values, place = models.values(planned), (planned.backend, planned.device_name)
    point = replace(
        point,
        key=_key(task.contender, _named(planned, task), point.problem, *place, __version__),
        backend=planned.backend,
        device=planned.device_name,
        parameters=dict(planned.parameters),
        work=planned.method.work(problem, planned.parameters),
        host_bytes=planned.footprint.host_bytes,
        device_bytes=planned.footprint.device_bytes,
        models=values,
        limit_ms=models.limit_ms(planned, values),
        tiles=planned.method.tiles(problem, planned.backend),
        notes=planned.notes,
        versions=dict(engine.versions()),
        reason=planned.refusal or "",
    )
    # Progress of a single run is not that of the sweep; the wish to cancel is handed on.
    return Prepared(point, None if planned.refusal else measure.method_call(planned, _Silent(monitor)))


def finish(point: Point, measured: Measured) -> Point:
    """The point with its runs and its answer, or with the error that ended them."""
    if measured.error is not None:
        return replace(without(point, measured.error), status=Status.FAILED)
    point = replace(
        point, status=Status.MEASURED, runs=tuple(measured.runs), compilation_ms=measured.compilation_ms, reason=""
    )
    value, found = measured.value, contender(point.contender)
    if isinstance(found, Peer):
        answer = found.answer(value)
        return replace(point, answer=answer, answer_digest=digest(answer), score=found.score(value))
    result: Result = value
    return replace(
        point,
        host_bytes=result.host_bytes or point.host_bytes,
        device_bytes=result.device_bytes or point.device_bytes,
        answer=found.problem.answer(result),
        answer_digest=digest(result.answer),
        score=_score(result),
        numbers=dict(found.problem.numbers(result)),
    )


def _score(result: Result) -> float | None:
    """The score in the units of the matrix, of answers that have one."""
    return float(result.score) if isinstance(getattr(result.answer, "score", None), (int, float)) else None


def without(point: Point, error: Exception) -> Point:
    """The point that an error left without a time: refused where it is the user's to correct, else failed."""
    if isinstance(error, AntidiagError):
        return replace(point, status=Status.REFUSED, reason=str(error))
    return replace(point, status=Status.FAILED, reason=f"{type(error).__name__}: {error}")


def refused(task: Task, reason: str) -> Point:
    """The point of a task of which nothing else is known."""
    found = contender(task.contender)
    is_peer = isinstance(found, Peer)
    given = dict(task.parameters)
    return Point(
        key=digest((task.contender, given, task.inputs, dict(task.options), task.backend, task.device, __version__)),
        contender=task.contender,
        name=found.name,
        coordinates=dict(task.coordinates),
        status=Status.REFUSED,
        reason=reason,
        backend=task.backend,
        given=given,
        parameters=given,
        is_peer=is_peer,
        counts=found.counts if isinstance(found, Peer) else "",
    )


def _key(contender_id: str, parameters: Any, problem: str, backend: str, device: str, version: str) -> str:
    """The stable name of a point: what ran, on what, where, in which version."""
    return digest((contender_id, dict(parameters), problem, backend, device, version))


def _named(planned: Plan, task: Task) -> dict[str, Any]:
    """The parameters that name a run: those given and tuned. This version chooses the others again in the same way."""
    chosen = {name for name, value in task.parameters.items() if value is not None} | planned.tuned
    cores = {"cores": workers.cores()} if planned.backend == "cpu" else {}
    return {**cores, **{name: planned.parameters[name] for name in sorted(chosen)}}


class _Silent(Monitor):
    """Hears the wish to cancel of another monitor, and tells nobody of its progress."""

    def __init__(self, other: Monitor) -> None:
        super().__init__()
        self._other = other

    @property
    def cancelled(self) -> bool:
        return self._other.cancelled

    def check(self) -> None:
        if self.cancelled:
            raise Cancelled
