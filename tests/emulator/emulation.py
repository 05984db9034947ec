"""``import cupy`` finds the emulator's CuPy, for as long as a block of code lasts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

from tests.emulator import modules


@contextmanager
def emulated_cupy(package: str) -> Iterator[None]:
    """``import cupy`` finds the emulator's CuPy, also for the modules of a package that had imported another one.

    Modules that import CuPy when they are loaded, by themselves or through others, are loaded anew inside; whoever
    imports it in a function must not keep it.
    """
    from tests.emulator import fake_cupy
    from tests.emulator.fake_cupy import device_memory

    users = modules.loading(package, "cupy")
    others = _take_out(lambda name: name.partition(".")[0] in ("cupy", "cupyx") or name in users)
    sys.modules.update({"cupy": fake_cupy, "cupy.cuda": fake_cupy.cuda})
    try:
        yield
    finally:
        _take_out(lambda name: name in ("cupy", "cupy.cuda") or name in users)
        _put_in(others)
        device_memory.pool.free_all_blocks()
    assert not device_memory.damaged, device_memory.damaged


@contextmanager
def order(seed: int) -> Iterator[None]:
    """Launches take threads and blocks in turn (0), or in a random order that the seed decides."""
    from tests.emulator.fake_cupy.kernels import settings

    before, settings.seed = settings.seed, seed or settings.seed
    try:
        yield
    finally:
        settings.seed = before


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
