"""The command that tells posteriors of two rows of an alignment: ``posteriors``."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.progress import watched
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences

POSTERIORS_EXAMPLES = """
[bold]Examples[/]

antidiag posteriors globins.aln HBA_HUMAN MYG_PHYCA

antidiag posteriors globins.aln 1 9 --out pairs.csv
"""
SHOWN = 10


def posteriors(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An alignment.")],
    first: Annotated[str, typer.Argument(metavar="ROW", help="A row, by its name or number.")],
    second: Annotated[str, typer.Argument(metavar="ROW", help="Another one.")],
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Save all pairs of letters as CSV.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print pairs of letters and third rows as JSON.")] = False,
) -> None:
    """How likely letters of two rows stand together, alone and by way of third rows, and which support them most."""
    from antidiag.kernels.msa.consistency import support, support_table  # they load a compiler

    target = None if out is None else Path(out)
    if target is not None:
        inputs.check_place(target, [file])
    with watched() as monitor:
        alignment = inputs.one_alignment(file)
        rows = _row(alignment, first), _row(alignment, second)
        found = support.of_rows(alignment, *rows, monitor)
        pairs, thirds = list(support_table.entries(alignment, found)), support_table.supporters(alignment, found)
    if target is not None:
        with target.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.writer(lines)
            writer.writerow(support_table.HEAD)
            writer.writerows((*one[:4], f"{one[4]:.4f}", f"{one[5]:.4f}", int(one[6]), one[7]) for one in pairs)
    if as_json:
        told = [dict(zip(support_table.HEAD, one, strict=True)) for one in pairs]
        report.print_json({"rows": [alignment.names[row] for row in rows], "pairs": told,
                           "third_rows": [{"name": name, "support": value} for name, value in thirds]})  # fmt: skip
        return
    together = [one for one in pairs if one[6]]
    letters, standing = found.before.shape, max(found.pairs[0].size, 1)
    alone, consistent = (sum(float(one[kind]) for one in together) / standing for kind in (4, 5))
    names = " and ".join(alignment.names[row] for row in rows)
    report.print_rows([
        ("rows", f"{names}, {letters[0]:,} and {letters[1]:,} letters, {found.pairs[0].size:,} of them together"),
        ("posteriors", f"{len(pairs):,} pairs of letters of 0.01 and more, {len(together):,} of them together"),
        ("of the two alone", f"{alone:.3f}, the mean of letters that are together"),
        ("by third rows", f"{consistent:.3f}, the same after consistency"),
        *((f"support {place}", f"{value:.3f}  {name}") for place, (name, value) in enumerate(thirds[:SHOWN], 1)),
        *([("saved", str(target))] if target else []),
    ])  # fmt: skip


def _row(alignment: AlignedSequences, given: str) -> int:
    """The row of this name, or number from 1; InputError where there is none."""
    if given in alignment.names:
        return alignment.names.index(given)
    if given.isdecimal() and 1 <= int(given) <= len(alignment.names):
        return int(given) - 1
    raise InputError(
        f"{alignment.name} has no row {given}; give a name, or a number from 1 to {len(alignment.names):,}"
    )
