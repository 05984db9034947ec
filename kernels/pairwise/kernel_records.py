"""Named tuples that compiled functions of several methods take, so that Numba knows every field's type.

What can be None is an argument of its own: Numba then drops the branches for None before it compiles, which it does not
for a field. Taking an array out of a record counts a reference that all threads share; so it is done once, before the
loops, and inner functions take arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.pairwise.encoding import EncodedPair

NEVER_BETTER = 2**30
"""A score that no cell exceeds."""


class PairCosts(NamedTuple):
    """Gap costs, the floor of H, and whether the upper borders are free, all np.int32."""

    open_extend: np.int32
    extend: np.int32
    floor: np.int32
    top_is_free: np.int32
    left_is_free: np.int32


class GapPiece(NamedTuple):
    """The second piece of gap costs, np.int32: of the first letter of a gap, and of every other."""

    open_extend: np.int32
    extend: np.int32


class StripProgress(NamedTuple):
    """Progress of every thread or strip, and the stop flag.

    ``words`` int64: those of number k begin at k WORD_STRIDE; ``own`` is the number of the one that is computed.
    ``stop`` int64 (1): not 0 when all are to return.
    """

    words: np.ndarray
    own: int
    stop: np.ndarray


def pair_costs(pair: EncodedPair) -> PairCosts:
    """Return the costs of a pair."""
    numbers = pair.open + pair.extend, pair.extend, pair.score_floor, pair.free.top, pair.free.left
    return PairCosts(*map(np.int32, numbers))


def second_piece(pair: EncodedPair) -> GapPiece | None:
    """Return the second piece of gap costs of a pair; None, which compiles to code without it, where there is none."""
    if pair.second is None:
        return None
    opening, extend = pair.second
    return GapPiece(np.int32(opening + extend), np.int32(extend))
