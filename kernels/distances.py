"""Distance matrices: the noun, and PHYLIP and NPY files in and out.

A PHYLIP matrix begins with the number of taxa; then every taxon has a record: its name, and distances to all taxa
(square), to those before it (lower triangle) or to those after it (upper triangle), the triangles with or without
the 0 on the diagonal. A name is a word (relaxed) or fills ten characters (strict). A record begins on a line of its
own and may go on over further lines.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kernels import reading
from kernels.errors import InputError
from kernels.files import write_bytes, write_lines
from kernels.method import DataKind
from kernels.monitor import Monitor
from kernels.names import distinct, first_repeated

ROUNDING = 1e-6
"""Two numbers for one pair may differ by this part of the larger one: they were rounded when they were written."""

BLOCK = 512
"""Rows checked or mirrored at a time."""

NPY = b"\x93NUMPY"
NAMES_SUFFIX = ".names"


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """Distances between taxa: ``values`` is square and symmetric, float32 or float64, 0 on the diagonal, read-only.

    Make one with `checked`, which refuses what no distance is; ``source`` is the file, ``note`` tells the user what
    reading changed.
    """

    names: tuple[str, ...]
    values: np.ndarray = field(repr=False)
    name: str = "distances"
    source: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DistanceMatrix)
            and self.names == other.names
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.names[:16], self.values[:1].tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words: "24 taxa"."""
        return f"{len(self):,} tax{'on' if len(self) == 1 else 'a'}"


def checked(
    names: Iterable[str], values: np.ndarray, name: str = "distances", source: str = "", note: str = ""
) -> DistanceMatrix:
    """A distance matrix of these names and numbers; takes ``values`` over and makes it read-only.

    Two numbers for a pair that differ by rounding alone become their mean. Raises InputError that names taxon or
    pair: wrong shape, a name that is there twice, NaN or infinite, negative, asymmetric, or not 0 on the diagonal.
    """
    names, place = tuple(names), source or name
    values = np.ascontiguousarray(values, np.float32 if values.dtype == np.float32 else np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError(f"{place}: a distance matrix is square, and this array has shape {values.shape}")
    if values.shape[0] != len(names):
        raise InputError(f"{place}: {len(names):,} names for {values.shape[0]:,} rows; give one name a row")
    if not names:
        raise InputError(f"{place}: a distance matrix of no taxa; give at least one")
    if twice := first_repeated(names):
        rows = " and ".join(f"{row + 1:,}" for row in twice)
        raise InputError(f"{place}: taxon {names[twice[0]]} is there twice, in rows {rows}; rename or remove one")
    if values.flags.owndata:
        values.setflags(write=True)
    else:
        values = values.copy()
    for at in range(0, len(names), BLOCK):
        _check_rows(names, values, slice(at, at + BLOCK), place)
    values.setflags(write=False)
    return DistanceMatrix(names, values, name, source, note)


def claims(path: Path, head: bytes) -> bool:
    """Whether a file holds a distance matrix, by its first bytes."""
    if head.startswith(NPY):
        return True
    first, _, rest = reading.plain(head.lstrip()).partition(b"\n")
    return first.strip().isdigit() and bool(rest.strip()) and not rest.lstrip().startswith(b">")


def read(path: str | Path, monitor: Monitor | None = None) -> list[DistanceMatrix]:
    """The distance matrix of a PHYLIP file, plain or gzipped, or of an NPY file.

    An NPY file holds a square array; the names stand in a file beside it with the suffix .names, one a line, or are
    numbers from 1. Raises InputError that names file and line, or file and taxa.
    """
    path, monitor = Path(path), monitor or Monitor()
    if _head(path).startswith(NPY):
        return [_from_npy(path)]
    from kernels import distances_text

    text = b"".join(reading.blocks(path, monitor))
    return [distances_text.parse(text, str(path), _stem(path), monitor)]


def phylip(matrix: DistanceMatrix, layout: str = "square") -> Iterator[str]:
    """A PHYLIP file in pieces, square or lower; relaxed names, blanks in them made underscores, each there once."""
    yield f"{len(matrix)}\n"
    words = ("_".join(name.split()) or f"unnamed-{row + 1}" for row, name in enumerate(matrix.names))
    for row, word in enumerate(distinct(words)):
        numbers = matrix.values[row, : row if layout == "lower" else None].tolist()
        yield " ".join([f"{word:10}", *[f"{number:.9g}" for number in numbers]]) + "\n"


def write(path: str | Path, matrix: DistanceMatrix) -> None:
    """Write a matrix as PHYLIP, or as NPY with its names beside where the suffix is .npy; errors as `write_lines`."""
    path = Path(path)
    if path.suffix.lower() != ".npy":
        write_lines(path, phylip(matrix), packed=path.suffix.lower() == ".gz")
        return
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(matrix.values))
    rows = (matrix.values[at : at + BLOCK].tobytes() for at in range(0, len(matrix), BLOCK))
    write_bytes(path, (header.getvalue(), *rows))
    names = distinct(" ".join(name.split()) for name in matrix.names)
    write_lines(path.with_suffix(NAMES_SUFFIX), (f"{name}\n" for name in names))


