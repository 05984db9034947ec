"""k-tuples of sequences, for ClustalW's distance of the chains that they make."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.model import Sequence
from antidiag.kernels.trees.distances.problem import KtupleProblem
from antidiag.kernels.trees.distances.shared_words.kmers import (
    BASES,
    concatenate_letters,
    letter_codes,
    pack_kmers,
    split_batches,
)

LETTERS = tuple("ACDEFGHIKLMNOPQRSTUVWY")
"""Letters of proteins in words; a word with an ambiguous letter is equal to none."""
REACH = 2000
"""Letters, times the root of the number of possible words, up to which the CPU visits every cell of a pair.

Beyond it goes from one common k-mer to the next: the rarer they are, the sooner that pays.
"""

LOW_BITS = 32
"""Bits of a position in a sequence."""


@dataclass(frozen=True, eq=False)
class KtupleArrays:
    """The k-mers of all sequences, one sequence after another.

    ``kmers`` int32 are those of sequence i at starts[i]..starts[i + 1] (int64), -1 where a letter has no code.
    ``places`` int32, cut as ``kmers``, has the positions of each k-mer, ascending: those of k-mer w of sequence i are
    at kmer_starts[i, w]..kmer_starts[i, w + 1] (int32) of its part. ``bins`` k-mers are possible.
    """

    kmers: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    kmer_starts: np.ndarray
    bins: int


def list_kmers(problem: KtupleProblem, check: Callable[[], None] = lambda: None) -> list[np.ndarray]:
    """Return the k-mers of each sequence, int32, -1 where a letter has no code; ``check()`` is called before each."""
    groups, found = _alphabet(problem), []
    codes = letter_codes(groups)
    for sequence in problem.sequences:
        check()
        found.append(_kmers_of_codes(codes[sequence.letter_array], problem.ktuple, len(groups)).astype(np.int32))
    return found


def find_short_sequences(problem: KtupleProblem, lengths: np.ndarray) -> np.ndarray:
    """Return which sequences of so many letters, (n,), have pairs whose every cell the CPU visits; bool (n,).

    Where a change of diagonal costs less than k - 1, scores alone do not say which chain continues, and none does.
    """
    return (lengths**2 * possible_kmers(problem) <= REACH**2) & (problem.word_gap >= problem.ktuple - 1)


def possible_kmers(problem: KtupleProblem) -> int:
    """Return the number of possible k-mers."""
    return len(_alphabet(problem)) ** problem.ktuple


def list_ktuples(problem: KtupleProblem, check: Callable[[], None] = lambda: None) -> KtupleArrays:
    """Return the k-tuples of all sequences of a problem; ``check()`` is called meanwhile."""
    groups, bins = _alphabet(problem), possible_kmers(problem)
    codes = letter_codes(groups)
    kmer_starts = np.zeros((len(problem.sequences), bins + 1), np.int32)
    batches = split_batches(problem.sequences)
    rows = np.split(kmer_starts, np.cumsum([len(batch) for batch in batches])[:-1])

    def list_batch(part: int) -> tuple[np.ndarray, ...]:
        return _ktuples_of_batch(batches[part], codes, problem.ktuple, len(groups), rows[part])

    parts = workers.map_on_threads(list_batch, range(len(batches)), poll=check)
    kmers, places, sizes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return KtupleArrays(kmers, np.concatenate([[0], np.cumsum(sizes)]), places, kmer_starts, bins)


def _alphabet(problem: KtupleProblem) -> tuple[str, ...]:
    """Return the alphabet of a problem."""
    return LETTERS if problem.is_protein else BASES


def _kmers_of_codes(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """Return the k-mer at each position of a sequence, -1 where a letter has no code."""
    kmers = pack_kmers(codes, k, base)
    unknown = np.convolve(codes < 0, np.ones(k), "valid") > 0 if kmers.size else np.zeros(0, bool)
    return np.where(unknown, -1, kmers)


def _ktuples_of_batch(
    sequences: Sequences[Sequence], codes: np.ndarray, k: int, base: int, kmer_starts: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return the k-mers of a batch, their positions, and how many k-mers each sequence has.

    ``kmer_starts``, their rows of it, are filled; they are 0 before.
    """
    letters, owners = concatenate_letters(sequences)
    bins, count = base**k, len(sequences)
    own, last = owners[: max(owners.size - k + 1, 0)], owners[k - 1 :]
    whole = own == last
    kmers, own = _kmers_of_codes(codes[letters], k, base)[whole], own[whole]
    sizes = np.bincount(own, minlength=count)
    places = np.arange(own.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    known = kmers >= 0
    # Keys (sequence, word, position) are distinct, so the sort need not be stable. Unknown words come last.
    keys = np.where(known, kmers, bins) + own * np.int64(bins + 1) << LOW_BITS | places
    keys.sort()
    of_known = np.bincount((own * np.int64(bins) + kmers)[known], minlength=count * bins).reshape(count, bins)
    np.cumsum(of_known, axis=1, out=kmer_starts[:, 1:])
    is_known = (keys >> LOW_BITS) % (bins + 1) < bins
    found = np.where(is_known, keys & (1 << LOW_BITS) - 1, 0)
    return kmers.astype(np.int32), found.astype(np.int32), sizes
