"""Where the methods for two sequences cut the matrix. Columns are those of the longer sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.cuts import Cuts
from antidiag.kernels.parameters import typed

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Widths:
    """The parameters that cut a matrix, of all methods; a measured point may have no others."""

    s: int
    h: int = 0
    tile: int = 0


def strips(parameters: Parameters) -> Cuts:
    """Strips of which nothing is kept."""
    return Cuts(strip=typed(Widths, parameters).s)


def kept_strips(parameters: Parameters) -> Cuts:
    """Strips whose boundaries are kept, and at which the path is cut."""
    s = typed(Widths, parameters).s
    return Cuts(strip=s, path_columns=s, keeps_boundaries=True)


def chunks(parameters: Parameters) -> Cuts:
    """The same, in chunks of h rows."""
    cut = typed(Widths, parameters)
    return Cuts(strip=cut.s, chunk=cut.h, path_columns=cut.s, keeps_boundaries=True)


def local_chunks(parameters: Parameters) -> Cuts:
    """The same, where the path is cut at chunks too."""
    cut = typed(Widths, parameters)
    return Cuts(strip=cut.s, chunk=cut.h, path_rows=cut.h, path_columns=cut.s, keeps_boundaries=True)


def blocks(parameters: Parameters) -> Cuts:
    """Blocks of s x s cells."""
    return Cuts(block=typed(Widths, parameters).s)
