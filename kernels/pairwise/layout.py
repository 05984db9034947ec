"""Where the methods cut the matrix: what the pictures of a run show beside its path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernels.pairwise.checkpointed_sizes import whole_strips


@dataclass(frozen=True, slots=True)
class Layout:
    """Distances of the borders that a run drew, in cells; 0 where there are none.

    Columns are those of the longer sequence, as the methods see the matrix. ``tile``: special rows and columns, which
    were kept; ``block``: blocks, rows and columns alike; ``path_rows`` and ``path_columns``: the borders at which the
    path is cut into sub-paths. ``keeps_boundaries``: the boundary columns of all strips stay in memory.
    """

    strip: int = 0
    chunk: int = 0
    tile: int = 0
    block: int = 0
    path_rows: int = 0
    path_columns: int = 0
    keeps_boundaries: bool = False


def layout(method: str, parameters: Mapping[str, Any]) -> Layout:
    """The layout of a run of a method, by its id, with these parameters."""
    s, h = parameters.get("s", 0), parameters.get("h", 0)
    match method:
        case "blocked-antidiagonal" | "enhanced-ba":
            return Layout(block=s)
        case "checkpointed-alignment":
            tile = whole_strips(parameters["tile"], s)
            return Layout(strip=s, tile=tile, path_rows=tile, path_columns=tile)
        case "striped-alignment" | "chunked-alignment-1":
            return Layout(strip=s, chunk=h, path_columns=s, keeps_boundaries=True)
        case "chunked-alignment-2":
            return Layout(strip=s, chunk=h, path_rows=h, path_columns=s, keeps_boundaries=True)
    return Layout(strip=s, chunk=h)
