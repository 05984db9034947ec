"""Pairs and their alignments as records of tables (`kernels.io.hit_tables`)."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.io.hit_tables import Hit, HitAlignment, HitSequence
from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.difference_strings import format_cs, format_md
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairProblem
from antidiag.kernels.scoring import Scoring


def describe_pair(problem: PairProblem, score: int, path: Alignment | None) -> Hit:
    """Return a pair as tables take it, without an alignment where that is empty; the first sequence is the query."""
    found = None
    if path is not None and path.operations.size:
        found = describe_alignment(path, *problem.sequences, problem.scoring, problem.is_reversed)
    return Hit(
        describe_sequence(problem.first),
        describe_sequence(problem.second),
        problem.scoring.unscale_score(score),
        strand="-" if problem.is_reversed else "+",
        alignment=found,
    )


def describe_sequence(sequence: Sequence) -> HitSequence:
    """Return name, length, title and letters of a sequence."""
    return HitSequence(sequence.name, len(sequence), sequence.description or sequence.name, sequence.letters)


def describe_alignment(
    path: Alignment, query: Sequence, subject: Sequence, scoring: Scoring, reverse: bool = False
) -> HitAlignment:
    """Return an alignment as tables need it.

    Parameters
    ----------
    path : Alignment
        Of ``query``, which is reverse-complemented where ``reverse`` is true, with ``subject``.
    """
    start, end = path.start[0], path.end[0]
    if reverse:
        start, end = len(query) - end, len(query) - start
    top, bottom = path.gapped_rows(query, subject)
    return HitAlignment(
        (start, end),
        (path.start[1], path.end[1]),
        top.encode("ascii"),
        bottom.encode("ascii"),
        int(path.find_identical(query, subject).sum()),
        count_positive(path, query, subject, scoring),
        path.format_cigar(query, subject),
        format_md(path, query, subject),
        format_cs(path, query, subject),
    )


def count_positive(path: Alignment, query: Sequence, subject: Sequence, scoring: Scoring) -> int:
    """Return the number of columns of two letters whose score is positive."""
    pairs = path.operations[path.operations != LEFT] == DIAGONAL, path.operations[path.operations != UP] == DIAGONAL
    first, second = (
        scoring.matrix.codes[sequence.letter_array[start:end]][paired]
        for sequence, start, end, paired in zip((query, subject), path.start, path.end, pairs, strict=True)
    )
    return int(np.count_nonzero(scoring.scores[first, second] > 0))
