"""Matrix: rows and columns of numbers, or a batch of such, from text and NPY files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, tables
from antidiag.kernels.io.tables import MATRIX_ENDINGS, NPY
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted, real, shown

KEPT = ("int32", "float32", "float64")
"""Types that numbers stay in; all others become float64."""
EXACT = 2**53
"""Up to here all whole numbers are numbers of float64."""
CELLS = 1 << 18
"""Numbers that are looked at together."""


@stored("matrix")
@dataclass(frozen=True, eq=False)
class Matrix:
    """Numbers of shape (m, n), or (k, m, n) for a batch of k matrices; int32, float32 or float64, read-only.

    Infinity stands for no way at all, in scores minus infinity. Make one with `checked`.
    """

    values: np.ndarray = field(repr=False)
    name: str = "matrix"
    source: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.values.shape, self.values[:1].tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words: "3 x 4 numbers", "100 matrices of 3 x 4 numbers"."""
        *batch, rows, columns = self.values.shape
        size = f"{rows:,} x {columns:,} numbers"
        return f"{counted(batch[0], 'matrix', 'matrices')} of {size}" if batch else size

    def slices(self) -> Iterator[np.ndarray]:
        """All numbers, some at a time."""
        flat = self.values.reshape(-1)
        return (flat[first : first + CELLS] for first in range(0, flat.size, CELLS))


def checked(values: np.ndarray, name: str = "matrix", source: str = "", note: str = "") -> Matrix:
    """A matrix of these numbers, which are taken over; InputError for what has no rows and columns, and for NaN."""
    place = source or name
    if values.ndim not in (2, 3) or values.dtype.kind not in "fiu" or not values.size:
        raise InputError(
            f"{place}: an array of {values.dtype} and shape {values.shape}; a matrix has rows and columns of numbers, "
            "and a batch of matrices one axis before them"
        )
    _refuse_inexact(values, place)
    values = np.ascontiguousarray(values, values.dtype if values.dtype.name in KEPT else np.float64)
    values.setflags(write=False)
    found = Matrix(values, name, source, note)
    if any(workers.each(lambda part: bool(np.isnan(part).any()), list(found.slices()))):
        at = ", ".join(str(place + 1) for place in np.argwhere(np.isnan(values))[0])
        raise InputError(f"{place}: the number at {at} is not a number; infinity stands for no way")
    return found


def _refuse_inexact(values: np.ndarray, place: str) -> None:
    """InputError where a whole number is not kept: what is not of 32 bits becomes float64."""
    if values.dtype.kind in "iu" and max(int(values.max()), -int(values.min())) > EXACT:
        raise InputError(
            f"{place}: a whole number is more than 2^53 in size, and would not be exact; give numbers of float64, or "
            "scale them down"
        )


def read(path: str | Path, monitor: Monitor | None = None) -> list[Matrix]:
    """The matrix of a file, plain or gzipped text with a row on a line, or NPY; InputError names file and line.

    Numbers are separated by commas, semicolons, tabs or blanks; a line after # is skipped.
    """
    path = Path(path)
    name = path.name
    for ending in (".gz", ".npy", ".csv", ".tsv", ".txt", ".matrix"):
        name = name.removesuffix(ending)
    if _begins_as_npy(path):
        return [checked(np.array(tables.mapped(path)), name or path.name, str(path))]
    text = b"".join(line_blocks.blocks(path, monitor or Monitor()))
    return [checked(_from_text(path, text), name or path.name, str(path))]


def claims(path: Path, head: bytes) -> bool:
    """Whether a file holds a matrix, by its name, or because nothing else has such numbers."""
    return tables.holds_matrix(path, head)


def random_matrix(size: int, random: np.random.Generator) -> Matrix:
    """A square matrix of whole numbers below 1,000, as the types of both rates have them."""
    return checked(random.integers(0, 1000, (size, size), np.int32), f"random matrix of {size:,}")


def _begins_as_npy(path: Path) -> bool:
    try:
        with open(path, "rb") as handle:
            return handle.read(len(NPY)) == NPY
    except OSError:
        return False


def _from_text(path: Path, text: bytes) -> np.ndarray:
    try:
        lines = text.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        at = text[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {at:,}: this is not UTF-8 text; save the file as UTF-8") from None
    rows: list[np.ndarray] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _row(path, number, line)
        if rows and row.size != rows[0].size:
            raise InputError(
                f"{path}, line {number:,}: {counted(row.size, 'number')}, and {rows[0].size:,} in the rows before it"
            )
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: no numbers; give a row of the matrix on each line")
    values = np.array(rows)
    return values.astype(np.int32) if _whole(values) else values


def _row(path: Path, number: int, line: str) -> np.ndarray:
    separator = next((mark for mark in "\t;," if mark in line), None)
    fields = [field.strip() for field in line.strip().split(separator)]
    try:
        return np.array([real(field) for field in fields])
    except ValueError:
        wrong = next(field for field in fields if not _is_number(field))
        raise InputError(f"{path}, line {number:,}: {shown(wrong)} is not a number") from None


def _is_number(field: str) -> bool:
    try:
        real(field)
    except ValueError:
        return False
    return True


def _whole(values: np.ndarray) -> bool:
    return bool((np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < 2**31)).all())


MATRIX = DataKind(
    id="matrix",
    label="matrix",
    plural="matrices",
    type=Matrix,
    claims=claims,
    read=read,
    suffixes=MATRIX_ENDINGS,
    generate=random_matrix,
)
