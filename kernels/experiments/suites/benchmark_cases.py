"""Cases of the standard benchmark that the CPU suite and the GPU suite share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Length
from antidiag.kernels.scoring_options import TWO_PIECES

DNA = {"match": 2.0, "mismatch": -3.0, "gap_open": 5.0, "gap_extend": 2.0, "wildcard": "N"}
TRIPLE = {"matrix": "BLOSUM62", "gap_open": 0.0, "gap_extend": 8.0}


GAP_MODELS = SweepAxis("gap_model", "option", ("affine", TWO_PIECES), "Gap model")
"""Gap costs of one piece and of two: what the second piece costs in time."""


@dataclass(frozen=True)
class BenchmarkCase:
    """One table of the benchmark: a sweep, its baseline for speedups, and whether to measure peak memory."""

    sweep: Sweep
    baseline: Mapping[str, Any] = field(default_factory=dict)
    with_peak: bool = False


def make_thread_axis() -> SweepAxis:
    """Return an axis with one thread and with all threads."""
    return SweepAxis("threads", "parameter", tuple(sorted({1, count_processors()})), "Threads", "threads")


def has_threads(method: str) -> bool:
    """Return whether a method has a parameter for its threads."""
    return "threads" in registry.find_method(method).parameters.names()


def make_tropical_case(
    method: str,
    peers: tuple[str, ...],
    length: Length,
    backends: tuple[BackendChoice, ...],
    options: Mapping[str, Any] | None = None,
) -> BenchmarkCase:
    """Return a case of shortest paths (a length) or hidden Markov models (states, letters); peers are the baseline."""
    size = f"{length:,} vertices" if isinstance(length, int) else f"{length[0]} states, {length[1]:,} letters"
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method, *peers),
        inputs=Generated("random", length=length),
        axes=() if on_gpu or not has_threads(method) else (make_thread_axis(),),
        options=options or {},
        backends=backends,
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"{method}{' on a GPU' * on_gpu}: random, {size}",
    )
    return BenchmarkCase(sweep, {"method": peers[-1]} if peers else {})


def make_product_case(method: str, side: int, numbers: str, backends: tuple[BackendChoice, ...]) -> BenchmarkCase:
    """Return a case of a (min, +) product of two square matrices."""
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated("random", length=side),
        axes=() if on_gpu else (make_thread_axis(),),
        options={"numbers": numbers},
        backends=backends,
        repeats=5,
        side_by_side=True,
        title=f"(min, +) product{' on a GPU' * on_gpu}: {side:,} x {side:,}, {numbers}",
    )
    return BenchmarkCase(sweep)
