"""Compiling for the CPU: Numba, set up in one place. Compiled code is kept on disk (code_cache.py)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import binding

from kernels.cpu.code_cache import Cache


def system_function(name: str, function: Any) -> None:
    """Tell LLVM where a function of a ctypes library is, under a name of ours that compiled code, also that in the
    cache, refers to."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    binding.add_symbol(name, address)


def _kept(compile_later: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator of Numba whose machine code is kept on disk."""

    def decorate(function: Any) -> Any:
        dispatcher = compile_later(function)
        dispatcher._cache = Cache(function)
        return dispatcher

    return decorate


_INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""What turns Python's arguments into a compiled function's takes long to compile."""

compiled = _kept(numba.njit(nogil=True, boundscheck=False))
"""Decorator of functions that are called from Python: compiled once, kept on disk, run without the GIL."""

called = _kept(numba.njit(nogil=True, boundscheck=False, **_INSIDE))
"""As ``compiled``, for functions that only compiled functions call."""

inlined = numba.njit(forceinline=True, boundscheck=False, **_INSIDE)
"""Decorator of pieces of compiled functions: they cost no call."""

shared = numba.extending.register_jitable(boundscheck=False, **_INSIDE)
"""Decorator of functions that both Python and compiled functions call."""
