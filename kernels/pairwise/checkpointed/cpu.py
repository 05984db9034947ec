"""CheckpointedAlignment on the CPU: a score sweep that keeps special rows and columns, then phase 2 (cpu_tiles.py).

Special columns and the special rows of a strip are complete as soon as the strip is. Those left of a finished special
column, that column, and the best cells of the strips before it are all that a run needs to continue from there; a long
run keeps them on disk (cpu_resuming.py).
"""

from __future__ import annotations

from functools import cache, partial

from antidiag.kernels.cpu.phase_times import PhaseClock, measure_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cpu_tiles, spilled_arrays
from antidiag.kernels.pairwise.checkpointed.cpu_resuming import StripCheckpoints
from antidiag.kernels.pairwise.checkpointed.cpu_tiles import CheckpointGrid, TileLog
from antidiag.kernels.pairwise.checkpointed.sizes import checkpoint_shapes
from antidiag.kernels.pairwise.encoding import EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
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
    times_ms = {"compilation": measure_ms(partial(_compile_kernels, kernel_variant(pair, short_rows))), "transfer": 0.0}
    answer, host_bytes = _run_alignment(pair, parameters, short_rows, monitor, steps, times_ms)
    return Outcome(answer, times_ms, host_bytes)


def _run_alignment(
    pair: EncodedPair,
    parameters: CheckpointedParameters,
    short_rows: int,
    monitor: Monitor,
    steps: StepLog,
    times_ms: dict[str, float],
) -> tuple[PairAnswer, int]:
    """Run both phases; return the answer and the bytes that were used on the host."""
    clock = PhaseClock(times_ms)
    s, tile, limit = parameters.s, parameters.rounded_tile, parameters.checkpoint_bytes
    shapes = checkpoint_shapes(pair.rows.size, pair.columns.size, s, tile)
    kept = spilled_arrays.allocate_arrays(shapes, limit)
    strips = cpu_tiles.make_checkpoint_strips(pair, s, parameters.T, parameters.threads, tile, kept, short_rows)
    saving = StripCheckpoints(strips, monitor, clock)
    saving.restore_strips()
    cpu_strips.compute_strips(strips, saving.saving_monitor(), steps, clock.started_ns)
    clock.end_phase("phase 1")
    times_ms["phase 1"] += saving.before_ms
    score, end, _ = cpu_strips.find_best_cell(strips)
    log = TileLog(monitor, steps, clock.started_ns, s)
    alignment = cpu_tiles.trace_path(CheckpointGrid(strips, tile), end, log)
    clock.end_phase("phase 2")
    inside = sum(a.nbytes for a, stays in zip(kept, spilled_arrays.fits_in_memory(shapes, limit), strict=True) if stays)
    host_bytes = strips.nbytes - strips.bottoms.nbytes + inside + log.peak_bytes + 3 * alignment.operations.size
    return PairAnswer(score, alignment.end, alignment), host_bytes


@cache
def _compile_kernels(code: str) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    parameters = CheckpointedParameters(s=32, T=32, threads=1, precision="32", tile=32, checkpoint_memory=1)
    pair, short_rows = make_tiny_variant(code)
    _run_alignment(pair, parameters, short_rows, Monitor(), StepLog(), {})
