"""The standard genetic code, on arrays of letters."""

from __future__ import annotations

from functools import cache

import numpy as np

CODON_TAG = "shift_or_stop"
"""Note of the columns of a codon alignment: '/' at an incomplete codon of any row, '*' at a stop before the end."""

GAP = ord("-")


def translate_codons(codons: np.ndarray) -> np.ndarray:
    """Translate codons, uint8 (..., 3); three gaps are a gap, a codon with a gap or an unknown base is X."""
    bases, table = _code_tables()
    codes = bases[codons]
    return table[codes[..., 0], codes[..., 1], codes[..., 2]]


def amino_acids_in_columns(letters: np.ndarray, frame: int, first: int, last: int) -> str:
    """Return a character for each of the columns ``first`` to ``last`` of a row, uint8 (columns,).

    Below the second letter of each codon it is the amino acid, elsewhere ' '. The row is read from letter ``frame`` (0
    to 2) on.
    """
    there = np.flatnonzero(letters != GAP)
    low, high = np.searchsorted(there, (first, last)).tolist()
    begin = max(-(-(low - frame - 1) // 3), 0)
    end = min((high - frame - 2) // 3 + 1, (there.size - frame) // 3)
    shown = [" "] * (last - first)
    if end > begin:
        places = there[frame + 3 * begin : frame + 3 * end].reshape(-1, 3)
        for column, amino in zip(places[:, 1].tolist(), translate_codons(letters[places]).tolist(), strict=True):
            shown[column - first] = chr(amino)
    return "".join(shown)


@cache
def _code_tables() -> tuple[np.ndarray, np.ndarray]:
    """Return a number from 0 to 5 for each base (T, C, A, G, gap, other), and the amino acids of three of them."""
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    bases = np.full(256, 5, np.uint8)
    for number, letters in enumerate((b"TU", b"C", b"A", b"G", b"-")):
        bases[list(letters)] = number
    table = np.full((6, 6, 6), ord("X"), np.uint8)
    code = unambiguous_dna_by_id[1]
    for codon, amino in [*code.forward_table.items(), *((codon, "*") for codon in code.stop_codons)]:
        table[tuple(bases[list(codon.encode())])] = ord(amino)
    table[4, 4, 4] = GAP
    return bases, table
