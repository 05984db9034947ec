"""Distances between the rows of an alignment, from the columns in which they differ: models, and a reference in NumPy.

A file of aligned FASTA opens as sequences by default, for its first bytes do not say that it is aligned; a method that
takes an alignment reads it as one.

Only columns where both rows have a letter that is not ambiguous count for a pair (pairwise deletion). All models are
functions of counts of columns; `cpu_columns` and `columns.cu` count and compute the same with compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences.alphabets import ambiguous_letters
from antidiag.kernels.trees.distances.alignment_columns.natural_log import log_of_array

PROTEIN_MODELS = ("p", "jukes-cantor", "kimura")
MODELS = (*PROTEIN_MODELS, "tn93", "logdet")

SATURATED = 5.0
"""The distance of a pair that has changed too often for a model to say how often."""

BASE_ORDER = "AGCT"
"""Bases by their numbers: bit 0 of a number tells the bases of a class apart, bit 1 is 0 for purines."""
NUCLEOTIDE_PLANES, PROTEIN_PLANES = 3, 6
"""Bits of a letter: whether it is there, and its number."""
TABLE_COLUMNS = 1 << 22
"""Letters whose bases are counted at a time."""


class ModelNumber(IntEnum):
    """The models by number, as compiled code knows them."""

    P = 0
    JUKES_CANTOR = 1
    KIMURA = 2
    KIMURA_PROTEIN = 3
    TN93 = 4
    LOGDET = 5
    SKETCH = 6


CONSTANTS = 8
"""Numbers that a model is given: for Jukes and Cantor b and the two integers whose quotient it is, for TN93 those of
`tn93_constants`, for sketches 1 / k and the share of equal letters of different words."""
SKETCH_CHANCE = 2.0**-5
"""Share of equal letters of different words of sketches: a letter has five bits."""


class DistanceModel(NamedTuple):
    """A model as compiled code takes it: its `ModelNumber`, and CONSTANTS numbers."""

    number: int
    constants: tuple[float, ...]


class PairColumnCounts(NamedTuple):
    """Counts of columns of pairs of rows, integers.

    Columns where both have a letter, where these differ, where they differ by a transition, and by C and T; and
    ``joint`` (..., 4, 4), the columns with each pair of bases in `BASE_ORDER`, of nucleotides.
    """

    common: np.ndarray
    differ: np.ndarray
    transitions: np.ndarray
    pyrimidine_transitions: np.ndarray
    joint: np.ndarray


def letter_codes(kind: SequenceType) -> np.ndarray:
    """Return a table of all bytes, uint8 (256,): bit 0 is set for a letter, whose number follows.

    A gap is 0, and so is an ambiguous letter: what it stands for is unknown, as where a letter is missing. U is T.
    """
    table = np.zeros(256, np.uint8)
    if kind != SequenceType.PROTEIN:
        for number, base in enumerate(BASE_ORDER):
            table[ord(base)] = 1 | number << 1
        table[ord("U")] = table[ord("T")]
        return table
    letters = np.arange(ord("A"), ord("Z") + 1)
    table[letters] = 1 | (letters - ord("A") + 1) << 1
    table[ord("*")] = 1 | 27 << 1
    table[[GAP, *ambiguous_letters(protein=True).encode()]] = 0
    return table


def count_planes(kind: SequenceType) -> int:
    """Return the number of bits that a letter of this type takes."""
    return PROTEIN_PLANES if kind == SequenceType.PROTEIN else NUCLEOTIDE_PLANES


def make_model(name: str, kind: SequenceType, base_counts: np.ndarray | None = None) -> DistanceModel:
    """Return a model of MODELS for letters of a type; TN93 needs the counts of the bases of the alignment (4,)."""
    protein = kind == SequenceType.PROTEIN
    if name == "tn93":
        assert base_counts is not None, "TN93 needs the counts of the bases"
        return DistanceModel(int(ModelNumber.TN93), tn93_constants(base_counts))
    if name == "jukes-cantor":
        fraction = (19.0, 20.0) if protein else (3.0, 4.0)
        return DistanceModel(int(ModelNumber.JUKES_CANTOR), (fraction[0] / fraction[1], *fraction, *[0.0] * 5))
    numbers = {"p": ModelNumber.P, "logdet": ModelNumber.LOGDET}
    kimura = ModelNumber.KIMURA_PROTEIN if protein else ModelNumber.KIMURA
    return DistanceModel(int(numbers.get(name, kimura)), (0.0,) * CONSTANTS)


def make_sketch_model(word: int) -> DistanceModel:
    """Return the model of sketches of words of so many letters (Ondov and others 2016, equation 4).

    With a share m of equal bins the Jaccard index is J = (m - c) / (1 - c), c = SKETCH_CHANCE, and the distance is
    -1/k ln(2 J / (1 + J)). J is at least half a bin.
    """
    return DistanceModel(int(ModelNumber.SKETCH), (1.0 / word, SKETCH_CHANCE, *[0.0] * (CONSTANTS - 2)))


def make_alignment_model(name: str, alignment: AlignedSequences) -> DistanceModel:
    """Return a model of MODELS for an alignment."""
    return make_model(name, alignment.type, count_bases(alignment) if name == "tn93" else None)


def count_bases(alignment: AlignedSequences) -> np.ndarray:
    """Return how often each base of `BASE_ORDER` occurs in an alignment of nucleotides, int64 (4,)."""
    found, step = np.zeros(256, np.int64), max(1, TABLE_COLUMNS // max(alignment.letters.shape[1], 1))
    for first in range(0, len(alignment.names), step):
        found += np.bincount(alignment.letters[first : first + step].ravel(), minlength=256)
    return sum_bases(found)


def sum_bases(counts: np.ndarray) -> np.ndarray:
    """Return the counts of the bases of `BASE_ORDER` of counts of all bytes, (..., 256)."""
    return np.stack([counts[..., list(text)].sum(-1) for text in (b"A", b"G", b"C", b"TU")], -1)


def tn93_constants(base_counts: np.ndarray) -> tuple[float, ...]:
    """Return the constants of Tamura and Nei's distance (1993, equation 7) for counts of the bases A, G, C, T.

    They are k1, k2, k3, 1 / k1, 1 / k2, 1 / (2 R), 1 / (2 Y), 1 / (2 R Y), where R and Y are the shares of purines and
    pyrimidines, k1 = 2 A G / R, k2 = 2 C T / Y and k3 = 2 (R Y - A G Y / R - C T R / Y). An inverse of 0 is 0, because
    what it would multiply is 0.
    """
    a, g, c, t = (base_counts / max(int(base_counts.sum()), 1)).tolist()
    r, y = a + g, c + t
    k1, k2 = 2 * a * g * _inverse(r), 2 * c * t * _inverse(y)
    k3 = max(2 * (r * y - a * g * y * _inverse(r) - c * t * r * _inverse(y)), 0.0)
    return (k1, k2, k3, *map(_inverse, (k1, k2, 2 * r, 2 * y, 2 * r * y)))


def _inverse(value: float) -> float:
    return 1 / value if value else 0.0


def count_columns(codes: np.ndarray, row: int) -> PairColumnCounts:
    """Count the columns of a row with each row after it; ``codes`` are letters by the table of `letter_codes`."""
    own, others = codes[row], codes[row + 1 :]
    both = (own & others & 1) > 0
    differ = both & (own != others)
    transitions = differ & (own >> 2 == others >> 2)
    pairs = np.where(both, (own >> 1 & 3) * 4 + (others >> 1 & 3), 16)
    joint = (pairs[..., None] == np.arange(16)).sum(1).reshape(-1, 4, 4)
    return PairColumnCounts(
        both.sum(1), differ.sum(1), transitions.sum(1), (transitions & (own >> 2 > 0)).sum(1), joint
    )


def distances_of_columns(columns: PairColumnCounts, model: DistanceModel) -> tuple[np.ndarray, np.ndarray]:
    """Return distances of pairs, float64, and which of them are stated ones.

    A pair without a common column is as far apart as one that shares no letter: 1, or SATURATED. So is one that a model
    finds farther than SATURATED, or cannot compute.
    """
    n, differ = columns.common.astype(np.float64), columns.differ.astype(np.float64)
    empty = columns.common == 0
    if model.number == ModelNumber.P:
        return np.where(empty, 1.0, differ / np.maximum(n, 1.0)), empty
    found = np.maximum(_corrected_distances(np.where(empty, 1.0, n), differ, columns, model), 0.0)
    lost = empty | ~(found <= SATURATED)
    return np.where(lost, SATURATED, found), lost


def _corrected_distances(
    n: np.ndarray, differ: np.ndarray, columns: PairColumnCounts, model: DistanceModel
) -> np.ndarray:
    """Return the distances of a model other than p; NaN where a logarithm does not exist. ``n`` is at least 1."""
    k1, k2, k3, one, two, purines, pyrimidines, both = model.constants
    if model.number == ModelNumber.JUKES_CANTOR:
        return -k1 * _log_or_nan((k2 * n - k3 * differ) / (k2 * n))
    if model.number == ModelNumber.KIMURA_PROTEIN:
        return -_log_or_nan((5.0 * n * n - 5.0 * n * differ - differ * differ) / (5.0 * n * n))
    if model.number == ModelNumber.SKETCH:
        alike = np.maximum(n - differ - k2 * n, 0.5)
        return -k1 * _log_or_nan(2.0 * alike / (n - k2 * n + alike))
    if model.number == ModelNumber.LOGDET:
        return -0.25 * _log_or_nan(_determinant_ratio(columns.joint))
    transitions = columns.transitions.astype(np.float64)
    transversions = differ - transitions
    if model.number == ModelNumber.KIMURA:
        first = _log_or_nan((n - 2.0 * transitions - transversions) / n)
        return -0.5 * first - 0.25 * _log_or_nan((n - 2.0 * transversions) / n)
    pyrimidine = columns.pyrimidine_transitions / n
    purine, q = (transitions - columns.pyrimidine_transitions) / n, transversions / n
    first = _log_or_nan(1.0 - purine * one - q * purines)
    second = _log_or_nan(1.0 - pyrimidine * two - q * pyrimidines)
    return -k1 * first - k2 * second - k3 * _log_or_nan(1.0 - q * both)


def _determinant_ratio(joint: np.ndarray) -> np.ndarray:
    """Return det F / root of the product of its sums of rows and columns, for F (..., 4, 4).

    A base that is in neither row counts as one column of its own. The determinants of F and of its transpose, which
    round differently, are averaged, so that both orders of two rows give the same.
    """
    F = joint.astype(np.float64)
    for base in range(4):
        missing = (joint[..., base, :].sum(-1) + joint[..., :, base].sum(-1)) == 0
        F[..., base, base] = np.where(missing, 1.0, F[..., base, base])
    roots = np.sqrt(F.sum(-1) * F.sum(-2))
    product = (roots[..., 0] * roots[..., 1]) * (roots[..., 2] * roots[..., 3])
    determinant = 0.5 * (_determinant(F) + _determinant(np.swapaxes(F, -1, -2)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return determinant / product


def _determinant(F: np.ndarray) -> np.ndarray:
    """Return the determinant of (..., 4, 4) by the minors of its upper and lower two rows."""

    def minor(row: int, i: int, j: int) -> np.ndarray:
        return F[..., row, i] * F[..., row + 1, j] - F[..., row, j] * F[..., row + 1, i]

    total = minor(0, 0, 1) * minor(2, 2, 3)
    total = total - minor(0, 0, 2) * minor(2, 1, 3)
    total = total + minor(0, 0, 3) * minor(2, 1, 2)
    total = total + minor(0, 1, 2) * minor(2, 0, 3)
    total = total - minor(0, 1, 3) * minor(2, 0, 2)
    return total + minor(0, 2, 3) * minor(2, 0, 1)


def distances_of_rows(
    alignment: AlignedSequences, model: str, report: Callable[[int], None] = lambda row: None
) -> tuple[np.ndarray, int]:
    """Return distances between all rows, float64 (n, n), and how many pairs have a stated one; the reference.

    ``report(row)`` is called after each row. See `distances_of_columns`.
    """
    codes, count, without = letter_codes(alignment.type)[alignment.letters], len(alignment.names), 0
    values, chosen = np.zeros((count, count)), make_alignment_model(model, alignment)
    for row in range(count - 1):
        found, lost = distances_of_columns(count_columns(codes, row), chosen)
        values[row, row + 1 :] = values[row + 1 :, row] = found
        without += int(lost.sum())
        report(row)
    return values, without


def _log_or_nan(values: np.ndarray) -> np.ndarray:
    """Return the logarithm, or NaN where there is none."""
    exists = values > 0
    return np.where(exists, log_of_array(np.where(exists, values, 1.0)), np.nan)
