"""How the methods for two sequences cut the matrix; columns are those of the longer sequence."""

from __future__ import annotations

from antidiag.kernels.pairwise.parameters import (
    AntidiagonalBlocks,
    CheckpointedParameters,
    ChunkedAlignmentParameters,
    StripWidth,
)
from antidiag.kernels.table_cuts import TableCuts


def cut_into_strips(parameters: StripWidth) -> TableCuts:
    """Return strips of which nothing is kept."""
    return TableCuts(strip=parameters.s)


def cut_into_kept_strips(parameters: StripWidth) -> TableCuts:
    """Return strips whose boundaries are kept, and at which the path is cut."""
    return TableCuts(strip=parameters.s, path_columns=parameters.s, keeps_boundaries=True)


def cut_into_chunks(parameters: ChunkedAlignmentParameters) -> TableCuts:
    """Return strips in chunks of h rows, whose boundaries are kept, and at which the path is cut."""
    s = parameters.s
    return TableCuts(strip=s, chunk=parameters.h, path_columns=s, keeps_boundaries=True)


def cut_into_local_chunks(parameters: ChunkedAlignmentParameters) -> TableCuts:
    """Return strips in chunks of h rows; the path is cut at strips and at chunks."""
    s, h = parameters.s, parameters.h
    return TableCuts(strip=s, chunk=h, path_rows=h, path_columns=s, keeps_boundaries=True)


def cut_into_tiles(parameters: CheckpointedParameters) -> TableCuts:
    """Return strips, and tiles of whole strips between special rows and columns."""
    tile = parameters.rounded_tile
    return TableCuts(strip=parameters.s, tile=tile, path_rows=tile, path_columns=tile)


def cut_into_blocks(parameters: AntidiagonalBlocks) -> TableCuts:
    """Return blocks of s x s cells."""
    return TableCuts(block=parameters.s)
