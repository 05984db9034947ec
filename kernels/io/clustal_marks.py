"""The marks that ClustalW writes below the columns of an alignment."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences.alphabets import ambiguous_letters

STRONG = ("STA", "NEQK", "NHQK", "NDEQ", "QHRK", "MILV", "MILF", "HY", "FYW")
WEAK = ("CSA", "ATV", "SAG", "STNK", "STPA", "SGND", "SNDEQK", "NDEQHK", "NEQHRK", "FVLIM", "HFY")
"""Groups of amino acids that ClustalW marks with ':' and '.' where a column holds nothing else."""
BATCH = 1 << 22
"""Letters that are looked at together, so that those of an alignment in blocks need not all be copied."""


@cached_njit
def _add_letters(letters, bits, found):
    """Set the bits, uint32, of the letters of each column in ``found``, uint32 (columns,)."""
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            found[column] |= bits[letters[row, column]]


def clustal_marks(letters: np.ndarray, type: SequenceType = SequenceType.PROTEIN) -> bytes:
    """Return a mark a column: '*' one letter, of proteins ':' and '.' a group of similar letters, else ' '.

    Ambiguous letters make no '*'.

    Parameters
    ----------
    letters : array of uint8, shape (rows, columns)
        Capitals, '*' and '-'; cells in blocks are read some rows at a time.
    """
    rows, columns = letters.shape
    found, step = np.zeros(columns, np.uint32), max(1, BATCH // columns)
    for first in range(0, rows, step):
        _add_letters(np.ascontiguousarray(letters[first : first + step]), _BITS, found)
    marks = np.full(columns, ord(" "), np.uint8)
    protein = type == SequenceType.PROTEIN
    for groups, mark in ((WEAK, "."), (STRONG, ":")) if protein else ():
        for group in groups:
            marks[(found & ~np.bitwise_or.reduce(_BITS[list(group.encode())])) == 0] = ord(mark)
    ambiguous = np.bitwise_or.reduce(_BITS[list(ambiguous_letters(protein).encode())])
    marks[(found & (found - np.uint32(1)) == 0) & (found & (ambiguous | _GAP_BIT) == 0)] = ord("*")
    return marks.tobytes()


_BITS = np.ones(256, np.uint32)
_BITS[ord("A") : ord("Z") + 1] = np.uint32(2) << np.arange(26, dtype=np.uint32)
_BITS[ord("*")] = 1 << 27
_GAP_BIT = np.uint32(1)
