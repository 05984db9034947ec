"""Writing alignments in the formats of the field, with letters and annotations as they were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences, written_letters
from antidiag.kernels.io.alignment_formats import maf
from antidiag.kernels.io.alignment_formats.aligned_fasta import MARK_ROWS
from antidiag.kernels.io.alignment_formats.clustal_msf import CLUSTAL_MARKS_TAG
from antidiag.kernels.io.alignment_formats.column_sets import column_sets, format_columns
from antidiag.kernels.io.alignment_formats.nexus_matrix import COMMENT_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION, has_match_signs
from antidiag.kernels.io.files import LINE_LENGTH, write_bytes
from antidiag.kernels.io.packed_files import format_suffix
from antidiag.kernels.io.unique_names import make_names_unique, name_without_spaces, names_of_titles
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

Pieces = Iterator[bytes]
NEXUS_TYPES = {SequenceType.DNA: "DNA", SequenceType.RNA: "RNA", SequenceType.PROTEIN: "PROTEIN"}
MISSING = ord("?")
CHECKSUM_MODULUS = 10_000
"""The modulus of checksums in MSF."""


def write_alignments(path: str | Path, alignments: Sequences[AlignedSequences], monitor: Monitor | None = None) -> None:
    """Write alignments in the format of the suffix, compressed where a suffix such as .gz follows, atomically.

    InputError for an unknown suffix, and for several alignments in a format that holds one.
    """
    path = Path(path)
    suffix = format_suffix(path)
    if suffix not in WRITERS:
        raise InputError(
            f"{path}: the suffix {suffix or '(none)'} is no alignment format; use one of {', '.join(WRITERS)}"
        )
    label, write_one, several = WRITERS[suffix]
    if len(alignments) != 1 and not several:
        raise InputError(f"{path}: {label} holds one alignment; save {len(alignments):,} as Stockholm or MAF")
    pieces = (piece for alignment in alignments for piece in write_one(alignment))
    letters = sum(one.letters.size for one in alignments)
    write_bytes(path, _report_progress(pieces, letters, monitor or Monitor()))


def _report_progress(pieces: Pieces, letters: int, monitor: Monitor) -> Pieces:
    """Yield the pieces of ``letters`` letters and report progress some hundred times."""
    done, next_report = 0, 0
    for piece in pieces:
        if done >= next_report:
            monitor.update(min(done, letters), letters, "saving")
            next_report = done + letters // 100
        done += len(piece)
        yield piece


def fasta_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield aligned FASTA, with the descriptions after the names."""
    first = written_letters(alignment, 0, 1).tobytes()
    for row, title in enumerate(_title_lines(alignment)):
        letters = written_letters(alignment, row, row + 1)[0]
        if row and has_match_signs(first, letters.tobytes()):  # would read as the letters of the first row
            letters = np.where(letters == ord("."), GAP, letters).astype(np.uint8)
        yield title
        yield _wrap_letters(letters)


def a3m_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield A3M: FASTA without the gaps in columns of insertions, whose letters are lower case; others are capitals."""
    inserted = _insertion_columns(alignment)
    for tag, marks in alignment.annotations.of_columns:
        if tag in MARK_ROWS:
            yield b">%b\n%b\n" % (
                tag.encode(),
                np.frombuffer(marks.encode("latin-1", "replace"), np.uint8)[~inserted].tobytes(),
            )
    for row, title in enumerate(_title_lines(alignment)):
        letters = alignment.letters[row]
        missing = written_letters(alignment, row, row + 1)[0] == MISSING
        shown = np.where(inserted & (letters != GAP), letters + np.uint8(32), letters)
        shown = np.where(missing, np.uint8(MISSING), shown)
        yield title + shown[~inserted | (letters != GAP)].tobytes() + b"\n"


def clustal_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield Clustal, with the marks of the columns below the rows."""
    from antidiag.kernels.io.clustal_marks import clustal_marks  # loads Numba, which formats' names do not need

    names = _unique_names(alignment)
    margin = max(map(len, names)) + 6
    marks = clustal_marks(alignment.letters, alignment.type)
    yield b"CLUSTAL W multiple sequence alignment, written by Antidiag\n\n"
    for rows, at in _row_blocks(alignment, LINE_LENGTH):
        yield b"".join(b"\n%b%b" % (name.ljust(margin), row) for name, row in zip(names, rows, strict=True))
        yield b"\n" + b" " * margin + marks[at : at + LINE_LENGTH] + b"\n"


