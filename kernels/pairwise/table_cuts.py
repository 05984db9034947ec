"""How the methods for two sequences cut the matrix; columns are those of the longer sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.parameters import to_dataclass
from antidiag.kernels.table_cuts import TableCuts

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CutSizes:
    """The parameters of all methods that cut a matrix; a measured point may lack some."""

    s: int
    h: int = 0
    tile: int = 0


def cut_into_strips(parameters: Parameters) -> TableCuts:
    """Return strips of which nothing is kept."""
    return TableCuts(strip=to_dataclass(CutSizes, parameters).s)


def cut_into_kept_strips(parameters: Parameters) -> TableCuts:
    """Return strips whose boundaries are kept, and at which the path is cut."""
    s = to_dataclass(CutSizes, parameters).s
    return TableCuts(strip=s, path_columns=s, keeps_boundaries=True)


def cut_into_chunks(parameters: Parameters) -> TableCuts:
    """Return strips in chunks of h rows, whose boundaries are kept, and at which the path is cut."""
    cut = to_dataclass(CutSizes, parameters)
    return TableCuts(strip=cut.s, chunk=cut.h, path_columns=cut.s, keeps_boundaries=True)


def cut_into_local_chunks(parameters: Parameters) -> TableCuts:
    """Return strips in chunks of h rows; the path is cut at strips and at chunks."""
    cut = to_dataclass(CutSizes, parameters)
    return TableCuts(strip=cut.s, chunk=cut.h, path_rows=cut.h, path_columns=cut.s, keeps_boundaries=True)


def cut_into_blocks(parameters: Parameters) -> TableCuts:
    """Return blocks of s x s cells."""
    return TableCuts(block=to_dataclass(CutSizes, parameters).s)
