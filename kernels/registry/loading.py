"""The kinds of data that methods take, and reading files of any of them."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.io import aligned, sequences, tables, tree_files
from antidiag.kernels.io.aligned_kind import ALIGNMENT
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor

HEAD = 4096
"""Bytes from which the kind of a file is told."""


def kinds() -> tuple[DataKind, ...]:
    """Every kind that some method takes, trees, which methods make, and alignments; sequences first."""
    found = {SEQUENCE.id: SEQUENCE, TREE.id: TREE, ALIGNMENT.id: ALIGNMENT}
    for method in registry.METHODS:
        found |= {taken.kind.id: taken.kind for taken in method.problem.inputs}
    return tuple(found.values())


def kind_of(datum: Any) -> DataKind | None:
    """The kind of a datum, or None for what no method takes."""
    return next((kind for kind in kinds() if isinstance(datum, kind.type)), None)


def kind_of_file(path: str | Path) -> DataKind:
    """The kind that claims a file by its name and its first bytes; sequences where nobody else does."""
    path = Path(path)
    head = _head(path)
    return next((kind for kind in kinds() if kind is not SEQUENCE and kind.claims(path, head)), SEQUENCE)


def read(path: str | Path, monitor: Monitor | None = None) -> list[Any]:
    """Everything in a file of any kind; InputError where it cannot be read. What could be of another kind says so."""
    path = Path(path)
    found = kind_of_file(path).read(path, monitor)
    if found and (remark := tables.remark(path, _head(path))):
        found[0] = replace(found[0], note=" ".join(filter(None, (found[0].note, remark))))
    return found


def read_text(text: str) -> list[Any]:
    """Everything in a pasted text: trees in Newick or NEXUS, alignments, else sequences; InputError if none."""
    text = text.encode(errors="replace").decode()  # halves of letters, which no file can have, may be pasted
    if TREE.claims(Path("pasted text"), text[:HEAD].encode()):
        return tree_files.parse(text, "pasted text", "pasted tree")
    if aligned.text_holds(text):
        return list(aligned.read_text(text))
    return sequences.read_text(text)


def _head(path: Path) -> bytes:
    """The first bytes, unpacked; nothing where they cannot be had: reading the file says why."""
    try:
        with open(path, "rb") as plain:
            head = plain.read(HEAD)
        if head[:2] != b"\x1f\x8b":
            return head
        with gzip.open(path) as packed:
            return packed.read(HEAD)
    except (OSError, EOFError, zlib.error):
        return b""