def stockholm_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield Stockholm with all annotations except Clustal's marks, each row in one line."""
    names, notes = _unique_names(alignment), alignment.annotations
    _refuse_comment_names(names)
    yield b"# STOCKHOLM 1.0\n"
    yield from (f"#=GF {tag} {said}".rstrip().encode() + b"\n" for tag, said in notes.of_file)
    for row, tag, said in notes.of_rows:
        yield b"#=GS %b %b" % (names[row], f"{name_without_spaces(tag)} {said}".rstrip().encode()) + b"\n"
    margin = max(map(len, names)) + 10
    of_letters: dict[int, list[tuple[str, str]]] = {}
    for row, tag, marks in notes.of_letters:
        of_letters.setdefault(row, []).append((tag, marks))
    yield b"\n"
    for row, name in enumerate(names):
        yield name.ljust(margin) + b" " + written_letters(alignment, row, row + 1).tobytes() + b"\n"
        for tag, marks in of_letters.get(row, ()):
            yield (
                (b"#=GR %b %b" % (name, name_without_spaces(tag).encode())).ljust(margin)
                + b" "
                + _marks_without_blanks(marks)
                + b"\n"
            )
    for tag, marks in notes.of_columns:
        if tag == CLUSTAL_MARKS_TAG:
            continue  # a blank means something, and the format has none
        yield f"#=GC {name_without_spaces(tag)}".encode().ljust(margin) + b" " + _marks_without_blanks(marks) + b"\n"
    yield b"//\n"


def phylip_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield relaxed PHYLIP, each row in one line; all gaps are '-'."""
    names = _unique_names(alignment)
    margin = max(max(map(len, names)), 9) + 1
    yield b" %d %d\n" % alignment.letters.shape
    for row, name in enumerate(names):
        yield name.ljust(margin) + _row_with_dashes(alignment, row) + b"\n"


def nexus_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield a DATA block of NEXUS, each row in one line, and a SETS block with the sets of columns."""
    names = [_nexus_name(name).encode() for name in make_names_unique(alignment.names)]
    rows, columns = alignment.letters.shape
    kind = _nexus_type(alignment)
    yield b"#NEXUS\n\nBEGIN DATA;\n  DIMENSIONS NTAX=%d NCHAR=%d;\n" % (rows, columns)
    yield f"  FORMAT DATATYPE={kind} MISSING=? GAP=-;\n  MATRIX\n".encode()
    comments = {
        row: f"[{said}]".encode()
        for row, tag, said in alignment.annotations.of_rows
        if tag == COMMENT_TAG and "[" not in said and "]" not in said
    }
    for row, name in enumerate(names):
        yield name + comments.get(row, b"") + b" " + _row_with_dashes(alignment, row) + b"\n"
    yield b"  ;\nEND;\n"
    if sets := column_sets(alignment.annotations.of_columns):
        yield b"\nBEGIN SETS;\n"
        for set_name, places in sets:
            if places.size:
                yield f"  CHARSET {_nexus_name(set_name)} = {format_columns(places)};\n".encode()
        yield b"END;\n"


def _nexus_type(alignment: AlignedSequences) -> str:
    """Return the DATATYPE of an alignment: NUCLEOTIDE where it has both T and U, as DNA beside RNA has."""
    if alignment.type != SequenceType.PROTEIN and all(_has_letter(alignment, one) for one in "TU"):
        return "NUCLEOTIDE"
    return NEXUS_TYPES[alignment.type]


def _has_letter(alignment: AlignedSequences, letter: str) -> bool:
    """Return whether a letter stands in a row."""
    return any((alignment.letters[row] == ord(letter)).any() for row in range(len(alignment.names)))


def _nexus_name(name: str) -> str:
    """Return a name, in quotes unless it has only letters, digits, dots and underscores: NEXUS reads '-' as
    punctuation."""
    if all(letter.isalnum() or letter in "._" for letter in name):
        return newick.quote_name(name)
    return "'" + name.replace("'", "''") + "'"


