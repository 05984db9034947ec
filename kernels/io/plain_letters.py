"""Text without any format: letters of one sequence, or something else that must not be read as one.

Letters alone are a sequence where they are one line or one block, with or without numbers at its borders. Words before
the letters, words of a language, and several lines that may each be a sequence are in doubt: nobody can say which
letters belong to the sequence.
"""

from __future__ import annotations

import operator
import re
from pathlib import Path
from typing import NamedTuple

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import GROUP_LENGTH
from antidiag.kernels.io.line_blocks import LINE_END
from antidiag.kernels.io.record_letters import (
    STRAND_BREAK,
    STRANGE,
    SequenceRecord,
    clean_letters,
    describe_character,
    refuse_letter,
)
from antidiag.kernels.io.stray_characters import remove_stray_characters
from antidiag.kernels.text import format_count, quote_text

NUMBER = rb"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
NUMERIC_WORD = re.compile(rb"(?<!\S)%b(?!\S)" % NUMBER)
MATRIX = (
    re.compile(rb"(?<!\S)[-+]?\d*\.\d+(?:[eE][-+]?\d+)?(?!\S)"),
    re.compile(rb"(?<!\S)[^\W\d]\S*(?:[ \t]+%b){2}(?!\S)" % NUMBER),
    re.compile(rb"\A\s*\d+[ \t]*\n(?:[ \t]*\S+[ \t]*\n)?[ \t]*\S+[ \t]+%b[ \t]*$" % NUMBER, re.MULTILINE),
)
"""Signs of a distance matrix, which no numbered sequence has: a fraction; a name and two numbers; for one or two
taxa, a number alone and then a name and a number."""
BED_OF_SIX = rb"[^\t\n]+\t\d+\t\d+\t[^\t\n]*\t[\d.]+\t[-+.](?:\t|\s*$)"
"""A line of BED with name, score and strand, after the sequence and two positions."""
OTHER_CONTENT = (
    (re.compile(rb"\d+[ \t]+(?:dG|ENERGY)\b", re.I), "this is a table of pairs (CT) of an RNA; give its dot-bracket"),
    (re.compile(rb"(?:HEADER|SEQRES|ATOM) {2,}\S"), "this is a structure of PDB; give its sequences as FASTA"),
    (re.compile(rb"HHsearch 1"), "this is a model of HH-suite; give its alignment (.a3m)"),
    (re.compile(rb"(?:PSI|T)?BLAST[NPX]?[ \t]+\d"), "this is a report of BLAST; give the sequences as FASTA"),
    (
        re.compile(rb'\{\s*"(?:BlastOutput2|BlastJSON|Seq_annot)"'),
        "this is a report of BLAST as JSON; give the sequences as FASTA",
    ),
    (
        re.compile(rb"(?:(?:track\b|browser\b|#)[^\n]*\n\s*+)*+(?:chr\S*\t\d+\t\d+(?:\t|\s*$)|%b)" % BED_OF_SIX, re.M),
        "these are regions (BED); give their sequences as FASTA, as bedtools getfasta writes them",
    ),
    (
        re.compile(rb"\S[^\t\n]*\t[^\t\n]+\t(?:100|\d\d)(?:\.\d+)?\t\d+\t\d+\s*$", re.M),
        "this is a table of FastANI; give the genomes as FASTA, or for a tree a file .dist with a line of two names "
        "and 100 - ANI for each pair of genomes",
    ),
    (re.compile(rb"##fileformat=VCF"), "these are variants (VCF); give the sequences as FASTA"),
    (
        re.compile(rb"(?:c[^\n]*\n)*+p[ \t]+(?:sp|edge|col|max|min)\b"),
        "this is a graph of DIMACS; write an edge list, a line of source, target and weight for each edge",
    ),
    (
        re.compile(rb"\d+[ \t]+\d+[ \t]*\n[ \t]*[A-Za-z]\S*[ \t]+(?=[?-]*\d)[\d?-]+[ \t]*\n"),
        "these characters in PHYLIP are states (digits), and no letters; give DNA, RNA or proteins",
    ),
    (
        re.compile(rb"\d+[ \t]+\d+[ \t]+(?:[A-Z][ \t]*+){1,6}\n[ \t]*WEIGHTS\b"),
        "this is PHYLIP with weights of columns; remove the letter W and the lines WEIGHTS",
    ),
)
"""Content that is known by its beginning, and is read as nothing here."""
LONE_NUMBER, HAS_DIGIT = re.compile(rb"\d+"), re.compile(rb"\d")
GIVE = "give FASTA, with a line >name before the letters, GenBank or plain letters"
NEAR_FORMATS = (
    "name and letters on each line come near Clustal (the first line begins with CLUSTAL), PHYLIP (the first line has "
    "the numbers of rows and columns) and a table (a tab between name and letters)"
)
NUCLEOTIDES = re.compile(rb"[ACGTUNRYSWKMBDHVXacgtunryswkmbdhvx.~?-]+")
RARE = frozenset(b"BJOUXZ")
"""Letters that words have and proteins hardly."""
SHORTEST_LINE = 50
"""Letters of a line where programs wrap; shorter lines of one length may be primers or peptides."""
MOSTLY_EQUAL = 0.5
"""Share of equal letters from which two lines are two versions of a sequence, and not two parts of one."""
HEAD_LINES = 1000
"""Lines at the head of a text that are looked at."""


