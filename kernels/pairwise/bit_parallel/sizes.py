"""Automatic parameters, work and memory of the bit-parallel methods, on both backends. Imports no compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.bit_parallel import cuda_sizes
from antidiag.kernels.pairwise.bit_parallel.parameters import BitAlignmentParameters, BitScoreParameters
from antidiag.kernels.pairwise.bit_parallel.word_sizes import (
    CPU_BLOCK_WORDS,
    CPU_LANES,
    CPU_STRIP,
    CPU_WORD,
    FIRST_BAND,
    band_cells,
    band_rows,
    boundary_words,
    tile_blocks,
)
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.processors import count_processors

LARGEST_TILE = 4096
"""Largest tile that is chosen: its directions take 9 MiB."""
KEPT_WORDS = 2**24
"""Words of kept rows and columns (128 MiB) for which larger tiles are chosen, where they are enough."""


def choose_parameters(problem: PairProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose all parameters: a thread for each processor, and tiles that keep few bytes a row."""
    if backend == "cuda":
        return cuda_sizes.choose_parameters(problem, multiprocessors or 1)
    tile = CPU_STRIP
    while tile < LARGEST_TILE and 4 * problem.cells // (tile * CPU_WORD) > KEPT_WORDS:
        tile *= 2
    return {"threads": count_processors(), "words": 1, "tile": tile}


def count_recomputed(problem: PairProblem, parameters: BitAlignmentParameters) -> int:
    """Return the most cells of phase 2: a tile for each row and column of tiles that the path enters."""
    m, n, tile = problem.rows, problem.columns, parameters.tile
    return min(m * min(tile, n) + n * min(tile, m), problem.cells)


def count_work(problem: PairProblem, parameters: BitAlignmentParameters) -> int:
    """Return the cells computed: each once, and those of tiles on the path again."""
    return problem.cells + count_recomputed(problem, parameters)


def count_least(problem: PairProblem, parameters: BitScoreParameters) -> int:
    """Return the cells for similar sequences: those of the narrowest band of the CPU, where paths begin in the corner.

    How wide the band must be is known when the distance is found. A GPU computes all cells.
    """
    ends = problem.free_ends
    if ends.first_start or ends.second_start:
        return problem.cells
    m, n = sorted((problem.rows, problem.columns))
    delta = 0 if ends.first_end or ends.second_end else n - m
    return min(band_cells(band_rows(m, n, FIRST_BAND, delta), n), problem.matrix_cells) * len(problem.variants)


def estimate_score_memory(problem: PairProblem, parameters: BitScoreParameters, backend: str) -> Footprint:
    """Return the bytes of BitParallelScore."""
    if backend == "cuda":
        return cuda_sizes.estimate_memory(problem, parameters, 0)
    return Footprint(_sweep_bytes(problem, parameters.threads))


def estimate_alignment_memory(problem: PairProblem, parameters: BitAlignmentParameters, backend: str) -> Footprint:
    """Return the bytes of BitParallel; a band that keeps less of the rows and columns takes less."""
    if backend == "cuda":
        return cuda_sizes.estimate_memory(problem, parameters, parameters.tile)
    m, n, tile = problem.rows, problem.columns, parameters.tile
    strips = -(-n // CPU_STRIP)
    kept = (strips - 1) * CPU_STRIP // tile * 2 * boundary_words(m) + (m - 1) // tile * strips * 2 * CPU_LANES
    tile_words = 2 * tile_blocks(m, n, tile) * CPU_BLOCK_WORDS + 4 * boundary_words(m)
    return Footprint(
        {
            **_sweep_bytes(problem, parameters.threads),
            "kept rows and columns": 8 * kept,
            "a tile computed again": 8 * tile_words,
            "path": 3 * (m + n),
        }
    )


def _sweep_bytes(problem: PairProblem, threads: int) -> dict[str, int]:
    """Return the bytes of the sweep: sequences, boundary columns in use, and what is kept of each strip."""
    m, n = problem.rows, problem.columns
    strips = -(-n // CPU_STRIP)
    return {
        "sequences": m + n + 3 * m,
        "boundary columns": 16 * boundary_words(m) * (min(threads + 1, strips) + 1),
        "strips": strips * (16 * CPU_LANES + 16 + 64 + 8 + 32),
        "step log": 250 * strips,
    }
