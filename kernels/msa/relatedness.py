"""Whether sequences are of one family, and how similar they are, by shared words; memory estimates depend on both."""

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
COMPARED, COMPARED_LETTERS = 12, 8192
"""Maximum sequences, spread over all, whose pairs are compared; and maximum letters of each, from its beginning."""
COMPARED_WORDS = {True: 4, False: 8}
"""Lengths of words by which pairs of proteins (True) and of nucleotides are compared."""


def are_related(sequences: Sequences[Sequence], protein: bool) -> bool:
    """Return whether some word occurs in clearly more sequences than by chance; True for few sequences."""
    count = min(len(sequences), SAMPLE)
    return count < FEW or _largest_excess(sequences, protein) > EXCESS + BY_CHANCE / np.sqrt(count)


def _largest_excess(sequences: Sequences[Sequence], protein: bool) -> float:
    """Return the largest share of sequences with one word, less its expected share."""
    length, alphabet = WORDS[protein]
    every = max(1, len(sequences) // SAMPLE)
    texts = [_encode_letters(_middle_letters(one.letters), alphabet) for one in sequences[::every][:SAMPLE]]
    counts = np.bincount(np.concatenate(texts), minlength=len(alphabet))
    shares = counts / max(counts.sum(), 1)
    seen, places = np.zeros(len(alphabet) ** length), np.maximum([text.size - length + 1 for text in texts], 0)
    by_chance = shares
    for _ in range(length - 1):
        by_chance = (by_chance[:, None] * shares).reshape(-1)
    for text in texts:
        seen[_different_words(text, length, len(alphabet))] += 1
    return float((seen / len(texts) + np.expm1(-places.mean() * by_chance)).max())


def sample_shared_words(sequences: Sequences[Sequence], protein: bool) -> np.ndarray:
    """Return the shares of words that pairs of sequences have in common, beyond those by chance.

    Parameters
    ----------
    sequences
        Sequences with letters; pairs of up to COMPARED of them are compared, the same ones at each call.
    protein
        Whether they are proteins.

    Returns
    -------
    shares : numpy.ndarray
        float64, from 0 (no more words than by chance) to 1, one for each pair.
    """
    length, alphabet = COMPARED_WORDS[protein], WORDS[protein][1]
    every = max(1, len(sequences) // COMPARED)
    texts = [_encode_letters(one.letters[:COMPARED_LETTERS], alphabet) for one in sequences[::every][:COMPARED]]
    words = sorted((_different_words(text, length, len(alphabet)) for text in texts), key=len)
    shares = list[float]()
    for number, longer in enumerate(words):
        there = np.zeros(len(alphabet) ** length, bool)
        there[longer] = True
        by_chance = longer.size / there.size
        for shorter in words[:number]:
            found = float(there[shorter].mean()) if shorter.size else 0.0
            shares.append(max(found - by_chance, 0.0) / (1 - by_chance))
    return np.array(shares)


def _encode_letters(letters: bytes, alphabet: bytes) -> np.ndarray:
    """Return the places of letters in the alphabet, int64, without letters that are not in it; U is T."""
    codes = np.full(256, -1, np.int64)
    codes[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    codes[ord("U")] = codes[ord("T")]
    text = codes[np.frombuffer(letters, np.uint8)]
    return text[text >= 0]


def _different_words(text: np.ndarray, length: int, alphabet_size: int) -> np.ndarray:
    """Return the numbers of the different words of a text, ascending."""
    if text.size < length:
        return np.empty(0, np.int64)
    powers = alphabet_size ** np.arange(length)
    return np.unique(np.lib.stride_tricks.sliding_window_view(text, length) @ powers)


def _middle_letters(letters: bytes) -> bytes:
    """Return the middle letters of a sequence."""
    first = max(0, (len(letters) - LETTERS_OF) // 2)
    return letters[first : first + LETTERS_OF]
