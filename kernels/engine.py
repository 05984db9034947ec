"""Running a method on a problem: the one way in, for the window, the command line and the tests."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, Literal

from antidiag.kernels import __version__, memory
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable, ParameterError
from antidiag.kernels.machine import rates, tuned
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import resolve
from antidiag.kernels.plan import Plan
from antidiag.kernels.recovery import resuming
from antidiag.kernels.recovery.resuming import Run
from antidiag.kernels.steps import Steps

BackendChoice = Literal["auto", "cpu", "cuda"]


def plan(
    method: Method,
    problem: Any,
    given: Mapping[str, Any] | None = None,
    backend: BackendChoice = "auto",
    device: int = 0,
    use_tuned: bool = True,
) -> Plan:
    """Resolve backend, parameters, bytes and expected time, without running anything.

    A parameter that is not given takes the value that a search found on this machine, unless ``use_tuned`` is
    false, and else the automatic one. Raises ParameterError for parameters out of range and BackendUnavailable
    for a backend that was asked for by name and is not there. A run that would not fit has a ``refusal``.
    """
    given = given or {}
    if backend not in ("auto", "cpu", "cuda"):
        raise ParameterError(f"backend={backend!r} is not one of auto, cpu, cuda")
    if device < 0:
        raise ParameterError(f"device={device} is no number of a GPU; the first GPU is 0")
    notes = method.problem.notes(problem)
    instead = f" instead of GPU {device}" if device else ""
    if backend != "auto":
        if backend == "cpu" and device:
            notes = (*notes, f"The CPU is used{instead}: the backend cpu was asked for.")
        return _plan_on(method, problem, given, backend, device, notes, use_tuned)
    found, reason = devices.discover()
    if not found or "cuda" not in method.backends:
        why = reason if not found else f"{method.name} has no GPU version"
        notes = (*notes, f"The CPU is used{instead}: {why}.")
        return _plan_on(method, problem, given, "cpu", device, notes, use_tuned)
    on_gpu = _plan_on(method, problem, given, "cuda", device, notes, use_tuned)
    if on_gpu.refusal is None:
        return on_gpu
    notes = (*notes, f"The CPU is used instead of the GPU: {on_gpu.refusal}.")
    return _plan_on(method, problem, given, "cpu", device, notes, use_tuned)


def execute(
    planned: Plan,
    monitor: Monitor | None = None,
    steps: Steps | None = None,
    keep_rate: bool = True,
    resumed: Run | None = None,
    keep: bool | None = None,
) -> Result:
    """Run a plan and return its result; raises MemoryRefused, Cancelled, or a backend's error.

    With ``keep_rate`` the rate is remembered for the estimates of later plans, which writes a file. ``resumed`` is an
    interrupted run of the same problem that is continued (see kernels.recovery.resuming). What a long run has finished
    is kept on disk; with ``keep`` that of a short one too, and with ``keep=False`` nothing.
    """
    memory.refuse(planned.refusal, "Choose a smaller problem, a method with less memory, or free some")
    monitor, steps = monitor or Monitor(), steps or Steps()
    started = datetime.now(UTC)
    run = planned.method.load(planned.backend)
    kind = planned.method.id, *planned.footprint.device.items()
    device = devices.use(planned.device, kind) if planned.backend == "cuda" else nullcontext()
    with resuming.keeping(planned, monitor, resumed, keep) as notes, device:
        outcome = run(planned.problem, planned.parameters, monitor, steps)
    done = planned.method.done
    result = Result(
        method=planned.method.id,
        problem=planned.problem,
        parameters=planned.parameters,
        backend=planned.backend,
        device=planned.device_name,
        answer=outcome.answer,
        times_ms=outcome.times_ms,
        host_bytes=outcome.host_bytes,
        device_bytes=outcome.device_bytes,
        started=started,
        versions=versions(),
        notes=(*planned.notes, *outcome.notes, *notes),
        steps=steps,
        work=done(planned.problem, planned.parameters, outcome.answer) if done else None,
    )
    if keep_rate:
        work = planned.method.work(planned.problem, planned.parameters) if result.work is None else result.work
        rates.remember(planned.method, planned.backend, planned.device_name, work, result.compute_ms)
    return result


@cache
def cpu_name() -> str:
    """The processor's name, for people."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


@cache
def versions() -> Mapping[str, str]:
    """Versions of what a result depends on."""
    found = {"antidiag": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "biopython", "cupy-cuda12x", "cupy-cuda13x"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _cut_as_it_is(
    method: Method, backend: str, parameters: Mapping[str, Any], automatic: Mapping[str, Any]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The values, and notes: where one that this backend does not use says how the table is cut, it is the one by which
    the backend cuts it, so that pictures show what was done."""
    own, notes = dict(parameters), []
    for parameter in method.parameters:
        name = parameter.name
        if backend in parameter.backends or name not in automatic:
            continue
        other = {**parameters, name: automatic[name]}
        if method.cuts(other) != method.cuts(parameters):
            own[name] = automatic[name]
            notes.append(
                f"{name}={parameters[name]} is not used by the backend {backend}, which has {automatic[name]}."
            )
    return MappingProxyType(own), tuple(notes)


def _plan_on(
    method: Method,
    problem: Any,
    given: Mapping[str, Any],
    backend: str,
    device: int,
    notes: tuple[str, ...],
    use_tuned: bool,
) -> Plan:
    if backend not in method.backends:
        raise BackendUnavailable(f"{method.name} has no backend {backend}; it has {', '.join(method.backends)}")
    gpu = devices.device(device) if backend == "cuda" else None
    name = gpu.name if gpu else cpu_name()
    found = tuned.find(method, backend, name, problem.cells) if use_tuned else None
    values = {} if found is None else {key: value for key, value in found.values.items() if given.get(key) is None}
    automatic = {**method.automatic(problem, backend, gpu.multiprocessors if gpu else None), **values}
    parameters = resolve(method.parameters, given, automatic)
    parameters, unused = _cut_as_it_is(method, backend, parameters, automatic)
    given_notes, notes = notes, (*notes, *unused, *method.notes(problem, parameters))
    footprint = method.footprint(problem, parameters, backend)
    free = devices.memory_free(device) if gpu else None
    refusal = memory.refusal(footprint, memory.host_bytes_free(), free)
    if refusal and method.remedy:
        refusal = f"{refusal}; {method.remedy}"
    if refusal and values:
        notes = (*given_notes, f"The tuned values are not used: {refusal}.")
        return _plan_on(method, problem, given, backend, device, notes, use_tuned=False)
    work = method.work(problem, parameters)
    rate = rates.rate_gcups(method, backend, name, work, parameters.get("threads", 1))
    time_ms = work / rate / 1e6
    if found and values:
        notes = (*notes, f"Tuned: {found.text()}")
    kept, note = resuming.promise(method, problem, parameters, backend, time_ms, footprint.disk_bytes)
    return Plan(
        method=method,
        problem=problem,
        parameters=parameters,
        backend=backend,
        device=device,
        device_name=name,
        footprint=replace(footprint, disk={**footprint.disk, **kept}),
        time_ms=time_ms,
        refusal=refusal,
        notes=(*notes, note) if note else notes,
        tuned=frozenset(values),
    )
