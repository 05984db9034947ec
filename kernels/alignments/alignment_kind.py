"""Alignments as a kind of data that methods take."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.aligned_sequences import (
    AlignedSequences,
    is_alignment_file,
    read_alignments,
    unaligned_sequences,
)
from antidiag.kernels.method import DataKind


def as_arrays(alignment: AlignedSequences) -> AlignedSequences:
    """Return the alignment with arrays, as methods read it; the very alignment where it has them."""
    if isinstance(alignment.letters, np.ndarray):
        return alignment
    from antidiag.kernels.alignments import block_edits  # which loads Numba

    return block_edits.to_arrays(alignment)


ALIGNMENT = DataKind(
    id="alignment",
    label="alignment",
    plural="alignments",
    type=AlignedSequences,
    claims_file=is_alignment_file,
    read=read_alignments,
    extract_sequences=unaligned_sequences,
    normalize=as_arrays,
    suffixes=(
        *(".fa", ".fasta", ".afa", ".aln", ".clustal", ".sto", ".stockholm", ".stk", ".phy", ".phylip", ".nex"),
        *(".msf", ".a2m", ".a3m", ".ffdata", ".maf", ".sam", ".paf", ".axt", ".chain", ".pair", ".pir"),
    ),
)
