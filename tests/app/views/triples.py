"""Results of three small sequences, from the textbook recurrence, for the tests of the views."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

import numpy as np

from antidiag.kernels.model import Result
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.grid import make_grid
from antidiag.kernels.triple.model import TripleAnswer, TripleProblem
from antidiag.kernels.triple.problem import build_problem
from tests.app.views.examples import related, sequence


@lru_cache
def problem(length: int = 20, gap_open: int = 0) -> TripleProblem:
    """Three related sequences of about this length."""
    (first, second), (_, third) = related(length, 5), related(length, 6)
    named = zip((first, second, third[: length + 1]), ("first", "second", "third"), strict=True)
    return build_problem([sequence(name, letters) for letters, name in named], {"gap_open": gap_open})


@lru_cache
def answer(triple: TripleProblem) -> TripleAnswer:
    return reference.align_triple(triple)


def result(triple: TripleProblem, score_only: bool = False, s: int = 8, h: int = 8, threads: int = 2) -> Result:
    """A result as a run of SLOPED-BT2 gives it, with a step log of two windows a chunk and of phase 3."""
    found = answer(triple)
    return Result(
        method="sloped" if score_only else "sloped-bt2",
        problem=triple,
        parameters={"s": s, "threads": threads} | ({} if score_only else {"h": h}),
        backend="cpu",
        device="Test processor",
        answer=TripleAnswer(found.score, found.end, None if score_only else found.alignment),
        times_ms={"phase 1": 12.5} | ({} if score_only else {"phase 3": 3.1}),
        host_bytes=3_000_000,
        device_bytes=0,
        started=datetime(2025, 3, 4, 12, 4, tzinfo=UTC),
        steps=steps(triple, score_only, s, h, threads),
    )


def steps(triple: TripleProblem, score_only: bool, s: int, h: int, threads: int) -> StepLog:
    log, chunks = StepLog(), make_grid(triple, s, h)
    layers = chunks.cells[2]
    path = np.empty((0, 3), np.int64) if score_only else answer(triple).alignment.cells()
    for number, (row, column) in enumerate(chunks.chunk_order()):
        rows, columns = _letters(row, s, chunks.cells[0]), _letters(column, s, chunks.cells[1])
        for window in range(2):
            start = 1_000_000 * (2 * number + window)
            span = (window * layers // 2, (layers - 1) if window else layers // 2)
            log.add(1, number, rows, columns, number % threads, start, start + 900_000, span)
        inside = path[(path[:, 0] // s == row) & (path[:, 1] // s == column)]
        for box in np.unique(inside[:, 2] // h).tolist():
            start, last = 50_000_000 + 1_000_000 * number, min((box + 1) * h, layers) - 1
            log.add(3, number, rows, columns, number % threads, start, start + 500_000, (max(box * h - 1, 0), last))
    return log


def _letters(place: int, s: int, cells: int) -> tuple[int, int]:
    """Cells of a row or column of the grid, as a range of letters (kernels.steps)."""
    return max(place * s - 1, 0), min((place + 1) * s, cells) - 1
