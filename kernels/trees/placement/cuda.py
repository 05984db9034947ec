"""Placed trees on the GPU: it finds the nearest earlier row of each row, most of the work; the host does the rest."""

from __future__ import annotations

from dataclasses import replace

import cupy
import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.alignment_columns.column_distances import DistanceModel
from antidiag.kernels.trees.distances.alignment_columns.cuda_columns import (
    FIRST_SLICE,
    THREADS,
    model_arguments,
    plane_defines,
    tile_side,
)
from antidiag.kernels.trees.distances.cuda_sources import COLUMNS
from antidiag.kernels.trees.distances.pair_tiles import LaunchSlices
from antidiag.kernels.trees.parameters import PlacementParameters
from antidiag.kernels.trees.placement.cpu import FEWEST, compile_placement, join_few, pack_taxa, place_taxa
from antidiag.kernels.trees.placement.problem import PlacedProblem


def solve_placement(
    problem: PlacedProblem, parameters: PlacementParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Place the rows of an alignment, or sequences by sketches of their words."""
    run = DeviceRun(monitor, steps)
    host = run.host_part(parameters.threads)
    run.compile_host_code(compile_placement)
    if problem.taxa < FEWEST:
        return join_few(problem, host)
    order, model = problem.order(), problem.make_model()
    with host.phase("letters"):
        packed = pack_taxa(problem, order, host)
    nearest = find_nearest(packed, problem.taxa, model, run)
    found = place_taxa(problem, order, packed, model, nearest, host)
    return replace(found, device_bytes=run.device_bytes)


def find_nearest(packed: np.ndarray, taxa: int, model: DistanceModel, run: DeviceRun) -> np.ndarray:
    """Return the nearest of the rows before each, int32 (rows,); ``packed`` is int32 (groups, words, planes, 16)."""
    groups, words, planes, lanes = packed.shape
    kernel = run.compile_kernel(COLUMNS, "find_nearest", **plane_defines(model.number, planes, is_double=False))
    by_planes = np.ascontiguousarray(packed.transpose(2, 1, 0, 3)).reshape(planes, words, groups * lanes)
    letters = run.upload_array(by_planes.view(np.uint32))
    least = run.upload_array(np.full(groups * lanes, np.inf))
    places = run.allocate_filled(groups * lanes, np.int32)
    side = tile_side(model)
    tiles = np.arange(-(-taxa // side))
    costs = (tiles.size - tiles) * side * side * words
    sizes = np.int32(taxa), np.int32(words), np.int32(groups * lanes)
    with run.time_phase("nearest"):
        for part in LaunchSlices(run, int(costs.sum()), FIRST_SLICE, "nearest", phase=2).split_items(costs):
            span = np.int32(part.start * side), np.int32(min(part.stop * side, taxa))
            grid = (int(tiles.size - part.start),)
            kernel(grid, (THREADS,), (letters, *sizes, *span, *model_arguments(model), least, places))
            cupy.cuda.get_current_stream().synchronize()
    return run.download_array(places)
