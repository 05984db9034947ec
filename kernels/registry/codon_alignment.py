"""Codon alignment in one step: coding sequences are translated, their proteins aligned, and the codons follow."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace

from antidiag.kernels.alignments.coding_sequences import read_coding_sequence, thread_codons
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import realignment
from antidiag.kernels.registry.task_methods import FAMILY_TASK


def align_codons(sequences: Sequences[Sequence], monitor: Monitor | None = None, code: int = 1) -> AlignedSequences:
    """Return the codon alignment of coding sequences by the recommended method for their proteins.

    Its note names stops and shifts of the reading frame.

    Parameters
    ----------
    sequences : sequence of Sequence
        Two or more, DNA or RNA, from the first letter of a codon on.
    monitor : Monitor, optional
        Receives the progress; may cancel.
    code : int
        NCBI number of the genetic code.

    Raises
    ------
    InputError
        For fewer than two sequences, a protein among them, and one without a codon.
    """
    if len(sequences) < 2:
        raise InputError(f"codons of {len(sequences)} sequence cannot be aligned; choose two or more")
    coding = [read_coding_sequence(one, code) for one in sequences]
    names = make_names_unique(one.name for one in sequences)
    coding = [replace(one, sequence=replace(one.sequence, name=name)) for one, name in zip(coding, names, strict=True)]
    proteins = [one.protein_sequence for one in coding]
    letters = realignment.align_sequences(FAMILY_TASK.recommend(proteins)[0], proteins, monitor)
    aligned = AlignedSequences(names, letters, SequenceType.PROTEIN, name=f"{names[0]} and {len(names) - 1} others")
    notes = [note for one in coding for note in one.notes]
    return replace(thread_codons(coding, aligned), note="; ".join(notes))
