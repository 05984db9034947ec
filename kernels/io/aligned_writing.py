"""Writing alignments as the formats of the field, letters and annotation as they were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from pathlib import Path
from types import MappingProxyType

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_places, newick
from antidiag.kernels.io.aligned import GAP, AlignedSequences, as_written
from antidiag.kernels.io.alignment_files import maf
from antidiag.kernels.io.alignment_files.blocks import CLUSTAL_MARKS
from antidiag.kernels.io.alignment_files.rows import DESCRIPTION
from antidiag.kernels.io.alignments import LINE, word
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.io.names import distinct
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

Pieces = Iterator[bytes]
NEXUS_TYPES = {SequenceType.DNA: "DNA", SequenceType.RNA: "RNA", SequenceType.PROTEIN: "PROTEIN"}
CHECK = 10_000
"""MSF sums letters by their places, modulo this."""


def write(path: str | Path, alignments: Sequences[AlignedSequences], monitor: Monitor | None = None) -> None:
    """Write alignments in the format of the suffix, gzipped where .gz follows, all or nothing, also when cancelled.

    InputError for a suffix that is unknown, and for several alignments in a format of one.
    """
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if suffix not in WRITERS:
        raise InputError(f"{path}: no format of alignments has the suffix {suffix or '(none)'}; known are "
                         f"{', '.join(WRITERS)}")  # fmt: skip
    label, write_one, several = WRITERS[suffix]
    if len(alignments) != 1 and not several:
        raise InputError(f"{path}: {label} holds one alignment; save {len(alignments):,} as Stockholm or MAF")
    pieces = (piece for alignment in alignments for piece in write_one(alignment))
    write_bytes(path, _told(pieces, sum(one.letters.size for one in alignments), monitor or Monitor()), packed)


def _told(pieces: Pieces, letters: int, monitor: Monitor) -> Pieces:
    """The pieces of so many letters, about; some hundred times it is told how many there were."""
    done, next_told = 0, 0
    for piece in pieces:
        if done >= next_told:
            monitor.update(min(done, letters), letters, "saving")
            next_told = done + letters // 100
        done += len(piece)
        yield piece


def fasta(alignment: AlignedSequences) -> Pieces:
    """Aligned FASTA, with what followed the names."""
    for row, title in enumerate(_titles(alignment)):
        yield title
        yield _lines(as_written(alignment, row, row + 1)[0])


def a3m(alignment: AlignedSequences) -> Pieces:
    """A3M: FASTA without the gaps of columns of insertions, whose letters start again at the left of each insertion.

    Letters of other columns are written as capitals.
    """
    inserted = _inserted(alignment)
    for row, title in enumerate(_titles(alignment)):
        letters = alignment.letters[row]
        shown = np.where(inserted & (letters != GAP), letters + np.uint8(32), letters)
        yield title + shown[~inserted | (letters != GAP)].tobytes() + b"\n"


def clustal(alignment: AlignedSequences) -> Pieces:
    """Clustal, with the marks of the columns below the rows."""
    from antidiag.kernels.io.aligned_columns import (
        clustal_marks,  # loads Numba, which the names of the formats do not need
    )

    names = _names(alignment)
    margin = max(map(len, names)) + 6
    marks = clustal_marks(alignment.letters)
    yield b"CLUSTAL W multiple sequence alignment, written by Antidiag\n\n"
    for rows, at in _blocks(alignment, LINE):
        yield b"".join(b"\n%b%b" % (name.ljust(margin), row) for name, row in zip(names, rows, strict=True))
        yield b"\n" + b" " * margin + marks[at : at + LINE] + b"\n"


def stockholm(alignment: AlignedSequences) -> Pieces:
    """Stockholm with all annotation but the marks of Clustal, each row in one line."""
    names, notes = _names(alignment), alignment.annotations
    yield b"# STOCKHOLM 1.0\n"
    yield from (f"#=GF {tag} {said}".rstrip().encode() + b"\n" for tag, said in notes.of_file)
    for row, tag, said in notes.of_rows:
        yield b"#=GS %b %b" % (names[row], f"{word(tag)} {said}".rstrip().encode()) + b"\n"
    margin = max(map(len, names)) + 10
    of_letters: dict[int, list[tuple[str, str]]] = {}
    for row, tag, marks in notes.of_letters:
        of_letters.setdefault(row, []).append((tag, marks))
    yield b"\n"
    for row, name in enumerate(names):
        yield name.ljust(margin) + b" " + as_written(alignment, row, row + 1).tobytes() + b"\n"
        for tag, marks in of_letters.get(row, ()):
            yield (b"#=GR %b %b" % (name, word(tag).encode())).ljust(margin) + b" " + _solid(marks) + b"\n"
    for tag, marks in notes.of_columns:
        if tag == CLUSTAL_MARKS:
            continue  # a blank means something, and the format has none
        yield f"#=GC {word(tag)}".encode().ljust(margin) + b" " + _solid(marks) + b"\n"
    yield b"//\n"


def phylip(alignment: AlignedSequences) -> Pieces:
    """Relaxed PHYLIP, each row in one line; all gaps are '-'."""
    names = _names(alignment)
    margin = max(max(map(len, names)), 9) + 1
    yield b" %d %d\n" % alignment.letters.shape
    for row, name in enumerate(names):
        yield name.ljust(margin) + _dashed(alignment, row) + b"\n"


def nexus(alignment: AlignedSequences) -> Pieces:
    """A DATA block of NEXUS, each row in one line."""
    names = [_nexus_name(name).encode() for name in distinct(alignment.names)]
    rows, columns = alignment.letters.shape
    kind = NEXUS_TYPES[alignment.type]
    yield b"#NEXUS\n\nBEGIN DATA;\n  DIMENSIONS NTAX=%d NCHAR=%d;\n" % (rows, columns)
    yield f"  FORMAT DATATYPE={kind} MISSING=? GAP=-;\n  MATRIX\n".encode()
    for row, name in enumerate(names):
        yield name + b" " + _dashed(alignment, row) + b"\n"
    yield b"  ;\nEND;\n"


def _nexus_name(name: str) -> str:
    """A name in quotes where it has more than letters, digits, dots and underscores: '-' too is punctuation here."""
    if all(letter.isalnum() or letter in "._" for letter in name):
        return newick.quoted(name)
    return "'" + name.replace("'", "''") + "'"


def msf(alignment: AlignedSequences) -> Pieces:
    """MSF, with check sums and weights, '.' for gaps and '~' for those at the ends."""
    names = _names(alignment)
    weights = {row: said for row, tag, said in alignment.annotations.of_rows if tag == "WT"}
    width = max(map(len, names))
    checks = [_check(alignment.letters[row]) for row in range(len(names))]
    kind = "P" if alignment.type == SequenceType.PROTEIN else "N"
    columns = alignment.letters.shape[1]
    yield f"PileUp\n\n   MSF: {columns}  Type: {kind}    Check: {sum(checks) % CHECK}   ..\n\n".encode()
    for row, name in enumerate(names):
        shown = name.decode().ljust(width)
        weight = weights.get(row, "1.00")
        yield f" Name: {shown}  Len: {columns}  Check: {checks[row]:5}  Weight: {weight}\n".encode()
    yield b"\n//\n\n"
    ends = [_ends(alignment.letters[row]) for row in range(len(names))]
    for rows, at in _blocks(alignment, 50):
        for name, part, (first, last) in zip(names, rows, ends, strict=True):
            letters = bytearray(part.replace(b"-", b"."))
            for place in (*range(min(max(first - at, 0), 50)), *range(max(last - at, 0), len(letters))):
                letters[place : place + 1] = b"~"[: place < len(letters)]
            yield name.ljust(width) + b" " + b" ".join(
                bytes(letters[place : place + 10]) for place in range(0, len(letters), 10)
            ) + b"\n"  # fmt: skip
        yield b"\n"


def maf_block(alignment: AlignedSequences) -> Pieces:
    """A block of MAF; rows without a place in a genome are whole sequences."""
    places = {row: said for row, tag, said in alignment.annotations.of_rows if tag == maf.PLACE}
    qualities = {row: marks for row, tag, marks in alignment.annotations.of_letters if tag == maf.QUALITY}
    said = next((said for tag, said in alignment.annotations.of_file if tag == maf.BLOCK), "")
    yield f"##maf version=1\n\na {said}".rstrip().encode() + b"\n"
    for row, name in enumerate(_names(alignment)):
        size = int(np.count_nonzero(alignment.letters[row] != GAP))
        place = places.get(row, "")
        if not aligned_places.MAF_PLACE.fullmatch(place):
            place = f"0 {size} + {size}"
        yield b"s %b %b " % (name, place.encode()) + as_written(alignment, row, row + 1).tobytes() + b"\n"
        if row in qualities:
            yield b"q %b %b\n" % (name, qualities[row].encode())
    yield b"\n"


WRITERS: Mapping[str, tuple[str, Callable[[AlignedSequences], Pieces], bool]] = MappingProxyType(
    {
        ".fasta": ("FASTA", fasta, False),
        ".fa": ("FASTA", fasta, False),
        ".afa": ("FASTA", fasta, False),
        ".aln": ("Clustal", clustal, False),
        ".sto": ("Stockholm", stockholm, True),
        ".phy": ("PHYLIP", phylip, False),
        ".nex": ("NEXUS", nexus, False),
        ".msf": ("MSF", msf, False),
        ".a2m": ("A2M", fasta, False),
        ".a3m": ("A3M", a3m, False),
        ".maf": ("MAF", maf_block, True),
    }
)
"""By suffix: what the format is called, the pieces of an alignment, and whether a file holds several."""


def _names(alignment: AlignedSequences) -> list[bytes]:
    """Names without white space, each there once."""
    return [name.encode() for name in distinct(word(name) for name in alignment.names)]


def _titles(alignment: AlignedSequences) -> Iterator[bytes]:
    """The lines of FASTA with names and what followed them."""
    described = {row: said for row, tag, said in alignment.annotations.of_rows if tag == DESCRIPTION}
    for row, name in enumerate(alignment.names):
        yield f">{word(name)} {described.get(row, '')}".rstrip().encode() + b"\n"


def _inserted(alignment: AlignedSequences) -> np.ndarray:
    """A mask of the columns of insertions: their letters are in lower case and their gaps '.', as A2M writes them.

    Where no letter at all is a capital, the case says nothing of insertions, and there are none.
    """
    if alignment.lower is None:
        return np.zeros(alignment.letters.shape[1], bool)
    inserted = np.ones(alignment.letters.shape[1], bool)
    capital = False
    for row in range(len(alignment.names)):
        shown = as_written(alignment, row, row + 1)[0]
        inserted &= (shown >= ord("a")) | (shown == ord("."))
        capital |= bool(((shown >= ord("A")) & (shown <= ord("Z"))).any())
    return inserted & (np.asarray(alignment.letters) != GAP).any(axis=0) & capital


def _dashed(alignment: AlignedSequences, row: int) -> bytes:
    return as_written(alignment, row, row + 1).tobytes().replace(b".", b"-")


def _solid(marks: str) -> bytes:
    """Characters of columns, of which none is white space: the format separates by it."""
    return marks.replace(" ", ".").encode()


def _blocks(alignment: AlignedSequences, width: int) -> Iterator[tuple[list[bytes], int]]:
    """All rows, ``width`` columns at a time, all gaps as '-', and the first column."""
    for at in range(0, alignment.letters.shape[1], width):
        part = as_written(_columns(alignment, at, at + width))
        yield [row.tobytes().replace(b".", b"-") for row in part], at


def _columns(alignment: AlignedSequences, first: int, last: int) -> AlignedSequences:
    """A view of some columns, with the case of the letters."""
    last = min(last, alignment.letters.shape[1])
    lower = alignment.lower
    if lower is not None:
        if isinstance(lower, np.ndarray):
            bits = np.unpackbits(lower[:, first // 8 : -(-last // 8)], axis=1)[:, first % 8 : first % 8 + last - first]
        else:
            bits = lower[:, first:last]
        lower = np.packbits(bits, axis=1)
    return AlignedSequences(alignment.names, alignment.letters[:, first:last], alignment.type, lower=lower)


def _lines(letters: np.ndarray) -> bytes:
    """Letters in lines of `LINE`."""
    whole = letters.size // LINE * LINE
    block = np.full((whole // LINE, LINE + 1), ord("\n"), np.uint8)
    block[:, :LINE] = letters[:whole].reshape(-1, LINE)
    rest = letters[whole:].tobytes()
    return block.tobytes() + (rest + b"\n" if rest else b"")


def _ends(letters: np.ndarray) -> tuple[int, int]:
    """The first column with a letter, and the one after the last."""
    there = np.flatnonzero(letters != GAP)
    return (int(there[0]), int(there[-1]) + 1) if there.size else (letters.size, letters.size)


def _check(letters: np.ndarray) -> int:
    """The check sum of a row, as GCG computes it."""
    shown = np.where(letters == GAP, ord("."), letters).astype(np.int64)
    return int((shown * (np.arange(letters.size) % 57 + 1)).sum() % CHECK)
