"""Letters of sequences: what each letter stands for, which letters are ambiguous, and when two letters are identical.

A letter is ambiguous where it stands for several residues: N and the other IUPAC codes of nucleotides; B, J, Z and X
of proteins. Nobody knows whether two ambiguous letters mean the same residue, so they are identical to no letter, not
even to themselves. U and O are residues of their own, selenocysteine and pyrrolysine, as is the stop '*'.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from antidiag.kernels.model import SequenceType

BASES = "ACGT"
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
NUCLEOTIDES = "ACGTRYSWKMBDHVNX"
"""Letters of DNA: the bases, the IUPAC ambiguity codes, and X for a masked base."""

BASE_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "U": "T",
        "R": "AG",
        "Y": "CT",
        "S": "CG",
        "W": "AT",
        "K": "GT",
        "M": "AC",
        "B": "CGT",
        "D": "AGT",
        "H": "ACT",
        "V": "ACG",
        "N": BASES,
        "X": BASES,
    }
)
"""The bases that every other letter of nucleotides stands for, equally likely."""
AMINO_ACID_MEANINGS: Mapping[str, str] = MappingProxyType(
    {"B": "DN", "Z": "EQ", "J": "IL", "U": "C", "O": "K", "X": AMINO_ACIDS}
)
"""The amino acids that every other letter of proteins stands for, equally likely.

U and O count as the amino acids from which the cell makes them (BLAST scores U as C, too).
"""


def letter_meanings(protein: bool) -> Mapping[str, str]:
    """Return what the letters beside the 20 amino acids, or beside the 4 bases, stand for."""
    return AMINO_ACID_MEANINGS if protein else BASE_MEANINGS


def ambiguous_letters(protein: bool) -> str:
    """Return the letters that stand for several residues."""
    return "".join(letter for letter, residues in letter_meanings(protein).items() if len(residues) > 1)


@cache
def identity_codes(protein: bool, uracil: bool = True) -> np.ndarray:
    """Return a code for every byte, uint8 (256,): equal for identical letters, 0 for ambiguous ones and other bytes.

    Lower case counts as upper case. Among nucleotides U is identical to T where ``uracil`` is true.
    """
    codes = np.zeros(256, np.uint8)
    for letter in (*string.ascii_uppercase, "*"):
        codes[ord(letter)] = 0 if letter in ambiguous_letters(protein) else ord(letter)
    if not protein and uracil:
        codes[ord("U")] = ord("T")
    codes[ord("a") : ord("z") + 1] = codes[ord("A") : ord("Z") + 1]
    codes.setflags(write=False)
    return codes


@cache
def complement_codes(kind: SequenceType) -> np.ndarray:
    """Return the complement of every byte, uint8 (256,), those of ambiguity codes included; other bytes stay."""
    codes = np.arange(256, dtype=np.uint8)
    ascii_codes = bytes(range(128))
    codes[:128] = np.frombuffer(reverse_complement_letters(ascii_codes, kind)[::-1], np.uint8)
    codes.setflags(write=False)
    return codes


def reverse_complement_letters(letters: bytes, kind: SequenceType) -> bytes:
    """Return the reverse complement of letters of nucleotides, with the ambiguity codes; RNA has U for the A."""
    from Bio.Seq import Seq  # loads Biopython, which forward strands do not need

    forward = Seq(letters)
    return bytes(forward.reverse_complement_rna() if kind == SequenceType.RNA else forward.reverse_complement())


def find_identical_letters(
    first: np.ndarray, second: np.ndarray, first_type: SequenceType, second_type: SequenceType
) -> np.ndarray:
    """Return where two arrays of letters (uint8, one shape) hold identical letters, bool.

    Ambiguous letters are identical to nothing. U is identical to T unless one side is a protein.
    """
    uracil = SequenceType.PROTEIN not in (first_type, second_type)
    top, bottom = (
        identity_codes(kind == SequenceType.PROTEIN, uracil)[letters]
        for letters, kind in ((first, first_type), (second, second_type))
    )
    return (top == bottom) & (top > 0)
