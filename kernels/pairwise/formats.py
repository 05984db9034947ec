"""File formats of pairwise alignments: those of every alignment, and SAM, PAF and a readable text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.files import LINE_LENGTH
from antidiag.kernels.io.result_alignments import AlignedRows, file_formats, unique_names
from antidiag.kernels.method import FileFormat
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.difference_strings import format_cs, format_md
from antidiag.kernels.pairwise.model import DIAGONAL, Alignment
from antidiag.kernels.scoring import Mode
from antidiag.kernels.scoring_options import scoring_json

NAME_WIDTH = 20
"""Widest name in the blocks of the text view; the full names stand above."""


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of a pair's answer.

    Scores are in the units of the matrix, start and end are cells [i, j]. A cell (i, j) lies after i letters of the
    first and j of the second sequence, so start and end are half-open ranges of letters from 0. Methods that return the
    score alone give no ``aligned`` and no ``cigar``, and the ``start`` of a local alignment is None.
    """
    problem, answer = result.problem, result.answer
    first, second = problem.sequences
    path: Alignment | None = answer.alignment
    start = path.start if path else (0, 0) if problem.mode is Mode.GLOBAL else None
    rows = (
        {}
        if path is None
        else {"aligned": list(path.gapped_rows(first, second)), "cigar": path.format_cigar(first, second)}
    )
    return {
        "score": result.score,
        "start": [int(cell) for cell in start] if start else None,
        "end": [int(cell) for cell in answer.end],
        **rows,
        "first": _sequence_json(first),
        "second": _sequence_json(second),
        "scoring": scoring_json(problem.scoring),
        "mode": str(problem.mode),
        "free_ends": vars(problem.free_ends),
    }


def _aligned_rows(result: Result) -> AlignedRows:
    first, second = result.problem.sequences
    top, bottom = result.answer.alignment.gapped_rows(first, second)
    return (first, top), (second, bottom)


def _sam_lines(result: Result) -> Iterator[str]:
    """Yield one SAM record; the first sequence is the query and is clipped, the second is the reference."""
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, reference = _unique_names(result)
    yield f"@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:{reference}\tLN:{len(second)}\n@PG\tID:antidiag\tPN:antidiag\n"
    letters = first.letters.decode("ascii")
    if not path.operations.size:
        yield f"{query}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
        return
    front, back = path.start[0], len(first) - path.end[0]
    clipped = f"{front}S" * (front > 0) + path.format_cigar(first, second) + f"{back}S" * (back > 0)
    columns = f"{query}\t0\t{reference}\t{path.start[1] + 1}\t255\t{clipped}\t*\t0\t0\t{letters}\t*"
    yield "\t".join([columns, _score_tag(result), *_text_tag("MD", format_md(path, first, second))]) + "\n"


def _paf_lines(result: Result) -> Iterator[str]:
    """Yield one PAF line; a query without an alignment has * for strand and target and 0 elsewhere, as in minimap2."""
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, target = _unique_names(result)
    if not path.operations.size:
        yield f"{query}\t{len(first)}\t0\t0" + "\t*" * 2 + "\t0" * 6 + "\n"
        return
    same = int(path.find_identical(first, second).sum())
    query_columns = f"{query}\t{len(first)}\t{path.start[0]}\t{path.end[0]}\t+"
    target_columns = f"{target}\t{len(second)}\t{path.start[1]}\t{path.end[1]}"
    tags = (
        _score_tag(result),
        *_text_tag("cg", path.format_cigar(first, second)),
        *_text_tag("cs", format_cs(path, first, second)),
    )
    yield "\t".join([query_columns, target_columns, f"{same}\t{path.operations.size}\t255", *tags]) + "\n"


def _text_tag(name: str, text: str | None) -> list[str]:
    """Return a text tag, or nothing where there is no text."""
    return [] if text is None else [f"{name}:Z:{text}"]


def _score_tag(result: Result) -> str:
    """Return the score as AS, which SAM defines for whole numbers only, else as the free tag as."""
    return f"AS:i:{result.score}" if isinstance(result.score, int) else f"as:f:{result.score}"


def text_view_lines(result: Result, width: int = LINE_LENGTH) -> Iterator[str]:
    """Yield the alignment as readable text: positions, both rows in blocks of ``width`` columns, a match line.

    ``|`` marks the same letter, ``:`` another pair with a positive score.
    """
    (first, top), (second, bottom) = _aligned_rows(result)
    path = result.answer.alignment
    marks = _match_line(result, "|", ":")
    yield from _summary_lines(result, marks)
    names = [sequence.name[:NAME_WIDTH] for sequence in (first, second)]
    margin = max(map(len, names))
    digits = len(str(max(path.end)))
    positions = list(path.start)
    for at in range(0, len(top), width):
        lines = []
        for side, row in enumerate((top, bottom)):
            piece = row[at : at + width]
            start, positions[side] = positions[side], positions[side] + len(piece) - piece.count("-")
            shown = start + (positions[side] > start)
            lines.append(f"{names[side]:{margin}} {shown:{digits}} {piece} {positions[side]}\n")
        yield f"\n{lines[0]}{'':{margin + digits + 2}}{marks[at : at + width].rstrip()}\n{lines[1]}"


def _summary_lines(result: Result, marks: str) -> Iterator[str]:
    path, columns = result.answer.alignment, len(marks)
    for label, sequence, start, end in zip(
        ("First ", "Second"), result.problem.sequences, path.start, path.end, strict=True
    ):
        span = f"{start + 1}-{end}" if end > start else "none"
        yield f"{label}: {sequence.name} ({len(sequence)} letters), aligned {span}\n"
    same, gaps = marks.count("|"), int((path.operations != DIAGONAL).sum())
    percent = 100 * same / columns if columns else 0.0
    yield f"Scoring: {result.problem.scoring.describe_costs()}; {result.problem.mode_text}\n"
    yield f"Score: {result.score}; {columns} columns, {same} identical ({percent:.1f} %), {gaps} gap letters\n"


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


def _unique_names(result: Result) -> list[str]:
    return unique_names(result.problem.sequences)


def _sequence_json(sequence: Sequence) -> dict[str, Any]:
    return {"name": sequence.name, "length": len(sequence)}


FORMATS = (
    *file_formats(_aligned_rows, partial(_match_line, same="*", similar=" ")),
    FileFormat(".sam", "SAM", "alignment", _sam_lines),
    FileFormat(".paf", "PAF", "alignment", _paf_lines),
    FileFormat(".txt", "Text view", "alignment", text_view_lines),
)
