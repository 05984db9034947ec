"""File formats of pairwise alignments: those of every alignment, and SAM, PAF and a readable text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io import hit_paf_sam
from antidiag.kernels.io.files import LINE_LENGTH
from antidiag.kernels.io.hit_tables import QueryHits
from antidiag.kernels.io.result_alignments import AlignedRows, file_formats, unique_names
from antidiag.kernels.method import FileFormat
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.hit_records import describe_pair
from antidiag.kernels.pairwise.model import DIAGONAL, UNKNOWN_END, Alignment
from antidiag.kernels.scoring import Mode, Strand
from antidiag.kernels.scoring_options import scoring_json

NAME_WIDTH = 20
"""Widest name in the blocks of the text view; the full names stand above."""


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of a pair's answer.

    Scores are in the units of the matrix, start and end are cells [i, j]. A cell (i, j) lies after i letters of the
    first and j of the second sequence, so start and end are half-open ranges of letters from 0. On the reverse
    ``strand`` they count the letters of the reverse complement of the first; ``range`` in ``first`` and ``second`` is
    the half-open range of aligned letters of each sequence as given. Methods that return the score alone give no
    ``aligned``, no ``cigar``, no ``identity`` and no ``range``, and the ``start`` of a local alignment is None.
    Where pruning skipped cells, ``skipped_cells`` is their number, and ``gcups_of_all_cells`` counts them, too.
    """
    problem, answer = result.problem, result.answer
    first, second = problem.sequences
    path: Alignment | None = answer.alignment
    start = path.start if path else (0, 0) if problem.mode is Mode.GLOBAL else None
    rows = (
        {}
        if path is None
        else {
            "aligned": list(path.gapped_rows(first, second)),
            "cigar": path.format_cigar(first, second),
            "identity": vars(path.count_identities(first, second)),
        }
    )
    return {
        "score": result.score,
        "start": [int(cell) for cell in start] if start else None,
        "end": None if answer.end == UNKNOWN_END else [int(cell) for cell in answer.end],
        **rows,
        "strand": str(Strand.REVERSE if problem.is_reversed else Strand.FORWARD),
        "first": _sequence_json(result, 0),
        "second": _sequence_json(result, 1),
        "scoring": scoring_json(problem.scoring),
        "mode": str(problem.mode),
        "free_ends": vars(problem.chosen_ends if problem.mode is Mode.CUSTOM else problem.free_ends),
        **_pruning_json(result),
    }


def _pruning_json(result: Result) -> dict[str, Any]:
    """Return what pruning skipped, and the rate that counts all cells; nothing where none was skipped."""
    if result.answer.skipped is None:
        return {}
    rate = result.problem.cells / result.compute_ms / 1e6 if result.compute_ms else 0.0
    return {"skipped_cells": result.answer.skipped.skipped_cells, "gcups_of_all_cells": rate}


def _aligned_rows(result: Result) -> AlignedRows:
    first, second = result.problem.sequences
    top, bottom = result.answer.alignment.gapped_rows(first, second)
    return (first, top), (second, bottom)


def _make_hit(result: Result) -> QueryHits:
    """Return the pair as SAM and PAF have it, under names that differ: no hit where the alignment is empty."""
    hit = describe_pair(result.problem, result.answer.score, result.answer.alignment)
    first, second = unique_names(result.problem.data)
    query, subject = replace(hit.query, name=first), replace(hit.subject, name=second)
    return QueryHits(query, [replace(hit, query=query, subject=subject)] if hit.alignment else [])


def _sam_lines(result: Result) -> Iterator[str]:
    """Yield one SAM record; the first sequence is the query and is clipped, the second is the reference."""
    reference = unique_names(result.problem.data)[1], len(result.problem.second)
    return hit_paf_sam.sam_lines([_make_hit(result)], [reference])


def _paf_lines(result: Result) -> Iterator[str]:
    """Yield one PAF line."""
    return hit_paf_sam.paf_lines([_make_hit(result)])


