"""Inputs of 16-bit tiles (cpu_16bit_kernels.py): letters, a score table or profile, and work space."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu import table_lookup
from antidiag.kernels.cpu.aligned_arrays import allocate_aligned
from antidiag.kernels.cpu.simd import SHORT_LANES
from antidiag.kernels.pairwise.encoding import EncodedPair, make_tiny_pair
from antidiag.kernels.pairwise.kernel_records import pair_costs
from antidiag.kernels.pairwise.strips.cpu_16bit_kernels import ROOM_ROWS, SECOND_ROOM_ROWS, StripProblem16
from antidiag.kernels.pairwise.strips.cpu_16bit_states import SECOND_STATE_ROOM_ROWS, STATE_ROOM_ROWS
from antidiag.kernels.pairwise.strips.cpu_sizes import (
    LEAST_SHORT_ROWS,
    SCORE_BLOCK,
    TABLE_ENTRIES,
    fits_lookup_table,
    score_type,
    short_margin,
    tile_width,
)
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import to_lane_order
from antidiag.kernels.scoring import find_score_bounds


def kernel_variant(pair: EncodedPair, most_rows: int) -> str:
    """Return which compiled variant of phase 1 computes a pair.

    In 32 bits it is named by the type of its scores, in 16 bits it is "table" or "profile". ``most_rows`` as for
    `StripRun`.
    """
    if not most_rows:
        return str(np.dtype(score_type(pair.table)))
    return "table" if table_lookup.HAS_LOOKUP and fits_lookup_table(pair.table, pair.extend) else "profile"


def make_tiny_variant(code: str, two_pieces: bool = False) -> tuple[EncodedPair, int]:
    """Return the smallest pair that a variant computes, and the most rows of its 16-bit tiles."""
    if code in ("table", "profile"):
        letters = 1 if code == "table" else TABLE_ENTRIES
        return make_tiny_pair(letters=letters, two_pieces=two_pieces), LEAST_SHORT_ROWS
    return make_tiny_pair(np.iinfo(code).max >> 1, two_pieces=two_pieces), 0


class PairIn16Bits:
    """A pair in 16 bits; with ``states`` also its start states.

    ``table`` int16 (32): scores by row and column letter, or None where they do not fit.
    """

    def __init__(self, pair: EncodedPair, most_rows: int, states: bool = False) -> None:
        self.pair, self.most_rows, self.states = pair, most_rows, states
        self.table: np.ndarray | None = None
        m, letters = pair.rows.size, pair.letter_count
        self.scores = (pair.table + pair.extend).astype(np.int16)
        if kernel_variant(pair, most_rows) == "table":
            self.table = np.full(table_lookup.TABLE_SIZE, pair.extend, np.int16)
            self.table[: letters * (letters + 1)].reshape(letters, -1)[:, :letters] = self.scores
            parts = (pair.rows,) if states else (pair.rows[::2], pair.rows[1::2])
            halves = np.zeros((len(parts), parts[0].size + 2 * SHORT_LANES), np.int16)
            for half, rows in zip(halves, parts, strict=True):
                end = half.size - SHORT_LANES + 1
                half[end - rows.size : end] = rows[::-1]
            self.letters = halves.ravel() * np.int16(letters + 1)
        else:
            self.letters = np.zeros(m + 4 * SHORT_LANES, np.uint8)
            self.letters[2 * SHORT_LANES : 2 * SHORT_LANES + m] = pair.rows

    def strip_problem(self, columns: tuple[int, int]) -> StripProblem16:
        """Return the inputs of the strip of columns start + 1 .. end."""
        width = tile_width(columns[1] - columns[0])
        profile = self._make_profile(self.pair.columns[slice(*columns)], width)
        margin = short_margin(find_score_bounds(self.pair.table)[0], self.pair.gap_pieces)
        rows, second_rows = STATE_ROOM_ROWS if self.states else ROOM_ROWS, 0
        if self.pair.second is not None:
            second_rows = SECOND_STATE_ROOM_ROWS if self.states else SECOND_ROOM_ROWS
        room = allocate_aligned((rows + second_rows) * width + 2 * SCORE_BLOCK, np.int16)
        return StripProblem16(self.letters, profile, pair_costs(self.pair), room, margin, self.most_rows)

    def _make_profile(self, columns: np.ndarray, width: int) -> np.ndarray:
        """Return scores, or indices into the table; columns beyond the end score 0 with every letter."""
        if self.table is not None:
            places = np.full(width, self.pair.letter_count, np.int16)
            places[: columns.size] = columns
            profile = allocate_aligned(width, np.int16)
            profile[:] = to_lane_order(places, SHORT_LANES)
            return profile
        scores = np.full((self.pair.letter_count, width + SHORT_LANES), self.pair.extend, np.int16)
        scores[:, : columns.size] = self.scores[:, columns]
        return scores.ravel()
