"""Distance matrices: the data type and its checks."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.unique_names import first_repeated
from antidiag.kernels.serialization import stored

ROUNDING = 1e-6
"""Two numbers for one pair may differ by this part of the larger one, as rounded numbers do."""
BATCH_ROWS = 512
"""Rows in a batch."""
TILE = 256
"""Rows and columns of a tile; a tile and its mirror fit the cache of a core."""


@stored("distance-matrix")
@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """Distances between taxa: ``values`` is square and symmetric, float32 or float64, 0 on the diagonal, read-only.

    `make_distance_matrix` makes one and checks its numbers. ``source`` is the file; ``note`` says what reading changed.
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

    @cached_property
    def max_distance(self) -> float:
        """The greatest distance. It is kept, because every plan of a run asks for it and a large matrix takes long
        to read."""
        parts = [self.values[at : at + TILE] for at in range(0, len(self), TILE)]
        return max(workers.map_on_threads(lambda rows: float(rows.max(initial=0)), parts), default=0.0)

    @property
    def summary(self) -> str:
        """The size in a few words: "24 taxa"."""
        return f"{len(self):,} tax{'on' if len(self) == 1 else 'a'}"


def make_distance_matrix(
    names: Iterable[str], values: np.ndarray, name: str = "distances", source: str = "", note: str = ""
) -> DistanceMatrix:
    """Make a distance matrix from names and numbers.

    Two numbers for one pair that differ only by rounding become their mean.

    Parameters
    ----------
    names : iterable of str
    values : array, shape (taxa, taxa)
        Taken over and made read-only.
    name, source, note : str

    Raises
    ------
    InputError
        Where the shape is wrong, a name occurs twice, or a number is NaN, infinite, negative, asymmetric, or not 0 on
        the diagonal; the text names the taxon or the pair.
    """
    names, place = tuple(names), source or name
    values = np.ascontiguousarray(values, np.float32 if values.dtype == np.float32 else np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError(
            f"{place}: a distance matrix is square, but this array has shape {values.shape}; give one row and "
            "column a taxon"
        )
    if values.shape[0] != len(names):
        raise InputError(f"{place}: {len(names):,} names for {values.shape[0]:,} rows; give one name a row")
    if not names:
        raise InputError(f"{place}: the distance matrix has no taxa; give at least one")
    if twice := first_repeated(names):
        rows = " and ".join(f"{row + 1:,}" for row in twice)
        raise InputError(f"{place}: taxon {names[twice[0]]} occurs twice, in rows {rows}; rename or remove one")
    if values.flags.owndata:
        values.setflags(write=True)
    else:
        values = values.copy()
    if not all(workers.map_on_threads(lambda at: _symmetrize_tiles(values, at), range(0, len(names), TILE))):
        for at in range(0, len(names), BATCH_ROWS):
            _check_rows(names, values, slice(at, at + BATCH_ROWS), place)
    values.setflags(write=False)
    return DistanceMatrix(names, values, name, source, note)


def are_distances(values: np.ndarray) -> bool:
    """Return whether a square array holds distances: finite, not negative, exactly symmetric, 0 on the diagonal."""
    return all(workers.map_on_threads(lambda at: _tiles_are_distances(values, at), range(0, len(values), TILE)))


def numbered_names(count: int) -> tuple[str, ...]:
    """Return names for taxa without any: 1, 2, ..."""
    return tuple(str(number) for number in range(1, count + 1))


def _tiles_are_distances(values: np.ndarray, at: int) -> bool:
    """Return whether the tiles of one row of tiles, from the diagonal to the right, and their mirrors hold
    distances."""
    rows = slice(at, at + TILE)
    if np.diagonal(values[rows, rows]).any():
        return False
    beside = (slice(first, first + TILE) for first in range(at, len(values), TILE))
    pairs = ((values[rows, columns], values[columns, rows].T) for columns in beside)
    return all(one.min() >= 0 and one.max() < np.inf and np.array_equal(one, other) for one, other in pairs)


def _symmetrize_tiles(values: np.ndarray, at: int) -> bool:
    """Make the tiles of one row of tiles symmetric with their mirrors; return False where a number is wrong."""
    rows = slice(at, at + TILE)
    if np.diagonal(values[rows, rows]).any():
        return False
    for beside in range(at, len(values), TILE):
        columns = slice(beside, beside + TILE)
        tile, mirror = values[rows, columns], values[columns, rows].T
        if not (tile.min() >= 0 and tile.max() < np.inf):
            return False
        if np.array_equal(tile, mirror):
            continue
        if not (mirror.max() < np.inf and (np.abs(tile - mirror) <= ROUNDING * np.maximum(tile, mirror)).all()):
            return False
        mean = tile / 2 + mirror / 2
        values[rows, columns], values[columns, rows] = mean, mean.T
    return True


def _check_rows(names: Sequences[str], values: np.ndarray, rows: slice, place: str) -> None:
    """Refuse a wrong number in some rows, and say where it is."""
    block, mirror = values[rows], values[:, rows].T
    if not np.isfinite(block).all():
        i, j = np.argwhere(~np.isfinite(block))[0]
        raise InputError(
            f"{place}: the distance of {_pair_text(names, rows.start + i, j)} is {block[i, j]}; give a number"
        )
    if (block < 0).any():
        i, j = np.argwhere(block < 0)[0]
        raise InputError(
            f"{place}: the distance of {_pair_text(names, rows.start + i, j)} is {block[i, j]:g}; give a number that "
            "is not negative"
        )
    if (diagonal := np.diagonal(block, rows.start)).any():
        i = rows.start + int(np.flatnonzero(diagonal)[0])
        raise InputError(
            f"{place}: the distance of {names[i]} from itself is {values[i, i]:g}, not 0; give distances, not "
            "similarities"
        )
    apart = np.abs(block - mirror) > ROUNDING * np.maximum(block, mirror)
    if apart.any():
        i, j = np.argwhere(apart)[0]
        raise InputError(
            f"{place}: not symmetric: the distance of {_pair_text(names, rows.start + i, j)} is {block[i, j]:g} "
            f"in one row and {mirror[i, j]:g} in the other; correct either"
        )


def _pair_text(names: Sequences[str], i: int, j: int) -> str:
    return f"{names[i]} and {names[j]}"
