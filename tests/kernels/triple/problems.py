"""Triple problems for tests, and what is right for tiny ones: every alignment there is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from hypothesis import strategies as st

from kernels.model import SequenceType
from kernels.scoring import Scoring
from kernels.triple import reference
from kernels.triple.model import LETTER, ORDER, TripleAlignment, TripleAnswer, TripleProblem, rescore
from tests.problems import matrices, sequence

COSTS = ((0, 2), (0, 1), (0, 0), (5, 2), (3, 1), (1, 0), (40, 3))
BORDERS = (0, 1, 2, 14, 15, 16, 17, 18, 30, 31, 32, 33, 34, 47, 48)
"""Lengths around the borders of chunks of 16 and 32 cells; a side has one cell more than letters."""


def triple(
    first: str, second: str, third: str, scoring: Scoring, kind: SequenceType = SequenceType.DNA
) -> TripleProblem:
    named = zip((first, second, third), ("first", "second", "third"), strict=True)
    return TripleProblem(*(sequence(letters, name, kind) for letters, name in named), scoring)


@st.composite
def tiny(draw: st.DrawFn) -> TripleProblem:
    """Up to nine letters in three sequences."""
    letters = st.text("ABCD", max_size=3)
    return triple(draw(letters), draw(letters), draw(letters), Scoring(draw(matrices()), *draw(st.sampled_from(COSTS))))


@st.composite
def triples(draw: st.DrawFn, longest: int = 24, costs: tuple[tuple[int, int], ...] = COSTS) -> TripleProblem:
    """Related, repetitive or random sequences over one to four letters; lengths around the borders of chunks too."""
    matrix = draw(matrices())
    alphabet = draw(st.sampled_from(("A", "AB", "ABCD")))
    lengths = st.one_of(st.sampled_from([border for border in BORDERS if border <= longest]), st.integers(0, longest))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ancestor = random.choice(list(alphabet), longest)
    rows = [_descendant(ancestor[: draw(lengths)], alphabet, random) for _ in range(3)]
    return triple(*rows, Scoring(matrix, *draw(st.sampled_from(costs))), SequenceType.PROTEIN)


def _descendant(ancestor: np.ndarray, alphabet: str, random: np.random.Generator) -> str:
    """The ancestor with some letters changed and a piece of it moved to the end."""
    changed = np.where(random.random(ancestor.size) < 0.7, ancestor, random.choice(list(alphabet), ancestor.size))
    return "".join(np.roll(changed, int(random.integers(4))))


def related(length: int, seed: int) -> str:
    """A protein; those of one length and other seeds are related."""
    letters = list("ARNDCQEGHILKMFPSTWYV")
    random, ancestor = np.random.default_rng(seed), np.random.default_rng(1).choice(letters, length + 9)
    kept = ancestor[random.random(length + 9) < 0.97][:length]
    return "".join(np.where(random.random(kept.size) < 0.7, kept, random.choice(letters, kept.size)))


@lru_cache(maxsize=256)
def best(problem: TripleProblem) -> TripleAnswer:
    """The alignment that every method must return."""
    return reference.align(problem)


def exhaustive_score(problem: TripleProblem) -> int:
    """The best score, found by scoring every alignment by the definition; for a few letters."""
    return max(
        rescore(problem, TripleAlignment((0, 0, 0), problem.lengths, np.array(moves, np.uint8)))
        for moves in _paths(problem.lengths)
    )


def _paths(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not any(left):
        yield ()
    for move in ORDER:
        rest = tuple(length - (move & bit > 0) for length, bit in zip(left, LETTER, strict=True))
        if min(rest) >= 0:
            yield from ((move, *others) for others in _paths(rest))
