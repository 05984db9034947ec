"""Profiles in files: alignments of any format, frequencies as CSV, and everything as JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import aligned, line_blocks
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.making import with_background
from antidiag.kernels.profiles.profile import (
    FACTORS,
    NUCLEOTIDES,
    Profile,
    from_alignment,
    from_frequencies,
    random_profile,
)
from antidiag.kernels.text import from_json, real

HEADING = "column"
FORMAT = "antidiag-profile"
"""First word of the table, and the mark of the JSON."""


def claims(path: Path, head: bytes) -> bool:
    """Whether a file holds a profile that was written here: by its first words."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.split(b"\n", 1)[0].rstrip()
    return (first.startswith(HEADING.encode() + b",") and first.endswith(b",-")) or (
        start.startswith(b"{") and f'"{FORMAT}"'.encode() in start[:200]
    )


def read(path: str | Path, monitor: Monitor | None = None) -> list[Profile]:
    """The profile of a file: a table or JSON as `write` makes them, else the alignment in it, all rows alike.

    InputError names file, and line or row.
    """
    path = Path(path)
    text = b"".join(line_blocks.blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not claims(path, text[:4096]):
        return [from_alignment(found) for found in aligned.read(path, monitor)]
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; save the file as UTF-8") from None
    return [_of_json(path, decoded) if decoded.startswith("{") else _of_csv(path, decoded)]


def write(path: str | Path, profile: Profile) -> None:
    """A profile as a table of frequencies (.csv) or whole (.json); InputError for another suffix."""
    write_lines(path, WRITERS[check_suffix(path)](profile))


def check_suffix(path: str | Path) -> str:
    """The suffix that says how a profile is written; InputError where it is none of WRITERS."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise InputError(f"{path}: profiles are written as {' or '.join(WRITERS)}; give one of these suffixes")
    return suffix


def holds(path: str | Path) -> bool:
    """Whether a file, plain or gzipped, holds a profile that was written here, and not an alignment."""
    return claims(Path(path), next(line_blocks.blocks(Path(path), Monitor()), b"")[:4096])


def csv_lines(profile: Profile) -> Iterator[str]:
    """A line a column, a frequency a symbol; the rows are not kept."""
    yield ",".join([HEADING, *profile.alphabet]) + "\n"
    for number, column in enumerate(profile.frequencies.T.tolist(), 1):
        yield ",".join([str(number), *map(repr, column)]) + "\n"


def json_fields(profile: Profile) -> dict[str, Any]:
    """The whole profile as plain data."""
    factors = {name: None if (found := getattr(profile, name)) is None else found.tolist() for name in FACTORS}
    return {
        "format": FORMAT,
        "name": profile.name,
        "type": str(profile.type),
        "alphabet": profile.alphabet,
        "names": list(profile.names),
        "weights": profile.weights.tolist(),
        "rows": [row.tobytes().decode("ascii") for row in profile.letters],
        "frequencies": profile.frequencies.T.tolist(),
        "pseudocounts": profile.pseudocounts,
        **factors,
    }


WRITERS = {".csv": csv_lines, ".json": lambda profile: [json.dumps(json_fields(profile), indent=1), "\n"]}


def _of_csv(path: Path, text: str) -> Profile:
    lines = _lines(path, text)
    symbols = [field.strip() for field in lines[0][1:]]
    if any(len(symbol) != 1 for symbol in symbols):
        raise InputError(f"{path}, line 1: {HEADING} and then one symbol each, the last one '-'")
    columns = []
    for number, fields in enumerate(lines[1:], 2):
        if not fields:
            continue
        if len(fields) != len(symbols) + 1:
            raise InputError(f"{path}, line {number:,}: {len(fields)} fields; the first line has {len(symbols) + 1}")
        try:
            columns.append([real(field) for field in fields[1:]])
        except ValueError:
            raise InputError(f"{path}, line {number:,}: a frequency is not a number") from None
    if not columns:
        raise InputError(f"{path}: a profile without columns; give a line for each")
    alphabet = "".join(symbols)
    kind = SequenceType.DNA if set(alphabet) <= set(NUCLEOTIDES) else SequenceType.PROTEIN
    return _checked(path, np.array(columns).T, alphabet, kind, path.stem)


def _lines(path: Path, text: str) -> list[list[str]]:
    reader = csv.reader(text.splitlines())
    try:
        return list(reader)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num:,}: {error}; a quote may be open") from None


def _of_json(path: Path, text: str) -> Profile:
    try:
        fields = from_json(text)
        kind, name, alphabet = SequenceType(fields["type"]), str(fields["name"]), str(fields["alphabet"])
        if fields["rows"]:
            letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in fields["rows"]], np.uint8)
            found = AlignedSequences(tuple(map(str, fields["names"])), letters, kind, name, str(path))
            made = from_alignment(found, fields["weights"], alphabet)
            profile = with_background(made, float(fields.get("pseudocounts", 0)))
        else:
            profile = from_frequencies(np.array(fields["frequencies"], float).T, alphabet, kind, name)
        factors: dict[str, Any] = {key: _numbers(fields[key]) for key in FACTORS if fields.get(key) is not None}
        return replace(profile, **factors, name=name, source=str(path))
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: no profile that this program wrote: {error}") from error
    except (InputError, ParameterError) as error:
        raise InputError(f"{path}: {error}") from error


def _numbers(values: list[float]) -> np.ndarray:
    """Numbers of a file, float64, read-only."""
    found = np.array(values, float)
    found.setflags(write=False)
    return found


def _checked(path: Path, values: np.ndarray, alphabet: str, kind: SequenceType, name: str) -> Profile:
    try:
        return from_frequencies(values, alphabet, kind, name, str(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


_adopted: WeakKeyDictionary[AlignedSequences, Profile] = WeakKeyDictionary()


def _adopt(alignment: AlignedSequences) -> Profile:
    """The profile of an alignment, all rows alike; the same one as long as the alignment is open."""
    if alignment not in _adopted:
        _adopted[alignment] = from_alignment(alignment)
    return _adopted[alignment]


PROFILE = DataKind(
    id="profile",
    label="profile",
    plural="profiles",
    type=Profile,
    claims=claims,
    read=read,
    suffixes=(".aln", ".fasta", ".msf", ".sto", ".csv", ".json"),
    generate=random_profile,
    adopts={AlignedSequences: _adopt},
)
