"""The recursion of PartTree as a map, and the distances that it goes by, for pictures.

Every different sequence has a place, 0 .. n - 1, so that each group of the recursion is a range of places, and those
of its references lie beside each other in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.cpu import Indexed, Log, compile_all, encoded
from antidiag.kernels.parttree.cpu_counts import TASK, Batch
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.words import letters_of
from antidiag.kernels.steps import Steps


@dataclass(frozen=True, eq=False)
class RecursionMap:
    """Where the references of all groups stand.

    ``splits`` and ``references`` are those of the answer. ``first`` int64 (k + 1,) is where the references of each
    split begin, ``starts`` int64 (r,) the first place of each reference's group. ``order`` int64 (n,) is the sequence
    at each place. ``bands`` has for every level the references, ascending by place, int64; ``parent`` int64 (k,) is
    the reference whose group a split is, -1 of the first.
    """

    splits: np.ndarray
    references: np.ndarray
    first: np.ndarray
    starts: np.ndarray
    order: np.ndarray
    bands: tuple[np.ndarray, ...]
    parent: np.ndarray

    @property
    def size(self) -> int:
        """Places: different sequences."""
        return self.order.size

    def reference_at(self, level: int, place: float) -> int | None:
        """The reference of a level whose group has a place; None where none has: it was alone before."""
        if not 0 <= level < len(self.bands):
            return None
        band = self.bands[level]
        at = int(np.searchsorted(self.starts[band], place, "right")) - 1
        if at < 0 or place >= self.starts[band[at]] + self.references[band[at], 2]:
            return None
        return int(band[at])

    def span(self, split: int) -> tuple[int, int]:
        """The places of a group, half-open."""
        start = int(self.starts[self.first[split]])
        return start, start + int(self.splits[split, 2])

    def own_references(self, split: int) -> np.ndarray:
        """The sequences that are references of a group, int64."""
        return self.references[self.first[split] : self.first[split + 1], 1]

    def members(self, split: int) -> np.ndarray:
        """The sequences of a group, its references first, the others by place; int64."""
        low, high = self.span(split)
        own, there = self.own_references(split), self.order[low:high]
        return np.concatenate([own, there[~np.isin(there, own)]])

    def areas(self, split: int) -> tuple[int, int, int]:
        """Distances of the three areas of figure 1 (002): of the pivot to all, between the references, and of the
        references to the others; those that a group which was joined evenly did not take are 0."""
        _, _, members, _, kept = self.splits[split].tolist()
        return members, kept * kept, kept * (members - kept)


def recursion_map(answer: PartTreeAnswer) -> RecursionMap | None:
    """The map of an answer; None where it has no recursion, as of one sequence, another criterion, or an old file."""
    splits, references = answer.splits, answer.references
    if not len(references):
        return None
    levels = splits[:, 0]
    first = np.searchsorted(references[:, 0], np.arange(len(splits) + 1))
    parent = np.full(len(splits), -1)
    split_of, below = references[:, 0], references[:, 3]
    parent[below[below >= 0]] = np.flatnonzero(below >= 0)
    running = np.cumsum(references[:, 2]) - references[:, 2]
    within = running - running[first[:-1]][split_of]
    starts, bands = np.zeros(len(references), np.int64), []
    origin = np.zeros(len(splits), np.int64)
    of_level = levels[split_of]
    for level in range(int(levels.max()) + 1):
        own = np.flatnonzero(of_level == level)
        starts[own] = origin[split_of[own]] + within[own]
        deeper = own[below[own] >= 0]
        origin[below[deeper]] = starts[deeper]
        bands.append(own[np.argsort(starts[own], kind="stable")])
    alone = below < 0
    order = np.empty(int(splits[0, 2]), np.int64)
    order[starts[alone]] = references[alone, 1]
    return RecursionMap(splits, references, first, starts, order, tuple(bands), parent)


def distances(problem: PartTreeProblem, references: np.ndarray, sequences: np.ndarray) -> np.ndarray:
    """The distances of sequences to references (numbers of a problem's sequences), float64 (references, sequences).

    Only their own words are made: the time and memory of a tile do not depend on the size of the problem.
    """
    compile_all()
    numbers, places = np.unique(np.concatenate([references, sequences]), return_inverse=True)
    letters = letters_of([problem.sequences[number] for number in numbers.tolist()], problem.protein)
    words = encoded(letters, problem.protein, 1, Monitor())
    measure = Indexed(words, letters.bins, 1, Monitor(), Log(Steps(), 1, 0))
    refs, members = places[: references.size], places[references.size :]
    tasks = np.array([[0, at, min(at + TASK, members.size)] for at in range(0, members.size, TASK)])
    ends = (np.array([0, refs.size]), np.array([0, members.size]))
    found = measure(Batch(refs, ends[0], members, ends[1], tasks), True, 0)
    return found.everything[: members.size * refs.size].reshape(members.size, refs.size).T
