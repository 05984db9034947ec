"""Runs methods of the backend "cuda" on the emulator: the fixture ``emulated``, and what it is made of."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kernels import engine, rates, registry
from kernels.cuda import compile as cuda_compile
from kernels.cuda import devices
from kernels.method import Method
from kernels.model import Result
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


def run(method: Method | str, problem: Any, monitor: Any = None, steps: Any = None, **parameters: Any) -> Result:
    """The result on the emulated device, its answer checked against the problem."""
    found = registry.method(method) if isinstance(method, str) else method
    result = engine.execute(engine.plan(found, problem, parameters, "cuda"), monitor, steps)
    result.check(problem)
    return result


@contextmanager
def emulation(seed: int = 0) -> Iterator[None]:
    """``import cupy`` finds the emulator's CuPy; ``seed`` other than 0 makes the order of threads and blocks random."""
    from tests.emulator import fake_cupy
    from tests.emulator.fake_cupy import device_memory
    from tests.emulator.fake_cupy.kernels import settings

    with pytest.MonkeyPatch.context() as patch:
        modules = {"cupy": fake_cupy, "cupy.cuda": fake_cupy.cuda}
        for name in [name for name in sys.modules if name.partition(".")[0] in ("cupy", "cupyx")]:
            patch.delitem(sys.modules, name)
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        if seed:
            patch.setattr(settings, "seed", seed)
        patch.setattr(rates, "remember", lambda *arguments: None)
        own = _forget_modules_with_cupy(patch)
        _forget_device()
        try:
            yield
        finally:
            _forget_device()
            _forget_modules_with_cupy(patch)
            device_memory.pool.free_all_blocks()
    _restore(own)
    assert not device_memory.damaged, device_memory.damaged


def _forget_device() -> None:
    devices.discover.cache_clear()
    cuda_compile._module.cache_clear()


def _forget_modules_with_cupy(patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Drop the modules of kernels/ that have imported some CuPy, so that they import another when used again."""
    found = {
        name: module
        for name, module in sys.modules.items()
        if name.startswith("kernels.") and any(hasattr(module, cupy) for cupy in ("cupy", "cp"))
    }
    dropped = dict(found)
    for name in list(sys.modules):
        if name.startswith("kernels.") and name.rpartition(".")[2].startswith("cuda") and name != "kernels.cuda":
            dropped.setdefault(name, sys.modules[name])
    dropped = {name: module for name, module in dropped.items() if not name.startswith("kernels.cuda.")}
    for name in dropped:
        del sys.modules[name]
        package, _, child = name.rpartition(".")
        if hasattr(sys.modules.get(package), child):
            delattr(sys.modules[package], child)
    return dropped


def _restore(modules: dict[str, Any]) -> None:
    for name, module in modules.items():
        sys.modules[name] = module
        package, _, child = name.rpartition(".")
        setattr(importlib.import_module(package), child, module)
