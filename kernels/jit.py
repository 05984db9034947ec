"""Compiling for the CPU: Numba, set up in one place. Import this before Numba itself.

Numba writes machine code beside the source unless told otherwise, and looks only at the file of the
compiled function to see whether that code is stale. Here it goes to the user's cache folder, under a
name made from the sources of all modules that are compiled, so that no old code survives an update.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
from llvmlite import binding


def _cache_folder() -> Path:
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for source in sorted([folder / "simd.py", *folder.rglob("cpu*.py")]):
        digest.update(source.read_bytes())
    return _writable(platformdirs.user_cache_path("antidiag") / f"numba-{digest.hexdigest()[:12]}")


def _writable(folder: Path) -> Path:
    """The folder, or one that lasts as long as the program where nothing can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        lasting = tempfile.TemporaryDirectory(prefix="antidiag-numba-", ignore_cleanup_errors=True)
        atexit.register(lasting.cleanup)
        return Path(lasting.name)


os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache_folder()))

import numba  # noqa: E402 - it reads the variable when it is imported
from numba.core import caching  # noqa: E402

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


def _where_possible(use: Callable[..., Any]) -> Callable[..., Any]:
    """A disk that is full, or goes away, costs compiling again and never a run."""

    @functools.wraps(use)
    def use_or_not(*arguments: Any) -> Any:
        with contextlib.suppress(OSError):
            return use(*arguments)

    return use_or_not


for name in ("load_overload", "save_overload"):
    setattr(caching.Cache, name, _where_possible(getattr(caching.Cache, name)))


def system_function(name: str, function: Any) -> None:
    """Tell LLVM where a function of a ctypes library is, under a name of ours that compiled code, also that in the
    cache, refers to."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    binding.add_symbol(name, address)


compiled = numba.njit(nogil=True, cache=True, boundscheck=False)
"""Decorator of functions that are called from Python: compiled once, kept on disk, run without the GIL."""

_INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""What turns Python's arguments into a compiled function's takes long to compile."""

called = numba.njit(nogil=True, cache=True, boundscheck=False, **_INSIDE)
"""As ``compiled``, for functions that only compiled functions call."""

inlined = numba.njit(forceinline=True, boundscheck=False, **_INSIDE)
"""Decorator of pieces of compiled functions: they cost no call."""

shared = numba.extending.register_jitable(boundscheck=False, **_INSIDE)
"""Decorator of functions that both Python and compiled functions call."""
