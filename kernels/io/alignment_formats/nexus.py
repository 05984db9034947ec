"""NEXUS alignments: matrices of DATA and CHARACTERS blocks, sets of columns, and the sequences of UNALIGNED blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.column_sets import column_set_note
from antidiag.kernels.io.alignment_formats.nexus_matrix import MatrixLine, read_matrix
from antidiag.kernels.io.alignment_formats.nexus_sets import parse_columns
from antidiag.kernels.io.alignment_formats.nexus_text import (
    COMMENT_MARK,
    NexusCommand,
    command_settings,
    mask_comments,
    number_setting,
    split_commands,
    split_words,
)
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, RawRow, SourceLine
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"\s*#NEXUS", re.IGNORECASE)
ALIGNED_BLOCKS = ("data", "characters", "")
UNALIGNED_BLOCK = "unaligned"
BLOCKS_OF_LETTERS = re.compile(rb"\bbegin\s+(unaligned|data|characters)\b")
READ_BLOCKS = (*ALIGNED_BLOCKS, UNALIGNED_BLOCK, "taxa", "trees", "sets", "distances")
"""Blocks of which nothing needs to be said; distances and trees are data of their own."""
READ_COMMANDS = ("begin", "end", "endblock", "dimensions", "format", "matrix", "taxlabels", "title", "link", "options")
SKIPPED_MATRIX = "a matrix of type"
NO_LETTERS = ("continuous", "distances")
"""Types of characters that are no letters."""
STATES_AMONG_OTHERS = re.compile(r"mixed\([^)]*(?:standard|restriction)")
TYPES = {
    "dna": SequenceType.DNA,
    "nucleotide": SequenceType.DNA,
    "rna": SequenceType.RNA,
    "protein": SequenceType.PROTEIN,
}
SET = re.compile(r"\s*+(?:\*\s*+)?('(?:[^']|'')*'|[^\s=(*]+)\s*+(?:\([^)]*+\)\s*+)?=(.*)", re.DOTALL)
"""The name of a set, perhaps a mark of the usual one and settings, and its columns."""


@dataclass
class _Block:
    """What the commands of a block say before its matrix."""

    dimensions: dict[str, str] = field(default_factory=dict)
    format: dict[str, str] = field(default_factory=dict)
    title: str = ""


class _Matrix(NamedTuple):
    """A matrix and what its block says."""

    block: _Block
    command: NexusCommand


@dataclass
class _File:
    """The contents of a file."""

    text: str
    masked: str
    source: str
    taxa: list[str] = field(default_factory=list)
    taxon_count: int | None = None
    matrices: list[_Matrix] = field(default_factory=list)
    unaligned: list[_Matrix] = field(default_factory=list)
    sets: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    trees: int = 0


def read_nexus(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Yield the alignments of all matrices of letters.

    InputError where there is none, or where the rows are not as many or as long as DIMENSIONS says.
    """
    found = _read_file(stream, source)
    if not found.matrices:
        others = [said for said in found.skipped if said.startswith(SKIPPED_MATRIX)]
        beside = f" but {others[0]}" if others else ""
        raise InputError(
            f"{source}: this NEXUS file has no complete MATRIX of letters{beside}; if it holds trees, open it as trees"
        )
    matrices = _matrices_of_letters(found)
    for number, matrix in enumerate(matrices, 1):
        name = matrix.block.title or (f"matrix {number}" if len(matrices) > 1 else "")
        raw, replaced = read_matrix(
            _matrix_lines(found, matrix.command),
            matrix.block.format,
            (number_setting(matrix.block.dimensions, "ntax") or found.taxon_count, _columns(matrix)),
            found.taxa,
            source,
        )
        sets, strange = _column_sets(found, raw.letters.shape[1])
        skipped = [*found.skipped, *(f"set {set_}" for set_ in strange)]
        notes = [f"skipped: {', '.join(dict.fromkeys(skipped))}"] * bool(skipped) + [replaced] * bool(replaced)
        notes += [f"{format_count(found.trees, 'tree')} beside it in the file"] * bool(found.trees)
        yield raw._replace(
            name=name,
            annotations=replace(raw.annotations, of_columns=sets),
            type=TYPES.get(matrix.block.format.get("datatype", "").lower()),
            note="; ".join(notes if number == 1 else []),
        )


def holds_unaligned_rows(start: bytes) -> bool:
    """Return whether a NEXUS text begins with an UNALIGNED block and no aligned one."""
    return HEAD.match(start) is not None and BLOCKS_OF_LETTERS.findall(start.lower())[:1] == [b"unaligned"]


