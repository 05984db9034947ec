"""Translation of every codon of a sequence by a genetic code of NCBI, with the tables of Biopython."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from antidiag.kernels.sequences.alphabets import BASE_MEANINGS, BASES

AMINO_LETTERS = "ACDEFGHIKLMNPQRSTVWY*X"
"""What a codon is translated to: an amino acid, a stop, or X where its bases do not decide."""
STOP, UNKNOWN, NO_CODON = AMINO_LETTERS.index("*"), AMINO_LETTERS.index("X"), len(AMINO_LETTERS)
"""Codes of a stop, of X, and of a place before which there are fewer than three bases."""


@cache
def code_ids() -> tuple[str, ...]:
    """Return the numbers of all genetic codes as texts."""
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    return tuple(map(str, sorted(unambiguous_dna_by_id)))


def code_name(code: int) -> str:
    """Return the name of a genetic code: '2, Vertebrate Mitochondrial'."""
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    return f"{code}, {unambiguous_dna_by_id[code].names[0]}"


@lru_cache(maxsize=8)
def codon_codes(code: int) -> np.ndarray:
    """Return the code (place in AMINO_LETTERS) of three sets of bases, uint8 (16, 16, 16).

    A set has bit k where it holds base k of ACGT. A codon with several meanings is X unless all of them agree. Codons
    that are both a stop and an amino acid in a genetic code count as the amino acid.
    """
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    table = unambiguous_dna_by_id[code]
    single = np.full((4, 4, 4), UNKNOWN, np.uint8)
    for codon in table.stop_codons:
        single[tuple(map(BASES.index, codon))] = STOP
    for codon, amino in table.forward_table.items():
        letter = AMINO_LETTERS.find(amino)
        single[tuple(map(BASES.index, codon))] = letter if letter >= 0 else UNKNOWN
    members = np.arange(16)[:, None] >> np.arange(4) & 1  # sets x bases
    found = np.full((16, 16, 16), UNKNOWN, np.uint8)
    for letter in range(UNKNOWN):
        other = (single != letter).astype(np.int64)
        strays = np.einsum("ai,bj,ck,ijk->abc", members, members, members, other)
        found[strays == 0] = letter
    empty = members.sum(axis=1) == 0
    found[empty], found[:, empty], found[:, :, empty] = UNKNOWN, UNKNOWN, UNKNOWN
    return found


@cache
def _base_sets() -> np.ndarray:
    """Return the set of bases of every byte, uint8 (256,); 0 for a letter that is no base."""
    sets = np.zeros(256, np.uint8)
    for letter, bases in ({base: base for base in BASES} | dict(BASE_MEANINGS)).items():
        bits = sum(1 << BASES.index(base) for base in bases)
        sets[ord(letter)] = sets[ord(letter.lower())] = bits
    return sets


def translate_places(letters: np.ndarray, code: int, reverse: bool) -> np.ndarray:
    """Return the code of the codon that ends at each place, uint8 (letters + 1); place j lies behind j bases.

    Places 0 to 2 have NO_CODON. With ``reverse`` the complementary strand is read, and its bases are counted.
    """
    sets = _base_sets()[letters]
    if reverse:
        swapped = (sets & 1) << 3 | (sets & 2) << 1 | (sets & 4) >> 1 | (sets & 8) >> 3
        sets = np.ascontiguousarray(swapped[::-1])
    found = np.full(letters.size + 1, NO_CODON, np.uint8)
    found[3:] = codon_codes(code)[sets[:-2], sets[1:-1], sets[2:]] if letters.size >= 3 else found[3:]
    return found
