"""Measuring a paper's table here, and keeping what was measured: each table, quick or full, has a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments import results, runner
from antidiag.kernels.experiments.papers import published
from antidiag.kernels.experiments.papers.published import PaperTable
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.results import Store
from antidiag.kernels.experiments.runner import Control, Manner, Progress
from antidiag.kernels.experiments.sweep import problem_type
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.monitor import Monitor

FOLDER = "papers"
REPEATS = 3
PATIENCE_S = {True: 5.0, False: 60.0}
"""Seconds after which a point is not repeated, of a quick run and of others."""


def folder() -> Path:
    """Where the points of the tables are kept: below those of the sweeps, so that these stay a short list."""
    return results.folder() / FOLDER


def store_of(table: PaperTable, quick: bool) -> Store:
    """Where the points of a table are kept."""
    return results.of(f"{FOLDER}/{table.id}{'-quick' if quick else ''}")


def kept(table: PaperTable, quick: bool) -> tuple[Point, ...]:
    """What was measured of a table before, oldest first: of one place the last point counts, as in ``compare``."""
    return store_of(table, quick).read().points


def warnings(table: PaperTable, quick: bool) -> tuple[str, ...]:
    """What could not be read back of the points of a table."""
    return store_of(table, quick).read().warnings


def reproduce(
    table: PaperTable,
    quick: bool = False,
    backend: BackendChoice = "auto",
    device: int = 0,
    repeats: int = REPEATS,
    control: Control | None = None,
    on_point: Callable[[Point], None] = lambda point: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    reuse: bool = False,
) -> tuple[Point, ...]:
    """Measure everything that a table needs, as ``runner.run_tasks`` does; points are on disk before they are told.

    With ``reuse``, what this version has measured before is taken as it is, from whichever table or sweep, and is kept
    with this table as well. Raises Cancelled, and InputError where the disk takes no more.
    """
    store = store_of(table, quick)
    last = {_place(point): point.key for point in store.read().points} if reuse else {}
    store.begin({"title": table.title, "table": table.id, "quick": quick})

    def take(point: Point) -> None:
        if point.reused and last.get(_place(point), point.key) != point.key:
            store.append(point)  # it is there already, before a newer one of another device or setting
        on_point(point)

    tasks = published.tasks(table, quick, backend, device, repeats)
    return runner.run_tasks(tasks, Manner(PATIENCE_S[quick]), store, control, take, on_progress, reuse)


def expected_s(
    table: PaperTable, quick: bool, backend: BackendChoice = "auto", device: int = 0, monitor: Monitor | None = None
) -> float | None:
    """Seconds that ``reproduce`` will take by the rates of earlier runs; None where to know it would cost too much.

    The problems are made for that. Sequences are made fast; matrices and graphs of a paper's size take seconds and
    gigabytes, and are not made only to be told about.
    """
    tasks = published.tasks(table, quick, backend, device, REPEATS)
    kinds = {taken.kind for task in tasks for taken in problem_type(task.problem_type).inputs}
    if not quick and kinds != {SEQUENCE}:
        return None
    return runner.expected_s(tasks, Manner(PATIENCE_S[quick]), monitor)


def _place(point: Point) -> str:
    """Where a point is in its table, whatever it was measured on."""
    return repr((point.contender, sorted(point.coordinates.items())))
