"""Runs of CPU backends with parameters by name, without a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.method import Method
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog


def run_on_cpu(
    method: Method,
    problem: Any,
    parameters: Mapping[str, Any],
    monitor: Monitor | None = None,
    steps: StepLog | None = None,
) -> Outcome:
    """Run a method; parameters that it does not have are left out. A pair is pruned where nothing is said of it."""
    restored = method.parameters.restore({"pruning": "on", **parameters})
    return method.load_backend("cpu")(problem, restored, monitor or Monitor(), steps or StepLog())
