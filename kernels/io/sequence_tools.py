"""What is done to sequences before they are aligned: the other strand, translation, parts, doubles, choosing, FASTA."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.text import shown

FRAMES = (1, 2, 3, -1, -2, -3)
"""Reading frames by their first letter; those below zero are of the other strand."""
RANGE = re.compile(r"\s*(\d{1,18})?\s*(?:-|\.\.|:)\s*(\d{1,18})?\s*")
LINE = 60
BATCH = 1000
"""Sequences between two looks whether somebody cancelled."""

Check = Callable[[], None]


def other_strand(sequence: Sequence) -> Sequence:
    """The reverse complement; InputError for a protein."""
    from Bio.Seq import Seq

    _refuse_protein(sequence, "has no other strand")
    strand = Seq(sequence.letters)
    turned = strand.reverse_complement_rna() if sequence.type == SequenceType.RNA else strand.reverse_complement()
    return _made(sequence, bytes(turned), "reverse complement")


def translated(sequence: Sequence, frame: int = 1, code: int = 1) -> Sequence:
    """The protein of a reading frame (FRAMES) by a genetic code of the NCBI; stops are ``*``, the last one is dropped.

    Codons with letters that stand for several are translated where all of these give one amino acid, else to X. Raises
    InputError for a protein and for sequences without a codon, ParameterError for a frame or a code that is none.
    """
    from Bio.Data import CodonTable
    from Bio.Seq import Seq

    _refuse_protein(sequence, "is translated already")
    if frame not in FRAMES:
        raise ParameterError(f"frame {frame}: reading frames are {', '.join(map(str, FRAMES))}")
    if code not in CodonTable.generic_by_id:
        codes = ", ".join(map(str, sorted(CodonTable.generic_by_id)))
        raise ParameterError(f"genetic code {code}: the NCBI has {codes}")
    strand = (sequence if frame > 0 else other_strand(sequence)).letters[abs(frame) - 1 :]
    letters = strand[: len(strand) // 3 * 3]
    if not letters:
        raise InputError(f"{_place(sequence)}{len(sequence):,} letters have no codon in frame {frame}")
    protein = bytes(Seq(letters).translate(table=code)).removesuffix(b"*")
    if not protein:
        raise InputError(f"{_place(sequence)}frame {frame} holds nothing but a stop")
    return replace(_made(sequence, protein, f"frame {frame}"), type=SequenceType.PROTEIN)


def part(sequence: Sequence, first: int, last: int) -> Sequence:
    """Letters ``first`` to ``last``, counted from 1, both included; InputError where the sequence has not so many."""
    if not 1 <= first <= last <= len(sequence):
        raise InputError(
            f"{_place(sequence)}it has letters 1 to {len(sequence):,}; {first:,} to {last:,} are not a part"
        )
    return _made(sequence, sequence.letters[first - 1 : last], f"{first}-{last}")


def span(text: str, length: int) -> tuple[int, int]:
    """ "10-20", "10..", ":20" as first and last letter of a sequence of a length; ParameterError where it is none."""
    found = RANGE.fullmatch(text)
    if not found:
        raise ParameterError(f"{shown(text)} is no range; write it as 10-200, 10- or -200")
    return int(found[1] or 1), int(found[2] or length)


def without_doubles(sequences: Iterable[Sequence], check: Check = lambda: None) -> list[Sequence]:
    """The first of all sequences that have the same letters and type, in their order."""
    seen: set[tuple[bytes, SequenceType]] = set()
    kept = []
    for number, sequence in enumerate(sequences):
        if number % BATCH == 0:
            check()
        if (key := (sequence.letters, sequence.type)) not in seen:
            seen.add(key)
            kept.append(sequence)
    return kept


def choosing(name: str = "", shortest: int = 0, longest: int | None = None) -> Callable[[Sequence], bool]:
    """Whether a sequence has a title in which the regular expression is found, in either case, and such a length.

    Raises ParameterError where the expression is none.
    """
    try:
        pattern = re.compile(name, re.IGNORECASE)
    except re.error as error:
        raise ParameterError(f"{shown(name)} is no regular expression: {error}") from error

    def chosen(sequence: Sequence) -> bool:
        fits = shortest <= len(sequence) and (longest is None or len(sequence) <= longest)
        return fits and bool(pattern.search(title(sequence)))

    return chosen


def title(sequence: Sequence) -> str:
    """The title line of a sequence: its name, then what else is known of it."""
    found = sequence.description.strip()
    return found if f"{found} ".startswith(f"{sequence.name} ") else f"{sequence.name} {found}".rstrip()


def renamed(sequence: Sequence, name: str) -> Sequence:
    """A sequence with another name, in its title line too."""
    rest = title(sequence).removeprefix(sequence.name)
    return replace(sequence, name=name, description=f"{name}{rest}")


def fasta(sequences: Iterable[Sequence]) -> Iterator[bytes]:
    """The records of a FASTA file, whole titles included, lines of 60 letters."""
    for sequence in sequences:
        letters = sequence.letters
        lines = [letters[at : at + LINE] for at in range(0, len(letters), LINE)]
        yield b"\n".join([f">{title(sequence)}".encode(), *lines, b""])


def _made(sequence: Sequence, letters: bytes, what: str) -> Sequence:
    name = f"{sequence.name}_{what.replace(' ', '_')}"
    return replace(sequence, name=name, letters=letters, description=f"{name} {what} of {sequence.name}", note="")


def _refuse_protein(sequence: Sequence, why: str) -> None:
    if sequence.type == SequenceType.PROTEIN:
        raise InputError(f"{_place(sequence)}a protein {why}; set its type to DNA or RNA if it is none")


def _place(sequence: Sequence) -> str:
    return f"{sequence.source}, {sequence.name}: " if sequence.source else f"{sequence.name}: "
