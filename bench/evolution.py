"""Families of nucleotides that evolve along a random tree; their alignment is right because it is what happened.

- **Tree**: lineages branch at random (Yule), and the mean way from the root to the leaves is ``depth`` substitutions a
  site; each branch is then multiplied by a half and half an exponential of mean 1, so that there is no clock.
- **Substitutions**: HKY85 (Hasegawa, Kishino, Yano 1985) with frequencies and ``kappa``; the rates of sites are gamma
  of shape ``alpha`` and mean 1 (Yang 1994), kept by a site wherever it goes, and drawn for sites that are inserted.
- **Insertions and deletions** are equally likely, ``indels`` of them for each substitution; their places are drawn
  alike, their lengths by Zipf's law (P(k) ~ k^-``zipf``, up to ``longest``) or, where ``zipf`` is 0, geometric of mean
  ``mean_length``.
- A branch is taken in steps of STEP substitutions a site at most: letters change first, then come insertions and
  deletions.

Everything comes from one seed. Sites have numbers; the order of all that ever were is a linked list, in which
insertions come behind the site that they follow, so that the columns of the alignment are the sites of the leaves in
that order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.model import Sequence, SequenceType

NUCLEOTIDES = np.frombuffer(b"ACGT", np.uint8)
STEP = 0.05
HEAD = 0
"""The number of what stands before the first site."""


@dataclass(frozen=True)
class Evolution:
    """How a family evolves: see the module; ``taxa`` leaves, ``length`` letters at the root."""

    taxa: int = 16
    length: int = 500
    depth: float = 0.4
    kappa: float = 2.5
    frequencies: tuple[float, float, float, float] = (0.3, 0.2, 0.2, 0.3)
    alpha: float = 0.8
    indels: float = 0.06
    zipf: float = 1.7
    longest: int = 60
    mean_length: float = 4.0

    @property
    def rates(self) -> np.ndarray:
        """HKY85, float64 (4, 4), one substitution a unit of time on average."""
        shares = np.array(self.frequencies)
        Q = np.tile(shares, (4, 1))
        Q[[0, 2, 1, 3], [2, 0, 3, 1]] *= self.kappa  # A-G and C-T are transitions
        np.fill_diagonal(Q, 0)
        np.fill_diagonal(Q, -Q.sum(axis=1))
        return Q / -(shares @ np.diag(Q))

    def lengths(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Lengths of insertions or deletions."""
        if not self.zipf:
            return np.minimum(random.geometric(1 / self.mean_length, count), self.longest)
        weights = np.arange(1, self.longest + 1) ** -self.zipf
        return random.choice(self.longest, count, p=weights / weights.sum()) + 1


@dataclass
class Sites:
    """All sites that ever were: their rates, and which one follows each; HEAD stands before the first."""

    rates: list[float] = field(default_factory=lambda: [0.0])
    after: list[int] = field(default_factory=lambda: [-1])

    def insert(self, behind: int, rates: np.ndarray) -> list[int]:
        """New sites behind one; their numbers."""
        made = list(range(len(self.rates), len(self.rates) + rates.size))
        self.rates += rates.tolist()
        self.after += [*made[1:], self.after[behind]]
        self.after[behind] = made[0]
        return made

    def order(self) -> list[int]:
        """All sites as they stand."""
        found, site = [], self.after[HEAD]
        while site >= 0:
            found.append(site)
            site = self.after[site]
        return found


@dataclass(frozen=True)
class Lineage:
    """Sites and letters (0 to 3) of a sequence, int64 arrays."""

    sites: np.ndarray
    letters: np.ndarray


