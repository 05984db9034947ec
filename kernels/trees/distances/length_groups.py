"""Sequences in groups of similar length, so that the pairs of a group cost the same."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class LengthGroups:
    """Sequences by ascending length, those of one length in their own order, in groups of ``lanes``.

    ``order`` int64 are the sequences so sorted, ``lengths`` int64 their lengths. ``letters[g]`` int32 (columns x
    lanes,) are the letters of group g side by side, after an end the code of no letter; ``lane_lengths`` int32 (groups,
    lanes).
    """

    order: np.ndarray
    lengths: np.ndarray
    letters: list[np.ndarray]
    lane_lengths: np.ndarray


def group_by_length(codes: Sequences[np.ndarray], lanes: int, no_letter: int) -> LengthGroups:
    """Return the groups of encoded sequences."""
    lengths = np.array([code.size for code in codes])
    order = np.argsort(lengths, kind="stable")
    letters = []
    lane_lengths = np.zeros((-(-len(codes) // lanes), lanes), np.int32)
    for group, ends in enumerate(lane_lengths):
        members = order[group * lanes : (group + 1) * lanes]
        ends[: members.size] = lengths[members]
        block = np.full((int(ends.max()), lanes), no_letter, np.int32)
        for lane, member in enumerate(members.tolist()):
            block[: codes[member].size, lane] = codes[member]
        letters.append(block.ravel())
    return LengthGroups(order, lengths[order], letters, lane_lengths)
