"""Sizes of the bit-parallel methods on a GPU: words of a lane, slices of the sweep, bytes of every buffer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.bit_parallel.parameters import BitScoreParameters
from antidiag.kernels.pairwise.bit_parallel.word_sizes import GPU_LANES, GPU_WORD, LANE_DELAY, STATE_FIELDS
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.strips.cuda_sizes import EVENT_BYTES, STEP_BYTES, SweepSlice, cut_steps

SLICE_CELLS = 500_000_000_000
"""Cells of a launch: about 30 ms on an H200, and below 250 ms on a card with an eighth of its speed."""
LEAST_STEPS = 1024
"""Steps of a launch at least."""
SKEW = (LANE_DELAY + 1) * GPU_LANES
"""Steps by which a strip starts a slice behind its left neighbour: the lanes, and a boundary word in flight."""
LAG = 130
"""Steps that a strip runs behind its left neighbour: its lanes, a boundary word, and the way through the cache."""
WORD_CYCLES, STEP_CYCLES = 22, 18
"""Cycles of a scheduler for a word and for a step of a warp: two for each instruction on the arithmetic pipe."""
LATENCY_CYCLES, WORD_LATENCY_CYCLES = 60, 9
"""Cycles of a step of a lone warp: its chain of dependent instructions."""
WORD_CHOICES = (1, 2, 3, 4, 6, 8)
MOST_WARPS = 8
"""Warps of a scheduler at most."""
LEAST_TILE, KEPT_BYTES = 512, 2**30
"""Smallest tile, and bytes of kept rows for which a larger one is chosen."""
TILES_A_LAUNCH = 512
"""Tiles of a launch of phase 2: some 30 ms on an H200."""


def strip_columns(words: int) -> int:
    """Return the columns of a strip whose lanes have so many words."""
    return GPU_LANES * GPU_WORD * words


def choose_parameters(problem: PairProblem, multiprocessors: int) -> dict[str, Any]:
    """Choose words of a lane and threads of a block with the least expected time, and the tile."""
    schedulers = 4 * multiprocessors
    words = _choose_words(problem.rows, problem.columns, schedulers)
    strips = -(-problem.columns // strip_columns(words))
    together = min(-(-strips // schedulers), MOST_WARPS)
    tile = LEAST_TILE
    while tile < 2**16 and problem.cells // (4 * tile) > KEPT_BYTES:
        tile *= 2
    return {"words": words, "threads": 4 * GPU_LANES * together, "tile": tile}


@lru_cache(maxsize=1024)
def _choose_words(rows: int, columns: int, schedulers: int) -> int:
    """Return the words of a lane with the least expected time."""

    def cycles(words: int) -> float:
        strips = -(-columns // strip_columns(words))
        together, busy = -(-strips // schedulers), STEP_CYCLES + WORD_CYCLES * words
        if together > MOST_WARPS:
            return (rows * strips / schedulers + LAG * schedulers) * busy
        return (rows + LAG * strips) * max(LATENCY_CYCLES + WORD_LATENCY_CYCLES * words, together * busy)

    return min(WORD_CHOICES, key=cycles)


def sweep_steps(rows: int) -> int:
    """Return the steps of a strip: its rows in whole boundary words, and more for the last lane."""
    return (-(-rows // GPU_LANES) + LANE_DELAY) * GPU_LANES


def slice_steps(columns: int) -> int:
    """Return the steps of a launch."""
    return max(-(-SLICE_CELLS // columns // GPU_LANES) * GPU_LANES, LEAST_STEPS)


def make_slices(rows: int, columns: int, words: int) -> list[SweepSlice]:
    """Return the launches of a sweep, in order."""
    strips = -(-columns // strip_columns(words))
    return cut_steps(strips, sweep_steps(rows), SKEW, slice_steps(columns))


def crossing_words(rows: int) -> int:
    """Return the words of a whole boundary column."""
    return -(-rows // GPU_WORD) + 1


def crossing_capacity(rows: int, columns: int, whole: bool) -> int:
    """Return the words of a strip's boundary that are kept: all, or a ring that spans what is in flight."""
    every = crossing_words(rows)
    return every if whole else min(every, (slice_steps(columns) + SKEW) // GPU_WORD + 2)


def kept_row_count(rows: int, tile: int) -> int:
    """Return the number of kept rows; without a tile none."""
    return (rows - 1) // tile if tile else 0


def direction_words(tile: int, rows: int, words: int) -> int:
    """Return the 64-bit words of the directions of a tile."""
    return (min(tile, rows) + GPU_LANES) * GPU_LANES * words


def most_tiles(rows: int, strips: int, tile: int) -> int:
    """Return the most tiles that a path enters."""
    return -(-rows // tile) + strips


def estimate_memory(problem: PairProblem, parameters: BitScoreParameters, tile: int) -> Footprint:
    """Return the bytes of a run, with a path where ``tile`` is not 0."""
    m, n, words = problem.rows, problem.columns, parameters.words
    strips = -(-n // strip_columns(words))
    row_bytes = strips * strip_columns(words) // 4
    device = {
        "sequences": m + n,
        "match words": problem.used_letter_count * row_bytes // 2,
        "boundary columns": 8 * (strips * crossing_capacity(m, n, tile > 0) + crossing_words(m)),
        "rows": row_bytes * (1 + kept_row_count(m, tile)),
        "words between launches": strips * (2 * words + STATE_FIELDS) * GPU_LANES * 4,
        "step log": strips * EVENT_BYTES,
    }
    host = {"sequences": 2 * (m + n), "last row and column": row_bytes + 8 * crossing_words(m)}
    host["step log"] = strips * (EVENT_BYTES + STEP_BYTES)
    if tile:
        tiles = most_tiles(m, strips, tile)
        device |= {"directions": 8 * direction_words(tile, m, words), "path": m + n + tiles * (EVENT_BYTES + 16)}
        host |= {"path": m + n, "tile log": tiles * (EVENT_BYTES + STEP_BYTES + 16)}
    return Footprint(host, device)
