"""Sketches of sequences as rows of letters, so that they are compared as the rows of an alignment are.

Every word of k letters has a random number. The numbers fall in bins, and the smallest of each bin is kept (one
permutation hashing: Li, Owen and Zhang 2012); an empty bin takes the number of another bin, which the same random walk
finds in all sequences (Shrivastava 2017). Of a number five bits are kept (b-bit minwise hashing: Li and Koenig 2010),
the letter of the bin. Two sequences whose sets of words have the Jaccard index J have equal letters in J + (1 - J) / 32
of the bins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.model import Sequence, concatenate_letters, sequence_lengths
from antidiag.kernels.sequences.alphabets import AMINO_ACIDS, BASES
from antidiag.kernels.trees.placement.problem import PlacedSequencesProblem

NONE = np.uint64(2**64 - 1)
LETTER_BITS = 5
SKETCHED_AT_ONCE = 4096
"""Sequences between two looks for Cancel."""


def letter_numbers(is_protein: bool) -> np.ndarray:
    """Return a table of all bytes, int8 (256,): the number of a letter, -1 for one that no word has."""
    table = np.full(256, -1, np.int8)
    for number, letter in enumerate(AMINO_ACIDS if is_protein else BASES):
        table[ord(letter)] = number
    if not is_protein:
        table[ord("U")] = table[ord("T")]
    return table


def sketch_sequences(
    problem: PlacedSequencesProblem, order: np.ndarray, check: Callable[[], None] = lambda: None
) -> np.ndarray:
    """Return the letters of the bins of all sequences in an order, uint8 (sequences, bins).

    Bit 0 is set where there is a word, five bits of its number follow. ``check`` raises where the run was cancelled.
    """
    table, bits = letter_numbers(problem.is_protein), 5 if problem.is_protein else 2
    codes = np.empty((order.size, problem.bins), np.uint8)
    for first in range(0, order.size, SKETCHED_AT_ONCE):
        check()
        chosen: list[Sequence] = [
            problem.sequences[number] for number in order[first : first + SKETCHED_AT_ONCE].tolist()
        ]
        ends = np.cumsum(sequence_lengths(chosen))
        letters = table[concatenate_letters(chosen)]
        sketch_letters(letters, ends, problem.word, bits, codes[first : first + SKETCHED_AT_ONCE])
    return codes


@inner_njit
def _mix(number):
    """Return a random number for a number, uint64 (splitmix64: Steele, Lea and Flood 2014)."""
    number = number + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@cached_njit
def sketch_letters(letters, ends, word, bits, codes):
    """Write the sketches of sequences whose ``letters`` int8 follow each other, up to ``ends``, to ``codes``."""
    bins = codes.shape[1]
    least = np.empty(bins, np.uint64)
    mask = (np.uint64(1) << np.uint64(word * bits)) - np.uint64(1)
    start = 0
    for row in range(codes.shape[0]):
        least[:] = NONE
        known, number, words = 0, np.uint64(0), 0
        for at in range(start, ends[row]):
            known = known + 1 if letters[at] >= 0 else 0
            number = (number << np.uint64(bits) | np.uint64(max(letters[at], 0))) & mask
            if known >= word:
                mixed = _mix(number)
                chosen = np.int64((mixed >> np.uint64(32)) % np.uint64(bins))
                least[chosen] = min(least[chosen], mixed)
                words += 1
        start = ends[row]
        for place in range(bins):
            found = least[place]
            walk = np.uint64(place)
            while found == NONE and words:
                walk = _mix(walk)
                found = least[np.int64(walk % np.uint64(bins))]
            letter = np.uint64(1) | (_mix(found) >> np.uint64(64 - LETTER_BITS)) << np.uint64(1)
            codes[row, place] = np.uint8(letter) if words else np.uint8(0)
