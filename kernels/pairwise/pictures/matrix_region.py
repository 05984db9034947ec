"""A region of the matrix to be drawn, from known values above and left of it; both backends fill it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.pairwise.encoding import EncodedPair


@dataclass(frozen=True, eq=False)
class MatrixRegion:
    """A region of the matrix, and the arrays to fill. Its rows and columns are counted from 1.

    ``pair`` are its letters, at least one row and one column; ``top`` int32 (v, n + 1) and ``left`` int32 (v, m + 1 or
    more): H and G above it, H and K on its left, None where these are the borders of the matrix; v is 2, or 3 where gap
    costs have two pieces. ``bands`` int64
    (bands, 3): the last row of a band, its row of pixels, and the place of its last row in ``rows``, -1 for none.
    ``pixel_columns`` int64 (n + 1): the column of pixels of each column, -1 for none; None: no pixels.
    ``column_numbers`` int64: columns that are kept in ``columns``, in order.

    To be filled: ``image`` int32, which takes maxima; ``rows`` int32 (kept, v, n + 1), H and G, from column 1 on;
    ``columns`` int32 (kept, v, m + 16), H and K, from row 1 on.
    """

    pair: EncodedPair
    top: np.ndarray | None
    left: np.ndarray | None
    bands: np.ndarray
    pixel_columns: np.ndarray | None = None
    image: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int32))
    rows: np.ndarray = field(default_factory=lambda: np.empty((0, 2, 1), np.int32))
    columns: np.ndarray = field(default_factory=lambda: np.empty((0, 2, 1), np.int32))
    column_numbers: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def column_pixels(self) -> np.ndarray:
        """The column of pixels of each column, int64 (n + 1)."""
        return np.full(self.pair.columns.size + 1, -1) if self.pixel_columns is None else self.pixel_columns
