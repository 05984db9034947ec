"""Where each H of a table of alignment scores comes from, by the tie rule that the families share."""

from __future__ import annotations

import numpy as np

NONE, FROM_DIAGONAL, FROM_ABOVE, FROM_LEFT = 0, 1, 2, 3
"""The predecessor of H: none (a border or a local start), or a neighbour."""


def find_origins(
    cell_values: tuple[np.ndarray, np.ndarray, np.ndarray],
    pair_scores: np.ndarray,
    corner: tuple[int, int],
    is_local: bool,
    left_first: bool = False,
) -> np.ndarray:
    """Return the predecessor of each H: the diagonal if it gives H, then a gap from above (E), then from the left (F).

    The first row and column of the arrays lack a neighbour; they are right only at the border of the table.

    Parameters
    ----------
    cell_values : three int32 arrays (rows, columns)
        H, E and F.
    pair_scores : array (rows, columns)
        The score of aligning the letters, or columns of profiles, of each cell.
    corner : (int, int)
        The cell of the first value.
    is_local : bool
        Whether an alignment may start at every cell.
    left_first : bool
        Whether a gap from the left goes before one from above, because the sequences were swapped.

    Returns
    -------
    uint8 array (rows, columns)
        NONE, FROM_DIAGONAL, FROM_ABOVE or FROM_LEFT.
    """
    h, e, f = cell_values
    inside_rows, inside_columns = (np.arange(size) + low > 0 for size, low in zip(h.shape, corner, strict=True))
    diagonal = np.zeros(h.shape, bool)
    diagonal[1:, 1:] = h[1:, 1:] == h[:-1, :-1] + pair_scores[1:, 1:]
    diagonal &= inside_rows[:, None] & inside_columns
    gaps = [(h == e, FROM_ABOVE), (h == f, FROM_LEFT)][:: -1 if left_first else 1]
    conditions, origins = zip((diagonal, FROM_DIAGONAL), *gaps, strict=True)
    result = np.select(conditions, origins, NONE).astype(np.uint8)
    if is_local:
        result[h <= 0] = NONE
    elif corner == (0, 0):
        result[0, 0] = NONE
    return result
