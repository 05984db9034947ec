"""Nussinov and the matrix chain on the GPU: antidiagonals of tiles, a launch each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import ELEMENTS, Run
from antidiag.kernels.folding.cpu import WARM, folded, ordered
from antidiag.kernels.folding.problem import ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.folding.sizes import PER_THREAD, padded
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, SIDE, THREADS, TILE_FILES
from antidiag.kernels.steps import Steps

SPLITS = (*TILE_FILES, Path(__file__).with_name("splits.cu"))
NOTHING = np.uint64(0)


def nussinov(problem: FoldingProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The most base pairs without crossing."""
    run = Run(monitor, steps, rows=problem.n)
    if not problem.n:
        return Outcome(FoldingAnswer(0, np.empty(0, np.int32)), run.times_ms)
    run.spend("compilation", time_ms(partial(folded, np.zeros(4, np.int32), WARM, problem.pairing, 0)))
    codes, pairing = run.up(problem.codes), run.up(problem.pairing)
    table = _filled(run, constants(np.int32), problem.n, codes, pairing, NOTHING, problem.min_loop)
    with run.timed("structure"):
        found = folded(table, problem.codes, problem.pairing, problem.min_loop)
    return Outcome(found, run.times_ms, table.nbytes, run.device_bytes)


def table(problem: FoldingProblem, monitor: Monitor, device: int) -> np.ndarray:
    """The most pairs of all parts i..j, int32, n x n, on a GPU; below the diagonal it says nothing.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use(device):
        run = Run(monitor)
        codes, pairing = run.up(problem.codes), run.up(problem.pairing)
        flat = _filled(run, constants(np.int32), problem.n, codes, pairing, NOTHING, problem.min_loop)
    return flat.reshape(problem.n, problem.n)


def matrix_chain(problem: ChainProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The order of a product of matrices that takes the fewest multiplications."""
    run = Run(monitor, steps, rows=problem.n)
    run.spend("compilation", time_ms(partial(ordered, np.array([0, 1, 0, 0]), (1, 1, 1))))
    sizes = np.zeros(padded(problem.n, np.int64), np.int64)
    sizes[: problem.n + 1] = problem.dimensions
    table = _filled(run, constants(np.int64), problem.n, NOTHING, NOTHING, run.up(sizes), 0)
    with run.timed("order"):
        found = ordered(table, problem.dimensions)
    return Outcome(found, run.times_ms, table.nbytes, run.device_bytes)


def constants(type: type) -> dict[str, int]:
    """Compile-time constants: int32 is Nussinov's table, int64 that of the chain."""
    name = np.dtype(type).name
    semiring = MAX_PLUS if type is np.int32 else MIN_PLUS
    return {"ELEMENT": ELEMENTS[name], "SEMIRING": semiring.number, "TEXTURE": 0, "PER": PER_THREAD[name],
            "SPLITS": int(type is np.int64)}  # fmt: skip


def _filled(
    run: Run, defines: dict[str, int], n: int, codes: Any, pairing: Any, sizes: Any, min_loop: int
) -> np.ndarray:
    """The table of all parts i..j, flat, n x n; below the diagonal it says nothing."""
    kernel, crop = (run.kernel(SPLITS, name, **defines) for name in ("fill", "crop"))
    number = np.dtype(np.int64 if defines["SPLITS"] else np.int32)
    stride = padded(n, number)
    tiles = stride // (SIDE * defines["PER"])
    table = cupy.empty((stride, stride), number)
    with run.phase("table") as phase:
        for apart in range(tiles):
            kernel((tiles - apart,), (THREADS,), (table, np.int32(stride), np.int32(apart), codes, pairing, sizes,
                                                  np.int32(n + 1), np.int32(min_loop)))  # fmt: skip
            phase.launched(apart + 1, tiles)
        parts = cupy.empty(n * n, number)
        crop((PAD_BLOCKS,), (THREADS,), (np.uint64(table.data.ptr + number.itemsize), np.int32(stride), parts,
                                         np.int32(n), np.int32(n), np.int32(stride)))  # fmt: skip
        phase.launched(tiles, tiles)
    return run.down(parts)
