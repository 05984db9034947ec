"""The command ``sequences``, which prepares sequences for a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import inputs
from antidiag.app.cli.method_runs import Files, Kind, Records
from antidiag.app.cli.progress import interrupted_at_once, watch_run
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import files as writing
from antidiag.kernels.io import sequence_tools as tools
from antidiag.kernels.io import sequences as reading
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor

SEQUENCES_EXAMPLES = """
[bold]Examples[/]

antidiag sequences genome.fa --range 1000-2000 --reverse-complement --out part.fa

antidiag sequences family.fa --unique --shortest 50 --name kinase --out chosen.fa

antidiag sequences genes.fa --translate 1 > proteins.fa
"""


def sequences(
    files: Files = None,
    records: Records = None,
    kind: Kind = None,
    name: Annotated[str, typer.Option(metavar="TEXT", help="Keep titles that match a regular expression.")] = "",
    shortest: Annotated[int, typer.Option(metavar="N", min=0, help="Minimum length in letters.")] = 0,
    longest: Annotated[int | None, typer.Option(metavar="N", min=0, help="Maximum length in letters.")] = None,
    unique: Annotated[bool, typer.Option("--unique", help="Drop duplicates.")] = False,
    range_: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="FROM-TO",
            help="Keep letters FROM to TO, counted from 1: 10-200, 10-, -200.",
        ),
    ] = None,
    reverse_complement: Annotated[bool, typer.Option("--reverse-complement", help="Reverse-complement.")] = False,
    translate: Annotated[
        int | None,
        typer.Option(metavar="FRAME", help="Translate: frame 1, 2, 3; reverse strand -1, -2, -3."),
    ] = None,
    code: Annotated[int, typer.Option(metavar="N", help="NCBI number of the genetic code.")] = 1,
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FILE", help="Write FASTA to this file.")] = None,
) -> None:
    """Prepare sequences and write them as FASTA: filter, cut, reverse-complement, translate, in this order."""
    path = Path(out) if out is not None else None
    if path is not None:
        inputs.check_writable(path, files or [])
    keeps = tools.sequence_filter(name, shortest, longest)
    with watch_run() as monitor:
        data = _read_chosen(files or [], records or [], kind, monitor)
        data = list(compress(data, map(keeps, data)))
        if unique:
            data = [data[row] for row in tools.unique_rows(data, monitor.check)]
        if not data:
            raise InputError("no sequence is left; loosen --name, --shortest or --longest")
        steps = []
        if range_ is not None:
            steps.append(lambda sequence: tools.extract_range(sequence, *tools.parse_range(range_, len(sequence))))
        if reverse_complement:
            steps.append(tools.reverse_complement)
        if translate is not None:
            steps.append(partial(tools.translate_sequence, frame=translate, code=code))
        for step in steps:
            data = [step(sequence) for sequence in _check_now_and_then(data, monitor)]
        if path is not None:
            writing.write_bytes(path, tools.fasta_records(data))
            return
    sys.stdout.write(b"".join(tools.fasta_records(data)).decode())


def _read_chosen(files: list[str], records: list[str], kind: str | None, monitor: Monitor) -> list[Sequence]:
    if not files:
        raise InputError("give a FILE, or - for standard input")
    wanted = inputs.parse_sequence_type(kind)
    with interrupted_at_once():
        found = [sequence for file in files for sequence in inputs.read_sequences(file, wanted, monitor)]
    chosen = [reading.find_sequence(found, record) for record in records] if records else found
    inputs.print_reading_notes(chosen)
    return chosen


def _check_now_and_then(data: list[Sequence], monitor: Monitor) -> Iterator[Sequence]:
    for number, sequence in enumerate(data):
        if number % tools.BATCH == 0:
            monitor.check()
        yield sequence
