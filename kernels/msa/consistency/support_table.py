"""Posteriors of two rows as a table, for files and for people; no view is needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.msa.consistency.models import CUT, UNIT
from antidiag.kernels.msa.consistency.support import PairSupport

HEAD = (
    *("first_letter", "second_letter", "first_column", "second_column", "posterior", "consistent", "together"),
    "best_third",
)
Entry = tuple[int, int, int, int, float, float, bool, str]


def entries(alignment: AlignedSequences, found: PairSupport) -> Iterator[Entry]:
    """All pairs of letters of .01 and more, before or after consistency (HEAD); letters and columns from 1.

    ``together`` says whether they stand in one column, ``best_third`` is the third row that supports them most.
    """
    rows, columns = np.nonzero(np.maximum(found.before, found.after) >= CUT / UNIT)
    said = found.support(rows, columns)
    best = said.argmax(axis=0) if said.size else np.zeros(rows.size, np.int64)
    for p, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        at, beside = int(found.columns[0][i]), int(found.columns[1][j])
        supported = said.size > 0 and said[best[p], p] > 0
        third = alignment.names[int(found.thirds[best[p]])] if supported else ""
        before, after = float(found.before[i, j]), float(found.after[i, j])
        yield i + 1, j + 1, at + 1, beside + 1, before, after, at == beside, third


def supporters(alignment: AlignedSequences, found: PairSupport) -> list[tuple[str, float]]:
    """Third rows and their mean support for what stands in one column, the highest first."""
    order = np.argsort(-found.mean_support, kind="stable")
    return [(alignment.names[int(found.thirds[z])], float(found.mean_support[z])) for z in order]
