"""What the colours of an alignment may depend on: its columns, what its file says of them, what it is compared with."""

from __future__ import annotations

import numpy as np

from app.views.aligned.schemes import Given
from app.views.aligned.tracks import class_scores
from kernels.io.aligned import AlignedSequences
from kernels.io.aligned_columns import Columns
from kernels.io.aligned_confidence import confidence
from kernels.model import SequenceType

STRUCTURE_TAGS = ("SS_cons", "SS", "SS_pred_cons", "structure")


def structure(alignment: AlignedSequences) -> str:
    """What the file says of the structure in each column; "" where it says nothing."""
    said = dict(alignment.annotations.of_columns)
    return next((said[tag] for tag in STRUCTURE_TAGS if tag in said), "")


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
        "structure": bool(structure(alignment)),
    }
    return frozenset(name for name, found in there.items() if not found)
