"""The command ``guidelines``: programming guidelines for GPUs, measured on this machine's GPU."""

from __future__ import annotations

from typing import Annotated

import typer

from antidiag.app.cli.laboratory.output import TableTargets
from antidiag.app.cli.options import with_option_groups
from antidiag.kernels.cuda import devices, guideline_timings
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable

GUIDELINES_EXAMPLES = """
[bold]Examples[/]

antidiag guidelines

antidiag guidelines constant texture --markdown -

antidiag guidelines --recorded
"""
COLUMNS = (
    Column("guideline", "guideline"),
    Column("variant", "variant"),
    Column("ms", "time", "ms"),
    Column("ratio", "of the fastest", "ratio"),
    Column("device", "device"),
    Column("remark", ""),
)
Names = Annotated[list[str] | None, typer.Argument(metavar="[GUIDELINE...]", help="Measure these only.")]
Device = Annotated[int, typer.Option("--device", metavar="N", min=0, help="Number of the GPU.")]
Recorded = Annotated[bool, typer.Option("--recorded", help="Show the recorded times of one GPU instead of measuring.")]


@with_option_groups
def guidelines(names: Names = None, device: Device = 0, recorded: Recorded = False, *, targets: TableTargets) -> None:
    """Measure the guidelines for GPUs: memory layout, constant and texture memory, built-ins, dynamic parallelism."""
    targets.check([])
    there, reason = devices.discover_devices()
    if not there and not recorded:
        raise BackendUnavailable(f"guidelines need a GPU: {reason}; --recorded shows recorded times")
    chosen = [
        guideline_timings.find_guideline(name) for name in names or [one.id for one in guideline_timings.GUIDELINES]
    ]
    rows = []
    for guideline in chosen:
        found = (
            guideline_timings.read_recorded_times(guideline.id)
            if recorded
            else guideline_timings.measure_guideline(guideline.id, device)
        )
        if found is None:
            continue
        for row in found.rows:
            ratio = None if row.milliseconds is None else row.milliseconds / found.fastest_ms
            values = (guideline.id, row.variant, row.milliseconds, ratio, found.device, row.remark)
            rows.append(dict(zip((column.key for column in COLUMNS), values, strict=True)))
    advice = tuple(f"{guideline.title}: {guideline.advice}" for guideline in chosen)
    table = ReportTable("Guidelines for GPUs", COLUMNS, tuple(rows), advice)
    targets.save([table], [table], table.to_json())