def text_view_lines(result: Result, width: int = LINE_LENGTH) -> Iterator[str]:
    """Yield the alignment as readable text: positions, both rows in blocks of ``width`` columns, a match line.

    ``|`` marks the same letter, ``:`` another pair with a positive score.
    """
    (_, top), (_, bottom) = _aligned_rows(result)
    path = result.answer.alignment
    marks = _match_line(result, "|", ":")
    yield from _summary_lines(result, marks)
    names = [sequence.name[:NAME_WIDTH] for sequence in result.problem.data]
    margin = max(map(len, names))
    digits = len(str(max(map(len, result.problem.data))))
    positions = list(path.start)
    for at in range(0, len(top), width):
        lines = []
        for side, row in enumerate((top, bottom)):
            piece = row[at : at + width]
            before, positions[side] = positions[side], positions[side] + len(piece) - piece.count("-")
            start, end = result.problem.number_letters(side, before, positions[side])
            lines.append(f"{names[side]:{margin}} {start:{digits}} {piece} {end}\n")
        yield f"\n{lines[0]}{'':{margin + digits + 2}}{marks[at : at + width].rstrip()}\n{lines[1]}"


def _summary_lines(result: Result, marks: str) -> Iterator[str]:
    problem, path, columns = result.problem, result.answer.alignment, len(marks)
    for side, label in enumerate(("First ", "Second")):
        sequence, before, after = problem.data[side], path.start[side], path.end[side]
        start, end = problem.number_letters(side, before, after)
        span = f"{start}-{end}" if after > before else "none"
        strand = ", reverse strand" if problem.is_reversed and not side else ""
        yield f"{label}: {sequence.name} ({len(sequence)} letters), aligned {span}{strand}\n"
    identities, gaps = path.count_identities(*problem.sequences), int((path.operations != DIAGONAL).sum())
    same, percent = identities.identical, 100 * identities.shares[0][1]
    yield f"Scoring: {problem.scoring.describe_costs()}; {problem.mode_text}{problem.strand_text}\n"
    yield f"Score: {result.score}; {columns} columns, {same} identical ({percent:.1f} %), {gaps} gap letters\n"
    if columns:
        shares = ", ".join(f"{100 * share:.1f} % of {words}" for words, share in identities.shares)
        yield f"Identity: {shares}\n"


def _match_line(result: Result, same: str, similar: str) -> str:
    """Return one character a column: the same letter, another pair with a positive score, or a blank."""
    (first, second), scoring, path = result.problem.sequences, result.problem.scoring, result.answer.alignment
    marks = np.full(path.operations.size, ord(" "), np.uint8)
    tops, bottoms = (np.frombuffer(row.encode("ascii"), np.uint8) for row in path.gapped_rows(first, second))
    positive = np.zeros((256, 256), bool)
    known = np.flatnonzero(scoring.matrix.codes >= 0)
    codes = scoring.matrix.codes[known]
    positive[np.ix_(known, known)] = scoring.scores[np.ix_(codes, codes)] > 0
    marks[positive[tops, bottoms]] = ord(similar)
    marks[path.find_identical(first, second)] = ord(same)
    return marks.tobytes().decode("ascii")


def _sequence_json(result: Result, side: int) -> dict[str, Any]:
    """Return name, length and aligned range of a sequence as given."""
    problem, path = result.problem, result.answer.alignment
    sequence = problem.data[side]
    found = {"name": sequence.name, "length": len(sequence)}
    if path is None:
        return found
    return {**found, "range": list(map(int, problem.given_span(side, path.start[side], path.end[side])))}


FORMATS = (
    *file_formats(_aligned_rows, partial(_match_line, same="*", similar=" ")),
    FileFormat(".sam", "SAM", "alignment", _sam_lines),
    FileFormat(".paf", "PAF", "alignment", _paf_lines),
    FileFormat(".txt", "Text view", "alignment", text_view_lines),
)
