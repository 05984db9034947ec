"""Copies of large arrays on the host by all processors, in compiled code.

To wake the threads of Numba takes some 20 microseconds, to wake as many Python threads a millisecond. Numba's plainest
layer of threads serves one call at a time, so that calls wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numba
import numpy as np
from numba import prange

from antidiag.kernels.cpu.jit import parallel_njit
from antidiag.kernels.processors import count_processors

MOST_THREADS = 12
"""Threads of a copy: more of them do not make the memory of a processor faster."""
PIECE_BYTES = 64 << 10
"""Bytes that a thread copies at a time."""
PAGE_BYTES = 4096

_one_call = Lock()


def copy_values(out: np.ndarray, given: np.ndarray) -> None:
    """Copy an array into one of the same shape, with the conversions of NumPy's ``casting="unsafe"``."""
    if out.dtype == given.dtype and out.flags.c_contiguous and given.flags.c_contiguous:
        _run_parallel(_copy_bytes, out.reshape(-1).view(np.uint8), given.reshape(-1).view(np.uint8))
    elif out.ndim == 2:
        _run_parallel(_copy_rows, out, given)
    else:
        np.copyto(out, given, casting="unsafe")


def copy_at_most(out: np.ndarray, given: np.ndarray, most: float) -> None:
    """Copy a matrix into one of the same shape and maybe another type; what is greater than ``most`` becomes it."""
    _run_parallel(_copy_rows_at_most, out, given, given.dtype.type(most))


def touch_pages(array: np.ndarray) -> None:
    """Have the system provide the memory of a new C-contiguous array."""
    _run_parallel(_touch_bytes, array.reshape(-1).view(np.uint8))


def _run_parallel(call: Callable[..., None], *arguments: object) -> None:
    with _one_call:
        numba.set_num_threads(max(1, min(count_processors(), MOST_THREADS, numba.config.NUMBA_NUM_THREADS)))
        call(*arguments)


@parallel_njit
def _copy_bytes(out, given):
    for piece in prange((out.size + PIECE_BYTES - 1) // PIECE_BYTES):
        first, last = piece * PIECE_BYTES, min(out.size, (piece + 1) * PIECE_BYTES)
        out[first:last] = given[first:last]


@parallel_njit
def _copy_rows(out, given):
    for row in prange(len(out)):
        for column in range(out.shape[1]):
            out[row, column] = given[row, column]


@parallel_njit
def _copy_rows_at_most(out, given, most):
    for row in prange(len(out)):
        for column in range(out.shape[1]):
            out[row, column] = min(given[row, column], most)


@parallel_njit
def _touch_bytes(array):
    for page in prange((array.size + PAGE_BYTES - 1) // PAGE_BYTES):
        array[page * PAGE_BYTES] = 0
