"""Distances between the rows of an alignment, from the columns in which they differ.

A file of aligned FASTA opens as sequences by default, for its first bytes do not say that it is aligned; a method that
takes an alignment reads it as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences.alphabets import ambiguous_letters

MODELS = ("p", "jukes-cantor", "kimura")

PURINES, PYRIMIDINES = b"AG", b"CTU"
CLASS_SHIFT = 6
LETTER_BITS = 5
"""Bits of a letter; the two bits of its class follow."""

SATURATED = 5.0
"""The distance of a pair that has changed too often for a model to say how often."""


class PairColumnCounts(NamedTuple):
    """Counts of columns of pairs of rows, integers.

    Columns where both have a letter, where these differ, and where they differ by a transition.
    """

    common: np.ndarray
    differ: np.ndarray
    transitions: np.ndarray


def classify_letters(alignment: AlignedSequences, rows: slice = slice(None)) -> np.ndarray:
    """Return letters of some rows as small numbers, uint8; the two highest bits are a nucleotide's class.

    A gap is 0, and so is an ambiguous letter: what it stands for is unknown, as where a letter is missing. Purines have
    class 1, pyrimidines 2, other letters and those of proteins 0. U is T.
    """
    table = np.arange(256, dtype=np.uint8) & ((1 << LETTER_BITS) - 1)
    table[[GAP, ord("*")]] = 0, 27
    protein = alignment.type == SequenceType.PROTEIN
    table[list(ambiguous_letters(protein).encode())] = 0
    if not protein:
        table[ord("U")] = table[ord("T")]
        table[list(PURINES)] |= 1 << CLASS_SHIFT
        table[list(PYRIMIDINES)] |= 2 << CLASS_SHIFT
    return table[alignment.letters[rows]]


def count_columns(classes: np.ndarray, row: int) -> PairColumnCounts:
    """Count the columns of a row with each row after it; ``classes`` are those of `classify_letters`."""
    own, others = classes[row], classes[row + 1 :]
    both = (own > 0) & (others > 0)
    differ = both & (own != others)
    alike = (own >> CLASS_SHIFT == others >> CLASS_SHIFT) & (own >> CLASS_SHIFT > 0)
    return PairColumnCounts(both.sum(1), differ.sum(1), (differ & alike).sum(1))


def distances_of_columns(columns: PairColumnCounts, model: str, protein: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return distances of pairs, float64, and which of them are stated ones.

    A pair without a common column is as far apart as one that shares no letter: 1, or SATURATED. So is one that a model
    finds farther than SATURATED, or cannot compute.
    """
    common = columns.common
    p = np.where(common > 0, columns.differ / np.maximum(common, 1), 1.0)
    if model == "p":
        return p, common == 0
    if model == "kimura" and not protein:
        transitions = columns.transitions / np.maximum(common, 1)
        found = _kimura(np.where(common > 0, transitions, 1.0), p - transitions)
    else:
        found = _jukes_cantor(p, protein) if model == "jukes-cantor" else _kimura_protein(p)
    lost = ~(found <= SATURATED)
    return np.where(lost, SATURATED, found), lost


def distances_of_rows(
    alignment: AlignedSequences,
    model: str,
    report: Callable[[int], None] = lambda row: None,
    counted: PairColumnCounts | None = None,
) -> tuple[np.ndarray, int]:
    """Return distances between all rows, float64 (n, n), and how many pairs have a stated one.

    Only columns where both rows have a letter that is not ambiguous count (pairwise deletion). ``report(row)`` is
    called after each row. ``counted`` are the columns of all pairs, (n, n), where these are known. See
    `distances_of_columns`.
    """
    classes, count, without = None if counted else classify_letters(alignment), len(alignment.names), 0
    values = np.zeros((count, count))
    for row in range(count - 1):
        if classes is not None:
            columns = count_columns(classes, row)
        else:
            columns = PairColumnCounts(*(part[row, row + 1 :] for part in counted or ()))
        found, lost = distances_of_columns(columns, model, alignment.type == SequenceType.PROTEIN)
        values[row, row + 1 :] = values[row + 1 :, row] = found
        without += int(lost.sum())
        report(row)
    return values, without


def _jukes_cantor(p: np.ndarray, protein: bool) -> np.ndarray:
    """Return -b ln(1 - p / b), b = 19/20 for proteins and 3/4 for nucleotides (Jukes and Cantor 1969); NaN beyond."""
    b = 19 / 20 if protein else 3 / 4
    return _positive_zero(-b * _log_or_nan(1 - p / b))


def _kimura_protein(p: np.ndarray) -> np.ndarray:
    """Return -ln(1 - p - p^2 / 5) (Kimura 1983, as ClustalW corrects distances of proteins below its table)."""
    return _positive_zero(-_log_or_nan(1 - p - p * p / 5))


def _kimura(transitions: np.ndarray, transversions: np.ndarray) -> np.ndarray:
    """Return -1/2 ln(1 - 2P - Q) - 1/4 ln(1 - 2Q) (Kimura 1980)."""
    return _positive_zero(
        -_log_or_nan(1 - 2 * transitions - transversions) / 2 - _log_or_nan(1 - 2 * transversions) / 4
    )


def _log_or_nan(values: np.ndarray) -> np.ndarray:
    """Return the logarithm, or NaN where there is none."""
    return np.log(np.where(values > 0, values, np.nan))


def _positive_zero(values: np.ndarray) -> np.ndarray:
    """Return values with negative ones, and negative zeros, as 0."""
    return np.maximum(values, 0) + 0.0
