"""The command ``convert``: any file that the program reads, in any format that it writes."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from antidiag.app.cli import inputs
from antidiag.app.cli.inputs import STANDARD_OUTPUT
from antidiag.app.cli.method_runs import Kind, Records
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import messages
from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import edge_list
from antidiag.kernels.graphs.graph import Graph
from antidiag.kernels.hmm.model.hmm import Hmm, format_json
from antidiag.kernels.io import aligned_sequences, alignment_writer, distance_files, files, tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.clustal_msf import CLUSTAL_MARKS_TAG
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.packed_files import format_suffix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.profiles import profile_files
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.registry import data_loading, result_saving

CONVERT_EXAMPLES = """
[bold]Examples[/]

antidiag convert globins.aln globins.sto

antidiag convert genome.gb.gz genome.fasta

cat tree.nwk | antidiag convert - - --to nex > tree.nex

antidiag convert globins.sto globins.fasta --unaligned
"""
Write = Callable[[Path, Sequence[Any]], object]


@dataclass(frozen=True)
class WritableKind:
    """A type of data that can be written: suffixes of its formats, the usual one first, and its writer."""

    label: str
    suffixes: tuple[str, ...]
    write: Write


def _write_only(write: Callable[[Path, Any], object]) -> Write:
    """Return a writer of formats that hold one datum, which refuses several."""

    def write_one(path: Path, data: Sequence[Any]) -> None:
        if len(data) != 1:
            raise InputError(f"{path}: this format holds one; the input has {len(data):,}; split the input")
        write(path, data[0])

    return write_one


def _write_model(path: Path, model: Hmm) -> None:
    files.write_lines(path, [format_json(model)])


WRITABLE: Mapping[type, WritableKind] = MappingProxyType(
    {
        Letters: WritableKind("sequences", (".fasta", ".fa", ".fna", ".faa"), result_saving.write_sequences),
        AlignedSequences: WritableKind(
            "an alignment", tuple(alignment_writer.WRITERS), alignment_writer.write_alignments
        ),
        Tree: WritableKind("trees", (".nwk", ".nex", ".nhx", ".phyloxml", ".nexml"), tree_files.write_trees),
        DistanceMatrix: WritableKind(
            "distances", (".phy", ".npy", ".csv"), _write_only(distance_files.write_distances)
        ),
        Profile: WritableKind("a profile", (".json", ".csv"), _write_only(profile_files.write_profile)),
        Graph: WritableKind("a graph", (".csv",), _write_only(edge_list.write_edges)),
        Hmm: WritableKind("a hidden Markov model", (".json", ".hmm"), _write_only(_write_model)),
    }
)
"""Types of data that can be written."""


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - reads standard input.")],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="File to write, in the format of its suffix; - is standard output.")
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format as a suffix: sto, nex, nwk. By default that of OUT."),
    ] = None,
    unaligned: Annotated[
        bool, typer.Option("--unaligned", help="Write the sequences of an alignment without gaps, as FASTA.")
    ] = False,
    records: Records = None,
    kind: Kind = None,
) -> None:
    """Convert a file into another format: alignments, sequences, trees, distances, profiles, models.

    The content of IN says what it holds, the suffix of OUT (or --to) the format; a further .gz, .bz2, .xz, .zst or .zip
    compresses. What a format cannot hold is named in a note.
    """
    if target != STANDARD_OUTPUT:
        inputs.check_writable(Path(target), [source])
    with watch_run() as monitor, tempfile.TemporaryDirectory(prefix="antidiag-") as folder:
        data = inputs.read_any_data([source], records or [], inputs.parse_sequence_type(kind), monitor)
        inputs.print_reading_notes(data)
        if unaligned:
            data = _unaligned_data(data)
        data = _choose_reading(data, _named_suffix(target, to))
        written = _writable_kind(data, source)
        suffix = _choose_suffix(written, target, to)
        direct = target != STANDARD_OUTPUT and format_suffix(Path(target)) == suffix
        path = Path(target) if direct else Path(folder) / f"output{suffix}"
        _write_named(written, path, data, target)
        _note_losses(data, path, suffix)
        if target == STANDARD_OUTPUT:
            _print_file(path)
        elif not direct:
            files.write_bytes(Path(target), [path.read_bytes()])
        messages.print_detail(f"wrote {written.label} as {suffix} to {target}")


def _write_named(written: WritableKind, path: Path, data: Sequence[Any], target: str) -> None:
    """Write data; errors name the file that somebody asked for, and no temporary one."""
    try:
        written.write(path, data)
    except InputError as error:
        name = "standard output" if target == STANDARD_OUTPUT else target
        raise InputError(str(error).replace(str(path), name)) from error


def _print_file(path: Path) -> None:
    """Write the bytes of a file to standard output."""
    sys.stdout.flush()
    with open(path, "rb") as found:
        shutil.copyfileobj(found, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _unaligned_data(data: Sequence[Any]) -> list[Any]:
    """Return the sequences of alignments without their gaps. Raise InputError if there are none."""
    found = [datum for datum in data if isinstance(datum, AlignedSequences)]
    if not found:
        raise InputError("--unaligned takes an alignment; the input has none")
    return [sequence for datum in found for sequence in aligned_sequences.unaligned_sequences(datum)]


def _named_suffix(target: str, to: str | None) -> str:
    """Return the suffix of the format that is asked for; "" where there is none."""
    return "." + to.lower().removeprefix(".") if to else format_suffix(Path(target))


def _choose_reading(data: Sequence[Any], suffix: str) -> Sequence[Any]:
    """Return the data to write: of a file of HMMER, read in two ways, its profiles for .csv else its models."""
    if {_type_of(datum) for datum in data} != {Hmm, Profile}:
        return data
    wanted = Profile if suffix == ".csv" else Hmm
    return [datum for datum in data if isinstance(datum, wanted)]


def _writable_kind(data: Sequence[Any], source: str) -> WritableKind:
    """Return how the data are written. Raise InputError for data of no format, or of several kinds."""
    kinds = {_type_of(datum) for datum in data}
    if len(kinds) != 1:
        labels = ", ".join(sorted({_label_of(datum) for datum in data})) or "nothing"
        raise InputError(f"{source}: holds {labels}; give a file with data of one kind")
    if (found := WRITABLE.get(next(iter(kinds)))) is None:
        raise InputError(f"{source}: a {_label_of(data[0])} is read but not written; no format of it is known")
    return found


def _type_of(datum: Any) -> type:
    return next((kind for kind in WRITABLE if isinstance(datum, kind)), type(datum))


def _label_of(datum: Any) -> str:
    kind = data_loading.find_kind(datum)
    return kind.label if kind else type(datum).__name__


def _choose_suffix(written: WritableKind, target: str, to: str | None) -> str:
    """Return the suffix of the format. Raise InputError for one in which the data cannot be written."""
    known = ", ".join(written.suffixes)
    if to is None and target == STANDARD_OUTPUT:
        return written.suffixes[0]
    chosen = _named_suffix(target, to)
    if chosen not in written.suffixes:
        unaligned = written is WRITABLE[Letters] and chosen in WRITABLE[AlignedSequences].suffixes
        raise InputError(
            f"{target}: the input holds {written.label}, which cannot be written as {chosen or '(no suffix)'}; "
            f"choose from {known}, with --to or as the suffix of OUT"
            + ("; or align the sequences first, with msa" if unaligned else "")
        )
    return chosen


def _note_losses(data: Sequence[Any], path: Path, suffix: str) -> None:
    """Say which annotations and blanks in names the written file does not hold, by reading it again."""
    before, spaced = _annotation_names(data), _spaced_names(data)
    after = data_loading.read_data(path) if before or spaced else []
    if spaced and len(_spaced_names(after)) < len(spaced):
        messages.print_note(f"{suffix} writes blanks in names as _")
    lost = before and [name for name in before if name not in _annotation_names(after)]
    if lost:
        complete = ".nhx" if isinstance(data[0], Tree) else ".sto"
        hint = "" if suffix == complete else f"; {complete} keeps more"
        messages.print_note(f"{suffix} does not keep {', '.join(lost)}{hint}")


def _spaced_names(data: Sequence[Any]) -> list[str]:
    """Return the names of rows of alignments that have blanks."""
    rows = (name for datum in data if isinstance(datum, AlignedSequences) for name in datum.names)
    return [name for name in rows if " " in name]


def _annotation_names(data: Sequence[Any]) -> dict[str, None]:
    """Return the annotations of alignments and trees in words."""
    found: dict[str, None] = {}
    for datum in data:
        if isinstance(datum, Tree):
            found |= dict.fromkeys(datum.node_values)
        elif isinstance(datum, AlignedSequences):
            notes = datum.annotations
            found |= dict.fromkeys(f"{tag} of the file" for tag, _ in notes.of_file)
            found |= dict.fromkeys(f"{tag} of rows" for _, tag, _ in notes.of_rows)
            columns = (tag for tag, _ in notes.of_columns if tag != CLUSTAL_MARKS_TAG)  # they follow from the letters
            found |= dict.fromkeys(f"{tag} of columns" for tag in columns)
            found |= dict.fromkeys(f"{tag} of letters" for _, tag, _ in notes.of_letters)
    return found
