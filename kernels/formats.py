"""Writing alignments, results and sequences in the formats of the field.

Multiple-alignment formats come from Biopython; FASTA, Clustal, SAM and PAF are written here, the
first two because Biopython cuts long names or is slow on long sequences. A file is replaced only
when the new one is complete.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from Bio import AlignIO
from Bio.Align import MultipleSeqAlignment
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord

from kernels.errors import InputError
from kernels.model import DIAGONAL, Alignment, Result, Sequence

LINE = 60
FASTA_SUFFIXES = (".fa", ".fasta", ".fna", ".faa")
NAME_WIDTH = 20
"""Widest name in the blocks of the text view; the full names stand above."""


def text_view(result: Result, width: int = LINE) -> str:
    """The alignment for reading: positions, both rows in blocks of ``width`` columns, a match line.

    ``|`` marks the same letter, ``:`` another pair with a positive score.
    """
    return "".join(_text_view(result, width))


def result_json(result: Result) -> dict[str, Any]:
    """The result as plain data; scores in the units of the matrix, start and end as cells [i, j].

    A cell (i, j) lies after i letters of the first and j of the second sequence, so that start and
    end are half-open ranges of letters counted from 0. Without an alignment there is no ``start``,
    ``aligned`` or ``cigar``.
    """
    problem, answer = result.problem, result.answer
    first, second = problem.sequences
    path: Alignment | None = answer.alignment
    where = {} if path is None else {"start": [int(cell) for cell in path.start]}
    rows = {} if path is None else {"aligned": list(path.gapped(first, second)), "cigar": path.cigar(first, second)}
    return {
        "method": result.method,
        "backend": result.backend,
        "device": result.device,
        "parameters": dict(result.parameters),
        "score": result.score,
        **where,
        "end": [int(cell) for cell in answer.end],
        **rows,
        "cells": problem.cells,
        "gcups": result.gcups,
        "times_ms": dict(result.times_ms),
        "host_bytes": result.host_bytes,
        "device_bytes": result.device_bytes,
        "first": _sequence_json(first),
        "second": _sequence_json(second),
        "scoring": {
            "matrix": problem.scoring.matrix.name,
            "gap_open": problem.scoring.gap_open,
            "gap_extend": problem.scoring.gap_extend,
        },
        "mode": str(problem.mode),
        "notes": list(result.notes),
        "versions": dict(result.versions),
    }


def write_alignment(path: str | Path, result: Result, format: str | None = None) -> None:
    """Write a result in the format of the file's suffix, or in ``format``, a suffix such as ".aln".

    Raises InputError for an unknown suffix, for a result without an alignment (only .json takes
    such a one), and where the file cannot be written; a file that was there is then unchanged.
    """
    path = Path(path)
    suffix = "." + format.lower().removeprefix(".") if format else path.suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(f"{path}: no format has the suffix {suffix or '(none)'}; known are {', '.join(_FORMATS)}")
    if result.answer.alignment is None and suffix != ".json":
        raise InputError(
            f"{path}: {result.method} gives a score and no alignment; save it as .json, or run a method that aligns"
        )
    write_file(path, _FORMATS[suffix].lines(result))


def write_sequences(path: str | Path, sequences: Sequences[Sequence]) -> None:
    """Write sequences as FASTA (.fa, .fasta, .fna, .faa), gzipped where .gz follows; errors as `write_alignment`."""
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if suffix not in FASTA_SUFFIXES:
        known = ", ".join(FASTA_SUFFIXES)
        raise InputError(
            f"{path}: sequences are written as FASTA; give a suffix out of {known}, or one of them and .gz"
        )
    lines = _fasta((_title(sequence), sequence.letters.decode("ascii")) for sequence in sequences)
    write_file(path, lines, packed)


def write_file(path: str | Path, lines: Iterable[str], packed: bool = False) -> None:
    """Write text pieces as UTF-8, all or nothing; InputError where that fails.

    The pieces go to a new file in the same folder, which then takes the place of the old one.
    """
    target = Path(os.path.realpath(path))
    _check_target(target)
    if os.path.exists(target) and not os.path.isfile(target):
        _write(path, target, lines, packed)
        return
    temporary = target.with_name(f".antidiag-{uuid.uuid4().hex}.tmp")
    try:
        _write(path, temporary, lines, packed)
        os.replace(temporary, target)
    except OSError as error:
        raise _refusal(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write(path: str | Path, place: Path, lines: Iterable[str], packed: bool) -> None:
    try:
        with open(place, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb") if packed else nullcontext(raw) as handle:
            handle.writelines(line.encode() for line in lines)
    except OSError as error:
        raise _refusal(path, error) from error


def _check_target(target: Path) -> None:
    """Refuse a folder, and a folder that is not there."""
    if os.path.isdir(target):
        raise InputError(f"{target}: this is a folder; give the name of a file in it")
    if not os.path.isdir(target.parent):
        raise InputError(f"{target}: there is no folder {target.parent}; create it or choose another")


def _refusal(path: str | Path, error: OSError) -> InputError:
    return InputError(f"{path}: cannot be written: {error.strerror or error}; choose another place")


@dataclass(frozen=True, slots=True)
class _Format:
    label: str
    lines: Callable[[Result], Iterable[str]]


def _rows(result: Result) -> tuple[tuple[Sequence, str], tuple[Sequence, str]]:
    first, second = result.problem.sequences
    top, bottom = result.answer.alignment.gapped(first, second)
    return (first, top), (second, bottom)


def _fasta(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    for title, letters in records:
        yield f">{title}\n"
        for at in range(0, len(letters), LINE):
            yield letters[at : at + LINE] + "\n"


def _fasta_alignment(result: Result) -> Iterator[str]:
    return _fasta((_title(sequence), row) for sequence, row in _rows(result))


def _clustal(result: Result) -> Iterator[str]:
    names, rows = _names(result), [row for _, row in _rows(result)]
    margin = max(map(len, names)) + 6
    same = _marks(result, "*", " ")
    yield "CLUSTAL W multiple sequence alignment, written by Antidiag\n\n"
    for at in range(0, len(same), LINE):
        for name, row in zip(names, rows, strict=True):
            yield f"\n{name:{margin}}{row[at : at + LINE]}"
        yield f"\n{'':{margin}}{same[at : at + LINE]}\n"


def _biopython(format: str) -> Callable[[Result], Iterable[str]]:
    def lines(result: Result) -> Iterable[str]:
        records = [
            SeqRecord(Seq(row), id=name, description="", annotations={"molecule_type": str(sequence.type)})
            for name, (sequence, row) in zip(_names(result), _rows(result), strict=True)
        ]
        if not len(records[0]):
            raise InputError(f"{result.problem.title}: the alignment is empty; save it as .json or .txt")
        handle = io.StringIO()
        AlignIO.write([MultipleSeqAlignment(records)], handle, format)
        return [handle.getvalue()]

    return lines


def _sam(result: Result) -> Iterator[str]:
    """One record; the first sequence is the query and is clipped, the second the reference."""
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, reference = _names(result)
    yield f"@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:{reference}\tLN:{len(second)}\n@PG\tID:antidiag\tPN:antidiag\n"
    letters = first.letters.decode("ascii")
    if not path.operations.size:
        yield f"{query}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
        return
    front, back = path.start[0], len(first) - path.end[0]
    clipped = f"{front}S" * (front > 0) + path.cigar(first, second) + f"{back}S" * (back > 0)
    yield f"{query}\t0\t{reference}\t{path.start[1] + 1}\t255\t{clipped}\t*\t0\t0\t{letters}\t*\t{_score_tag(result)}\n"


def _paf(result: Result) -> Iterator[str]:
    (first, second), path = result.problem.sequences, result.answer.alignment
    query, target = _names(result)
    same = int(path.identical(first, second).sum())
    fields = (query, len(first), path.start[0], path.end[0], "+", target, len(second), path.start[1], path.end[1],
              same, path.operations.size, 255, _score_tag(result), f"cg:Z:{path.cigar(first, second)}")  # fmt: skip
    yield "\t".join(map(str, fields)) + "\n"


def _score_tag(result: Result) -> str:
    """SAM keeps AS for whole numbers; a tag in lower case is free for others."""
    return f"AS:i:{result.score}" if isinstance(result.score, int) else f"as:f:{result.score}"


def _text_view(result: Result, width: int) -> Iterator[str]:
    (first, top), (second, bottom) = _rows(result)
    path = result.answer.alignment
    marks = _marks(result, "|", ":")
    yield from _summary(result, marks)
    names = [sequence.name[:NAME_WIDTH] for sequence in (first, second)]
    margin = max(map(len, names))
    digits = len(str(max(path.end)))
    positions = list(path.start)
    for at in range(0, len(top), width):
        lines = []
        for side, row in enumerate((top, bottom)):
            piece = row[at : at + width]
            start, positions[side] = positions[side], positions[side] + len(piece) - piece.count("-")
            shown = start + (positions[side] > start)
            lines.append(f"{names[side]:{margin}} {shown:{digits}} {piece} {positions[side]}\n")
        yield f"\n{lines[0]}{'':{margin + digits + 2}}{marks[at : at + width].rstrip()}\n{lines[1]}"


def _summary(result: Result, marks: str) -> Iterator[str]:
    path, columns = result.answer.alignment, len(marks)
    for label, sequence, start, end in zip(
        ("First ", "Second"), result.problem.sequences, path.start, path.end, strict=True
    ):
        span = f"{start + 1}-{end}" if end > start else "none"
        yield f"{label}: {sequence.name} ({len(sequence)} letters), aligned {span}\n"
    same, gaps = marks.count("|"), int((path.operations != DIAGONAL).sum())
    percent = 100 * same / columns if columns else 0.0
    yield f"Scoring: {result.problem.scoring.text()}; {result.problem.mode}\n"
    yield f"Score: {result.score}; {columns} columns, {same} identical ({percent:.1f} %), {gaps} gap letters\n"


def _marks(result: Result, same: str, similar: str) -> str:
    """One character a column: the same letter, another pair with a positive score, or a blank."""
    (first, second), scoring, path = result.problem.sequences, result.problem.scoring, result.answer.alignment
    marks = np.full(path.operations.size, ord(" "), np.uint8)
    tops, bottoms = (np.frombuffer(row.encode("ascii"), np.uint8) for row in path.gapped(first, second))
    positive = np.zeros((256, 256), bool)
    known = np.flatnonzero(scoring.matrix.codes >= 0)
    codes = scoring.matrix.codes[known]
    positive[np.ix_(known, known)] = scoring.scores[np.ix_(codes, codes)] > 0
    marks[positive[tops, bottoms]] = ord(similar)
    marks[path.identical(first, second)] = ord(same)
    return marks.tobytes().decode("ascii")


def _names(result: Result) -> list[str]:
    """Names without white space, made different where both are equal: these formats need them so."""
    first, second = (_word(sequence.name) for sequence in result.problem.sequences)
    return [first, second if second != first else f"{second}_2"]


def _word(name: str) -> str:
    return "_".join(name.split()) or "unnamed"


def _title(sequence: Sequence) -> str:
    """Title line of a FASTA record: its first word is the name, also after the user renamed it."""
    name, described = _word(sequence.name), sequence.description.split()
    return " ".join(described if described[:1] == [name] else [name, *described])


def _sequence_json(sequence: Sequence) -> dict[str, Any]:
    return {"name": sequence.name, "length": len(sequence)}


def _json(result: Result) -> Iterable[str]:
    return [json.dumps(result_json(result), indent=1), "\n"]


_FORMATS = {
    ".fasta": _Format("FASTA", _fasta_alignment),
    ".fa": _Format("FASTA", _fasta_alignment),
    ".afa": _Format("FASTA", _fasta_alignment),
    ".aln": _Format("Clustal", _clustal),
    ".sto": _Format("Stockholm", _biopython("stockholm")),
    ".phy": _Format("PHYLIP", _biopython("phylip-relaxed")),
    ".nex": _Format("NEXUS", _biopython("nexus")),
    ".sam": _Format("SAM", _sam),
    ".paf": _Format("PAF", _paf),
    ".txt": _Format("Text view", lambda result: _text_view(result, LINE)),
    ".json": _Format("JSON", _json),
}

EXTENSIONS: Mapping[str, str] = MappingProxyType({suffix: found.label for suffix, found in _FORMATS.items()})
"""Suffixes that `write_alignment` knows, and the format of each."""
