"""Read files of any kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from antidiag.interface.data_answers import Alignment, Distances, Tree
from antidiag.kernels.file_conventions import use_conventions
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree as TreeData
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.registry import data_loading


def read(path: str | Path, *, soft_masking: str | None = None) -> Any:
    """Return the data of a file: sequences (a list), an alignment, trees, distances or a model.

    A file with one datum gives the datum, any other a list. ``soft_masking`` says what lower-case letters of FASTA and
    FASTQ mean: "ignore", the same as capitals (the default), or "unknown", N of nucleotides and X of proteins.
    """
    with use_conventions(masking=soft_masking):
        found = [_make_data_answer(datum) for datum in data_loading.read_data(path)]
    return found[0] if len(found) == 1 and not isinstance(found[0], Letters) else found


def _make_data_answer(datum: Any) -> Any:
    """Return a datum as what functions return."""
    of_type: Iterable[tuple[Any, Any]] = (
        (AlignedSequences, Alignment),
        (TreeData, Tree),
        (DistanceMatrix, Distances),
    )
    return next((wrap(datum) for kind, wrap in of_type if isinstance(datum, kind)), datum)
