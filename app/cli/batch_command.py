"""The command ``batch``: one method on many files, here or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.app.cli.executor_options import ExecutorOptions, check_folder
from antidiag.app.cli.method_runs import Kind, RunPlace, Settings, Threads
from antidiag.app.cli.options import with_option_groups
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import config_file, messages
from antidiag.app.cli.shell.completion import complete_method
from antidiag.kernels.batch_runs.batch import Batch, run_batch
from antidiag.kernels.batch_runs.batch_items import BatchItem, list_items, read_table
from antidiag.kernels.batch_runs.batch_summary import FAILURES, SUMMARY, BatchRow
from antidiag.kernels.batch_runs.item_runs import find_usual_method
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.processors import count_processors
from antidiag.kernels.text import format_count

BATCH_EXAMPLES = """
[bold]Examples[/]

antidiag batch msa families/*.fa --out aligned/

antidiag batch tree aligned/ --out trees/ --to nwk

antidiag batch msa families/ --out aligned/ --to sto --to json --resume

antidiag batch align --table pairs.tsv --out pairs/ --mode global

antidiag batch msa families/ --out aligned/ --scheduler tcp://head-node:8786
"""

Inputs = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE|FOLDER...", help="A run for each file, and for each file in folders."),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="A run for each line of a table (tabs, or commas in .csv): column 'file' names the input (several files "
        "separated by ;), 'name' the output, and any other column is an option or a parameter of the method.",
    ),
]
OutFolder = Annotated[
    str,
    typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the results, the summary and the failures."),
]
Formats = Annotated[
    list[str] | None,
    typer.Option("--to", metavar="FORMAT", help="Format of the results, by its suffix: sto, aln, nwk; repeatable."),
]
ResumeBatch = Annotated[
    bool, typer.Option("--resume", help="Continue the batch in the folder: run what is not done there.")
]


@with_option_groups
def batch(
    method_id: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help="Identifier of a method, or a task (align, msa, tree, distances, fold, viterbi), for which each file "
            "gets the recommended method.",
            autocompletion=complete_method,
        ),
    ],
    out: OutFolder,
    given: Inputs = None,
    table: Table = None,
    to: Formats = None,
    resume: ResumeBatch = False,
    settings: Settings = None,
    threads: Threads = None,
    kind: Kind = None,
    *,
    place: RunPlace,
    executor: ExecutorOptions,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Run a method on many files, such as thousands of gene families.

    Small files share a task, and large ones start first. Results are saved as they come. The folder also gets a summary
    (summary.tsv) with time, rows, columns, score and error of every file, the failures apart (failures.tsv), and a
    manifest by which --resume continues after a crash. Each task uses one thread, and as many tasks run at a time as
    there are processors; with --threads N a task uses N.
    """
    items = _find_items(given or [], table)
    wanted = _read_threads(method_id, settings or [], threads)
    planned = Batch(
        method_id,
        tuple(items),
        {**options, **_parse_settings(settings or []), **({"threads": wanted} if wanted else {})},
        {flag: Path(file) for flag, file in flagged.items()},
        tuple(f".{one.lower().removeprefix('.')}" for one in to or ()),
        check_folder(out),
        place.backend,
        place.single_device,
        kind or "",
    )
    planned.check()
    begun, rows = time.monotonic(), list[BatchRow]()
    slots = max(count_processors() // int(wanted), 1) if wanted else None
    with watch_run() as monitor, executor.open(slots) as chosen:
        for row in run_batch(planned, chosen, monitor, resume):
            rows.append(row)
            if row.error:
                messages.print_detail(f"{row.item.label}: {row.error}\n{row.detail}")
    _report_rows(planned, rows, time.monotonic() - begun)


def _find_items(given: list[str], table: str | None) -> list[BatchItem]:
    """Return what the batch runs on."""
    if given and table:
        raise InputError("give FILE... or --table, not both")
    return read_table(table) if table else list_items(given)


def _parse_settings(settings: list[str]) -> dict[str, Any]:
    """Return the parameters of ``-p name=value`` by name, as texts."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"-p must be name=value, such as -p s=128; got {setting!r}")
        if name in found:
            raise ParameterError(f"parameter {name} is given twice; give it once")
        found[name] = text
    return found


def _read_threads(method_id: str, settings: list[str], threads: str | None) -> str | None:
    """Return the threads of a task that the user set, if the method has threads."""
    named = dict(one.split("=", 1) for one in settings if one.startswith("threads="))
    chosen = threads or named.get("threads")
    if chosen is None and "threads" in find_usual_method(method_id).parameters.names():
        chosen = config_file.read_config().threads
    if chosen is not None and not (chosen.isdecimal() and int(chosen) > 0):
        raise ParameterError(f"threads must be a whole number of at least 1; got {chosen!r}")
    return chosen


def _report_rows(planned: Batch, rows: list[BatchRow], seconds: float) -> None:
    """Print how the batch ended. Raises InputError if items failed, which names the first."""
    failed, resumed = [row for row in rows if row.error], sum(row.resumed for row in rows)
    assert planned.folder is not None
    if not messages.is_quiet():
        workers = {row.worker for row in rows if row.worker and not row.resumed}
        done = f"{len(rows) - len(failed):,} of {len(rows):,}"
        report.print_rows(
            [
                ("method", planned.method),
                ("done", f"{done} ({resumed:,} before)" if resumed else done),
                ("time", texts.format_duration(seconds * 1e3)),
                *([("workers", f"{len(workers):,}")] if len(workers) > 1 else []),
                ("saved", str(planned.folder)),
                ("summary", str(planned.folder / SUMMARY)),
            ]
        )
    for note in dict.fromkeys(note for row in rows for note in row.facts.get("notes", ()) if "CPU is used" in note):
        messages.print_note(note)
    if failed:
        count = format_count(len(failed), "run")
        raise InputError(
            f"{count} of {len(rows):,} failed, such as {failed[0].item.label}: {failed[0].error}; "
            f"{planned.folder / FAILURES} lists all"
        )
