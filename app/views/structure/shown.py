"""What the panes of a structure show: letters, their partners, and what kind each pair is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.app import theme
from antidiag.app.views.structure.finding import Found
from antidiag.kernels.folding.cooptimal import Cooptimal
from antidiag.kernels.model import Sequence

KINDS = {"CG": "C-G pair", "AU": "A-U pair", "GU": "G-U pair"}


@dataclass(frozen=True, eq=False)
class Shown:
    """A structure on the screen: ``partners`` (int32) of each letter, -1 for single ones; ``found`` are table and all
    best structures, once they are known."""

    sequence: Sequence
    partners: np.ndarray
    found: Found | None = None

    @property
    def every(self) -> Cooptimal | None:
        """All best structures, where they are counted."""
        return self.found.every if self.found is not None else None

    @cached_property
    def pairs(self) -> np.ndarray:
        """First and second letter of each pair, from 0; int64, (pairs, 2)."""
        first = np.flatnonzero(self.partners > np.arange(self.partners.size))
        return np.stack((first, self.partners[first]), axis=1).astype(np.int64)

    @cached_property
    def kinds(self) -> np.ndarray:
        """The number of each pair in KINDS; T is U."""
        found = np.zeros(len(self.pairs), np.int64)
        ends = self.sequence.array[self.pairs]
        ends = np.where(ends == ord("T"), ord("U"), ends)
        for number, kind in enumerate(KINDS):
            found[(np.sort(ends, axis=1) == sorted(map(ord, kind))).all(axis=1)] = number
        return found

    @cached_property
    def sure(self) -> np.ndarray | None:
        """Of each letter, the share of the best structures in which it has this partner, or none as here; float64."""
        if self.every is None:
            return None
        ends, shares = self.every.pairs
        found, paired = np.zeros(self.partners.size), np.zeros(self.partners.size)
        np.add.at(paired, ends.ravel(), np.repeat(shares, 2))
        same = self.partners[ends[:, 0]] == ends[:, 1]
        found[ends[same].ravel()] = np.repeat(shares[same], 2)
        return np.clip(np.where(self.partners < 0, 1 - paired, found), 0, 1)

    def share(self, letter: int) -> float | None:
        return float(self.sure[letter]) if self.sure is not None else None

    def partner(self, letter: int | None) -> int | None:
        partner = int(self.partners[letter]) if letter is not None else -1
        return partner if partner >= 0 else None


def inks() -> tuple[str, ...]:
    """The colours of KINDS."""
    return theme.active().series[:3]
