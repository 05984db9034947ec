"""How sure the columns of an alignment are, where it says so: a character a column, as Stockholm has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences

TAG = "PP_cons"
"""Posterior probability of a column: '0' to '9' for tenths, '*' for .95 and more, '.' for a column without one."""
TAGS = (TAG, "PP", "confidence")
LEVELS = b"0123456789*"


def confidence(alignment: AlignedSequences) -> np.ndarray | None:
    """The confidence of each column from 0 to 1, float32; NaN where there is none, None where nothing is said."""
    said = dict(alignment.annotations.of_columns)
    marks = next((said[tag] for tag in TAGS if tag in said), None)
    if marks is None:
        return None
    table = np.full(256, np.nan, np.float32)
    table[list(LEVELS)] = np.arange(len(LEVELS)) / (len(LEVELS) - 1)
    return table[np.frombuffer(marks.encode("latin-1", "replace"), np.uint8)]


def has_confidence(alignment: AlignedSequences) -> bool:
    """Whether something is said of the confidence of columns."""
    return any(tag in TAGS for tag, _ in alignment.annotations.of_columns)


def with_confidence(alignment: AlignedSequences, values: np.ndarray) -> AlignedSequences:
    """With this confidence of its columns, float (columns,) from 0 to 1, NaN for none; rounded to tenths."""
    levels = np.clip(np.rint(np.nan_to_num(values) * 10), 0, 10).astype(np.int64)
    marks = np.where(np.isnan(values), ord("."), np.frombuffer(LEVELS, np.uint8)[levels]).astype(np.uint8)
    kept = tuple(note for note in alignment.annotations.of_columns if note[0] not in TAGS)
    notes = replace(alignment.annotations, of_columns=(*kept, (TAG, marks.tobytes().decode())))
    return replace(alignment, annotations=notes)
