"""CheckpointedAlignment on the CPU: the score sweep that keeps special rows and columns, then phase 2 (cpu_tiles.py).

Special columns and the special rows of a strip are complete as soon as the strip is: those on the left of a finished
special column, that column, and the best cells of the strips before it are all that is needed to go on from there. A
long run keeps them on disk (cpu_saving.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cpu_tiles, spill
from antidiag.kernels.pairwise.checkpointed.cpu_saving import Saving
from antidiag.kernels.pairwise.checkpointed.cpu_tiles import Grid, Log
from antidiag.kernels.pairwise.checkpointed.sizes import kept_shapes
from antidiag.kernels.pairwise.encoding import Encoded, encode
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.pairwise.strips import cpu_strips
from antidiag.kernels.pairwise.strips.cpu_short import code_of, tiny_pair_of
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_short_rows
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


def checkpointed_alignment(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """The best alignment; DiskFull where checkpoints have to go to a disk that cannot take them."""
    pair = encode(problem)
    chosen = typed(CheckpointedParameters, parameters)
    short_rows = chosen_short_rows(problem, chosen)
    times_ms = {"compilation": time_ms(partial(_compiled, code_of(pair, short_rows))), "transfer": 0.0}
    answer, host_bytes = _align(pair, chosen, short_rows, monitor, steps, times_ms)
    return Outcome(answer, times_ms, host_bytes)


def _align(
    pair: Encoded,
    parameters: CheckpointedParameters,
    short_rows: int,
    monitor: Monitor,
    steps: Steps,
    times_ms: dict[str, float],
) -> tuple[PairAnswer, int]:
    clock = PhaseClock(times_ms)
    s, tile, limit = parameters.s, parameters.whole_tile, parameters.checkpoint_bytes
    shapes = kept_shapes(pair.rows.size, pair.columns.size, s, tile)
    kept = spill.allocate(shapes, limit)
    strips = cpu_tiles.keeping(pair, s, parameters.T, parameters.threads, tile, kept, short_rows)
    saving = Saving(strips, monitor, clock)
    saving.take_over()
    cpu_strips.compute(strips, saving.watching(), steps, clock.started_ns)
    clock.phase("phase 1")
    times_ms["phase 1"] += saving.before_ms
    score, end, _ = cpu_strips.best_cell(strips)
    log = Log(monitor, steps, clock.started_ns, s)
    alignment = cpu_tiles.path(Grid(strips, tile), end, log)
    clock.phase("phase 2")
    inside = sum(a.nbytes for a, stays in zip(kept, spill.in_memory(shapes, limit), strict=True) if stays)
    host_bytes = strips.nbytes - strips.bottoms.nbytes + inside + log.peak_bytes + 3 * alignment.operations.size
    return PairAnswer(score, alignment.end, alignment), host_bytes


@cache
def _compiled(code: str) -> None:
    """Compile, or load from the cache folder, by running on a tiny pair."""
    parameters = CheckpointedParameters(s=32, T=32, threads=1, tile=32, checkpoint_memory=1)
    pair, short_rows = tiny_pair_of(code)
    _align(pair, parameters, short_rows, Monitor(), Steps(), {})
