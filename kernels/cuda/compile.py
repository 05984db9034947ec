"""From .cu files to kernels: sources are joined, not included, and compiled at run time by NVRTC."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

PRELUDE = Path(__file__).with_name("prelude.cuh")
STANDARD = "-std=c++17"

_LOCK, _ALLOWING = threading.Lock(), threading.Lock()
_allowed: dict[Any, int] = {}


def source(*files: Path) -> str:
    """The prelude and the files as one text; CuPy's disk cache keys on all of it."""
    return "\n".join(f'#line 1 "{path.name}"\n{path.read_text()}' for path in (PRELUDE, *files))


def options(defines: Mapping[str, int]) -> tuple[str, ...]:
    """Compiler options for compile-time constants."""
    return STANDARD, *(f"-D{name}={int(value)}" for name, value in sorted(defines.items()))


def function(files: tuple[Path, ...], name: str, defines: Mapping[str, int]):
    """A kernel of such a module, and the milliseconds; the same object each time."""
    compiled, milliseconds = module(files, defines)
    return _function(compiled, name), milliseconds


def module(files: tuple[Path, ...], defines: Mapping[str, int]):
    """The compiled module on the current device, and the milliseconds that compiling or loading it took."""
    import cupy

    with _LOCK:
        before = time.perf_counter()
        compiled = _module(files, tuple(sorted(defines.items())), cupy.cuda.Device().id)
        return compiled, (time.perf_counter() - before) * 1e3


def allow_shared(kernel, nbytes: int) -> None:
    """Let launches of a kernel have so many bytes of dynamic shared memory.

    What was allowed before stays allowed: the limit belongs to the kernel, and runs on other threads launch it too.
    """
    with _ALLOWING:
        _allowed[kernel] = max(nbytes, _allowed.get(kernel, 0))
        kernel.max_dynamic_shared_size_bytes = _allowed[kernel]


@cache
def _function(compiled, name: str):
    return compiled.get_function(name)


@cache
def _module(files: tuple[Path, ...], defines: tuple[tuple[str, int], ...], device: int):
    import cupy

    compiled = cupy.RawModule(code=source(*files), options=options(dict(defines)))
    compiled.compile()
    return compiled


def compile_without_device(files: tuple[Path, ...], defines: Mapping[str, int], architecture: str = "sm_90") -> bytes:
    """Machine code for an architecture, made by NVRTC alone: it needs no driver and no GPU.

    Raises RuntimeError with the compiler's messages.
    """
    from cupy_backends.cuda.libs import nvrtc

    program = nvrtc.createProgram(source(*files), files[-1].name, (), ())
    try:
        nvrtc.compileProgram(program, (*options(defines), f"-arch={architecture}"))
        return nvrtc.getCUBIN(program)
    except nvrtc.NVRTCError as error:
        raise RuntimeError(nvrtc.getProgramLog(program)) from error
    finally:
        nvrtc.destroyProgram(program)
