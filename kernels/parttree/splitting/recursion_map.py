"""A map of the recursion of PartTree, and its distances, for pictures.

Every different sequence has a place, 0 .. n - 1, so that each group of the recursion is a range of places, and the
groups of its references are ranges beside each other in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.parttree.kmers.cpu_shared_words import TASK, DistanceBatch
from antidiag.kernels.parttree.kmers.word_arrays import concatenate_letters
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.splitting.cpu import IndexedDistances, compile_all, encode_sixmers
from antidiag.kernels.sequences.sequence_set import take_sequences


@dataclass(frozen=True, eq=False)
class RecursionMap:
    """The places of the references of all groups.

    ``splits`` and ``references`` are those of the answer. ``first`` int64 (k + 1,) is where the references of each
    split begin, ``starts`` int64 (r,) the first place of each reference's group. ``order`` int64 (n,) is the sequence
    at each place. ``bands`` has for every level the references, ascending by place, int64; ``parent`` int64 (k,) is the
    reference whose group a split is, -1 for the first.
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
        """The number of places, which is that of different sequences."""
        return self.order.size

    def reference_at(self, level: int, position: float) -> int | None:
        """Return the reference of a level whose group contains a place, or None where it was alone before."""
        if not 0 <= level < len(self.bands):
            return None
        band = self.bands[level]
        at = int(np.searchsorted(self.starts[band], position, "right")) - 1
        if at < 0 or position >= self.starts[band[at]] + self.references[band[at], 2]:
            return None
        return int(band[at])

    def place_range(self, split: int) -> tuple[int, int]:
        """Return the places of a group, half-open."""
        start = int(self.starts[self.first[split]])
        return start, start + int(self.splits[split, 2])

    def own_references(self, split: int) -> np.ndarray:
        """Return the sequences that are references of a group, int64."""
        return self.references[self.first[split] : self.first[split + 1], 1]

    def members(self, split: int) -> np.ndarray:
        """Return the sequences of a group, its references first, the others by place; int64."""
        low, high = self.place_range(split)
        own, there = self.own_references(split), self.order[low:high]
        return np.concatenate([own, there[~np.isin(there, own)]])

    def distance_counts(self, split: int) -> tuple[int, int, int]:
        """Return the number of distances in each area of figure 1 of Razzolini and Melo (2020).

        The areas are the pivot to all, between the references, and the references to the others; the latter two are 0
        for a group that was joined evenly.
        """
        _, _, members, _, kept = self.splits[split].tolist()
        return members, kept * kept, kept * (members - kept)


def make_recursion_map(answer: PartTreeAnswer) -> RecursionMap | None:
    """Return the map of an answer, or None without a recursion: one sequence, another criterion, or an old file."""
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


def measure_distances(problem: PartTreeProblem, references: np.ndarray, sequences: np.ndarray) -> np.ndarray:
    """Return MAFFT's distances of some sequences of a problem to some of its references.

    Parameters
    ----------
    references : int array (r,), numbers of sequences of the problem.
    sequences : int array (s,), numbers of sequences of the problem.

    Returns
    -------
    float64 (r, s). Only the words of these sequences are made, whatever the size of the problem.
    """
    compile_all()
    numbers, places = np.unique(np.concatenate([references, sequences]), return_inverse=True)
    letters = concatenate_letters(take_sequences(problem.sequences, numbers.tolist()), problem.is_protein)
    refs, members = places[: references.size], places[references.size :]
    tasks = np.array([[0, at, min(at + TASK, members.size)] for at in range(0, members.size, TASK)])
    batch = DistanceBatch(refs, np.array([0, refs.size]), members, np.array([0, members.size]), tasks)
    with CpuRun().phase("words") as phase:
        words = encode_sixmers(letters, problem.is_protein, phase)
        found = IndexedDistances(words, letters.possible_words, phase, lambda done, total: None)(batch, True, 0)
    return found.everything[: members.size * refs.size].reshape(members.size, refs.size).T
