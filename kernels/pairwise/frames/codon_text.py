"""A frame alignment as rows, as columns of codons, and as text; positions of bases on the forward strand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.io.sequence_tools import reverse_complement
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.frames.genetic_codes import AMINO_LETTERS, STOP
from antidiag.kernels.pairwise.frames.model import AMINO_GAP, CODON_GAP, SHIFT_BACK, SHIFT_ON, FrameProblem

CODONS_A_LINE = 20
SHIFT_MARKS = {SHIFT_BACK: "/", SHIFT_ON: "\\"}
"""Marks before a codon, as FASTX prints them: a base is read twice; a base is skipped."""
GAP = "-"
SHIFT_TAG, BASE_TAGS = "frameshift", ("base_1", "base_2", "base_3")
"""Names of the notes on columns: the mark of a frameshift, and the bases of the codon."""


def strand_letters(problem: FrameProblem, strand: int) -> bytes:
    """Return the bases of a strand in the order in which they are read."""
    return problem.dna.letters if strand > 0 else reverse_complement(problem.dna).letters


def base_range(problem: FrameProblem, strand: int, start: int, end: int) -> tuple[int, int]:
    """Return the first and last base, counted from 1 on the forward strand, of places start to end of a strand."""
    return (start + 1, end) if strand > 0 else (len(problem.dna) - end + 1, len(problem.dna) - start)


def translated_rows(result: Result) -> tuple[str, str]:
    """Return the protein and the translated codons with '-' for gaps, a column for each operation."""
    problem, path = result.problem, result.answer.path
    operations = path.operations
    top = np.full(operations.size, ord(GAP), np.uint8)
    top[operations != CODON_GAP] = np.frombuffer(problem.protein.letters, np.uint8)[path.start[0] : path.end[0]]
    letters = np.frombuffer(AMINO_LETTERS.encode() + b"-", np.uint8)
    codes = problem.places(result.answer.strand)[path.end_places()]
    bottom = np.where(operations == AMINO_GAP, ord(GAP), letters[codes]).astype(np.uint8)
    return top.tobytes().decode(), bottom.tobytes().decode()


def list_codons(result: Result) -> list[str]:
    """Return the three bases of each column, '---' for a gap."""
    path, letters = result.answer.path, strand_letters(result.problem, result.answer.strand).decode()
    return [
        GAP * 3 if operation == AMINO_GAP else letters[end - 3 : end]
        for operation, end in zip(path.operations.tolist(), path.end_places().tolist(), strict=True)
    ]


def list_shifts(result: Result) -> list[tuple[int, str]]:
    """Return where each frameshift lies: the base on the forward strand, and "/" (read twice) or "\\" (skipped)."""
    path, strand, n = result.answer.path, result.answer.strand, len(result.problem.dna)
    found = []
    for operation, end in zip(path.operations.tolist(), path.end_places().tolist(), strict=True):
        if operation in SHIFT_MARKS:
            base = end - 2 if operation == SHIFT_BACK else end - 3
            found.append((base if strand > 0 else n - base + 1, SHIFT_MARKS[operation]))
    return found


def count_stops(result: Result) -> int:
    """Return the number of stop codons on the path."""
    path = result.answer.path
    codes = result.problem.places(result.answer.strand)[path.end_places()]
    return int(((codes == STOP) & (path.operations != AMINO_GAP)).sum())


def aligned_rows(result: Result) -> tuple[tuple[Sequence, str], tuple[Sequence, str]]:
    """Return the protein and the translated codons as sequences with their rows."""
    problem = result.problem
    names = make_names_unique([problem.protein.name, problem.dna.name])
    rows = translated_rows(result)
    pair = [
        Sequence(name, row.replace(GAP, "").encode(), SequenceType.PROTEIN)
        for name, row in zip(names, rows, strict=True)
    ]
    return (pair[0], rows[0]), (pair[1], rows[1])


def make_alignment(result: Result) -> AlignedSequences:
    """Return the rows as an alignment whose notes on columns are the bases of each codon and the frameshifts."""
    rows = aligned_rows(result)
    letters = np.array([np.frombuffer(row.encode(), np.uint8) for _, row in rows])
    letters.setflags(write=False)
    codons = list_codons(result)
    shifts = "".join(SHIFT_MARKS.get(operation, " ") for operation in result.answer.path.operations.tolist())
    notes = [(tag, "".join(codon[k] for codon in codons)) for k, tag in enumerate(BASE_TAGS)]
    names = tuple(sequence.name for sequence, _ in rows)
    return AlignedSequences(
        names, letters, SequenceType.PROTEIN, result.problem.title,
        annotations=Annotations(of_columns=((SHIFT_TAG, shifts), *notes)),
    )  # fmt: skip


def identity_marks(result: Result) -> str:
    """Return '*' for identical amino acids, else a blank, for each column."""
    return match_line(result).replace("|", "*").replace(":", " ")


def match_line(result: Result) -> str:
    """Return '|' for identical amino acids, ':' for other pairs that score above 0, else a blank, for each column."""
    (top, bottom), problem = translated_rows(result), result.problem
    codes = problem.scoring.matrix.codes
    marks = []
    for one, other in zip(top, bottom, strict=True):
        if GAP in (one, other):
            marks.append(" ")
        elif one == other and one != "X":
            marks.append("|")
        else:
            scored = codes[ord(one)] >= 0 and codes[ord(other)] >= 0
            marks.append(":" if scored and problem.scoring.scores[codes[ord(one)], codes[ord(other)]] > 0 else " ")
    return "".join(marks)


def text_lines(result: Result) -> Iterator[str]:
    """Yield the alignment as text: amino acids, match line, translation and codons, 20 codons a line."""
    problem, answer, path = result.problem, result.answer, result.answer.path
    (top, bottom), codons, marks = translated_rows(result), list_codons(result), match_line(result)
    first, last = base_range(problem, answer.strand, path.start[1], path.end[1])
    sign = "+" if answer.strand > 0 else "-"
    acids_text = f"({len(problem.protein)} amino acids), aligned {path.start[0] + 1}-{path.end[0]}"
    yield f"Protein: {problem.protein.name} {acids_text}\n"
    yield f"Bases:   {problem.dna.name} ({len(problem.dna)} bases), aligned {first}-{last}, strand {sign}\n"
    for base, mark in list_shifts(result):
        yield f"Frameshift: base {base:,} is {'read twice' if mark == '/' else 'skipped'} ({mark})\n"
    shown = [SHIFT_MARKS.get(operation, " ") for operation in path.operations.tolist()]
    acids, places = path.amino_acids().tolist(), path.end_places().tolist()
    digits = max(len(str(len(problem.dna))), len(str(len(problem.protein))))
    before_acid, before_base = path.start
    for at in range(0, len(top), CODONS_A_LINE):
        part = slice(at, at + CODONS_A_LINE)
        acid, base = acids[part][-1], places[part][-1]
        lines = [
            ("protein", _join(top[part]), before_acid + (acid > before_acid), acid),
            ("", _join(marks[part]), None, None),
            ("codons", _join(bottom[part]), None, None),
            ("bases", "".join(map("".join, zip(shown[part], codons[part], strict=True))),
             *_line_ends(problem, answer.strand, before_base, base)),
        ]  # fmt: skip
        yield "\n"
        for label, text, start, end in lines:
            left, right = ("" if start is None else f"{start}"), ("" if end is None else f" {end}")
            yield f"{label:7} {left:>{digits}}{text}{right}".rstrip() + "\n"
        before_acid, before_base = acid, base


def _join(letters: str) -> str:
    """Return letters above the middle base of their codons."""
    return "".join(f"  {letter} " for letter in letters)


def _line_ends(problem: FrameProblem, strand: int, start: int, end: int) -> tuple[int, int]:
    """Return the first and last base of a line in reading order, on the forward strand."""
    first, last = base_range(problem, strand, start, end)
    return (first, last) if strand > 0 else (last, first)
