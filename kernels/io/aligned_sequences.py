"""Alignments of any number of rows: the data type, and reading it from files and pasted text."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, packed_files, sequences
from antidiag.kernels.io.alignment_formats import aligned_fasta, known_formats
from antidiag.kernels.io.alignment_formats.pair_letters import PairLetters
from antidiag.kernels.io.alignment_formats.raw_alignment import NO_ANNOTATIONS, Annotations, RawAlignment
from antidiag.kernels.io.stray_characters import plain_spaces
from antidiag.kernels.io.unique_names import describe_renaming, make_names_unique
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

GAP = ord("-")
BATCH_LETTERS = 1 << 22
"""Letters in a batch, so that temporary arrays stay small."""
UNPACKED_RATIO = 6
"""Approximate compression ratio of compressed files."""


@stored("aligned-sequences")
@dataclass(frozen=True, eq=False)
class AlignedSequences:
    """Rows of one length, with names, annotations, and the case and gap signs that the file had.

    ``letters`` is uint8 (rows, columns), upper-case ASCII with '-' for gaps, read-only. ``lower`` marks where the file
    had a lower-case letter, ``dots`` where it had '.' for a gap, or '?' for a missing letter, which is N or X in
    ``letters``: bits of uint8 (rows, columns / 8), the first column the highest bit; None where there is no such mark.
    `written_letters` combines all three.

    While a large alignment is edited, all three are `BlockedCells`, which are read by numbers, slices and masks as
    arrays are; `alignment_kind.as_arrays` turns them into arrays.
    """

    names: tuple[str, ...]
    letters: np.ndarray = field(repr=False)
    type: SequenceType
    name: str = "alignment"
    source: str = ""
    note: str = ""
    # What identifies an alignment are names and letters: the fields below are no part of its digest.
    annotations: Annotations = field(default=NO_ANNOTATIONS, repr=False, compare=False)
    lower: np.ndarray | None = field(default=None, repr=False, compare=False)
    dots: np.ndarray | None = field(default=None, repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AlignedSequences)
            and self.names == other.names
            and np.array_equal(self.letters, other.letters)
        )

    def __hash__(self) -> int:
        return hash((self.names[:16], self.letters[:1].tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words: "24 rows of 160 columns"."""
        rows, columns = self.letters.shape
        return f"{format_count(rows, 'row')} of {format_count(columns, 'column')}"


def written_letters(alignment: AlignedSequences, first: int = 0, last: int | None = None) -> np.ndarray:
    """Return rows ``first`` to ``last`` with the case and the gap signs that the file had.

    Parameters
    ----------
    alignment : AlignedSequences
    first, last : int
        The first row and the one after the last; all rows where they are not given.

    Returns
    -------
    array of uint8, shape (rows, columns)
    """
    letters = alignment.letters[first:last]
    columns = letters.shape[1]

    def marks_of(bits: Any) -> np.ndarray:
        found = bits[first:last]
        return np.unpackbits(found, axis=1, count=columns) if isinstance(bits, np.ndarray) else found

    if alignment.lower is not None:
        letters = letters + marks_of(alignment.lower) * np.uint8(32)
    if alignment.dots is not None:
        marked = marks_of(alignment.dots).astype(bool)
        letters = np.where(marked, np.where(letters == GAP, np.uint8(ord(".")), np.uint8(ord("?"))), letters)
    return letters


def unknown_letter(type: SequenceType) -> int:
    """Return the letter that stands for any: X in proteins, else N."""
    return ord("X" if type == SequenceType.PROTEIN else "N")


