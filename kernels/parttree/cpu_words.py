"""6-mers of sequences, and MAFFT's distance of two of them, compiled."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.trees.distances.kmers import FARTHEST, K

PART = 256
"""Sequences that a thread takes at a time."""


@compiled
def encode(letters, words, table, ticket, done, stop):
    """The words of all sequences, shared by threads: ``letters`` and ``words`` are Letters and Words.

    ``table`` int32 has a place for every k-mer, all 0 before and after; each thread has its own. Words are in the order
    in which they first occur.
    """
    codes, offsets, base = letters.codes, letters.offsets, letters.base
    high, sequences = base ** (K - 1), offsets.size - 1
    while stop[0] == 0:
        first = take_ticket(ticket, 0) * PART
        if first >= sequences:
            return
        last = min(first + PART, sequences)
        for sequence in range(first, last):
            end, kept, word = offsets[sequence], 0, 0
            for at in range(offsets[sequence], offsets[sequence + 1]):
                code = codes[letters.letters[at]]
                if code < 0:
                    continue
                word = word % high * base + code
                kept += 1
                if kept >= K:
                    if table[word] == 0:
                        words.kmers[end] = word
                        end += 1
                    table[word] += 1
            for at in range(offsets[sequence], end):
                words.counts[at] = table[words.kmers[at]]
                table[words.kmers[at]] = 0
            words.ends[sequence] = end
            words.kept[sequence] = kept
            words.totals[sequence] = max(kept - K + 1, 0)
        done[0] = max(done[0], last)


@inlined
def factor(letters, other, b):
    """The factor of the distance of sequences of so many letters."""
    long, short = np.float64(max(letters, other)), np.float64(min(letters, other))
    return 1 / (0.1 * short / max(long, 1.0) + b / (long + b) + 0.01)


@inlined
def distance(common, total, other_total, length_factor):
    """MAFFT's distance of two sequences that share ``common`` of so many 6-mers; see `kmers.distances_of_kmers`."""
    fewer = min(total, other_total)
    unlike = 1 - np.float64(common) / np.float64(fewer) if fewer > 0 else 1.0
    return min(unlike * length_factor, FARTHEST)
