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


def no_cuts(parameters: Mapping[str, Any]) -> Cuts:
    """Of a method that computes its table as a whole, or has none."""
    return Cuts()
