"""Semirings, and the matrix product over them (003, section 2.3).

A semiring has an addition, which chooses or collects, and a multiplication, which follows one step after another:
``min-plus`` (costs: the least of all sums), ``max-plus`` (scores), ``plus-times`` (ordinary numbers, probabilities).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

ELEMENT_FILE = Path(__file__).with_name("elements.cuh")
"""Device code of the numbers of a semiring, shared by all that compute with them."""

INFINITE = (1 << 30) - 1
"""Infinity in 32-bit integers: the sum of two such is still a 32-bit integer."""

FINITE_LIMIT = 1 << 29
"""A 32-bit integer from here on stands for infinity: an infinity may have lost what negative costs took from it."""


@dataclass(frozen=True, slots=True)
class Semiring:
    """``addition`` and ``multiplication`` are NumPy's; ``number`` is the semiring's in the device code."""

    id: str
    number: int
    addition: np.ufunc
    multiplication: np.ufunc

    def zero(self, type: np.dtype | type) -> int | float:
        """The neutral element of the addition: no way at all."""
        if self.addition is np.add:
            return 0
        sign = 1 if self.addition is np.minimum else -1
        return sign * (INFINITE if np.issubdtype(type, np.integer) else np.inf)

    def one(self) -> int:
        """The neutral element of the multiplication: staying where one is."""
        return 1 if self.multiplication is np.multiply else 0

    def identity(self, size: int, type: np.dtype | type) -> np.ndarray:
        """The matrix that changes nothing, shape (size, size)."""
        matrix = np.full((size, size), self.zero(type), type)
        np.fill_diagonal(matrix, self.one())
        return matrix


MIN_PLUS = Semiring("min-plus", 0, np.minimum, np.add)
MAX_PLUS = Semiring("max-plus", 1, np.maximum, np.add)
PLUS_TIMES = Semiring("plus-times", 2, np.add, np.multiply)
SEMIRINGS = (MIN_PLUS, MAX_PLUS, PLUS_TIMES)
