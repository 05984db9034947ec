"""Two places of Numba where it takes far longer to compile than the code needs."""

from __future__ import annotations

from typing import Any

from numba.core.targetconfig import TargetConfig
from numba.extending import overload
from numba.np import arrayobj


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
    Numba's own asks for each by its name in the class (a tenth of the time of a small function)."""
    values = config._values
    return {name: values.get(name, option.default) for name, option in config.options.items()}
