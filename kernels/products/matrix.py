"""Matrices, and batches of them, from text and NPY files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, number_tables, packed_files
from antidiag.kernels.io.number_tables import MATRIX_ENDINGS, NPY
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count, is_real, parse_real, quote_text

NATIVE_TYPES = ("int32", "float32", "float64")
"""Types that are not converted; all others become float64."""
EXACT = 2**53
"""Whole numbers up to this size are exact in float64."""
CELLS = 1 << 18
"""Numbers that are examined at a time."""


@stored("matrix")
@dataclass(frozen=True, eq=False)
class SemiringMatrix:
    """Numbers of shape (m, n), or (k, m, n) for a batch of k matrices; int32, float32 or float64, read-only.

    Infinity means that there is no path; for scores it is minus infinity. Create one by `check_matrix`.
    """

    values: np.ndarray = field(repr=False)
    name: str = "matrix"
    source: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SemiringMatrix) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.values.shape, self.values[:1].tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words: "3 x 4 numbers", "100 matrices of 3 x 4 numbers"."""
        *batch, rows, columns = self.values.shape
        size = f"{rows:,} x {columns:,} numbers"
        return f"{format_count(batch[0], 'matrix', 'matrices')} of {size}" if batch else size

    def value_slices(self) -> Iterator[np.ndarray]:
        """Return all numbers, some at a time."""
        flat = self.values.reshape(-1)
        return (flat[first : first + CELLS] for first in range(0, flat.size, CELLS))


def check_matrix(values: np.ndarray, name: str = "matrix", source: str = "") -> SemiringMatrix:
    """Return a matrix of these numbers, which are not copied if possible and become read-only.

    Raises InputError where the shape or type is no matrix or batch, or a number is NaN.
    """
    place = source or name
    if values.ndim not in (2, 3) or values.dtype.kind not in "fiu" or not values.size:
        raise InputError(
            f"{place}: an array of {values.dtype} and shape {values.shape}; a matrix needs rows and columns of "
            "numbers, and a batch of matrices one more axis before them"
        )
    _refuse_inexact(values, place)
    values = np.ascontiguousarray(values, values.dtype if values.dtype.name in NATIVE_TYPES else np.float64)
    values.setflags(write=False)
    found = SemiringMatrix(values, name, source)
    if any(workers.map_on_threads(lambda part: bool(np.isnan(part).any()), list(found.value_slices()))):
        at = ", ".join(str(place + 1) for place in np.argwhere(np.isnan(values))[0])
        raise InputError(f"{place}: the value at {at} is not a number; use infinity where there is no path")
    return found


def _refuse_inexact(values: np.ndarray, place: str) -> None:
    """Raise InputError where a whole number is not exact in float64."""
    if values.dtype.kind in "iu" and max(int(values.max()), -int(values.min())) > EXACT:
        raise InputError(
            f"{place}: a whole number exceeds 2^53 in size and would not be exact; convert the numbers to float64, or "
            "scale them down"
        )


@packed_files.reads_each_file
def read_matrix(path: str | Path, monitor: Monitor | None = None) -> list[SemiringMatrix]:
    """Read the matrix of a file: text with one row per line, or NPY, plain or compressed; an InputError names the line.

    Numbers are separated by commas, semicolons, tabs or blanks; lines that begin with # are skipped.
    """
    path = Path(path)
    name = path.stem if packed_files.is_packed(path) else path.name
    for ending in (".npy", ".csv", ".tsv", ".txt", ".matrix"):
        name = name.removesuffix(ending)
    if line_blocks.read_head(path, len(NPY)) == NPY:
        return [check_matrix(np.array(number_tables.map_array(path)), name or path.name, str(path))]
    text = b"".join(line_blocks.read_blocks(path, monitor or Monitor()))
    return [check_matrix(_parse_text(path, text), name or path.name, str(path))]


def claims_file(path: Path, head: bytes) -> bool:
    """Return whether a file holds a matrix, by its name or its numbers."""
    return number_tables.holds_matrix(path, head)


def random_matrix(size: int, random: np.random.Generator) -> SemiringMatrix:
    """Return a random square matrix of whole numbers below 1,000."""
    return check_matrix(random.integers(0, 1000, (size, size), np.int32), f"random matrix of {size:,}")


def _parse_text(path: Path, text: bytes) -> np.ndarray:
    try:
        lines = text.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        at = text[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {at:,}: this is not UTF-8 text; save the file as UTF-8") from None
    rows: list[np.ndarray] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _parse_row(path, number, line)
        if rows and row.size != rows[0].size:
            raise InputError(
                f"{path}, line {number:,}: {format_count(row.size, 'number')}, but {rows[0].size:,} in the rows before"
            )
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: the file has no numbers; put each row of the matrix on a line")
    values = np.array(rows)
    return values.astype(np.int32) if _is_int32(values) else values


def _parse_row(path: Path, number: int, line: str) -> np.ndarray:
    separator = next((mark for mark in "\t;," if mark in line), None)
    fields = [field.strip() for field in line.strip().split(separator)]
    try:
        return np.array([parse_real(field) for field in fields])
    except ValueError:
        wrong = next(field for field in fields if not is_real(field))
        raise InputError(f"{path}, line {number:,}: {quote_text(wrong)} is not a number") from None


def _is_int32(values: np.ndarray) -> bool:
    return bool((np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < 2**31)).all())


MATRIX = DataKind(
    id="matrix",
    label="matrix",
    plural="matrices",
    type=SemiringMatrix,
    claims_file=claims_file,
    read=read_matrix,
    suffixes=MATRIX_ENDINGS,
    generate=random_matrix,
)
