"""Cost models: quantities that a paper's analysis predicts for a method, to compare with measurements.

A family declares its models in ``analysis.py``, and each of its methods names its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

OPERATIONS, TRAFFIC = "operations", "traffic"
"""Identifiers of the two models of a roofline: operations on 32-bit lanes, and bytes of main memory."""
ONE_OPERATION = {"cpu": 1.0, "cuda": 1.0}
ADD_AND_MAX = {"cpu": 2.0, "cuda": 1.0}
"""Operations of an addition and a maximum; a GPU has one instruction for both."""

OWN_ESTIMATE = "the program's time estimate"
"""Source of a model that was not published."""

WorkFunction = Callable[[Any, Any], float]


@dataclass(frozen=True, slots=True)
class CostModel:
    """A quantity that follows from problem and parameters.

    ``value(problem, parameters, backend, workers)`` is the quantity in ``unit``; ``workers`` are the threads of a
    CPU or the multiprocessors of a GPU. With ``grows_with_time``, the curve may be scaled and drawn over measured
    times. ``source`` is the place in the paper.
    """

    id: str
    label: str
    unit: str
    help: str
    source: str
    value: Callable[[Any, Any, str, int], float]
    grows_with_time: bool = False


def operations_model(work: WorkFunction, per_unit: Mapping[str, float], source: str, description: str) -> CostModel:
    """Return the model of the fewest operations: ``work`` times the operations of one unit on each backend."""
    return CostModel(
        id=OPERATIONS,
        label="Operations",
        unit="lane operations",
        help=f"Fewest operations: {description}.",
        source=source,
        value=lambda problem, parameters, backend, workers: work(problem, parameters) * per_unit[backend],
        grows_with_time=True,
    )


def worker_share_model(work: WorkFunction, source: str, description: str) -> CostModel:
    """Return the model of the work per worker if all workers share it equally."""
    return CostModel(
        id="share",
        label="Work of a worker",
        unit="steps",
        help=f"{description}, shared by all workers.",
        source=source,
        value=lambda problem, parameters, backend, workers: work(problem, parameters) / workers,
        grows_with_time=True,
    )


def traffic_model(value: Callable[[Any, Any], float], source: str, description: str) -> CostModel:
    """Return the model of the bytes that must be read from and written to main memory."""
    return CostModel(
        id=TRAFFIC,
        label="Memory traffic",
        unit="bytes",
        help=description,
        source=source,
        value=lambda problem, parameters, backend, workers: value(problem, parameters),
    )


def minimum_models(
    work: WorkFunction, source: str, description: str, per_unit: Mapping[str, float] = ONE_OPERATION
) -> tuple[CostModel, ...]:
    """Return the models of a method without a published analysis: at least one operation per unit of work."""
    return operations_model(work, per_unit, source, description), worker_share_model(
        work, source, description.capitalize()
    )
