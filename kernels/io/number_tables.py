"""The content of a file of numbers, recognised by its first bytes: distances, edges of a graph, or a matrix to
multiply.

An array that is not square, or has three axes, is a matrix; so is a square one whose first rows and columns are not
those of distances. A table of numbers is a matrix, unless its two or three columns could be edges. A file that could be
several things is opened as the most likely one, and a remark says so.
"""

from __future__ import annotations

import io
import os
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, packed_files
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import parse_real

NPY = b"\x93NUMPY"
MATRIX_ENDINGS = (".matrix", ".matrix.npy", ".matrix.csv", ".matrix.tsv", ".matrix.txt")
"""A file whose name ends so is a matrix, whatever else its numbers could be."""
NAMES_SUFFIX = ".names"
"""Suffix of the file beside an array of distances that has the names of its taxa."""
EDGE_LIST_SUFFIXES = (".edges", ".edgelist", ".edge", ".el", ".ncol")
"""Suffixes of files that hold nothing but edges."""
EDGE_SUFFIXES = (".csv", ".tsv", *EDGE_LIST_SUFFIXES)
CORNER_SIZE = 64
"""Rows and columns of an array that are looked at."""
PIECE_BYTES = 1 << 21
"""Bytes of an array that are copied and written at a time."""
HEADER_ERRORS = (ValueError, TypeError, SyntaxError, RecursionError, OverflowError, EOFError, tokenize.TokenError)
"""What NumPy raises for a damaged header, which it reads as a piece of Python."""


def holds_matrix(path: Path, head: bytes) -> bool:
    """Return whether a file holds a matrix to multiply, by its name, its first bytes, or its first rows."""
    if is_named_matrix(path):
        return True
    if head.startswith(NPY):
        shape = _announced_shape(head)
        several = shape is not None and (len(shape) == 3 or (len(shape) == 2 and shape[0] != shape[1]))
        return several or not _could_be_distances(path)
    rows = _number_rows(head)
    return bool(rows) and len(rows[0]) > 1 and not _could_be_edges(path, rows)


def describe_alternative(path: Path, head: bytes) -> str:
    """Return what else a file could be, and which name opens it as that; "" where there is nothing to say."""
    if is_named_matrix(path):
        return ""
    if head.startswith(NPY):
        shape = _announced_shape(head) or ()
        if names_file(path).is_file() or len(shape) != 2 or shape[0] != shape[1]:
            return ""
        if _could_be_distances(path):
            return "Opened as a distance matrix; an array named .matrix.npy opens as a matrix to multiply."
        return "Opened as a matrix to multiply: it is not symmetric with a zero diagonal, as distances are."
    rows = _number_rows(head)
    suffix = packed_files.format_suffix(path)
    if rows and _could_be_edges(path, rows) and suffix not in EDGE_LIST_SUFFIXES:
        return f"Opened as edges of a graph; a table named .matrix{suffix} opens as a matrix to multiply."
    if len(rows) > 1 and _are_edges(rows) and suffix not in EDGE_SUFFIXES:
        return "Opened as a matrix to multiply; a file named .edges opens as edges of a graph."
    return ""


def map_array(path: Path) -> np.ndarray:
    """Return the array of an NPY file, memory-mapped and read-only; that of a compressed file is in memory.

    A damaged file may announce more than it holds; mapping it takes no memory.

    Raises
    ------
    InputError
        Where the file is not a valid NPY file, or cannot be read.
    """
    try:
        with silence_numpy_warnings():
            if not _is_plain_file(path):
                return _load_array(b"".join(line_blocks.read_blocks(path, Monitor())))
            with open(path, "rb") as handle:
                _read_header(handle)
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, *HEADER_ERRORS) as error:
        reason = str(error).partition("\n")[0] or "its header cannot be read"
        raise InputError(f"{path}: not a valid NPY file: {reason}; write it again with numpy.save") from error


def names_file(path: Path) -> Path:
    """Return the file beside an array of distances, or beside its archive, that has the names of its taxa."""
    beside = packed_files.archive_of(path) or path
    return beside.with_name(packed_files.format_stem(path) + NAMES_SUFFIX)


