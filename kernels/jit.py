"""Compiling for the CPU: Numba, set up in one place. Import this before Numba itself.

Numba writes machine code beside the source unless told otherwise, and looks only at the file of the
compiled function to see whether that code is stale. Here it goes to the user's cache folder, under a
name made from the sources of all modules that are compiled, so that no old code survives an update.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs


def _cache_folder() -> Path:
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for source in sorted([folder / "simd.py", *folder.rglob("cpu*.py")]):
        digest.update(source.read_bytes())
    return platformdirs.user_cache_path("antidiag") / f"numba-{digest.hexdigest()[:12]}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache_folder()))

import numba  # noqa: E402 - it reads the variable when it is imported

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]

compiled = numba.njit(nogil=True, cache=True, boundscheck=False)
"""Decorator of functions that are called from Python: compiled once, kept on disk, run without the GIL."""

inlined = numba.njit(forceinline=True, boundscheck=False)
"""Decorator of pieces of compiled functions: they cost no call."""
