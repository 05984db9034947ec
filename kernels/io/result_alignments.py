"""File formats of the alignments in results, with any number of rows.

A row is a sequence and its letters with '-' for gaps, all of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from functools import partial
from types import MappingProxyType

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.files import LINE_LENGTH
from antidiag.kernels.io.unique_names import name_without_spaces
from antidiag.kernels.method import FileFormat
from antidiag.kernels.model import Result, Sequence, common_type

AlignedRows = Sequences[tuple[Sequence, str]]
"""Sequences and their gapped rows."""


def fasta_lines(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield FASTA from titles and letters."""
    for title, letters in records:
        yield f">{title}\n"
        for at in range(0, len(letters), LINE_LENGTH):
            yield letters[at : at + LINE_LENGTH] + "\n"


def aligned_fasta_lines(rows: AlignedRows, marks: str) -> Iterator[str]:
    """Yield FASTA of the rows with their gaps; the format has no place for ``marks``."""
    return fasta_lines((fasta_title(sequence), row) for sequence, row in rows)


def clustal_lines(rows: AlignedRows, marks: str) -> Iterator[str]:
    """Yield Clustal, with ``marks``, a character a column, below the rows."""
    names = unique_names([sequence for sequence, _ in rows])
    margin = max(map(len, names)) + 6
    yield "CLUSTAL W multiple sequence alignment, written by Antidiag\n\n"
    for at in range(0, len(marks), LINE_LENGTH):
        for name, (_, row) in zip(names, rows, strict=True):
            yield f"\n{name:{margin}}{row[at : at + LINE_LENGTH]}"
        yield f"\n{'':{margin}}{marks[at : at + LINE_LENGTH]}\n"


def _lines_by_pieces(
    pieces_of: Callable[[AlignedSequences], Iterator[bytes]], rows: AlignedRows, marks: str
) -> Iterator[str]:
    """Yield the rows in a format of `alignment_writer`."""
    letters = np.frombuffer("".join(row for _, row in rows).encode(), np.uint8).reshape(len(rows), -1)
    kind = common_type(sequence.type for sequence, _ in rows)
    aligned = AlignedSequences(tuple(unique_names([sequence for sequence, _ in rows])), letters, kind)
    return (piece.decode() for piece in pieces_of(aligned))


WRITERS: Mapping[str, tuple[str, Callable[[AlignedRows, str], Iterable[str]]]] = MappingProxyType(
    {
        ".fasta": ("FASTA", aligned_fasta_lines),
        ".fa": ("FASTA", aligned_fasta_lines),
        ".afa": ("FASTA", aligned_fasta_lines),
        ".aln": ("Clustal", clustal_lines),
        ".sto": ("Stockholm", partial(_lines_by_pieces, alignment_writer.stockholm_pieces)),
        ".phy": ("PHYLIP", partial(_lines_by_pieces, alignment_writer.phylip_pieces)),
        ".nex": ("NEXUS", partial(_lines_by_pieces, alignment_writer.nexus_pieces)),
    }
)
"""By suffix: the name of the format, and its writer."""


def file_formats(rows_of: Callable[[Result], AlignedRows], marks_of: Callable[[Result], str]) -> tuple[FileFormat, ...]:
    """Return the alignment formats of results.

    ``rows_of`` gives the rows of a result, ``marks_of`` its match line.
    """
    return tuple(
        FileFormat(suffix, label, "alignment", partial(_alignment_lines, write, rows_of, marks_of))
        for suffix, (label, write) in WRITERS.items()
    )


def _alignment_lines(
    write: Callable[[AlignedRows, str], Iterable[str]],
    rows_of: Callable[[Result], AlignedRows],
    marks_of: Callable[[Result], str],
    result: Result,
) -> Iterable[str]:
    rows = rows_of(result)
    if not rows[0][1]:
        names = unique_names([sequence for sequence, _ in rows])
        raise InputError(f"{' x '.join(names)}: the alignment is empty; save it as .json or .txt")
    return write(rows, marks_of(result))


def unique_names(sequences: Sequences[Sequence]) -> list[str]:
    """Return names without white space, made different where some are equal: the formats need them so."""
    names: list[str] = []
    taken: set[str] = set()
    for sequence in sequences:
        name, number = name_without_spaces(sequence.name), 2
        while name in taken:
            name, number = f"{name_without_spaces(sequence.name)}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def fasta_title(sequence: Sequence) -> str:
    """Return the title line of a FASTA record: the name and the description.

    The name has no blanks, also after the user renamed the sequence, unless it is the whole title of the file.
    """
    described = sequence.description.split()
    if sequence.name and " ".join(described) == sequence.name:
        return sequence.name
    name = name_without_spaces(sequence.name)
    return " ".join(described if described[:1] == [name] else [name, *sequence.details.split()])
