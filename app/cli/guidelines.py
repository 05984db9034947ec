"""The command ``guidelines``: what a program for a GPU should mind, measured on the GPU at hand."""

from __future__ import annotations

from typing import Annotated

import typer

from antidiag.app.cli.laboratory.output import Csv, Json, Markdown, Targets
from antidiag.kernels.cuda import devices, measured
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.experiments.tables import Column, Table

GUIDELINES_EXAMPLES = """
[bold]Examples[/]

antidiag guidelines

antidiag guidelines constant texture --markdown -

antidiag guidelines --recorded
"""
COLUMNS = (
    Column("guideline", "guideline"), Column("variant", "variant"), Column("ms", "time", "ms"),
    Column("ratio", "of the fastest", "ratio"), Column("device", "device"), Column("remark", ""),
)  # fmt: skip
Names = Annotated[list[str] | None, typer.Argument(metavar="[GUIDELINE...]", help="Only these.")]
Device = Annotated[int, typer.Option("--device", metavar="N", min=0, help="Number of the GPU.")]
Recorded = Annotated[bool, typer.Option("--recorded", help="Show what one GPU took beforehand, and measure nothing.")]


def guidelines(
    names: Names = None, device: Device = 0, recorded: Recorded = False, csv: Csv = None, json: Json = None,
    markdown: Markdown = None,
) -> None:  # fmt: skip
    """Measure the guidelines for GPUs: memory layout, constant and texture memory, built-ins, dynamic parallelism."""
    targets = Targets(csv, json, markdown)
    targets.check([])
    there, reason = devices.discover()
    if not there and not recorded:
        raise BackendUnavailable(f"guidelines are measured on a GPU: {reason}; --recorded shows what one took")
    chosen = [measured.find(name) for name in names or [one.id for one in measured.GUIDELINES]]
    rows = []
    for guideline in chosen:
        found = measured.recorded(guideline.id) if recorded else measured.measure(guideline.id, device)
        if found is None:
            continue
        for row in found.rows:
            ratio = None if row.milliseconds is None else row.milliseconds / found.fastest_ms
            rows.append({
                "guideline": guideline.id, "variant": row.variant, "ms": row.milliseconds, "ratio": ratio,
                "device": found.device, "remark": row.remark,
            })  # fmt: skip
    advice = tuple(f"{guideline.title}: {guideline.advice}" for guideline in chosen)
    table = Table("Guidelines for GPUs", COLUMNS, tuple(rows), advice)
    targets.save([table], [table], table.data())
