"""The kinds of data that methods take, and reading files of any of them."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

from kernels import registry
from kernels.io import sequences, tree_files
from kernels.io.sequences import SEQUENCE
from kernels.io.tree_files import TREE
from kernels.method import DataKind
from kernels.monitor import Monitor

HEAD = 4096
"""Bytes from which the kind of a file is told."""


def kinds() -> tuple[DataKind, ...]:
    """Every kind that some method takes, and trees, which methods make; sequences first."""
    found = {SEQUENCE.id: SEQUENCE, TREE.id: TREE}
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
    """Everything in a file of any kind; InputError where it cannot be read."""
    return kind_of_file(path).read(Path(path), monitor)


def read_text(text: str) -> list[Any]:
    """Everything in a pasted text: trees in Newick or NEXUS, else sequences; InputError where it holds neither."""
    text = text.encode(errors="replace").decode()  # halves of letters, which no file can have, may be pasted
    if TREE.claims(Path("pasted text"), text[:HEAD].encode()):
        return tree_files.parse(text, "pasted text", "pasted tree")
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
