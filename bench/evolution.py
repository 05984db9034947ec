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

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import Sequence, SequenceType

NUCLEOTIDES = np.frombuffer(b"ACGT", np.uint8)
STEP = 0.05
HEAD = 0
"""The number of what stands before the first site."""


@dataclass(frozen=True)
class Evolution:
    """Parameters of the simulation (see the module): ``taxa`` leaves, ``length`` letters at the root."""

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
    def substitution_rates(self) -> np.ndarray:
        """Rate matrix of HKY85, float64 (4, 4), with one substitution per unit of time on average."""
        shares = np.array(self.frequencies)
        Q = np.tile(shares, (4, 1))
        Q[[0, 2, 1, 3], [2, 0, 3, 1]] *= self.kappa  # A-G and C-T are transitions
        np.fill_diagonal(Q, 0)
        np.fill_diagonal(Q, -Q.sum(axis=1))
        return Q / -(shares @ np.diag(Q))

    def draw_indel_lengths(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Draw lengths of insertions or deletions."""
        if not self.zipf:
            return np.minimum(random.geometric(1 / self.mean_length, count), self.longest)
        weights = np.arange(1, self.longest + 1) ** -self.zipf
        return random.choice(self.longest, count, p=weights / weights.sum()) + 1


@dataclass
class Sites:
    """All sites as a linked list: their rates and the next site of each; HEAD precedes the first site."""

    rates: list[float] = field(default_factory=lambda: [0.0])
    after: list[int] = field(default_factory=lambda: [-1])

    def insert(self, behind: int, rates: np.ndarray) -> list[int]:
        """Insert sites after a site and return their numbers."""
        made = list(range(len(self.rates), len(self.rates) + rates.size))
        self.rates += rates.tolist()
        self.after += [*made[1:], self.after[behind]]
        self.after[behind] = made[0]
        return made

    def ordered_sites(self) -> list[int]:
        """Return the numbers of all sites in order."""
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


def evolve_family(model: Evolution, seed: int, name: str = "") -> tuple[tuple[Sequence, ...], AlignedSequences]:
    """Return the sequences of the leaves and their true alignment without empty columns."""
    random, sites = np.random.default_rng(seed), Sites()
    first = sites.insert(HEAD, random.gamma(model.alpha, 1 / model.alpha, model.length))
    root = Lineage(np.array(first), random.choice(4, model.length, p=model.frequencies))
    leaves: list[Lineage] = []
    for branch in draw_tree(model, random):
        _evolve_branch(branch, root, model, sites, random, leaves)
    column = {site: place for place, site in enumerate(sites.ordered_sites())}
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
    """A branch with its length in substitutions per site and the branches at its end."""

    length: float = 0.0
    above: list[Branch] = field(default_factory=list)


def draw_tree(model: Evolution, random: np.random.Generator) -> list[Branch]:
    """Draw a random tree and return the branches at its root."""
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
    scale = model.depth / float(np.mean([depth for branch in root for depth in _leaf_depths(branch)]))
    for branch in root:
        _stretch_branches(branch, scale, random)
    return root


def _leaf_depths(branch: Branch) -> list[float]:
    """Return the distances to the leaves."""
    return [branch.length + way for one in branch.above for way in _leaf_depths(one)] or [branch.length]


def _stretch_branches(branch: Branch, scale: float, random: np.random.Generator) -> None:
    branch.length *= scale * (0.5 + 0.5 * random.exponential())
    for one in branch.above:
        _stretch_branches(one, scale, random)


def _evolve_branch(
    branch: Branch, from_: Lineage, model: Evolution, sites: Sites, random: np.random.Generator, leaves: list[Lineage]
) -> None:
    steps, found = max(int(np.ceil(branch.length / STEP)), 1), from_
    for _ in range(steps):
        found = _substitute_letters(found, branch.length / steps, model, sites, random)
        found = _apply_indels(found, branch.length / steps, model, sites, random)
    if not branch.above:
        leaves.append(found)
    for one in branch.above:
        _evolve_branch(one, found, model, sites, random, leaves)


def _substitute_letters(
    one: Lineage, time: float, model: Evolution, sites: Sites, random: np.random.Generator
) -> Lineage:
    """Return the lineage with letters substituted during some time."""
    values, vectors = np.linalg.eig(model.substitution_rates)
    own = np.array([sites.rates[site] for site in one.sites.tolist()])
    grown = np.exp(own[:, None] * time * values[None].real)
    chances = np.einsum("ik,sk,kj->sij", vectors.real, grown, np.linalg.inv(vectors.real))
    chances = chances[np.arange(one.letters.size), one.letters].clip(0).cumsum(axis=1)
    drawn = random.random(one.letters.size)[:, None] * chances[:, -1:]
    return Lineage(one.sites, (drawn > chances).sum(axis=1).clip(0, 3))


def _apply_indels(one: Lineage, time: float, model: Evolution, sites: Sites, random: np.random.Generator) -> Lineage:
    """Return the lineage with insertions and deletions during some time."""
    numbers, letters = one.sites.tolist(), one.letters.tolist()
    count = int(random.poisson(model.indels * time * (len(numbers) + 1)))
    for length in model.draw_indel_lengths(random, count).tolist():
        place = int(random.integers(len(numbers) + 1))
        if random.random() < 0.5:
            rates = random.gamma(model.alpha, 1 / model.alpha, length)
            made = sites.insert(numbers[place - 1] if place else HEAD, rates)
            numbers[place:place] = made
            letters[place:place] = random.choice(4, length, p=model.frequencies).tolist()
        elif place + length <= len(numbers) and length < len(numbers):
            del numbers[place : place + length], letters[place : place + length]
    return Lineage(np.array(numbers, np.int64), np.array(letters, np.int64))
