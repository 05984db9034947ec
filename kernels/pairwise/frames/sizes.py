"""Automatic parameters and memory of frame alignment. Imports no compiled code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.frames.model import FrameProblem
from antidiag.kernels.pairwise.frames.parameters import FrameParameters
from antidiag.kernels.pairwise.frames.segments import cut_segments, widest_segment
from antidiag.kernels.processors import count_processors

WARP_ROWS = 128
"""Amino acids of a strip on a GPU: four for each lane."""
GPU_LEAST_BASES, GPU_WARM_UPS = 2**11, 1
"""Segments are shorter on a GPU, so that there are many."""
LETTERS = 23


def choose_parameters(problem: FrameProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose the threads: one for each processor, or four warps of a block."""
    return {"threads": 128 if backend == "cuda" else count_processors()}


def estimate_memory(problem: FrameProblem, parameters: FrameParameters, backend: str) -> Footprint:
    """Return the bytes of a run; phase 2 needs most for the longest path there can be."""
    m, n = len(problem.protein), len(problem.dna)
    letters = min(LETTERS, m)
    host = {"sequences": m + 2 * n * len(problem.strands)}
    path = _path_bytes(problem, letters)
    if backend == "cuda":
        segments = cut_segments(problem, GPU_LEAST_BASES, GPU_WARM_UPS)
        width = widest_segment(problem, GPU_LEAST_BASES, GPU_WARM_UPS) + 1
        ends = len(segments) * -(-m // WARP_ROWS) * 32 * 16
        return Footprint(
            {**host, "ends": ends, "path": path},
            {"sequences": m + (n + 1) * len(problem.strands), "boundary rows": 8 * len(segments) * width, "ends": ends},
        )
    workers = min(parameters.threads, len(cut_segments(problem)))
    rows = 4 * (letters + 4) * widest_segment(problem) * workers
    return Footprint({**host, "segments, then the path": max(rows, path)})


def _path_bytes(problem: FrameProblem, letters: int) -> int:
    """Return the bytes of phase 2 for a path through the whole protein whose score is a third of the best one."""
    m = len(problem.protein)
    likely = problem.widest_path(m, m * max(int(problem.table.max()), 0) // 3)
    block = max(math.isqrt(m), 16)
    return 4 * likely * (letters + 2 * -(-m // block) + 3 * (min(block, m) + 1) + 4) + m + likely
