"""Numba for CPU code: the decorators of compiled functions, and the folder that keeps their machine code.

    <user's cache folder>/antidiag/numba/<Numba version>-O<level of optimisation>-<digest of the sources>/

Numba recompiles a function when its own file changes, but compiled code also contains constants and functions of other
modules. The digest in the folder's name covers all sources of the package, so that stale code is never loaded; nor is
code of another level of optimisation (``NUMBA_OPT``).
``NUMBA_CACHE_DIR`` replaces the first three parts.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import numba
import platformdirs
from llvmlite import binding
from numba.core import event as events

from antidiag.kernels import ROOT
from antidiag.kernels.cpu.compilation import compilation_clock

MIN_FREE_BYTES = 64 * 2**20
"""Code is not kept on a disk with less free space: a full disk must not stop a run."""

MAX_FOLDERS = 8
"""How many folders of this user are kept, one for each state of the sources; the longest unused are removed first."""


def default_cache_folder() -> Path:
    """Return the folder of compiled code of this user, which may not exist yet."""
    return platformdirs.user_cache_path("antidiag") / "numba"


def digest_sources(folder: Path) -> str:
    """Return a digest of the names, sizes and modification times of all Python files in a folder."""
    found = hashlib.blake2b(digest_size=8)
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(name for name in names if name.endswith(".py")):
            status = os.stat(os.path.join(parent, name))
            found.update(f"{parent}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()


def name_cache_folder() -> str:
    """Return the name of the folder that keeps the code of this Numba, of its level of optimisation and the sources."""
    return f"{numba.__version__}-O{int(numba.config.OPT)}-{digest_sources(ROOT)}"


def make_cache_folder(parent: Path, name: str) -> Path | None:
    """Make a folder for compiled code in ``parent``; return None where nothing can be kept.

    Unused folders are removed from the default folder only: another one may hold files of other programs.
    """
    folder = parent / name
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
        if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
            return None
    except OSError:
        return None
    if is_new and parent == default_cache_folder():
        _remove_unused_folders(parent)
    return folder


def _remove_unused_folders(parent: Path) -> None:
    """Keep the folders that processes began to use last; a running process makes its folder again when it saves."""
    with contextlib.suppress(OSError):
        folders = sorted(parent.iterdir(), key=lambda folder: folder.stat().st_mtime)
        for folder in folders[:-MAX_FOLDERS]:
            shutil.rmtree(folder, ignore_errors=True)


class SavingLock(events.Listener):
    """Lets one process at a time save compiled code, from the end of a compilation until the compiler is left.

    Two processes that save two signatures of one function at once would choose the same file for both, and whoever
    loads one signature later would get the code of the other (numba.core.caching.IndexDataCacheFile.save).
    """

    def __init__(self, path: Path) -> None:
        self._path, self._thread = path, threading.local()

    def on_start(self, event: events.Event) -> None:
        """Count how often this thread has entered the compiler."""
        if event.kind == "numba:compiler_lock":
            self._thread.depth = getattr(self._thread, "depth", 0) + 1

    def on_end(self, event: events.Event) -> None:
        """Lock at the end of a compilation, whose code is then saved; unlock where the compiler is left."""
        thread = self._thread
        if event.kind == "numba:compile":
            if getattr(thread, "file", None) is None:
                thread.locked_depth, thread.file = thread.depth, _lock_file(self._path)
            return
        thread.depth -= 1
        if getattr(thread, "file", None) is not None and thread.depth < thread.locked_depth:
            thread.file.close()
            thread.file = None


class CompilationListener(events.Listener):
    """Adds the time that Numba spends on compiling to the clock of compilation.

    Numba compiles one function at a time; what a function calls is compiled within its own time.
    """

    def __init__(self) -> None:
        self._thread = threading.local()

    def on_start(self, event: events.Event) -> None:
        """Start the clock where this thread begins to compile."""
        self._thread.depth = getattr(self._thread, "depth", 0) + 1
        if self._thread.depth == 1:
            self._thread.begun_ns = time.perf_counter_ns()

    def on_end(self, event: events.Event) -> None:
        """Add the time where this thread has compiled the outermost function."""
        self._thread.depth -= 1
        if self._thread.depth == 0:
            compilation_clock.spent_ns += time.perf_counter_ns() - self._thread.begun_ns


def _lock_file(path: Path) -> BinaryIO | None:
    """Open a file and wait until no other process has it locked; return None where files cannot be locked."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "ab")  # noqa: SIM115 - closing unlocks it
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        return file
    return None


def register_system_function(name: str, function: Any) -> None:
    """Give LLVM the address of a ctypes function under a name that compiled code, also from the cache, refers to."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    binding.add_symbol(name, address)


numba.config.reload_config()  # the environment may have changed since Numba was imported; later it resets CACHE_DIR
_folder = make_cache_folder(Path(numba.config.CACHE_DIR or default_cache_folder()), name_cache_folder())
numba.config.CACHE_DIR = str(_folder or "")
if _folder is not None:
    _saving_lock = SavingLock(_folder / "saving.lock")
    for _kind in ("numba:compiler_lock", "numba:compile"):
        events.register(_kind, _saving_lock)

events.register("numba:compile", CompilationListener())

cached_njit = numba.njit(cache=_folder is not None, nogil=True, no_cfunc_wrapper=True)
"""Decorator of functions that Python calls: compiled once, kept on disk, run without the interpreter lock."""

parallel_njit = numba.njit(cache=_folder is not None, nogil=True, no_cfunc_wrapper=True, parallel=True)
"""Decorator of functions that Python calls and whose `prange` loops Numba's own threads share."""

inner_njit = numba.extending.register_jitable(no_cfunc_wrapper=True)
"""Decorator of functions that compiled functions call; their code is kept with that of the callers.

Python runs their source instead; what it calls compiled, too, has a second name, ``call_f = cached_njit(f)``. Without
an entry for Python they compile in an eighth less time (at level 1). They must not call functions of
`cached_njit`, whose address in the code keeps it from being saved at level 0.
"""

inline_njit = numba.extending.register_jitable(no_cfunc_wrapper=True, forceinline=True)
"""Decorator of functions that compiled functions call, and that LLVM must inline."""