def additive(count: int, random: np.random.Generator, noise: float = 0.0) -> np.ndarray:
    """Distances along a random tree of ``count`` leaves, float64, each multiplied by 1 + ``noise`` x a normal number.

    Random pairs of clusters are united until one is left; edge lengths are uniform in 0.1 .. 1.
    """
    values, depths = np.zeros((count, count)), np.zeros(count)
    clusters = [np.array([leaf]) for leaf in range(count)]
    while len(clusters) > 1:
        first = clusters.pop(int(random.integers(len(clusters))))
        second = clusters.pop(int(random.integers(len(clusters))))
        for cluster in (first, second):
            depths[cluster] += random.uniform(0.1, 1.0)
        values[np.ix_(first, second)] = depths[first, None] + depths[second]
        clusters.append(np.concatenate([first, second]))
    values += values.T
    if noise:
        factors = np.triu(1 + noise * random.standard_normal((count, count)), 1)
        values *= np.maximum(factors + factors.T, 0.0)
    return values


def generate(count: int, random: np.random.Generator) -> DistanceMatrix:
    """The distances along a random tree, 5 % of noise on each."""
    return checked(numbered(count), additive(count, random, 0.05), f"random tree of {count:,}")


def numbered(count: int) -> tuple[str, ...]:
    """Names for taxa without any: 1, 2, ..."""
    return tuple(str(number) for number in range(1, count + 1))


def _check_rows(names: Sequences[str], values: np.ndarray, rows: slice, place: str) -> None:
    """Refuse what is wrong in some rows, and make their part of the matrix symmetric to the last bit."""
    block, mirror = values[rows], values[:, rows].T
    if not np.isfinite(block).all():
        i, j = np.argwhere(~np.isfinite(block))[0]
        raise InputError(f"{place}: the distance of {_pair(names, rows.start + i, j)} is {block[i, j]}; give a number")
    if (block < 0).any():
        i, j = np.argwhere(block < 0)[0]
        raise InputError(
            f"{place}: the distance of {_pair(names, rows.start + i, j)} is {block[i, j]:g}; none can be negative"
        )
    if (diagonal := np.diagonal(block, rows.start)).any():
        i = rows.start + int(np.flatnonzero(diagonal)[0])
        raise InputError(
            f"{place}: the distance of {names[i]} from itself is {values[i, i]:g}, not 0; are these similarities?"
        )
    if np.array_equal(block, mirror):
        return
    apart = np.abs(block - mirror) > ROUNDING * np.maximum(block, mirror)
    if apart.any():
        i, j = np.argwhere(apart)[0]
        raise InputError(
            f"{place}: not symmetric: the distance of {_pair(names, rows.start + i, j)} is {block[i, j]:g} "
            f"in one row and {mirror[i, j]:g} in the other"
        )
    mean = (block + mirror) / 2
    values[rows], values[:, rows] = mean, mean.T


def _pair(names: Sequences[str], i: int, j: int) -> str:
    return f"{names[i]} and {names[j]}"


def _head(path: Path) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read(len(NPY))
    except OSError:
        return b""


def _stem(path: Path) -> str:
    """The file's name without its suffixes of format and compression."""
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def _from_npy(path: Path) -> DistanceMatrix:
    try:
        values: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path}: not a valid NPY file: {error}; write it again with numpy.save") from error
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: an array of {values.dtype} and shape {values.shape}; a distance matrix is square, of numbers"
        )
    beside = path.with_suffix(NAMES_SUFFIX)
    names = numbered(len(values))
    if beside.is_file():
        names = tuple(beside.read_text(encoding="utf-8").splitlines())
    return checked(names, values, _stem(path), str(path))


DISTANCE_MATRIX = DataKind(
    id="distance-matrix",
    label="distance matrix",
    plural="distance matrices",
    type=DistanceMatrix,
    claims=claims,
    read=read,
    suffixes=(".phy", ".phylip", ".dist", ".mat", ".npy"),
    generate=generate,
)
