"""Tools for sequences before alignment: complement, translation, ranges, duplicates, filters, FASTA."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.alphabets import reverse_complement_letters
from antidiag.kernels.text import quote_text

FRAMES = (1, 2, 3, -1, -2, -3)
"""Reading frames by their first letter; negative ones are on the other strand."""
RANGE = re.compile(r"\s*(\d{1,18})?\s*(?:-|\.\.|:)\s*(\d{1,18})?\s*")
LINE_LENGTH = 60
BATCH = 1000
"""Sequences between two checks for cancelling."""

CancelCheck = Callable[[], None]


def reverse_complement(sequence: Sequence) -> Sequence:
    """Return the reverse complement; InputError for a protein."""
    _refuse_protein(sequence, "has no other strand")
    turned = reverse_complement_letters(sequence.letters, sequence.type)
    return _derived_sequence(sequence, turned, "reverse complement")


def translate_sequence(sequence: Sequence, frame: int = 1, code: int = 1) -> Sequence:
    """Translate a reading frame (FRAMES) by a genetic code of the NCBI; stops are ``*``, the last one is dropped.

    A codon with ambiguity codes is translated where all its meanings give one amino acid, else to X. InputError for a
    protein and for a sequence without a codon, ParameterError for an unknown frame or code.
    """
    from Bio.Data import CodonTable
    from Bio.Seq import Seq

    _refuse_protein(sequence, "is translated already")
    if frame not in FRAMES:
        raise ParameterError(f"frame {frame} is unknown; choose one of {', '.join(map(str, FRAMES))}")
    if code not in CodonTable.generic_by_id:
        codes = ", ".join(map(str, sorted(CodonTable.generic_by_id)))
        raise ParameterError(f"genetic code {code} is unknown; choose one of {codes}")
    strand = (sequence if frame > 0 else reverse_complement(sequence)).letters[abs(frame) - 1 :]
    letters = strand[: len(strand) // 3 * 3]
    if not letters:
        raise InputError(
            f"{_location(sequence)}frame {frame} of {len(sequence):,} letters has no codon; choose another frame"
        )
    protein = bytes(Seq(letters).translate(table=code)).removesuffix(b"*")
    if not protein:
        raise InputError(f"{_location(sequence)}frame {frame} has only a stop codon; choose another frame")
    return replace(_derived_sequence(sequence, protein, f"frame {frame}"), type=SequenceType.PROTEIN)


def extract_range(sequence: Sequence, first: int, last: int) -> Sequence:
    """Return letters ``first`` to ``last``, counted from 1, both included; InputError where the sequence is shorter."""
    if not 1 <= first <= last <= len(sequence):
        raise InputError(
            f"{_location(sequence)}the range {first:,} to {last:,} is outside its letters 1 to {len(sequence):,}; "
            "choose another"
        )
    return _derived_sequence(sequence, sequence.letters[first - 1 : last], f"{first}-{last}")


def parse_range(text: str, length: int) -> tuple[int, int]:
    """Read a range such as "10-20", "10.." or ":20" as first and last letter of a sequence of this length.

    ParameterError where the text is no range.
    """
    found = RANGE.fullmatch(text)
    if not found:
        raise ParameterError(f"{quote_text(text)} is not a range; write it as 10-200, 10- or -200")
    return int(found[1] or 1), int(found[2] or length)


def unique_rows(sequences: Iterable[Sequence], check: CancelCheck = lambda: None) -> list[int]:
    """Return the rows of sequences without duplicates: the first of all that have the same letters and type."""
    seen: set[tuple[bytes, SequenceType]] = set()
    kept = []
    for row, sequence in enumerate(sequences):
        if row % BATCH == 0:
            check()
        if (key := (sequence.letters, sequence.type)) not in seen:
            seen.add(key)
            kept.append(row)
    return kept


def sequence_filter(expression: str = "", shortest: int = 0, longest: int | None = None) -> Callable[[Sequence], bool]:
    """Return a filter for sequences by a regular expression in their titles, in either case, and by length.

    ParameterError where the expression is invalid.
    """
    try:
        pattern = re.compile(expression, re.IGNORECASE)
    except re.error as error:
        raise ParameterError(f"{quote_text(expression)} is not a regular expression: {error}; correct it") from error

    def chosen(sequence: Sequence) -> bool:
        fits = shortest <= len(sequence) and (longest is None or len(sequence) <= longest)
        return fits and bool(pattern.search(fasta_title(sequence)))

    return chosen


def fasta_title(sequence: Sequence) -> str:
    """Return the title line of a sequence: its name, then its description."""
    return f"{sequence.name} {sequence.details}".rstrip()


def rename_sequence(sequence: Sequence, name: str) -> Sequence:
    """Return a sequence with another name, in its title line too."""
    rest = fasta_title(sequence).removeprefix(sequence.name)
    return replace(sequence, name=name, description=f"{name}{rest}")


def fasta_records(sequences: Iterable[Sequence]) -> Iterator[bytes]:
    """Yield FASTA records with whole titles and lines of 60 letters."""
    for sequence in sequences:
        letters = sequence.letters
        lines = [letters[at : at + LINE_LENGTH] for at in range(0, len(letters), LINE_LENGTH)]
        yield b"\n".join([f">{fasta_title(sequence)}".encode(), *lines, b""])


def _derived_sequence(sequence: Sequence, letters: bytes, what: str) -> Sequence:
    name = f"{sequence.name}_{what.replace(' ', '_')}"
    return replace(sequence, name=name, letters=letters, description=f"{name} {what} of {sequence.name}", note="")


def _refuse_protein(sequence: Sequence, why: str) -> None:
    if sequence.type == SequenceType.PROTEIN:
        raise InputError(f"{_location(sequence)}a protein {why}; set its type to DNA or RNA if it is not a protein")


def _location(sequence: Sequence) -> str:
    return f"{sequence.source}, {sequence.name}: " if sequence.source else f"{sequence.name}: "
