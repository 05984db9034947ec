"""CheckpointedAlignment on the CPU: a score sweep that keeps special rows and columns, then phase 2 (cpu_tiles.py).

Special columns and the special rows of a strip are complete as soon as the strip is. Those left of a finished special
column, that column, and the best cells of the strips before it are all that a run needs to continue from there; a long
run keeps them on disk (cpu_resuming.py).
"""

from __future__ import annotations

from dataclasses import replace

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cpu_tiles, spilled_arrays
from antidiag.kernels.pairwise.checkpointed.cpu_resuming import StripCheckpoints
from antidiag.kernels.pairwise.checkpointed.cpu_tiles import CheckpointGrid, TileLog
from antidiag.kernels.pairwise.checkpointed.sizes import checkpoint_shapes
from antidiag.kernels.pairwise.encoding import EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.pruning.cpu import find_bounds_on_cpu
from antidiag.kernels.pairwise.strips import cpu_strips
from antidiag.kernels.pairwise.strips.cpu_16bit import kernel_variant, make_tiny_variant
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_16bit_rows
from antidiag.kernels.steps import StepLog


def checkpointed_alignment(
    problem: PairProblem, parameters: CheckpointedParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best alignment in linear memory.

    Raises Cancelled, and DiskFull where checkpoints do not fit on the disk.
    """
    pair = encode_pair(problem)
    short_rows = chosen_16bit_rows(problem, parameters)
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_kernels, kernel_variant(pair, short_rows), pair.second is not None)
    bounds = find_bounds_on_cpu(run, problem, parameters)
    outcome = _run_alignment(run, pair, parameters, short_rows, bounds)
    made = pruning_sizes.bound_bytes(problem) if parameters.is_pruned else 0
    return replace(outcome, host_bytes=outcome.host_bytes + made)


def _run_alignment(
    run: CpuRun,
    pair: EncodedPair,
    parameters: CheckpointedParameters,
    short_rows: int,
    bounds: PruningBounds | None = None,
) -> Outcome:
    """Run both phases."""
    s, tile, limit = parameters.s, parameters.rounded_tile, parameters.checkpoint_bytes
    shapes = checkpoint_shapes(pair.rows.size, pair.columns.size, s, tile, pair.value_count)
    kept = spilled_arrays.allocate_arrays(shapes, limit)
    strips = cpu_tiles.make_checkpoint_strips(run, pair, s, parameters.T, tile, kept, short_rows, bounds=bounds)
    with run.phase("phase 1", strips.row_count, number=1) as phase:
        saving = StripCheckpoints(strips, phase)
        saving.restore_strips()
        cpu_strips.compute_strips(strips, phase, report=saving.report_and_save)
    run.times_ms["phase 1"] += saving.before_ms
    score, end, _ = cpu_strips.find_best_cell(strips)
    if bounds is not None:
        strips.bounds = bounds.restrict(0, 0, score)
    with run.phase("phase 2", sum(end), number=2) as phase:
        log = TileLog(phase, s)
        alignment = cpu_tiles.trace_path(CheckpointGrid(strips, tile), end, log)
    inside = sum(a.nbytes for a, stays in zip(kept, spilled_arrays.fits_in_memory(shapes, limit), strict=True) if stays)
    host_bytes = strips.nbytes - strips.bottoms.nbytes + inside + log.peak_bytes + 3 * alignment.operations.size
    answer = PairAnswer(score, alignment.end, alignment, strips.skipped_blocks)
    return Outcome(answer, run.times_ms, host_bytes, work=strips.computed_cells)


def _compile_kernels(code: str, two_pieces: bool) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    parameters = CheckpointedParameters(
        s=32, T=32, threads=1, precision="32", pruning="on", tile=32, checkpoint_memory=1
    )
    pair, short_rows = make_tiny_variant(code, two_pieces)
    _run_alignment(CpuRun(), pair, parameters, short_rows)
