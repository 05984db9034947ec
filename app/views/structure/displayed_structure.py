"""The structure that all panes show: letters, their partners, and the kind of each pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.app import theme
from antidiag.kernels.folding.best_structures import BestStructures
from antidiag.kernels.folding.cooptimal_structures import CooptimalStructures
from antidiag.kernels.model import Sequence

KINDS = {"CG": "C-G pair", "AU": "A-U pair", "GU": "G-U pair"}


@dataclass(frozen=True, eq=False)
class DisplayedStructure:
    """A structure: ``partners`` (int32) of the letters, -1 for unpaired; ``found`` has table and best structures."""

    sequence: Sequence
    partners: np.ndarray
    best: BestStructures | None = None

    @property
    def best_structures(self) -> CooptimalStructures | None:
        """All best structures, or None if they are not counted."""
        return self.best.every if self.best is not None else None

    @cached_property
    def pairs(self) -> np.ndarray:
        """First and second letter of each pair, counted from 0; int64, (pairs, 2)."""
        first = np.flatnonzero(self.partners > np.arange(self.partners.size))
        return np.stack((first, self.partners[first]), axis=1).astype(np.int64)

    @cached_property
    def pair_kinds(self) -> np.ndarray:
        """Index of each pair in KINDS, with T as U."""
        found = np.zeros(len(self.pairs), np.int64)
        ends = self.sequence.letter_array[self.pairs]
        ends = np.where(ends == ord("T"), ord("U"), ends)
        for number, kind in enumerate(KINDS):
            found[(np.sort(ends, axis=1) == sorted(map(ord, kind))).all(axis=1)] = number
        return found

    @cached_property
    def agreement(self) -> np.ndarray | None:
        """For each letter, the share of the best structures with the same partner, float64."""
        if self.best_structures is None:
            return None
        ends, shares = self.best_structures.pair_shares
        found, paired = np.zeros(self.partners.size), np.zeros(self.partners.size)
        np.add.at(paired, ends.ravel(), np.repeat(shares, 2))
        same = self.partners[ends[:, 0]] == ends[:, 1]
        found[ends[same].ravel()] = np.repeat(shares[same], 2)
        return np.clip(np.where(self.partners < 0, 1 - paired, found), 0, 1)

    def agreement_of(self, letter: int) -> float | None:
        """Return the share of structures that agree at a letter, or None."""
        return float(self.agreement[letter]) if self.agreement is not None else None

    def partner_of(self, letter: int | None) -> int | None:
        """Return the letter that is paired with a letter, or None."""
        partner = int(self.partners[letter]) if letter is not None else -1
        return partner if partner >= 0 else None


def kind_colours() -> tuple[str, ...]:
    """Return the colours of KINDS."""
    return theme.active().series[:3]
