"""MEGA alignments: '#mega', statements that begin with '!', and rows that begin with '#name'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.column_sets import column_set_note
from antidiag.kernels.io.alignment_formats.nexus_text import COMMENT_MARK, mask_comments
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RowBuilder,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import SequenceType

HEAD = re.compile(rb"#mega\b", re.IGNORECASE)
DISTANCES = re.compile(rb"datatype\s*=\s*distance", re.IGNORECASE)
SETTING = re.compile(r"\b(\w+)\s*=\s*(\"[^\"]*\"|[^\s;]+)")
NUCLEOTIDES = re.compile(rb"[ACGTUNacgtun.?-]*")
LONG = 20
"""Letters of a protein that no name has."""
REGIONS = ("gene", "domain")
"""Statements between blocks that name the columns after them."""
GROUP = re.compile(r"([^\s{}]+)\{([^\s{}]+)\}")
"""A name and the group of its taxon."""
GROUP_TAG = "group"
TYPES = {
    "dna": SequenceType.DNA,
    "nucleotide": SequenceType.DNA,
    "rna": SequenceType.RNA,
    "protein": SequenceType.PROTEIN,
}


@dataclass
class _Rows:
    """The rows of a file, its settings, and the regions: names and first columns."""

    rows: RowBuilder
    settings: dict[str, str] = field(default_factory=dict)
    regions: list[tuple[str, int]] = field(default_factory=list)
    title: str = ""


def looks_like_mega(start: bytes) -> bool:
    """Return whether a text begins as an alignment of MEGA does; a matrix of distances does not."""
    return HEAD.match(start) is not None and not DISTANCES.search(start)


def read_mega(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the alignment; InputError names the line that is none of it."""
    found = _read_lines(stream, source)
    columns = len(found.rows.letters_of(0)) if len(found.rows) else 0
    ends = [*(first for _, first in found.regions[1:]), *[columns] * bool(found.regions)]
    sets = tuple(
        column_set_note(name, np.arange(first, last), columns)
        for (name, first), last in zip(found.regions, ends, strict=True)
        if first < last
    )
    of_file = (("DE", found.title),) if found.title else ()
    raw = found.rows.build_alignment(Annotations(of_file, of_columns=sets))
    letters = raw.letters
    signs = {
        name: found.settings.get(name, usual) for name, usual in (("identical", "."), ("missing", "?"), ("indel", "-"))
    }
    for name, sign in signs.items():
        if len(sign) != 1 or not sign.isascii():
            raise InputError(f"{source}: {name}={sign[:40]!r} in !Format is not one ASCII character; correct it")
    same = letters == ord(signs["identical"])
    same[0] = False
    letters = np.where(same, letters[0], letters)
    missing, gaps = letters == ord(signs["missing"]), letters == ord(signs["indel"])
    letters[missing], letters[gaps] = ord("?"), ord("-")
    names, groups = _split_groups(raw.names)
    notes = replace(raw.annotations, of_rows=groups)
    return raw._replace(
        names=names, letters=letters, annotations=notes, type=TYPES.get(found.settings.get("datatype", "").lower())
    )


def _split_groups(names: list[str]) -> tuple[list[str], tuple[tuple[int, str, str], ...]]:
    """Return names without the groups behind them, and these as annotations; as they are where equal names result."""
    found = [GROUP.fullmatch(name) for name in names]
    alone = [match[1] if match else name for match, name in zip(found, names, strict=True)]
    if len(set(alone)) < len(set(names)):
        return names, ()
    return alone, tuple((row, GROUP_TAG, match[2]) for row, match in enumerate(found) if match)


def _read_lines(stream: Iterator[bytes], source: str) -> _Rows:
    """Return the rows: a name that comes again has more letters of the same row."""
    found = _Rows(RowBuilder(source))
    text = mask_comments(decode_text(b"".join(stream))).replace(COMMENT_MARK, " ").encode()
    row, statement, title = -1, list[str](), b""
    for place, line in numbered_lines(iter([text]), source):
        words = line.strip()
        if statement or words.startswith(b"!"):
            statement.append(decode_text(words))
            if words.endswith(b";") or not words:
                _add_statement(" ".join(statement), found)
                statement = []
        elif words.startswith(b"#") and not HEAD.match(words):
            row, title = _add_title(title, False, found.rows, row), words[1:].strip()
            if not title:
                place.refuse("'#' without a name; begin each row with #name")
        elif words and (title or row >= 0):
            row, title = _add_title(title, True, found.rows, row), b""
            found.rows.extend_row(row, remove_white_space(words))
        elif words and not HEAD.match(words):
            found.title = decode_text(re.sub(rb"(?i)^title\s*:?\s*", b"", words)).rstrip(";")  # of older versions
    _add_title(title, False, found.rows, row)
    return found


def _add_title(title: bytes, letters_follow: bool, rows: RowBuilder, row: int) -> int:
    """Return the row of a title, with the letters in it; the last row where there is no title.

    Words in front of lines of letters are part of the name.
    """
    if not title:
        return row
    name, *rest = title.split(None, 1)
    letters = remove_white_space(b"".join(rest))
    if letters_follow and not NUCLEOTIDES.fullmatch(letters) and len(letters) < LONG:
        name, letters = b" ".join(title.split()), b""
    known = rows.row_of(name)
    row = rows.add_row(name) if known is None else known
    rows.extend_row(row, letters)
    return row


def _add_statement(statement: str, found: _Rows) -> None:
    """Take the settings, the title or the region of a statement."""
    word, _, said = statement.strip("!; ").partition(" ")
    if word.lower().rstrip(":") == "title":
        found.title = said.strip("; ")
    settings = {name.lower(): value.strip('"') for name, value in SETTING.findall(statement)}
    region = " ".join(settings[name] for name in REGIONS if name in settings)
    if region:
        found.regions.append((region, len(found.rows.letters_of(0)) if len(found.rows) else 0))
    else:
        found.settings |= settings
