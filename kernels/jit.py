"""Compiling for the CPU: Numba, set up in one place. Import this before Numba itself.

Numba writes machine code beside the source unless told otherwise, and looks only at the file of the
compiled function to see whether that code is stale. Here it goes to the user's cache folder, under a
name made from the sources of all modules that are compiled, so that no old code survives an update. When a folder
is made, those of other versions that nobody has used for a month are removed.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import psutil
from llvmlite import binding

PREFIX, MARKER = "numba-", "pid-"
KEPT_S = 30 * 24 * 3600
"""How long a folder of compiled code is kept that no process uses."""


def _cache_folder() -> Path:
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for source in sorted([folder / "simd.py", *folder.rglob("cpu*.py")]):
        digest.update(source.read_bytes())
    return _prepared(platformdirs.user_cache_path("antidiag") / f"{PREFIX}{digest.hexdigest()[:12]}")


def _prepared(folder: Path) -> Path:
    """The folder, or one that can be written to, marked as used by this process; a new one replaces forgotten ones."""
    new, found = not folder.exists(), _writable(folder)
    with contextlib.suppress(OSError):
        marker = found / f"{MARKER}{os.getpid()}"
        marker.touch()
        os.utime(found)
        atexit.register(marker.unlink, missing_ok=True)
    if new and found == folder:
        _remove_forgotten(folder)
    return found


def _remove_forgotten(used: Path) -> None:
    """Remove the folders beside ``used`` that no process has begun to use for so long, and none that runs is using."""
    for folder in used.parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            users = [int(marker.name.removeprefix(MARKER)) for marker in folder.glob(f"{MARKER}*")]
            old = time.time() - folder.stat().st_mtime > KEPT_S
            if folder != used and old and not any(map(psutil.pid_exists, users)):
                shutil.rmtree(folder, ignore_errors=True)


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


if not os.environ.get("NUMBA_CACHE_DIR"):
    os.environ["NUMBA_CACHE_DIR"] = str(_cache_folder())

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
