"""Nussinov and the matrix chain on the GPU: one launch for each antidiagonal of tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import ELEMENT_NUMBERS, DeviceRun
from antidiag.kernels.folding.cost_estimates import PER_THREAD, padded_size
from antidiag.kernels.folding.cpu import TINY_CHAIN, TINY_FOLDING, read_order, read_structure
from antidiag.kernels.folding.problem import ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import MAX_PLUS, MIN_PLUS
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, SIDE, THREADS, TILE_FILES
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

SPLITS = (*TILE_FILES, Path(__file__).with_name("splits.cu"))
NOTHING = np.uint64(0)


def nussinov(problem: FoldingProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return a structure with the most base pairs without crossing (Nussinov et al. 1978)."""
    run = DeviceRun(monitor, steps, rows=problem.n)
    if not problem.n:
        return Outcome(FoldingAnswer(0, np.empty(0, np.int32)), run.times_ms)
    run.compile_host_code(lambda: read_structure(np.zeros(4, np.int32), TINY_FOLDING))
    codes, pairing = run.upload_array(problem.letter_codes), run.upload_array(problem.pairing_table)
    table = _fill_table(run, kernel_constants(np.int32), problem.n, codes, pairing, NOTHING, problem.min_loop)
    with run.time_phase("structure"):
        found = read_structure(table, problem)
    return Outcome(found, run.times_ms, table.nbytes, run.device_bytes)


def compute_table(problem: FoldingProblem, monitor: Monitor, device: int) -> np.ndarray:
    """Return the most pairs of all intervals i..j (int32, n x n) from a GPU; below the diagonal it is undefined.

    Raises Cancelled, MemoryRefused and BackendUnavailable.
    """
    with devices.use_device(device):
        run = DeviceRun(monitor)
        codes, pairing = run.upload_array(problem.letter_codes), run.upload_array(problem.pairing_table)
        flat = _fill_table(run, kernel_constants(np.int32), problem.n, codes, pairing, NOTHING, problem.min_loop)
    return flat.reshape(problem.n, problem.n)


def matrix_chain(problem: ChainProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the order of a matrix product that takes the fewest multiplications (Godbole 1973)."""
    run = DeviceRun(monitor, steps, rows=problem.n)
    run.compile_host_code(lambda: read_order(np.array([0, 1, 0, 0]), TINY_CHAIN))
    sizes = np.zeros(padded_size(problem.n, np.int64), np.int64)
    sizes[: problem.n + 1] = problem.dimensions
    table = _fill_table(run, kernel_constants(np.int64), problem.n, NOTHING, NOTHING, run.upload_array(sizes), 0)
    with run.time_phase("order"):
        found = read_order(table, problem)
    return Outcome(found, run.times_ms, table.nbytes, run.device_bytes)


def kernel_constants(type: type) -> dict[str, int]:
    """Return the compile-time constants: int32 stands for Nussinov's table, int64 for the matrix chain."""
    name = np.dtype(type).name
    semiring = MAX_PLUS if type is np.int32 else MIN_PLUS
    return {
        "ELEMENT": ELEMENT_NUMBERS[name],
        "SEMIRING": semiring.number,
        "TEXTURE": 0,
        "PER": PER_THREAD[name],
        "SPLITS": int(type is np.int64),
    }


def _fill_table(
    run: DeviceRun, defines: dict[str, int], n: int, codes: Any, pairing: Any, sizes: Any, min_loop: int
) -> np.ndarray:
    """Return the table of all intervals i..j (flat, n x n); below the diagonal it is undefined."""
    kernel, crop = (run.compile_kernel(SPLITS, name, **defines) for name in ("fill", "crop"))
    number = np.dtype(np.int64 if defines["SPLITS"] else np.int32)
    stride = padded_size(n, number)
    tiles = stride // (SIDE * defines["PER"])
    table = run.allocate_array((stride, stride), number)
    with run.begin_phase("table") as phase:
        for apart in range(tiles):
            place = np.int32(stride), np.int32(apart)
            problem = codes, pairing, sizes, np.int32(n + 1), np.int32(min_loop)
            kernel((tiles - apart,), (THREADS,), (table, *place, *problem))
            phase.note_launch(apart + 1, tiles)
        parts = run.allocate_array(n * n, number)
        second_column = np.uint64(table.data.ptr + number.itemsize)
        crop((PAD_BLOCKS,), (THREADS,), (second_column, np.int32(stride), parts, *map(np.int32, (n, n, stride))))
        phase.note_launch(tiles, tiles)
    return run.download_array(parts)
