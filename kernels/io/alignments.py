"""Alignments of any number of rows as the formats of the field.

Stockholm, PHYLIP and NEXUS come from Biopython; FASTA and Clustal are written here, because Biopython cuts long
names or is slow on long sequences. A row is a sequence and its letters with '-' for gaps, as long as all others.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from functools import partial
from types import MappingProxyType

from antidiag.kernels.errors import InputError
from antidiag.kernels.method import FileFormat
from antidiag.kernels.model import Result, Sequence

LINE = 60
AlignedRows = Sequences[tuple[Sequence, str]]
"""Sequences and their gapped rows."""


def fasta(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    """FASTA of titles and letters."""
    for title, letters in records:
        yield f">{title}\n"
        for at in range(0, len(letters), LINE):
            yield letters[at : at + LINE] + "\n"


def aligned_fasta(rows: AlignedRows, marks: str) -> Iterator[str]:
    """FASTA of the rows with their gaps; it has no place for ``marks``."""
    return fasta((title(sequence), row) for sequence, row in rows)


def clustal(rows: AlignedRows, marks: str) -> Iterator[str]:
    """Clustal, with ``marks``, a character a column, below the rows."""
    names = unique_names([sequence for sequence, _ in rows])
    margin = max(map(len, names)) + 6
    yield "CLUSTAL W multiple sequence alignment, written by Antidiag\n\n"
    for at in range(0, len(marks), LINE):
        for name, (_, row) in zip(names, rows, strict=True):
            yield f"\n{name:{margin}}{row[at : at + LINE]}"
        yield f"\n{'':{margin}}{marks[at : at + LINE]}\n"


def _biopython(format: str, rows: AlignedRows, marks: str) -> Iterable[str]:
    from Bio import AlignIO
    from Bio.Align import MultipleSeqAlignment
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord

    names = unique_names([sequence for sequence, _ in rows])
    records = [
        SeqRecord(Seq(row), id=name, description="", annotations={"molecule_type": str(sequence.type)})
        for name, (sequence, row) in zip(names, rows, strict=True)
    ]
    handle = io.StringIO()
    AlignIO.write([MultipleSeqAlignment(records)], handle, format)
    return [handle.getvalue()]


WRITERS: Mapping[str, tuple[str, Callable[[AlignedRows, str], Iterable[str]]]] = MappingProxyType(
    {
        ".fasta": ("FASTA", aligned_fasta),
        ".fa": ("FASTA", aligned_fasta),
        ".afa": ("FASTA", aligned_fasta),
        ".aln": ("Clustal", clustal),
        ".sto": ("Stockholm", partial(_biopython, "stockholm")),
        ".phy": ("PHYLIP", partial(_biopython, "phylip-relaxed")),
        ".nex": ("NEXUS", partial(_biopython, "nexus")),
    }
)
"""By suffix: what the format is called, and the lines of rows and their marks."""


def file_formats(rows_of: Callable[[Result], AlignedRows], marks_of: Callable[[Result], str]) -> tuple[FileFormat, ...]:
    """The formats of alignments for results of which ``rows_of`` gives the rows and ``marks_of`` the match line."""
    return tuple(
        FileFormat(suffix, label, "alignment", partial(_lines, write, rows_of, marks_of))
        for suffix, (label, write) in WRITERS.items()
    )


def _lines(
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
    """Names without white space, made different where some are equal: the formats need them so."""
    names: list[str] = []
    taken: set[str] = set()
    for sequence in sequences:
        name, number = word(sequence.name), 2
        while name in taken:
            name, number = f"{word(sequence.name)}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def word(name: str) -> str:
    """The name without white space."""
    return "_".join(name.split()) or "unnamed"


def title(sequence: Sequence) -> str:
    """Title line of a FASTA record: its first word is the name, also after the user renamed it."""
    name, described = word(sequence.name), sequence.description.split()
    return " ".join(described if described[:1] == [name] else [name, *described])
