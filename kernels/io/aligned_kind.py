"""Alignments as a kind of data that methods take."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences, holds, read, unaligned
from antidiag.kernels.method import DataKind


def settled(alignment: AlignedSequences) -> AlignedSequences:
    """With arrays of its own, as methods read it; the very alignment where it has them."""
    if isinstance(alignment.letters, np.ndarray):
        return alignment
    from antidiag.kernels.io import tiled_edits  # which loads Numba

    return tiled_edits.flat(alignment)


ALIGNMENT = DataKind(
    id="alignment",
    label="alignment",
    plural="alignments",
    type=AlignedSequences,
    claims=holds,
    read=read,
    unaligned=unaligned,
    settled=settled,
    suffixes=(
        ".fa", ".fasta", ".afa", ".aln", ".clustal", ".sto", ".stockholm", ".stk", ".phy", ".phylip", ".nex", ".msf",
        ".a2m", ".a3m", ".ffdata", ".maf", ".sam", ".paf", ".pir",
    ),
)  # fmt: skip
