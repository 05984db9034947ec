"""Multiple alignment of sequences, of coding sequences, and of two alignments."""

from __future__ import annotations

from typing import Any

from antidiag.interface.data_answers import Alignment
from antidiag.interface.inputs import as_alignment, as_data
from antidiag.interface.run_by_id import choose_method, run, run_on_data
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences


def align_family(sequences: Any, *, method: str | None = None, **settings: Any) -> Alignment:
    """Return a multiple alignment.

    Parameters
    ----------
    sequences : path, list, or mapping of names to letters
    method : str, optional
        "msa", "msa-clustalw", "msa-thesis" or "msa-parttree"; by default "msa", or "msa-parttree" for many sequences.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_family({"a": "GATTACAGATTACA", "b": "GATTACATTACA", "c": "GATTACAGATACA"}))
    a GATTACAGATTACA
    b GATTACA--TTACA
    c GATTACAGA-TACA
    """
    data = as_data(sequences, settings.pop("type", None))
    return run_on_data(choose_method("msa", method, data, settings), data, **settings)


def align_codons(
    sequences: Any,
    proteins: Any = None,
    *,
    method: str | None = None,
    code: int = 1,
    finds_shifts: bool = True,
    **settings: Any,
) -> Alignment:
    """Return an alignment of coding sequences, codon by codon, as their proteins are aligned.

    Parameters
    ----------
    sequences : path, list, or mapping of names to letters
        DNA or RNA, from the first letter of a codon on. A stop codon at the end is left out.
    proteins : Alignment, path, or mapping of names to rows, optional
        An alignment of the proteins, whose codons follow it; by default one is made.
    method : str, optional
        A method of `align_family` for the proteins.
    code : int
        NCBI number of the genetic code.
    finds_shifts : bool
        Whether shifts of the reading frame are looked for; the incomplete codon there is filled with gaps.

    Raises
    ------
    InputError
        For proteins among the sequences, and where a protein is not the translation of its sequence.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_codons({"a": "ATGAAAGGTTGGTAA", "b": "ATGGGTTGG"}, {"a": "MKGW", "b": "M-GW"}))
    a ATGAAAGGTTGG
    b ATG---GGTTGG
    """
    from antidiag.kernels.alignments.coding_sequences import read_coding_sequence, thread_codons

    data = as_data(sequences, settings.pop("type", None))
    coding = [read_coding_sequence(one, code, finds_shifts) for one in data]
    if proteins is None:
        aligned = align_family([one.protein_sequence for one in coding], method=method, **settings).data
    else:
        found = [datum for datum in as_data(as_alignment(proteins, "proteins")) if isinstance(datum, AlignedSequences)]
        if len(found) != 1:
            raise InputError(f"proteins must be one alignment; got {len(found)}")
        aligned = found[0]
    return Alignment(thread_codons(coding, aligned))


def align_profiles(first: Any, second: Any, *, method: str = "profile-wavefront", **settings: Any) -> Alignment:
    """Return the best alignment of two alignments, each taken as a profile.

    Parameters
    ----------
    first, second : Alignment, path of a file with an alignment or a profile, profile, or rows with '-' for gaps
        Rows are a mapping of names to rows, a list of rows, or an alignment of Biopython.
    method : str
        A method for two profiles; they give the same alignment at different costs.
    **settings
        Options such as ``span="global"``, ``gaps="position"``, parameters of the method, and those of `run`.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_profiles({"a": "GATTACA", "b": "GAT-ACA"}, {"c": "GATACA", "d": "GATACA"}))
    a GATTACA
    b GAT-ACA
    c GAT-ACA
    d GAT-ACA
    """
    return run(method, as_alignment(first, "first"), as_alignment(second, "second"), **settings)
