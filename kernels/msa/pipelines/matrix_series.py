"""Series of substitution matrices, from which ClustalW chooses by the identity of two alignments.

The matrix of Gonnet, Cohen and Benner (1992) is that of 250 accepted mutations per 100 letters. Its scores are log
odds, which give frequencies and a mutation matrix; powers of that matrix give other numbers of mutations.
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
"""Smaller shares, which rounded scores can give, count as this one."""
SHORT = 100
"""Alignments with fewer letters use a matrix for more mutations."""
MATCH, TRANSITION = 10.0, 5.0
"""Scores of nucleotides; other pairs score 0."""


class ChosenMatrix(NamedTuple):
    """A matrix with raised scores, its negated mean mismatch before raising, and its factor of gap costs."""

    matrix: SubstitutionMatrix
    mismatch: float
    scale: float


@cache
def gonnet_matrix(mutations: int) -> SubstitutionMatrix:
    """Return the scores of ``mutations`` accepted mutations per 100 letters, in tenths of a decimal logarithm."""
    known = named_matrix("GONNET1992")
    places = [known.letters.index(letter) for letter in LETTERS]
    odds = 10 ** (known.values[np.ix_(places, places)] / 10)
    frequencies = np.linalg.solve(odds, np.ones(len(LETTERS)))
    frequencies /= frequencies.sum()
    roots = np.sqrt(frequencies)
    shares, vectors = np.linalg.eigh(roots[:, None] * odds * roots)
    powers = np.maximum(shares, LEAST) ** (mutations / MUTATIONS)
    found = (vectors * powers) @ vectors.T / np.outer(roots, roots)
    return _freeze_matrix(f"Gonnet {mutations}", LETTERS, (10 * np.log10(np.maximum(found, LEAST))).round(1))


GONNET_STEPS = ((35.0, 80, 80, 0.25), (25.0, 120, 250, 0.5), (0.0, 160, 350, 0.5))
"""Identity in per cent above which a step holds; mutations, those for short alignments, and the factor of gap costs."""
BLOSUM_STEPS = ((80.0, "BLOSUM80", 0.75), (60.0, "BLOSUM62", 0.75), (30.0, "BLOSUM45", 0.5), (0.0, "BLOSUM45", 0.6))
SERIES = ("gonnet", "blosum")


@cache
def choose_matrix(series: str, protein: bool, identity: float, short: bool, lift: float) -> ChosenMatrix:
    """Return the matrix for a step of identity (per cent), short alignments or not; scores rise at most by ``lift``."""
    if not protein:
        return ChosenMatrix(_raise_scores(nucleotide_matrix(), lift), 1.0, 1.0)
    if series == "gonnet":
        _, long_one, short_one, scale = next(step for step in GONNET_STEPS if step[0] == identity)
        matrix = gonnet_matrix(short_one if short else long_one)
    else:
        _, name, scale = next(step for step in BLOSUM_STEPS if step[0] == identity)
        matrix = named_matrix(name)
    known = [matrix.letters.index(letter) for letter in LETTERS]
    values = matrix.values[np.ix_(known, known)]
    different = values[~np.eye(len(LETTERS), dtype=bool)]
    return ChosenMatrix(
        _raise_scores(_freeze_matrix(matrix.name, LETTERS, values), lift), float(-different.mean()), scale
    )


def series_step(series: str, identity: float) -> float:
    """Return the step of a series for an identity in per cent."""
    steps = GONNET_STEPS if series == "gonnet" else BLOSUM_STEPS
    return next((least for least, *_ in steps if identity > least), 0.0)


@cache
def nucleotide_matrix() -> SubstitutionMatrix:
    """Return the matrix that scores equal letters and transitions."""
    values = np.where(np.eye(len(BASES), dtype=bool), MATCH, 0.0)
    for one, other in ("AG", "CT"):
        x, y = BASES.index(one), BASES.index(other)
        values[x, y] = values[y, x] = TRANSITION
    return _freeze_matrix("transitions half a match", BASES, values)


def _raise_scores(matrix: SubstitutionMatrix, lift: float) -> SubstitutionMatrix:
    """Raise all scores by at most ``lift``, so that a letter pair scores more than a blank."""
    added = min(max(-float(matrix.values.min()), 0.0), lift)
    return _freeze_matrix(f"{matrix.name} + {added:g}", matrix.letters, matrix.values + added)


def _freeze_matrix(name: str, letters: str, values: np.ndarray) -> SubstitutionMatrix:
    values.setflags(write=False)
    return SubstitutionMatrix(name, letters, values)
