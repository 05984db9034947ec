"""Kinds of data that methods take, and reading of files of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import (
    aligned_sequences,
    hmmer_models,
    line_blocks,
    number_tables,
    packed_files,
    sequences,
    tree_files,
)
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats import known_formats, letter_table, nexus
from antidiag.kernels.io.alignment_formats.pair_letters import PairLetters
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import DataKind
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.products.matrix import MATRIX
from antidiag.kernels.sequences.sequence_set import split_data

HEAD_BYTES = 4096
"""Number of bytes from which the kind of a file is detected."""
MOST_MODELS = 16
"""Models of HMMER in one file that are read as hidden Markov models too; those of a library would fill the memory."""


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
    return find_kinds_of_file(path)[0]


def find_kinds_of_file(path: str | Path) -> list[DataKind]:
    """Return the kinds of data in a file: one, but every kind that reads it for a model of HMMER."""
    path = Path(path)
    if number_tables.is_named_matrix(path):  # its rows may also begin as PHYLIP does
        return [MATRIX]
    head = _read_head(path)
    if letter_table.holds_sequences(line_blocks.normalise_line_ends(head)):  # no list of edges, whatever its suffix is
        return [ALIGNMENT if ALIGNMENT.claims_file(path, head) else SEQUENCE]
    claiming = [kind for kind in data_kinds() if kind is not SEQUENCE]
    if hmmer_models.HEAD.match(head):
        return [kind for kind in claiming if kind.claims_file(path, head)]
    kind = next((kind for kind in claiming if kind.claims_file(path, head)), SEQUENCE)
    return [TREE if kind is SEQUENCE and _matrices_beside_trees(path, head) else kind]


def read_data(path: str | Path, monitor: Monitor | None = None, beside: Iterable[str | Path] = ()) -> Sequence[Any]:
    """Read all data of a file of any kind; raise InputError if it cannot be read. Ambiguous data have a note.

    The sequences of the files ``beside`` it give the letters of SAM, PAF and chains that name them without letters. The
    files of a zip archive may be of different kinds.
    """
    paths = packed_files.list_files(Path(path))
    if len(paths) == 1:
        return _read_one_file(paths[0], monitor, beside)
    return packed_files.note_files([datum for one in paths for datum in _read_one_file(one, monitor, beside)], paths)


def _matrices_beside_trees(path: Path, head: bytes) -> str:
    """Return what matrices a NEXUS file holds beside its trees, if none of them has letters; "" for other files."""
    if not nexus.HEAD.match(head):
        return ""
    text = b"".join(line_blocks.read_blocks(path, Monitor()))
    return nexus.describe_other_matrices(iter([text])) if tree_files.has_trees(line_blocks.decode_text(text)) else ""


def _read_one_file(path: Path, monitor: Monitor | None, beside: Iterable[str | Path]) -> Sequence[Any]:
    """Read all data of a file that is no archive of several."""
    kind, *others = find_kinds_of_file(path)
    found = read_kind(kind, path, monitor, beside)
    if kind is TREE and not TREE.claims_file(path, _read_head(path)):
        skipped = f"skipped: {_matrices_beside_trees(path, _read_head(path))}"
        return [tree_files.add_note(found[0], skipped), *found[1:]]
    if others and len(found) <= MOST_MODELS:
        return [*found, *(datum for other in others for datum in other.read(path, monitor))]
    if kind.type in (AlignedSequences, DistanceMatrix) and nexus.HEAD.match(_read_head(path)):
        text = line_blocks.decode_text(b"".join(line_blocks.read_blocks(path, Monitor())))
        return _with_trees_beside(found, text, str(path))
    if found and (remark := number_tables.describe_alternative(path, _read_head(path))):
        noted = replace(found[0], note=" ".join(filter(None, (found[0].note, remark))))
        return [noted, *found[1:]]
    return found


def read_kind(
    kind: DataKind, path: Path, monitor: Monitor | None = None, beside: Iterable[str | Path] = ()
) -> Sequence[Any]:
    """Read a file as data of one kind, with the files ``beside`` it as in `read_data`."""
    others = [Path(other) for other in beside if Path(other) != path]
    if kind is not ALIGNMENT or not others:
        return kind.read(path, monitor)
    return aligned_sequences.read_alignments(path, monitor, PairLetters(lambda: _sequences_of_files(others, monitor)))


def takes_letters(path: str | Path) -> bool:
    """Return whether a file is one of pairs whose letters may stand in files beside it."""
    _, start = line_blocks.skip_leading_space(line_blocks.normalise_line_ends(_read_head(Path(path))))
    known = known_formats.find_alignment_format(start)
    return known is not None and known.takes_letters


def _sequences_of_files(paths: Iterable[Path], monitor: Monitor | None) -> Iterator[Any]:
    """Yield the sequences of those files that hold sequences."""
    for path in paths:
        if find_kind_of_file(path) is SEQUENCE:
            yield from sequences.read_sequences(path, monitor=monitor)


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
        return _with_trees_beside(aligned_sequences.read_alignment_text(text), text, "pasted text")
    return sequences.read_sequence_text(text)


def _with_trees_beside(data: Sequence[Any], text: str, source: str) -> list[Any]:
    """Return data and the trees of their file, if it is NEXUS; a note says why the trees cannot be read."""
    if not tree_files.has_trees(text):
        return list(data)
    try:
        return [*data, *tree_files.parse_trees(text, source)]
    except InputError as error:
        first, *others = data
        note = f"the trees of the file are left out: {error}"
        return [replace(first, note="; ".join(filter(None, (first.note, note)))), *others]


def _read_head(path: Path) -> bytes:
    """Return the first unpacked bytes; nothing if they cannot be read, which reading the file will report."""
    try:
        return line_blocks.read_head(path, HEAD_BYTES)
    except InputError:
        return b""
