"""Profile files: alignments of any format, models of HMMER, frequencies as CSV, and whole profiles as JSON."""

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
from antidiag.kernels.io import aligned_sequences, hmmer_models, line_blocks, packed_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.hmmer_models import HmmerModel
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.profile import (
    FACTORS,
    NUCLEOTIDES,
    PROTEIN,
    Profile,
    generate_profile,
    profile_from_alignment,
    profile_from_frequencies,
)
from antidiag.kernels.profiles.profile_builder import add_background
from antidiag.kernels.text import parse_json, parse_real

HEADING = "column"
FORMAT = "antidiag-profile"
"""The name of a profile file's format in JSON; tables begin with HEADING."""


def claims_file(path: Path, head: bytes) -> bool:
    """Return whether a file holds a profile of this program, or a model of HMMER, by its first words."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if hmmer_models.HEAD.match(start):
        return True
    first = start.split(b"\n", 1)[0].rstrip()
    return (first.startswith(HEADING.encode() + b",") and first.endswith(b",-")) or (
        start.startswith(b"{") and f'"{FORMAT}"'.encode() in start[:200]
    )


@packed_files.reads_each_file
def read_profile(path: str | Path, monitor: Monitor | None = None, type: SequenceType | None = None) -> list[Profile]:
    """Return the profiles of a file: a table, JSON or models of HMMER, else of its alignments, with equal row weights.

    ``type`` is the type of the letters of an alignment, guessed where it is not given. InputError names the file, and
    the line or row.
    """
    path = Path(path)
    text = b"".join(line_blocks.read_blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not claims_file(path, text[:4096]):
        alignments = aligned_sequences.read_alignments(path, monitor)
        return [
            profile_from_alignment(found if type is None else aligned_sequences.with_type(found, type))
            for found in alignments
        ]
    if hmmer_models.HEAD.match(text):
        models = hmmer_models.parse_hmmer(line_blocks.decode_text(text), str(path))
        return [_profile_of_hmmer(model, path) for model in models]
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: the file is not UTF-8; save it as UTF-8") from None
    return [_parse_json(path, decoded) if decoded.startswith("{") else _parse_csv(path, decoded)]


def _profile_of_hmmer(model: HmmerModel, path: Path) -> Profile:
    """Return the columns of the match states of a model; sequences that delete a state have a gap there."""
    if model.type not in hmmer_models.SYMBOLS:
        raise InputError(f"{path}: {model.name} is over the alphabet {model.type}; a profile is of amino, DNA or RNA")
    alphabet = PROTEIN if model.type == "amino" else NUCLEOTIDES
    kinds = {"amino": SequenceType.PROTEIN, "rna": SequenceType.RNA}
    shares = model.occupancy
    columns = np.vstack([model.match.T * shares, 1 - shares])
    made = profile_from_frequencies(columns, alphabet, kinds.get(model.type, SequenceType.DNA), model.name, str(path))
    return replace(made, note=f"{model.origin}: match states and deletions; insertions have no column".strip())


def write_profile(path: str | Path, profile: Profile) -> None:
    """Write a profile as a table of frequencies (.csv) or whole (.json); InputError for another suffix."""
    write_lines(path, WRITERS[check_suffix(path)](profile))


def check_suffix(path: str | Path) -> str:
    """Return the suffix that selects the format; InputError if it is none of WRITERS."""
    suffix = packed_files.format_suffix(Path(path))
    if suffix not in WRITERS:
        raise InputError(f"{path}: cannot write this format; use the suffix {' or '.join(WRITERS)}")
    return suffix


def file_holds_profile(path: str | Path) -> bool:
    """Return whether a file, plain or compressed, holds a profile of this program and not an alignment."""
    return claims_file(Path(path), next(line_blocks.read_blocks(Path(path), Monitor()), b"")[:4096])


def csv_lines(profile: Profile) -> Iterator[str]:
    """Yield the lines of a CSV file: one per column, one field per symbol; rows are not stored."""
    yield ",".join([HEADING, *profile.alphabet]) + "\n"
    for number, column in enumerate(profile.frequencies.T.tolist(), 1):
        yield ",".join([str(number), *map(repr, column)]) + "\n"


def json_fields(profile: Profile) -> dict[str, Any]:
    """Return the whole profile as plain data."""
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


def _parse_csv(path: Path, text: str) -> Profile:
    """Parse a table of frequencies."""
    lines = _csv_lines(path, text)
    symbols = [field.strip() for field in lines[0][1:]]
    if any(len(symbol) != 1 for symbol in symbols):
        raise InputError(f"{path}, line 1: expected {HEADING} and one symbol per field, '-' last")
    columns = []
    for number, fields in enumerate(lines[1:], 2):
        if not fields:
            continue
        if len(fields) != len(symbols) + 1:
            raise InputError(f"{path}, line {number:,}: {len(fields)} fields; the first line has {len(symbols) + 1}")
        try:
            columns.append([parse_real(field) for field in fields[1:]])
        except ValueError:
            raise InputError(f"{path}, line {number:,}: a frequency is not a number") from None
    if not columns:
        raise InputError(f"{path}: the profile has no columns; add a line for each")
    alphabet = "".join(symbols)
    kind = SequenceType.DNA if set(alphabet) <= set(NUCLEOTIDES) else SequenceType.PROTEIN
    return _check_frequencies(path, np.array(columns).T, alphabet, kind, path.stem)


def _csv_lines(path: Path, text: str) -> list[list[str]]:
    """Parse the fields of CSV lines."""
    reader = csv.reader(text.splitlines())
    try:
        return list(reader)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num:,}: {error}; close open quotes") from None


def _parse_json(path: Path, text: str) -> Profile:
    """Parse a profile in JSON."""
    try:
        fields = parse_json(text)
        kind, name, alphabet = SequenceType(fields["type"]), str(fields["name"]), str(fields["alphabet"])
        if fields["rows"]:
            letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in fields["rows"]], np.uint8)
            found = AlignedSequences(tuple(map(str, fields["names"])), letters, kind, name, str(path))
            made = profile_from_alignment(found, fields["weights"], alphabet)
            profile = add_background(made, float(fields.get("pseudocounts", 0)))
        else:
            profile = profile_from_frequencies(np.array(fields["frequencies"], float).T, alphabet, kind, name)
        factors: dict[str, Any] = {key: _frozen_numbers(fields[key]) for key in FACTORS if fields.get(key) is not None}
        return replace(profile, **factors, name=name, source=str(path))
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"{path}: not a profile of this program: {error}") from error
    except (InputError, ParameterError) as error:
        raise InputError(f"{path}: {error}") from error


def _frozen_numbers(values: list[float]) -> np.ndarray:
    """Return numbers of a file, float64, read-only."""
    found = np.array(values, float)
    found.setflags(write=False)
    return found


def _check_frequencies(path: Path, values: np.ndarray, alphabet: str, kind: SequenceType, name: str) -> Profile:
    """Build a profile of frequencies; errors name the file."""
    try:
        return profile_from_frequencies(values, alphabet, kind, name, str(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


_alignment_profiles: WeakKeyDictionary[AlignedSequences, Profile] = WeakKeyDictionary()


def _profile_of_alignment(alignment: AlignedSequences) -> Profile:
    """Return the profile of an alignment with equal row weights, the same object while the alignment is open."""
    if alignment not in _alignment_profiles:
        _alignment_profiles[alignment] = profile_from_alignment(alignment)
    return _alignment_profiles[alignment]


PROFILE = DataKind(
    id="profile",
    label="profile",
    plural="profiles",
    type=Profile,
    claims_file=claims_file,
    read=read_profile,
    suffixes=(".aln", ".fasta", ".msf", ".sto", ".csv", ".json", ".hmm"),
    read_typed=read_profile,
    generate=generate_profile,
    converters={AlignedSequences: _profile_of_alignment},
)
