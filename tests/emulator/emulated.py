"""Runs methods of the backend "cuda" on the emulator: the fixture ``emulated``, and what it is made of."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from kernels import engine, rates, registry
from kernels.cuda import compile as cuda_compile
from kernels.cuda import devices
from kernels.method import Method
from kernels.model import Result
from kernels.monitor import Monitor
from kernels.steps import Steps
from tests.emulator import build

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def emulated() -> Iterator[Run]:
    """``emulated(method, problem, **parameters)``: the result of a method's device code, run on the CPU.

    While a module's tests use it, one "emulated GPU" is there and ``import cupy`` finds the emulator's.
    """
    if reason := build.why_not():
        pytest.skip(reason)
    with emulation():
        yield run


def run(
    method: Method | str,
    problem: Any,
    monitor: Monitor | None = None,
    steps: Steps | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Result:
    """The result on the emulated device, its answer checked against the problem.

    With a ``seed`` other than 0 the order of threads and blocks is random.
    """
    found = registry.method(method) if isinstance(method, str) else method
    with order(seed):
        result = engine.execute(engine.plan(found, problem, parameters, "cuda"), monitor, steps)
    result.check(problem)
    return result


@contextmanager
def order(seed: int) -> Iterator[None]:
    """Launches take threads and blocks in turn (0), or in a random order that the seed decides."""
    from tests.emulator.fake_cupy.kernels import settings

    before, settings.seed = settings.seed, seed or settings.seed
    try:
        yield
    finally:
        settings.seed = before


@contextmanager
def emulation() -> Iterator[None]:
    """``import cupy`` finds the emulator's CuPy, also for those that had imported another one before."""
    from tests.emulator import fake_cupy
    from tests.emulator.fake_cupy import device_memory

    others = _take_out(lambda name: name.partition(".")[0] in ("cupy", "cupyx") or _is_of_device(name))
    sys.modules.update({"cupy": fake_cupy, "cupy.cuda": fake_cupy.cuda})
    remember, rates.remember = rates.remember, lambda *arguments: None
    _forget_device()
    try:
        yield
    finally:
        rates.remember = remember
        _forget_device()
        _take_out(lambda name: name in ("cupy", "cupy.cuda") or _is_of_device(name))
        _put_in(others)
        device_memory.pool.free_all_blocks()
    assert not device_memory.damaged, device_memory.damaged


def _forget_device() -> None:
    devices.discover.cache_clear()
    cuda_compile._module.cache_clear()


def _is_of_device(name: str) -> bool:
    """Whether a module of kernels/ may hold on to a CuPy; the others in kernels/cuda ask for it anew each time."""
    package, _, own = name.rpartition(".")
    beside = package.startswith("kernels.") and package != "kernels.cuda" and own.startswith("cuda")
    return beside or name == "kernels.cuda.arrays"


def _take_out(wanted: Callable[[str], bool]) -> dict[str, ModuleType]:
    """Forget modules, so that the next import makes them anew."""
    found = {name: module for name, module in sys.modules.items() if wanted(name)}
    for name in found:
        del sys.modules[name]
        package, _, own = name.rpartition(".")
        if own in vars(sys.modules.get(package, object)):
            delattr(sys.modules[package], own)
    return found


def _put_in(modules: dict[str, ModuleType]) -> None:
    sys.modules.update(modules)
    for name, module in modules.items():
        package, _, own = name.rpartition(".")
        if package in sys.modules:
            setattr(sys.modules[package], own, module)
