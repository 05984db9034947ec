"""Alignments as data, and the distances between their rows.

A file of aligned FASTA opens as sequences everywhere else, for nothing in its first bytes says that it is aligned; a
method that takes an alignment reads it as one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kernels import reading, sequences
from kernels.errors import InputError
from kernels.method import DataKind
from kernels.model import SequenceType
from kernels.monitor import Monitor

MODELS = ("p", "jukes-cantor", "kimura")
GAP = ord("-")

PURINES, PYRIMIDINES = b"AG", b"CT"

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
    """The alignment of a FASTA file, plain or gzipped; InputError names file, line and row."""
    path = Path(path)
    data = b"".join(reading.blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not data.startswith(b">"):
        raise InputError(f"{path}: not FASTA; give aligned FASTA, every row beginning with '>'")
    names, rows, line = [], [], 1
    for number, record in enumerate(("\n" + data.decode("latin-1")).split("\n>")[1:], 1):
        title, _, body = record.partition("\n")
        names.append(title.split()[0] if title.split() else f"unnamed-{number}")
        rows.append("".join(body.upper().split()).replace(".", "-").replace("~", "-"))
        if len(rows[-1]) != len(rows[0]):
            raise InputError(
                f"{path}, line {line}, row {names[-1]}: {len(rows[-1]):,} columns, and {names[0]} has "
                f"{len(rows[0]):,}; an alignment has rows of one length"
            )
        line += record.count("\n") + 1
    letters = np.frombuffer("".join(rows).encode("latin-1"), np.uint8).reshape(len(rows), -1)
    strange = np.argwhere(((letters < ord("A")) | (letters > ord("Z"))) & (letters != GAP) & (letters != ord("*")))
    if strange.size:
        row, column = strange[0]
        raise InputError(f"{path}, row {names[row]}: {chr(letters[row, column])!r} in column {column + 1} is no letter")
    if not letters.size:
        raise InputError(f"{path}: the rows are empty; give aligned FASTA")
    kind = sequences.guess_type("".join(rows).replace("-", "").encode("latin-1") or b"A")
    return [AlignedSequences(tuple(names), letters, kind, path.stem, str(path))]


ALIGNMENT = DataKind(
    id="alignment",
    label="alignment",
    plural="alignments",
    type=AlignedSequences,
    claims=lambda path, head: False,
    read=read,
    suffixes=(".fa", ".fasta", ".afa"),
)


def distances_of_rows(
    alignment: AlignedSequences, model: str, report: Callable[[int], None] = lambda row: None
) -> tuple[np.ndarray, int]:
    """Distances between all rows, float64 (n, n), and how many pairs have SATURATED or no column in common.

    Only columns where both rows have a letter count (pairwise deletion). ``report(row)`` is called before each row.
    A pair without a common column is put as far apart as one that shares no letter: 1, or SATURATED.
    """
    letters, count = alignment.letters, len(alignment.names)
    values, without = np.zeros((count, count)), 0
    protein = alignment.type == SequenceType.PROTEIN
    as_t = letters if protein else np.where(letters == ord("U"), ord("T"), letters).astype(np.uint8)
    present = as_t != GAP
    for row in range(count - 1):
        report(row)
        both = present[row] & present[row + 1 :]
        differ = both & (as_t[row + 1 :] != as_t[row])
        common = both.sum(1)
        p = np.where(common > 0, differ.sum(1) / np.maximum(common, 1), 1.0)
        if model == "kimura" and not protein:
            transitions = (differ & _same_class(as_t[row], as_t[row + 1 :])).sum(1) / np.maximum(common, 1)
            found = _kimura(np.where(common > 0, transitions, 1.0), p - transitions)
        else:
            found = p if model == "p" else _jukes_cantor(p, protein) if model == "jukes-cantor" else _kimura_protein(p)
        lost = (common == 0) if model == "p" else ~(found <= SATURATED)
        without += int(lost.sum())
        values[row, row + 1 :] = values[row + 1 :, row] = np.where(lost & (model != "p"), SATURATED, found)
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


def _same_class(row: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether two letters are both purines, or both pyrimidines."""
    classes = np.zeros(256, np.uint8)
    classes[list(PURINES)], classes[list(PYRIMIDINES)] = 1, 2
    return (classes[row] == classes[others]) & (classes[row] > 0)
