"""Measure the tables of papers; each table, quick or full, has its own file of points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.measuring.runner import MeasuringPolicy, SweepControl, SweepProgress
from antidiag.kernels.experiments.papers import table_tasks
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps.sweep import find_problem_type
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.monitor import Monitor

FOLDER = "papers"
REPEATS = 3
PATIENCE_S = {True: 5.0, False: 60.0}
"""Seconds after which a point is not repeated, of a quick run and of others."""


def papers_folder() -> Path:
    """Return the folder of the points of the tables, below that of the sweeps."""
    return point_store.experiments_folder() / FOLDER


def store_of(table: PaperTable, quick: bool) -> PointStore:
    """Return the store of the points of a table."""
    return point_store.store_of_sweep(f"{FOLDER}/{table.id}{'-quick' if quick else ''}")


def stored_points(table: PaperTable, quick: bool) -> tuple[MeasuredPoint, ...]:
    """Return the stored points of a table, oldest first; the last point of a run counts."""
    return store_of(table, quick).read_points().points


def store_warnings(table: PaperTable, quick: bool) -> tuple[str, ...]:
    """Return the warnings about unreadable stored points of a table."""
    return store_of(table, quick).read_points().warnings


def reproduce_table(
    table: PaperTable,
    quick: bool = False,
    backend: BackendChoice = "auto",
    device: int = 0,
    repeats: int = REPEATS,
    control: SweepControl | None = None,
    on_point: Callable[[MeasuredPoint], None] = lambda point: None,
    on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    reuse: bool = False,
    cards: Executor | None = None,
) -> tuple[MeasuredPoint, ...]:
    """Measure all tasks of a table; points are stored before they are reported.

    With ``reuse``, points that this version has measured before, in any table or sweep, are not measured again; they
    are stored with this table as well. ``cards`` is the executor of all GPUs, as of `runner.run_sweep`. Raises
    Cancelled, and InputError if the disk is full.
    """
    store = store_of(table, quick)
    last = {_point_place(point): point.key for point in store.read_points().points} if reuse else {}
    store.begin_sweep({"title": table.title, "table": table.id, "quick": quick})

    def take(point: MeasuredPoint) -> None:
        if point.reused and last.get(_point_place(point), point.key) != point.key:
            store.append_point(point)  # it is there already, before a newer one of another device or setting
        on_point(point)

    tasks = table_tasks.table_tasks(table, quick, backend, device, repeats)
    policy = MeasuringPolicy(PATIENCE_S[quick])
    return runner.run_tasks(tasks, policy, store, control, take, on_progress, reuse, cards)


def expected_s(
    table: PaperTable, quick: bool, backend: BackendChoice = "auto", device: int = 0, monitor: Monitor | None = None
) -> float | None:
    """Return the seconds that ``reproduce_table`` will probably take, by the rates of earlier runs.

    Returns None where an estimate is too expensive: the problems are made for it, and matrices and graphs of a paper's
    size take seconds and gigabytes. Sequences are made fast.
    """
    tasks = table_tasks.table_tasks(table, quick, backend, device, REPEATS)
    kinds = {taken.kind for task in tasks for taken in find_problem_type(task.problem_type).inputs}
    if not quick and kinds != {SEQUENCE}:
        return None
    return runner.expected_s(tasks, MeasuringPolicy(PATIENCE_S[quick]), monitor)


def _point_place(point: MeasuredPoint) -> str:
    """Return the place of a point in its table, which does not depend on the device."""
    return repr((point.contender, sorted(point.coordinates.items())))
