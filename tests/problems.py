"""Problems for tests: strategies of Hypothesis, and real sequences where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from kernels.model import Mode, PairProblem, Sequence, SequenceType
from kernels.scoring import Scoring, SubstitutionMatrix, match_mismatch, named_matrix

DATA = Path(__file__).parents[1].parent / "shared" / "data"

BORDERS = [border + offset for border in (0, 16, 32, 64, 96, 128) for offset in (-1, 0, 1, 2) if border + offset > 0]
"""Lengths around lane, strip and batch borders."""


def sequence(letters: str, name: str = "x", kind: SequenceType = SequenceType.DNA) -> Sequence:
    return Sequence(name, letters.encode("ascii"), kind)


def pair(
    first: str, second: str, scoring: Scoring, mode: Mode = Mode.LOCAL, kind: SequenceType = SequenceType.DNA
) -> PairProblem:
    return PairProblem(sequence(first, "first", kind), sequence(second, "second", kind), scoring, mode)


def shifted(length: int, shift: int, seed: int = 1) -> PairProblem:
    """A random sequence, and itself without its first letters: the path is a diagonal beside the main one."""
    letters = "".join(np.random.default_rng(seed).choice(list("ACGT"), length))
    return pair(letters, letters[shift:], Scoring(match_mismatch(2, -3), 5, 2))


def lengths(longest: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from(BORDERS), st.integers(1, longest))


@st.composite
def matrices(draw: st.DrawFn) -> SubstitutionMatrix:
    """Match and mismatch, BLOSUM62, or any scores at all, not even symmetric ones, some beyond 8 bits."""
    kind = draw(st.sampled_from(("compare", "blosum", "any", "wide")))
    if kind == "compare":
        match, mismatch = draw(st.sampled_from(((2, -3), (1, -1), (5, -4), (1, 0), (0, 0), (1, 1))))
        return match_mismatch(match, mismatch)
    if kind == "blosum":
        return named_matrix("BLOSUM62")
    size = 1 if kind == "any" else 100
    values = draw(st.lists(st.integers(-5, 5), min_size=16, max_size=16))
    return SubstitutionMatrix(kind, "ABCD", size * np.array(values, float).reshape(4, 4))


@st.composite
def pairs(draw: st.DrawFn, longest: int = 130) -> PairProblem:
    """Pairs of random, repetitive or related sequences over alphabets of one to four letters."""
    matrix = draw(matrices())
    costs = draw(st.sampled_from(((5, 2), (3, 1), (0, 2), (0, 1), (1, 0), (0, 0), (10, 1), (400, 3))))
    alphabet = draw(st.sampled_from(("A", "AB", "ABCD")))
    m, n = draw(lengths(longest)), draw(lengths(longest))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    first = random.choice(list(alphabet), m)
    second = random.choice(list(alphabet), n)
    if draw(st.booleans()):
        second = _mutated(first, second, random)
    mode = draw(st.sampled_from(Mode))
    return pair("".join(first), "".join(second), Scoring(matrix, *costs), mode, SequenceType.PROTEIN)


def _mutated(first: np.ndarray, second: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """``second`` with most of it replaced by a piece of ``first``, so that long gaps and long matches occur."""
    taken = min(first.size, second.size)
    start, at = random.integers(first.size - taken + 1), random.integers(second.size - taken + 1)
    second = second.copy()
    keep = random.random(taken) < 0.9
    second[at : at + taken][keep] = first[start : start + taken][keep]
    return second
