"""Borders of strips, chunks, blocks and tiles in the table of a method, for pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TableCuts:
    """Distances between borders in cells; 0 for borders that a method does not have.

    In the matrix of two sequences, columns belong to the longer sequence. ``strip`` counts columns, ``chunk`` rows,
    ``tile`` the distance of stored special rows and columns, ``block`` rows and columns of a block. ``path_rows`` and
    ``path_columns`` are the distances of the borders that divide the path into sub-paths. With ``keeps_boundaries`` the
    boundary columns of all strips stay in memory. In the cube of three sequences ``block`` counts rows and columns of
    a chunk, ``layers`` the layers of a subchunk.
    """

    strip: int = 0
    chunk: int = 0
    tile: int = 0
    block: int = 0
    layers: int = 0
    path_rows: int = 0
    path_columns: int = 0
    keeps_boundaries: bool = False


@dataclass(frozen=True, slots=True)
class TableTiles:
    """Square tiles of ``side`` x ``side`` numbers in a table of ``rows`` x ``columns``.

    The number type and the backend determine the side, no parameter does. ``of`` names the table ("distances between
    300 vertices").
    """

    rows: int
    columns: int
    side: int
    of: str

    def __post_init__(self) -> None:
        if min(self.rows, self.columns, self.side) < 1:
            raise ValueError(f"tiles of {self.side} in a table of {self.rows} x {self.columns}")


def no_tiles(problem: Any, backend: str) -> TableTiles | None:
    """Return None: the method has no tiles, or its parameters determine them."""
    return None


def no_cuts(parameters: Mapping[str, Any]) -> TableCuts:
    """Return no borders: the method computes its table as a whole or has none."""
    return TableCuts()
