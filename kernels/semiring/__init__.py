"""Semirings, and the matrix product over them (Hanif 2014, section 2.3).

The addition of a semiring combines alternatives, its multiplication successive steps: ``min-plus`` (costs),
``max-plus`` (scores), ``plus-times`` (ordinary numbers, probabilities).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

ELEMENT_FILE = Path(__file__).with_name("elements.cuh")
"""Device code of the numbers and operations of a semiring."""

INFINITE = (1 << 30) - 1
"""Infinity in 32-bit integers: the sum of two infinities does not overflow."""

FINITE_LIMIT = 1 << 29
"""32-bit integers of at least this size are infinite: negative costs may have been added to an infinity."""


@dataclass(frozen=True, slots=True)
class Semiring:
    """A semiring: NumPy's functions for its operations, and its ``number`` in device code."""

    id: str
    number: int
    addition: np.ufunc
    multiplication: np.ufunc

    def zero_element(self, type: np.dtype | type) -> int | float:
        """Return the neutral element of the addition: there is no path."""
        if self.addition is np.add:
            return 0
        sign = 1 if self.addition is np.minimum else -1
        return sign * (INFINITE if np.issubdtype(type, np.integer) else np.inf)

    def one_element(self) -> int:
        """Return the neutral element of the multiplication: a path without steps."""
        return 1 if self.multiplication is np.multiply else 0

    def identity_matrix(self, size: int, type: np.dtype | type) -> np.ndarray:
        """Return the identity matrix, shape (size, size)."""
        matrix = np.full((size, size), self.zero_element(type), type)
        np.fill_diagonal(matrix, self.one_element())
        return matrix


MIN_PLUS = Semiring("min-plus", 0, np.minimum, np.add)
MAX_PLUS = Semiring("max-plus", 1, np.maximum, np.add)
PLUS_TIMES = Semiring("plus-times", 2, np.add, np.multiply)
SEMIRINGS = (MIN_PLUS, MAX_PLUS, PLUS_TIMES)