def msf_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield MSF, with checksums and weights, '.' for gaps and '~' for those at the ends."""
    names = _unique_names(alignment)
    weights = {row: said for row, tag, said in alignment.annotations.of_rows if tag == "WT"}
    width = max(map(len, names))
    checks = [_gcg_checksum(alignment.letters[row]) for row in range(len(names))]
    kind = "P" if alignment.type == SequenceType.PROTEIN else "N"
    columns = alignment.letters.shape[1]
    yield f"PileUp\n\n   MSF: {columns}  Type: {kind}    Check: {sum(checks) % CHECKSUM_MODULUS}   ..\n\n".encode()
    for row, name in enumerate(names):
        shown = name.decode().ljust(width)
        weight = weights.get(row, "1.00")
        yield f" Name: {shown}  Len: {columns}  Check: {checks[row]:5}  Weight: {weight}\n".encode()
    yield b"\n//\n\n"
    ends = [_letter_bounds(alignment.letters[row]) for row in range(len(names))]
    for rows, at in _row_blocks(alignment, 50):
        for name, part, (first, last) in zip(names, rows, ends, strict=True):
            letters = bytearray(part.replace(b"-", b"."))
            for place in (*range(min(max(first - at, 0), 50)), *range(max(last - at, 0), len(letters))):
                letters[place : place + 1] = b"~"[: place < len(letters)]
            tens = b" ".join(bytes(letters[place : place + 10]) for place in range(0, len(letters), 10))
            yield name.ljust(width) + b" " + tens + b"\n"
        yield b"\n"


def maf_pieces(alignment: AlignedSequences) -> Pieces:
    """Yield a block of MAF; rows without a position in a genome are whole sequences."""
    places = {row: said for row, tag, said in alignment.annotations.of_rows if tag == maf.RANGE_TAG}
    qualities = {row: marks for row, tag, marks in alignment.annotations.of_letters if tag == maf.QUALITY_TAG}
    said = next((said for tag, said in alignment.annotations.of_file if tag == maf.BLOCK_TAG), "")
    yield f"##maf version=1\n\na {said}".rstrip().encode() + b"\n"
    for row, name in enumerate(_unique_names(alignment)):
        size = int(np.count_nonzero(alignment.letters[row] != GAP))
        place = places.get(row, "")
        if not maf.SOURCE_RANGE.fullmatch(place):
            place = f"0 {size} + {size}"
        yield b"s %b %b " % (name, place.encode()) + written_letters(alignment, row, row + 1).tobytes() + b"\n"
        if row in qualities:
            yield b"q %b %b\n" % (name, qualities[row].encode())
    yield b"\n"


WRITERS: Mapping[str, tuple[str, Callable[[AlignedSequences], Pieces], bool]] = MappingProxyType(
    {
        ".fasta": ("FASTA", fasta_pieces, False),
        ".fa": ("FASTA", fasta_pieces, False),
        ".afa": ("FASTA", fasta_pieces, False),
        ".aln": ("Clustal", clustal_pieces, False),
        ".sto": ("Stockholm", stockholm_pieces, True),
        ".phy": ("PHYLIP", phylip_pieces, False),
        ".nex": ("NEXUS", nexus_pieces, False),
        ".msf": ("MSF", msf_pieces, False),
        ".a2m": ("A2M", fasta_pieces, False),
        ".a3m": ("A3M", a3m_pieces, False),
        ".maf": ("MAF", maf_pieces, True),
    }
)
"""By suffix: the name of the format, its writer, and whether a file holds several alignments."""


def _refuse_comment_names(names: list[bytes]) -> None:
    """Raise InputError for a name that Stockholm would take for a comment."""
    if wrong := next((name for name in names if name.startswith(b"#")), None):
        raise InputError(
            f"row {wrong.decode()}: Stockholm takes lines that begin with '#' for comments; rename it, or save as FASTA"
        )


def _unique_names(alignment: AlignedSequences) -> list[bytes]:
    """Return unique names without white space."""
    return [name.encode() for name in make_names_unique(name_without_spaces(name) for name in alignment.names)]


def _title_lines(alignment: AlignedSequences) -> Iterator[bytes]:
    """Yield the title lines of FASTA: names and descriptions.

    A name has its blanks where it is read back as a whole, because several titles begin with the same word.
    """
    described = {row: said for row, tag, said in alignment.annotations.of_rows if tag == DESCRIPTION}
    unique = [name.decode() for name in _unique_names(alignment)]
    spaced = {row for row, name in enumerate(alignment.names) if " " in name and row not in described}
    while True:
        shown = [name if row in spaced else unique[row] for row, name in enumerate(alignment.names)]
        titles = [f"{name} {described.get(row, '')}".rstrip() for row, name in enumerate(shown)]
        read_back = names_of_titles(titles) if spaced else []
        wrong = {row for row, name in enumerate(read_back) if name != shown[row]}
        words = {shown[row].partition(" ")[0] for row in wrong}
        cut = {row for row in spaced if shown[row].partition(" ")[0] in words}
        if not cut:
            break
        spaced -= cut  # their first words then differ from those of other titles
    for title in titles:
        yield f">{title}".encode() + b"\n"


def _insertion_columns(alignment: AlignedSequences) -> np.ndarray:
    """Return a mask of the columns of insertions: lower-case letters and '.' for gaps, as A2M writes them.

    Where no letter is a capital, the case does not mean insertions, and there are none.
    """
    if alignment.lower is None:
        return np.zeros(alignment.letters.shape[1], bool)
    inserted = np.ones(alignment.letters.shape[1], bool)
    capital = False
    for row in range(len(alignment.names)):
        shown = written_letters(alignment, row, row + 1)[0]
        inserted &= (shown >= ord("a")) | (shown == ord("."))
        capital |= bool(((shown >= ord("A")) & (shown <= ord("Z"))).any())
    return inserted & (np.asarray(alignment.letters) != GAP).any(axis=0) & capital


def _row_with_dashes(alignment: AlignedSequences, row: int) -> bytes:
    return written_letters(alignment, row, row + 1).tobytes().replace(b".", b"-")


def _marks_without_blanks(marks: str) -> bytes:
    """Return the marks of columns without blanks, which separate words in this format."""
    return marks.replace(" ", ".").encode()


def _row_blocks(alignment: AlignedSequences, width: int) -> Iterator[tuple[list[bytes], int]]:
    """Yield all rows, ``width`` columns at a time with '-' for gaps, and the first column of each block."""
    for at in range(0, alignment.letters.shape[1], width):
        part = written_letters(_column_view(alignment, at, at + width))
        yield [row.tobytes().replace(b".", b"-") for row in part], at


def _column_view(alignment: AlignedSequences, first: int, last: int) -> AlignedSequences:
    """Return a view of some columns, with the case and the gap signs of the letters."""
    last = min(last, alignment.letters.shape[1])

    def part_of(bits: Any) -> np.ndarray | None:
        if bits is None:
            return None
        if not isinstance(bits, np.ndarray):
            return np.packbits(bits[:, first:last], axis=1)
        marks = np.unpackbits(bits[:, first // 8 : -(-last // 8)], axis=1)
        return np.packbits(marks[:, first % 8 : first % 8 + last - first], axis=1)

    lower, dots = part_of(alignment.lower), part_of(alignment.dots)
    return AlignedSequences(alignment.names, alignment.letters[:, first:last], alignment.type, lower=lower, dots=dots)


def _wrap_letters(letters: np.ndarray) -> bytes:
    """Return letters in lines of LINE_LENGTH."""
    whole = letters.size // LINE_LENGTH * LINE_LENGTH
    block = np.full((whole // LINE_LENGTH, LINE_LENGTH + 1), ord("\n"), np.uint8)
    block[:, :LINE_LENGTH] = letters[:whole].reshape(-1, LINE_LENGTH)
    rest = letters[whole:].tobytes()
    return block.tobytes() + (rest + b"\n" if rest else b"")


def _letter_bounds(letters: np.ndarray) -> tuple[int, int]:
    """Return the first column with a letter, and the one after the last."""
    there = np.flatnonzero(letters != GAP)
    return (int(there[0]), int(there[-1]) + 1) if there.size else (letters.size, letters.size)


def _gcg_checksum(letters: np.ndarray) -> int:
    """Return the checksum of a row, as GCG computes it."""
    shown = np.where(letters == GAP, ord("."), letters).astype(np.int64)
    return int((shown * (np.arange(letters.size) % 57 + 1)).sum() % CHECKSUM_MODULUS)
