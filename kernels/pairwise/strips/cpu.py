"""The striped and chunked methods on the CPU (Li et al. 2012, sections IV and V)."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import (
    PairStripParameters,
    StripedScoreParameters,
)
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.pruning.cpu import find_bounds_on_cpu
from antidiag.kernels.pairwise.strips import cpu_path, cpu_strips, start_states
from antidiag.kernels.pairwise.strips.cpu_16bit import kernel_variant, make_tiny_variant
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_16bit_rows, column_length, part_bytes
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun
from antidiag.kernels.steps import StepLog


def striped_score(
    problem: PairProblem, parameters: StripedScoreParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best score and its end cell by StripedScore; boundary columns are reused once they were read."""
    pair = encode_pair(problem)
    run, short_rows = CpuRun(monitor, steps, parameters.threads), chosen_16bit_rows(problem, parameters)
    run.compile_once(_compile_phase_1, kernel_variant(pair, short_rows), pair.second is not None, False)
    bounds = find_bounds_on_cpu(run, problem, parameters)
    strips = _make_strips(run, pair, parameters, states=False, all_values=False, short_rows=short_rows, bounds=bounds)
    with run.phase("phase 1", strips.row_count, number=1) as phase:
        cpu_strips.compute_strips(strips, phase)
    score, end, _ = cpu_strips.find_best_cell(strips)
    answer = pair.make_answer(score, end, skipped=strips.skipped_blocks)
    host_bytes = strips.nbytes + (pruning_sizes.bound_bytes(problem) if parameters.is_pruned else 0)
    return Outcome(answer, run.times_ms, host_bytes, work=strips.computed_cells)


def _run_alignment(
    problem: PairProblem,
    parameters: PairStripParameters,
    monitor: Monitor,
    steps: StepLog,
    chunks: int,
) -> Outcome:
    """Run the three phases: boundaries with start states, the parts of the path, their operations.

    ``chunks``: 0 for strips, 1 for chunks of which boundaries are kept, 2 for start states local to chunks.
    """
    true_values = chunks > 0 or parameters.starts_at_first_row  # as in `cpu_path.compute_paths`
    pair, run = encode_pair(problem), CpuRun(monitor, steps, parameters.threads)
    short_rows = chosen_16bit_rows(problem, parameters)
    variants = kernel_variant(pair, short_rows), kernel_variant(pair, 0)
    run.compile_once(_compile_alignment, *variants, pair.second is not None)
    strips = _make_strips(
        run,
        pair,
        parameters,
        states=True,
        all_values=true_values,
        chunk_parts=chunks * problem.value_count,
        short_rows=short_rows,
    )
    assert strips.states is not None
    with run.phase("phase 1", strips.row_count) as phase:
        cpu_strips.compute_strips(strips, phase)
    with run.phase("phase 2"):
        score, end, state = cpu_strips.find_best_cell(strips)
        states = start_states.StartStates(strips.states, strips.bottoms[:, :, pair.value_count :], strips.s, strips.h)
        parts = start_states.link_sub_paths(states, end, state)
    with run.phase("phase 3", len(parts)) as phase:
        pieces = cpu_path.compute_paths(strips, parts, true_values, phase)
        alignment = start_states.join_pieces(pair, parts, pieces, end)
    heights = sorted(part.end_row - cpu_path.first_row_above(strips, part, true_values) for part in parts)
    recomputed = sum(part_bytes(height, strips.s, pair.value_count) for height in heights[-run.threads :])
    return Outcome(PairAnswer(score, alignment.end, alignment), run.times_ms, strips.nbytes + recomputed)


def _make_strips(
    run: CpuRun,
    pair: EncodedPair,
    parameters: PairStripParameters,
    states: bool,
    all_values: bool,
    chunk_parts: int = 0,
    short_rows: int = 0,
    bounds: PruningBounds | None = None,
) -> StripRun:
    """Return the strips of a pair, with room for all boundary columns or for those in use."""
    count = -(-pair.columns.size // parameters.s)
    kept = count if all_values else min(run.threads + 1, count)
    length = column_length(pair.rows.size)
    return StripRun(
        pair=pair,
        s=parameters.s,
        batch=parameters.T,
        run=run,
        values=np.empty((kept, pair.value_count, length), np.int32),
        states=np.empty((count, pair.value_count, length), np.int32) if states else None,
        h=parameters.chunk_height,
        chunk_parts=chunk_parts,
        short_rows=short_rows,
        bounds=bounds,
    )


def _compile_alignment(code: str, wide_code: str, two_pieces: bool) -> None:
    """Compile phases 1 and 3 of an alignment; phase 3 is in 32 bits."""
    _compile_phase_1(code, two_pieces, True)
    _compile_phase_3(wide_code, two_pieces)


@cache
def _compile_phase_1(code: str, two_pieces: bool, alignment: bool) -> None:
    """Compile phase 1, or load it from the cache folder, by running a tiny pair."""
    run, (pair, short_rows) = CpuRun(), make_tiny_variant(code, two_pieces)
    parameters = PairStripParameters(s=32, T=32, threads=1, precision="32")
    strips = _make_strips(run, pair, parameters, alignment, all_values=alignment, short_rows=short_rows)
    with run.phase("phase 1") as phase:
        cpu_strips.compute_strips(strips, phase)


@cache
def _compile_phase_3(code: str, two_pieces: bool) -> None:
    """Compile phase 3, or load it from the cache folder."""
    run, (pair, _) = CpuRun(), make_tiny_variant(code, two_pieces)
    strips = _make_strips(
        run, pair, PairStripParameters(s=32, T=32, threads=1, precision="32"), states=False, all_values=True
    )
    strips.values[:] = 0
    parts = [start_states.SubPath(0, start_states.KIND_H, 0, 1, 1, start_states.KIND_H)]
    with run.phase("phase 3") as phase:
        for true_values in (False, True):
            cpu_path.compute_paths(strips, parts, true_values, phase)


striped_alignment = partial(_run_alignment, chunks=0)
"""Return the best alignment by StripedAlignment (section V.A)."""
chunked_alignment_1 = partial(_run_alignment, chunks=1)
"""Return the best alignment by ChunkedAlignment1 (section V.B)."""
chunked_alignment_2 = partial(_run_alignment, chunks=2)
"""Return the best alignment by ChunkedAlignment2 (section V.C)."""
