"""Kinds of data that methods take, and reading of files of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, line_blocks, number_tables, packed_files, sequences, tree_files
from antidiag.kernels.io.alignment_formats import letter_table
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.sequences.sequence_set import split_data

HEAD_BYTES = 4096
"""Number of bytes from which the kind of a file is detected."""


def data_kinds() -> tuple[DataKind, ...]:
    """Return all kinds of data that methods take or return, sequences first."""
    found = {SEQUENCE.id: SEQUENCE, TREE.id: TREE, ALIGNMENT.id: ALIGNMENT}
    for method in registry.METHODS:
        found |= {taken.kind.id: taken.kind for taken in method.problem_type.inputs}
    return tuple(found.values())


def find_kind(datum: Any) -> DataKind | None:
    """Return the kind of a datum, or None."""
    return next((kind for kind in data_kinds() if isinstance(datum, kind.type)), None)


def find_kind_of_file(path: str | Path) -> DataKind:
    """Return the kind of a file by its name and first bytes; sequences if no other kind claims it."""
    path = Path(path)
    head = _read_head(path)
    # A table of names and letters is no list of edges, whatever its suffix is.
    kinds = (ALIGNMENT,) if letter_table.holds_sequences(head) else data_kinds()
    return next((kind for kind in kinds if kind is not SEQUENCE and kind.claims_file(path, head)), SEQUENCE)


def read_data(path: str | Path, monitor: Monitor | None = None) -> Sequence[Any]:
    """Read all data of a file of any kind; raise InputError if it cannot be read. Ambiguous data have a note.

    The files of a zip archive may be of different kinds.
    """
    paths = packed_files.list_files(Path(path))
    if len(paths) == 1:
        return _read_one_file(paths[0], monitor)
    return packed_files.note_files([datum for one in paths for datum in _read_one_file(one, monitor)], paths)


def _read_one_file(path: Path, monitor: Monitor | None) -> Sequence[Any]:
    found = find_kind_of_file(path).read(path, monitor)
    if found and (remark := number_tables.describe_alternative(path, _read_head(path))):
        noted = replace(found[0], note=" ".join(filter(None, (found[0].note, remark))))
        return [noted, *found[1:]]
    return found


def reading_notes(data: Iterable[Any]) -> tuple[str, ...]:
    """Return what reading left out of data or changed, each note once."""
    found, others = split_data(data)
    return tuple(dict.fromkeys((*sequences.reading_notes(found), *(datum.note for datum in others if datum.note))))


def parse_text(text: str) -> list[Any]:
    """Return all data in a pasted text: trees, alignments or sequences; raise InputError if there are none."""
    text = text.encode(errors="replace").decode()  # pasted text may contain lone surrogates
    if TREE.claims_file(Path("pasted text"), text[:HEAD_BYTES].encode()):
        return tree_files.parse_trees(text, "pasted text", "pasted tree")
    if aligned_sequences.is_alignment_text(text):
        return list(aligned_sequences.read_alignment_text(text))
    return sequences.read_sequence_text(text)


def _read_head(path: Path) -> bytes:
    """Return the first unpacked bytes; nothing if they cannot be read, which reading the file will report."""
    try:
        return line_blocks.read_head(path, HEAD_BYTES)
    except InputError:
        return b""
