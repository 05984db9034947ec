"""The colours of scores and times in pictures of a cube."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyqtgraph as pg


@cache
def colour_table() -> np.ndarray:
    """Return the colours of scores and times: uint8 (256, 3), read-only."""
    found = pg.colormap.get("viridis").getLookupTable(nPts=256)[:, :3]
    found.setflags(write=False)
    return found


def pack_argb(colours: np.ndarray) -> np.ndarray:
    """Pack colours (n, 3) as uint32 of QImage.Format_ARGB32."""
    red, green, blue = (colours[:, channel].astype(np.uint32) for channel in range(3))
    return np.uint32(255 << 24) | red << 16 | green << 8 | blue
