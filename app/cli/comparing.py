"""The command that compares: ``compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from antidiag.app.cli import inputs, report
from antidiag.kernels.io.aligned_compare import compare as agreement
from antidiag.kernels.io.aligned_compare import core_columns

COMPARE_EXAMPLES = """
[bold]Examples[/]

antidiag compare mine.fasta reference.msf

antidiag compare mine.aln BB11001.xml --json
"""


def compare(
    test: Annotated[str, typer.Argument(metavar="TEST", help="An alignment.")],
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The one it should be.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare an alignment with a reference: SP and TC, over all columns and over core blocks where it has them."""
    wanted = inputs.one_alignment(reference)
    found = agreement(inputs.one_alignment(test), wanted)
    core = core_columns(wanted)
    scores = {"all columns": found.scores()} | ({} if core is None else {"core blocks": found.scores(core)})
    if as_json:
        told = {name.replace(" ", "_"): {"sp": sp, "tc": tc} for name, (sp, tc) in scores.items()}
        report.print_json({"rows": found.rows, **told})
        return
    report.print_rows(
        [("rows", f"{found.rows:,}"), *((name, f"SP {sp:.4f}  TC {tc:.4f}") for name, (sp, tc) in scores.items())]
    )
