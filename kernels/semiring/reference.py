"""Matrix products over a semiring by the definition, against which tests compare."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.semiring import MIN_PLUS, Semiring


def multiply_by_definition(a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS) -> np.ndarray:
    """Return ``c[i, j]``, the semiring's sum over k of ``a[i, k]`` times ``b[k, j]``.

    Shapes (..., m, d) and (..., d, n) give (..., m, n); leading axes are batches. An empty sum is the semiring's zero,
    and so is every number beyond it.
    """
    zero = semiring.zero_element(a.dtype)
    terms = semiring.multiplication(a[..., :, :, None], b[..., None, :, :])
    return semiring.addition.reduce(terms, axis=-2, initial=zero, dtype=a.dtype)


def multiply_with_indices(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the (min, +) product and the smallest k of every minimum; -1 where no sum is finite."""
    terms = a[:, :, None] + b[None, :, :]
    indices = terms.argmin(axis=1).astype(np.int32)
    values = np.minimum(terms.min(axis=1), MIN_PLUS.zero_element(a.dtype)).astype(a.dtype)
    indices[values >= MIN_PLUS.zero_element(a.dtype)] = -1
    return values, indices
