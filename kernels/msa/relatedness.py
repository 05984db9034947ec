"""Whether sequences are of one family, estimated by shared words; memory estimates depend on it."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence

SAMPLE = 300
"""Maximum sequences that are compared, spread over all."""
LETTERS_OF = 300
"""Maximum letters of each sequence, from its middle."""
WORDS = {True: (3, b"ACDEFGHIKLMNPQRSTVWY"), False: (6, b"ACGT")}
"""Lengths of words, and letters, for proteins (True) and nucleotides."""
EXCESS, BY_CHANCE = 0.07, 0.66
"""Share of sequences with one word, above its expectation, that makes them a family; and the addition for chance,
divided by the root of the number of sequences."""
FEW = 12
"""Fewer sequences count as related."""


def are_related(sequences: Sequences[Sequence], protein: bool) -> bool:
    """Return whether some word occurs in clearly more sequences than by chance; True for few sequences."""
    count = min(len(sequences), SAMPLE)
    return count < FEW or _largest_excess(sequences, protein) > EXCESS + BY_CHANCE / np.sqrt(count)


def _largest_excess(sequences: Sequences[Sequence], protein: bool) -> float:
    """Return the largest share of sequences with one word, less its expected share."""
    length, alphabet = WORDS[protein]
    codes = np.full(256, -1, np.int64)
    codes[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    codes[ord("U")] = codes[ord("T")]
    every = max(1, len(sequences) // SAMPLE)
    texts = [codes[np.frombuffer(_middle_letters(one.letters), np.uint8)] for one in sequences[::every][:SAMPLE]]
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


def _middle_letters(letters: bytes) -> bytes:
    """Return the middle letters of a sequence."""
    first = max(0, (len(letters) - LETTERS_OF) // 2)
    return letters[first : first + LETTERS_OF]
