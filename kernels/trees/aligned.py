"""Alignments as data, and the distances between their rows.

A file of aligned FASTA opens as sequences everywhere else, for nothing in its first bytes says that it is aligned; a
method that takes an alignment reads it as one.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from Bio import AlignIO

from kernels import reading, sequences
from kernels.errors import InputError
from kernels.method import DataKind
from kernels.model import SequenceType
from kernels.monitor import Monitor
from kernels.names import distinct, renaming

MODELS = ("p", "jukes-cantor", "kimura")
GAP = ord("-")
BIOPYTHON = {b"CLUSTAL": "clustal", b"# STOCKHOLM": "stockholm"}
"""First bytes of files that Biopython reads, and what it calls their format."""

PURINES, PYRIMIDINES = b"AG", b"CTU"
CLASS_SHIFT = 6

SATURATED = 5.0
"""The distance of a pair that has changed too often for a model to say how often."""


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
        rows, columns = self.letters.shape
        return f"{rows:,} rows of {columns:,} columns"


def read(path: str | Path, monitor: Monitor | None = None) -> list[AlignedSequences]:
    """The alignment of a file in FASTA, Clustal or Stockholm, plain or gzipped; InputError names file and row.

    Of rows with equal names the later ones get _2, _3, ..., which the note says.
    """
    path = Path(path)
    data = b"".join(reading.blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf").lstrip()
    names, rows = _fasta(path, data) if data.startswith(b">") else _by_biopython(path, data)
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


def _by_biopython(path: Path, data: bytes) -> tuple[list[str], list[str]]:
    """Names and rows of Clustal or Stockholm."""
    known = next((name for mark, name in BIOPYTHON.items() if data.startswith(mark)), None)
    if known is None:
        raise InputError(f"{path}: no alignment in FASTA, Clustal or Stockholm; its first bytes are {data[:20]!r}")
    try:
        found = AlignIO.read(io.StringIO(data.decode("latin-1")), known)
    except (ValueError, AssertionError) as error:
        raise InputError(f"{path}: not a valid {known} alignment: {error}") from error
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


class Columns(NamedTuple):
    """Of pairs of rows: columns where both have a letter, where these differ, and where by a transition; integers."""

    common: np.ndarray
    differ: np.ndarray
    transitions: np.ndarray


def classed(alignment: AlignedSequences) -> np.ndarray:
    """Letters as small numbers, uint8, 0 for a gap; of nucleotides the two highest bits are the class.

    Purines have class 1, pyrimidines 2, other letters and those of proteins 0. U is T.
    """
    table = np.arange(256, dtype=np.uint8) & 31
    table[[GAP, ord("*")]] = 0, 27
    if alignment.type != SequenceType.PROTEIN:
        table[ord("U")] = table[ord("T")]
        table[list(PURINES)] |= 1 << CLASS_SHIFT
        table[list(PYRIMIDINES)] |= 2 << CLASS_SHIFT
    return table[alignment.letters]


def columns_with(classes: np.ndarray, row: int) -> Columns:
    """The columns of a row with each of those after it; ``classes`` as `classed` gives them."""
    own, others = classes[row], classes[row + 1 :]
    both = (own > 0) & (others > 0)
    differ = both & (own != others)
    alike = (own >> CLASS_SHIFT == others >> CLASS_SHIFT) & (own >> CLASS_SHIFT > 0)
    return Columns(both.sum(1), differ.sum(1), (differ & alike).sum(1))


def distances_of_columns(columns: Columns, model: str, protein: bool) -> tuple[np.ndarray, np.ndarray]:
    """Distances of pairs, float64, and which of them a stated one stands for.

    A pair without a common column is put as far apart as one that shares no letter: 1, or SATURATED. So is one that a
    model calls farther than SATURATED, or cannot tell.
    """
    common = columns.common
    p = np.where(common > 0, columns.differ / np.maximum(common, 1), 1.0)
    if model == "p":
        return p, common == 0
    if model == "kimura" and not protein:
        transitions = columns.transitions / np.maximum(common, 1)
        found = _kimura(np.where(common > 0, transitions, 1.0), p - transitions)
    else:
        found = _jukes_cantor(p, protein) if model == "jukes-cantor" else _kimura_protein(p)
    lost = ~(found <= SATURATED)
    return np.where(lost, SATURATED, found), lost


def distances_of_rows(
    alignment: AlignedSequences, model: str, report: Callable[[int], None] = lambda row: None
) -> tuple[np.ndarray, int]:
    """Distances between all rows, float64 (n, n), and how many pairs have a stated one; see `distances_of_columns`.

    Only columns where both rows have a letter count (pairwise deletion). ``report(row)`` is called before each row.
    """
    classes, count, without = classed(alignment), len(alignment.names), 0
    values = np.zeros((count, count))
    for row in range(count - 1):
        report(row)
        found, lost = distances_of_columns(columns_with(classes, row), model, alignment.type == SequenceType.PROTEIN)
        values[row, row + 1 :] = values[row + 1 :, row] = found
        without += int(lost.sum())
    return values, without


def _jukes_cantor(p: np.ndarray, protein: bool) -> np.ndarray:
    """-b ln(1 - p / b), b = 19/20 for proteins and 3/4 for nucleotides (Jukes and Cantor 1969); NaN beyond."""
    b = 19 / 20 if protein else 3 / 4
    return _positive_zero(-b * _log(1 - p / b))


def _kimura_protein(p: np.ndarray) -> np.ndarray:
    """-ln(1 - p - p^2 / 5) (Kimura 1983, as ClustalW corrects distances of proteins below its table)."""
    return _positive_zero(-_log(1 - p - p * p / 5))


def _kimura(transitions: np.ndarray, transversions: np.ndarray) -> np.ndarray:
    """-1/2 ln(1 - 2P - Q) - 1/4 ln(1 - 2Q) (Kimura 1980)."""
    return _positive_zero(-_log(1 - 2 * transitions - transversions) / 2 - _log(1 - 2 * transversions) / 4)


def _log(values: np.ndarray) -> np.ndarray:
    """The logarithm; NaN where there is none."""
    return np.log(np.where(values > 0, values, np.nan))


def _positive_zero(values: np.ndarray) -> np.ndarray:
    return np.maximum(values, 0) + 0.0
