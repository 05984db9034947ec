"""CheckpointedAlignment on the GPU: a score sweep that keeps special rows and columns, then tiles along the path.

A tile between special rows and columns is swept again with local start states, only down to the cell where the path
leaves it. Its borders hold true values, so every choice, ties included, is that of the whole matrix. What is found
are the sub-paths of strips; phase 3 of the striped methods computes all of them in parallel at the end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from kernels.model import LEFT, UP, Outcome, PairProblem
from kernels.monitor import Monitor
from kernels.pairwise import cuda_checkpoint_sizes as sizes
from kernels.pairwise import cuda_checkpoints, cuda_job, cuda_path, cuda_sweep
from kernels.pairwise.checkpointed_sizes import MIB, whole_strips
from kernels.pairwise.cuda_checkpoints import Checkpoints
from kernels.pairwise.cuda_job import LANES, Job
from kernels.pairwise.cuda_sweep import IN_G, IN_H, IN_K, Best, Kept
from kernels.steps import Steps

FROM_H, FROM_K, NEW_PATH, TOP_H, TOP_G = range(5)
"""Kinds of start states (states.cuh)."""
ENDS_IN = {FROM_H: IN_H, FROM_K: IN_K, TOP_H: IN_H, TOP_G: IN_G}


def checkpointed_alignment(
    problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """CheckpointedAlignment on the current device; DiskFull where the disk cannot take what has to go there."""
    job = cuda_job.begin(problem, parameters, monitor, steps)
    size, limit = (job.encoded.rows.size, job.encoded.columns.size), parameters["checkpoint_memory"] * MIB
    layout = sizes.layout(*size, job.s, job.batch, whole_strips(parameters["tile"], job.s), limit)
    start, operations = (0, 0), np.empty(0, np.uint8)
    with cuda_checkpoints.checkpoints(job, layout) as checkpoints:
        best = checkpoints.sweep()
        if best.end != (0, 0):
            paths, rest = _follow(job, checkpoints, best)
            narrow = replace(job, s=sizes.tile_strip_width(job.s))
            start, operations = cuda_path.compute(narrow, _nothing_kept(), paths, rest)
    alignment = job.encoded.alignment(start, best.end, operations)
    answer = job.encoded.answer(best.score, best.end, alignment)
    return Outcome(answer, job.times_ms, job.host_bytes + checkpoints.host_bytes, job.device_bytes)


def _follow(job: Job, checkpoints: Checkpoints, best: Best) -> tuple[np.ndarray, np.ndarray]:
    """Phase 2: sub-paths from the last to the first, and the operations along the border that remain."""
    found: list[np.ndarray] = []
    (row, column), end_in = best.end, IN_H
    total = row + column
    while row and column:
        job.monitor.update(total - row - column, total, "phase 2")
        paths = _tile(job, checkpoints, (row, column), end_in)
        found.append(paths)
        last = paths[-1]
        if last["kind"] == NEW_PATH:
            return np.concatenate(found), np.empty(0, np.uint8)
        row = int(last["start_row"])
        column = int(last["strip"]) * sizes.tile_strip_width(job.s) + int(last["start_column"])
        end_in = ENDS_IN[int(last["kind"])]
    rest = np.full(0 if job.encoded.local else row + column, UP if row else LEFT, np.uint8)
    return np.concatenate(found), rest


def _tile(job: Job, checkpoints: Checkpoints, end: tuple[int, int], end_in: int) -> np.ndarray:
    """Sub-paths of the path that ends in a cell, back to where it leaves the cell's tile; in whole coordinates."""
    tile, encoded = checkpoints.layout.tile, job.encoded
    (band, row), (segment, column) = ((index, index * tile) for index in ((end[0] - 1) // tile, (end[1] - 1) // tile))
    rows, columns = slice(row, end[0]), slice(column, end[1])
    letters, others, table = job.sequences
    width = sizes.tile_strip_width(job.s)
    part = replace(
        job,
        encoded=replace(encoded, rows=encoded.rows[rows], columns=encoded.columns[columns]),
        s=width,
        threads=sizes.TILE_THREADS,
        sequences=(letters[rows], others[columns], table),
        borders=checkpoints.borders(band, segment, end[0] - row, end[1] - column),
        steps=Steps(),
        quiet=True,
    )
    began_ns = time.perf_counter_ns() - job.began_ns
    kept, best = cuda_sweep.tile_states(part, end_in)
    paths = cuda_path.link(part, kept, best, end_in, TILE=1)
    ended_ns = time.perf_counter_ns() - job.began_ns
    job.steps.add(2, band, (row, end[0]), (column, end[1]), segment, began_ns, ended_ns)
    paths["start_row"] += row
    paths["end_row"] += row
    paths["strip"] += column // width
    return paths


def _nothing_kept() -> Kept:
    """Phase 3 from start states alone needs no values."""
    nothing = cupy.empty((0, LANES, 2), np.int32)
    return Kept(0, False, nothing, nothing, nothing, nothing, 1, 0)
