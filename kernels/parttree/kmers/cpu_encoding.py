"""6-mers of very many sequences, compiled."""

from __future__ import annotations

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import fetch_add
from antidiag.kernels.trees.distances.shared_words.kmers import K

SEQUENCES_AT_ONCE = 256
"""Sequences that a thread takes at a time."""


@cached_njit
def encode_words(letters, words, table, ticket, done, stop):
    """Write the words of all sequences; threads share them by a ticket.

    ``letters`` and ``words`` are `LetterArrays` and `WordArrays`. ``table`` int32 has an entry for every 6-mer, all 0
    before and after; each thread has its own. Words are in the order in which they first occur.
    """
    codes, offsets, base = letters.codes, letters.offsets, letters.base
    high, sequences = base ** (K - 1), offsets.size - 1
    while stop[0] == 0:
        first = fetch_add(ticket, 0) * SEQUENCES_AT_ONCE
        if first >= sequences:
            return
        last = min(first + SEQUENCES_AT_ONCE, sequences)
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
