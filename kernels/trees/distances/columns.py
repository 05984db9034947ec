"""Alignments as data, and the distances between their rows.

A file of aligned FASTA opens as sequences everywhere else, for nothing in its first bytes says that it is aligned; a
method that takes an alignment reads it as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType

MODELS = ("p", "jukes-cantor", "kimura")

PURINES, PYRIMIDINES = b"AG", b"CTU"
CLASS_SHIFT = 6
LETTER_BITS = 5
"""Bits of a letter, and where the two of its class begin."""

SATURATED = 5.0
"""The distance of a pair that has changed too often for a model to say how often."""


class Columns(NamedTuple):
    """Of pairs of rows: columns where both have a letter, where these differ, and where by a transition; integers."""

    common: np.ndarray
    differ: np.ndarray
    transitions: np.ndarray


def classed(alignment: AlignedSequences, rows: slice = slice(None)) -> np.ndarray:
    """Letters of some rows as small numbers, uint8, 0 for a gap; of nucleotides the two highest bits are the class.

    Purines have class 1, pyrimidines 2, other letters and those of proteins 0. U is T.
    """
    table = np.arange(256, dtype=np.uint8) & ((1 << LETTER_BITS) - 1)
    table[[GAP, ord("*")]] = 0, 27
    if alignment.type != SequenceType.PROTEIN:
        table[ord("U")] = table[ord("T")]
        table[list(PURINES)] |= 1 << CLASS_SHIFT
        table[list(PYRIMIDINES)] |= 2 << CLASS_SHIFT
    return table[alignment.letters[rows]]


def columns_with(classes: np.ndarray, row: int) -> Columns:
    """The columns of a row with each of those after it; ``classes`` as `classed` gives them."""
    own, others = classes[row], classes[row + 1 :]
    both = (own > 0) & (others > 0)
    differ = both & (own != others)
    alike = (own >> CLASS_SHIFT == others >> CLASS_SHIFT) & (own >> CLASS_SHIFT > 0)
    return Columns(both.sum(1), differ.sum(1), (differ & alike).sum(1))


def distances_of_columns(columns: Columns, model: str, protein: bool) -> tuple[np.ndarray, np.ndarray]:
    """Distances of pairs, float64, and which of them a stated one stands for.

    A pair without a common column is put as far apart as one that shares no letter: 1, or SATURATED. So is one that a
    model calls farther than SATURATED, or cannot tell.
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
    counted: Columns | None = None,
) -> tuple[np.ndarray, int]:
    """Distances between all rows, float64 (n, n), and how many pairs have a stated one; see `distances_of_columns`.

    Only columns where both rows have a letter count (pairwise deletion). ``report(row)`` is called after each row.
    ``counted`` are the columns of all pairs, (n, n), where these are known.
    """
    classes, count, without = None if counted else classed(alignment), len(alignment.names), 0
    values = np.zeros((count, count))
    for row in range(count - 1):
        if classes is not None:
            columns = columns_with(classes, row)
        else:
            columns = Columns(*(part[row, row + 1 :] for part in counted or ()))
        found, lost = distances_of_columns(columns, model, alignment.type == SequenceType.PROTEIN)
        values[row, row + 1 :] = values[row + 1 :, row] = found
        without += int(lost.sum())
        report(row)
    return values, without


def _jukes_cantor(p: np.ndarray, protein: bool) -> np.ndarray:
    """-b ln(1 - p / b), b = 19/20 for proteins and 3/4 for nucleotides (Jukes and Cantor 1969); NaN beyond."""
    b = 19 / 20 if protein else 3 / 4
    return _positive_zero(-b * _log(1 - p / b))


def _kimura_protein(p: np.ndarray) -> np.ndarray:
    """-ln(1 - p - p^2 / 5) (Kimura 1983, as ClustalW corrects distances of proteins below its table)."""
    return _positive_zero(-_log(1 - p - p * p / 5))


def _kimura(transitions: np.ndarray, transversions: np.ndarray) -> np.ndarray:
    """-1/2 ln(1 - 2P - Q) - 1/4 ln(1 - 2Q) (Kimura 1980)."""
    return _positive_zero(-_log(1 - 2 * transitions - transversions) / 2 - _log(1 - 2 * transversions) / 4)


def _log(values: np.ndarray) -> np.ndarray:
    """The logarithm; NaN where there is none."""
    return np.log(np.where(values > 0, values, np.nan))


def _positive_zero(values: np.ndarray) -> np.ndarray:
    return np.maximum(values, 0) + 0.0
