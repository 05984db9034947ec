"""The command that prepares sequences for a run: ``sequences``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import inputs
from antidiag.app.cli.computing import Files, Kind, Records
from antidiag.app.cli.progress import interrupted_at_once, watched
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import files as writing
from antidiag.kernels.io import sequence_tools as tools
from antidiag.kernels.io import sequences as reading
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor

SEQUENCES_EXAMPLES = """
[bold]Examples[/]

antidiag sequences genome.fa --range 1000-2000 --reverse-complement --out part.fa

antidiag sequences family.fa --without-doubles --shortest 50 --name kinase --out chosen.fa

antidiag sequences genes.fa --translate 1 > proteins.fa
"""


def sequences(
    files: Files = None,
    records: Records = None,
    kind: Kind = None,
    name: Annotated[str, typer.Option(metavar="TEXT", help="Keep titles in which this regular expression is.")] = "",
    shortest: Annotated[int, typer.Option(metavar="N", min=0, help="Keep sequences of so many letters or more.")] = 0,
    longest: Annotated[int | None, typer.Option(metavar="N", min=0, help="Keep those of so many or fewer.")] = None,
    without_doubles: Annotated[bool, typer.Option("--without-doubles", help="Keep the first of equal ones.")] = False,
    range_: Annotated[
        str | None,
        typer.Option("--range", metavar="FROM-TO", help="Letters from 1 on, both included: 10-200, 10-, -200."),
    ] = None,
    reverse_complement: Annotated[bool, typer.Option("--reverse-complement", help="Take the other strand.")] = False,
    translate: Annotated[
        int | None, typer.Option(metavar="FRAME", help="Translate: frame 1, 2, 3, of the other strand -1, -2, -3.")
    ] = None,
    code: Annotated[int, typer.Option(metavar="N", help="Genetic code, by its number at the NCBI.")] = 1,
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FILE", help="Write FASTA here.")] = None,
) -> None:
    """Prepare sequences: choose, cut, turn, translate; written as FASTA, in this order of steps."""
    path = Path(out) if out is not None else None
    if path is not None:
        inputs.check_place(path, files or [])
    keeps = tools.choosing(name, shortest, longest)
    with watched() as monitor:
        data = _read(files or [], records or [], kind, monitor)
        data = list(compress(data, map(keeps, data)))
        if without_doubles:
            data = tools.without_doubles(data, monitor.check)
        if not data:
            raise InputError("no sequence is left; loosen --name, --shortest or --longest")
        steps = []
        if range_ is not None:
            steps.append(lambda sequence: tools.part(sequence, *tools.span(range_, len(sequence))))
        if reverse_complement:
            steps.append(tools.other_strand)
        if translate is not None:
            steps.append(partial(tools.translated, frame=translate, code=code))
        for step in steps:
            data = [step(sequence) for sequence in _watched(data, monitor)]
        if path is not None:
            writing.write_bytes(path, tools.fasta(data))
            return
    sys.stdout.write(b"".join(tools.fasta(data)).decode())


def _read(files: list[str], records: list[str], kind: str | None, monitor: Monitor) -> list[Sequence]:
    if not files:
        raise InputError("there is no FILE; name one, or - for standard input")
    wanted = inputs.sequence_type(kind)
    with interrupted_at_once():
        found = [sequence for file in files for sequence in inputs.read_sequences(file, wanted, monitor)]
    return [reading.find(found, record) for record in records] if records else found


def _watched(data: list[Sequence], monitor: Monitor) -> Iterator[Sequence]:
    for number, sequence in enumerate(data):
        if number % tools.BATCH == 0:
            monitor.check()
        yield sequence
