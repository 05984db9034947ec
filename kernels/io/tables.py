"""What arrays and tables of numbers are, by their first bytes: distances, edges of a graph, or matrices to multiply.

An array that is not square, or of three axes, is a matrix; so is a square one whose first rows and columns are not
those of distances. A table of numbers is a matrix, unless its two or three columns could be edges. What could be
several things is opened as what it most likely is, and says so.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks
from antidiag.kernels.text import real

NPY = b"\x93NUMPY"
MATRIX_ENDINGS = (".matrix", ".matrix.npy", ".matrix.csv", ".matrix.tsv", ".matrix.txt")
"""By these a matrix is named, whatever else its numbers could be."""
NAMES_SUFFIX = ".names"
"""Beside an array of distances, the file of its taxa."""
EDGES = (".csv", ".tsv", ".edges")
CORNER = 64
"""Rows and columns of an array that are looked at."""


def holds_matrix(path: Path, head: bytes) -> bool:
    """Whether a file holds a matrix to be multiplied, by its name, its first bytes, or the first rows of its array."""
    if path.name.lower().removesuffix(".gz").endswith(MATRIX_ENDINGS):
        return True
    if head.startswith(NPY):
        shape = _shape(head)
        several = shape is not None and (len(shape) == 3 or (len(shape) == 2 and shape[0] != shape[1]))
        return several or not _could_be_distances(path)
    rows = _rows(head)
    return bool(rows) and len(rows[0]) > 1 and not _could_be_edges(path, rows)


def remark(path: Path, head: bytes) -> str:
    """What a file could be as well, and how it is opened as that; empty where there is nothing to say."""
    if path.name.lower().removesuffix(".gz").endswith(MATRIX_ENDINGS):
        return ""
    if head.startswith(NPY):
        if path.with_suffix(NAMES_SUFFIX).is_file() or len(shape := _shape(head) or ()) != 2 or shape[0] != shape[1]:
            return ""
        if _could_be_distances(path):
            return "Opened as a distance matrix; an array that is to be multiplied is named .matrix.npy."
        return "Opened as a matrix to be multiplied: it is not symmetric with zeros on its diagonal, as distances are."
    rows = _rows(head)
    if rows and _could_be_edges(path, rows) and _suffix(path) != ".edges":
        return f"Opened as edges of a graph; a table that is to be multiplied is named .matrix{_suffix(path)}."
    return ""


def _suffix(path: Path) -> str:
    return (Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix).lower()


def mapped(path: Path) -> np.ndarray:
    """The array of an NPY file, mapped, so that one which announces more than it holds takes no memory; InputError."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except (
        Exception
    ) as error:  # its header is a piece of Python, which can be wrong in many ways, and too deep to parse
        reason = str(error).partition("\n")[0] or "its header cannot be read"
        raise InputError(f"{path}: not a valid NPY file: {reason}; write it again with numpy.save") from error


def _shape(head: bytes) -> tuple[int, ...] | None:
    """The shape that the header of an array announces; None where it cannot be read: its reader says why."""
    stream = io.BytesIO(head)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = np.lib.format.read_magic(stream)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            return tuple(read(stream)[0])
    except Exception:  # a piece of Python, which can be wrong in many ways
        return None


def _could_be_distances(path: Path) -> bool:
    """Whether the first rows and columns of a square array are those of distances, or cannot be had."""
    if path.with_suffix(NAMES_SUFFIX).is_file():
        return True
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            corner = np.array(mapped(path)[:CORNER, :CORNER], np.float64)
            alike = np.allclose(corner, corner.T, rtol=1e-5, atol=0, equal_nan=True)
            return bool(alike and (np.diagonal(corner) == 0).all() and not (corner < 0).any())
    except Exception:  # as above
        return True


def _rows(head: bytes) -> list[list[float]]:
    """The numbers of all whole lines, where every line has as many; none where something else stands there."""
    text = line_blocks.plain(head.removeprefix(b"\xef\xbb\xbf"))
    whole, _, rest = text.rpartition(b"\n")
    lines = [line for line in (whole or rest).split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    try:
        rows = [[real(field.strip().decode()) for field in _fields(line)] for line in lines]
    except ValueError:
        return []
    return rows if len({len(row) for row in rows}) == 1 else []


def _fields(line: bytes) -> list[bytes]:
    separator = next((mark for mark in (b"\t", b";", b",") if mark in line), None)
    return line.strip().split(separator)


def _could_be_edges(path: Path, rows: list[list[float]]) -> bool:
    """Whether these are numbers of two vertices, and perhaps a weight, in a file that is named so."""
    return (
        _suffix(path) in EDGES
        and len(rows[0]) in (2, 3)
        and all(vertex.is_integer() for row in rows for vertex in row[:2])
    )