class DoubtfulLetters(InputError):
    """Letters that may be one sequence or something else; only a person can decide."""


def read_plain_letters(data: bytes, source: str, any_letters: bool = False) -> SequenceRecord:
    """Return the one record of a text without a format, called by the name of its file.

    Parameters
    ----------
    data : bytes
    source : str
    any_letters : bool
        Somebody decided that all letters are one sequence.

    Raises
    ------
    DoubtfulLetters
        Where it may be something else than a sequence.
    InputError
        Where it is something else.
    """
    if not data.strip():
        raise InputError(f"{source}: the file is empty; give one with a sequence")
    _refuse_other_content(data, source)
    text, _ = remove_stray_characters(data)
    if strange := STRANGE.search(text):
        if strange[0] == STRAND_BREAK:
            refuse_letter(data, source, 1, Path(source).stem)
        line = text.count(LINE_END, 0, strange.start()) + 1
        raise InputError(
            f"{source}, line {line}: {describe_character(text, strange.start())} is not a sequence letter, and the "
            f"format of the file is unknown; {GIVE}"
        )
    if not any_letters and (doubt := find_doubt(data)):
        raise DoubtfulLetters(f"{source}, {doubt}; {GIVE}")
    name = Path(source).stem
    unnumbered, numbers = _without_numbers(data)
    letters, note = clean_letters(unnumbered, source, 1, name)
    if not letters:
        raise InputError(f"{source}: the record has no letters; add the sequence or remove the record")
    notes = [f"{format_count(numbers, 'number')} left out" if numbers else "", note]
    return SequenceRecord(name, name, letters, "; ".join(filter(None, notes)))


def find_doubt(data: bytes) -> str:
    """Return why letters may not be one sequence, beginning with the line; "" where they are one."""
    lines = [
        _Line(number, words, b"\t" in line.strip() and len(words) > 1)
        for number, line in enumerate(data.split(LINE_END)[:HEAD_LINES], 1)
        if (words := [word for word in line.split() if not LONE_NUMBER.fullmatch(word)])
    ]
    for line in lines:
        if why := _doubt_of_line(line, len(lines) > 1):
            return f"line {line.number}: {why}"
    others = b"".join(word for line in lines[1:] for word in line.words)
    if NUCLEOTIDES.fullmatch(others) and not NUCLEOTIDES.fullmatch(b"".join(lines[0].words)):
        return f"line {lines[0].number}: {quote_text(b' '.join(lines[0].words))} may be a name before the letters"
    if len(lines) > 1 and (why := _doubt_of_lines([b"".join(line.words) for line in lines])):
        return f"line {lines[1].number}: {why}"
    return ""


class _Line(NamedTuple):
    """A line with words, without numbers of letters; ``has_tab``: a tab stands between two words."""

    number: int
    words: list[bytes]
    has_tab: bool


