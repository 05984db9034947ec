"""Sizes of the striped methods on the CPU: strip width, batch, bytes. Imports no compiled code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import StripParameters

MARGIN = 15
"""Rows that the lanes of a tile may touch, unread, before and after its own: one less than there are lanes."""
SLICE_ROWS = 4096
"""Rows whose directions are kept together in phase 3."""
WIDTH_STEP = 32
"""Widths of tiles are multiples of this: 16 lanes of an even number of columns."""
WORD = 8
"""Distance of progress words in int64: each has a cache line of its own."""

LANES, SHORT_LANES = MARGIN + 1, 2 * (MARGIN + 1)
SCORE_BLOCK = SHORT_LANES * SHORT_LANES
"""Scores that are transposed at a time, where tiles are in 16 bits."""
LEAST_SHORT_ROWS, MOST_SHORT_ROWS = 64, 4096
"""Rows of a tile in 16 bits: with fewer, its beginning and end take most of the time."""
MOST_SHORT_SCORE = 2**13
"""What scores and costs together stay below in 16 bits, whatever the width."""
SHORT_PLACES = 2**13
"""Places of a start state in 16 bits: more than a tile has rows, or columns."""
TABLE_ENTRIES = 32
"""Scores that are looked up in a register, where tiles are in 16 bits."""
MOST_COLUMNS = 1024
BATCHES = (64, 128, 256, 512, 1024, 2048)
"""Batches that are worth choosing from."""


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
"""Time of a strip in Python, in the same unit."""


def strips(problem: PairProblem, s: int) -> int:
    """Number of strips of width ``s``; the last one may be narrower."""
    return -(-problem.columns // s)


def tile_width(columns: int) -> int:
    """Columns of the tile that computes so many."""
    return -(-columns // WIDTH_STEP) * WIDTH_STEP


def column_length(rows: int) -> int:
    """Cells of a boundary column: those of rows 0 .. rows, and a margin."""
    return rows + 1 + MARGIN


def score_type(scores: np.ndarray) -> type:
    """The narrowest type that compiled code can read these scores from."""
    narrow = np.iinfo(np.int8)
    return np.int8 if narrow.min <= scores.min() and scores.max() <= narrow.max else np.int32


def looks_up(scores: np.ndarray, extend: int) -> bool:
    """Whether scores, with the cost of extending a gap, and one more for the columns beyond the end fit in the table of
    a register."""
    narrow = np.iinfo(np.int8)
    fit = narrow.min <= scores.min() and scores.max() + extend <= narrow.max
    return bool(fit) and len(scores) * (len(scores) + 1) <= TABLE_ENTRIES


def short_margin(scores: np.ndarray, open: int, extend: int) -> int:
    """How far below the floor numbers of a cell may lie on the way to its H."""
    return max(-int(scores.min(initial=0)), open + 2 * extend) + 1


def short_rows(scores: np.ndarray, open: int, extend: int, s: int) -> int:
    """Most rows of a tile of s columns whose values differ so little that 16 bits hold them; 0 where there are too few.

    A path that ends d cells further on can be cut there and continued by a gap: it scores at most d (best score +
    extend) + open more than the best one that ends here, and at most d extend + open less. So the borders of a tile
    differ by at most the first, for s + rows cells around its corner, and once more by open. Inside it, H is at most
    a best score more for each row, and at most a gap across the tile less. The numbers that are kept rise by extend
    for each row.
    """
    best, margin = max(int(scores.max(initial=0)), 0), short_margin(scores, open, extend)
    across = s * (best + 2 * extend) + 4 * open + margin + 3 * SHORT_LANES * extend + SHORT_LANES
    rows = min((2**16 - across) // max(2 * (best + extend), 1), MOST_SHORT_ROWS) // 8 * 8
    return rows if rows >= LEAST_SHORT_ROWS and margin + best < MOST_SHORT_SCORE else 0


def chosen_short_rows(problem: PairProblem, parameters: StripParameters) -> int:
    """Most rows of a tile in 16 bits; 0 where 32 bits were asked for, or are needed."""
    scoring = problem.scoring
    wanted = parameters.precision == "16" and parameters.s < SHORT_PLACES
    return short_rows(scoring.scores, scoring.open, scoring.extend, parameters.s) if wanted else 0


def slice_bytes(rows: int, width: int) -> int:
    """Bytes of the directions of a slice of a tile: half a byte a cell, lanes starting and ending one after another."""
    return (rows + MARGIN) * width // 2


def part_bytes(rows: int, width: int) -> int:
    """Bytes that phase 3 needs for a part of the path: directions, boundaries, operations."""
    slice_rows = min(max(rows, 1), SLICE_ROWS)
    directions = -(-rows // slice_rows) * slice_bytes(slice_rows, width)
    return directions + 16 * column_length(rows) + 2 * (rows + width)


def score_automatic(problem: PairProblem) -> dict[str, Any]:
    """Strip width, batch, threads and precision of least expected time."""
    return fastest_score(problem, path_rows=0)


def alignment_automatic(problem: PairProblem) -> dict[str, Any]:
    """Strip width, batch, threads and precision for StripedAlignment, where a wide strip makes phase 3 longer."""
    return fastest_score(problem, path_rows=problem.rows)


def fastest_score(problem: PairProblem, path_rows: int) -> dict[str, Any]:
    """Sizes of least expected time, in 16 bits where strips of any width can be computed in them, which is faster.

    All threads share ``path_rows`` rows of a strip again.
    """
    widths, scoring = range(WIDTH_STEP, MOST_COLUMNS + 1, WIDTH_STEP), problem.scoring
    short = [s for s in widths if short_rows(scoring.scores, scoring.open, scoring.extend, s)]
    chosen = _fastest(problem, path_rows, SHORT_COST if short else WIDE_COST, short or widths)
    return {**chosen, "precision": "16" if short else "32"}


def _fastest(problem: PairProblem, path_rows: int, cost: TileCost, widths: Sequence[int]) -> dict[str, Any]:
    threads = cores()
    batches = [batch for batch in cost.batches if batch < problem.rows] or cost.batches[:1]
    candidates = itertools.product(widths, batches)
    s, batch = min(candidates, key=lambda sizes: _expected_time(problem, sizes[0], sizes[1], threads, path_rows, cost))
    return {"s": s, "T": batch, "threads": threads}


def _expected_time(problem: PairProblem, s: int, batch: int, threads: int, path_rows: int, cost: TileCost) -> float:
    """Time in units of one column of a lane: strips in rounds, each worker a batch behind the one before it."""
    count = strips(problem, s)
    workers = min(threads, count)
    step = s / cost.lanes + cost.step
    rows = problem.rows + -(-problem.rows // batch) * cost.ramp_rows
    phase_1 = (-(-count // workers) * rows + (workers - 1) * (batch + cost.ramp_rows)) * step
    return phase_1 + path_rows * (s / LANES + WIDE_COST.step) / workers + count * STRIP_COST


def score_footprint(problem: PairProblem, parameters: StripParameters) -> Footprint:
    """Bytes of StripedScore: boundary columns in turn, one more than threads."""
    return Footprint(host=common(problem, parameters, every_boundary=False))


def alignment_footprint(problem: PairProblem, parameters: StripParameters) -> Footprint:
    """Bytes of StripedAlignment, where every thread recomputes a part as high as the matrix."""
    parts = strips(problem, parameters.s)
    return Footprint(host=_alignment(problem, parameters, parameters.from_first_row, parts, problem.rows))


def chunked_footprint(problem: PairProblem, parameters: StripParameters, chunks: int) -> Footprint:
    """Bytes of ChunkedAlignment1 or 2, as ``chunks`` says: a part of the second is never higher than a chunk."""
    count, bottoms = strips(problem, parameters.s), (problem.rows - 1) // parameters.h
    parts, part_rows = count, problem.rows
    if chunks == 2:
        parts, part_rows = count + bottoms, min(problem.rows, parameters.h)
    return Footprint(
        host={
            **_alignment(problem, parameters, True, parts, part_rows),
            "chunk rows": 8 * chunks * bottoms * count * parameters.s,
        }
    )


def _alignment(
    problem: PairProblem, parameters: StripParameters, every_boundary: bool, parts: int, part_rows: int
) -> dict[str, int]:
    """Bytes of an alignment whose path has at most so many parts of at most so many rows, one a thread at a time."""
    return {
        **common(problem, parameters, every_boundary),
        "local start states": strips(problem, parameters.s) * _column_bytes(problem),
        "directions": min(parameters.threads, parts) * part_bytes(part_rows, parameters.s),
        "path": 3 * (problem.rows + problem.columns),
    }


def _column_bytes(problem: PairProblem) -> int:
    return 8 * column_length(problem.rows)


def common(problem: PairProblem, parameters: StripParameters, every_boundary: bool) -> dict[str, int]:
    """Bytes of the strips themselves; the first boundary column is the border of the matrix."""
    count = strips(problem, parameters.s)
    kept = count if every_boundary else min(parameters.threads + 1, count)
    short = chosen_short_rows(problem, parameters) > 0
    return {
        "letters": 4 * (problem.rows + problem.columns) + 2 * 16 + 2 * short * (problem.rows + 4 * SHORT_LANES + 1),
        "strips": count * (8 * WORD + 16),
        "boundary columns": (kept + 1) * _column_bytes(problem),
    }
