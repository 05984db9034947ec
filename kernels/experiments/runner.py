"""Running a sweep: point after point, with progress, pause and cancel; nothing finished is ever lost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import measure, preparing, records, results
from antidiag.kernels.experiments.agreement import Agreement
from antidiag.kernels.experiments.control import Control
from antidiag.kernels.experiments.digest import digest
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.preparing import Prepared
from antidiag.kernels.experiments.results import Store
from antidiag.kernels.experiments.sweep import Sweep, Task, contender
from antidiag.kernels.monitor import Monitor


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is: points done of all, seconds so far, seconds left (None while that is a guess)."""

    done: int
    total: int
    elapsed_s: float
    left_s: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Manner:
    """How tasks are measured: none is repeated that took ``patience_s`` already; turn by turn or one by one."""

    patience_s: float = 60.0
    side_by_side: bool = False


def run(
    sweep: Sweep,
    store: Store | None = None,
    control: Control | None = None,
    on_point: Callable[[Point], None] = lambda point: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    reuse: bool = False,
) -> tuple[Point, ...]:
    """Measure every task of a sweep, in its order.

    Points go to ``store`` and to ``on_point`` as soon as they are there; with ``reuse``, those that were measured
    before (in any sweep of this user, or in this store) are taken from there, and ``store`` has them too in the end.
    Both callbacks run on the calling thread. Raises ParameterError for a sweep that makes no sense, and Cancelled; a
    point that cannot be measured raises nothing.
    """
    tasks = sweep.tasks()
    if store is not None:
        store.begin(records.data(sweep))
    manner = Manner(sweep.patience_s, sweep.side_by_side)
    return run_tasks(tasks, manner, store, control, on_point, on_progress, reuse)


def run_tasks(
    tasks: Sequence[Task],
    manner: Manner = Manner(),
    store: Store | None = None,
    control: Control | None = None,
    on_point: Callable[[Point], None] = lambda point: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    reuse: bool = False,
) -> tuple[Point, ...]:
    """Measure tasks that are no grid, in their order; everything else is as in ``run``."""
    control = control or Control()
    before = _measured_before(store) if reuse else {}
    here = {point.key for point in store.read().points} if reuse and store is not None else set()
    clock = _Clock(_expected_ms(tasks, manner, control))
    agreement, found = Agreement(), list[Point]()
    for group in _groups(tasks, manner.side_by_side):
        on_progress(clock.progress(len(found), len(tasks), _title(group)))
        for point in _measured(group, manner, control, before):
            point = agreement.judge(point)
            if store is not None and not (point.reused and point.key in here):
                store.append(point)
            found.append(point)
            on_point(point)
        clock.passed(group, found[len(found) - len(group) :])
    on_progress(clock.progress(len(found), len(tasks), ""))
    return tuple(found)


def expected_s(tasks: Sequence[Task], manner: Manner = Manner(), monitor: Monitor | None = None) -> float:
    """Seconds that tasks will take, compilation aside, by the rates of earlier runs; what is refused takes none."""
    return sum(_expected_ms(tasks, manner, monitor or Monitor())) / 1e3


def measure_task(task: Task, control: Control | None = None, manner: Manner = Manner()) -> Point:
    """Measure one task by itself: what a worker on another device or machine would do."""
    return next(_measured((task,), manner, control or Control(), {}))


def _measured(group: Sequence[Task], manner: Manner, control: Control, before: dict[str, Point]) -> Iterator[Point]:
    """The points of tasks with one problem, taking turns."""
    control.wait()
    try:
        problem: Any = group[0].problem()
        of_problem = digest(problem)
    except Exception as error:
        yield from (preparing.without(preparing.refused(task, ""), error) for task in group)
        return
    prepared = [preparing.prepare(task, problem, of_problem, control) for task in group]
    prepared = [_taken(one, before.get(one.point.key)) for one in prepared]
    calls = [one.call for one in prepared if one.call is not None]
    repeats, warm_up = group[0].repeats, group[0].warm_up
    runs = iter(measure.take_turns(calls, repeats, warm_up, manner.patience_s, control.wait))
    for one in prepared:
        yield one.point if one.call is None else preparing.finish(one.point, next(runs))


def _taken(prepared: Prepared, before: Point | None) -> Prepared:
    """The point as it was measured before, at its place in this sweep."""
    if before is None or prepared.call is None:
        return prepared
    limit = before.limit_ms if prepared.point.limit_ms is None else prepared.point.limit_ms
    return Prepared(replace(before, coordinates=prepared.point.coordinates, given=prepared.point.given, limit_ms=limit))


def _measured_before(store: Store | None) -> dict[str, Point]:
    here = [store.path] if store is not None and store.path.parent != results.folder() else []
    return results.measured_before() | (results.measured_before(here) if here else {})


def _groups(tasks: Sequence[Task], side_by_side: bool) -> Iterator[tuple[Task, ...]]:
    """Neighbours with the same problem together, or every task by itself."""
    if not side_by_side:
        yield from ((task,) for task in tasks)
        return
    group: list[Task] = []
    for task in tasks:
        if group and not task.same_problem(group[0]):
            yield tuple(group)
            group = []
        group.append(task)
    if group:
        yield tuple(group)


def _title(group: Sequence[Task]) -> str:
    return contender(group[0].contender).name if len(group) == 1 else f"{len(group)} side by side"


def _expected_ms(tasks: Sequence[Task], manner: Manner, monitor: Monitor) -> list[float]:
    """What every task will take, by the rates of earlier runs; 0 where it will be refused."""
    problem, last, found = None, None, []
    for task in tasks:
        monitor.check()
        if last is None or not task.same_problem(last):
            last, problem = task, _try(task.problem)
        one = _expected_once(task, problem) if problem is not None else 0.0
        times = min(task.repeats, 1 + int(manner.patience_s * 1e3 / one)) if one else 0
        found.append((task.warm_up + times) * one)
    return found


def _expected_once(task: Task, problem: Any) -> float:
    found = contender(task.contender)
    if isinstance(found, Peer):
        return 0.0 if preparing.why_not(found, task, problem) else problem.cells / found.nominal_gcups / 1e6
    planned = _try(lambda: task.plan(problem))
    return planned.time_ms if planned is not None and planned.refusal is None else 0.0


def _try(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except AntidiagError:
        return None


class _Clock:
    """Seconds left: what was expected of the rest, corrected by what the finished part took, compilation aside."""

    def __init__(self, expected_ms: Sequence[float]) -> None:
        self._sums = [0.0, *itertools.accumulate(expected_ms)]
        self._done = 0
        self._took_ms = 0.0
        self._began = time.monotonic()

    def passed(self, group: Sequence[Task], found: Sequence[Point]) -> None:
        self._done += len(group)
        for task, point in zip(group, found, strict=True):
            if point.runs and not point.reused:
                walls = [run.wall_ms for run in point.runs]
                self._took_ms += sum(walls) * (1 + task.warm_up / len(walls))

    def progress(self, done: int, total: int, text: str) -> Progress:
        past_ms, rest_ms = self._sums[self._done], self._sums[-1] - self._sums[self._done]
        factor = self._took_ms / past_ms if past_ms and self._took_ms else 1.0
        return Progress(done, total, time.monotonic() - self._began, rest_ms * factor / 1e3, text)
