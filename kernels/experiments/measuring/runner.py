"""Running a sweep point after point, with progress, pause and cancel; finished points are stored at once."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.experiments.measuring import card_points, task_preparation, timing
from antidiag.kernels.experiments.measuring.answer_agreement import AnswerAgreement
from antidiag.kernels.experiments.measuring.sweep_control import SweepControl
from antidiag.kernels.experiments.measuring.task_preparation import PreparedTask
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep, find_contender
from antidiag.kernels.monitor import Monitor

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Progress of a sweep: finished and total points, elapsed seconds, and remaining seconds if known."""

    done: int
    total: int
    elapsed_s: float
    remaining_s: float | None
    text: str


@dataclass(frozen=True, slots=True)
class MeasuringPolicy:
    """How tasks are measured: none is repeated after ``patience_s``; in turn (``side_by_side``) or one by one."""

    patience_s: float = 60.0
    side_by_side: bool = False


def run_sweep(
    sweep: Sweep,
    store: PointStore | None = None,
    control: SweepControl | None = None,
    on_point: Callable[[MeasuredPoint], None] = lambda point: None,
    on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    reuse: bool = False,
    cards: Executor | None = None,
) -> tuple[MeasuredPoint, ...]:
    """Measure every task of a sweep, in its order.

    Every point goes to ``store`` and ``on_point`` when it is measured. With ``reuse``, points that were measured before
    (in any sweep of this user, or in this store) are not measured again and are added to ``store``. Both callbacks run
    on the calling thread. ``cards`` is the executor of all GPUs, on which points of GPUs are then measured at the same
    time, each alone on its card. Raises ParameterError for an invalid sweep, and Cancelled; a point that cannot be
    measured raises no error.
    """
    tasks = sweep.make_tasks()
    if store is not None:
        store.begin_sweep(sweep_records.sweep_to_json(sweep))
    manner = MeasuringPolicy(sweep.patience_s, sweep.side_by_side)
    return run_tasks(tasks, manner, store, control, on_point, on_progress, reuse, cards)


def run_tasks(
    tasks: Sequence[MeasurementTask],
    manner: MeasuringPolicy = MeasuringPolicy(),
    store: PointStore | None = None,
    control: SweepControl | None = None,
    on_point: Callable[[MeasuredPoint], None] = lambda point: None,
    on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    reuse: bool = False,
    cards: Executor | None = None,
) -> tuple[MeasuredPoint, ...]:
    """Measure a list of tasks in their order; the parameters are those of `run_sweep`.

    With ``cards``, points of GPUs come first, as they end, and the others are measured afterwards, when the machine is
    quiet.
    """
    control = control or SweepControl()
    before = _find_reusable_points(store) if reuse else {}
    here = {point.key for point in store.read_points().points} if reuse and store is not None else set()
    clock = _Clock(_expected_ms(tasks, manner, control))
    agreement, done = AnswerAgreement(), dict[int, list[MeasuredPoint]]()
    groups = list(enumerate(_group_tasks(tasks, manner.side_by_side)))

    def keep(number: int, measured: Iterable[MeasuredPoint]) -> None:
        done[number] = []
        for point in measured:
            point = agreement.check_point(point)
            if store is not None and not (point.reused and point.key in here):
                store.append_point(point)
            done[number].append(point)
            on_point(point)
        clock.add_group(groups[number][1], done[number])

    def report(text: str) -> None:
        on_progress(clock.make_progress(sum(map(len, done.values())), len(tasks), text))

    if cards is not None:
        path = store.path if reuse and store is not None else None
        shared = [(number, group) for number, group in groups if all(map(card_points.runs_on_card, group))]
        report(f"{cards.slots} GPUs")
        for number, measured in card_points.measure_on_cards(shared, manner, path, cards, control):
            keep(number, measured)
            report(f"{cards.slots} GPUs")
    for number, group in groups:
        if number not in done:
            report(_group_title(group))
            keep(number, _measure_group(group, manner, control, before))
    report("")
    return tuple(point for number, _ in groups for point in done[number])


def measure_group(
    group: Sequence[MeasurementTask], manner: MeasuringPolicy, store: Path | None, monitor: Monitor
) -> list[MeasuredPoint]:
    """Measure tasks with the same problem in this process, which `run_tasks` has started for a card.

    With ``store``, points that were measured before are taken from there and from the user's folder.
    """
    before = {} if store is None else _find_reusable_points(PointStore(store))
    return list(_measure_group(group, manner, _ControlOf(monitor), before))


