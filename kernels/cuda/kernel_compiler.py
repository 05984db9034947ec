"""From `.cu` files to kernels: `join_source` joins the parts of a module to one text, which NVRTC compiles at run time.

A part is a file, or a declaration of `structs` that Python and device code share. `join_source` is the only place
where C is generated: the prelude, then the parts in their order, each behind a ``#line`` so that messages name the
right file. To read a `.cu` file with all that it uses, look at the parts that its Python module lists before it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct

PRELUDE = Path(__file__).with_name("prelude.cuh")
STANDARD = "-std=c++17"

_LOCK, _ALLOWING = threading.Lock(), threading.Lock()
_allowed: dict[Any, int] = {}

SourcePart = Path | DeviceStruct | DeviceConstants
"""A part of a source: a file, or a declaration that Python shares."""
ModuleKey = tuple[tuple[SourcePart, ...], tuple[tuple[str, int], ...], int]
_modules: dict[ModuleKey, Any] = {}
"""The modules that this process has compiled or loaded, by their parts, constants and device."""


def join_source(*parts: SourcePart) -> str:
    """Return the prelude and the parts as one text; CuPy's disk cache keys on all of it."""
    return "\n".join(f'#line 1 "{part.name}"\n{_part_text(part)}' for part in (PRELUDE, *parts))


def _part_text(part: SourcePart) -> str:
    return part.read_text() if isinstance(part, Path) else part.c_text


def compiler_options(defines: Mapping[str, int]) -> tuple[str, ...]:
    """Return the compiler's options for compile-time constants."""
    return STANDARD, *(f"-D{name}={int(value)}" for name, value in sorted(defines.items()))


def compile_kernel(files: tuple[SourcePart, ...], name: str, defines: Mapping[str, int]) -> tuple[Any, float]:
    """Return a kernel, always the same object, and the milliseconds that compiling or loading its module took."""
    compiled, milliseconds = compile_module(files, defines)
    return _cached_kernel(compiled, name), milliseconds


def compile_module(files: tuple[SourcePart, ...], defines: Mapping[str, int]) -> tuple[Any, float]:
    """Return a compiled module for the current device, and the milliseconds that compiling or loading it took."""
    key = _module_key(files, defines)
    with _LOCK:
        before = time.perf_counter()
        if key not in _modules:
            _modules[key] = _load_module(files, defines)
        return _modules[key], (time.perf_counter() - before) * 1e3


def is_compiled(files: tuple[SourcePart, ...], defines: Mapping[str, int]) -> bool:
    """Return whether this process has compiled or loaded a module for the current device."""
    return _module_key(files, defines) in _modules


def _module_key(files: tuple[SourcePart, ...], defines: Mapping[str, int]) -> ModuleKey:
    import cupy

    return files, tuple(sorted(defines.items())), cupy.cuda.Device().id


def allow_shared_bytes(kernel: Any, nbytes: int) -> None:
    """Raise a kernel's limit of dynamic shared memory ; it is never lowered, as other runs use it too."""
    with _ALLOWING:
        if nbytes > _allowed.get(kernel, 0):
            kernel.max_dynamic_shared_size_bytes = _allowed[kernel] = nbytes


@cache
def _cached_kernel(compiled: Any, name: str) -> Any:
    return compiled.get_function(name)


def _load_module(files: tuple[SourcePart, ...], defines: Mapping[str, int]) -> Any:
    import cupy

    compiled = cupy.RawModule(code=join_source(*files), options=compiler_options(defines))
    compiled.compile()
    return compiled


def compile_without_device(
    files: tuple[SourcePart, ...], defines: Mapping[str, int], architecture: str = "sm_90", more: tuple[str, ...] = ()
) -> bytes:
    """Compile for an architecture by NVRTC alone, with ``more`` of its options; it needs neither a driver nor a GPU.

    Raises RuntimeError with the compiler's messages.
    """
    from cupy_backends.cuda.libs import nvrtc

    program = nvrtc.createProgram(join_source(*files), files[-1].name, (), ())
    try:
        nvrtc.compileProgram(program, (*compiler_options(defines), f"-arch={architecture}", *more))
        return nvrtc.getCUBIN(program)
    except nvrtc.NVRTCError as error:
        raise RuntimeError(nvrtc.getProgramLog(program)) from error
    finally:
        nvrtc.destroyProgram(program)
