"""Sizes of the striped methods on the CPU: strip width, batch, bytes. Imports no compiled code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import WORD_STRIDE, count_processors
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import PairStripParameters
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes

GapPieces = Sequence[tuple[int, int]]
"""Costs of opening a gap and of each of its letters, for every piece of the gap costs."""

MARGIN = 15
"""Rows that the lanes of a tile may touch, unread, before and after its own: one less than there are lanes."""
SLICE_ROWS = 4096
"""Rows of a slice of directions in phase 3."""
WIDTH_STEP = 32
"""Widths of tiles are multiples of this: 16 lanes of an even number of columns."""

LANES, SHORT_LANES = MARGIN + 1, 2 * (MARGIN + 1)
SCORE_BLOCK = SHORT_LANES * SHORT_LANES
"""Scores that are transposed at a time, where tiles are in 16 bits."""
LEAST_SHORT_ROWS, MOST_SHORT_ROWS = 64, 4096
"""Rows of a tile in 16 bits: with fewer, its beginning and end take most of the time."""
MOST_SHORT_SCORE = 2**13
"""Upper limit of scores plus costs in 16 bits, whatever the strip width."""
SHORT_PLACES = 2**13
"""Number of places of a 16-bit start state: more than a tile has rows or columns."""
TABLE_ENTRIES = 32
"""Scores that are looked up in a register, where tiles are in 16 bits."""
MOST_COLUMNS = 1024
BATCHES = (64, 128, 256, 512, 1024, 2048)
"""Batch sizes to choose from."""


@dataclass(frozen=True, slots=True)
class TileCost:
    """Time of a step beside its columns, in units of what one column of a step takes, about a nanosecond; rows that a
    tile costs beside its own; batches that are worth choosing from. Measured with AVX-512; only their ratios matter."""

    lanes: int
    step: float
    ramp_rows: int
    batches: tuple[int, ...] = BATCHES


WIDE_COST, SHORT_COST = TileCost(LANES, 7, 24), TileCost(SHORT_LANES, 3.5, 80, (*BATCHES, 4096))
STRIP_COST = 50_000
"""Time of a strip in Python, in the unit of TileCost."""


def count_strips(problem: PairProblem, s: int) -> int:
    """Return the number of strips of width ``s``; the last one may be narrower."""
    return -(-problem.columns // s)


def tile_width(columns: int) -> int:
    """Return the columns of the tile that computes ``columns`` columns."""
    return -(-columns // WIDTH_STEP) * WIDTH_STEP


def column_length(rows: int) -> int:
    """Return the cells of a boundary column: those of rows 0 .. rows, and a margin."""
    return rows + 1 + MARGIN


def score_type(scores: np.ndarray) -> type:
    """Return the narrowest type from which compiled code can read these scores."""
    narrow = np.iinfo(np.int8)
    return np.int8 if narrow.min <= scores.min() and scores.max() <= narrow.max else np.int32


def fits_lookup_table(scores: np.ndarray, extend: int) -> bool:
    """Return whether scores plus the extension cost, and one more for columns beyond the end, fit a table register."""
    narrow = np.iinfo(np.int8)
    fit = narrow.min <= scores.min() and scores.max() + extend <= narrow.max
    return bool(fit) and len(scores) * (len(scores) + 1) <= TABLE_ENTRIES


def short_margin(least: int, pieces: GapPieces) -> int:
    """Return how far below the floor numbers of a cell may lie on the way to its H; ``least`` is the least score."""
    return max(-least, *(opening + 2 * extend for opening, extend in pieces)) + 1


def most_16bit_rows(bounds: tuple[int, int], pieces: GapPieces, s: int) -> int:
    """Return the most rows of a tile of s columns whose values fit 16 bits; 0 where there are too few.

    ``bounds`` are the least and the greatest score (`kernels.scoring.find_score_bounds`).

    A path that ends d cells further on can be cut there and continued by a gap: it scores at most d (best score +
    extend) + open more than the best one that ends here, and at most d extend + open less. So the borders of a tile
    differ by at most the first, for s + rows cells around its corner, and once more by open. Inside it, H is at most a
    best score more for each row, and at most a gap across the tile less. The stored numbers rise by extend for each
    row. Of two ``pieces`` of gap costs, (open, extend) each, the greater costs of either bound both.
    """
    opening, extend = (max(costs) for costs in zip(*pieces, strict=True))
    least, best = bounds
    margin = short_margin(least, pieces)
    across = s * (best + 2 * extend) + 4 * opening + margin + 3 * SHORT_LANES * extend + SHORT_LANES
    rows = min((2**16 - across) // max(2 * (best + extend), 1), MOST_SHORT_ROWS) // 8 * 8
    return rows if rows >= LEAST_SHORT_ROWS and margin + best < MOST_SHORT_SCORE else 0


def chosen_16bit_rows(problem: PairProblem, parameters: PairStripParameters) -> int:
    """Return the most rows of a tile in 16 bits; 0 where 32 bits were chosen, or are needed."""
    scoring = problem.scoring
    wanted = parameters.precision == "16" and parameters.s < SHORT_PLACES
    return most_16bit_rows(scoring.score_bounds, scoring.gap_pieces, parameters.s) if wanted else 0


def slice_bytes(rows: int, width: int, values: int = 2) -> int:
    """Return the bytes of the directions of a slice of a tile; lanes start one after another.

    A cell has half a byte, or a byte where ``values``, H and the gap states of a cell, are three.
    """
    return (rows + MARGIN) * width * (values - 1) // 2


def part_bytes(rows: int, width: int, values: int = 2) -> int:
    """Return the bytes of phase 3 for a part of the path: directions, boundaries, operations."""
    slice_rows = min(max(rows, 1), SLICE_ROWS)
    directions = -(-rows // slice_rows) * slice_bytes(slice_rows, width, values)
    return directions + 8 * values * column_length(rows) + 2 * (rows + width)


def choose_score_parameters(problem: PairProblem, share: float = 1.0) -> dict[str, Any]:
    """Choose strip width, batch, threads and precision of StripedScore with the least expected time."""
    return choose_fastest_score(problem, path_rows=0, share=share)


def choose_alignment_parameters(problem: PairProblem) -> dict[str, Any]:
    """Choose the parameters of StripedAlignment, where a wide strip makes phase 3 longer."""
    return choose_fastest_score(problem, path_rows=problem.rows)


def choose_fastest_score(problem: PairProblem, path_rows: int, share: float = 1.0) -> dict[str, Any]:
    """Choose sizes of least expected time, in 16 bits where strips of any width fit, which is faster.

    Pruning leaves a ``share`` of the cells, and all of a block that has one of them.

    All threads share ``path_rows`` rows of a strip that are computed again. Strips that are wider than the matrix cost
    more than one of its width.
    """
    widest, scoring = min(tile_width(problem.columns), MOST_COLUMNS), problem.scoring
    widths = range(WIDTH_STEP, widest + 1, WIDTH_STEP)
    short = [s for s in widths if most_16bit_rows(scoring.score_bounds, scoring.gap_pieces, s)]
    chosen = _choose_fastest(problem, path_rows, share, SHORT_COST if short else WIDE_COST, short or widths)
    return {**chosen, "precision": "16" if short else "32"}


def _choose_fastest(
    problem: PairProblem, path_rows: int, share: float, cost: TileCost, widths: Sequence[int]
) -> dict[str, Any]:
    threads = count_processors()
    batches = [batch for batch in cost.batches if batch < problem.rows] or cost.batches[:1]
    candidates = itertools.product(widths, batches)
    s, batch = min(
        candidates, key=lambda sizes: _expected_time(problem, sizes[0], sizes[1], threads, path_rows, share, cost)
    )
    return {"s": s, "T": batch, "threads": threads}


def _expected_time(
    problem: PairProblem, s: int, batch: int, threads: int, path_rows: int, share: float, cost: TileCost
) -> float:
    """Return the expected time in units of one column of a lane.

    Strips run in rounds, each worker a batch behind the one before it.
    """
    count = count_strips(problem, s)
    workers = min(threads, count)
    step = s / cost.lanes + cost.step
    computed = min(1.0, share + (s + batch) / problem.columns) if share < 1 else 1.0
    rows = computed * (problem.rows + -(-problem.rows // batch) * cost.ramp_rows)
    phase_1 = (-(-count // workers) * rows + (workers - 1) * (batch + cost.ramp_rows)) * step
    return phase_1 + path_rows * (s / LANES + WIDE_COST.step) / workers + count * STRIP_COST


def estimate_score_memory(problem: PairProblem, parameters: PairStripParameters) -> Footprint:
    """Return the bytes of StripedScore: one boundary column more than threads, used in turn."""
    return Footprint(
        host={
            **strip_bytes(problem, parameters, every_boundary=False),
            **pruning_sizes.footprint(problem, parameters, block_rows(problem, parameters)),
        }
    )


def block_rows(problem: PairProblem, parameters: PairStripParameters) -> int:
    """Return the rows of a block: those of a batch, or of a tile in 16 bits."""
    return min(parameters.T, chosen_16bit_rows(problem, parameters) or parameters.T)


def estimate_alignment_memory(problem: PairProblem, parameters: PairStripParameters) -> Footprint:
    """Return the bytes of StripedAlignment, where every thread recomputes a part as high as the matrix."""
    parts = count_strips(problem, parameters.s)
    return Footprint(host=_alignment_bytes(problem, parameters, parameters.starts_at_first_row, parts, problem.rows))


def estimate_chunked_memory(problem: PairProblem, parameters: PairStripParameters, chunks: int) -> Footprint:
    """Return the bytes of ChunkedAlignment1 or 2 (``chunks``); a part of the second fits in a chunk."""
    count, bottoms = count_strips(problem, parameters.s), (problem.rows - 1) // parameters.chunk_height
    parts, part_rows = count, problem.rows
    if chunks == 2:
        parts, part_rows = count + bottoms, min(problem.rows, parameters.chunk_height)
    return Footprint(
        host={
            **_alignment_bytes(problem, parameters, True, parts, part_rows),
            "chunk rows": 4 * problem.value_count * chunks * bottoms * count * parameters.s,
        }
    )


def _alignment_bytes(
    problem: PairProblem, parameters: PairStripParameters, every_boundary: bool, parts: int, part_rows: int
) -> dict[str, int]:
    """Return the bytes of an alignment whose path has at most ``parts`` parts of at most ``part_rows`` rows."""
    return {
        **strip_bytes(problem, parameters, every_boundary),
        "local start states": count_strips(problem, parameters.s) * _column_bytes(problem),
        "directions": min(parameters.threads, parts) * part_bytes(part_rows, parameters.s, problem.value_count),
        "path": 3 * (problem.rows + problem.columns),
    }


def _column_bytes(problem: PairProblem) -> int:
    return 4 * problem.value_count * column_length(problem.rows)


def strip_bytes(problem: PairProblem, parameters: PairStripParameters, every_boundary: bool) -> dict[str, int]:
    """Return the bytes of the strips themselves; the first boundary column is the border of the matrix."""
    count = count_strips(problem, parameters.s)
    kept = count if every_boundary else min(parameters.threads + 1, count)
    short = chosen_16bit_rows(problem, parameters) > 0
    return {
        "letters": 4 * (problem.rows + problem.columns) + 2 * 16 + 2 * short * (problem.rows + 4 * SHORT_LANES + 1),
        "strips": count * (8 * WORD_STRIDE + 16),
        "boundary columns": (kept + 1) * _column_bytes(problem),
    }
