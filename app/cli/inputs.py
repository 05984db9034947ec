"""From the files, records and targets that the user named to what a run needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from antidiag.app.cli.progress import interrupted_at_once
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import aligned, sequences
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.method import DataKind, Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import saving

STANDARD_INPUT = STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Targets:
    """Where results go: a file in a format of its suffix, and JSON to a file or to standard output."""

    out: Path | None = None
    json: Path | None = None
    json_to_output: bool = False


def sequence_type(text: str | None) -> SequenceType | None:
    """The type of this name in any case; None leaves it to be guessed."""
    if text is None:
        return None
    for kind in SequenceType:
        if kind.value.lower() == text.lower():
            return kind
    raise ParameterError(f"--seq-type {text!r} is not one of {', '.join(SequenceType).lower()}")


def gather(
    method: Method,
    files: Sequences[str],
    flagged: Mapping[str, str],
    records: Sequences[str],
    type: SequenceType | None,
    monitor: Monitor | None = None,
) -> list[Any]:
    """The data that a method takes, in the order of its inputs.

    ``files`` hold the input without a flag, ``flagged`` has a file for inputs with one; of sequences, ``records``
    names those to take, in their order.
    """
    inputs = method.problem.inputs
    if files and all(taken.flag for taken in inputs):
        raise InputError(f"{method.name} takes {method.problem.takes()}, and no FILE; leave {files[0]} out")
    if records and all(taken.kind is not sequences.SEQUENCE for taken in inputs):
        raise InputError(f"{method.name} takes {method.problem.takes()}; --record names sequences, leave it out")
    _check_flags(method, flagged)
    found: list[Any] = []
    for taken in inputs:
        given = list(files) if not taken.flag else [flagged[taken.flag]] if taken.flag in flagged else []
        with interrupted_at_once():
            data = [datum for file in given for datum in _read(taken.kind, file, type, monitor)]
        if taken.kind is sequences.SEQUENCE and records:
            data = [sequences.find(data, name) for name in records]
        if taken.flag and len(data) < taken.minimum:
            raise InputError(f"{method.name} also takes a {taken.kind.label}; give its file with --{taken.flag}")
        found += data
    return found


def _check_flags(method: Method, flagged: Mapping[str, str]) -> None:
    known = [taken.flag for taken in method.problem.inputs if taken.flag]
    for flag in flagged:
        if flag not in known:
            raise ParameterError(f"--{flag} does not belong to {method.name}; it takes {method.problem.takes()}")


def targets(method: Method, out: str | None, json_file: str | None, files: Sequences[str]) -> Targets:
    """Where the results of a run go; InputError now for what could only fail after the run."""
    path = Path(out) if out is not None else None
    if path is not None:
        saving.check_suffix(f"--out {path}", method)
        check_place(path, files)
    if json_file in (None, STANDARD_OUTPUT):
        return Targets(path, None, json_file == STANDARD_OUTPUT)
    json_path = Path(str(json_file))
    check_place(json_path, files)
    if path is not None and _same(json_path, path):
        raise InputError(f"--out and --json both name {json_path}; give them different files")
    return Targets(path, json_path)


def read_sequences(file: str, type: SequenceType | None, monitor: Monitor | None) -> list[Sequence]:
    """The sequences of a file, or of standard input."""
    if file == STANDARD_INPUT:
        return sequences.read_stream(cast(BufferedReader, sys.stdin.buffer), "standard input", type, monitor)
    return sequences.read(file, type, monitor)


def _read(kind: DataKind, file: str, type: SequenceType | None, monitor: Monitor | None) -> list[Any]:
    if kind is sequences.SEQUENCE:
        return read_sequences(file, type, monitor)
    if file == STANDARD_INPUT:
        raise InputError(f"a {kind.label} cannot come from standard input; give a file")
    return kind.read(Path(file), monitor)


def one_alignment(file: str) -> AlignedSequences:
    """The alignment of a file; InputError unless it has exactly one."""
    found = aligned.read(Path(file))
    if len(found) != 1:
        raise InputError(f"{file}: {len(found):,} alignments in it; give a file of one")
    return found[0]


def check_place(path: Path, files: Sequences[str]) -> None:
    """Refuse what cannot be written, and what would be lost by writing."""
    folder = path.parent
    if not os.path.isdir(folder):
        raise InputError(f"{path}: there is no folder {folder}; create it or choose another")
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be written: {reason}; choose another name") from error
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; give the name of a file in it")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"{path}: no permission to write there; choose another place")
    if any(_same(path, Path(file)) for file in files):
        raise InputError(f"{path}: this is one of the input files, and would be overwritten; choose another name")


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
