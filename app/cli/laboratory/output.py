"""Output of the measuring commands: progress, Ctrl-C, tables on the screen and in files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table as Drawn
from rich.text import Text

from antidiag.app import texts
from antidiag.app.cli.inputs import STANDARD_OUTPUT, check_writable
from antidiag.app.cli.progress import cancelled_by_interrupt
from antidiag.app.cli.shell import messages
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.experiments.measuring.runner import SweepControl
from antidiag.kernels.experiments.measuring.runner import SweepProgress as Far
from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.point_data.tables import ReportTable
from antidiag.kernels.io.files import write_lines

Csv = Annotated[str | None, typer.Option("--csv", metavar="FILE|-", help="Save all numbers as CSV; - prints it alone.")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Save as JSON; - prints it alone.")]
Markdown = Annotated[
    str | None, typer.Option("--markdown", metavar="FILE|-", help="Save the table as Markdown; - prints it alone.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue an interrupted measurement: keep the points that this version has measured.",
    ),
]


WIDE = 240
"""Width of a table in a file or pipe, in letters."""


@dataclass(frozen=True, slots=True)
class TableTargets:
    """Where tables are saved; "-" is standard output, which then contains nothing else."""

    csv: Csv = None
    json: Json = None
    markdown: Markdown = None

    def check(self, files: Sequence[str]) -> None:
        """Raise InputError now for a file that could not be written after the measurement."""
        given = [name for name in (self.csv, self.json, self.markdown) if name is not None]
        if given.count(STANDARD_OUTPUT) > 1:
            raise InputError("only one of --csv, --json and --markdown can go to standard output")
        for name in given:
            if name != STANDARD_OUTPUT:
                check_writable(Path(name), files)

    def refuse_tables(self, option: str) -> None:
        """Raise InputError if tables are to be saved, which ``option`` does not make."""
        if (self.csv, self.json, self.markdown) != (None, None, None):
            raise InputError(f"{option} saves no table; remove --csv, --json and --markdown")

    def save(self, shown: Sequence[ReportTable], full: Sequence[ReportTable], data: Any) -> None:
        """Write the files, and print the tables unless one of the targets is standard output."""
        contents = (
            (self.csv, "\n".join(map(tables.to_csv, full))),
            (self.markdown, "\n".join(map(tables.to_markdown, shown))),
            (self.json, json.dumps(data, indent=1) + "\n"),
        )
        for name, text in contents:
            if name == STANDARD_OUTPUT:
                sys.stdout.write(text)
            elif name is not None:
                write_lines(name, [text])
        if STANDARD_OUTPUT not in (self.csv, self.json, self.markdown):
            for table in shown:
                print_table(table)
            for name, _ in contents:
                if name is not None:
                    print(f"saved {name}")

    @property
    def message_stream(self) -> TextIO:
        """The stream for messages: standard error if standard output holds data."""
        return sys.stderr if STANDARD_OUTPUT in (self.csv, self.json, self.markdown) else sys.stdout


def print_table(table: ReportTable) -> None:
    """Print a table without its empty columns."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    drawn = Drawn(title=table.title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in table.used_columns:
        is_text = column.kind in tables.TEXT_KINDS
        drawn.add_column(
            column.heading, justify="left" if is_text else "right", overflow="fold", no_wrap=column.key != "remark"
        )
    for row in table.rows:
        remark = str(row.get("remark") or "")
        cells = [Text(tables.format_cell(column, row.get(column.key))) for column in table.used_columns]
        drawn.add_row(*cells, style="bold red" if remark.startswith(str(PointStatus.WRONG)) else None)
    console.print(drawn)
    for note in table.notes:
        console.print(Text(note), style="dim")


@contextmanager
def watch_measurement() -> Iterator[tuple[SweepControl, Callable[[Far], None]]]:
    """Yield a control that Ctrl-C cancels, and a callback that draws a progress bar if standard error is a terminal.

    The first Ctrl-C cancels the current computation, the second one ends the process.
    """
    control = SweepControl()
    if messages.is_quiet() or not sys.stderr.isatty():
        with cancelled_by_interrupt(control):
            yield control, lambda show_progress: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}  {task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, count="", left="")

        def show_progress(progress: Far) -> None:
            left = (
                ""
                if progress.remaining_s is None
                else f"about {texts.format_duration(progress.remaining_s * 1e3)} left"
            )
            count = f"{progress.done} of {progress.total}" if progress.total else f"{progress.done} tried"
            total = progress.total or None
            bar.update(task, completed=progress.done, total=total, description=progress.text, count=count, left=left)

        with cancelled_by_interrupt(control):
            yield control, show_progress


@contextmanager
def report_kept_points(place: Path, found: Sequence[MeasuredPoint], total: int) -> Iterator[None]:
    """Say how to continue if the measurement inside is cancelled or the disk is full."""
    try:
        yield
    except (Cancelled, KeyboardInterrupt, InputError) as error:
        if isinstance(error, InputError) and not found:
            raise
        text = f"{len(found)} of {total} points are saved in {place}; repeat the command with --resume to continue"
        messages.print_message(text)
        raise


def print_warnings(points: Sequence[MeasuredPoint], warnings: Sequence[str] = ()) -> None:
    """Print warnings about wrong answers and unreadable results on standard error."""
    for warning in warnings:
        messages.print_error(warning)
    for point in points:
        if point.status is PointStatus.WRONG:
            messages.print_error(f"{point.name}: {point.reason}")


def check_measured(points: Sequence[MeasuredPoint]) -> None:
    """If no point could be measured, print the reasons and exit with code 2."""
    if points and not any(point.has_times for point in points):
        for line in dict.fromkeys(f"{point.name}: {point.reason}" for point in points):
            messages.print_error(line)
        raise typer.Exit(2)


def exit_if_wrong(points: Sequence[MeasuredPoint]) -> None:
    """Exit with code 1 if an answer was wrong."""
    if any(point.status is PointStatus.WRONG for point in points):
        raise typer.Exit(1)
