"""Graphs read from Matrix Market files: a sparse matrix of edges, or a dense one of weights.

Source: R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market Exchange Formats: Initial Design* (1996).
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.graph import MAX_VERTICES, Graph, from_edges, from_weights
from antidiag.kernels.text import is_real, parse_real, quote_text

BANNER = b"%%MatrixMarket"
MOST = 2**53
"""Whole numbers below this are exact in float64."""
SHORT = 32
"""Most characters of a number for which NumPy converts all numbers together."""
STRANGE = re.compile(rb"[^ -^`-~]")
"""Bytes that NumPy would drop or accept inside a number, such as a zero byte or an underscore."""
LAYOUTS, FIELDS, SYMMETRIES = ("coordinate", "array"), ("real", "integer", "pattern"), ("general", "symmetric")


def read_matrix_market(path: Path, text: bytes) -> Graph:
    """Read the graph of a square matrix; an InputError names the file and line.

    The entries of a sparse matrix are edges, of weight 1 in a pattern; every number of a dense matrix is an edge. A
    symmetric matrix has edges in both directions.
    """
    lines = text.split(b"\n")
    layout, field, symmetry = _parse_banner(path, lines[0])
    body = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip() and not line.startswith(b"%")]
    if not body:
        raise InputError(f"{path}: the line with the size of the matrix is missing")
    sizes = 3 if layout == "coordinate" else 2
    n, *more = _whole_numbers(path, body[:1], _parse_numbers(path, body[:1], sizes))[0].tolist()
    if n != more[0]:
        raise InputError(
            f"{path}, line {body[0][0]}: {n:,} rows and {more[0]:,} columns; the matrix of a graph must be square"
        )
    if n > MAX_VERTICES:
        raise InputError(f"{path}: {n:,} vertices; distances between all pairs need at most {MAX_VERTICES:,}")
    if layout == "array":
        return from_weights(_parse_dense(path, body[1:], n, symmetry), name=path.stem, source=str(path))
    entries = _parse_numbers(path, body[1:], 2 if field == "pattern" else 3)
    places = _whole_numbers(path, body[1:], entries[:, :2])
    if len(places) != more[1]:
        raise InputError(f"{path}: {len(places):,} entries instead of {more[1]:,}; the file is incomplete")
    rows, columns = places.T - 1
    outside = np.flatnonzero((rows < 0) | (rows >= n) | (columns < 0) | (columns >= n))
    if outside.size:
        raise InputError(f"{path}, line {body[1 + outside[0]][0]:,}: an entry outside of the {n:,} x {n:,} matrix")
    weights = np.ones(len(places)) if field == "pattern" else entries[:, 2]
    if symmetry == "symmetric":
        rows, columns, weights = np.r_[rows, columns], np.r_[columns, rows], np.r_[weights, weights]
    return from_edges(n, rows, columns, weights, name=path.stem, source=str(path))


def _parse_banner(path: Path, line: bytes) -> tuple[str, str, str]:
    words = line.decode("ascii", "replace").lower().split()[1:]
    if len(words) != 4 or words[0] != "matrix":
        raise InputError(f"{path}, line 1 must be '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'")
    for word, known in zip(words[1:], (LAYOUTS, FIELDS, SYMMETRIES), strict=True):
        if word not in known:
            raise InputError(f"{path}, line 1: a graph cannot be {word!r}; use one of {', '.join(known)}")
    return words[1], words[2], words[3]


def _parse_dense(path: Path, body: list[tuple[int, bytes]], n: int, symmetry: str) -> np.ndarray:
    """Return a dense matrix, which is stored by columns; the columns of a symmetric one begin at the diagonal."""
    values = _parse_numbers(path, body, 1)[:, 0]
    wanted = n * n if symmetry == "general" else n * (n + 1) // 2
    if values.size != wanted:
        raise InputError(
            f"{path}: {values.size:,} numbers instead of {wanted:,} for {n:,} rows; the file is incomplete"
        )
    if symmetry == "general":
        return values.reshape(n, n).T.copy()
    matrix = np.empty((n, n))
    columns, rows = np.triu_indices(n)
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix


def _whole_numbers(path: Path, lines: list[tuple[int, bytes]], numbers: np.ndarray) -> np.ndarray:
    """Return the numbers of lines as int64; raise InputError at the first that is negative or not whole."""
    fit = (numbers >= 0) & (numbers < MOST) & (numbers == np.floor(numbers))
    wrong = np.flatnonzero(~fit.all(axis=1))
    if wrong.size:
        raise _line_error(path, lines[wrong[0]], "sizes and indices must be whole numbers of 0 or more")
    return numbers.astype(np.int64)


def _parse_numbers(path: Path, lines: list[tuple[int, bytes]], columns: int) -> np.ndarray:
    """Return the numbers of lines, float64, ``columns`` per line."""
    rows = [line.split() for _, line in lines]
    if set(map(len, rows)) - {columns}:
        wrong = next(line for row, line in zip(rows, lines, strict=True) if len(row) != columns)
        raise _line_error(path, wrong, f"{columns} numbers are expected")
    words = list(chain.from_iterable(rows))
    try:
        numbers = _convert_words(words)
    except ValueError:
        wrong = next(line for row, line in zip(rows, lines, strict=True) if not all(map(is_real, row)))
        raise _line_error(path, wrong, f"{columns} numbers are expected") from None
    for at in np.flatnonzero(np.isinf(numbers)):
        if b"inf" not in words[at].lower():
            raise _line_error(path, lines[at // columns], "a number is too large for double precision")
    return numbers.reshape(-1, columns)


def _convert_words(words: list[bytes]) -> np.ndarray:
    """Convert words to float64; raise ValueError where one is not a number."""
    if max(map(len, words), default=0) > SHORT or STRANGE.search(b" ".join(words)):
        return np.array([parse_real(word) for word in words], float)
    with np.errstate(all="ignore"):
        return np.array(words, f"S{SHORT}").astype(float)


def _line_error(path: Path, line: tuple[int, bytes], why: str) -> InputError:
    return InputError(f"{path}, line {line[0]:,}: {quote_text(line[1].strip())}; {why}")
