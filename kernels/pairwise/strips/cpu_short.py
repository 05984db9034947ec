"""What tiles in 16 bits are computed from (cpu_short_cells.py): letters, places in a table or a profile, and room."""

from __future__ import annotations

import numpy as np

from kernels.cpu import lookup
from kernels.cpu.simd import SHORT_LANES
from kernels.pairwise.encoding import Encoded
from kernels.pairwise.records import costs_of
from kernels.pairwise.strips.cpu_cells import in_lanes
from kernels.pairwise.strips.cpu_short_cells import ROOM_ROWS, ShortProblem
from kernels.pairwise.strips.cpu_sizes import SCORE_BLOCK, looks_up, tile_width

CACHE_LINE = 64


class Short:
    """A pair in 16 bits. ``table`` int16 (32): scores by row and column letter, or None where they do not fit."""

    def __init__(self, pair: Encoded, most_rows: int) -> None:
        self.pair, self.most_rows = pair, most_rows
        self.table: np.ndarray | None = None
        m, letters = pair.rows.size, pair.letters
        if lookup.LOOKS_UP and looks_up(pair.table):
            self.table = np.zeros(lookup.ENTRIES, np.int16)
            self.table[: letters * (letters + 1)].reshape(letters, -1)[:, :letters] = pair.table
            self.letters = np.zeros(m + 2 * SHORT_LANES, np.int16)
            self.letters[SHORT_LANES : SHORT_LANES + m] = pair.rows[::-1]
            self.letters *= letters + 1
        else:
            self.letters = np.zeros(m + 2 * SHORT_LANES, np.uint8)
            self.letters[SHORT_LANES : SHORT_LANES + m] = pair.rows

    def problem(self, columns: tuple[int, int]) -> ShortProblem:
        """A strip: its columns start + 1 .. end."""
        width = tile_width(columns[1] - columns[0])
        room = np.empty(ROOM_ROWS * width + SCORE_BLOCK + CACHE_LINE // 2, np.int16)
        first = -room.ctypes.data % CACHE_LINE // 2
        profile = self._profile(self.pair.columns[slice(*columns)], width)
        return ShortProblem(self.letters, profile, costs_of(self.pair), room[first:], self.most_rows)

    def _profile(self, columns: np.ndarray, width: int) -> np.ndarray:
        """Columns beyond the end score 0 with every letter."""
        if self.table is not None:
            places = np.full(width, self.pair.letters, np.int16)
            places[: columns.size] = columns
            return in_lanes(places, SHORT_LANES)
        scores = np.zeros((self.pair.letters, width + SHORT_LANES), np.int16)
        scores[:, : columns.size] = self.pair.table[:, columns]
        return scores.ravel()
