"""Cases of the standard benchmark, and what those of the CPU and of a GPU share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.inputs import Generated, Length
from antidiag.kernels.experiments.sweep import Sweep

DNA = {"match": 2.0, "mismatch": -3.0, "gap_open": 5.0, "gap_extend": 2.0, "wildcard": "N"}
TRIPLE = {"matrix": "BLOSUM62", "gap_open": 0.0, "gap_extend": 8.0}


@dataclass(frozen=True)
class Case:
    """One table of the benchmark: a sweep, what speedups are over, and whether the peak memory is of interest."""

    sweep: Sweep
    baseline: Mapping[str, Any] = field(default_factory=dict)
    with_peak: bool = False


def thread_axis() -> Axis:
    """One thread, and all."""
    return Axis("threads", "parameter", tuple(sorted({1, cores()})), "Threads", "threads")


def has_threads(method: str) -> bool:
    """Whether a method lets its threads be chosen."""
    return any(parameter.name == "threads" for parameter in registry.method(method).parameters)


def tropical(
    method: str, peers: tuple[str, ...], length: Length, backends: tuple[BackendChoice, ...],
    options: Mapping[str, Any] | None = None,
) -> Case:  # fmt: skip
    """Shortest paths over so many vertices, or a model over so many states and letters; peers are the baseline."""
    size = f"{length:,} vertices" if isinstance(length, int) else f"{length[0]} states, {length[1]:,} letters"
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method, *peers),
        inputs=Generated("random", length=length),
        axes=() if on_gpu or not has_threads(method) else (thread_axis(),),
        options=options or {},
        backends=backends,
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"{method}{' on a GPU' * on_gpu}: random, {size}",
    )
    return Case(sweep, {"method": peers[-1]} if peers else {})


def product(method: str, side: int, numbers: str, backends: tuple[BackendChoice, ...]) -> Case:
    """A (min, +) product of two square matrices."""
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated("random", length=side),
        axes=() if on_gpu else (thread_axis(),),
        options={"numbers": numbers},
        backends=backends,
        repeats=5,
        side_by_side=True,
        title=f"(min, +) product{' on a GPU' * on_gpu}: {side:,} x {side:,}, {numbers}",
    )
    return Case(sweep)
