"""Compiling for the CPU: Numba, set up in one place. Compiled code is kept on disk (code_cache.py)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import binding
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from antidiag.kernels.cpu import quicker_numba
from antidiag.kernels.cpu.code_cache import Cache
from antidiag.kernels.cpu.pieces import PieceCompiler

quicker_numba.install()


def system_function(name: str, function: Any) -> None:
    """Tell LLVM where a function of a ctypes library is, under a name of ours that compiled code, also that in the
    cache, refers to."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    binding.add_symbol(name, address)


def prepare() -> None:
    """Load what Numba loads before its first function runs, so that nobody who calls one waits for it."""
    with global_compiler_lock:  # another thread may call one now, and Numba does not bear two that load
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def _kept(compile_later: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator of Numba whose machine code is kept on disk."""

    def decorate(function: Any) -> Any:
        dispatcher = compile_later(function)
        cache = dispatcher._cache = Cache(function)
        compile_it = dispatcher.compile

        def compile_alone(signature: Any) -> Any:
            with global_compiler_lock, cache.alone(signature, dispatcher.targetctx), quicker_numba.collecting_less():
                return compile_it(signature)

        dispatcher.compile = compile_alone
        return dispatcher

    return decorate


def _taken_over(compile_later: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A decorator of Numba whose functions Python is refused, which has no code to run."""

    def decorate(function: Any) -> Any:
        dispatcher = compile_later(function)

        def refuse(*arguments: Any, **named: Any) -> None:
            raise TypeError(f"{function.__qualname__} is called by compiled functions alone; declare it as compiled")

        def add_overload(made: Any) -> None:
            dispatcher.overloads[tuple(made.signature.args)] = made

        dispatcher._compile_for_args, dispatcher.add_overload = refuse, add_overload
        return dispatcher

    return decorate


_INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PieceCompiler, "boundscheck": False}
"""Nothing but their code, which their callers take over."""

compiled = _kept(numba.njit(nogil=True, boundscheck=False, no_cfunc_wrapper=True))
"""Decorator of functions that are called from Python: compiled once, kept on disk, run without the GIL."""

called = _taken_over(numba.njit(**_INSIDE))
"""Decorator of functions that only compiled functions call; Python cannot."""

inlined = _taken_over(numba.njit(forceinline=True, **_INSIDE))
"""As ``called``, for pieces so small, or so hot, that they may cost no call."""

shared = numba.extending.register_jitable(**_INSIDE)
"""Decorator of functions that both Python and compiled functions call."""
