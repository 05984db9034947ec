"""Posteriors of two rows as a table for files and people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.msa.consistency.pair_support import PairSupport
from antidiag.kernels.msa.consistency.posteriors.pair_models import CUT, UNIT

HEAD = (
    *("first_letter", "second_letter", "first_column", "second_column", "posterior", "consistent", "together"),
    "best_third",
)
Entry = tuple[int, int, int, int, float, float, bool, str]


def list_entries(alignment: AlignedSequences, pair_support: PairSupport) -> Iterator[Entry]:
    """Yield all pairs of letters with a posterior of at least .01 before or after consistency (HEAD), counted from 1.

    ``together`` says whether they share a column; ``best_third`` is the third row that supports them most.
    """
    rows, columns = np.nonzero(np.maximum(pair_support.before, pair_support.after) >= CUT / UNIT)
    said = pair_support.score_thirds(rows, columns)
    best = said.argmax(axis=0) if said.size else np.zeros(rows.size, np.int64)
    for p, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        at, beside = int(pair_support.columns[0][i]), int(pair_support.columns[1][j])
        supported = said.size > 0 and said[best[p], p] > 0
        third = alignment.names[int(pair_support.thirds[best[p]])] if supported else ""
        before, after = float(pair_support.before[i, j]), float(pair_support.after[i, j])
        yield i + 1, j + 1, at + 1, beside + 1, before, after, at == beside, third


def list_supporters(alignment: AlignedSequences, pair_support: PairSupport) -> list[tuple[str, float]]:
    """Return the third rows and their mean support, highest first."""
    order = np.argsort(-pair_support.mean_support, kind="stable")
    return [(alignment.names[int(pair_support.thirds[z])], float(pair_support.mean_support[z])) for z in order]
