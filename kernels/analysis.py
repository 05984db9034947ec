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