def with_type(alignment: AlignedSequences, type: SequenceType) -> AlignedSequences:
    """Return the alignment with another sequence type; InputError where a letter does not belong to it."""
    if type == alignment.type:
        return alignment
    strange = np.ones(256, bool)
    strange[[GAP, *sequences.ALPHABETS[type]]] = False
    step = max(1, BATCH_LETTERS // alignment.letters.shape[1])
    for first in range(0, len(alignment.names), step):
        written = written_letters(alignment, first, first + step)
        wrong = strange[plain_letters(written)] & (written != ord("?"))
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            raise InputError(
                f"{alignment.name}, row {alignment.names[first + row]}: {chr(written[row, column])!r} in column "
                f"{column + 1:,} is not a {type} letter; correct it, or choose another type"
            )
    changed = replace(alignment, type=SequenceType(type))
    if alignment.dots is None or unknown_letter(type) == unknown_letter(alignment.type):
        return changed
    return with_letters(changed, written_letters(alignment))  # what was missing has another letter


@packed_files.reads_each_file
def read_alignments(
    path: str | Path, monitor: Monitor | None = None, letters: PairLetters | None = None
) -> list[AlignedSequences]:
    """Read all alignments of a file, plain or compressed.

    The first bytes decide between FASTA and the formats in `known_formats`; the suffix decides for A2M, A3M and
    databases of A3M. Of rows with equal names the later ones get _2, _3, ...; the note of the alignment says so.

    Parameters
    ----------
    path : str or Path
    monitor : Monitor, optional
        Receives the bytes read; may cancel.
    letters : PairLetters, optional
        Sequences that SAM, PAF and chains name without their letters.

    Returns
    -------
    list of AlignedSequences

    Raises
    ------
    InputError
        Where the file is no alignment; the text names the file and the row or line.
    """
    path = Path(path)
    packed = packed_files.is_packed(path)
    size = path.stat().st_size * (UNPACKED_RATIO if packed else 1) if os.path.isfile(path) else 0
    blocks = line_blocks.read_blocks(path, monitor or Monitor())
    found = known_formats.read_alignment_blocks(blocks, str(path), packed_files.format_suffix(path), size, letters)
    return [_build_alignment(raw, str(path), packed_files.format_stem(path)) for raw in found]


def read_alignment_text(text: str, source: str = "pasted text") -> list[AlignedSequences]:
    """Read all alignments of a text, as `read_alignments` does of a file."""
    block = line_blocks.normalise_line_ends(text.encode(errors="replace"))
    found = known_formats.read_alignment_blocks(iter([block.rstrip(b"\n") + b"\n"]), source, size=len(block))
    return [_build_alignment(raw, source, source) for raw in found]


def is_alignment_file(path: Path, head: bytes) -> bool:
    """Return whether a file is an alignment: by its format, or because its rows have one length and hold gaps.

    ``head`` are its first bytes, unpacked.
    """
    _, start = line_blocks.skip_leading_space(head)
    suffix = packed_files.format_suffix(path)
    if suffix in known_formats.ALIGNMENT_SUFFIXES:
        return True
    start = plain_spaces(line_blocks.normalise_line_ends(start))
    if not aligned_fasta.HEAD.match(start) and known_formats.find_alignment_format(start) is None:
        return False
    try:
        return known_formats.holds_alignment(line_blocks.read_blocks(path, Monitor()), suffix)
    except InputError:
        return False


def is_alignment_text(text: str) -> bool:
    """Return whether a text is an alignment, by the rules of `is_alignment_file`."""
    try:
        return known_formats.holds_alignment(iter([line_blocks.normalise_line_ends(text.encode(errors="replace"))]))
    except InputError:
        return False  # reading it as sequences says why


def with_letters(template: AlignedSequences, letters: np.ndarray, plain: bool = False) -> AlignedSequences:
    """Return an alignment with other letters and everything else of a template.

    Parameters
    ----------
    template : AlignedSequences
    letters : array of uint8, shape (rows, columns)
        Letters and gaps as a file has them. The array is taken over and becomes read-only.
    plain : bool
        The letters are known to be capitals, '*' and '-' alone.
    """
    unknown = unknown_letter(template.type)
    letters = np.ascontiguousarray(letters)
    lower, dots, _ = (None, None, 0) if plain else _make_plain(letters, unknown, list(template.names), template.source)
    letters.setflags(write=False)
    return replace(template, letters=letters, lower=lower, dots=dots)


def unaligned_sequences(alignment: AlignedSequences) -> list[Sequence]:
    """Return the rows as sequences without gaps; rows of gaps alone are left out."""
    described = {row: said for row, tag, said in alignment.annotations.of_rows if tag == "DE"}
    found = []
    for row, name in enumerate(alignment.names):
        letters = alignment.letters[row].tobytes().replace(b"-", b"")
        gaps = alignment.letters.shape[1] - len(letters)
        note = f"{gaps:,} gap{'s' * (gaps > 1)} removed" if gaps else ""
        title = f"{name} {described.get(row, '')}".strip()
        if letters:
            found.append(Sequence(name, letters, alignment.type, title, alignment.source, note))
    return found


def _build_alignment(raw: RawAlignment, source: str, stem: str) -> AlignedSequences:
    """Build an alignment from what a reader found: plain letters, marks for case and dots, unique names."""
    letters = raw.letters if raw.letters.flags.writeable else raw.letters.copy()
    type_, doubt = sequences.choose_type(_type_sample(letters), raw.type, source)
    unknown = unknown_letter(type_)
    lower, dots, missing = (None, None, 0) if raw.plain else _make_plain(letters, unknown, raw.names, source)
    different = make_names_unique(raw.names)
    notes = [raw.note, describe_renaming(raw.names, different), doubt]
    if missing:
        notes.append(f"{missing:,} '?' count as {chr(unknown)}")
    letters.setflags(write=False)
    name = raw.name if raw.name == "" or raw.name == stem else f"{stem}: {raw.name}"
    note = "; ".join(filter(None, notes))
    return AlignedSequences(different, letters, type_, name or stem, source, note, raw.annotations, lower, dots)


def _type_sample(letters: np.ndarray) -> bytes:
    """Return letters of some rows, without gaps, from which the sequence type is guessed."""
    found = letters[:: max(1, letters.shape[0] // 32), :20_000].tobytes().translate(None, b"-.~?*")
    return found or b"A"


WRONG, LOWER, DOT, TILDE, MISSING = 1, 2, 4, 8, 16
_PLAIN = np.arange(256, dtype=np.uint8)
_PLAIN[ord("a") : ord("z") + 1] -= 32
_PLAIN[list(b".~")] = GAP
_PECULIAR = np.full(256, WRONG, np.uint8)
_PECULIAR[ord("A") : ord("Z") + 1] = 0
_PECULIAR[list(b"-*")] = 0
_PECULIAR[ord("a") : ord("z") + 1] = LOWER
_PECULIAR[list(b".~?")] = DOT, TILDE, MISSING
LOWER_CASE = (_PECULIAR == LOWER).astype(np.uint8)
"""1 for lower-case letters, else 0."""


def plain_letters(written: np.ndarray) -> np.ndarray:
    """Return letters as capitals, and every gap sign as '-'; '?' stays."""
    return _PLAIN[written]


def _make_plain(
    letters: np.ndarray, unknown: int, names: list[str], source: str
) -> tuple[np.ndarray | None, np.ndarray | None, int]:
    """Make letters plain in place. Return the bits of lower case, those of '.' and '?', and the number of '?'."""
    from antidiag.kernels.io.alignment_formats.cpu_letters import (
        call_join_kinds,  # loads Numba, which reading other files does not need
    )

    rows, columns = letters.shape
    packed: dict[int, np.ndarray] = {}
    missing, step = 0, max(1, BATCH_LETTERS // columns)
    for first in range(0, rows, step):
        part = letters[first : first + step]
        if not call_join_kinds(part.reshape(-1), _PECULIAR):
            continue
        peculiar = _PECULIAR[part]
        if (peculiar == WRONG).any():
            row, column = np.argwhere(peculiar == WRONG)[0]
            sign = chr(part[row, column])
            shown = repr(sign) if sign.isascii() else "a character that is not ASCII"
            raise InputError(
                f"{source}, row {names[first + row]}: {shown} in column {column + 1:,} is not a letter; correct it"
            )
        for kind, found in ((LOWER, peculiar == LOWER), (DOT, (peculiar == DOT) | (peculiar == MISSING))):
            if found.any():
                bits = packed.setdefault(kind, np.zeros((rows, -(-columns // 8)), np.uint8))
                bits[first : first + step] = np.packbits(found, axis=1)
        gone = peculiar == MISSING
        missing += int(gone.sum())
        part[:] = np.where(gone, unknown, _PLAIN[part])
    return packed.get(LOWER), packed.get(DOT), missing
