"""What the colours of an alignment may depend on: its columns, what its file says of them, what it is compared with."""

from __future__ import annotations

import numpy as np

from antidiag.app.views.aligned.schemes import Given
from antidiag.app.views.aligned.tracks import class_scores
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.io.aligned_confidence import confidence
from antidiag.kernels.model import SequenceType

STRUCTURE_TAGS = ("SS_cons", "SS", "SS_pred_cons", "structure")


def has_structure(alignment: AlignedSequences) -> bool:
    """Whether the file says something of the structure in columns, or in those of rows."""
    notes = alignment.annotations
    tags = {tag for tag, _ in notes.of_columns} | {tag for _, tag, _ in notes.of_letters}
    return not tags.isdisjoint(STRUCTURE_TAGS)


def structure(alignment: AlignedSequences) -> str:
    """What the file says of the structure in each column, or what most rows have there of which it says something; ""
    where it says nothing."""
    notes = alignment.annotations
    said = dict(notes.of_columns)
    if (found := next((said[tag] for tag in STRUCTURE_TAGS if tag in said), "")) or not has_structure(alignment):
        return found
    rows = [marks.encode("latin-1", "replace") for _, tag, marks in notes.of_letters if tag in STRUCTURE_TAGS]
    most, seen = np.zeros(alignment.letters.shape[1], np.int64), np.full(alignment.letters.shape[1], ord("."), np.uint8)
    cells = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
    for mark in sorted(set(b"".join(rows)) - set(b"-. ")):
        times = (cells == mark).sum(axis=0)
        seen[times > most] = mark
        most = np.maximum(most, times)
    return seen.tobytes().decode("latin-1")


def given(
    alignment: AlignedSequences, columns: Columns | None, row: int, agreement: np.ndarray | None, scheme: str
) -> Given:
    """What a scheme may want to know; ``row`` is the one at the cursor."""
    protein = alignment.type == SequenceType.PROTEIN
    scores = class_scores() if scheme == "blosum" else None
    sure = confidence(alignment) if scheme == "confidence" else None
    return Given(columns, protein, alignment.letters[row], scores, agreement, sure,
                 structure(alignment) if scheme == "structure" else "")  # fmt: skip


def lacking(alignment: AlignedSequences, compared: bool) -> frozenset[str]:
    """What schemes need and is not there: "agreement", "confidence", "structure"."""
    there = {
        "agreement": compared,
        "confidence": confidence(alignment) is not None,
        "structure": has_structure(alignment),
    }
    return frozenset(name for name, found in there.items() if not found)