class _ControlOf(SweepControl):
    """Is cancelled when a monitor is."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__()
        self._monitor = monitor

    @property
    def is_cancelled(self) -> bool:
        """Return whether the sweep or the monitor was asked to stop."""
        return super().is_cancelled or self._monitor.is_cancelled


def expected_s(
    tasks: Sequence[MeasurementTask], manner: MeasuringPolicy = MeasuringPolicy(), monitor: Monitor | None = None
) -> float:
    """Return the expected seconds of tasks by the rates of earlier runs, without compilation; 0 for refused ones."""
    return sum(_expected_ms(tasks, manner, monitor or Monitor())) / 1e3


def measure_task(
    task: MeasurementTask, control: SweepControl | None = None, manner: MeasuringPolicy = MeasuringPolicy()
) -> MeasuredPoint:
    """Measure one task by itself, as a worker on another device or machine does."""
    return next(_measure_group((task,), manner, control or SweepControl(), {}))


def _measure_group(
    group: Sequence[MeasurementTask], manner: MeasuringPolicy, control: SweepControl, before: dict[str, MeasuredPoint]
) -> Iterator[MeasuredPoint]:
    """Yield the points of tasks with the same problem; their runs take turns."""
    control.wait_while_paused()
    try:
        problem: Any = group[0].build_problem()
        of_problem = digest_value(problem)
    except Cancelled:
        raise
    except Exception as error:  # of data and problems of any kind, which must not end the other points of a sweep
        timing.record_failure(error)
        refused = (task_preparation.refused_point(task, "") for task in group)
        yield from (task_preparation.point_with_error(point, error) for point in refused)
        return
    prepared = [task_preparation.prepare_task(task, problem, of_problem, control) for task in group]
    prepared = [_reuse_point(one, before.get(one.point.key)) for one in prepared]
    calls = [one.call for one in prepared if one.call is not None]
    repeats, warm_up = group[0].repeats, group[0].warm_up
    runs = iter(timing.take_turns(calls, repeats, warm_up, manner.patience_s, control.wait_while_paused))
    for one in prepared:
        yield one.point if one.call is None else task_preparation.complete_point(one, next(runs))


def _reuse_point(prepared: PreparedTask, before: MeasuredPoint | None) -> PreparedTask:
    """Return the point that was measured before, with the coordinates of this sweep."""
    if before is None or prepared.call is None:
        return prepared
    limit = before.limit_ms if prepared.point.limit_ms is None else prepared.point.limit_ms
    return PreparedTask(
        replace(before, coordinates=prepared.point.coordinates, given=prepared.point.given, limit_ms=limit)
    )


def _find_reusable_points(store: PointStore | None) -> dict[str, MeasuredPoint]:
    here = [store.path] if store is not None and store.path.parent != point_store.experiments_folder() else []
    return point_store.find_measured_points() | (point_store.find_measured_points(here) if here else {})


def _group_tasks(tasks: Sequence[MeasurementTask], side_by_side: bool) -> Iterator[tuple[MeasurementTask, ...]]:
    """Yield neighbouring tasks with the same problem as a group, or every task by itself."""
    if not side_by_side:
        yield from ((task,) for task in tasks)
        return
    group: list[MeasurementTask] = []
    for task in tasks:
        if group and not task.has_same_problem(group[0]):
            yield tuple(group)
            group = []
        group.append(task)
    if group:
        yield tuple(group)


def _group_title(group: Sequence[MeasurementTask]) -> str:
    return find_contender(group[0].contender).name if len(group) == 1 else f"{len(group)} side by side"


def _expected_ms(tasks: Sequence[MeasurementTask], manner: MeasuringPolicy, monitor: Monitor) -> list[float]:
    """Return the expected time of every task by the rates of earlier runs; 0 for a task that will be refused."""
    problem, last, found = None, None, []
    for task in tasks:
        monitor.check()
        if last is None or not task.has_same_problem(last):
            last, problem = task, _try_to_make(task.build_problem)
        one = _expected_once(task, problem) if problem is not None else 0.0
        times = min(task.repeats, 1 + int(manner.patience_s * 1e3 / one)) if one else 0
        found.append((task.warm_up + times) * one)
    return found


def _expected_once(task: MeasurementTask, problem: Any) -> float:
    found = find_contender(task.contender)
    if isinstance(found, Peer):
        return (
            0.0
            if task_preparation.explain_unmeasurable(found, task, problem)
            else problem.cells / found.nominal_gcups / 1e6
        )
    planned = _try_to_make(lambda: task.plan_run(problem))
    return planned.time_ms if planned is not None and planned.refusal is None else 0.0


def _try_to_make(make: Callable[[], Any]) -> Any:
    """Return what a call makes; None if it fails, as it does again when the point is measured, which then says why."""
    try:
        return make()
    except Cancelled:
        raise
    except Exception as error:
        LOG.debug("no estimate of a point", exc_info=error)
        return None


class _Clock:
    """Estimates the remaining time: the expected time, scaled by how long the finished part took."""

    def __init__(self, expected_ms: Sequence[float]) -> None:
        self._sums = [0.0, *itertools.accumulate(expected_ms)]
        self._done = 0
        self._took_ms = 0.0
        self._began = time.monotonic()

    def add_group(self, group: Sequence[MeasurementTask], found: Sequence[MeasuredPoint]) -> None:
        """Count the points of a finished group."""
        self._done += len(group)
        for task, point in zip(group, found, strict=True):
            if point.runs and not point.reused:
                walls = [run.wall_ms for run in point.runs]
                self._took_ms += sum(walls) * (1 + task.warm_up / len(walls))

    def make_progress(self, done: int, total: int, text: str) -> SweepProgress:
        """Return the progress with the estimated remaining time."""
        past_ms, rest_ms = self._sums[self._done], self._sums[-1] - self._sums[self._done]
        factor = self._took_ms / past_ms if past_ms and self._took_ms else 1.0
        return SweepProgress(done, total, time.monotonic() - self._began, rest_ms * factor / 1e3, text)
