"""What the dot plot shows of a pair, computed away from the GUI thread. No Qt here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.dotplot_sizes import nbytes

Span = tuple[int, int]

RUN_CELLS = 2**24
"""A window of at most so many cells shows its matches themselves, unless they are more than MOST_RUNS."""
MOST_RUNS = 5000
SHADES = 15
"""Shades of each strand beside none; two of them make a uint8."""
FAINTEST = 0.3
"""Opacity of a single match in a pixel that many cells share."""


@dataclass(frozen=True, eq=False)
class Survey:
    """The index of the words of a pair, and a picture of all of it."""

    index: Any
    overview: Part


@dataclass(frozen=True, eq=False)
class Part:
    """A window of half-open ranges of cells.

    ``density`` counts matches by pixel, in at most ``pixels`` pixels down and across; ``runs`` are the matches
    themselves where there are few. ``tones`` is uint8, 16 x the shade of the forward matches + the shade of the others.
    """

    rows: Span
    columns: Span
    pixels: Span
    density: Any
    runs: Any
    tones: np.ndarray

    def holds(self, rows: Span, columns: Span) -> bool:
        inside = self.rows[0] <= rows[0] and rows[1] <= self.rows[1]
        return inside and self.columns[0] <= columns[0] and columns[1] <= self.columns[1]

    def counts_at(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Forward and other matches in the pixel of a cell of this window."""
        shape = self.density.forward.shape
        spans = zip(cell, (self.rows, self.columns), shape, strict=True)
        place = tuple(((x - span[0] + 1) * pixels - 1) // (span[1] - span[0]) for x, span, pixels in spans)
        return int(self.density.forward[place]), int(self.density.reverse[place])

    def run_at(self, cell: tuple[int, int]) -> int | None:
        """The longest run that covers a cell, or None."""
        if self.runs is None:
            return None
        i, j = cell[0] - 1 - self.runs.first, cell[1] - 1 - self.runs.second
        along = np.where(self.runs.reverse, self.runs.lengths - 1 - j, j)
        inside = np.flatnonzero((i == along) & (i >= 0) & (i < self.runs.lengths))
        return int(inside[self.runs.lengths[inside].argmax()]) if inside.size else None


def survey(first: Sequence, second: Sequence, k: int, pixels: Span, monitor: Monitor, gpu: str = "") -> Survey:
    """Index a pair and look at all of it in at most ``pixels`` pixels, on the GPU of this name, if it is here.

    The CPU looks where it is not, or has too little memory left. MemoryRefused where the index does not fit.
    """
    needed, free = nbytes(first, second), memory.host_bytes_free()
    if needed > free:
        raise MemoryRefused(
            f"the index needs {memory.bytes_text(needed)} of main memory, and {memory.bytes_text(free)} is free"
        )
    device = devices.numbered(gpu)
    if device is not None:
        with suppress(MemoryRefused):
            return _survey(first, second, k, pixels, monitor, device)
    return _survey(first, second, k, pixels, monitor, None)


def _survey(first: Sequence, second: Sequence, k: int, pixels: Span, monitor: Monitor, device: int | None) -> Survey:
    from antidiag.kernels.pairwise.pictures import dotplot  # compiles; so it is imported on the worker's thread

    index = dotplot.build(first, second, k, monitor, device)
    return Survey(index, window(index, (0, len(first) + 1), (0, len(second) + 1), pixels, monitor))


def window(index: Any, rows: Span, columns: Span, pixels: Span, monitor: Monitor) -> Part:
    """A window in at most ``pixels`` pixels, and its matches where they are few."""
    from antidiag.kernels.pairwise.pictures import dotplot

    runs = None
    if (rows[1] - rows[0]) * (columns[1] - columns[0]) <= RUN_CELLS:
        runs = dotplot.runs(index, rows, columns, MOST_RUNS)
    density = dotplot.density(index, rows, columns, pixels, monitor)
    return Part(rows, columns, pixels, density, runs, tones(density))


def tones(density: Any) -> np.ndarray:
    """Counts as shades, by their logarithm: the darkest is a pixel that a line of matches goes through."""
    shape = density.forward.shape
    sizes = zip((density.rows, density.columns), shape, strict=True)
    full = max(min((span[1] - span[0]) / pixels for span, pixels in sizes), 1)
    forward, reverse = (_shades(counts, full) for counts in (density.forward, density.reverse))
    return (SHADES + 1) * forward + reverse


def _shades(counts: np.ndarray, full: float) -> np.ndarray:
    table = np.zeros(int(np.ceil(full)) + 1, np.uint8)
    if full > 1:
        share = np.log(np.arange(1, table.size)) / np.log(full)
        table[1:] = 1 + np.floor(np.clip(share, 0, 1) * (SHADES - 1))
    else:
        table[1:] = SHADES
    return table[np.minimum(counts, table.size - 1)]


def colours(background: np.ndarray, forward: np.ndarray | None, reverse: np.ndarray | None) -> np.ndarray:
    """The colour of each tone, uint8 (256, 3), of colours as three numbers up to 255; None leaves a strand out."""
    shades = np.arange(SHADES + 1)
    opacity = np.where(shades > 0, FAINTEST + (1 - FAINTEST) * (shades - 1) / (SHADES - 1), 0)
    found = np.broadcast_to(np.asarray(background, float), (SHADES + 1, SHADES + 1, 3)).copy()
    for colour, share in ((reverse, opacity[None, :, None]), (forward, opacity[:, None, None])):
        if colour is not None:
            found += share * (np.asarray(colour, float) - found)
    return np.rint(found).astype(np.uint8).reshape(-1, 3)
