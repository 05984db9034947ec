"""Matrix products over a semiring as they are defined: short, slow, and right."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.semiring import MIN_PLUS, Semiring


def product(a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS) -> np.ndarray:
    """``c[i, j]``, the sum over k of ``a[i, k]`` times ``b[k, j]``, both as the semiring means them.

    Shapes (..., m, d) and (..., d, n) give (..., m, n); leading axes are batches. An empty sum is the semiring's
    zero, which is also what all numbers beyond it become.
    """
    zero = semiring.zero(a.dtype)
    terms = semiring.multiplication(a[..., :, :, None], b[..., None, :, :])
    return semiring.addition.reduce(terms, axis=-2, initial=zero, dtype=a.dtype)


def indexed_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product and the k that it was reached by: the smallest one; -1 where no way is finite."""
    terms = a[:, :, None] + b[None, :, :]
    indices = terms.argmin(axis=1).astype(np.int32)
    values = np.minimum(terms.min(axis=1), MIN_PLUS.zero(a.dtype)).astype(a.dtype)
    indices[values >= MIN_PLUS.zero(a.dtype)] = -1
    return values, indices
