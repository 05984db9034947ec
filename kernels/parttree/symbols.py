"""Symbols of sequences and profiles, and what an alignment goes by: what declarations and compiled code share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.model import Sequence, joined

AMINO_ACIDS, BASES = b"ACDEFGHIKLMNPQRSTVWY", b"ACGT"
BITS = 32
"""Letters that a word of bits holds."""
LETTERS, OPENS, EXTENDS, ENDS = 20, 20, 21, 22
UNKNOWN = 23
"""A letter that is none of the twenty: it scores nothing, and costs as much as any against a gap."""
SYMBOLS = 24


class Rules(NamedTuple):
    """``table`` float32 (24, 24): scores of letters, and minus the cost of a letter against each kind of gap; costs of
    opening a gap, of going on with one, and of a letter before or after all others."""

    table: np.ndarray
    opening: np.float32
    extension: np.float32
    end: np.float32


class Nodes(NamedTuple):
    """The steps of a tree in post-order: ``leaf`` int64 the sequence of a step, or -1 where the two profiles on top of
    the stack are aligned (the lower one first); ``node`` int64 is its number."""

    leaf: np.ndarray
    node: np.ndarray


def codes_of(letters: np.ndarray, alphabet: bytes) -> np.ndarray:
    """The place of every letter in an alphabet, 20 for others; uint8."""
    table = np.full(256, LETTERS, np.uint8)
    table[np.frombuffer(alphabet, np.uint8)] = np.arange(len(alphabet))
    return table[letters]


def encoded(sequences: list[Sequence], protein: bool) -> tuple[np.ndarray, np.ndarray]:
    """The codes of sequences, one after another, and where each begins."""
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in sequences], dtype=np.int64)])
    letters = joined(sequences)
    if not protein:
        letters = np.where(letters == ord("U"), ord("T"), letters).astype(np.uint8)
    return codes_of(letters, AMINO_ACIDS if protein else BASES), offsets
