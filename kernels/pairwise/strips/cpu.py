"""The striped and chunked methods on the CPU (001, sections IV and V)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import Encoded, encode
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import StripParameters
from antidiag.kernels.pairwise.strips import cpu_path, cpu_strips, path
from antidiag.kernels.pairwise.strips.cpu_short import code_of, tiny_pair_of
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_short_rows, column_length, part_bytes
from antidiag.kernels.pairwise.strips.cpu_strips import Strips
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


def striped_score(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best score and the cell where it ends; boundary columns are reused as soon as they were read."""
    pair = encode(problem)
    chosen = typed(StripParameters, parameters)
    short_rows = chosen_short_rows(problem, chosen)
    times_ms = {"compilation": time_ms(partial(_compiled, code_of(pair, short_rows), False)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    strips = _strips(pair, chosen, states=False, all_values=False, short_rows=short_rows)
    cpu_strips.compute(strips, monitor, steps, clock.started_ns)
    clock.phase("phase 1")
    score, end, _ = cpu_strips.best_cell(strips)
    return Outcome(pair.answer(score, end), times_ms, strips.nbytes)


def striped_alignment(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment by StripedAlignment (section V.A)."""
    chosen = typed(StripParameters, parameters)
    return _align(problem, chosen, monitor, steps, 0, true_values=chosen.from_first_row)


def chunked_alignment_1(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment by ChunkedAlignment1 (section V.B)."""
    return _align(problem, typed(StripParameters, parameters), monitor, steps, 2, true_values=True)


def chunked_alignment_2(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best alignment by ChunkedAlignment2 (section V.C)."""
    return _align(problem, typed(StripParameters, parameters), monitor, steps, 4, true_values=True)


def _align(
    problem: PairProblem,
    parameters: StripParameters,
    monitor: Monitor,
    steps: Steps,
    chunk_parts: int,
    true_values: bool,
) -> Outcome:
    """Boundaries with start states, then the parts of the path, then their operations.

    ``chunk_parts`` as in Strips, ``true_values`` as in cpu_path.compute.
    """
    pair = encode(problem)
    short_rows = chosen_short_rows(problem, parameters)
    times_ms = {"compilation": time_ms(partial(_all_compiled, pair, short_rows)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    strips = _strips(
        pair, parameters, states=True, all_values=true_values, chunk_parts=chunk_parts, short_rows=short_rows
    )
    assert strips.states is not None
    cpu_strips.compute(strips, monitor, steps, clock.started_ns)
    clock.phase("phase 1")
    score, end, state = cpu_strips.best_cell(strips)
    states = path.StartStates(strips.states, strips.bottoms[:, :, 2:], strips.s, strips.h)
    parts = path.sub_paths(states, end, state)
    clock.phase("phase 2")
    pieces = cpu_path.compute(strips, parts, true_values, monitor, steps, clock.started_ns)
    alignment = path.joined(pair, parts, pieces)
    clock.phase("phase 3")
    heights = sorted(part.end_row - cpu_path.row_above(strips, part, true_values) for part in parts)
    recomputed = sum(part_bytes(height, strips.s) for height in heights[-strips.workers :])
    return Outcome(PairAnswer(score, alignment.end, alignment), times_ms, strips.nbytes + recomputed)


def _strips(
    pair: Encoded,
    parameters: StripParameters,
    states: bool,
    all_values: bool,
    chunk_parts: int = 0,
    short_rows: int = 0,
) -> Strips:
    count = -(-pair.columns.size // parameters.s)
    kept = count if all_values else min(parameters.threads + 1, count)
    length = column_length(pair.rows.size)
    return Strips(
        pair=pair,
        s=parameters.s,
        batch=parameters.T,
        workers=parameters.threads,
        values=np.empty((kept, 2, length), np.int32),
        states=np.empty((count, 2, length), np.int32) if states else None,
        h=parameters.h,
        chunk_parts=chunk_parts,
        short_rows=short_rows,
    )


def _all_compiled(pair: Encoded, short_rows: int) -> None:
    """Have phases 1 and 3 of an alignment compiled; the latter is in 32 bits."""
    _compiled(code_of(pair, short_rows), True)
    _path_compiled(code_of(pair, 0))


@cache
def _compiled(code: str, alignment: bool) -> None:
    """Compile phase 1, or load it from the cache folder, by running it on a tiny pair."""
    pair, short_rows = tiny_pair_of(code)
    parameters = StripParameters(s=32, T=32, threads=1)
    strips = _strips(pair, parameters, alignment, all_values=alignment, short_rows=short_rows)
    cpu_strips.compute(strips, Monitor(), Steps(), 0)


@cache
def _path_compiled(code: str) -> None:
    """Compile phase 3."""
    pair, _ = tiny_pair_of(code)
    strips = _strips(pair, StripParameters(s=32, T=32, threads=1), states=False, all_values=True)
    strips.values[:] = 0
    parts = [path.SubPath(0, path.KIND_H, 0, 1, 1, path.KIND_H)]
    for true_values in (False, True):
        cpu_path.compute(strips, parts, true_values, Monitor(), Steps(), 0)
