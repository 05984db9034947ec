"""The command ``posteriors``, for two rows of an alignment."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.progress import watch_run
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences

POSTERIORS_EXAMPLES = """
[bold]Examples[/]

antidiag posteriors globins.aln HBA_HUMAN MYG_PHYCA

antidiag posteriors globins.aln 1 9 --out pairs.csv
"""
SHOWN = 10


def posteriors(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Alignment file.")],
    first: Annotated[str, typer.Argument(metavar="ROW", help="Name or number of a row.")],
    second: Annotated[str, typer.Argument(metavar="ROW", help="Name or number of another row.")],
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Save all letter pairs as CSV.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print letter pairs and third sequences as JSON.")] = False,
) -> None:
    """Show how likely the letters of two rows align, directly and through third sequences that support them."""
    from antidiag.kernels.msa.consistency import pair_support, pair_support_table  # they load a compiler

    target = None if out is None else Path(out)
    if target is not None:
        inputs.check_writable(target, [file])
    with watch_run() as monitor:
        alignment = inputs.read_one_alignment(file)
        rows = _find_row(alignment, first), _find_row(alignment, second)
        found = pair_support.compute_pair_support(alignment, *rows, monitor)
        pairs, thirds = (
            list(pair_support_table.list_entries(alignment, found)),
            pair_support_table.list_supporters(alignment, found),
        )
    if target is not None:
        with target.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.writer(lines)
            writer.writerow(pair_support_table.HEAD)
            writer.writerows((*one[:4], f"{one[4]:.4f}", f"{one[5]:.4f}", int(one[6]), one[7]) for one in pairs)
    if as_json:
        listed = [report.null_if_empty(dict(zip(pair_support_table.HEAD, one, strict=True))) for one in pairs]
        supporters = [{"name": name, "support": value} for name, value in thirds]
        row_names = [alignment.names[row] for row in rows]
        report.print_json({"rows": row_names, "pairs": listed, "third_rows": supporters})
        return
    together = [one for one in pairs if one[6]]
    letters, standing = found.before.shape, max(found.pairs[0].size, 1)
    alone, consistent = (sum(float(one[kind]) for one in together) / standing for kind in (4, 5))
    names = " and ".join(alignment.names[row] for row in rows)
    report.print_rows(
        [
            ("rows", f"{names}, {letters[0]:,} and {letters[1]:,} letters, {found.pairs[0].size:,} aligned"),
            ("posteriors", f"{len(pairs):,} letter pairs with 0.01 or more, {len(together):,} of them aligned"),
            ("direct", f"{alone:.3f}, mean over aligned letters"),
            ("consistent", f"{consistent:.3f}, mean after consistency with third sequences"),
            *((f"support {place}", f"{value:.3f}  {name}") for place, (name, value) in enumerate(thirds[:SHOWN], 1)),
            *([("saved", str(target))] if target else []),
        ]
    )


def _find_row(alignment: AlignedSequences, given: str) -> int:
    """Return the index of the row with this name or number (from 1). Raise InputError if there is none."""
    if given in alignment.names:
        return alignment.names.index(given)
    if given.isdecimal() and 1 <= int(given) <= len(alignment.names):
        return int(given) - 1
    raise InputError(f"{alignment.name} has no row {given}; give a name or a number from 1 to {len(alignment.names):,}")
