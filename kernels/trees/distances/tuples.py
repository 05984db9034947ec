"""k-tuples of sequences, and ClustalW's distance of the chains that they make."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.model import Sequence
from antidiag.kernels.trees.distances.kmers import BASES, in_batches, joined, letter_codes, packed
from antidiag.kernels.trees.distances.problem import KtupleProblem

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
REACH = 2000
"""Letters, times the root of how many words are possible, up to which the CPU visits every cell of a pair.

Beyond it goes from one common k-mer to the next: the rarer they are, the sooner that pays.
"""

LOW_BITS = 32
"""Room for a place in a sequence."""


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
    """The k-tuples of all sequences of a problem; ``check()`` is called meanwhile."""
    groups, bins = _letters(problem), possible(problem)
    codes = letter_codes(groups)
    kmer_starts = np.zeros((len(problem.sequences), bins + 1), np.int32)
    batches = in_batches(problem.sequences)
    rows = np.split(kmer_starts, np.cumsum([len(batch) for batch in batches])[:-1])

    def one(part: int) -> tuple[np.ndarray, ...]:
        return _tuples(batches[part], codes, problem.ktuple, len(groups), rows[part])

    parts = workers.each(one, range(len(batches)), poll=check)
    kmers, places, sizes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Tuples(kmers, np.concatenate([[0], np.cumsum(sizes)]), places, kmer_starts, bins)


def _letters(problem: KtupleProblem) -> tuple[str, ...]:
    return LETTERS if problem.protein else BASES


def _kmers(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """The k-mer at each place of a sequence, -1 where a letter has no code."""
    kmers = packed(codes, k, base)
    unknown = np.convolve(codes < 0, np.ones(k), "valid") > 0 if kmers.size else np.zeros(0, bool)
    return np.where(unknown, -1, kmers)


def _tuples(
    sequences: Sequences[Sequence], codes: np.ndarray, k: int, base: int, kmer_starts: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Of some sequences, as Tuples has them: the k-mers, their places, and how many k-mers each has. ``kmer_starts``,
    their rows of it, are filled; they are 0 before."""
    letters, owners = joined(sequences)
    bins, count = base**k, len(sequences)
    own, last = owners[: max(owners.size - k + 1, 0)], owners[k - 1 :]
    whole = own == last
    kmers, own = _kmers(codes[letters], k, base)[whole], own[whole]
    sizes = np.bincount(own, minlength=count)
    places = np.arange(own.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    known = kmers >= 0
    # By sequence, word and place, of which no two are alike: then a sort need not be stable. Unknown words come last.
    keys = np.where(known, kmers, bins) + own * np.int64(bins + 1) << LOW_BITS | places
    keys.sort()
    of_known = np.bincount((own * np.int64(bins) + kmers)[known], minlength=count * bins).reshape(count, bins)
    np.cumsum(of_known, axis=1, out=kmer_starts[:, 1:])
    is_known = (keys >> LOW_BITS) % (bins + 1) < bins
    found = np.where(is_known, keys & (1 << LOW_BITS) - 1, 0)
    return kmers.astype(np.int32), found.astype(np.int32), sizes
