"""Whether sequences are of one family, told by words that many of them have: what an alignment takes depends on it."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence

SAMPLE = 300
"""Sequences that are looked at, spread over all."""
LETTERS_OF = 300
"""Letters of each that are looked at, in its middle."""
WORDS = {True: (3, b"ACDEFGHIKLMNPQRSTVWY"), False: (6, b"ACGT")}
"""Lengths of words, and letters, of proteins and of nucleotides."""
EXCESS, BY_CHANCE = 0.07, 0.66
"""The share of sequences that have a word, above what is expected of their letters, from which on they are a family;
and what chance adds to it, over the root of how many are looked at."""
FEW = 12
"""Of fewer sequences nothing can be said."""


def are_related(sequences: Sequences[Sequence], protein: bool) -> bool:
    """Whether some word is in clearly more sequences than chance has it, by their lengths and letters; true of few."""
    count = min(len(sequences), SAMPLE)
    return count < FEW or _excess(sequences, protein) > EXCESS + BY_CHANCE / np.sqrt(count)


def _excess(sequences: Sequences[Sequence], protein: bool) -> float:
    """The largest share of sequences with one word, less what is expected of the frequencies of letters."""
    length, alphabet = WORDS[protein]
    codes = np.full(256, -1, np.int64)
    codes[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    codes[ord("U")] = codes[ord("T")]
    every = max(1, len(sequences) // SAMPLE)
    texts = [codes[np.frombuffer(_middle(one.letters), np.uint8)] for one in sequences[::every][:SAMPLE]]
    texts = [text[text >= 0] for text in texts]
    counts = np.bincount(np.concatenate(texts), minlength=len(alphabet))
    shares = counts / max(counts.sum(), 1)
    seen, places = np.zeros(len(alphabet) ** length), np.maximum([text.size - length + 1 for text in texts], 0)
    powers = len(alphabet) ** np.arange(length)
    by_chance = shares
    for _ in range(length - 1):
        by_chance = (by_chance[:, None] * shares).reshape(-1)
    for text in texts:
        if text.size >= length:
            seen[np.unique(np.lib.stride_tricks.sliding_window_view(text, length) @ powers)] += 1
    return float((seen / len(texts) + np.expm1(-places.mean() * by_chance)).max())


def _middle(letters: bytes) -> bytes:
    first = max(0, (len(letters) - LETTERS_OF) // 2)
    return letters[first : first + LETTERS_OF]
