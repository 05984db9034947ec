"""A paper's table as a job: it runs in the lane of its device, alone, as sweeps do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidiag.app.jobs.queue import Job
from antidiag.app.tune.measurement import Inbox
from antidiag.app.tune.sweeping import lane
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.papers import reproducing
from antidiag.kernels.experiments.papers.published import PaperTable
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.runner import Control, Progress
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True)
class Place:
    """Where to measure: the choice of the tool bar, and whether that may use a GPU."""

    backend: BackendChoice = "auto"
    device: int = 0
    on_gpu: bool = False


def reproduce_job(
    table: PaperTable, quick: bool, place: Place, reuse: bool, inbox: Inbox,
    done: Callable[[tuple[Point, ...]], None], failed: Callable[[Job], None],
) -> Job:  # fmt: skip
    """Measures a table; every point is on disk before it is shown, so that cancelling it loses none."""

    def work(monitor: Monitor) -> tuple[Point, ...]:
        assert isinstance(monitor, Control)

        def far(progress: Progress) -> None:
            monitor.update(progress.done, progress.total, progress.text)

        return reproducing.reproduce(
            table, quick, place.backend, place.device, control=monitor, on_point=inbox.put, on_progress=far, reuse=reuse
        )

    title = f"{table.title} \N{MIDDLE DOT} {table.id}" + (" (quick)" if quick else "")
    on = ("cuda",) if place.on_gpu else ("cpu",)
    return Job(title, lane(on, place.device), work, done, failed, make_monitor=Control, alone=True)
