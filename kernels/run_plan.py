"""Plans of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import MethodParameters


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A planned run: device, parameters, memory and expected time.

    ``refusal`` is the reason why the run does not fit into memory, or None. ``notes`` are sentences about choices of
    the program, such as the CPU instead of a missing GPU. ``tuned`` are the parameters whose value comes from an
    earlier search on this machine (see kernels.machine.tuned_values). ``time_ms`` is the time of the run without
    ``compilation_ms``, which compiling takes once. ``peers`` are the GPUs that share the run with ``device``, and
    ``gpu_share`` is the part of the timed work that each GPU has.
    """

    method: Method
    problem: Any
    parameters: MethodParameters
    backend: str
    device: int
    device_name: str
    footprint: Footprint
    time_ms: float
    refusal: str | None
    notes: tuple[str, ...] = ()
    tuned: frozenset[str] = frozenset()
    compilation_ms: float = 0.0
    peers: tuple[int, ...] = ()
    gpu_share: float = 1.0
