"""Initial values of the block borders of EnhancedBA."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair


class BlockBorders(NamedTuple):
    """The border values that blocks leave for their neighbours; int32.

    ``above`` (v, n): H and E of the last finished row of each column; ``beside`` (v, m): H and F of the last finished
    column of each row; v is 2, or 3 where gap costs have two pieces. ``corners``: H of the last corner on each diagonal
    of blocks, from the lower left one on;
    ``last_column`` (m): H of the last column of the matrix, where it is kept apart.
    """

    above: np.ndarray
    beside: np.ndarray
    corners: np.ndarray
    last_column: np.ndarray


def initial_block_borders(pair: EncodedPair, s: int) -> BlockBorders:
    """Return row 0, column 0 and the block corners on them."""
    m, n = pair.rows.size, pair.columns.size
    above, beside = (np.full((pair.value_count, size), NEGATIVE, np.int32) for size in (n, m))
    above[0], beside[0] = pair.top_scores(1, n + 1), pair.left_scores(1, m + 1)
    on_left, on_top = pair.left_scores(0, m, s), pair.top_scores(0, n, s)
    return BlockBorders(above, beside, np.concatenate([on_left[:0:-1], on_top]), np.empty(0, np.int32))
