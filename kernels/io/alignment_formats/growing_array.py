"""Memory for letters whose number is not known in advance."""

from __future__ import annotations

import numpy as np

GROWTH = 1.5


class GrowingArray:
    """An array of ``size`` bytes that grows where more are needed."""

    def __init__(self, size: int) -> None:
        self._bytes = np.empty(size, np.uint8)

    def grow_to(self, size: int) -> np.ndarray:
        """Return memory for at least so many bytes, uint8; what was written stays.

        An array that was returned before must not be used any longer.
        """
        if size > self._bytes.size:
            self._bytes.resize(int(GROWTH * size), refcheck=False)
        return self._bytes

    def trim(self, size: int) -> np.ndarray:
        """Return the first bytes and give the others back."""
        found, self._bytes = self._bytes, np.empty(0, np.uint8)
        found.resize(size, refcheck=False)
        return found