def read_unaligned_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows of UNALIGNED blocks."""
    found = _read_file(stream, source)
    for matrix in found.unaligned:
        for line in _matrix_lines(found, matrix.command):
            if text := line.text.rstrip(f" \t{COMMENT_MARK},"):
                raw, _ = read_matrix([line._replace(text=text)], matrix.block.format, (1, None), [], source)
                yield RawRow(raw.names[0], "", raw.letters[0].tobytes())


def has_matrix(stream: Iterator[bytes]) -> bool:
    """Return whether a NEXUS file has a matrix of aligned letters; one with trees or distances alone has none."""
    return any(not _holds_states(matrix.block) for matrix in _read_file(stream, "").matrices)


def describe_other_matrices(stream: Iterator[bytes]) -> str:
    """Return which matrices of a NEXUS file hold no letters: "a matrix of type standard"; "" where there is none."""
    found = _read_file(stream, "")
    states = [
        f"{SKIPPED_MATRIX} {_stated_datatype(matrix.block)}" for matrix in found.matrices if _holds_states(matrix.block)
    ]
    return ", ".join(dict.fromkeys([*states, *(said for said in found.skipped if said.startswith(SKIPPED_MATRIX))]))


def _read_file(stream: Iterator[bytes], source: str) -> _File:
    """Read the commands of a file."""
    text = decode_text(b"".join(stream))
    if COMMENT_MARK in text:
        raise InputError(f"{source}: this is a binary file; give NEXUS as text")
    found, block = _File(text, mask_comments(text), source), _Block()
    for command in split_commands(found.masked):
        said = found.masked[command.start : command.end]
        if command.word == "begin":
            block = _Block()
        elif command.word == "dimensions":
            block.dimensions = command_settings(said)
            if command.block == "taxa":
                found.taxon_count = number_setting(block.dimensions, "ntax")
        elif command.word == "format":
            block.format = command_settings(said)
        elif command.word == "title":
            block.title = " ".join(split_words(said))
        elif command.word == "taxlabels":
            found.taxa = split_words(said)
        elif command.word == "charset":
            if set_ := SET.fullmatch(said.replace(COMMENT_MARK, " ")):
                found.sets[" ".join(split_words(set_[1]))] = set_[2]
        elif command.word == "matrix":
            _add_matrix(found, _Matrix(block, command))
        else:
            _add_other_command(found, command)
    return found


def _add_matrix(found: _File, matrix: _Matrix) -> None:
    """Keep a matrix of letters."""
    datatype = matrix.block.format.get("datatype", "").lower()
    if matrix.command.block == UNALIGNED_BLOCK:
        found.unaligned.append(matrix)
    elif matrix.command.block in ALIGNED_BLOCKS and datatype not in NO_LETTERS:
        found.matrices.append(matrix)
    elif datatype in NO_LETTERS:
        found.skipped.append(f"{SKIPPED_MATRIX} {datatype}")


def _add_other_command(found: _File, command: NexusCommand) -> None:
    """Count trees, and remember what is not read."""
    if command.block == "trees":
        found.trees += command.word in ("tree", "utree")
    elif command.block not in READ_BLOCKS:
        found.skipped.append(f"block {command.block.upper()}")
    elif command.word not in READ_COMMANDS:
        found.skipped.append(f"command {command.word.upper()}")


def _columns(matrix: _Matrix) -> int | None:
    return number_setting(matrix.block.dimensions, "nchar")


def _matrix_lines(found: _File, command: NexusCommand) -> list[MatrixLine]:
    """Return the lines of a matrix."""
    masked, text = (part[command.start : command.end].split("\n") for part in (found.masked, found.text))
    first = found.masked.count("\n", 0, command.start) + 1
    return [
        MatrixLine(SourceLine(found.source, number), line, raw)
        for number, (line, raw) in enumerate(zip(masked, text, strict=True), first)
    ]


def _matrices_of_letters(found: _File) -> list[_Matrix]:
    """Return the matrices of letters; those of states are noted beside them, and refused where there are no others."""
    letters = [matrix for matrix in found.matrices if not _holds_states(matrix.block)]
    if not letters:
        line = found.masked.count("\n", 0, found.matrices[0].command.start) + 1
        stated = _stated_datatype(found.matrices[0].block).upper()
        SourceLine(found.source, line).refuse(
            f"characters of type {stated} are no letters; give a matrix of type DNA, RNA or PROTEIN"
        )
    states = [matrix for matrix in found.matrices if _holds_states(matrix.block)]
    found.skipped += [f"{SKIPPED_MATRIX} {_stated_datatype(matrix.block)}" for matrix in states]
    return letters


def _stated_datatype(block: _Block) -> str:
    return block.format.get("datatype", "").lower()


def _holds_states(block: _Block) -> bool:
    """Return whether a matrix holds digits, which are states of other characters than letters."""
    datatype = _stated_datatype(block)
    if datatype == "standard":
        return bool(set(block.format.get("symbols", "")) & set("0123456789"))
    return datatype == "restriction" or bool(STATES_AMONG_OTHERS.match(datatype))


def _column_sets(found: _File, columns: int) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Return the sets as annotations of columns, and the names of those that cannot be read."""
    known, strange = dict[str, np.ndarray](), list[str]()
    for name, said in found.sets.items():
        places = parse_columns(said, columns, known)
        if places is None:
            strange.append(name)
        else:
            known[name.lower()] = places
    notes = [column_set_note(name, known[name.lower()], columns) for name in found.sets if name.lower() in known]
    return tuple(notes), strange
