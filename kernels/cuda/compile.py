"""From .cu files to kernels: sources are joined, not included, and compiled at run time by NVRTC."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels.cuda.structs import Constants, Struct

PRELUDE = Path(__file__).with_name("prelude.cuh")
STANDARD = "-std=c++17"

_LOCK, _ALLOWING = threading.Lock(), threading.Lock()
_allowed: dict[Any, int] = {}

Part = Path | Struct | Constants
"""What a source is made of: files, and what they share with Python."""


def source(*parts: Part) -> str:
    """The prelude and the parts as one text; CuPy's disk cache keys on all of it."""
    return "\n".join(f'#line 1 "{part.name}"\n{_text(part)}' for part in (PRELUDE, *parts))


def _text(part: Part) -> str:
    return part.read_text() if isinstance(part, Path) else part.text


def options(defines: Mapping[str, int]) -> tuple[str, ...]:
    """Compiler options for compile-time constants."""
    return STANDARD, *(f"-D{name}={int(value)}" for name, value in sorted(defines.items()))


def function(files: tuple[Part, ...], name: str, defines: Mapping[str, int]) -> tuple[Any, float]:
    """A kernel of such a module, and the milliseconds; the same object each time."""
    compiled, milliseconds = module(files, defines)
    return _function(compiled, name), milliseconds


def module(files: tuple[Part, ...], defines: Mapping[str, int]) -> tuple[Any, float]:
    """The compiled module on the current device, and the milliseconds that compiling or loading it took."""
    import cupy

    with _LOCK:
        before = time.perf_counter()
        compiled = _module(files, tuple(sorted(defines.items())), cupy.cuda.Device().id)
        return compiled, (time.perf_counter() - before) * 1e3


def allow_shared(kernel: Any, nbytes: int) -> None:
    """Let launches of a kernel have so many bytes of dynamic shared memory.

    What was allowed before stays allowed: the limit belongs to the kernel, and runs on other threads launch it too.
    """
    with _ALLOWING:
        if nbytes > _allowed.get(kernel, 0):
            kernel.max_dynamic_shared_size_bytes = _allowed[kernel] = nbytes


@cache
def _function(compiled: Any, name: str) -> Any:
    return compiled.get_function(name)


@cache
def _module(files: tuple[Part, ...], defines: tuple[tuple[str, int], ...], device: int) -> Any:
    import cupy

    compiled = cupy.RawModule(code=source(*files), options=options(dict(defines)))
    compiled.compile()
    return compiled


def compile_without_device(
    files: tuple[Part, ...], defines: Mapping[str, int], architecture: str = "sm_90", more: tuple[str, ...] = ()
) -> bytes:
    """Machine code for an architecture, made by NVRTC alone (with ``more`` of its options): it needs no driver and no
    GPU.

    Raises RuntimeError with the compiler's messages.
    """
    from cupy_backends.cuda.libs import nvrtc

    program = nvrtc.createProgram(source(*files), files[-1].name, (), ())
    try:
        nvrtc.compileProgram(program, (*options(defines), f"-arch={architecture}", *more))
        return nvrtc.getCUBIN(program)
    except nvrtc.NVRTCError as error:
        raise RuntimeError(nvrtc.getProgramLog(program)) from error
    finally:
        nvrtc.destroyProgram(program)
