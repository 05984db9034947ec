"""What users pass from Python, turned into the program's data."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import sequences
from antidiag.kernels.io.aligned_sequences import read_alignment_text
from antidiag.kernels.io.distance_matrix import make_distance_matrix, numbered_names
from antidiag.kernels.method import DataKind, Method, ProblemInput
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import data_loading
from antidiag.kernels.text import format_count

LETTERS = re.compile(r"[A-Za-z*\s-]*\Z")
"""A string of these alone is a sequence, unless a file has this name."""


def make_distances(values: np.ndarray) -> Any:
    """Return the distances in a square array, with numbers as names."""
    return make_distance_matrix(numbered_names(len(values)), values)


def as_data(
    given: Any, type: str | None = None, make_of_array: Callable[[np.ndarray], Any] = make_distances
) -> list[Any]:
    """Return what a user passed as a list of the program's data.

    Parameters
    ----------
    given : str, bytes, Path, Sequence, SeqRecord, Seq, answer, tree, matrix, or an iterable of these
        A string of letters is a sequence, a string with a title line (">name") or several of them is FASTA text, and
        any other string is the path of a file. Mappings are sequences by name.
    type : {"DNA", "RNA", "protein"}, optional
        The type of all sequences; guessed from their letters by default.
    make_of_array : callable
        Makes the data of an array of numbers with two axes or more.
    """
    wanted = parse_type(type)
    found = list(_iterate_data(given, _Reading(wanted, make_of_array, itertools.count(1))))
    return found if wanted else _unify_types(found)


def as_alignment(given: Any, name: str) -> Any:
    """Return rows as an alignment: a mapping of names to rows, a list of rows, or SeqRecords; anything else unchanged.

    Raises InputError where the rows are no alignment; ``name`` is that of the argument.
    """
    if isinstance(given, Mapping):
        rows = [(str(title), str(row)) for title, row in given.items()]
    elif _is_single(given) or not hasattr(given, "__len__"):
        return given
    elif all(_is_row(row) for row in given):
        titles = [getattr(row, "id", f"{name} {number}") for number, row in enumerate(given, 1)]
        rows = [(title, str(getattr(row, "seq", row))) for title, row in zip(titles, given, strict=True)]
    else:
        return given
    if not rows:
        raise InputError(f"{name} has no rows; pass the rows of an alignment, with '-' for gaps")
    if len({len(row) for _, row in rows}) != 1:
        raise InputError(f"{name} has rows of different lengths; pass the rows of an alignment, with '-' for gaps")
    return read_alignment_text("".join(f">{title}\n{row}\n" for title, row in rows), name)[0]


def _is_row(given: Any) -> bool:
    """Return whether a value is a row of an alignment: letters and gaps, or a SeqRecord, but not a file."""
    return hasattr(given, "letter_annotations") or (isinstance(given, str) and LETTERS.match(given) is not None)


def parse_type(type: str | None) -> SequenceType | None:
    """Return the type of a name, or None for None."""
    if type is None:
        return None
    try:
        return next(one for one in SequenceType if one.lower() == type.lower())
    except (StopIteration, AttributeError):
        raise ParameterError(f'type must be "DNA", "RNA" or "protein"; got {type!r}') from None


def check_counts(method: Method, data: Iterable[Any]) -> None:
    """Raise InputError unless a method takes so many data; the message says what to pass."""
    data = list(data)
    for taken in method.problem_type.inputs:
        count = sum(map(taken.kind.accepts, data))
        if count < taken.minimum or (taken.maximum is not None and count > taken.maximum):
            raise InputError(f"{method.id} takes {taken.describe_count()}; got {count:,}; pass {_wanted_count(taken)}")
    strangers = [datum for datum in data if not any(taken.kind.accepts(datum) for taken in method.problem_type.inputs)]
    if strangers:
        kind = data_loading.find_kind(strangers[0])
        what = f"a {kind.label}" if kind else f"a {type(strangers[0]).__name__}"
        raise InputError(f"{method.id} takes {method.problem_type.describe_inputs()}; got {what} too")


@dataclass(frozen=True)
class _Reading:
    """How values are read: the wanted type, what arrays are, and numbers for sequences that have no name."""

    type: SequenceType | None
    make_of_array: Callable[[np.ndarray], Any]
    numbers: Iterator[int]


def _iterate_data(given: Any, reading: _Reading) -> Iterator[Any]:
    """Yield the data in a value or in a collection of values."""
    if isinstance(given, str):
        yield from _read_string(given, next(reading.numbers), reading.type)
    elif isinstance(given, Mapping):
        yield from (_make_sequence(str(name), letters, reading.type) for name, letters in given.items())
    elif _is_single(given):
        yield from _read_one(given, reading)
    else:
        for one in given:
            yield from _iterate_data(one, reading)


def _wanted_count(taken: ProblemInput) -> str:
    """Return how many data to pass, in words."""
    return taken.describe_count() if taken.minimum else f"no more than {taken.maximum}"


def _is_single(given: Any) -> bool:
    """Return whether a value is one datum and not a collection of data."""
    if type(given) in (list, tuple):
        return False
    alone = (str, bytes, bytearray, memoryview, Sequence, np.ndarray, os.PathLike)
    return isinstance(given, alone) or not _is_collection(given)


def _is_collection(given: Any) -> bool:
    """Return whether a value is a list, tuple, set of sequences, or generator, and not itself a datum."""
    if hasattr(given, "__antidiag__") or hasattr(given, "letter_annotations") or data_loading.find_kind(given):
        return False
    return hasattr(given, "__iter__") and type(given).__name__ not in ("Seq", "MutableSeq", "Graph", "DiGraph")


def _read_one(given: Any, reading: _Reading) -> list[Any]:
    """Return the data of one value."""
    wanted = reading.type
    if isinstance(given, Sequence):
        next(reading.numbers)
        return [given if wanted in (None, given.type) else sequences.with_type(given, wanted)]
    if hasattr(given, "__antidiag__"):
        return list(given.__antidiag__())
    if isinstance(given, os.PathLike):
        return _read_file(Path(given), wanted)
    if isinstance(given, (bytes, bytearray, memoryview)) or _are_letters(given):
        return [_make_sequence(f"sequence {next(reading.numbers)}", bytes(given), wanted)]
    if hasattr(given, "letter_annotations"):  # Bio.SeqRecord.SeqRecord
        next(reading.numbers)
        return [_make_sequence(given.id, str(given.seq), wanted, given.description)]
    if type(given).__name__ in ("Seq", "MutableSeq"):  # Bio.Seq
        return [_make_sequence(f"sequence {next(reading.numbers)}", str(given), wanted)]
    if isinstance(given, np.ndarray) and given.ndim >= 2:
        return [reading.make_of_array(given)]
    if data_loading.find_kind(given) is None:
        raise InputError(
            f"cannot take data of the type {type(given).__name__}; pass letters (str or bytes), the path of a file, a "
            "SeqRecord, or an answer of antidiag"
        )
    return [given]


def _are_letters(given: Any) -> bool:
    """Return whether an array holds a letter in each byte, as `numpy.frombuffer` and a row of `Alignment.array` do."""
    return isinstance(given, np.ndarray) and given.ndim == 1 and (given.dtype == np.uint8 or given.dtype == "S1")


def _read_string(text: str, number: int, wanted: SequenceType | None) -> list[Any]:
    """Return the data of a string: FASTA text, letters, or the path of a file."""
    if text.lstrip().startswith(">"):
        return list(sequences.read_sequence_text(text, wanted) if wanted else data_loading.parse_text(text))
    if LETTERS.match(text) and not os.path.isfile(text):
        return [_make_sequence(f"sequence {number}", text, wanted)]
    if not os.path.exists(text):
        raise InputError(f"{text}: no such file, and no sequence either, which has only letters; check the spelling")
    return _read_file(Path(text), wanted)


def _read_file(path: Path, wanted: SequenceType | None) -> list[Any]:
    """Return all data of a file."""
    kind: DataKind = data_loading.find_kind_of_file(path)
    if kind is sequences.SEQUENCE and wanted:
        return list(sequences.read_sequences(path, wanted))
    return list(data_loading.read_data(path))


def _make_sequence(name: str, letters: Any, wanted: SequenceType | None, description: str = "") -> Sequence:
    """Return a checked sequence; its type is guessed if none is wanted."""
    text = letters if isinstance(letters, bytes) else str(letters).encode("ascii", errors="replace")
    plain = text.translate(None, b" \t\r\n").upper()
    ungapped = plain.translate(None, b"-.")
    gaps = len(plain) - len(ungapped)
    note = f"{format_count(gaps, 'gap')} removed" if gaps else ""
    sequence = Sequence(name, ungapped, wanted or sequences.guess_type(ungapped), description, note=note)
    sequences.validate_letters(sequence)
    return sequence


def _unify_types(data: list[Any]) -> list[Any]:
    """Return short sequences that could be nucleotides as peptides where others are proteins, as in a file."""
    if not any(isinstance(datum, Sequence) and datum.type == SequenceType.PROTEIN for datum in data):
        return data
    return [
        sequences.with_type(datum, SequenceType.PROTEIN)
        if isinstance(datum, Sequence) and len(datum) < sequences.SURE_LETTERS
        else datum
        for datum in data
    ]
