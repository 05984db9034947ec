"""Prepare a task as a call that can be timed, and turn its timed runs into a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from antidiag.kernels import __version__, engine
from antidiag.kernels.cpu import workers
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import AntidiagError, Cancelled
from antidiag.kernels.experiments.measuring import timing
from antidiag.kernels.experiments.measuring.timing import TimedCall, TimedRuns
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data import model_values
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, find_contender, find_problem_type
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.run_plan import RunPlan

SMALLER = "choose a smaller problem or a method that needs less memory"


@dataclass(frozen=True)
class PreparedTask:
    """A task before it runs: its point so far, the call to measure, and a method's plan.

    There is no call if the point is final.
    """

    point: MeasuredPoint
    call: TimedCall | None = None
    planned: RunPlan | None = None


def prepare_task(task: MeasurementTask, problem: Any, problem_digest: str, monitor: Monitor) -> PreparedTask:
    """Plan a task whose problem was built; ``problem_digest`` is the digest of the problem."""
    found = find_contender(task.contender)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    point = replace(
        refused_point(task, ""),
        problem=problem_digest,
        title=problem.title,
        size=problem.size,
        cells=problem.cells,
        work=problem.cells,
        unit=find_problem_type(task.problem_type).work_unit,
        started=started,
    )
    try:
        return (
            _prepare_peer(found, task, problem, point)
            if isinstance(found, Peer)
            else _prepare_method(task, problem, point, monitor)
        )
    except Cancelled:
        raise
    except Exception as error:  # of a peer's or a method's own code, which must not end the other points of a sweep
        return PreparedTask(point_with_error(point, timing.record_failure(error)))


def explain_unmeasurable(found: Peer, task: MeasurementTask, problem: Any) -> str:
    """Return why a peer cannot be measured on the problem of a task on this machine, or ""."""
    if not found.solves_problem(find_problem_type(task.problem_type)):
        return f"{found.name} does not solve this problem"
    return found.why_not(problem)


def _prepare_peer(found: Peer, task: MeasurementTask, problem: Any, point: MeasuredPoint) -> PreparedTask:
    version = found.version() or ""
    point = replace(
        point,
        key=_point_key(found.id, {}, point.problem, "cpu", engine.cpu_name(), version),
        backend="cpu",
        device=engine.cpu_name(),
        host_bytes=found.host_bytes(problem),
        versions={found.name: version},
        reason=explain_unmeasurable(found, task, problem),
    )
    return PreparedTask(point, None if point.reason else timing.peer_call(lambda: found.prepare(problem)))


def _prepare_method(task: MeasurementTask, problem: Any, point: MeasuredPoint, monitor: Monitor) -> PreparedTask:
    planned = task.plan_run(problem)
    values, place = model_values.model_values(planned), (planned.backend, planned.device_name)
    point = replace(
        point,
        key=_point_key(task.contender, _naming_parameters(planned, task), point.problem, *place, __version__),
        backend=planned.backend,
        device=planned.device_name,
        parameters=dict(planned.parameters.as_mapping()),
        work=planned.method.cost.count_work(problem, planned.parameters),
        host_bytes=planned.footprint.host_bytes,
        device_bytes=planned.footprint.device_bytes,
        models=values,
        limit_ms=model_values.limit_ms(planned, values),
        tiles=planned.method.picture.table_tiles(problem, planned.backend),
        notes=planned.notes,
        versions=dict(engine.package_versions()),
        reason=planned.refusal or "",
    )
    # The progress of a single run is not the progress of the sweep.
    call = None if planned.refusal else timing.method_call(planned, CancelOnlyMonitor(monitor))
    return PreparedTask(point, call, planned)


def complete_point(prepared: PreparedTask, measured: TimedRuns) -> MeasuredPoint:
    """Return the point of a task with its timed runs and answer, or with the error that ended them."""
    point = prepared.point
    if measured.error is not None:
        return replace(point_with_error(point, measured.error), status=PointStatus.FAILED)
    point = replace(
        point, status=PointStatus.MEASURED, runs=tuple(measured.runs), compilation_ms=measured.compilation_ms, reason=""
    )
    value, found = measured.value, find_contender(point.contender)
    if isinstance(found, Peer):
        answer = found.answer(value)
        return replace(point, answer=answer, answer_digest=digest_value(answer), score=found.score(value))
    result: Result = value
    return replace(
        point,
        host_bytes=result.host_bytes or point.host_bytes,
        device_bytes=result.device_bytes or point.device_bytes,
        answer=found.problem_type.format_answer(result),
        answer_digest=digest_value(result.answer),
        score=_answer_score(result),
        numbers={**found.problem_type.answer_quantities(result), **_read_occupancy(prepared.planned)},
    )


def _read_occupancy(planned: RunPlan | None) -> Mapping[str, float]:
    """Return the occupancy of the GPU by a run; nothing for a run on the CPU."""
    if planned is None or planned.backend != "cuda" or not planned.method.cost.occupancy:
        return {}
    with devices.use_device(planned.device):
        return planned.method.cost.read_occupancy(planned.problem, planned.parameters)


def _answer_score(result: Result) -> float | None:
    """Return the score of an answer in the units of the matrix; None for an answer without a score."""
    return float(result.score) if isinstance(getattr(result.answer, "score", None), (int, float)) else None


def point_with_error(point: MeasuredPoint, error: Exception) -> MeasuredPoint:
    """Return the point of a task that an error ended: refused if the user can correct it, else failed.

    `timing.record_failure` has logged an unexpected error where it was caught.
    """
    if isinstance(error, AntidiagError):
        return replace(point, status=PointStatus.REFUSED, reason=str(error))
    if isinstance(error, MemoryError):
        return replace(point, status=PointStatus.FAILED, reason=f"out of memory ({error or 'MemoryError'}); {SMALLER}")
    return replace(point, status=PointStatus.FAILED, reason=f"{type(error).__name__}: {error}")


def refused_point(task: MeasurementTask, reason: str) -> MeasuredPoint:
    """Return the point of a task that was refused before its problem was built."""
    found = find_contender(task.contender)
    is_peer = isinstance(found, Peer)
    given = dict(task.parameters)
    return MeasuredPoint(
        key=digest_value(
            (task.contender, given, task.inputs, dict(task.options), task.backend, task.device, __version__)
        ),
        contender=task.contender,
        name=found.name,
        coordinates=dict(task.coordinates),
        status=PointStatus.REFUSED,
        reason=reason,
        backend=task.backend,
        given=given,
        parameters=given,
        is_peer=is_peer,
        counts=found.counts if isinstance(found, Peer) else "",
    )


def _point_key(contender_id: str, parameters: Any, problem: str, backend: str, device: str, version: str) -> str:
    """Return the stable key of a point: contender, parameters, problem, backend, device and version."""
    return digest_value((contender_id, dict(parameters), problem, backend, device, version))


def _naming_parameters(planned: RunPlan, task: MeasurementTask) -> dict[str, Any]:
    """Return the given and tuned parameters, which identify a run; all others follow from the version."""
    chosen = {name for name, value in task.parameters.items() if value is not None} | planned.tuned
    cores = {"cores": workers.count_processors()} if planned.backend == "cpu" else {}
    return {**cores, **{name: getattr(planned.parameters, name) for name in sorted(chosen)}}
