"""Pairwise alignments in the formats of the field: those of every alignment, and SAM, PAF and a text to read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.alignments import LINE, AlignedRows, file_formats, unique_names
from antidiag.kernels.method import FileFormat
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.differences import cs, md
from antidiag.kernels.pairwise.model import DIAGONAL, Alignment
from antidiag.kernels.scoring import Mode

NAME_WIDTH = 20
"""Widest name in the blocks of the text view; the full names stand above."""


def text_view(result: Result, width: int = LINE) -> str:
    """The alignment for reading: positions, both rows in blocks of ``width`` columns, a match line.

    ``|`` marks the same letter, ``:`` another pair with a positive score.
    """
    return "".join(_text_view(result, width))


def json_fields(result: Result) -> dict[str, Any]:
    """What the JSON of a pair says; scores in the units of the matrix, start and end as cells [i, j].

    A cell (i, j) lies after i letters of the first and j of the second sequence, so that start and
    end are half-open ranges of letters counted from 0. Methods that return the score alone give no
    ``aligned`` and no ``cigar``, and the ``start`` of a local alignment is None: they do not know it.
    """
    problem, answer = result.problem, result.answer
    first, second = problem.sequences
    path: Alignment | None = answer.alignment
    start = path.start if path else (0, 0) if problem.mode is Mode.GLOBAL else None
    rows = {} if path is None else {"aligned": list(path.gapped(first, second)), "cigar": path.cigar(first, second)}
    return {
        "score": result.score,
        "start": [int(cell) for cell in start] if start else None,
        "end": [int(cell) for cell in answer.end],
        **rows,
        "first": _sequence_json(first),
        "second": _sequence_json(second),
        "scoring": {
            "matrix": problem.scoring.matrix.name,
            "gap_open": problem.scoring.gap_open,
            "gap_extend": problem.scoring.gap_extend,
        },
        "mode": str(problem.mode),
    }


def _rows(result: Result) -> AlignedRows:
    first, second = result.problem.sequences
    top, bottom = result.answer.alignment.gapped(first, second)
    return (first, top), (second, bottom)


def _sam(result: Result) -> Iterator[str]:
    """One record; the first sequence is the query and is clipped, the second the reference."""
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, reference = _names(result)
    yield f"@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:{reference}\tLN:{len(second)}\n@PG\tID:antidiag\tPN:antidiag\n"
    letters = first.letters.decode("ascii")
    if not path.operations.size:
        yield f"{query}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
        return
    front, back = path.start[0], len(first) - path.end[0]
    clipped = f"{front}S" * (front > 0) + path.cigar(first, second) + f"{back}S" * (back > 0)
    fields = (query, 0, reference, path.start[1] + 1, 255, clipped, "*", 0, 0, letters, "*",
              _score_tag(result), *_tag("MD", md(path, first, second)))  # fmt: skip
    yield "\t".join(map(str, fields)) + "\n"


def _paf(result: Result) -> Iterator[str]:
    """One line; a query without an alignment has * for strand and target and 0 elsewhere, as minimap2 writes it."""
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, target = _names(result)
    if not path.operations.size:
        yield f"{query}\t{len(first)}\t0\t0" + "\t*" * 2 + "\t0" * 6 + "\n"
        return
    same = int(path.identical(first, second).sum())
    fields = (query, len(first), path.start[0], path.end[0], "+", target, len(second), path.start[1], path.end[1],
              same, path.operations.size, 255, _score_tag(result), *_tag("cg", path.cigar(first, second)),
              *_tag("cs", cs(path, first, second)))  # fmt: skip
    yield "\t".join(map(str, fields)) + "\n"


def _tag(name: str, said: str | None) -> list[str]:
    """A tag of text, left out where there is nothing to say."""
    return [] if said is None else [f"{name}:Z:{said}"]


def _score_tag(result: Result) -> str:
    """SAM keeps AS for whole numbers; a tag in lower case is free for others."""
    return f"AS:i:{result.score}" if isinstance(result.score, int) else f"as:f:{result.score}"


def _text_view(result: Result, width: int) -> Iterator[str]:
    (first, top), (second, bottom) = _rows(result)
    path = result.answer.alignment
    marks = _marks(result, "|", ":")
    yield from _summary(result, marks)
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


def _summary(result: Result, marks: str) -> Iterator[str]:
    path, columns = result.answer.alignment, len(marks)
    for label, sequence, start, end in zip(
        ("First ", "Second"), result.problem.sequences, path.start, path.end, strict=True
    ):
        span = f"{start + 1}-{end}" if end > start else "none"
        yield f"{label}: {sequence.name} ({len(sequence)} letters), aligned {span}\n"
    same, gaps = marks.count("|"), int((path.operations != DIAGONAL).sum())
    percent = 100 * same / columns if columns else 0.0
    yield f"Scoring: {result.problem.scoring.text()}; {result.problem.mode}\n"
    yield f"Score: {result.score}; {columns} columns, {same} identical ({percent:.1f} %), {gaps} gap letters\n"


def _marks(result: Result, same: str, similar: str) -> str:
    """One character a column: the same letter, another pair with a positive score, or a blank."""
    (first, second), scoring, path = result.problem.sequences, result.problem.scoring, result.answer.alignment
    marks = np.full(path.operations.size, ord(" "), np.uint8)
    tops, bottoms = (np.frombuffer(row.encode("ascii"), np.uint8) for row in path.gapped(first, second))
    positive = np.zeros((256, 256), bool)
    known = np.flatnonzero(scoring.matrix.codes >= 0)
    codes = scoring.matrix.codes[known]
    positive[np.ix_(known, known)] = scoring.scores[np.ix_(codes, codes)] > 0
    marks[positive[tops, bottoms]] = ord(similar)
    marks[path.identical(first, second)] = ord(same)
    return marks.tobytes().decode("ascii")


def _names(result: Result) -> list[str]:
    return unique_names(result.problem.sequences)


def _sequence_json(sequence: Sequence) -> dict[str, Any]:
    return {"name": sequence.name, "length": len(sequence)}


FORMATS = (
    *file_formats(_rows, partial(_marks, same="*", similar=" ")),
    FileFormat(".sam", "SAM", "alignment", _sam),
    FileFormat(".paf", "PAF", "alignment", _paf),
    FileFormat(".txt", "Text view", "alignment", lambda result: _text_view(result, LINE)),
)
