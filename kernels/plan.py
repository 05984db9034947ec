"""A run that could start now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method


@dataclass(frozen=True, slots=True)
class Plan:
    """A run that could start now: where, with which parameters, at what cost.

    ``refusal`` says why it must not start, or is None. ``notes`` tell the user what was decided for
    them, such as the CPU standing in for a GPU that is not there. ``tuned`` names the parameters whose
    value comes from an earlier search on this machine (see kernels.machine.tuned).
    """

    method: Method
    problem: Any
    parameters: Mapping[str, Any]
    backend: str
    device: int
    device_name: str
    footprint: Footprint
    time_ms: float
    refusal: str | None
    notes: tuple[str, ...] = ()
    tuned: frozenset[str] = frozenset()
