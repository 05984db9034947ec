"""Test problems of the bit-parallel methods: lengths around words and strips, few and many edits, free ends."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import trials
from antidiag.kernels.pairwise.edit_distance import build_edit_problem
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.trials import make_related_pair
from antidiag.kernels.scoring import FreeEnds, Mode
from antidiag.kernels.trials import ProblemAndParameters, TrialChooser

BORDERS = (1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129)
"""Lengths around words."""
WIDE = (511, 512, 513, 1023, 1024, 1025, 1100)
"""Lengths around strips."""
ALPHABETS = ("A", "AB", "ACGT", "ACGTN", "ACDEFGHI", "ACDEFGHIK", "ACDEFGHIKLMNPQRSTVWY")
"""Alphabets of one to two and a half bits, at the limits of the planes, and beyond."""
NARROW = 64
EDITS = (0.0, 0.03, 0.3, 1.0)
"""Shares of the letters that are edited."""


def draw_pair(choose: TrialChooser, longest: int = 150) -> PairProblem:
    """Return a pair of random or related sequences over one to twenty letters."""
    letters, random = list(choose.choose_one(ALPHABETS)), choose.make_generator()
    is_wide = choose.choose_one((False, False, True))
    lengths = [
        choose.choose_one(WIDE if is_wide and side else BORDERS)
        if choose.choose_one((True, False))
        else choose.draw_integer(1, longest)
        for side in (0, 1)
    ]
    first, second = (random.choice(letters, length) for length in lengths)
    if choose.choose_one((True, False)):
        second = edit_letters(first, letters, choose.choose_one(EDITS), random)
    if choose.choose_one((True, False)):
        first, second = second, first
    mode = choose.choose_one((Mode.GLOBAL, Mode.GLOBAL, Mode.QUERY_IN_TARGET, Mode.CUSTOM))
    chosen: dict[str, Any] = {"mode": str(mode), "wildcard": choose.choose_one(("", "A"))}
    if mode is Mode.CUSTOM:
        chosen |= {f"free_{end}": choose.choose_one((False, True)) for end in vars(FreeEnds())}
    return make_edit_pair("".join(first), "".join(second), SequenceType.PROTEIN, **chosen)


def edit_letters(letters: np.ndarray, alphabet: list[str], share: float, random: np.random.Generator) -> np.ndarray:
    """Return a copy in which a share of the letters is replaced, doubled or left out; never empty."""
    kinds = np.where(random.random(letters.size) < share, random.integers(0, 3, letters.size), 3)
    copies = np.where(kinds == 0, 0, np.where(kinds == 1, 2, 1))
    copies[0] = max(copies[0], 1)
    replaced = np.where(kinds == 2, random.choice(alphabet, letters.size), letters)
    return np.repeat(replaced, copies)


def make_edit_pair(first: str, second: str, kind: SequenceType = SequenceType.DNA, **options: Any) -> PairProblem:
    """Return the edit distance problem of these letters."""
    pair = [Sequence(name, letters.encode("ascii"), kind) for name, letters in (("first", first), ("second", second))]
    return build_edit_problem(pair, options)


@lru_cache(maxsize=4)
def make_related_edit_pair(m: int, n: int, mode: Mode = Mode.GLOBAL) -> PairProblem:
    """Return random letters and their copy with every tenth changed."""
    related = make_related_pair(m, n)
    return make_edit_pair(related.first.letters.decode(), related.second.letters.decode(), mode=str(mode))


def make_large_pair(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a pair all of whose cells are computed, with small tiles: much memory for little time."""
    problem = make_related_edit_pair(NARROW + 64 * size, NARROW + 64 * size, Mode.QUERY_IN_TARGET)
    if "tile" not in method.parameters.names():
        problem = make_related_edit_pair(NARROW, NARROW + 256 * size, Mode.QUERY_IN_TARGET)
        return problem, {"threads": 1} if backend == "cpu" else {"threads": 32, "words": 1}
    return problem, {"threads": 1, "tile": 512} if backend == "cpu" else {"threads": 32, "words": 1, "tile": 512}


def make_long_pair(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a pair of two related sequences of 64 ``size`` letters, all of whose cells are computed."""
    return make_related_edit_pair(64 * size, 64 * size, Mode.QUERY_IN_TARGET), {}


TRIALS = replace(
    trials.TRIALS,
    draw_problem=draw_pair,
    make_large_problem=make_large_pair,
    make_long_problem=make_long_pair,
    draw_larger_problem=lambda choose: draw_pair(choose, 1200),
    phases_without_steps=lambda method, backend: frozenset(),
    adjust_values=lambda method, backend, drawn: drawn,
)
