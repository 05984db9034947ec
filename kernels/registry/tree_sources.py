"""What a tree is built from, where data can be taken as aligned rows, as distances, or as sequences."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences, unaligned_sequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.model import Sequence

ALIGNMENT, DISTANCES, SEQUENCES = "alignment", "distances", "sequences"
GAPS_REMOVED = "removed"
"""Part of the note of a sequence whose gaps were removed when it was read."""
TREE_SOURCES = ALIGNMENT, DISTANCES, SEQUENCES


def take_data_as(source: str | None, data: Sequences[Any]) -> list[Any]:
    """Return data as the source of a tree.

    Parameters
    ----------
    source : {"alignment", "distances", "sequences"} or None
        "alignment": rows, which distances and joins, or placement, take in one run; sequences of one length count as
        rows. "distances": a matrix; that of an alignment or of sequences is to be computed, so these are returned
        as they are. "sequences": letters without gaps. None: the data as they are.

    Raises
    ------
    InputError
        The data cannot be taken so: distances are neither rows nor sequences, and rows have one length.
    ParameterError
        There is no such source.
    """
    if source is not None and source not in TREE_SOURCES:
        raise ParameterError(f"a tree is built from {', '.join(TREE_SOURCES)}; got {source!r}")
    given = list(data)
    matrix = next((datum for datum in given if isinstance(datum, DistanceMatrix)), None)
    if source in (ALIGNMENT, SEQUENCES) and matrix is not None:
        raise InputError(f"{matrix.source or matrix.name}: holds distances; a tree from {source} needs their letters")
    if source == ALIGNMENT and given and all(isinstance(datum, Sequence) for datum in given):
        return [_rows_of(given)]
    if source == SEQUENCES:
        return [
            one
            for datum in given
            for one in (unaligned_sequences(datum) if isinstance(datum, AlignedSequences) else [datum])
        ]
    return given


def _rows_of(sequences: Sequences[Sequence]) -> AlignedSequences:
    """Return sequences of one length as an alignment without gaps."""
    if any(GAPS_REMOVED in one.note for one in sequences):
        raise InputError("gaps were removed when these sequences were read; give the rows of an alignment with gaps")
    lengths = [len(one) for one in sequences]
    if len(set(lengths)) != 1:
        longest = sequences[lengths.index(max(lengths))]
        raise InputError(
            f"rows of an alignment have one length; these have {min(lengths):,} to {max(lengths):,} letters "
            f"({longest.name}): align them first"
        )
    letters = np.frombuffer(b"".join(bytes(one.letters) for one in sequences), np.uint8).reshape(len(sequences), -1)
    first = sequences[0]
    return AlignedSequences(tuple(one.name for one in sequences), letters, first.type, source=first.source)
