"""Alignments as data, and files of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from Bio import AlignIO

from kernels.errors import Cancelled, InputError
from kernels.io import records, sequences
from kernels.io.fence import fenced
from kernels.io.names import distinct, renaming
from kernels.method import DataKind
from kernels.model import SequenceType
from kernels.monitor import Monitor
from kernels.serialization import stored

GAP = ord("-")


BIOPYTHON = {b"CLUSTAL": "clustal", b"# STOCKHOLM": "stockholm"}
"""First bytes of files that Biopython reads, and what it calls their format."""


@stored("aligned-sequences")
@dataclass(frozen=True, eq=False)
class AlignedSequences:
    """Rows of one length: ``letters`` is uint8 (rows, columns), upper-case ASCII with '-' for gaps, read-only."""

    names: tuple[str, ...]
    letters: np.ndarray = field(repr=False)
    type: SequenceType
    name: str = "alignment"
    source: str = ""
    note: str = ""

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
        return f"{rows:,} rows of {columns:,} columns"


def read(path: str | Path, monitor: Monitor | None = None) -> list[AlignedSequences]:
    """The alignment of a file in FASTA, Clustal or Stockholm, plain or gzipped; InputError names file and row.

    Of rows with equal names the later ones get _2, _3, ..., which the note says.
    """
    path = Path(path)
    data = b"".join(records.blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf").lstrip()
    names, rows = _fasta(path, data) if data.startswith(b">") else _by_biopython(path, data, monitor)
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InputError(
                f"{path}, row {names[number]}: {len(row):,} columns, and {names[0]} has {len(rows[0]):,}; an alignment "
                "has rows of one length"
            )
    letters = np.frombuffer("".join(rows).encode("latin-1", "replace"), np.uint8).reshape(len(rows), -1)
    strange = np.argwhere(((letters < ord("A")) | (letters > ord("Z"))) & (letters != GAP) & (letters != ord("*")))
    if strange.size:
        row, column = strange[0]
        raise InputError(f"{path}, row {names[row]}: {chr(letters[row, column])!r} in column {column + 1} is no letter")
    if not letters.size:
        raise InputError(f"{path}: the rows are empty; give an alignment")
    kind = sequences.guess_type("".join(rows).replace("-", "").encode("latin-1") or b"A")
    different = distinct(names)
    return [AlignedSequences(different, letters, kind, path.stem, str(path), renaming(names, different))]


def _fasta(path: Path, data: bytes) -> tuple[list[str], list[str]]:
    """Names and rows of aligned FASTA."""
    names, rows = [], []
    for number, record in enumerate(("\n" + data.decode("latin-1")).split("\n>")[1:], 1):
        title, _, body = record.partition("\n")
        names.append(title.split()[0] if title.split() else f"unnamed-{number}")
        rows.append(_plain(body))
    return names, rows


def _by_biopython(path: Path, data: bytes, monitor: Monitor | None) -> tuple[list[str], list[str]]:
    """Names and rows of Clustal or Stockholm."""
    known = next((name for mark, name in BIOPYTHON.items() if data.startswith(mark)), None)
    if known is None:
        raise InputError(f"{path}: no alignment in FASTA, Clustal or Stockholm; its first bytes are {data[:20]!r}")
    try:
        found = AlignIO.read(fenced(data.decode("latin-1"), known, monitor), known)
    except (Cancelled, MemoryError):
        raise
    except Exception as error:  # Biopython's readers say so in many ways
        reason = str(error).strip().partition("\n")[0] or "a line of it is damaged"
        raise InputError(f"{path}: not a valid {known} alignment: {reason}") from error
    return [record.id for record in found], [_plain(str(record.seq)) for record in found]


def _plain(row: str) -> str:
    """A row in capitals, with '-' for every gap."""
    return "".join(row.upper().split()).replace(".", "-").replace("~", "-")


ALIGNMENT = DataKind(
    id="alignment",
    label="alignment",
    plural="alignments",
    type=AlignedSequences,
    claims=lambda path, head: False,
    read=read,
    suffixes=(".fa", ".fasta", ".afa", ".aln", ".sto", ".stockholm"),
)
