"""Bit-parallel edit distance on the CPU (Myers 1999, Hyyrö 2003)."""

from __future__ import annotations

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.bit_parallel import border_ends, cpu_path
from antidiag.kernels.pairwise.bit_parallel.cpu_sweep import WordSweep, count_planes, find_distance
from antidiag.kernels.pairwise.bit_parallel.parameters import BitAlignmentParameters, BitScoreParameters
from antidiag.kernels.pairwise.bit_parallel.word_pair import WordPair, make_tiny_edit_pair
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP as STRIP
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.steps import StepLog


def bit_parallel_score(
    problem: PairProblem, parameters: BitScoreParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the edit distance, as a score that is not positive, and the cell where the best path ends."""
    return _find(problem, parameters.threads, 0, monitor, steps)


def bit_parallel(problem: PairProblem, parameters: BitAlignmentParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the edit distance, as a score that is not positive, and the best path by the tie rule."""
    return _find(problem, parameters.threads, parameters.tile, monitor, steps)


def _find(problem: PairProblem, threads: int, tile: int, monitor: Monitor, steps: StepLog) -> Outcome:
    pair, run = WordPair(encode_pair(problem), STRIP), CpuRun(monitor, steps, threads)
    run.compile_once(_compile_kernels, count_planes(pair), tile > 0)
    return _run(run, pair, tile)


def _run(run: CpuRun, pair: WordPair, tile: int) -> Outcome:
    """Find the distance, and the path where ``tile`` is not 0."""
    sweep = WordSweep(pair, run, tile)
    with run.phase("phase 1", pair.m * pair.n) as phase:
        end, cells = find_distance(sweep, phase)
        sweep.log_strips(phase)
        phase.report(phase.total)
    if not tile:
        return Outcome(pair.pair.make_answer(end.score, end.cell), run.times_ms, sweep.nbytes, work=cells)
    with run.phase("phase 2", sum(end.cell)) as phase:
        alignment, tile_bytes = cpu_path.trace_path(sweep, end.cell, phase)
    answer = PairAnswer(end.score, alignment.end, alignment)
    host_bytes = sweep.nbytes + tile_bytes + 3 * alignment.operations.size
    return Outcome(answer, run.times_ms, host_bytes, work=cells)


def _compile_kernels(planes: int, path: bool) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    border_ends.compile_functions()
    _run(CpuRun(), WordPair(make_tiny_edit_pair({1: 9, 2: 4, 3: 8}[planes]), STRIP), STRIP if path else 0)
