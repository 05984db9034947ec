"""Inputs of colour schemes: column counts, annotation from the file, the comparison."""

from __future__ import annotations

import numpy as np

from antidiag.app.views.aligned.colouring.schemes import ColourInputs
from antidiag.app.views.aligned.columns.tracks import class_scores
from antidiag.kernels.alignments.column_confidence import column_confidence
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType

STRUCTURE_TAGS = ("SS_cons", "SS", "SS_pred_cons", "structure")


def has_structure(alignment: AlignedSequences) -> bool:
    """Whether the file annotates structure, of columns or of rows."""
    notes = alignment.annotations
    tags = {tag for tag, _ in notes.of_columns} | {tag for _, tag, _ in notes.of_letters}
    return not tags.isdisjoint(STRUCTURE_TAGS)


def structure_marks(alignment: AlignedSequences) -> str:
    """Return the structure annotation of columns, or the most frequent mark of the annotated rows; "" for none."""
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


def collect_inputs(
    alignment: AlignedSequences, columns: ColumnCounts | None, row: int, agreement: np.ndarray | None, scheme: str
) -> ColourInputs:
    """Return the inputs of a scheme; ``row`` is the row at the cursor."""
    protein = alignment.type == SequenceType.PROTEIN
    scores = class_scores() if scheme == "blosum" else None
    sure = column_confidence(alignment) if scheme == "confidence" else None
    marks = structure_marks(alignment) if scheme == "structure" else ""
    return ColourInputs(columns, protein, alignment.letters[row], scores, agreement, sure, marks)


def missing_inputs(alignment: AlignedSequences, has_comparison: bool) -> frozenset[str]:
    """Return the inputs that are missing: "agreement", "confidence", "structure"."""
    there = {
        "agreement": has_comparison,
        "confidence": column_confidence(alignment) is not None,
        "structure": has_structure(alignment),
    }
    return frozenset(name for name, found in there.items() if not found)
