"""The command ``compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from antidiag.app.cli import inputs, report
from antidiag.kernels.alignments.comparison import compare_to_reference as agreement
from antidiag.kernels.alignments.comparison import core_columns

COMPARE_EXAMPLES = """
[bold]Examples[/]

antidiag compare mine.fasta reference.msf

antidiag compare mine.aln BB11001.xml --json
"""


def compare(
    test: Annotated[str, typer.Argument(metavar="TEST", help="Alignment to be judged.")],
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="Reference alignment.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare an alignment with a reference: SP and TC over all columns, and over its core blocks if it has them."""
    wanted = inputs.read_one_alignment(reference)
    found = agreement(inputs.read_one_alignment(test), wanted)
    core = core_columns(wanted)
    scores = {"all columns": found.scores()} | ({} if core is None else {"core blocks": found.scores(core)})
    if as_json:
        values = {name.replace(" ", "_"): {"sp": sp, "tc": tc} for name, (sp, tc) in scores.items()}
        report.print_json({"test": test, "reference": reference, "rows": found.rows, "core_blocks": None, **values})
        return
    lines = [(name, f"SP {sp:.4f}  TC {tc:.4f}") for name, (sp, tc) in scores.items()]
    report.print_rows([("test", test), ("reference", reference), ("rows", f"{found.rows:,}"), *lines])
