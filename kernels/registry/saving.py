"""Writing results and sequences: the formats that the problem of a result declares, and JSON for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from pathlib import Path
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import json_text
from antidiag.kernels.io.alignments import fasta, title
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.monitor import Monitor

FASTA_SUFFIXES = (".fa", ".fasta", ".fna", ".faa")
JSON = ".json"
SAVING = "saving"
"""What the monitor hears while a result is written."""


def result_json(result: Result) -> dict[str, Any]:
    """The result as data that `json_text.pieces` writes: where it came from and what it cost, and what its problem says
    of the answer."""
    method = registry.method(result.method)
    return {
        "method": result.method,
        "backend": result.backend,
        "device": result.device,
        "parameters": method.used(result.parameters, result.backend),
        **method.problem.data(result),
        "cells": result.cells,
        "gcups": result.gcups,
        "times_ms": dict(result.times_ms),
        "host_bytes": result.host_bytes,
        "device_bytes": result.device_bytes,
        "notes": list(result.notes),
        "versions": dict(result.versions),
    }


def suffixes(method: Method) -> Mapping[str, str]:
    """Suffixes of the files that results of a method can be saved as, and what each format is called."""
    written = {found.suffix: found.label for found in method.problem.formats if found.needs in method.returns}
    return {**written, JSON: "JSON"}


def check_suffix(path: str | Path, method: Method, suffix: str | None = None) -> str:
    """The suffix that decides how a result of ``method`` is saved; InputError where it cannot be saved so."""
    chosen = "." + suffix.lower().removeprefix(".") if suffix else Path(path).suffix.lower()
    known = suffixes(method)
    if chosen in known:
        return chosen
    if any(found.suffix == chosen for found in method.problem.formats):
        needed = next(found.needs for found in method.problem.formats if found.suffix == chosen)
        raise InputError(
            f"{path}: {method.name} gives no {needed}; save it as {' or '.join(known)}, or run a method that gives one"
        )
    raise InputError(f"{path}: no format has the suffix {chosen or '(none)'}; known are {', '.join(known)}")


def write_result(path: str | Path, result: Result, suffix: str | None = None, monitor: Monitor | None = None) -> None:
    """Write a result in the format of the file's suffix, or of ``suffix``, such as ".aln".

    Raises InputError for a suffix that is unknown, or whose format needs what the method does not return, and where
    the file cannot be written, and Cancelled; a file that was there is then unchanged. ``monitor`` hears how much of a
    text is written.
    """
    path, method, monitor = Path(path), registry.method(result.method), monitor or Monitor()
    chosen = check_suffix(path, method, suffix)
    if chosen == JSON:
        data = result_json(result)
        write_lines(path, _told(json_text.pieces(data), json_text.count(data), monitor))
        return
    found = next(found for found in method.problem.formats if found.suffix == chosen)
    if found.lines is not None:
        write_lines(path, _told(found.lines(result), found.count(result) if found.count else 0, monitor))
    elif found.write is not None:
        monitor.update(0, 1, SAVING)
        found.write(path, result)
        monitor.update(1, 1, SAVING)


def _told(pieces: Iterable[str], count: int, monitor: Monitor) -> Iterator[str]:
    """The pieces of a text; the monitor hears of each, and of all at the end, which may be more than ``count``."""
    total = max(count, 1)
    for number, piece in enumerate(pieces):
        monitor.update(min(number, total - 1), total, SAVING)
        yield piece
    monitor.update(total, total, SAVING)


def write_sequences(path: str | Path, sequences: Sequences[Sequence]) -> None:
    """Write sequences as FASTA (.fa, .fasta, .fna, .faa), gzipped where .gz follows; errors as `write_result`."""
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if suffix not in FASTA_SUFFIXES:
        known = ", ".join(FASTA_SUFFIXES)
        raise InputError(
            f"{path}: sequences are written as FASTA; give a suffix out of {known}, or one of them and .gz"
        )
    write_lines(path, fasta((title(sequence), sequence.letters.decode("ascii")) for sequence in sequences), packed)
