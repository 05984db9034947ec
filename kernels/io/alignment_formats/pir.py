"""PIR, also called NBRF: a name, a line of text, and letters up to '*'. MODELLER's variant has chain breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    Annotations,
    RawAlignment,
    RawRow,
    RowBuilder,
    SourceLine,
    numbered_lines,
    remove_white_space,
    rows_look_aligned,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

ENTRY = re.compile(rb">(P1|F1|DL|DC|RL|RC|N1|N3|XX);")
HEAD = re.compile(rb"(?:[A-Z];[^\n]*\n\s*+)*+" + ENTRY.pattern + rb"[ \t]*+(?:\S|(?s:.)*\*)")
"""The first entry, perhaps after lines of comments; one without a name only where an asterisk ends letters."""
OTHER_TITLE = re.compile(rb"^>(?!(?:P1|F1|DL|DC|RL|RC|N1|N3|XX);)", re.MULTILINE)
"""A title of FASTA, which no file in PIR has."""
TEXT_LINE = re.compile(rb"[A-Z];")
"""A line about an entry, such as C; for a comment, which stands before or after its letters."""
TYPES = dict.fromkeys((b"P1", b"F1"), SequenceType.PROTEIN) | dict.fromkeys((b"DL", b"DC"), SequenceType.DNA)
TYPES |= dict.fromkeys((b"RL", b"RC"), SequenceType.RNA)
CHAIN_BREAK = b"/"
LETTERS_ALONE = re.compile(rb"[A-Z-]{30,}\*?")
"""More capitals than a word of a description has."""
MODELLER_TEXT = re.compile(r"(structure|sequence)\w*:")
"""What the line of text begins with in files of MODELLER, where '.' is a residue of any kind and w is water."""
MODELLER_RESIDUES = bytes.maketrans(b".w", b"XX")


@dataclass
class _Entries:
    """The rows of a file, what it says of them, and what is left out."""

    rows: RowBuilder
    described: dict[int, str] = field(default_factory=dict)
    types: set[SequenceType | None] = field(default_factory=set)
    text_lines: int = 0
    breaks: int = 0
    residues: int = 0
    is_cut: bool = False

    @property
    def only_type(self) -> SequenceType | None:
        """The type that all entries state, or None."""
        return next(iter(self.types)) if len(self.types) == 1 else None

    @property
    def note(self) -> str:
        """What was left out."""
        left_out = [format_count(self.text_lines, "line") + " such as C;"] * bool(self.text_lines)
        left_out += [format_count(self.breaks, "chain break") + " (/)"] * bool(self.breaks)
        replaced = [f"{self.residues:,} residues without a letter ('.', w) replaced by X"] * bool(self.residues)
        cut = ["there is no * at the end: the file may be cut"] * self.is_cut
        return "; ".join([*([f"skipped: {', '.join(left_out)}"] if left_out else []), *replaced, *cut])


def looks_like_pir(start: bytes) -> bool:
    """Return whether a file begins with an entry of PIR, and all titles that follow have a type, too."""
    return bool(HEAD.match(start)) and not OTHER_TITLE.search(start)


def read_pir(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read an alignment; InputError names the line that does not belong to it."""
    found = _read_lines(stream, source)
    notes = Annotations(of_rows=tuple((row, DESCRIPTION, said) for row, said in found.described.items()))
    return found.rows.build_alignment(notes, note=found.note)._replace(type=found.only_type)


def read_pir_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows, which may differ in length."""
    found = _read_lines(stream, source)
    for row, name in enumerate(found.rows.names):
        note = "" if row else found.note
        yield RawRow(decode_text(name), found.described.get(row, ""), found.rows.letters_of(row), note, found.only_type)


def _read_lines(stream: Iterator[bytes], source: str) -> _Entries:
    """Return the entries of a file."""
    found = _Entries(RowBuilder(source))
    title, ended = False, True
    begun: SourceLine | None = None
    for place, line in numbered_lines(stream, source):
        if entry := ENTRY.match(line):
            _require_letters(found.rows, begun)
            begun = place
            found.rows.add_row(line[4:].strip())
            found.types.add(TYPES.get(entry[1]))
            title, ended = True, False
        elif title:
            if LETTERS_ALONE.fullmatch(line.strip()):
                place.refuse(
                    "this should describe the entry, and seems to be its letters; put a line of text, which may be "
                    "empty, before it"
                )
            if said := decode_text(line).strip():
                found.described[len(found.rows) - 1] = said
            title = False
        elif ended and TEXT_LINE.match(line):
            found.text_lines += 1
        elif ended and line.strip():
            place.refuse("text between two sequences; each begins with a line such as >P1;name")
        elif not ended:
            letters, star, _ = remove_white_space(line).partition(b"*")
            _add_letters(found, letters)
            ended = bool(star)
    _require_letters(found.rows, begun)
    found.is_cut = not ended
    return found


def _require_letters(rows: RowBuilder, begun: SourceLine | None) -> None:
    """Raise InputError where the last row has no letters: the line that should describe it may hold them."""
    if begun is not None and not rows.letters_of(len(rows) - 1):
        begun.refuse("this entry has no letters; after its name comes a line of text, which may be empty")


def _add_letters(found: _Entries, letters: bytes) -> None:
    """Add letters to the last row, without chain breaks."""
    row = len(found.rows) - 1
    found.breaks += letters.count(CHAIN_BREAK)
    letters = letters.replace(CHAIN_BREAK, b"")
    if MODELLER_TEXT.match(found.described.get(row, "")):
        found.residues += letters.count(b".") + letters.count(b"w")
        letters = letters.translate(MODELLER_RESIDUES)
    found.rows.extend_row(row, letters)


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the rows have one length, and some hold gaps."""
    rows = _read_lines(stream, "").rows
    return rows_look_aligned(rows.letters_of(row) for row in range(len(rows)))
