"""Parses what the user types to go somewhere in the matrix: "120, 340", "100:200, 300:400", "start", "end"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.pairwise.model import PairAnswer

HINT = "Type a cell as i, j; a window as i:i2, j:j2; or start, end"
Span = tuple[int, int]


@dataclass(frozen=True)
class CellAddress:
    """A cell, or a window, as half-open ranges of cells."""

    rows: Span
    columns: Span

    @property
    def single_cell(self) -> tuple[int, int] | None:
        """The single cell, or None for a window."""
        single = self.rows[1] - self.rows[0] == self.columns[1] - self.columns[0] == 1
        return (self.rows[0], self.columns[0]) if single else None


def parse_address(text: str, lengths: tuple[int, int], answer: PairAnswer | None) -> CellAddress:
    """Return the place in a matrix of these lengths; raise ParameterError for anything else. ``answer`` is None if
    nothing was aligned."""
    word = text.strip().lower()
    if word in ("start", "end") and answer is None:
        raise ParameterError(f"The {word} is unknown: these sequences were not aligned")
    if word == "start" and answer.alignment is None:
        raise ParameterError("The start is unknown: this method returns only the score")
    if word in ("start", "end"):
        i, j = answer.alignment.start if word == "start" else answer.end
        return CellAddress((i, i + 1), (j, j + 1))
    parts = [part for part in re.split(r"[,;\s]+", word.strip("()")) if part]
    if len(parts) != 2:
        raise ParameterError(HINT)
    rows, columns = (_parse_span(*item) for item in zip(parts, "ij", lengths, strict=True))
    return CellAddress(rows, columns)


def _parse_span(text: str, axis: str, length: int) -> Span:
    try:
        bounds = [int(bound.replace("_", "")) for bound in text.split(":")]
    except ValueError:
        raise ParameterError(HINT) from None
    if len(bounds) > 2:
        raise ParameterError(HINT)
    low, high = bounds[0], bounds[-1]
    if not 0 <= low <= high <= length:
        raise ParameterError(f"{axis} must be between 0 and {length:,}; got {text}")
    return low, high + 1
