"""Nussinov and the matrix chain on the CPU: threads share the blocks of each antidiagonal of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.folding import cpu_triangle
from antidiag.kernels.folding.cpu_triangle import BLOCK, ChainTable, FoldingTable
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import to_dataclass
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

TINY_CODES, TINY_CHAIN = np.zeros(2, np.uint8), (1, 1, 1)
"""The letters and the dimensions of the smallest problems, with which functions are compiled."""


def nussinov(problem: FoldingProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: StepLog) -> Outcome:
    """Return a structure with the most base pairs without crossing (Nussinov et al. 1978)."""
    run = CpuRun(monitor, steps, to_dataclass(ThreadParameters, parameters).threads)
    run.compile(lambda: _fold(CpuRun(), TINY_CODES, problem.pairing_table, 0))
    found = _fold(run, problem.letter_codes, problem.pairing_table, problem.min_loop)
    return Outcome(found, run.times_ms, 4 * problem.n**2)


def matrix_chain(problem: ChainProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the order of a matrix product that takes the fewest multiplications (Godbole 1973)."""
    run = CpuRun(monitor, steps, to_dataclass(ThreadParameters, parameters).threads)
    run.compile(lambda: _order_chain(CpuRun(), TINY_CHAIN))
    return Outcome(_order_chain(run, problem.dimensions), run.times_ms, 8 * problem.n**2)


def _fold(run: CpuRun, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> FoldingAnswer:
    """Compute Nussinov's table and read a structure from it."""
    table = _fill_table(run, codes, pairing, min_loop)
    with run.phase("structure"):
        return read_structure(table, codes, pairing, min_loop)


def compute_table(problem: FoldingProblem, threads: int, monitor: Monitor) -> np.ndarray:
    """Return the most pairs of every interval i..j: int32, n x n, symmetric."""
    run = CpuRun(monitor, threads=threads)
    table = _fill_table(run, problem.letter_codes, problem.pairing_table, problem.min_loop)
    return table.reshape(problem.n, problem.n)


def _fill_table(run: CpuRun, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> np.ndarray:
    """Return Nussinov's table, flat."""
    table = np.zeros(codes.size**2, np.int32)
    _fill_blocks(run, codes.size, partial(cpu_triangle.fold_block, FoldingTable(table, codes, pairing, min_loop)))
    return table


def read_structure(table: np.ndarray, codes: np.ndarray, pairing: np.ndarray, min_loop: int) -> FoldingAnswer:
    """Return the structure that a filled table (flat, n x n, int32) describes."""
    partners = np.full(codes.size, -1, np.int32)
    if codes.size:
        cpu_triangle.trace_fold(FoldingTable(table, codes, pairing, min_loop), partners)
    return FoldingAnswer(int(table[codes.size - 1]) if codes.size else 0, partners)


def _order_chain(run: CpuRun, dimensions: tuple[int, ...]) -> ChainAnswer:
    """Compute the costs of all partial products and read the best order from them."""
    n = len(dimensions) - 1
    table = np.zeros(n * n, np.int64)
    _fill_blocks(run, n, partial(cpu_triangle.chain_block, ChainTable(table, np.array(dimensions, np.int64))))
    with run.phase("order"):
        return read_order(table, dimensions)


def read_order(table: np.ndarray, dimensions: tuple[int, ...]) -> ChainAnswer:
    """Return the order that a filled table (flat, n x n, int64) describes."""
    n = len(dimensions) - 1
    splits = np.empty((n - 1, 3), np.int32)
    cpu_triangle.trace_chain(ChainTable(table, np.array(dimensions, np.int64)), splits)
    return ChainAnswer(int(table[n - 1]), splits)


def _fill_blocks(run: CpuRun, n: int, fill: Callable[[int, int, np.ndarray], None]) -> None:
    """Call ``fill(top, left, stop)`` for all blocks of the upper half, one antidiagonal of blocks after another.

    The antidiagonals are the strips of the log.
    """
    blocks = -(-n // BLOCK)
    rounds = [[(row, row + apart) for row in range(blocks - apart)] for apart in range(blocks)]

    def compute(worker: int, block: tuple[int, int]) -> None:
        fill(block[0] * BLOCK, block[1] * BLOCK, run.stop)

    def cells_of_block(block: tuple[int, int]) -> LoggedCells:
        rows, columns = ((start * BLOCK, min((start + 1) * BLOCK, n)) for start in block)
        return LoggedCells(rows, columns, block[1] - block[0])

    with run.phase("table", sum(map(len, rounds))) as phase:
        phase.share_rounds(rounds, compute, cells_of_block)
