"""From the files, records and targets that the user named to what a run needs."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from antidiag.app.cli.progress import interrupted_at_once
from antidiag.app.cli.shell import messages
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import AntidiagError, InputError, ParameterError
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.method import DataKind, Method, ProblemInput
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading, result_saving
from antidiag.kernels.sequences.sequence_set import join_data

STANDARD_INPUT = STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class ResultTargets:
    """Where a result is saved: files in a format by their suffix or ``suffix``, and JSON in a file.

    ``output_suffix`` is the format in which the result is written to standard output, which then holds nothing else;
    "" where the report is printed.
    """

    outs: tuple[Path, ...] = ()
    json: Path | None = None
    suffix: str | None = None
    output_suffix: str = ""

    @property
    def files(self) -> list[tuple[Path, str | None]]:
        """All files with the suffix of their format; None for that of the file."""
        return [
            *((path, self.suffix) for path in self.outs),
            *((path, result_saving.JSON) for path in (self.json,) if path),
        ]


def parse_sequence_type(text: str | None) -> SequenceType | None:
    """Return the sequence type of this name, in any case; None means that it is guessed."""
    if text is None:
        return None
    for kind in SequenceType:
        if kind.value.lower() == text.lower():
            return kind
    raise ParameterError(f"--seq-type {text!r} is not one of {', '.join(SequenceType).lower()}")


def read_inputs(
    method: Method,
    files: Sequences[str],
    flagged: Mapping[str, str],
    records: Sequences[str],
    kind: SequenceType | None,
    monitor: Monitor | None = None,
) -> Sequences[Any]:
    """Read the data that a method takes, in the order of its inputs.

    ``files`` hold the input without a flag, ``flagged`` maps a flag to its file, and ``records`` names the sequences to
    use, in their order.
    """
    inputs = method.problem_type.inputs
    if files and all(taken.flag for taken in inputs):
        raise InputError(f"{method.name} takes no FILE but {method.problem_type.describe_inputs()}; remove {files[0]}")
    if records and all(taken.kind is not sequences.SEQUENCE for taken in inputs):
        raise InputError(
            f"--record names sequences, and {method.name} takes {method.problem_type.describe_inputs()}; remove "
            "--record"
        )
    _check_flags(method, flagged)
    found: list[Sequences[Any]] = []
    for taken in inputs:
        given = list(files) if not taken.flag else [flagged[taken.flag]] if taken.flag in flagged else []
        with interrupted_at_once():
            data = join_data([_read_data(taken.kind, file, kind, monitor, given) for file in _data_files(taken, given)])
        if taken.kind is sequences.SEQUENCE and records:
            data = [sequences.find_sequence(data, name) for name in records]
        if taken.flag and len(data) < taken.minimum:
            raise InputError(f"{method.name} also takes a {taken.kind.label}; give its file with --{taken.flag}")
        found.append(data)
    return join_data(found)


def _check_flags(method: Method, flagged: Mapping[str, str]) -> None:
    known = [taken.flag for taken in method.problem_type.inputs if taken.flag]
    for flag in flagged:
        if flag not in known:
            raise ParameterError(
                f"--{flag} does not belong to {method.name}; it takes {method.problem_type.describe_inputs()}"
            )


def check_targets(
    method: Method, outs: Sequences[str], json_file: str | None, files: Sequences[str], to: str | None = None
) -> ResultTargets:
    """Return where results are saved. Raise InputError now for a file that could not be written after the run."""
    suffix = None if to is None else "." + to.lower().removeprefix(".")
    paths = tuple(Path(out) for out in outs if out != STANDARD_OUTPUT)
    for path in paths:
        result_saving.check_suffix(f"--out {path}", method, suffix)
        check_writable(path, files)
    json_path = None if json_file in (None, STANDARD_OUTPUT) else Path(str(json_file))
    if json_path is not None:
        check_writable(json_path, files)
    named = [("--out", path) for path in paths] + [("--json", path) for path in (json_path,) if path is not None]
    for (one, path), (other, same) in itertools.combinations(named, 2):
        if _is_same_file(path, same):
            raise InputError(f"{one} and {other} both name {same}; give them different files")
    to_output = [STANDARD_OUTPUT for out in outs if out == STANDARD_OUTPUT]
    if len(to_output) + (json_file == STANDARD_OUTPUT) > 1:
        raise InputError("only one of --out and --json can go to standard output, once")
    output_suffix = result_saving.JSON if json_file == STANDARD_OUTPUT else ""
    if to_output:
        chosen = suffix or next(iter(result_saving.result_suffixes(method)))
        output_suffix = result_saving.check_suffix("--out -", method, chosen)
    return ResultTargets(paths, json_path, suffix, output_suffix)


def read_sequences(file: str, type: SequenceType | None, monitor: Monitor | None) -> Sequences[Sequence]:
    """Read the sequences of a file, or of standard input."""
    if file == STANDARD_INPUT:
        return sequences.read_sequence_stream(cast(BufferedReader, sys.stdin.buffer), "standard input", type, monitor)
    return sequences.read_sequences(file, type, monitor)


def _data_files(taken: ProblemInput, files: list[str]) -> list[str]:
    """Return the files that hold the data of an input: beside pairs without letters, files of sequences hold these."""
    if taken.kind is not ALIGNMENT or not any(map(data_loading.takes_letters, files)):
        return files
    return [file for file in files if data_loading.find_kind_of_file(file) is not sequences.SEQUENCE]


def _read_data(
    kind: DataKind, file: str, type: SequenceType | None, monitor: Monitor | None, beside: Sequences[str] = ()
) -> Sequences[Any]:
    if kind is sequences.SEQUENCE:
        return read_sequences(file, type, monitor)
    if file == STANDARD_INPUT:
        raise InputError(f"a {kind.label} cannot come from standard input; give a file")
    if type is not None and kind.read_typed is not None:
        return kind.read_typed(Path(file), monitor, type)
    return data_loading.read_kind(kind, Path(file), monitor, beside)


def read_any_data(
    files: Sequences[str], records: Sequences[str], kind: SequenceType | None, monitor: Monitor | None = None
) -> Sequences[Any]:
    """Read the data of files, whatever they hold; ``records`` chooses among sequences by name."""
    if not files:
        raise InputError("give a FILE, or - for standard input")
    with interrupted_at_once():
        data = join_data([_read_any_file(file, kind, monitor, files) for file in files])
    if records and not all(isinstance(datum, Sequence) for datum in data):
        raise InputError(f"--record chooses among sequences, and {', '.join(files)} holds other data; remove --record")
    return [sequences.find_sequence(data, name) for name in records] if records else data


def _read_any_file(file: str, type: SequenceType | None, monitor: Monitor | None, beside: Sequences[str]) -> list[Any]:
    """Read all data of a file of any kind; standard input is kept in a file first, because readers look at files."""
    if file == STANDARD_INPUT:
        with spooled_input() as path:
            return list(_read_any_file(str(path), type, monitor, ()))
    path = Path(file)
    found = data_loading.find_kind_of_file(path)
    if type is not None and (found is sequences.SEQUENCE or found.read_typed is not None):
        return list(_read_data(found, file, type, monitor, beside))
    return list(data_loading.read_data(path, monitor, [other for other in beside if other != STANDARD_INPUT]))


@contextmanager
def spooled_input() -> Iterator[Path]:
    """Yield a file with what comes from standard input; errors name "standard input" instead of the file."""
    with tempfile.TemporaryDirectory(prefix="antidiag-") as folder:
        path = Path(folder) / "standard input"
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield path
        except AntidiagError as error:
            raise type(error)(str(error).replace(str(path), "standard input")) from error


def read_one_alignment(file: str) -> AlignedSequences:
    """Read the only alignment of a file. Raise InputError if it has none or several."""
    found = aligned_sequences.read_alignments(Path(file))
    if len(found) != 1:
        raise InputError(f"{file}: contains {len(found):,} alignments; give a file with one alignment")
    print_reading_notes(found)
    return found[0]


def print_reading_notes(data: Iterable[Any]) -> None:
    """Print what reading left out of data or changed, on standard error."""
    for note in data_loading.reading_notes(data):
        messages.print_note(note)


def print_option_notes(method: Method, flagged: Iterable[str], options: Iterable[str]) -> None:
    """Print which options that the user set have no effect, because a file gives what they make."""
    flags = ", ".join(f"--{flag}" for flag in flagged)
    for name in options:
        if flags and name in method.problem_type.guide_options:
            messages.print_note(f"--{name.replace('_', '-')} has no effect beside {flags}")


def check_writable(path: Path, files: Sequences[str]) -> None:
    """Raise InputError for a file that cannot be written, or that is one of the input files."""
    folder = path.parent
    if not os.path.isdir(folder):
        raise InputError(f"{path}: folder {folder} does not exist; create it or choose another")
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
    if any(_is_same_file(path, Path(file)) for file in files):
        raise InputError(f"{path}: this input file would be overwritten; choose another name")


def _is_same_file(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
