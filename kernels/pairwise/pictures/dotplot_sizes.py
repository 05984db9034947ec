"""Sizes of the dot plot: the word length that suits a pair, and the bytes of the index. Imports no compiled code."""

from __future__ import annotations

import math

from antidiag.kernels.model import Sequence, SequenceType

LEAST_K, MOST_K = 1, 64
NOISE, NOISE_CELLS = 500, 200
"""Most matches by chance with the automatic k: NOISE, and at most one in NOISE_CELLS cells."""
CHANCE = {True: 0.25, False: 0.06}
"""Probability that two letters are equal: nucleotides (True), proteins of usual composition (False)."""
MOST_INDEXED = 2**26
"""Most words in the index; of a longer sequence only every second, third, ... word is indexed."""


def choose_word_length(first: Sequence, second: Sequence) -> int:
    """Return the shortest word length at which few words match by chance."""
    cells = len(first) * len(second)
    allowed = max(min(NOISE, cells / NOISE_CELLS), 1)
    chance = CHANCE[are_nucleotides(first, second)]
    k = math.ceil(math.log(max(cells / allowed, 1)) / -math.log(chance) - 1e-9)
    return min(max(k, LEAST_K), MOST_K)


def index_bytes(first: Sequence, second: Sequence) -> int:
    """Return the bytes of a WordIndex: at most 2^29, and one for each letter."""
    words, _ = indexed_words(min(len(first), len(second)))
    return len(first) + len(second) + 4 * (bucket_count(words) + 2 + words)


def are_nucleotides(first: Sequence, second: Sequence) -> bool:
    """Return whether a word of one sequence can be the reverse complement of a word of the other."""
    return SequenceType.PROTEIN not in (first.type, second.type)


def indexed_words(letters: int) -> tuple[int, int]:
    """Return how many words of a sequence of ``letters`` letters are indexed, and their distance."""
    step = -(-letters // MOST_INDEXED)
    return -(-letters // max(step, 1)), max(step, 1)


def bucket_count(count: int) -> int:
    """Return a power of two that is at least ``count``."""
    return 1 << max(count - 1, 1).bit_length()
