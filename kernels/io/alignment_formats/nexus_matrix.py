"""The matrix of a NEXUS block: rows in one piece or interleaved, with its own signs and sets of letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.nexus_text import COMMENT_MARK, unquote_word
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RowBuilder,
    SourceLine,
)
from antidiag.kernels.text import format_count

NAMED = re.compile(r"[\s\x01]*('(?:[^']|'')*'|\"[^\"]*\"|[^\s\x01]+)(\x01*)(.*)", re.DOTALL)
QUOTED_AT_END = re.compile(r"('(?:[^']|'')*'|\"[^\"]*\")\Z")
EQUATE = re.compile(r"(\S)\s*=\s*(\{[^{}]*\}|\([^()]*\)|\S)")
SEVERAL = re.compile(r"\{([^{}]*)\}|\(([^()]*)\)")
"""Several letters for one column: any of them in braces, all of them in brackets. A set holds no bracket of its own
kind, so that many brackets without a partner take linear time."""
CODES = {
    "A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC",
    "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT", "X": "ACGT",
}  # fmt: skip
CODE_OF = {bases: code for code, bases in CODES.items() if code not in "UX"}
PEPTIDE_CODES = {"DN": "B", "EQ": "Z", "IL": "J"}
COMMENT_TAG = "comment"
"""The tag of a comment that follows the name of a row."""

Settings = Mapping[str, str]


class MatrixLine(NamedTuple):
    """A line of a matrix: without its comments, of which marks stay, and as it is in the file."""

    place: SourceLine
    text: str
    raw: str


class _Letters:
    """Turns the text of rows into one letter a column."""

    def __init__(self, settings: Settings) -> None:
        self._equates = {ord(sign): value for sign, value in EQUATE.findall(settings.get("equate", ""))}
        self._protein = settings.get("datatype", "").lower() == "protein"
        self.unknown = 0

    def read(self, text: str, place: SourceLine) -> bytes:
        """Return the letters of a text, a code for each set of several."""
        text = "".join(text.replace(COMMENT_MARK, " ").translate(self._equates).split())
        text = SEVERAL.sub(lambda found: self._code_of(found[1] or found[2] or "", place), text)
        if any(sign in text for sign in "{}()"):
            place.refuse("a bracket of a set of letters has no partner; correct the line")
        return text.encode(errors="replace")

    def _code_of(self, letters: str, place: SourceLine) -> str:
        """Return the ambiguity code of several letters."""
        chosen = sorted(set(letters.upper()) - set(", -"))
        if not chosen:
            return "-"
        if not self._protein and all(letter in CODES for letter in chosen):
            bases = {base for letter in chosen for base in CODES[letter]}
            return CODE_OF["".join(sorted(bases))]
        if not all(letter.isalpha() and letter.isascii() for letter in chosen):
            place.refuse(f"{{{letters}}} is no set of letters; write an ambiguity code")
        if (joined := "".join(chosen)) in PEPTIDE_CODES or len(joined) == 1:
            return PEPTIDE_CODES.get(joined, joined)
        self.unknown += 1
        return "X"


def read_matrix(
    lines: Sequences[MatrixLine],
    settings: Settings,
    stated: tuple[int | None, int | None],
    taxa: Sequences[str],
    source: str,
) -> tuple[RawAlignment, str]:
    """Read the rows of a matrix.

    Parameters
    ----------
    lines : sequence of MatrixLine
    settings : mapping
        The settings of FORMAT, names in lower case.
    stated : (int or None, int or None)
        NTAX and NCHAR.
    taxa : sequence of str
        The names of TAXLABELS, which a matrix without names needs.
    source : str

    Returns
    -------
    (RawAlignment, str)
        The alignment, and a note of what was replaced.

    Raises
    ------
    InputError
        Where rows have other lengths than NCHAR, or are not NTAX.
    """
    for word in ("transpose", "tokens"):
        if settings.get(word, "no").lower() != "no":
            lines[0].place.refuse(f"a matrix with {word.upper()} is not read; save it without")
    interleaved = settings.get("interleave", "no").lower() != "no"
    orders = (_read_interleaved, _read_sequential) if interleaved else (_read_sequential, _read_interleaved)
    failure: InputError | None = None
    sizes = list[tuple[int, int]]()
    for order in orders:
        letters = _Letters(settings)
        try:
            rows, comments = order(lines, _label_reader(settings), letters, stated, taxa, source)
            raw = _normalise_letters(rows.build_alignment(), settings, source)
        except InputError as error:
            failure = failure or error
            continue
        size = raw.letters.shape
        if all(said is None or said == there for said, there in zip(stated, size, strict=True)):
            note = f"{format_count(letters.unknown, 'set')} of several letters replaced by X" if letters.unknown else ""
            return raw._replace(annotations=Annotations(of_rows=comments)), note
        sizes.append((size[0], size[1]))
    if failure is not None and not sizes:
        raise failure
    raise _size_error(lines[0].place, stated, sizes[0])


def _size_error(place: SourceLine, stated: tuple[int | None, int | None], size: tuple[int, int]) -> InputError:
    """Return the error for another number of rows or columns than DIMENSIONS says."""
    said = " and ".join(f"{name}={n}" for name, n in zip(("NTAX", "NCHAR"), stated, strict=True) if n is not None)
    return InputError(
        f"{place.source}, line {place.line:,}: DIMENSIONS says {said}, but the matrix has "
        f"{format_count(size[0], 'row')} of {format_count(size[1], 'column')}; correct DIMENSIONS or the matrix"
    )


LabelReader = Callable[[MatrixLine], tuple[str, str, str]]


def _label_reader(settings: Settings) -> LabelReader | None:
    """Return the function that splits a line into name, letters and a comment; None where rows have no names."""
    labels = settings.get("labels", "left").lower()
    if "nolabels" in settings or labels == "no":
        return None
    return _split_right if labels == "right" else _split_left


def _split_left(line: MatrixLine) -> tuple[str, str, str]:
    found = NAMED.fullmatch(line.text)
    if found is None:
        line.place.refuse("this line has no name followed by letters; correct it")
    return unquote_word(found[1]), found[3], line.raw[found.start(2) : found.end(2)]


def _split_right(line: MatrixLine) -> tuple[str, str, str]:
    text = line.text.replace(COMMENT_MARK, " ").rstrip()
    quoted = QUOTED_AT_END.search(text)
    letters, name = (text[: quoted.start()], quoted[0]) if quoted else (text.rsplit(None, 1) + [""])[:2]
    if not name:
        line.place.refuse("this line has no name after its letters; correct it")
    return unquote_word(name), letters, ""


def _row_name(taxa: Sequences[str], number: int) -> str:
    return taxa[number] if number < len(taxa) else f"unnamed-{number + 1}"


RowComments = tuple[tuple[int, str, str], ...]


def _read_interleaved(
    lines: Sequences[MatrixLine],
    split: LabelReader | None,
    letters: _Letters,
    stated: tuple[int | None, int | None],
    taxa: Sequences[str],
    source: str,
) -> tuple[RowBuilder, RowComments]:
    """Read blocks of rows, each block with the same names."""
    rows, comments, number = RowBuilder(source), dict[int, str](), 0
    for line in lines:
        if not line.text.strip():
            rows.end_block()
            number = 0
        elif line.text.strip(f" \t{COMMENT_MARK}"):
            if split is None and number == stated[0]:
                rows.end_block()
                number = 0
            name, text, comment = split(line) if split else (_row_name(taxa, number), line.text, "")
            row = rows.add_line(name.encode(), letters.read(text, line.place), line.place)
            number += 1
            if comment:
                comments.setdefault(row, comment[1:-1])
    return rows, tuple((row, COMMENT_TAG, said) for row, said in sorted(comments.items()))


def _read_sequential(
    lines: Sequences[MatrixLine],
    split: LabelReader | None,
    letters: _Letters,
    stated: tuple[int | None, int | None],
    taxa: Sequences[str],
    source: str,
) -> tuple[RowBuilder, RowComments]:
    """Read one row after the other, each of NCHAR letters; without NCHAR, each of one line."""
    rows, comments, columns = RowBuilder(source), dict[int, str](), stated[1]
    found = columns or 1
    for line in lines:
        if not line.text.strip(f" \t{COMMENT_MARK}"):
            continue
        if found < (columns or 1):
            found = rows.extend_row(len(rows) - 1, letters.read(line.text, line.place))
        else:
            name, text, comment = split(line) if split else (_row_name(taxa, len(rows)), line.text, "")
            row = rows.add_row(name.encode())
            found = rows.extend_row(row, letters.read(text, line.place))
            if comment:
                comments[row] = comment[1:-1]
        if columns is not None and found > columns:
            line.place.refuse(
                f"row {rows.names[-1].decode()} has more letters than NCHAR={columns}; correct NCHAR or the row"
            )
    return rows, tuple((row, COMMENT_TAG, said) for row, said in comments.items())


def _normalise_letters(raw: RawAlignment, settings: Settings, source: str) -> RawAlignment:
    """Return letters with '-' for gaps, '?' for missing ones, and the first row's letters for the match sign."""
    letters = raw.letters
    if same := _setting_character(settings, "matchchar", "", source):
        equal = letters == ord(same)
        equal[0] = False
        letters = np.where(equal, letters[0], letters)
    for name, plain in (("gap", "-"), ("missing", "?")):
        if (own := _setting_character(settings, name, plain, source)) != plain:
            letters[np.isin(letters, [ord(own.lower()), ord(own.upper())])] = ord(plain)
    if "gap" in settings and not same:
        _refuse_dots(raw._replace(letters=letters), source)
    return raw._replace(letters=letters)


def _refuse_dots(raw: RawAlignment, source: str) -> None:
    """Raise InputError for a '.' where FORMAT names another sign for gaps."""
    dotted = np.flatnonzero((raw.letters == ord(".")).any(axis=1))
    if dotted.size:
        raise InputError(
            f"{source}, row {raw.names[dotted[0]]}: '.' is neither the GAP nor the MATCHCHAR of FORMAT; add "
            "MATCHCHAR=. if it stands for the letter of the first row, else write gaps as FORMAT says"
        )


def _setting_character(settings: Settings, name: str, plain: str, source: str) -> str:
    """Return the character of a setting, or the default; InputError where it is not one ASCII character."""
    own = settings.get(name, plain)
    if own != plain and (len(own) != 1 or not own.isascii()):
        raise InputError(f"{source}: {name.upper()}={own[:40]!r} in FORMAT is not one ASCII character; correct it")
    return own