def _doubt_of_line(line: _Line, several: bool) -> str:
    """Return why the words of a line may not be blocks of letters; ``several`` lines have words."""
    first, *others = line.words
    if numbered := next((word for word in line.words if HAS_DIGIT.search(word)), None):
        return f"{quote_text(numbered)} is a word with digits, and not letters of a sequence; {NEAR_FORMATS}"
    if any(word.istitle() and len(word) > 2 for word in line.words):
        return "these may be words of a text, and no blocks of letters"
    nucleotides = bool(others and NUCLEOTIDES.fullmatch(b"".join(others)))
    sizes = [len(word) for word in line.words]
    are_blocks = len(set(sizes[:-1])) < 2 and sizes[-1] <= sizes[0]
    if line.has_tab or (nucleotides and not NUCLEOTIDES.fullmatch(first)) or (not are_blocks and len(sizes) == 2):
        return f"{quote_text(first)} may be a name before the letters; {NEAR_FORMATS}"
    letters = b"".join(line.words)
    spells = letters.islower() or bool(RARE & set(letters.upper()))
    if others and spells and sizes[0] != GROUP_LENGTH and not NUCLEOTIDES.fullmatch(letters):
        return "these may be words of a text, and no blocks of letters"
    if are_blocks or (nucleotides and not several):
        return ""
    return "these may be words of a text, and no blocks of letters"


def _doubt_of_lines(lines: list[bytes]) -> str:
    """Return why lines, each without its blanks, may be several sequences."""
    *full, last = lines
    other = next((line for line in full if len(line) != len(full[0])), last if len(last) > len(full[0]) else None)
    if other is not None:
        return f"lines of {len(full[0]):,} and {len(other):,} letters may each be a sequence of its own"
    if len(last) == len(full[0]) < SHORTEST_LINE and _share_equal(lines) <= MOSTLY_EQUAL:
        return f"{len(lines):,} lines of {len(last):,} letters may each be a sequence of its own"
    if len(last) == len(full[0]) and (
        any(gap in line for line in lines for gap in b"-.~") or _share_equal(lines) > MOSTLY_EQUAL
    ):
        return "lines of one length may be rows of an alignment without names"
    return ""


def _share_equal(lines: list[bytes]) -> float:
    """Return the share of letters that equal the letter above, in lines of one length."""
    equal = sum(map(operator.eq, b"".join(lines[:-1]), b"".join(lines[1:])))
    return equal / max(sum(map(len, lines[1:])), 1)


def _without_numbers(data: bytes) -> tuple[bytes, int]:
    """Return lines without the numbers of their letters, and how many numbers there were."""
    if not HAS_DIGIT.search(data):
        return data, 0
    words = [line.split() for line in data.split(LINE_END)]
    kept = [[word for word in line if not LONE_NUMBER.fullmatch(word)] for line in words]
    return b"\n".join(b" ".join(line) for line in kept), sum(map(len, words)) - sum(map(len, kept))


def _refuse_other_content(data: bytes, source: str) -> None:
    """Raise InputError for content that is known to be something else."""
    start = data.lstrip()
    for known, why in OTHER_CONTENT:
        if known.match(start):
            raise InputError(f"{source}, line 1: {why}")
    if re.search(rb"^>", data, re.MULTILINE):
        raise InputError(f"{source}, line 1: there is text before the first '>'; remove it")
    if start.startswith(b"{\\rtf"):
        raise InputError(f"{source}: this is formatted text (RTF); save it as plain text")
    if start.startswith(b"{"):
        raise InputError(
            f"{source}: this JSON is not a model or a session. Results saved as JSON are for scripts; open their "
            "alignment as FASTA or Clustal"
        )
    if start[:9].lower() == b"<!doctype" or start[:5].lower() == b"<html":
        raise InputError(f"{source}: this is a web page; fetch the file itself, as text")
    if start.startswith(b"<?xml"):
        raise InputError(f"{source}: this XML is neither trees nor an alignment of BAliBASE; give FASTA or GenBank")
    sign = next(filter(None, (pattern.search(data) for pattern in MATRIX)), None)
    if sign is not None:
        line = data.count(LINE_END, 0, sign.start()) + 1
        if 2 * len(NUMERIC_WORD.findall(data)) < len(data.split()):
            raise InputError(
                f"{source}, line {line}: numbers stand among words here, as in a table. Sequences are needed: {GIVE}"
            )
        raise InputError(
            f"{source}, line {line}: these are numbers, as in a distance matrix, which methods such as nj-pruned and "
            f"upgma read. Sequences are needed here: {GIVE}"
        )
