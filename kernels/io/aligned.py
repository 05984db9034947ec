"""Alignments as data, and files of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, sequences
from antidiag.kernels.io.alignment_files import a3m, balibase, blocks, fasta, maf, nexus, pairs, phylip, pir, stockholm
from antidiag.kernels.io.alignment_files.rows import NOTHING, Annotations, Raw
from antidiag.kernels.io.names import distinct, renaming
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted

GAP = ord("-")
PART = 1 << 22
"""Letters that are looked at together, so that what is made of them on the way is small."""
FASTA_READERS = {".a3m": fasta.read_a3m, ".a2m": fasta.read_a2m}
"""Those of FASTA whose letters mean more, by the suffix."""
A3M = (".a3m", a3m.DATA)
"""Suffixes of files that may hold several alignments in A3M."""
UNPACKED_SHARE = 6
"""Bytes that a packed byte of a file stands for, about."""


@stored("aligned-sequences")
@dataclass(frozen=True, eq=False)
class AlignedSequences:
    """Rows of one length: ``letters`` is uint8 (rows, columns), upper-case ASCII with '-' for gaps, read-only.

    ``lower`` and ``dots`` say where the file had a lower-case letter, and '.' for a gap: bits of uint8 (rows, columns
    / 8), the first column the highest bit; None where there is none. `as_written` has the letters with both.

    Of a large alignment that is being edited all three are `tiles.Tiles`, which are read by numbers, slices and masks
    as arrays are; `aligned_kind.settled` makes arrays of them.
    """

    names: tuple[str, ...]
    letters: np.ndarray = field(repr=False)
    type: SequenceType
    name: str = "alignment"
    source: str = ""
    note: str = ""
    # What identifies an alignment are names and letters: the fields below are no part of its digest.
    annotations: Annotations = field(default=NOTHING, repr=False, compare=False)
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
        return f"{counted(rows, 'row')} of {counted(columns, 'column')}"


def as_written(alignment: AlignedSequences, first: int = 0, last: int | None = None) -> np.ndarray:
    """Rows ``first`` to ``last`` with the case of the letters and the gaps that the file had, uint8."""
    letters = alignment.letters[first:last]
    columns = letters.shape[1]
    for bits, change in ((alignment.lower, 32), (alignment.dots, ord(".") - GAP)):
        if bits is not None:
            found = bits[first:last]
            marked = np.unpackbits(found, axis=1, count=columns) if isinstance(bits, np.ndarray) else found
            letters = letters + marked * np.uint8(change)
    return letters


def read(path: str | Path, monitor: Monitor | None = None) -> list[AlignedSequences]:
    """The alignments of a file, plain or gzipped; InputError names file and row or line.

    FASTA, Clustal, Stockholm, PHYLIP, NEXUS, MSF, A2M, A3M, MAF, SAM, PAF, PIR and BAliBASE's XML are told from each
    other by their first bytes, A2M, A3M and databases of A3M by their suffix. Of rows with equal names the later ones
    get _2, _3, ..., which the note says.
    """
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    stem = path.with_suffix("").stem if packed else path.stem
    size = path.stat().st_size * (UNPACKED_SHARE if packed else 1) if path.is_file() else 0
    found, suffix = line_blocks.blocks(path, monitor or Monitor()), _suffix(path)
    if suffix == a3m.INDEX:
        raise InputError(f"{path}: the index of a database; open {path.with_suffix(a3m.DATA).name} beside it")
    if suffix in A3M:
        head = next(found, b"")
        found = chain([head], found)
        if suffix == a3m.DATA or a3m.several(head):
            return [_made(raw, str(path), stem) for raw in a3m.read(found, str(path), path.with_suffix(a3m.INDEX))]
    return _read(found, str(path), stem, size, suffix)


def read_text(text: str, source: str = "pasted text") -> list[AlignedSequences]:
    """The alignments of a text, as `read`."""
    block = line_blocks.plain(text.encode(errors="replace"))
    return _read(iter([block.rstrip(b"\n") + b"\n"]), source, source, len(block), "")


def holds(path: Path, head: bytes) -> bool:
    """Whether a file with these first bytes, unpacked, is an alignment: by its format, or because its rows have one
    length and hold gaps."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    start = line_blocks.plain(start)
    if _suffix(path) in (*A3M, a3m.INDEX):
        return True
    if start.startswith(b">"):
        try:
            if pir.HEAD.match(start):
                return pir.looks_aligned(line_blocks.blocks(path, Monitor()))
            return _suffix(path) in FASTA_READERS or fasta.looks_aligned(line_blocks.blocks(path, Monitor()))
        except InputError:
            return False
    if nexus.HEAD.match(start):
        return path.is_file() and b"matrix" in b"".join(line_blocks.blocks(path, Monitor())).lower()
    return any(pattern.match(start) for pattern, _ in FORMATS)


def text_holds(text: str) -> bool:
    """Whether a text is an alignment, as `holds`."""
    start = line_blocks.plain(text.lstrip().encode(errors="replace"))
    if start.startswith(b">"):
        return (pir if pir.HEAD.match(start) else fasta).looks_aligned(iter([start]))
    return any(pattern.match(start) for pattern, _ in FORMATS) and (
        not nexus.HEAD.match(start) or b"matrix" in start.lower()
    )


