"""What is used of cupy.cublas, by NumPy: results are written where CuPy writes them."""

from __future__ import annotations

from typing import Any

import numpy as np


def gemm(a: str, b: str, left: Any, right: Any, out: Any, alpha: float = 1.0, beta: float = 0.0) -> Any:
    """out = alpha op(left) op(right) + beta out."""
    kept = beta * out.values if beta else 0
    out.values[...] = alpha * (_turned(a, left.values) @ _turned(b, right.values)) + kept
    return out


def gemv(a: str, alpha: float, matrix: Any, x: Any, beta: float, y: Any) -> None:
    """y = alpha op(matrix) x + beta y."""
    kept = beta * y.values if beta else 0
    y.values[...] = alpha * (_turned(a, matrix.values) @ x.values) + kept


def axpy(alpha: float, x: Any, y: Any) -> None:
    """y = alpha x + y."""
    y.values[...] += alpha * x.values


def nrm2(x: Any, out: np.ndarray) -> np.ndarray:
    """The Euclidean norm, into an array of the host."""
    out[...] = np.linalg.norm(x.values)
    return out


def _turned(how: str, values: np.ndarray) -> np.ndarray:
    return {"N": values, "T": values.T}[how]
