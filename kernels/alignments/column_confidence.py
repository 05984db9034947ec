"""The confidence of alignment columns, as Stockholm files give it: one character a column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences

CONFIDENCE_TAG = "PP_cons"
"""Posterior probability of a column: '0' to '9' for tenths, '*' for .95 and more, '.' for a column without one."""
CONFIDENCE_TAGS = (CONFIDENCE_TAG, "PP", "confidence")
LEVELS = b"0123456789*"


def column_confidence(alignment: AlignedSequences) -> np.ndarray | None:
    """Return the confidence of each column from 0 to 1, float32; NaN for a column without one, None for no
    confidence at all."""
    said = dict(alignment.annotations.of_columns)
    marks = next((said[tag] for tag in CONFIDENCE_TAGS if tag in said), None)
    if marks is None:
        return None
    table = np.full(256, np.nan, np.float32)
    table[list(LEVELS)] = np.arange(len(LEVELS)) / (len(LEVELS) - 1)
    return table[np.frombuffer(marks.encode("latin-1", "replace"), np.uint8)]


def has_confidence(alignment: AlignedSequences) -> bool:
    """Return whether the alignment has confidences of columns."""
    return any(tag in CONFIDENCE_TAGS for tag, _ in alignment.annotations.of_columns)


def with_confidence(alignment: AlignedSequences, values: np.ndarray) -> AlignedSequences:
    """Return the alignment with these confidences, float (columns,) from 0 to 1, NaN for none; rounded to tenths."""
    levels = np.clip(np.rint(np.nan_to_num(values) * 10), 0, 10).astype(np.int64)
    marks = np.where(np.isnan(values), ord("."), np.frombuffer(LEVELS, np.uint8)[levels]).astype(np.uint8)
    kept = tuple(note for note in alignment.annotations.of_columns if note[0] not in CONFIDENCE_TAGS)
    notes = replace(alignment.annotations, of_columns=(*kept, (CONFIDENCE_TAG, marks.tobytes().decode())))
    return replace(alignment, annotations=notes)
