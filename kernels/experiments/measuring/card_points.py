"""Points of a sweep on all GPUs of this machine: a point is measured alone on its card, in the process of that card."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.gpus import GpusExecutor
from antidiag.kernels.executors.tasks import Task, TaskContext, TaskFailed
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, point_from_json
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, find_contender
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import parse_json

MEASURE = f"{__name__}:measure_points"
"""The function of the tasks."""


def open_cards() -> GpusExecutor:
    """Return the executor of all GPUs. Raise ParameterError if they are of several kinds, whose times differ."""
    names = dict.fromkeys(gpu.name for gpu in devices.discover_devices()[0])
    if len(names) > 1:
        raise ParameterError(
            f"the GPUs differ ({', '.join(names)}), and so would their times; hide some with CUDA_VISIBLE_DEVICES"
        )
    return GpusExecutor()


def runs_on_card(task: MeasurementTask) -> bool:
    """Return whether a point is measured on a GPU: of a method with a GPU version that is not sent to the CPU."""
    found = find_contender(task.contender)
    return not isinstance(found, Peer) and "cuda" in found.backends and task.backend != "cpu"


def measure_on_cards(
    groups: Sequence[tuple[int, Sequence[MeasurementTask]]],
    manner: Any,
    store: Path | None,
    executor: Executor,
    monitor: Monitor,
) -> Iterator[tuple[int, list[MeasuredPoint]]]:
    """Yield the number and the points of each group of tasks, as they are measured.

    ``manner`` is the `runner.MeasuringPolicy`. With ``store``, points that were measured before are taken from there
    and from the user's folder.
    """
    tasks = [
        Task(str(number), MEASURE, _argument_loader(group, manner, store), cost=-number) for number, group in groups
    ]
    for outcome in executor.map(tasks, monitor):
        if not outcome.is_done:
            raise TaskFailed(outcome)
        yield int(outcome.task.key), [point_from_json(parse_json(point)) for point in outcome.value]


def _argument_loader(
    group: Sequence[MeasurementTask], manner: Any, store: Path | None
) -> Callable[[], Mapping[str, Any]]:
    """Return a function that packs a group for a process of this machine, in which its card is number 0."""

    def load() -> Mapping[str, Any]:
        own = [replace(task, device=0) for task in group]
        return {"group": pickle.dumps((own, manner)), "store": None if store is None else str(store)}

    return load


def measure_points(arguments: Mapping[str, Any], context: TaskContext) -> tuple[str, ...]:
    """Measure a group of tasks on the card of this process and return the points as JSON."""
    from antidiag.kernels.experiments.measuring import runner

    group, manner = pickle.loads(arguments["group"])  # from the process that started this one
    store = arguments["store"]
    points = runner.measure_group(group, manner, None if store is None else Path(store), context.monitor)
    return tuple(json.dumps(point.to_json()) for point in points)