def write_array(path: Path, values: np.ndarray) -> None:
    """Write an array as an NPY file in C order, PIECE_BYTES at a time."""
    values = np.ascontiguousarray(values)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(values))
    flat, step = values.reshape(-1), PIECE_BYTES // values.itemsize
    pieces = (flat[at : at + step].tobytes() for at in range(0, flat.size, step))
    write_bytes(path, chain((header.getvalue(),), pieces))


def is_named_matrix(path: Path) -> bool:
    """Return whether the name of a file says that it is a matrix to multiply, by one of MATRIX_ENDINGS."""
    name = path.stem if packed_files.is_packed(path) else path.name
    return name.lower().endswith(MATRIX_ENDINGS)


def _is_plain_file(path: Path) -> bool:
    """Return whether a file begins as an array, and is not compressed or in an archive."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as handle:
        return not packed_files.describe_packing(handle.read(6))


def _load_array(data: bytes) -> np.ndarray:
    """Return the array of the bytes of an NPY file; ValueError where they are fewer than it announces."""
    shape = _read_header(io.BytesIO(data))
    if np.prod(shape, dtype=np.float64) > len(data):
        raise ValueError(f"it announces {shape}, and has {len(data):,} bytes")
    return np.load(io.BytesIO(data), allow_pickle=False)


@contextmanager
def silence_numpy_warnings() -> Iterator[None]:
    """Silence what NumPy warns of in damaged files, whose values are checked after reading."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _read_header(stream: BinaryIO) -> tuple[int, ...]:
    """Return the shape that the header of an NPY file announces; one of HEADER_ERRORS where it is damaged."""
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        return tuple(read(stream)[0])
    except MemoryError:  # so Python's parser calls an expression that is nested too deep; a header has 10 kB at most
        raise ValueError("its header is nested too deep") from None


def _announced_shape(head: bytes) -> tuple[int, ...] | None:
    """Return the shape that the header of an array announces; None where it is damaged: its reader says why."""
    try:
        with silence_numpy_warnings():
            return _read_header(io.BytesIO(head))
    except HEADER_ERRORS:
        return None


def _could_be_distances(path: Path) -> bool:
    """Return whether the first rows and columns of a square array are those of distances, or cannot be read."""
    if names_file(path).is_file():
        return True
    try:
        with silence_numpy_warnings():
            corner = np.array(map_array(path)[:CORNER_SIZE, :CORNER_SIZE], np.float64)
            symmetric = np.allclose(corner, corner.T, rtol=1e-5, atol=0, equal_nan=True)
            return bool(symmetric and (np.diagonal(corner) == 0).all() and not (corner < 0).any())
    except (InputError, IndexError, TypeError, ValueError):  # no numbers, or not two axes: the reader says why
        return True


def _number_rows(head: bytes) -> list[list[float]]:
    """Return the numbers of all whole lines where every line has as many; none where anything else stands there."""
    text = line_blocks.normalise_line_ends(head.removeprefix(b"\xef\xbb\xbf"))
    whole, _, rest = text.rpartition(b"\n")
    lines = [line for line in (whole or rest).split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    try:
        rows = [[parse_real(field.strip().decode()) for field in _split_fields(line)] for line in lines]
    except ValueError:
        return []
    return rows if len({len(row) for row in rows}) == 1 else []


def _split_fields(line: bytes) -> list[bytes]:
    separator = next((mark for mark in (b"\t", b";", b",") if mark in line), None)
    return line.strip().split(separator)


def _could_be_edges(path: Path, rows: list[list[float]]) -> bool:
    """Return whether these are numbers of two vertices, and perhaps a weight, in a file that is named so."""
    return packed_files.format_suffix(path) in EDGE_SUFFIXES and _are_edges(rows)


def _are_edges(rows: list[list[float]]) -> bool:
    """Return whether these are numbers of two vertices, and perhaps a weight."""
    return len(rows[0]) in (2, 3) and all(vertex.is_integer() for row in rows for vertex in row[:2])
