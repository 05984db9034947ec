"""Records that compiled functions of several methods take: named tuples, of which Numba knows every field's type.

A compiled function takes what can be None as an argument of its own: the branches that it has for None are then left
out before they are compiled, which the field of a record does not lead to.

To take an array out of a record counts a reference to it, which all threads share. So that is done once, before the
loops, and the pieces inside of them take arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.pairwise.encoding import Encoded

NEVER_BETTER = 2**30
"""A score that no cell exceeds."""


class Costs(NamedTuple):
    """Gap costs and the floor of H, all np.int32."""

    open_extend: np.int32
    extend: np.int32
    floor: np.int32


class Progress(NamedTuple):
    """How far every thread or strip has come, and whether all are to stop.

    ``words`` int64: those of number k begin at k WORD; ``own`` is the number of the one that is computed. ``stop``
    int64 (1): not 0 when all are to return.
    """

    words: np.ndarray
    own: int
    stop: np.ndarray


def costs_of(pair: Encoded) -> Costs:
    """The costs of a problem."""
    return Costs(np.int32(pair.open + pair.extend), np.int32(pair.extend), np.int32(pair.floor))
