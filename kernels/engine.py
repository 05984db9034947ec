"""Planning and execution of runs, for the window, the command line and the tests."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from antidiag.kernels import __version__, memory
from antidiag.kernels.cpu.workers import no_idle_threads_after_errors
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.errors import BackendUnavailable, ParameterError
from antidiag.kernels.machine import compiled_methods, measured_rates, tuned_values
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method, no_notes
from antidiag.kernels.model import Outcome, Result
from antidiag.kernels.monitor import PART_STEPS, Monitor, PartMonitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun
from antidiag.kernels.recovery.variant_store import SharedParts, VariantStore
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.steps import StepLog

BackendChoice = Literal["auto", "cpu", "cuda"]


def plan_run(
    method: Method,
    problem: Any,
    chosen: Mapping[str, Any] | None = None,
    backend: BackendChoice = "auto",
    device: int = 0,
    use_tuned: bool = True,
    peers: tuple[int, ...] = (),
) -> RunPlan:
    """Choose backend and parameters of a run and estimate its memory and time; nothing is run.

    A parameter that is not given gets its tuned value if a search on this machine found one and ``use_tuned`` is true,
    else its automatic value. Raises ParameterError for parameters out of range and BackendUnavailable if the requested
    backend is not available. A plan whose run does not fit into memory has a ``refusal``. ``peers`` are other GPUs that
    share the run, where the method can use several.
    """
    chosen = chosen or {}
    if backend not in ("auto", "cpu", "cuda"):
        raise ParameterError(f"backend must be auto, cpu or cuda; got {backend!r}")
    if device < 0:
        raise ParameterError(f"device must be the number of a GPU, 0 for the first; got {device}")
    notes = method.list_problem_notes(problem)
    instead = f" instead of GPU {device}" if device else ""
    if backend != "auto":
        if backend == "cpu" and device:
            notes = (*notes, f"The CPU is used{instead}: the backend cpu was requested.")
        return _plan_on(method, problem, chosen, backend, device, notes, use_tuned, peers)
    found, reason = devices.discover_devices()
    lacking = "" if "cuda" in method.backends else f"{method.name} has no GPU version"
    lacking = lacking or method.refuse_backend(problem, "cuda")
    if not found or lacking:
        why = reason if not found else lacking
        notes = (*notes, f"The CPU is used{instead}: {why}.")
        return _plan_on(method, problem, chosen, "cpu", device, notes, use_tuned)
    on_gpu = _plan_on(method, problem, chosen, "cuda", device, notes, use_tuned, peers)
    if on_gpu.refusal is None:
        return on_gpu
    notes = (*notes, f"The CPU is used instead of the GPU: {on_gpu.refusal}.")
    return _plan_on(method, problem, chosen, "cpu", device, notes, use_tuned)


def execute(
    run_plan: RunPlan,
    monitor: Monitor | None = None,
    steps: StepLog | None = None,
    keep_rate: bool = True,
    interrupted_run: InterruptedRun | None = None,
    keep_parts: bool | None = None,
    run: Callable[..., Outcome] | None = None,
) -> Result:
    """Run a plan and return its result; raise MemoryRefused, Cancelled, or an error of the backend.

    With ``keep_rate`` the rate is stored for the estimates of later plans. ``interrupted_run`` is a run of the same
    problem to continue (see kernels.recovery.interrupted_runs). Long runs store finished parts on disk;
    ``keep_parts=True`` makes short runs store them too, ``keep_parts=False`` makes no run store them.
    ``run`` replaces the backend of the method.
    """
    memory.raise_if_refused(
        run_plan.refusal, "Choose a smaller problem or a method that needs less memory, or free memory"
    )
    monitor, steps = monitor or Monitor(), steps or StepLog()
    started = datetime.now(UTC)
    run = run or run_plan.method.load_backend(run_plan.backend)
    kind = run_plan.method.id, *run_plan.footprint.device.items()
    device = (
        devices.use_device(run_plan.device, kind, run_plan.footprint.device_bytes, run_plan.peers)
        if run_plan.backend == "cuda"
        else no_idle_threads_after_errors()
    )
    with interrupted_runs.keep_run(run_plan, monitor, interrupted_run, keep_parts) as notes, device:
        problem, outcome = _run_variants(run, run_plan, monitor, steps)
    result = Result(
        method=run_plan.method.id,
        problem=problem,
        parameters=dict(run_plan.parameters.as_mapping()),
        backend=run_plan.backend,
        device=run_plan.device_name,
        answer=outcome.answer,
        times_ms=outcome.times_ms,
        host_bytes=outcome.host_bytes,
        device_bytes=outcome.device_bytes,
        started=started,
        versions=package_versions(),
        notes=(*run_plan.notes, *outcome.notes, *notes),
        steps=steps,
        work=run_plan.method.cost.finished_cells(run_plan.problem, run_plan.parameters, outcome),
    )
    compiled_methods.remember_compilation(
        run_plan.method, run_plan.backend, run_plan.device_name, result.times_ms.get("compilation", 0.0)
    )
    if keep_rate:
        _save_rate(run_plan, result)
    return result


def _save_rate(run_plan: RunPlan, result: Result) -> None:
    """Store the rate of a run for later estimates: that of one GPU where several shared it."""
    if result.compute_ms < measured_rates.MIN_RUN_MS:
        return
    cost = run_plan.method.cost
    measured_rates.save_rate(
        run_plan.method,
        run_plan.backend,
        run_plan.device_name,
        cost.finished_timed_work(run_plan.problem, run_plan.parameters, result.answer) * run_plan.gpu_share,
        result.compute_ms,
        run_plan.parameters.timed_threads(run_plan.backend),
    )


def _list_variants(problem: Any) -> tuple[Any, ...]:
    """Return the problems on which a method runs, of which the best answer counts: mostly the problem itself."""
    return getattr(problem, "variants", (problem,))


def _run_variants(
    run: Callable[..., Outcome], run_plan: RunPlan, monitor: Monitor, steps: StepLog
) -> tuple[Any, Outcome]:
    """Run a method on each variant of a problem; return the problem with its best variant, and that one's outcome.

    The first variant wins a tie. Times and work are those of all variants, steps those of the best one.
    """
    problem, parameters, variants = run_plan.problem, run_plan.parameters, _list_variants(run_plan.problem)
    if len(variants) == 1:
        return problem, run(problem, parameters, monitor, steps)
    parts = SharedParts(monitor.store, len(variants)) if monitor.store else None
    outcomes, logs = [], []
    for number, variant in enumerate(variants):
        part = PartMonitor(monitor, number, len(variants), f"variant {number + 1} of {len(variants)}")
        part.store = VariantStore(parts, number) if parts else None
        logs.append(StepLog(keeps=steps.keeps_events))
        outcomes.append(run(variant, parameters, part, logs[-1]))
    best = max(range(len(variants)), key=lambda number: outcomes[number].answer.score)
    monitor.update(PART_STEPS * len(variants), PART_STEPS * len(variants))
    steps.share = logs[best].share
    steps.add_array(logs[best].ordered_events())
    finished_cells = run_plan.method.cost.finished_cells
    work = [finished_cells(variant, parameters, one) for variant, one in zip(variants, outcomes, strict=True)]
    settled = problem.settle_variant(best)
    return settled, replace(
        outcomes[best],
        times_ms={name: sum(one.times_ms.get(name, 0.0) for one in outcomes) for name in outcomes[best].times_ms},
        host_bytes=max(one.host_bytes for one in outcomes),
        device_bytes=max(one.device_bytes for one in outcomes),
        notes=(*outcomes[best].notes, *settled.variant_notes([one.answer for one in outcomes])),
        work=sum(work),
    )


@cache
def cpu_name() -> str:
    """Return the name of the processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


