"""Runs methods of the backend "cuda" on the emulator: the fixture ``emulated``, and what it is made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda import kernel_compiler as cuda_compile
from antidiag.kernels.machine import measured_rates
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from tests.emulator import build
from tests.emulator.emulation import emulated_cupy, order

PACKAGE = "antidiag.kernels"
"""What is emulated: every module in it that imports CuPy."""

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def emulated() -> Iterator[Run]:
    """``emulated(method, problem, **parameters)``: the result of a method's device code, run on the CPU.

    While a module's tests use it, one "emulated GPU" is there and ``import cupy`` finds the emulator's.
    """
    if reason := build.why_not():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with emulation():
        yield run


def run(
    method: Method | str,
    problem: Any,
    monitor: Monitor | None = None,
    steps: StepLog | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Result:
    """The result on the emulated device, its answer checked against the problem.

    With a ``seed`` other than 0 the order of threads and blocks is random.
    """
    found = registry.find_method(method) if isinstance(method, str) else method
    with order(seed):
        result = engine.execute(engine.plan_run(found, problem, parameters, "cuda"), monitor, steps)
    result.check(problem)
    return result


@contextmanager
def emulation() -> Iterator[None]:
    """One "emulated GPU" is there, and methods of the backend "cuda" run on it."""
    with emulated_cupy(PACKAGE):
        remember, measured_rates.save_rate = measured_rates.save_rate, lambda *arguments: None
        _forget_device()
        try:
            yield
        finally:
            measured_rates.save_rate = remember
            _forget_device()


def _forget_device() -> None:
    devices.discover_devices.cache_clear()
    cuda_compile._modules.clear()
