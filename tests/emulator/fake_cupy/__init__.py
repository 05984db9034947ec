"""What Antidiag uses of CuPy, on the CPU: arrays that NumPy computes with, kernels that the emulator runs.

Anything else is missing, so that a kernel's host code that needs more of CuPy says so here first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.emulator.fake_cupy import cublas, cuda
from tests.emulator.fake_cupy.arrays import (
    arange,
    array,
    asarray,
    ascontiguousarray,
    asnumpy,
    by_numpy,
    empty,
    empty_like,
    full,
    full_like,
    ndarray,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from tests.emulator.fake_cupy.device_memory import get_default_memory_pool, get_default_pinned_memory_pool
from tests.emulator.fake_cupy.kernels import RawKernel, RawModule

__all__ = [
    "RawKernel",
    "RawModule",
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "asnumpy",
    "cublas",
    "cuda",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "ndarray",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]
__version__ = "14.2.0"
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
TYPES = ("bool_", *INTEGERS, "float16", "float32", "float64", "inf", "nan", "newaxis")
BY_NUMPY = (
    *("concatenate", "stack", "where", "maximum", "minimum", "cumsum", "searchsorted", "argsort", "sort", "unique"),
    *("nonzero", "flatnonzero", "count_nonzero", "argmax", "argmin", "sum", "max", "min", "any", "all", "abs", "take"),
    *("bincount", "repeat", "tile", "broadcast_to", "expand_dims", "triu", "tril", "diag", "eye", "dot", "sqrt", "exp"),
    *("log", "isfinite", "isnan", "array_equal", "lexsort", "fill_diagonal", "linspace", "cumprod", "diff", "prod"),
)


def __getattr__(name: str) -> Any:
    if name in TYPES:
        return getattr(np, name)
    if name in BY_NUMPY:
        return by_numpy(name)
    raise AttributeError(f"the emulator's cupy has no {name!r} (tests/emulator/fake_cupy)")
