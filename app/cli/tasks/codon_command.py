"""The command ``codon-align``: proteins are aligned by a method for many sequences, and their codons follow."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antidiag.app.cli import inputs
from antidiag.app.cli.inputs import STANDARD_OUTPUT
from antidiag.app.cli.method_runs import Backend, Device, Kind, MethodRun, RunPlace
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import messages
from antidiag.app.cli.tasks.task_commands import method_option
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer, files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.packed_files import format_suffix
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from antidiag.kernels.registry.task_methods import TASKS
from antidiag.kernels.text import format_count

if TYPE_CHECKING:
    from antidiag.kernels.alignments.coding_sequences import CodingSequence

CODON_EXAMPLES = """
[bold]Examples[/]

antidiag codon-align genes.fasta --out codons.fasta

antidiag codon-align genes.fasta --proteins aligned-proteins.aln --out codons.phy

antidiag codon-align mitochondrial.fasta --code 2 --method msa-clustalw --out codons.nex
"""


def codon_align(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Coding sequences; - reads standard input.")],
    proteins: Annotated[
        str | None,
        typer.Option(
            "--proteins", metavar="FILE", help="An alignment of the proteins, whose codons follow it. Else one is made."
        ),
    ] = None,
    method_id: Annotated[str | None, method_option("msa")] = None,
    code: Annotated[int, typer.Option(metavar="N", help="NCBI number of the genetic code.")] = 1,
    keep_frame: Annotated[
        bool, typer.Option("--keep-frame", help="Do not look for shifts of the reading frame.")
    ] = False,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Alignment to write, in the format of its suffix.")
    ] = STANDARD_OUTPUT,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format as a suffix, for standard output: aln, phy.")
    ] = None,
    kind: Kind = None,
    backend: Backend = "auto",
    device: Device = "0",
) -> None:
    """Align coding sequences codon by codon, as their proteins are aligned.

    Notes name stop codons before the end and shifts of the reading frame. A codon that a shift leaves incomplete is
    filled with gaps; a stop codon at the end is left out.
    """
    from antidiag.kernels.alignments import coding_sequences  # loads Numba, which other commands do not need

    if out != STANDARD_OUTPUT:
        inputs.check_writable(Path(out), [source])
    suffix = _choose_suffix(out, to)
    with watch_run() as monitor, tempfile.TemporaryDirectory(prefix="antidiag-") as folder:
        data = inputs.read_sequences(source, inputs.parse_sequence_type(kind), monitor)
        inputs.print_reading_notes(data)
        coding = [coding_sequences.read_coding_sequence(one, code, not keep_frame) for one in data]
        _print_coding_notes(coding)
        aligned = (
            _read_proteins(proteins, monitor)
            if proteins
            else _align_proteins(coding, method_id, RunPlace(backend, device), monitor)
        )
        found = coding_sequences.thread_codons(coding, aligned)
        path = Path(folder) / f"codons{suffix}"
        alignment_writer.write_alignments(path, [found])
        if out == STANDARD_OUTPUT:
            sys.stdout.write(path.read_text(encoding="utf-8"))
        else:
            files.write_bytes(Path(out), [path.read_bytes()])
        rows, columns = found.letters.shape
        messages.print_detail(f"{format_count(rows, 'row')} of {format_count(columns // 3, 'codon')} to {out}")


def _print_coding_notes(coding: list[CodingSequence]) -> None:
    """Print what is unusual in coding sequences, and how many stop codons at their ends were left out."""
    for one in coding:
        for note in one.notes:
            messages.print_note(note)
    if dropped := sum(one.final_stop for one in coding):
        messages.print_note(f"{format_count(dropped, 'stop codon')} at the end left out")


def _choose_suffix(out: str, to: str | None) -> str:
    """Return the suffix of the format that is written; InputError where it is none of an alignment."""
    suffix = f".{to.lstrip('.')}" if to else ".fasta" if out == STANDARD_OUTPUT else format_suffix(Path(out))
    if suffix not in alignment_writer.WRITERS:
        known = ", ".join(alignment_writer.WRITERS)
        raise InputError(f"{out}: the suffix {suffix or '(none)'} is no alignment format; use one of {known}")
    return suffix


def _read_proteins(source: str, monitor: Monitor) -> AlignedSequences:
    """Read an alignment of proteins."""
    found = [datum for datum in data_loading.read_data(Path(source), monitor) if isinstance(datum, AlignedSequences)]
    if len(found) != 1:
        raise InputError(f"{source}: holds {format_count(len(found), 'alignment')}; give one alignment of the proteins")
    return found[0]


def _align_proteins(
    coding: list[CodingSequence], method_id: str | None, place: RunPlace, monitor: Monitor
) -> AlignedSequences:
    """Align the proteins by the method of the user, or by the recommended one."""
    data, task = [one.protein_sequence for one in coding], TASKS["msa"]
    method = task.find(method_id) if method_id else task.recommend(data, place.backend)[0]
    result = MethodRun(method, place, {}, {}).execute(data, monitor, [])
    assert method.problem_type.extract_data is not None
    return method.problem_type.extract_data(result)[0]
