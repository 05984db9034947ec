"""Compiled kernels of pruning: words of a sequence, and the most that the rest of a sequence can still gain.

A word is a run of ``length`` letters. Its number is made of ``bits`` bits a letter, so that it fits a table of single
bits; a letter that needs more bits spills into its neighbour, which may only make a word look like another one.

    letters  uint8: codes of a sequence
    table    uint8 (2 ** (bits * length) / 8): a bit for each number of a word
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit


@inline_njit
def append_letter(number, letter, bits, mask):
    """Return the number of the word that ends one letter later."""
    return ((number << np.uint64(bits)) + np.uint64(letter)) & mask


@cached_njit
def mark_words(letters, length, bits, table):
    """Set the bits of all words of a sequence."""
    mask, number = (np.uint64(1) << np.uint64(length * bits)) - np.uint64(1), np.uint64(0)
    for i in range(letters.size):
        number = append_letter(number, letters[i], bits, mask)
        if i >= length - 1:
            table[number >> np.uint64(3)] |= np.uint8(1 << (number & np.uint64(7)))


@cached_njit
def find_absent_words(letters, length, bits, table):
    """Return at which positions words begin whose bit is not set in ``table``; bool (letters)."""
    mask, number = (np.uint64(1) << np.uint64(length * bits)) - np.uint64(1), np.uint64(0)
    absent = np.zeros(letters.size, np.bool_)
    for i in range(letters.size):
        number = append_letter(number, letters[i], bits, mask)
        if i >= length - 1:
            bit = table[number >> np.uint64(3)] >> np.uint8(number & np.uint64(7))
            absent[i - length + 1] = not bit & 1
    return absent


@cached_njit
def compute_gains(letters, length, absent, best_scores, losses, most_loss, gains):
    """Compute the most that the letters from each position on can gain; ``gains`` int32 (letters + 1).

    ``best_scores`` int32: the best score of each letter with any other, at least 0. A word that is ``absent`` from the
    other sequence loses the least of the ``losses`` of its letters, int32, and at most ``most_loss``. Of such words as
    many are counted as do not overlap, from the end on. A path may stop anywhere: inside such a word it gains at most
    what the letters before its last one can. Who begins inside a word may gain more than who passes all of it; gains
    are raised so that they never grow from one position to the next.
    """
    size = letters.size
    gains[size] = 0
    free_from = size
    for i in range(size - 1, -1, -1):
        gains[i] = gains[i + 1] + best_scores[letters[i]]
        if absent[i] and i + length <= free_from:
            loss, total = most_loss, 0
            for k in range(i, i + length):
                loss = min(loss, losses[letters[k]])
                total += best_scores[letters[k]]
            inside = total - best_scores[letters[i + length - 1]]
            gains[i] = max(gains[i + length] + total - loss, inside)
            free_from = i
    for i in range(size - 1, -1, -1):
        gains[i] = max(gains[i], gains[i + 1])
