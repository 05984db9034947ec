"""Alignments as a kind of data that methods take."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from antidiag.kernels.io.aligned_sequences import (
    AlignedSequences,
    is_alignment_file,
    read_alignments,
    unaligned_sequences,
    with_type,
)
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor


def as_arrays(alignment: AlignedSequences) -> AlignedSequences:
    """Return the alignment with arrays, as methods read it; the very alignment where it has them."""
    if isinstance(alignment.letters, np.ndarray):
        return alignment
    from antidiag.kernels.alignments import block_edits  # which loads Numba

    return block_edits.to_arrays(alignment)


def _read_typed(path: Path, monitor: Monitor | None, type: SequenceType) -> list[AlignedSequences]:
    return [with_type(alignment, type) for alignment in read_alignments(path, monitor)]


ALIGNMENT = DataKind(
    id="alignment",
    label="alignment",
    plural="alignments",
    type=AlignedSequences,
    claims_file=is_alignment_file,
    read=read_alignments,
    extract_sequences=unaligned_sequences,
    normalize=as_arrays,
    read_typed=_read_typed,
    suffixes=(
        *(".fa", ".fasta", ".afa", ".aln", ".clustal", ".sto", ".stockholm", ".stk", ".phy", ".phylip", ".nex"),
        *(
            ".msf",
            ".a2m",
            ".a3m",
            ".ffdata",
            ".maf",
            ".sam",
            ".paf",
            ".axt",
            ".chain",
            ".pair",
            ".pir",
            ".xmfa",
            ".meg",
            ".mega",
            ".mase",
            ".ig",
        ),
        *(".slx", ".selex", ".psi", ".dialign", ".dbn", ".db", ".vienna"),
    ),
)