def made(like: AlignedSequences, letters: np.ndarray, plain: bool = False) -> AlignedSequences:
    """``like`` another alignment, with other letters as written, uint8 (rows, columns), which are taken over.

    ``plain``: they are capitals and '-' alone.
    """
    unknown = ord("X" if like.type == SequenceType.PROTEIN else "N")
    letters = np.ascontiguousarray(letters)
    lower, dots, _ = (None, None, 0) if plain else _plain(letters, unknown, list(like.names), like.source)
    letters.setflags(write=False)
    return replace(like, letters=letters, lower=lower, dots=dots)


def unaligned(alignment: AlignedSequences) -> list[Sequence]:
    """The rows as sequences, without their gaps; rows of gaps alone are left out."""
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


def _suffix(path: Path) -> str:
    """The suffix that says the format, that of gzip left out."""
    return next((found for suffix in reversed(path.suffixes) if (found := suffix.lower()) != ".gz"), "")


Reader = Callable[[Iterator[bytes], str], "Iterator[Raw] | Raw"]

FORMATS = (
    (pir.HEAD, pir.read),
    (stockholm.HEAD, stockholm.read),
    (blocks.CLUSTAL_HEAD, blocks.read_clustal),
    (nexus.HEAD, nexus.read),
    (maf.HEAD, maf.read),
    (pairs.SAM_HEAD, pairs.read_sam),
    (pairs.PAF_HEAD, pairs.read_paf),
    (phylip.HEAD, phylip.read),
    (blocks.MSF_HEAD, blocks.read_msf),
    (balibase.HEAD, balibase.read),
)
"""How a file of each format begins, and its reader."""


def _read(stream: Iterator[bytes], source: str, stem: str, size: int, suffix: str) -> list[AlignedSequences]:
    head = next(stream, b"").removeprefix(b"\xef\xbb\xbf")
    blank = len(head) - len(head.lstrip())
    lines = b"\n" * head[:blank].count(b"\n")
    start = head[blank:]
    if b"\0" in head[:4096]:
        raise InputError(f"{source}: a binary file; give an alignment as text")
    if start.startswith(b">") and not pir.HEAD.match(start):
        read_fasta = FASTA_READERS.get(suffix, fasta.read)
        return [_made(read_fasta(chain([start], stream), source, size), source, stem)]
    reader: Reader | None = next((reader for pattern, reader in FORMATS if pattern.match(start)), None)
    if reader is None:
        raise InputError(
            f"{source}: no alignment in FASTA, Clustal, Stockholm, PHYLIP, NEXUS, MSF, MAF, SAM, PAF or PIR; its first "
            f"bytes are {head[:20]!r}"
        )
    found = reader(chain([lines + start], stream) if reader is not phylip.read else chain([start], stream), source)
    made = [_made(raw, source, stem) for raw in ([found] if isinstance(found, Raw) else found)]
    if not made:
        raise InputError(f"{source}: the alignment is empty; give one with rows")
    return made


def _made(raw: Raw, source: str, stem: str) -> AlignedSequences:
    """What was read as data: capitals, '-' for gaps, and what of the letters was otherwise."""
    letters = raw.letters if raw.letters.flags.writeable else raw.letters.copy()
    type_ = sequences.guess_type(_sample(letters))
    unknown = "X" if type_ == SequenceType.PROTEIN else "N"
    lower, dots, missing = (None, None, 0) if raw.plain else _plain(letters, ord(unknown), raw.names, source)
    different = distinct(raw.names)
    notes = [raw.note, renaming(raw.names, different)]
    if missing:
        notes.append(f"{missing:,} '?' became {unknown}")
    letters.setflags(write=False)
    name = raw.name if raw.name == "" or raw.name == stem else f"{stem}: {raw.name}"
    note = "; ".join(filter(None, notes))
    return AlignedSequences(different, letters, type_, name or stem, source, note, raw.annotations, lower, dots)


def _sample(letters: np.ndarray) -> bytes:
    """Letters of the first rows without gaps, from which the type is told."""
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
"""1 for the lower-case letters."""


def plain_letters(written: np.ndarray) -> np.ndarray:
    """Capitals and '-' alone, of letters as written."""
    return _PLAIN[written]


def _plain(
    letters: np.ndarray, unknown: int, names: list[str], source: str
) -> tuple[np.ndarray | None, np.ndarray | None, int]:
    """Make letters plain in place; where they were lower case, where dots, and how many were '?'."""
    from antidiag.kernels.io.alignment_files.loops import met_by  # loads Numba, which reading other files does not need

    rows, columns = letters.shape
    packed: dict[int, np.ndarray] = {}
    missing, step = 0, max(1, PART // columns)
    for first in range(0, rows, step):
        part = letters[first : first + step]
        if not met_by(part.reshape(-1), _PECULIAR):
            continue
        peculiar = _PECULIAR[part]
        if (peculiar == WRONG).any():
            row, column = np.argwhere(peculiar == WRONG)[0]
            raise InputError(
                f"{source}, row {names[first + row]}: {chr(part[row, column])!r} in column {column + 1:,} is no letter"
            )
        for kind in (LOWER, DOT):
            found = peculiar == kind
            if found.any():
                bits = packed.setdefault(kind, np.zeros((rows, -(-columns // 8)), np.uint8))
                bits[first : first + step] = np.packbits(found, axis=1)
        gone = peculiar == MISSING
        missing += int(gone.sum())
        part[:] = np.where(gone, unknown, _PLAIN[part])
    return packed.get(LOWER), packed.get(DOT), missing
