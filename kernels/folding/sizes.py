"""Sizes of a table over all parts, for those who plan without computing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.memory import Footprint
from antidiag.kernels.steps import Logged, Share

PER_THREAD = {"int32": 4, "int64": 2}
"""Rows and columns of a tile that a thread of the GPU holds: 16 x 16 threads and their tile fit the shared memory."""

SHORT = 512
"""Things in a row below which threads are not worth their start."""


def padded(n: int, type: np.dtype | type) -> int:
    """Borders between n things in whole tiles of the GPU."""
    tile = 16 * PER_THREAD[np.dtype(type).name]
    return -(-(n + 1) // tile) * tile


def footprint(type: type, problem: Any, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the table; on the GPU in whole tiles, and once more as it is copied."""
    item = np.dtype(type).itemsize
    table = item * problem.n**2
    device = {"table in tiles": item * padded(problem.n, type) ** 2, "table": table} if backend == "cuda" else {}
    return Footprint(host={"table": table}, device=device)


def automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """All cores where the row is long."""
    return {"threads": workers.cores() if problem.n > SHORT else 1}


def logged(problem: Any, parameters: Mapping[str, Any], backend: str) -> Logged:
    """What the events of a run did: a part takes as many sums as it is long."""
    weights = _splits_of_levels if backend == "cuda" else _splits_of_blocks
    return Logged((Share(("table",), problem.cells, weights), Share(total=0)))


def _splits_of_blocks(events: np.ndarray) -> np.ndarray:
    """Of blocks of parts i..j, about the sum of j - i over those with j > i."""
    rows, columns = (events[f"{name}_end"] - events[f"{name}_start"] for name in ("row", "column"))
    apart = (events["column_start"] + events["column_end"] - events["row_start"] - events["row_end"]) / 2
    return np.where(apart > 0, rows * columns * apart, rows**3 / 6.0)


def _splits_of_levels(events: np.ndarray) -> np.ndarray:
    """Of antidiagonals of tiles, which are the columns of a log of launches."""
    tiles = events["column_end"].max(initial=1)
    middle = (events["column_start"] + events["column_end"]) / 2
    return (events["column_end"] - events["column_start"]) * (tiles - middle) * middle
