"""Graphs from files in Matrix Market form: a sparse matrix of edges, or a dense one of weights.

Source: R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market Exchange Formats: Initial Design* (1996).
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.graph import LARGEST, Graph, from_edges, from_weights
from antidiag.kernels.text import real, shown

BANNER = b"%%MatrixMarket"
MOST = 2**53
"""Whole numbers are read exactly below it."""
SHORT = 32
"""Letters of a number up to which many are read at once."""
STRANGE = re.compile(rb"[^ -^`-~]")
"""What reading many at once would drop, or take for part of a number: a zero byte, an underscore."""
LAYOUTS, FIELDS, SYMMETRIES = ("coordinate", "array"), ("real", "integer", "pattern"), ("general", "symmetric")


def read(path: Path, text: bytes) -> Graph:
    """The graph of a square matrix; InputError names the file and what is wrong.

    Of a sparse matrix, what is not written is no edge, and a pattern weighs 1 everywhere; of a dense one, every number
    is an edge. Symmetric matrices are edges both ways.
    """
    lines = text.split(b"\n")
    layout, field, symmetry = _banner(path, lines[0])
    body = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip() and not line.startswith(b"%")]
    if not body:
        raise InputError(f"{path}: the matrix has no line with its size")
    sizes = 3 if layout == "coordinate" else 2
    n, *more = _whole(path, body[:1], _numbers(path, body[:1], sizes))[0].tolist()
    if n != more[0]:
        raise InputError(
            f"{path}, line {body[0][0]}: {n:,} rows and {more[0]:,} columns; the matrix of a graph is square"
        )
    if n > LARGEST:
        raise InputError(f"{path}: {n:,} vertices; distances between all pairs are kept for {LARGEST:,} at most")
    if layout == "array":
        return from_weights(_dense(path, body[1:], n, symmetry), name=path.stem, source=str(path))
    entries = _numbers(path, body[1:], 2 if field == "pattern" else 3)
    places = _whole(path, body[1:], entries[:, :2])
    if len(places) != more[1]:
        raise InputError(f"{path}: {len(places):,} entries, and {more[1]:,} are announced; the file is not whole")
    rows, columns = places.T - 1
    outside = np.flatnonzero((rows < 0) | (rows >= n) | (columns < 0) | (columns >= n))
    if outside.size:
        raise InputError(f"{path}, line {body[1 + outside[0]][0]:,}: an entry outside of the {n:,} x {n:,} matrix")
    weights = np.ones(len(places)) if field == "pattern" else entries[:, 2]
    if symmetry == "symmetric":
        rows, columns, weights = np.r_[rows, columns], np.r_[columns, rows], np.r_[weights, weights]
    return from_edges(n, rows, columns, weights, name=path.stem, source=str(path))


def _banner(path: Path, line: bytes) -> tuple[str, str, str]:
    words = line.decode("ascii", "replace").lower().split()[1:]
    if len(words) != 4 or words[0] != "matrix":
        raise InputError(f"{path}, line 1: not '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'")
    for word, known in zip(words[1:], (LAYOUTS, FIELDS, SYMMETRIES), strict=True):
        if word not in known:
            raise InputError(f"{path}, line 1: {word!r} is no matrix of a graph; one of {', '.join(known)} is")
    return words[1], words[2], words[3]


def _dense(path: Path, body: list[tuple[int, bytes]], n: int, symmetry: str) -> np.ndarray:
    """Columns one after another; of a symmetric matrix, each from its diagonal on."""
    values = _numbers(path, body, 1)[:, 0]
    wanted = n * n if symmetry == "general" else n * (n + 1) // 2
    if values.size != wanted:
        raise InputError(f"{path}: {values.size:,} numbers, and {wanted:,} belong to {n:,} rows; the file is not whole")
    if symmetry == "general":
        return values.reshape(n, n).T.copy()
    matrix = np.empty((n, n))
    columns, rows = np.triu_indices(n)
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix


def _whole(path: Path, lines: list[tuple[int, bytes]], numbers: np.ndarray) -> np.ndarray:
    """The numbers of lines as int64; InputError for the first that are not whole, or negative."""
    fit = (numbers >= 0) & (numbers < MOST) & (numbers == np.floor(numbers))
    wrong = np.flatnonzero(~fit.all(axis=1))
    if wrong.size:
        raise _refused(path, lines[wrong[0]], "sizes and places in a matrix are whole numbers, not negative")
    return numbers.astype(np.int64)


def _numbers(path: Path, lines: list[tuple[int, bytes]], columns: int) -> np.ndarray:
    """The numbers of lines, float64, ``columns`` each."""
    rows = [line.split() for _, line in lines]
    if set(map(len, rows)) - {columns}:
        wrong = next(line for row, line in zip(rows, lines, strict=True) if len(row) != columns)
        raise _refused(path, wrong, f"{columns} numbers are expected")
    words = list(chain.from_iterable(rows))
    try:
        numbers = _converted(words)
    except ValueError:
        wrong = next(line for row, line in zip(rows, lines, strict=True) if not all(map(_is_number, row)))
        raise _refused(path, wrong, f"{columns} numbers are expected") from None
    for at in np.flatnonzero(np.isinf(numbers)):
        if b"inf" not in words[at].lower():
            raise _refused(path, lines[at // columns], "a number is too large for double precision")
    return numbers.reshape(-1, columns)


def _converted(words: list[bytes]) -> np.ndarray:
    """The numbers of words, float64; ValueError where one is none."""
    if max(map(len, words), default=0) > SHORT or STRANGE.search(b" ".join(words)):
        return np.array([real(word) for word in words], float)
    with np.errstate(all="ignore"):
        return np.array(words, f"S{SHORT}").astype(float)


def _refused(path: Path, line: tuple[int, bytes], why: str) -> InputError:
    return InputError(f"{path}, line {line[0]:,}: {shown(line[1].strip())}; {why}")


def _is_number(word: bytes) -> bool:
    try:
        real(word)
    except ValueError:
        return False
    return True
