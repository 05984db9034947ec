"""k-tuples of sequences, and ClustalW's distance of the chains that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernels.trees.distances.kmers import BASES, letter_codes, packed
from kernels.trees.distances.pairing import mirrored
from kernels.trees.distances.problem import KtupleProblem

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
REACH = 2000
"""Letters, times the root of how many words are possible, up to which the CPU visits every cell of a pair.

Beyond it goes from one common k-mer to the next: the rarer they are, the sooner that pays.
"""


@dataclass(frozen=True, eq=False)
class Tuples:
    """The k-mers of all sequences, one sequence after another.

    ``kmers`` int32 are those of sequence i at starts[i]..starts[i + 1] (int64), -1 where a letter has no code.
    ``places`` int32, cut as ``kmers``, has the places of each k-mer, ascending: those of k-mer w of sequence i are at
    kmer_starts[i, w]..kmer_starts[i, w + 1] (int32) of its part. ``bins`` k-mers are possible.
    """

    kmers: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    kmer_starts: np.ndarray
    bins: int


def kmers_of(problem: KtupleProblem, check: Callable[[], None] = lambda: None) -> list[np.ndarray]:
    """The k-mers of each sequence, int32, -1 where a letter has no code; ``check()`` is called before each."""
    groups, found = _letters(problem), []
    codes = letter_codes(groups)
    for sequence in problem.sequences:
        check()
        found.append(_kmers(codes[sequence.array], problem.ktuple, len(groups)).astype(np.int32))
    return found


def short(problem: KtupleProblem, lengths: np.ndarray) -> np.ndarray:
    """Which sequences of so many letters, (n,), have pairs whose every cell the CPU visits; bool (n,).

    Where a change of diagonal costs less than k - 1, scores alone do not say which chain goes on, and none does.
    """
    return (lengths**2 * possible(problem) <= REACH**2) & (problem.word_gap >= problem.ktuple - 1)


def possible(problem: KtupleProblem) -> int:
    """How many k-mers there can be."""
    return len(_letters(problem)) ** problem.ktuple


def tuples(problem: KtupleProblem, check: Callable[[], None] = lambda: None) -> Tuples:
    """The k-tuples of all sequences of a problem; ``check()`` is called for each."""
    kmers, places, bins = kmers_of(problem, check), [], possible(problem)
    kmer_starts = np.empty((len(kmers), bins + 1), np.int32)
    for number, own in enumerate(kmers):
        check()
        kmer_starts[number], found = _places(own, bins)
        places.append(found.astype(np.int32))
    return Tuples(
        kmers=np.concatenate(kmers),
        starts=np.concatenate([[0], np.cumsum([own.size for own in kmers])]),
        places=np.concatenate(places),
        kmer_starts=kmer_starts,
        bins=bins,
    )


def distances_of_chains(
    problem: KtupleProblem, scores: np.ndarray, check: Callable[[], None] = lambda: None
) -> np.ndarray:
    """1 - score / the shorter length, at least 0; ``scores`` and ``check`` as in `mirrored`."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])

    def distances(block: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
        return np.maximum(1 - block / np.minimum(lengths[rows, None], lengths[columns]), 0)

    return mirrored(scores, distances, check)


def _letters(problem: KtupleProblem) -> tuple[str, ...]:
    return LETTERS if problem.protein else BASES


def _kmers(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """The k-mer at each place of a sequence, -1 where a letter has no code."""
    kmers = packed(codes, k, base)
    unknown = np.convolve(codes < 0, np.ones(k), "valid") > 0 if kmers.size else np.zeros(0, bool)
    return np.where(unknown, -1, kmers)


def _places(kmers: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the places of each k-mer begin, and the places; a place without a k-mer is at the end."""
    known = np.flatnonzero(kmers >= 0)
    places = np.zeros(kmers.size, np.int64)
    places[: known.size] = known[np.argsort(kmers[known], kind="stable")]
    return np.concatenate([[0], np.cumsum(np.bincount(kmers[known], minlength=bins))]), places
