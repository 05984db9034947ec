"""The confidence of alignment columns, as Stockholm files give it: one character a column."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences

CONFIDENCE_TAGS = ("PP_cons", "PP", "confidence")
"""Posterior probability of a column: '0' to '9' for tenths, '*' for .95 and more, '.' for a column without one."""
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