def family(model: Evolution, seed: int, name: str = "") -> tuple[tuple[Sequence, ...], AlignedSequences]:
    """The sequences of the leaves, and how they are aligned; columns without a letter of a leaf are left out."""
    random, sites = np.random.default_rng(seed), Sites()
    first = sites.insert(HEAD, random.gamma(model.alpha, 1 / model.alpha, model.length))
    root = Lineage(np.array(first), random.choice(4, model.length, p=model.frequencies))
    leaves: list[Lineage] = []
    for branch in tree(model, random):
        _grow(branch, root, model, sites, random, leaves)
    column = {site: place for place, site in enumerate(sites.order())}
    letters = np.full((len(leaves), len(column)), GAP, np.uint8)
    for row, leaf in zip(letters, leaves, strict=True):
        row[[column[site] for site in leaf.sites.tolist()]] = NUCLEOTIDES[leaf.letters]
    letters = letters[:, (letters != GAP).any(axis=0)]
    names = tuple(f"taxon{number + 1}" for number in range(len(leaves)))
    sequences = tuple(
        Sequence(one, row[row != GAP].tobytes(), SequenceType.DNA) for one, row in zip(names, letters, strict=True)
    )
    return sequences, AlignedSequences(names, letters, SequenceType.DNA, name)


@dataclass
class Branch:
    """A branch of so many substitutions a site, and those that grow from its end."""

    length: float = 0.0
    above: list[Branch] = field(default_factory=list)


def tree(model: Evolution, random: np.random.Generator) -> list[Branch]:
    """The branches at the root."""
    growing = [Branch(), Branch()]
    root = list(growing)
    while True:
        time = random.exponential(1 / len(growing))
        for branch in growing:
            branch.length += time
        if len(growing) >= model.taxa:
            break
        split = growing.pop(int(random.integers(len(growing))))
        split.above = [Branch(), Branch()]
        growing += split.above
    scale = model.depth / float(np.mean([depth for branch in root for depth in _depths(branch)]))
    for branch in root:
        _stretch(branch, scale, random)
    return root


def _depths(branch: Branch) -> list[float]:
    """The ways to the leaves."""
    return [branch.length + way for one in branch.above for way in _depths(one)] or [branch.length]


def _stretch(branch: Branch, scale: float, random: np.random.Generator) -> None:
    branch.length *= scale * (0.5 + 0.5 * random.exponential())
    for one in branch.above:
        _stretch(one, scale, random)


def _grow(branch: Branch, from_: Lineage, model: Evolution, sites: Sites, random: np.random.Generator,
          leaves: list[Lineage]) -> None:  # fmt: skip
    steps, found = max(int(np.ceil(branch.length / STEP)), 1), from_
    for _ in range(steps):
        found = _changed(found, branch.length / steps, model, sites, random)
        found = _cut(found, branch.length / steps, model, sites, random)
    if not branch.above:
        leaves.append(found)
    for one in branch.above:
        _grow(one, found, model, sites, random, leaves)


def _changed(one: Lineage, time: float, model: Evolution, sites: Sites, random: np.random.Generator) -> Lineage:
    """Letters after some time."""
    values, vectors = np.linalg.eig(model.rates)
    own = np.array([sites.rates[site] for site in one.sites.tolist()])
    grown = np.exp(own[:, None] * time * values[None].real)
    chances = np.einsum("ik,sk,kj->sij", vectors.real, grown, np.linalg.inv(vectors.real))
    chances = chances[np.arange(one.letters.size), one.letters].clip(0).cumsum(axis=1)
    drawn = random.random(one.letters.size)[:, None] * chances[:, -1:]
    return Lineage(one.sites, (drawn > chances).sum(axis=1).clip(0, 3))


def _cut(one: Lineage, time: float, model: Evolution, sites: Sites, random: np.random.Generator) -> Lineage:
    """Insertions and deletions of some time."""
    numbers, letters = one.sites.tolist(), one.letters.tolist()
    count = int(random.poisson(model.indels * time * (len(numbers) + 1)))
    for length in model.lengths(random, count).tolist():
        place = int(random.integers(len(numbers) + 1))
        if random.random() < 0.5:
            rates = random.gamma(model.alpha, 1 / model.alpha, length)
            made = sites.insert(numbers[place - 1] if place else HEAD, rates)
            numbers[place:place] = made
            letters[place:place] = random.choice(4, length, p=model.frequencies).tolist()
        elif place + length <= len(numbers) and length < len(numbers):
            del numbers[place : place + length], letters[place : place + length]
    return Lineage(np.array(numbers, np.int64), np.array(letters, np.int64))
