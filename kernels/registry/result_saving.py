"""Writing of results in the formats of their problem type or JSON, and of sequences."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError, Cancelled, InputError, ResultNotSaved
from antidiag.kernels.io import json_text
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.packed_files import format_suffix
from antidiag.kernels.io.result_alignments import fasta_lines, fasta_title
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.monitor import Monitor

FASTA_SUFFIXES = (".fa", ".fasta", ".fna", ".faa")
JSON = ".json"
SAVING_PHASE = "saving"
"""Phase that the monitor reports while a result is written."""


def result_json(result: Result) -> dict[str, Any]:
    """Return a result as data for `json_text.json_pieces`: its origin, its costs and its answer."""
    method = registry.find_method(result.method)
    return {
        "method": result.method,
        "backend": result.backend,
        "device": result.device,
        "parameters": method.parameters.json_values(result.parameters, result.backend),
        **method.problem_type.answer_json(result),
        "cells": result.cells,
        "gcups": result.gcups,
        "times_ms": dict(result.times_ms),
        "host_bytes": result.host_bytes,
        "device_bytes": result.device_bytes,
        "notes": list(result.notes),
        "versions": dict(result.versions),
    }


def result_suffixes(method: Method) -> Mapping[str, str]:
    """Return the file suffixes for results of a method with the names of the formats."""
    written = {
        found.suffix: found.label
        for found in method.problem_type.file_formats
        if found.required_output in method.returns
    }
    return {**written, JSON: "JSON"}


def check_suffix(path: str | Path, method: Method, suffix: str | None = None) -> str:
    """Return the suffix that determines the format of a result; raise InputError if the method has no such format."""
    chosen = "." + suffix.lower().removeprefix(".") if suffix else format_suffix(Path(path))
    known = result_suffixes(method)
    if chosen in known:
        return chosen
    if any(found.suffix == chosen for found in method.problem_type.file_formats):
        needed = next(found.required_output for found in method.problem_type.file_formats if found.suffix == chosen)
        raise InputError(
            f"{path}: {method.name} returns no {needed}; save it as {' or '.join(known)} or choose another method"
        )
    raise InputError(f"{path}: unknown suffix {chosen or '(none)'}; known suffixes: {', '.join(known)}")


def write_result(path: str | Path, result: Result, suffix: str | None = None, monitor: Monitor | None = None) -> None:
    """Write a result in the format of the file's suffix, or of ``suffix``, such as ".aln".

    Raises InputError for an unknown suffix, a format that the method's outputs do not allow, or a file that cannot be
    written, and Cancelled; an existing file then remains unchanged. ``monitor`` reports the progress of text formats.
    """
    path, method, monitor = Path(path), registry.find_method(result.method), monitor or Monitor()
    chosen = check_suffix(path, method, suffix)
    if chosen == JSON:
        data = result_json(result)
        write_lines(path, _report_pieces(json_text.json_pieces(data), json_text.count_json_pieces(data), monitor))
        return
    found = next(found for found in method.problem_type.file_formats if found.suffix == chosen)
    if found.iterate_lines is not None:
        write_lines(
            path,
            _report_pieces(
                found.iterate_lines(result), found.count_pieces(result) if found.count_pieces else 0, monitor
            ),
        )
    elif found.write_file is not None:
        monitor.update(0, 1, SAVING_PHASE)
        found.write_file(path, result)
        monitor.update(1, 1, SAVING_PHASE)


@contextmanager
def open_result(result: Result, suffix: str, monitor: Monitor | None = None) -> Iterator[IO[bytes]]:
    """Yield a result in the format of a suffix, such as ".aln", as a stream of bytes."""
    with tempfile.TemporaryDirectory(prefix="antidiag-") as folder:
        path = Path(folder) / f"result{suffix}"
        write_result(path, result, suffix, monitor)
        with open(path, "rb") as written:
            yield written


def save_or_rescue(path: str | Path, result: Result, suffix: str | None = None, monitor: Monitor | None = None) -> None:
    """Write a result as `write_result` does; where that fails, write it in another form or folder.

    Raises ResultNotSaved, which says why and where the result is; the error itself where nothing could be written.
    """
    try:
        write_result(path, result, suffix, monitor)
    except Cancelled:
        raise
    except Exception as error:
        rescued = _rescue_result(Path(path), result)
        if rescued is None:
            raise
        reason = str(error) if isinstance(error, AntidiagError) else f"{path}: {type(error).__name__}: {error}"
        raise ResultNotSaved(f"{reason}; the result is saved as {rescued} instead") from error


def _rescue_result(path: Path, result: Result) -> Path | None:
    """Write a result as aligned FASTA, else as JSON, beside ``path``, else in another folder; return the file."""
    suffixes = [one for one in (".fasta", JSON) if one in result_suffixes(registry.find_method(result.method))]
    for folder in dict.fromkeys((path.parent, Path.cwd(), Path.home(), Path(tempfile.gettempdir()))):
        for suffix in suffixes:
            names = (f"{path.stem}-rescued{number or ''}{suffix}" for number in itertools.count())
            target = next(folder / name for name in names if not os.path.lexists(folder / name))
            try:
                write_result(target, result)
            except Exception:
                continue
            return target
    return None


def _report_pieces(pieces: Iterable[str], count: int, monitor: Monitor) -> Iterator[str]:
    """Yield the pieces of a text and report each to the monitor; there may be more than ``count``."""
    total = max(count, 1)
    for number, piece in enumerate(pieces):
        monitor.update(min(number, total - 1), total, SAVING_PHASE)
        yield piece
    monitor.update(total, total, SAVING_PHASE)


def write_sequences(path: str | Path, sequences: Sequences[Sequence]) -> None:
    """Write sequences as FASTA (.fa, .fasta, .fna, .faa), compressed for a further suffix such as .gz.

    InputError where that fails.
    """
    path = Path(path)
    if format_suffix(path) not in FASTA_SUFFIXES:
        known = ", ".join(FASTA_SUFFIXES)
        raise InputError(
            f"{path}: sequences are written as FASTA; give a suffix out of {known}, or one of them and .gz"
        )
    write_lines(path, fasta_lines((fasta_title(sequence), sequence.letters.decode("ascii")) for sequence in sequences))
