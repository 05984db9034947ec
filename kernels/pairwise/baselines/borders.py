"""Block borders of EnhancedBA as they are before anything is computed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.pairwise.encoding import NEGATIVE, Encoded


class BlockBorders(NamedTuple):
    """What blocks leave for their neighbours; int32.

    ``above`` (2, n): H and E of the last finished row of each column; ``beside`` (2, m): H and F of the last finished
    column of each row; ``corners``: H of the last corner on each diagonal of blocks, from the lower left one on.
    """

    above: np.ndarray
    beside: np.ndarray
    corners: np.ndarray


def block_borders(pair: Encoded, s: int) -> BlockBorders:
    """Row 0, column 0 and the corners on them."""
    m, n = pair.rows.size, pair.columns.size
    above, beside = np.full((2, n), NEGATIVE, np.int32), np.full((2, m), NEGATIVE, np.int32)
    pair.put_border(above[0], 1)
    pair.put_border(beside[0], 1)
    on_left, on_top = pair.border(0, m, s), pair.border(0, n, s)
    return BlockBorders(above, beside, np.concatenate([on_left[:0:-1], on_top]))
