"""Sketches of sequences, and the distances that follow from the words that two sketches share, compiled."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit

BINS = 1024
"""Bins of a sketch, a power of 2."""
EMPTY = np.uint16(0xFFFF)
"""Value of a bin without a word."""
MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
INCREMENT = np.uint64(0x9E3779B97F4A7C15)


@inline_njit
def _mix_bits(number):
    """Return the hash of a word, 64 bits (splitmix64)."""
    mixed = np.uint64(number) + INCREMENT
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MULTIPLIERS[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * MULTIPLIERS[1]
    return mixed ^ (mixed >> np.uint64(31))


@cached_njit
def draw_sketches(codes, offsets, base, word, sketches, first, last, stop):
    """Write the sketches of sequences ``first`` to ``last`` - 1: the least hash of the words in each bin.

    ``codes`` uint8 from offsets[i] on (int64); codes from ``base`` on belong to no word of ``word`` letters.
    ``sketches`` uint16 (sequences, BINS).
    """
    high = base ** (word - 1)
    for sequence in range(first, last):
        if stop[0] != 0:
            return
        own, number, kept = sketches[sequence], 0, 0
        own[:] = EMPTY
        for at in range(offsets[sequence], offsets[sequence + 1]):
            if codes[at] >= base:
                kept = 0
                continue
            number, kept = number % high * base + codes[at], kept + 1
            if kept >= word:
                mixed = _mix_bits(number)
                at_bin, value = np.int64(mixed & np.uint64(BINS - 1)), np.uint16(mixed >> np.uint64(49))
                own[at_bin] = min(own[at_bin], value)


@inline_njit
def _count_shared(one, other):
    """Return the bins that hold the same word in both sketches, and those that hold a word in either."""
    same, empty = np.uint16(0), np.uint16(0)
    for at in range(BINS):
        same = np.uint16(same + np.uint16(one[at] == other[at]))
        empty = np.uint16(empty + np.uint16((one[at] & other[at]) == EMPTY))
    return np.int64(same) - np.int64(empty), BINS - np.int64(empty)


@cached_njit
def measure_sketches(sketches, words, word, distances, first, last, stop):
    """Write the distances of sequences ``first`` to ``last`` - 1 to all before each, in both triangles.

    ``words`` int64 are the numbers of words of the sequences. The share of the words of the one with fewer words that
    the other has is the chance that ``word`` letters in a row are unchanged; its negative logarithm over ``word`` is
    the number of changes per letter (Ondov and others 2016, with containment instead of the Jaccard index).
    """
    for j in range(first, last):
        if stop[0] != 0:
            return
        for i in range(j):
            shared, filled = _count_shared(sketches[i], sketches[j])
            fewer = min(words[i], words[j])
            contained = 0.5 / BINS
            if shared > 0 and fewer > 0:
                contained = min(shared / (filled + shared) * (words[i] + words[j]) / fewer, 1.0)
            distances[i, j] = distances[j, i] = -np.log(contained) / word
