"""Models: what a paper's analysis foretells of a method, to be held against what is measured.

A family declares them in its ``analysis.py``, and each of its methods names its own. Nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Parameters = Mapping[str, Any]

OPERATIONS, TRAFFIC = "operations", "traffic"
"""Identifiers of the two models that a roofline is made of: operations on 32-bit lanes, and bytes of main memory."""
ONE = {"cpu": 1.0, "cuda": 1.0}
ADD_AND_MAX = {"cpu": 2.0, "cuda": 1.0}
"""Operations of a sum that is compared with the best one so far; a GPU has one instruction for both."""

OWN_ESTIMATE = "the estimate of its time"
"""The source of what was not published."""

Work = Callable[[Any, Parameters], float]


@dataclass(frozen=True, slots=True)
class Model:
    """One quantity that follows from the problem and the parameters.

    ``value(problem, parameters, backend, workers)`` is the quantity in ``unit``; ``workers`` are the threads of a
    CPU or the multiprocessors of a GPU. ``grows_with_time`` says that a larger value means a longer run, so that
    the curve can be drawn, scaled, over measured times. ``source`` is the place in the paper.
    """

    id: str
    label: str
    unit: str
    help: str
    source: str
    value: Callable[[Any, Parameters, str, int], float]
    grows_with_time: bool = False


def operations(work: Work, of_one: Mapping[str, float], source: str, told: str) -> Model:
    """The fewest operations of all of a method's ``work``, of which one takes so many by backend."""
    return Model(
        OPERATIONS, "Operations", "lane operations", f"Fewest operations: {told}.", source,
        lambda problem, parameters, backend, workers: work(problem, parameters) * of_one[backend],
        grows_with_time=True,
    )  # fmt: skip


def of_a_worker(work: Work, source: str, told: str) -> Model:
    """What each of the workers has to do where all of it can be shared."""
    return Model(
        "share", "Work of a worker", "steps", f"{told}, shared by all workers.", source,
        lambda problem, parameters, backend, workers: work(problem, parameters) / workers, grows_with_time=True,
    )  # fmt: skip


def traffic(value: Callable[[Any, Parameters], float], source: str, told: str) -> Model:
    """Bytes of main memory, written and read, that no cache can hold back."""
    return Model(TRAFFIC, "Memory traffic", "bytes", told, source,
                 lambda problem, parameters, backend, workers: value(problem, parameters))  # fmt: skip


def least(work: Work, source: str, what: str, of_one: Mapping[str, float] = ONE) -> tuple[Model, ...]:
    """The models of a method of which no analysis was published: an operation for each unit of its work at least."""
    return operations(work, of_one, source, what), of_a_worker(work, source, what.capitalize())
