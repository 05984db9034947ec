"""From the files, records and targets that the user named to what a run needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from pathlib import Path

from kernels import formats, sequences
from kernels.errors import InputError, ParameterError
from kernels.method import Method
from kernels.model import Sequence, SequenceType
from kernels.monitor import Monitor

STANDARD_INPUT = STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Targets:
    """Where results go: a file for the alignment, and JSON to a file or to standard output."""

    alignment: Path | None = None
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
    files: Sequences[str], records: Sequences[str], kind: SequenceType | None, monitor: Monitor | None = None
) -> list[Sequence]:
    """The sequences of all files in order, or those of the records that are named, in that order."""
    found = [sequence for file in files for sequence in _read(file, kind, monitor)]
    return [sequences.find(found, name) for name in records] if records else found


def targets(method: Method, out: str | None, json_file: str | None, files: Sequences[str]) -> Targets:
    """Where the results of a run go; InputError now for what could only fail after the run."""
    alignment = Path(out) if out is not None else None
    if alignment is not None:
        _check_format(alignment, method)
        _check_place(alignment, files)
    if json_file in (None, STANDARD_OUTPUT):
        return Targets(alignment, None, json_file == STANDARD_OUTPUT)
    json_path = Path(str(json_file))
    _check_place(json_path, files)
    if alignment is not None and _same(json_path, alignment):
        raise InputError(f"--out and --json both name {json_path}; give them different files")
    return Targets(alignment, json_path)


def _read(file: str, kind: SequenceType | None, monitor: Monitor | None) -> list[Sequence]:
    if file == STANDARD_INPUT:
        return sequences.read_text(sys.stdin.read(), "standard input", kind)
    return sequences.read(file, kind, monitor)


def _check_format(path: Path, method: Method) -> None:
    suffix = path.suffix.lower()
    if suffix not in formats.EXTENSIONS:
        known = ", ".join(formats.EXTENSIONS)
        raise InputError(f"--out {path}: no format has the suffix {suffix or '(none)'}; known are {known}")
    if "alignment" not in method.returns and suffix != ".json":
        raise InputError(f"--out {path}: {method.name} gives no alignment; save .json, or choose a method that aligns")


def _check_place(path: Path, files: Sequences[str]) -> None:
    """Refuse what cannot be written, and what would be lost by writing."""
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}; create it or choose another")
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; give the name of a file in it")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise InputError(f"{path}: no permission to write there; choose another place")
    if any(_same(path, Path(file)) for file in files):
        raise InputError(f"{path}: this is one of the input files, and would be overwritten; choose another name")


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
