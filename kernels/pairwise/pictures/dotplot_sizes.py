"""Sizes of the dot plot: the words that suit a pair, and the bytes of their index. Imports no compiled code."""

from __future__ import annotations

import math

from antidiag.kernels.model import Sequence, SequenceType

LEAST_K, MOST_K = 1, 64
NOISE, NOISE_CELLS = 500, 200
"""Matches by chance that the automatic k allows: so many, and no more than one in so many cells."""
CHANCE = {True: 0.25, False: 0.06}
"""How often two letters are equal by chance: of nucleotides, and of proteins of usual composition."""
MOST_INDEXED = 2**26
"""Words in the index; of a longer sequence only every second, third, ... word is in it."""


def automatic_k(first: Sequence, second: Sequence) -> int:
    """The shortest words of which few match by chance."""
    cells = len(first) * len(second)
    allowed = max(min(NOISE, cells / NOISE_CELLS), 1)
    chance = CHANCE[of_nucleotides(first, second)]
    k = math.ceil(math.log(max(cells / allowed, 1)) / -math.log(chance) - 1e-9)
    return min(max(k, LEAST_K), MOST_K)


def nbytes(first: Sequence, second: Sequence) -> int:
    """Bytes of a WordIndex: at most 2^29, and one for each letter."""
    words, _ = indexed(min(len(first), len(second)))
    return len(first) + len(second) + 4 * (buckets_for(words) + 2 + words)


def of_nucleotides(first: Sequence, second: Sequence) -> bool:
    """Whether a word of one sequence can be the reverse complement of a word of the other."""
    return SequenceType.PROTEIN not in (first.type, second.type)


def indexed(letters: int) -> tuple[int, int]:
    """Words in the index of so many letters, and their distance."""
    step = -(-letters // MOST_INDEXED)
    return -(-letters // max(step, 1)), max(step, 1)


def buckets_for(count: int) -> int:
    """A power of two that is at least ``count``."""
    return 1 << max(count - 1, 1).bit_length()
