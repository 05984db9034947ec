"""Sweeps and searches as jobs, each alone in the lane of its device so that nothing disturbs a measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.app import texts
from antidiag.app.jobs.queue import Job
from antidiag.app.tune.measurement import PointInbox, SweepMeasurement
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.measuring.runner import SweepControl, SweepProgress
from antidiag.kernels.experiments.papers import reproduction
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweeps import parameter_tuning, sweep_records
from antidiag.kernels.experiments.sweeps.parameter_tuning import TuningOutcome
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import SweepInputs
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True)
class DeviceChoice:
    """The device to measure on: the choice of the tool bar, and whether it may use a GPU."""

    backend: BackendChoice = "auto"
    device: int = 0
    uses_gpu: bool = False


def lane_name(backends: tuple[str, ...], device: int) -> str:
    """Return the lane of a job: that of the GPU where it may use one, else that of the CPU."""
    return f"cuda {device}" if "cuda" in backends else "cpu"


def sweep_job(
    sweep: Sweep, measurement: SweepMeasurement, reuse: bool, done: Callable[[tuple[MeasuredPoint, ...]], None]
) -> Job:
    """Return the job of a sweep; every point is on disk before it is shown."""

    def work(monitor: Monitor) -> tuple[MeasuredPoint, ...]:
        control, measurement.file = require_control(monitor), sweep.id
        return runner.run_sweep(
            sweep,
            point_store.store_of_sweep(measurement.file),
            control,
            measurement.inbox.add_point,
            progress_reporter(control),
            reuse,
        )

    title = f"Sweep \N{MIDDLE DOT} {measurement.title}"
    return Job(title, lane_name(sweep.backends, sweep.devices[0]), work, done, make_monitor=SweepControl, alone=True)


def tune_job(
    task: MeasurementTask, measurement: SweepMeasurement, budget_s: float, done: Callable[[TuningOutcome], None]
) -> Job:
    """Return the job of a search for good parameters; cancelling it keeps what was found."""

    def work(monitor: Monitor) -> TuningOutcome:
        control, measurement.file = require_control(monitor), sweep_records.search_id(task)
        store = point_store.store_of_sweep(measurement.file)
        return parameter_tuning.tune_parameters(
            task, budget_s, control, measurement.inbox.add_point, progress_reporter(control), store=store
        )

    title = f"{measurement.title} \N{MIDDLE DOT} {texts.format_duration(1000 * budget_s)}"
    return Job(title, lane_name((task.backend,), task.device), work, done, make_monitor=SweepControl, alone=True)


def reproduce_job(
    table: PaperTable,
    quick: bool,
    device_choice: DeviceChoice,
    reuse: bool,
    inbox: PointInbox,
    done: Callable[[tuple[MeasuredPoint, ...]], None],
    failed: Callable[[Job], None],
) -> Job:
    """Return the job that measures a table; every point is on disk before it is shown."""

    def work(monitor: Monitor) -> tuple[MeasuredPoint, ...]:
        control = require_control(monitor)
        report, where = progress_reporter(control), (device_choice.backend, device_choice.device)
        return reproduction.reproduce_table(
            table, quick, *where, control=control, on_point=inbox.add_point, on_progress=report, reuse=reuse
        )

    title = f"{table.title} \N{MIDDLE DOT} {table.id}" + (" (quick)" if quick else "")
    on = ("cuda",) if device_choice.uses_gpu else ("cpu",)
    return Job(title, lane_name(on, device_choice.device), work, done, failed, make_monitor=SweepControl, alone=True)


def limits_job(backend: str, device: int, done: Callable[[Roofline], None]) -> Job:
    """Return the job that measures and stores the roofline of a device."""

    def work(monitor: Monitor) -> Roofline:
        return roofline.find_roofline(backend, device, monitor, again=True)

    title = f"GPU {device}" if backend == "cuda" else "the CPU"
    return Job(f"Limits of {title}", lane_name((backend,), device), work, done, detachable=True, alone=True)


def searched_task(
    method: Method, inputs: SweepInputs, options: Mapping[str, Any], backend: BackendChoice, device: int
) -> MeasurementTask:
    """Return the task whose parameters a search varies."""
    return MeasurementTask(
        method.id, method.problem_type.id, inputs, {"method": method.id}, options, {}, backend, device
    )


def require_control(monitor: Monitor) -> SweepControl:
    """Return the monitor of a job that was made with Control."""
    assert isinstance(monitor, SweepControl)
    return monitor


def progress_reporter(control: SweepControl) -> Callable[[SweepProgress], None]:
    """Return a function that shows the progress of a sweep in the jobs panel."""

    def report(progress: SweepProgress) -> None:
        control.update(progress.done, progress.total, progress.text)

    return report