@cache
def package_versions() -> Mapping[str, str]:
    """Return the versions of the program, Python and the packages that compute."""
    found = {"antidiag": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "biopython", "cupy-cuda12x", "cupy-cuda13x"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _apply_backend_cuts(
    method: Method, backend: str, parameters: MethodParameters, automatic: Mapping[str, Any]
) -> tuple[MethodParameters, tuple[str, ...]]:
    """Replace table borders that this backend ignores by its own, so that pictures show the real borders.

    Returns the parameters and a note for every replaced value.
    """
    own, notes, find_cuts = parameters, [], method.picture.table_cuts
    for parameter in method.parameters.declared():
        name = parameter.name
        if backend in parameter.backends or name not in automatic:
            continue
        used = {name: automatic[name]}
        if find_cuts(replace(parameters, **used)) != find_cuts(parameters):
            own = replace(own, **used)
            notes.append(f"The backend {backend} ignores {name}={getattr(parameters, name)} and uses {used[name]}.")
    return own, tuple(notes)


def _fit_parameters(
    method: Method, problem: Any, parameters: MethodParameters, backend: str, given: Mapping[str, Any]
) -> tuple[MethodParameters, tuple[str, ...]]:
    """Return the values with which a backend computes, and a note for every given one that it replaces."""
    fitted = method.fit_parameters(problem, parameters, backend)
    if fitted is parameters:
        return parameters, ()
    values = fitted.as_mapping()
    changed = [name for name, value in parameters.as_mapping().items() if value != values[name]]
    notes = tuple(
        f"The backend {backend} computes with {name}={values[name]}, not {given[name]}."
        for name in changed
        if given.get(name) is not None
    )
    return fitted, notes


def _notes_on_chosen(
    method: Method, problem: Any, parameters: MethodParameters, automatic: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the notes on values that the user chose, without those that automatic values get too."""
    if method.parameter_notes is no_notes:
        return ()
    unchosen = method.parameter_notes(problem, method.parameters.resolve({}, automatic))
    return tuple(note for note in method.parameter_notes(problem, parameters) if note not in unchosen)


def _estimate_memory(method: Method, problem: Any, parameters: MethodParameters, backend: str) -> Footprint:
    """Return the memory of a run: that of the variant that needs most, and the disk space of all."""
    found = [method.cost.estimate_memory(variant, parameters, backend) for variant in _list_variants(problem)]
    if len(found) == 1:
        return found[0]
    most = max(found, key=lambda one: (one.device_bytes, one.host_bytes))
    return replace(most, disk={name: len(found) * n for name, n in most.disk.items()})


def _plan_on(
    method: Method,
    problem: Any,
    given: Mapping[str, Any],
    backend: str,
    device: int,
    notes: tuple[str, ...],
    use_tuned: bool,
    peers: tuple[int, ...] = (),
) -> RunPlan:
    """Return the plan of a run on one backend, which ``peers`` share; the CPU has none."""
    if backend not in method.backends:
        raise BackendUnavailable(f"{method.name} has no backend {backend}; it has {', '.join(method.backends)}")
    if refused := method.refuse_backend(problem, backend):
        others = [other for other in method.backends if not method.refuse_backend(problem, other)]
        raise BackendUnavailable(f"{refused}; choose the backend {' or '.join(others)}")
    gpus = [devices.find_device(index) for index in (device, *peers)] if backend == "cuda" else []
    _refuse_peers(method, gpus)
    name = _name_gpus(gpus) if gpus else cpu_name()
    found = tuned_values.find_tuned(method, backend, name, problem.cells) if use_tuned else None
    values = {} if found is None else {key: value for key, value in found.values.items() if given.get(key) is None}
    automatic = {**method.automatic_values(problem, backend, _count_multiprocessors(gpus), given), **values}
    parameters = method.parameters.resolve(given, automatic)
    parameters, unused = _apply_backend_cuts(method, backend, parameters, automatic)
    parameters, fitted = _fit_parameters(method, problem, parameters, backend, given)
    chosen_notes = _notes_on_chosen(method, problem, parameters, automatic)
    given_notes, notes = notes, (*notes, *unused, *fitted, *chosen_notes)
    footprint = _estimate_memory(method, problem, parameters, backend)
    free = min(devices.free_memory_bytes(gpu.index) for gpu in gpus) if gpus else None
    refusal = memory.explain_refusal(footprint, memory.host_bytes_free(), free)
    if refusal and method.cost.memory_hint:
        refusal = f"{refusal}; {method.cost.memory_hint}"
    if refusal and values:
        notes = (*given_notes, f"The tuned values are not used: {refusal}.")
        return _plan_on(method, problem, given, backend, device, notes, False, peers)
    gpu_share = _find_gpu_share(method, problem, parameters, gpus)
    timed_work = method.cost.timed_work(problem, parameters) * gpu_share
    time_ms = measured_rates.estimate_ms(method, backend, name, timed_work, parameters.timed_threads(backend))
    if found and values:
        notes = (*notes, f"Tuned: {found.format_text()}")
    kept, note = interrupted_runs.predict_disk_bytes(
        method, problem, parameters, backend, time_ms, footprint.disk_bytes
    )
    return RunPlan(
        method=method,
        problem=problem,
        parameters=parameters,
        backend=backend,
        device=device,
        device_name=name,
        footprint=replace(footprint, disk={**footprint.disk, **kept}) if kept else footprint,
        time_ms=time_ms,
        refusal=refusal,
        notes=(*notes, note) if note else notes,
        tuned=frozenset(values),
        compilation_ms=compiled_methods.expected_compilation_ms(method, backend, name),
        peers=peers if gpus else (),
        gpu_share=gpu_share,
    )


def _refuse_peers(method: Method, gpus: Sequence[Device]) -> None:
    """Raise BackendUnavailable where several GPUs shall share a run and the method uses one."""
    if len(gpus) > 1 and not method.shares_gpus:
        raise BackendUnavailable(f"{method.name} uses one GPU; choose one, such as --device {gpus[0].index}")


def _find_gpu_share(method: Method, problem: Any, parameters: MethodParameters, gpus: Sequence[Device]) -> float:
    """Return the part of the timed work of a run that each of its GPUs has; 1 on one GPU and on the CPU."""
    if len(gpus) < 2 or method.cost.gpu_share is None:
        return 1.0
    return method.cost.gpu_share(problem, parameters, [gpu.multiprocessors for gpu in gpus])


def _name_gpus(gpus: Sequence[Device]) -> str:
    """Return the name of a GPU; of several, how many of each there are."""
    counts = Counter(gpu.name for gpu in gpus)
    return " and ".join(name if count == 1 else f"{count} x {name}" for name, count in counts.items())


def _count_multiprocessors(gpus: Sequence[Device]) -> int | None:
    """Return the multiprocessors of all GPUs together, or None for the CPU."""
    return sum(gpu.multiprocessors for gpu in gpus) or None
