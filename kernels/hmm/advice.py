"""Which method of Viterbi suits a model and a sequence."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.model import Sequence
from antidiag.kernels.text import format_count

SHORT = 2048
"""Sequences with fewer letters are done before threads or a GPU have started."""

FEW_STATES = 32
"""Up to this many states, costs fit the registers of a warp and matrices are small enough to multiply."""

PROBE_COUNT, LEAD_LETTERS, PROBE_LETTERS = 8, 128, 256
"""A sequence is probed at PLACES positions: LEAD letters are followed, then a guess must become right within PROBED
letters.

On a GPU, 1,000,000 letters make pieces of about a hundred letters.
"""

WHOLE_SEQUENCE, PIECES, TREE = "viterbi-matvecprod", "viterbi-persistent", "viterbi-tree"


def recommend_for_data(data: Sequences[Any], backend: str) -> tuple[str, str] | None:
    """Recommend a method for a model and a sequence; return None while one of them is missing."""
    if len(data) != 2:
        return None
    hmm, sequence = data
    few = backend == "cuda" and len(sequence) >= SHORT and len(hmm) <= FEW_STATES
    return choose_method(len(hmm), len(sequence), backend, not few or forgets_start(hmm, sequence))


def choose_method(states: int, length: int, backend: str, forgets_start: bool = True) -> tuple[str, str]:
    """Return the id of a method and the reason for it, for so many states and letters, on "cpu" or "cuda".

    ``forgetful`` says whether rows from different starts soon become parallel (see `forgets_start`). Where they do not,
    guessed pieces are corrected from end to end again and again: on an H200, 1,000,000 letters of the gene finder,
    whose codons go in cycles, take 39 ms in pieces and 7.3 ms in a tree; a model of 8 states that forgets takes 1.2 and
    1.7 ms.
    """
    few = format_count(states, "state")
    if length < SHORT:
        return WHOLE_SEQUENCE, f"{format_count(length, 'letter')} take less time than starting work in pieces"
    if backend == "cpu":
        return PIECES, "pieces keep all cores busy at l^2 steps per letter; products of matrices take l^3"
    if states > FEW_STATES:
        return PIECES, f"with {few}, several pieces share each load of the transitions, at l^2 steps per letter"
    if not forgets_start:
        return TREE, (
            "rows of this model become parallel late, so guessed pieces would be corrected again and again; "
            f"products for {few} need no guess"
        )
    return PIECES, f"{few} fit in registers, and {length:,} letters give thousands of pieces at l^2 steps per letter"


@lru_cache(maxsize=4)
def forgets_start(hmm: Hmm, sequence: Sequence) -> bool:
    """Return whether a guessed row becomes parallel to the right one within PROBED letters, at most probed positions.

    Two rows are parallel where they differ by a constant: from there on they make the same choices. The guess is that
    all states cost nothing.
    """
    stretch = LEAD_LETTERS + PROBE_LETTERS
    starts = np.linspace(0, max(len(sequence) - stretch, 0), PROBE_COUNT).astype(int)
    letters = b"".join(sequence.letters[start : start + stretch] for start in starts.tolist())
    made = HmmProblem(hmm, replace(sequence, letters=letters), unknown="missing")
    costs, seen = made.step_costs, made.observations.reshape(PROBE_COUNT, -1)
    rows = np.tile(costs.initial, (2, PROBE_COUNT, 1))
    found = np.zeros(PROBE_COUNT, bool)
    for number in range(seen.shape[1]):
        if number == LEAD_LETTERS:
            rows[1] = 0.0
        rows = ((rows + costs.emissions[seen[:, number]])[..., None] + costs.transitions).min(axis=-2)
        if number >= LEAD_LETTERS:
            found |= _are_parallel(rows)
    return int(found.sum()) > PROBE_COUNT // 2


def _are_parallel(rows: np.ndarray) -> np.ndarray:
    """Return for each position whether rows[0] and rows[1] differ by a constant; whole costs make this exact."""
    finite = np.isfinite(rows)
    with np.errstate(invalid="ignore"):
        apart = np.where(finite[1], rows[1] - rows[0], np.nan)
    alike = (finite[0] == finite[1]).all(axis=1)
    low, high = (np.where(np.isnan(apart), bound, apart) for bound in (np.inf, -np.inf))
    return alike & (low.min(axis=1) >= high.max(axis=1))
