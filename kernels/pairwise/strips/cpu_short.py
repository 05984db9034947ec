"""What tiles in 16 bits are computed from (cpu_short_cells.py): letters, places in a table or a profile, and room."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu import lookup
from antidiag.kernels.cpu.simd import SHORT_LANES
from antidiag.kernels.pairwise.encoding import Encoded, tiny_pair
from antidiag.kernels.pairwise.records import costs_of
from antidiag.kernels.pairwise.strips.cpu_cells import in_lanes
from antidiag.kernels.pairwise.strips.cpu_short_cells import ROOM_ROWS, ShortProblem
from antidiag.kernels.pairwise.strips.cpu_short_states import STATE_ROOM_ROWS
from antidiag.kernels.pairwise.strips.cpu_sizes import (
    LEAST_SHORT_ROWS,
    SCORE_BLOCK,
    TABLE_ENTRIES,
    looks_up,
    score_type,
    short_margin,
    tile_width,
)

CACHE_LINE = 64


def code_of(pair: Encoded, most_rows: int) -> str:
    """Which of the compiled functions of phase 1 compute a pair: those that read scores of this type, or in 16 bits
    those with a table or a profile. ``most_rows`` as for Strips."""
    if not most_rows:
        return str(np.dtype(score_type(pair.table)))
    return "table" if lookup.LOOKS_UP and looks_up(pair.table, pair.extend) else "profile"


def tiny_pair_of(code: str) -> tuple[Encoded, int]:
    """The smallest problem that is computed by this code, and the most rows of its tiles in 16 bits."""
    if code in ("table", "profile"):
        return tiny_pair(letters=1 if code == "table" else TABLE_ENTRIES), LEAST_SHORT_ROWS
    return tiny_pair(np.iinfo(code).max >> 1), 0


class Short:
    """A pair in 16 bits, and with ``states`` start states beside values. ``table`` int16 (32): scores by row and column
    letter, or None where they do not fit."""

    def __init__(self, pair: Encoded, most_rows: int, states: bool = False) -> None:
        self.pair, self.most_rows, self.states = pair, most_rows, states
        self.table: np.ndarray | None = None
        m, letters = pair.rows.size, pair.letters
        self.scores = (pair.table + pair.extend).astype(np.int16)
        if code_of(pair, most_rows) == "table":
            self.table = np.full(lookup.ENTRIES, pair.extend, np.int16)
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

    def problem(self, columns: tuple[int, int]) -> ShortProblem:
        """A strip: its columns start + 1 .. end."""
        width = tile_width(columns[1] - columns[0])
        profile = self._profile(self.pair.columns[slice(*columns)], width)
        margin = short_margin(self.pair.table, self.pair.open, self.pair.extend)
        room = _aligned((STATE_ROOM_ROWS if self.states else ROOM_ROWS) * width + 2 * SCORE_BLOCK)
        return ShortProblem(self.letters, profile, costs_of(self.pair), room, margin, self.most_rows)

    def _profile(self, columns: np.ndarray, width: int) -> np.ndarray:
        """Scores, or places of them; columns beyond the end score 0 with every letter."""
        if self.table is not None:
            places = np.full(width, self.pair.letters, np.int16)
            places[: columns.size] = columns
            profile = _aligned(width)
            profile[:] = in_lanes(places, SHORT_LANES)
            return profile
        scores = np.full((self.pair.letters, width + SHORT_LANES), self.pair.extend, np.int16)
        scores[:, : columns.size] = self.scores[:, columns]
        return scores.ravel()


def _aligned(count: int) -> np.ndarray:
    """So many numbers of 16 bits, from the beginning of a cache line on: vectors then never lie in two."""
    room = np.empty(count + CACHE_LINE // 2, np.int16)
    first = -room.ctypes.data % CACHE_LINE // 2
    return room[first : first + count]
