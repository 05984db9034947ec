"""Cost estimates of tables over all intervals, without computing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.memory import Footprint
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import LoggedWork, WorkShare

PER_THREAD = {"int32": 4, "int64": 2}
"""Rows and columns of a tile that a thread of the GPU holds: 16 x 16 threads and their tile fit the shared memory."""

SHORT = 512
"""With fewer letters or matrices, one thread is faster than several."""


def padded_size(n: int, type: np.dtype | type) -> int:
    """Return the number of borders between n letters or matrices, rounded up to whole GPU tiles."""
    tile = 16 * PER_THREAD[np.dtype(type).name]
    return -(-(n + 1) // tile) * tile


def estimate_memory(type: type, problem: Any, parameters: ThreadParameters, backend: str) -> Footprint:
    """Return the bytes of a run: the table; on the GPU in whole tiles, and once more as it is copied."""
    item = np.dtype(type).itemsize
    table = item * problem.n**2
    device = {"table in tiles": item * padded_size(problem.n, type) ** 2, "table": table} if backend == "cuda" else {}
    return Footprint(host={"table": table}, device=device)


def choose_parameters(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Return the automatic parameters: all cores for a long sequence."""
    return {"threads": workers.count_processors() if problem.n > SHORT else 1}


def describe_log(problem: Any, parameters: ThreadParameters, backend: str) -> LoggedWork:
    """Return which work the events of a run stand for: an interval takes as many sums as it has letters."""
    weights = _splits_of_levels if backend == "cuda" else _splits_of_blocks
    return LoggedWork((WorkShare(("table",), problem.cells, weights), WorkShare(total=0)))


def _splits_of_blocks(events: np.ndarray) -> np.ndarray:
    """Return the splits of each block: about the sum of j - i over its intervals i..j with j > i."""
    rows, columns = (events[f"{name}_end"] - events[f"{name}_start"] for name in ("row", "column"))
    apart = (events["column_start"] + events["column_end"] - events["row_start"] - events["row_end"]) / 2
    return np.where(apart > 0, rows * columns * apart, rows**3 / 6.0)


def _splits_of_levels(events: np.ndarray) -> np.ndarray:
    """Return the splits of each antidiagonal of tiles, which are the columns of a log of launches."""
    tiles = events["column_end"].max(initial=1)
    middle = (events["column_start"] + events["column_end"]) / 2
    return (events["column_end"] - events["column_start"]) * (tiles - middle) * middle
