"""Symbols of sequences and profiles, scores and tree steps: what declarations and compiled code share."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.model import Sequence, concatenate_letters, sequence_lengths
from antidiag.kernels.sequences.alphabets import letter_meanings

AMINO_ACIDS, BASES = b"ACDEFGHIKLMNPQRSTVWY", b"ACGT"
BITS = 32
"""Letters in a word of bits."""
LETTERS, OPENS, EXTENDS, ENDS = 20, 20, 21, 22
UNKNOWN = 23
"""A letter that is none of the twenty: it scores nothing, and costs as much as any other against a gap."""
SYMBOLS = 24


class ScoreRules(NamedTuple):
    """Scores and gap costs of an alignment of profiles.

    ``table`` float32 (24, 24): scores of letters, and minus the cost of a letter against each kind of gap; then the
    costs of opening a gap, of extending one, and of a letter before or after all others.
    """

    table: np.ndarray
    opening: np.float32
    extension: np.float32
    end: np.float32


class TreeSteps(NamedTuple):
    """The steps of a tree in post-order.

    ``leaf`` int64 is the sequence of a step, or -1 where the two profiles on top of the stack are aligned (the lower
    one first); ``node`` int64 is the number of its node.
    """

    leaf: np.ndarray
    node: np.ndarray


def encode_letters(letters: np.ndarray, alphabet: bytes) -> np.ndarray:
    """Return the index of every letter in an alphabet, 20 for others; uint8.

    A letter that stands for one residue has its index: U of proteins that of C, O that of K, U of RNA that of T.
    """
    table = np.full(256, LETTERS, np.uint8)
    table[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    for letter, residues in letter_meanings(alphabet == AMINO_ACIDS).items():
        if len(residues) == 1:
            table[ord(letter)] = table[ord(residues)]
    return table[letters]


def encode_sequences(sequences: Sequences[Sequence], protein: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of sequences, one after another (uint8), and where each begins (int64)."""
    offsets = np.concatenate([[0], np.cumsum(sequence_lengths(sequences), dtype=np.int64)])
    letters = concatenate_letters(sequences)
    return encode_letters(letters, AMINO_ACIDS if protein else BASES), offsets
