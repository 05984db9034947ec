"""Cuts: where a method cuts its table, as a run with these parameters does. Pictures draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cuts:
    """Distances of the borders that a run drew, in cells; 0 where there are none.

    In the matrix of two sequences columns are those of the longer one, as the methods see it. ``strip``: columns;
    ``chunk``: rows; ``tile``: special rows and columns, which were kept; ``block``: blocks, rows and columns alike;
    ``path_rows`` and ``path_columns``: the borders at which the path is cut into sub-paths; ``keeps_boundaries``: the
    boundary columns of all strips stay in memory. In the cube of three sequences ``block`` counts rows and columns of
    a chunk, ``layers`` those of a subchunk.
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
class Tiles:
    """Squares of ``side`` numbers into which a run cuts a table of ``rows`` x ``columns``; no parameter sizes them, but
    the type of the numbers and the backend do. ``of`` says what the table is ("distances between 300 vertices").
    """

    rows: int
    columns: int
    side: int
    of: str

    def __post_init__(self) -> None:
        if min(self.rows, self.columns, self.side) < 1:
            raise ValueError(f"tiles of {self.side} in a table of {self.rows} x {self.columns}")


def no_tiles(problem: Any, backend: str) -> Tiles | None:
    """None: of a method whose cuts its parameters say, or that has none."""
    return None


def no_cuts(parameters: Mapping[str, Any]) -> Cuts:
    """Of a method that computes its table as a whole, or has none."""
    return Cuts()
