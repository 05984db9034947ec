"""k-tuples of sequences, and ClustalW's distance of the chains that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.trees.distance_problem import KtupleProblem
from kernels.trees.words import BASES, letter_codes, packed

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, eq=False)
class Tuples:
    """The words of all sequences, one sequence after another.

    ``words`` int32 are those of sequence i at starts[i]..starts[i + 1] (int64), -1 where a letter has no code.
    ``places`` int32, cut as ``words``, has the places of each word, ascending: those of word w of sequence i are at
    word_starts[i, w]..word_starts[i, w + 1] (int32) of its part. ``bins`` words are possible.
    """

    words: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    word_starts: np.ndarray
    bins: int


def tuples(problem: KtupleProblem) -> Tuples:
    """The k-tuples of all sequences of a problem."""
    groups = LETTERS if problem.protein else BASES
    codes, k, bins = letter_codes(groups), problem.ktuple, len(groups) ** problem.ktuple
    words = [_words(codes[sequence.array], k, len(groups)) for sequence in problem.sequences]
    found = [_places(own, bins) for own in words]
    return Tuples(
        words=np.concatenate(words).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum([own.size for own in words])]),
        places=np.concatenate([places for _, places in found]).astype(np.int32),
        word_starts=np.array([starts for starts, _ in found], np.int32),
        bins=bins,
    )


def distances_of_chains(problem: KtupleProblem, scores: np.ndarray) -> np.ndarray:
    """1 - score / the shorter length, at least 0; ``scores`` above the diagonal."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    values = np.maximum(1 - (scores + scores.T) / np.minimum(lengths[:, None], lengths), 0)
    np.fill_diagonal(values, 0)
    return values


def _words(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """The word at each place of a sequence, -1 where a letter has no code."""
    words = packed(codes, k, base)
    unknown = np.convolve(codes < 0, np.ones(k), "valid") > 0 if words.size else np.zeros(0, bool)
    return np.where(unknown, -1, words)


def _places(words: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the places of each word begin, and the places; a place without a word is at the end."""
    known = np.flatnonzero(words >= 0)
    places = np.zeros(words.size, np.int64)
    places[: known.size] = known[np.argsort(words[known], kind="stable")]
    return np.concatenate([[0], np.cumsum(np.bincount(words[known], minlength=bins))]), places
