"""Three places of Numba where it takes far longer to compile than the code needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.targetconfig import TargetConfig
from numba.extending import overload
from numba.np import arrayobj

from kernels.courtesy import give_way

SELDOM = 200_000
"""Objects that are made between two collections while Numba compiles; Python has some hundreds."""


def install() -> None:
    """Numba compiles so from now on; what it compiles computes the same."""
    arrayobj.raise_with_shape_context = _raise_shapes
    TargetConfig.values = _values


def _raise_shapes(source_shape, target_shape):
    """What compiled code calls where a slice is assigned from an array of another shape."""


@overload(_raise_shapes)
def _raise_without_shapes(source_shape, target_shape):
    """Numba's own writes the shapes down: every function with such a slice had the code of Python's strings in it,
    which took seconds of a program's first compilation, and as long as the rest of many a function."""

    def refuse(source_shape, target_shape):
        raise ValueError("cannot assign an array to a slice of another shape")

    return refuse


def _values(config: TargetConfig) -> dict[str, Any]:
    """The options of a compilation. They are part of the key of each overload that is looked up, hundreds a function;
    Numba's own asks for each by its name in the class (a tenth of the time of a small function). As it is asked for all
    the time, this is where a compilation gives way to a window."""
    give_way()
    values = config._values
    return {name: values.get(name, option.default) for name, option in config.options.items()}


@contextmanager
def collecting_less() -> Iterator[None]:
    """Garbage is collected more seldom while Numba compiles: it makes so many objects, and keeps so many of them, that
    to look for those that refer to each other took a twentieth of its time, and a sixth in a program that holds much.

    Under Numba's lock of its compiler, so that what was set before is set again. Whoever has switched Python's own
    collecting off, as the window has, goes by these numbers himself: they stay."""
    before = gc.get_threshold()
    if gc.isenabled() and 0 < before[0] < SELDOM:
        gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
