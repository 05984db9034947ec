"""Index and windows of a dot plot, computed away from the GUI thread. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.cuda.gpu_or_cpu import run_on_gpu_or_cpu
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.dotplot_sizes import index_bytes

Span = tuple[int, int]

RUN_CELLS = 2**24  # windows of at most so many cells show single matches, up to MOST_RUNS
MOST_RUNS = 5000
SHADES = 15  # shades of each strand; the shades of both strands fit in a uint8
FAINTEST = 0.3  # opacity of a single match in a pixel that covers many cells


@dataclass(frozen=True, eq=False)
class DotOverview:
    """The word index of a pair, and a picture of the whole pair."""

    index: Any
    overview: DotWindow


@dataclass(frozen=True, eq=False)
class DotWindow:
    """A window of half-open ranges of cells.

    ``density`` counts matches per pixel, in at most ``pixels`` pixels down and across; ``runs`` are single matches,
    where there are few. ``shade_density`` is uint8, 16 x the shade of forward matches + the shade of reverse matches.
    """

    rows: Span
    columns: Span
    pixels: Span
    density: Any
    runs: Any
    tones: np.ndarray

    def contains_window(self, rows: Span, columns: Span) -> bool:
        """Return whether the window contains these rows and columns."""
        inside = self.rows[0] <= rows[0] and rows[1] <= self.rows[1]
        return inside and self.columns[0] <= columns[0] and columns[1] <= self.columns[1]

    def counts_at(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the number of forward and reverse matches in the pixel of a cell."""
        shape = self.density.forward.shape
        spans = zip(cell, (self.rows, self.columns), shape, strict=True)
        place = tuple(((x - span[0] + 1) * pixels - 1) // (span[1] - span[0]) for x, span, pixels in spans)
        return int(self.density.forward[place]), int(self.density.reverse[place])

    def run_at(self, cell: tuple[int, int]) -> int | None:
        """Return the index of the longest run that covers a cell, or None."""
        if self.runs is None:
            return None
        i, j = cell[0] - 1 - self.runs.first, cell[1] - 1 - self.runs.second
        along = np.where(self.runs.reverse, self.runs.lengths - 1 - j, j)
        inside = np.flatnonzero((i == along) & (i >= 0) & (i < self.runs.lengths))
        return int(inside[self.runs.lengths[inside].argmax()]) if inside.size else None


def index_pair(first: Sequence, second: Sequence, k: int, pixels: Span, monitor: Monitor, gpu: str = "") -> DotOverview:
    """Index a pair and draw all of it in at most ``pixels`` pixels, on the GPU of this name if it can, else on the CPU.

    Raises MemoryRefused if the index does not fit in main memory.
    """
    needed, free = index_bytes(first, second), memory.host_bytes_free()
    if needed > free:
        raise MemoryRefused(
            f"the index needs {memory.format_bytes(needed)} of main memory, and {memory.format_bytes(free)} is free"
        )
    from antidiag.kernels.pairwise.pictures import dotplot  # imported on the worker thread, because it compiles

    def make(device: int | None) -> DotOverview:
        index = dotplot.build_word_index(first, second, k, monitor, device)
        return DotOverview(index, compute_window(index, (0, len(first) + 1), (0, len(second) + 1), pixels, monitor))

    return run_on_gpu_or_cpu(gpu, make)[0]


def compute_window(index: Any, rows: Span, columns: Span, pixels: Span, monitor: Monitor) -> DotWindow:
    """Compute a window in at most ``pixels`` pixels, and its single matches where there are few."""
    from antidiag.kernels.pairwise.pictures import dotplot

    runs = None
    if (rows[1] - rows[0]) * (columns[1] - columns[0]) <= RUN_CELLS:
        runs = dotplot.find_match_runs(index, rows, columns, MOST_RUNS)
    density = dotplot.count_density(index, rows, columns, pixels, monitor)
    return DotWindow(rows, columns, pixels, density, runs, shade_density(density))


def shade_density(density: Any) -> np.ndarray:
    """Return match counts as logarithmic shades; a pixel crossed by a line of matches is darkest."""
    shape = density.forward.shape
    sizes = zip((density.rows, density.columns), shape, strict=True)
    full = max(min((span[1] - span[0]) / pixels for span, pixels in sizes), 1)
    forward, reverse = (_shade_counts(counts, full) for counts in (density.forward, density.reverse))
    return (SHADES + 1) * forward + reverse


def _shade_counts(counts: np.ndarray, full: float) -> np.ndarray:
    table = np.zeros(int(np.ceil(full)) + 1, np.uint8)
    if full > 1:
        share = np.log(np.arange(1, table.size)) / np.log(full)
        table[1:] = 1 + np.floor(np.clip(share, 0, 1) * (SHADES - 1))
    else:
        table[1:] = SHADES
    return table[np.minimum(counts, table.size - 1)]


def tone_colours(background: np.ndarray, forward: np.ndarray | None, reverse: np.ndarray | None) -> np.ndarray:
    """Return the colour of each tone, uint8 (256, 3), from RGB colours; None hides a strand."""
    shades = np.arange(SHADES + 1)
    opacity = np.where(shades > 0, FAINTEST + (1 - FAINTEST) * (shades - 1) / (SHADES - 1), 0)
    found = np.broadcast_to(np.asarray(background, float), (SHADES + 1, SHADES + 1, 3)).copy()
    for colour, share in ((reverse, opacity[None, :, None]), (forward, opacity[:, None, None])):
        if colour is not None:
            found += share * (np.asarray(colour, float) - found)
    return np.rint(found).astype(np.uint8).reshape(-1, 3)
