"""Nussinov and the matrix chain on the CPU: threads share the blocks of each antidiagonal of blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.folding import cpu_triangle
from antidiag.kernels.folding.cpu_triangle import BLOCK, ChainTable, FoldingTable
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

TINY_FOLDING, TINY_CHAIN = FoldingProblem(Sequence("tiny", b"AA", SequenceType.RNA)), ChainProblem((1, 1, 1))
"""The smallest problems, with which functions are compiled."""


def nussinov(problem: FoldingProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return a structure with the most base pairs without crossing (Nussinov et al. 1978)."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_folding)
    return Outcome(_fold(run, problem), run.times_ms, 4 * problem.n**2)


def matrix_chain(problem: ChainProblem, parameters: ThreadParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the order of a matrix product that takes the fewest multiplications (Godbole 1973)."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_chain)
    return Outcome(_order_chain(run, problem), run.times_ms, 8 * problem.n**2)


def _compile_folding() -> None:
    """Compile, or load from the cache folder, by folding two letters."""
    _fold(CpuRun(), TINY_FOLDING)


def _compile_chain() -> None:
    """Compile, or load from the cache folder, by ordering two matrices."""
    _order_chain(CpuRun(), TINY_CHAIN)


def _fold(run: CpuRun, problem: FoldingProblem) -> FoldingAnswer:
    """Compute Nussinov's table and read a structure from it."""
    table = _fill_table(run, problem)
    with run.phase("structure"):
        return read_structure(table, problem)


def compute_table(problem: FoldingProblem, threads: int, monitor: Monitor) -> np.ndarray:
    """Return the most pairs of every interval i..j: int32, n x n, symmetric."""
    return _fill_table(CpuRun(monitor, threads=threads), problem).reshape(problem.n, problem.n)


def _fill_table(run: CpuRun, problem: FoldingProblem) -> np.ndarray:
    """Return Nussinov's table, flat."""
    table = np.zeros(problem.n**2, np.int32)
    _fill_blocks(run, problem.n, partial(cpu_triangle.fold_block, _make_folding_table(table, problem)))
    return table


def _make_folding_table(table: np.ndarray, problem: FoldingProblem) -> FoldingTable:
    """Return a table (flat, n x n, int32) with what defines it."""
    return FoldingTable(table, problem.letter_codes, problem.pairing_table, problem.min_loop)


def read_structure(table: np.ndarray, problem: FoldingProblem) -> FoldingAnswer:
    """Return the structure that a filled table (flat, n x n, int32) describes."""
    partners = np.full(problem.n, -1, np.int32)
    if problem.n:
        cpu_triangle.trace_fold(_make_folding_table(table, problem), partners)
    return FoldingAnswer(int(table[problem.n - 1]) if problem.n else 0, partners)


def _order_chain(run: CpuRun, problem: ChainProblem) -> ChainAnswer:
    """Compute the costs of all partial products and read the best order from them."""
    table = np.zeros(problem.n**2, np.int64)
    _fill_blocks(run, problem.n, partial(cpu_triangle.chain_block, _make_chain_table(table, problem)))
    with run.phase("order"):
        return read_order(table, problem)


def _make_chain_table(table: np.ndarray, problem: ChainProblem) -> ChainTable:
    """Return a table (flat, n x n, int64) with what defines it."""
    return ChainTable(table, np.array(problem.dimensions, np.int64))


def read_order(table: np.ndarray, problem: ChainProblem) -> ChainAnswer:
    """Return the order that a filled table (flat, n x n, int64) describes."""
    splits = np.empty((problem.n - 1, 3), np.int32)
    cpu_triangle.trace_chain(_make_chain_table(table, problem), splits)
    return ChainAnswer(int(table[problem.n - 1]), splits)


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
