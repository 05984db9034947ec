"""6-mers of very many sequences, compiled."""

from __future__ import annotations

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.trees.distances.shared_words.kmers import K

SEQUENCES_AT_ONCE = 256
"""Sequences that a thread takes at a time."""


@cached_njit
def encode_words(letters, words, table, first, last, stop):
    """Write the words of sequences ``first`` to ``last`` - 1.

    ``letters`` and ``words`` are `LetterArrays` and `WordArrays`. ``table`` int32 has an entry for every 6-mer, all 0
    before and after. Words are in the order in which they first occur.
    """
    codes, offsets, base = letters.codes, letters.offsets, letters.base
    high = base ** (K - 1)
    for sequence in range(first, last):
        if stop[0] != 0:
            return
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
