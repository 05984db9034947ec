"""Which method of Viterbi suits a model and a sequence."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.model import Sequence
from antidiag.kernels.text import counted

SHORT = 2048
"""Letters below which a run is over before threads or a GPU have begun."""

FEW_STATES = 32
"""States whose costs fit the registers of one warp, and whose matrices are small enough to be multiplied."""

PLACES, LEAD, PROBED = 8, 128, 256
"""Where a sequence is looked at, after how many letters a guess is made there, and within how many more it must be
right: on a GPU, 1,000,000 letters make pieces of about a hundred."""

FAST, PIECES, TREE = "viterbi-matvecprod", "viterbi-persistent", "viterbi-tree"


def recommended(data: Sequences[Any], backend: str) -> tuple[str, str] | None:
    """As `recommend`, for a model and a sequence; None while one of them is missing."""
    if len(data) != 2:
        return None
    hmm, sequence = data
    few = backend == "cuda" and len(sequence) >= SHORT and len(hmm) <= FEW_STATES
    return recommend(len(hmm), len(sequence), backend, not few or forgets(hmm, sequence))


def recommend(states: int, length: int, backend: str, forgetful: bool = True) -> tuple[str, str]:
    """The identifier of a method, and why: for so many states and letters, on "cpu" or "cuda".

    ``forgetful`` says whether rows from different starts soon become parallel (see `forgets`). Where they do not,
    pieces from guesses are corrected from end to end, again and again: on an H200, 1,000,000 letters of the gene
    finder, whose codons go in cycles, take 39 ms in pieces and 7.3 ms in a tree; those of a model of 8 states that
    forgets 1.2 and 1.7 ms.
    """
    few = counted(states, "state")
    if length < SHORT:
        return FAST, f"{counted(length, 'letter')} are done before work in pieces pays"
    if backend == "cpu":
        return PIECES, "its pieces keep all cores busy at l^2 steps a letter; products of matrices take l^3"
    if states > FEW_STATES:
        return PIECES, f"{few} share each load of the transitions over several pieces, at l^2 steps a letter"
    if not forgetful:
        return TREE, (
            "rows of this model become parallel late, so that guessed pieces would be corrected again and again; "
            f"products for {few} are joined without a guess"
        )
    return PIECES, f"{few} stay in registers, and {length:,} letters give thousands of pieces at l^2 steps a letter"


@lru_cache(maxsize=4)
def forgets(hmm: Hmm, sequence: Sequence) -> bool:
    """Whether, at most places of a sequence, a guessed row becomes parallel to the right one within PROBED letters.

    Two rows are parallel where they differ by a constant: from there on they make the same choices. The right one is
    followed for LEAD letters; the guess is that all states cost nothing.
    """
    stretch = LEAD + PROBED
    starts = np.linspace(0, max(len(sequence) - stretch, 0), PLACES).astype(int)
    letters = b"".join(sequence.letters[start : start + stretch] for start in starts.tolist())
    made = HmmProblem(hmm, replace(sequence, letters=letters), unknown="missing")
    costs, seen = made.costs, made.observations.reshape(PLACES, -1)
    rows = np.tile(costs.initial, (2, PLACES, 1))
    found = np.zeros(PLACES, bool)
    for number in range(seen.shape[1]):
        if number == LEAD:
            rows[1] = 0.0
        rows = ((rows + costs.emissions[seen[:, number]])[..., None] + costs.transitions).min(axis=-2)
        if number >= LEAD:
            found |= _parallel(rows)
    return int(found.sum()) > PLACES // 2


def _parallel(rows: np.ndarray) -> np.ndarray:
    """Whether rows[0] and rows[1] differ by a constant, place by place; costs are whole, so that this is exact."""
    finite = np.isfinite(rows)
    with np.errstate(invalid="ignore"):
        apart = np.where(finite[1], rows[1] - rows[0], np.nan)
    alike = (finite[0] == finite[1]).all(axis=1)
    low, high = (np.where(np.isnan(apart), bound, apart) for bound in (np.inf, -np.inf))
    return alike & (low.min(axis=1) >= high.max(axis=1))
