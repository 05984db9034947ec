"""Running a method on a problem: the one way in, for the window, the command line and the tests."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from kernels import __version__, memory, rates, resuming
from kernels.cuda import devices
from kernels.errors import BackendUnavailable, ParameterError
from kernels.memory import Footprint
from kernels.method import Method
from kernels.model import Result
from kernels.monitor import Monitor
from kernels.parameters import resolve
from kernels.resuming import Run
from kernels.steps import Steps

BackendChoice = Literal["auto", "cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that could start now: where, with which parameters, at what cost.

    ``refusal`` says why it must not start, or is None. ``notes`` tell the user what was decided for
    them, such as the CPU standing in for a GPU that is not there.
    """

    method: Method
    problem: Any
    parameters: Mapping[str, Any]
    backend: str
    device: int
    device_name: str
    footprint: Footprint
    time_ms: float
    refusal: str | None
    notes: tuple[str, ...] = ()


def plan(
    method: Method,
    problem: Any,
    given: Mapping[str, Any] | None = None,
    backend: BackendChoice = "auto",
    device: int = 0,
) -> Plan:
    """Resolve backend, parameters, bytes and expected time, without running anything.

    Raises ParameterError for parameters out of range and BackendUnavailable for a backend that was
    asked for by name and is not there. A run that would not fit has a ``refusal``.
    """
    given = given or {}
    if backend not in ("auto", "cpu", "cuda"):
        raise ParameterError(f"backend={backend!r} is not one of auto, cpu, cuda")
    if backend != "auto":
        return _plan_on(method, problem, given, backend, device, ())
    found, reason = devices.discover()
    if not found or "cuda" not in method.backends:
        why = reason if not found else f"{method.name} has no GPU version"
        return _plan_on(method, problem, given, "cpu", device, (f"The CPU is used: {why}.",))
    on_gpu = _plan_on(method, problem, given, "cuda", device, ())
    if on_gpu.refusal is None:
        return on_gpu
    return _plan_on(method, problem, given, "cpu", device, (f"The CPU is used instead of the GPU: {on_gpu.refusal}.",))


def execute(
    planned: Plan,
    monitor: Monitor | None = None,
    steps: Steps | None = None,
    resumed: Run | None = None,
    keep: bool = False,
) -> Result:
    """Run a plan and return its result; raises MemoryRefused, Cancelled, or a backend's error.

    ``resumed`` is an interrupted run of the same problem that is continued (see kernels.resuming); ``keep`` keeps what
    is finished on disk however short the run is.
    """
    memory.refuse(planned.refusal, "Choose a smaller problem, a method with less memory, or free some")
    monitor, steps = monitor or Monitor(), steps or Steps()
    started = datetime.now(UTC)
    run = planned.method.load(planned.backend)
    device = devices.use(planned.device) if planned.backend == "cuda" else nullcontext()
    with resuming.keeping(planned, monitor, resumed, keep) as notes, device:
        outcome = run(planned.problem, planned.parameters, monitor, steps)
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
        notes=(*planned.notes, *notes),
        steps=steps,
    )
    work = planned.method.work(planned.problem, planned.parameters)
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


def _plan_on(
    method: Method, problem: Any, given: Mapping[str, Any], backend: str, device: int, notes: tuple[str, ...]
) -> Plan:
    if backend not in method.backends:
        raise BackendUnavailable(f"{method.name} has no backend {backend}; it has {', '.join(method.backends)}")
    gpu = devices.device(device) if backend == "cuda" else None
    automatic = method.automatic(problem, backend, gpu.multiprocessors if gpu else None)
    parameters = resolve(method.parameters, given, automatic)
    footprint = method.footprint(problem, parameters, backend)
    name = gpu.name if gpu else cpu_name()
    work = method.work(problem, parameters)
    rate = rates.rate_gcups(method, backend, name, work, parameters.get("threads", 1))
    free = devices.memory_free(device) if gpu else None
    time_ms = work / rate / 1e6
    refusal = memory.refusal(footprint, memory.host_bytes_free(), free)
    kept, note = resuming.promise(method, problem, parameters, backend, time_ms)
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
    )
