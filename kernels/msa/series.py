"""Series of substitution matrices: the one that suits two alignments is chosen by how alike they are (ClustalW).

The matrix of Gonnet, Cohen and Benner (1992) is that of 250 accepted mutations in 100 letters. Its scores are
logarithms of odds, so that it says which frequencies and which mutations it is made of; the matrices of fewer
mutations, or of more, are made of the powers of these.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN
from antidiag.kernels.scoring import SubstitutionMatrix, named_matrix

LETTERS, BASES = PROTEIN[:-1], NUCLEOTIDES[:-1]
MUTATIONS = 250
LEAST = 1e-3
"""Shares below it, which rounded scores can give, count as it."""
SHORT = 100
"""Letters: where the shorter of two alignments has fewer, a matrix for more mutations is taken."""
MATCH, TRANSITION = 10.0, 5.0
"""Scores of nucleotides; of others 0."""


class Chosen(NamedTuple):
    """A matrix, its scores raised, the mean score of different letters in it as it was, negated, and the factor of
    gap costs that ClustalW gives with it."""

    matrix: SubstitutionMatrix
    mismatch: float
    scale: float


@cache
def gonnet(mutations: int) -> SubstitutionMatrix:
    """The scores of so many accepted mutations in 100 letters, in tenths of a decimal logarithm."""
    known = named_matrix("GONNET1992")
    places = [known.letters.index(letter) for letter in LETTERS]
    odds = 10 ** (known.values[np.ix_(places, places)] / 10)
    frequencies = np.linalg.solve(odds, np.ones(len(LETTERS)))
    frequencies /= frequencies.sum()
    roots = np.sqrt(frequencies)
    shares, vectors = np.linalg.eigh(roots[:, None] * odds * roots)
    powers = np.maximum(shares, LEAST) ** (mutations / MUTATIONS)
    found = (vectors * powers) @ vectors.T / np.outer(roots, roots)
    return _frozen(f"Gonnet {mutations}", LETTERS, (10 * np.log10(np.maximum(found, LEAST))).round(1))


GONNET_STEPS = ((35.0, 80, 80, 0.25), (25.0, 120, 250, 0.5), (0.0, 160, 350, 0.5))
"""Identity in per cent above which it holds; mutations, those of short alignments, and the factor of gap costs."""
BLOSUM_STEPS = ((80.0, "BLOSUM80", 0.75), (60.0, "BLOSUM62", 0.75), (30.0, "BLOSUM45", 0.5), (0.0, "BLOSUM45", 0.6))
SERIES = ("gonnet", "blosum")


@cache
def chosen(series: str, protein: bool, identity: float, short: bool, lift: float) -> Chosen:
    """The matrix for alignments of so much identity (per cent, a step of the series), of few columns or not; its scores
    are raised by ``lift`` at most."""
    if not protein:
        return Chosen(_raised(nucleotides(), lift), 1.0, 1.0)
    if series == "gonnet":
        _, long_one, short_one, scale = next(step for step in GONNET_STEPS if step[0] == identity)
        matrix = gonnet(short_one if short else long_one)
    else:
        _, name, scale = next(step for step in BLOSUM_STEPS if step[0] == identity)
        matrix = named_matrix(name)
    known = [matrix.letters.index(letter) for letter in LETTERS]
    values = matrix.values[np.ix_(known, known)]
    different = values[~np.eye(len(LETTERS), dtype=bool)]
    return Chosen(_raised(_frozen(matrix.name, LETTERS, values), lift), float(-different.mean()), scale)


def step(series: str, identity: float) -> float:
    """The step of a series for so much identity, in per cent."""
    steps = GONNET_STEPS if series == "gonnet" else BLOSUM_STEPS
    return next((least for least, *_ in steps if identity > least), 0.0)


@cache
def nucleotides() -> SubstitutionMatrix:
    """Equal letters and transitions score, others do not."""
    values = np.where(np.eye(len(BASES), dtype=bool), MATCH, 0.0)
    for one, other in ("AG", "CT"):
        x, y = BASES.index(one), BASES.index(other)
        values[x, y] = values[y, x] = TRANSITION
    return _frozen("transitions half a match", BASES, values)


def _raised(matrix: SubstitutionMatrix, lift: float) -> SubstitutionMatrix:
    """The scores raised, until none is negative at most: a letter beside a letter is worth more than beside a blank."""
    added = min(max(-float(matrix.values.min()), 0.0), lift)
    return _frozen(f"{matrix.name} + {added:g}", matrix.letters, matrix.values + added)


def _frozen(name: str, letters: str, values: np.ndarray) -> SubstitutionMatrix:
    values.setflags(write=False)
    return SubstitutionMatrix(name, letters, values)
