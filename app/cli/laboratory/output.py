"""What the laboratory's commands share: progress with the time left, Ctrl-C, tables on the screen and in files."""

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
from antidiag.app.cli.inputs import STANDARD_OUTPUT, check_place
from antidiag.app.cli.progress import cancelled_by_interrupt
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.experiments import tables
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.experiments.runner import Control
from antidiag.kernels.experiments.runner import Progress as Far
from antidiag.kernels.experiments.tables import Table
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
        help="Go on where it was stopped: take points that this version has measured before as they are.",
    ),
]


WIDE = 240
"""Columns of a table that goes to a file or a pipe."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Where tables go; "-" is standard output, which then holds nothing else."""

    csv: str | None = None
    json: str | None = None
    markdown: str | None = None

    def check(self, files: Sequence[str]) -> None:
        """InputError now for what could only fail after the measurement."""
        given = [name for name in (self.csv, self.json, self.markdown) if name is not None]
        if given.count(STANDARD_OUTPUT) > 1:
            raise InputError("only one of --csv, --json and --markdown can go to standard output")
        for name in given:
            if name != STANDARD_OUTPUT:
                check_place(Path(name), files)

    def save(self, shown: Sequence[Table], full: Sequence[Table], data: Any) -> None:
        """Write the files; on the screen the tables are drawn unless one of the targets is standard output."""
        contents = (
            (self.csv, "\n".join(map(tables.csv_text, full))),
            (self.markdown, "\n".join(map(tables.markdown, shown))),
            (self.json, json.dumps(data, indent=1) + "\n"),
        )
        for name, text in contents:
            if name == STANDARD_OUTPUT:
                sys.stdout.write(text)
            elif name is not None:
                write_lines(name, [text])
        if STANDARD_OUTPUT not in (self.csv, self.json, self.markdown):
            for table in shown:
                draw(table)
            for name, _ in contents:
                if name is not None:
                    print(f"saved {name}")

    @property
    def told(self) -> TextIO:
        """Where people are told of other files that were saved: not where a program reads."""
        return sys.stderr if STANDARD_OUTPUT in (self.csv, self.json, self.markdown) else sys.stdout


def draw(table: Table) -> None:
    """A table on standard output; columns that hold nothing are left out."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    drawn = Drawn(title=table.title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in table.used:
        is_text = column.kind in tables.WORDS
        drawn.add_column(
            column.heading, justify="left" if is_text else "right", overflow="fold", no_wrap=column.key != "remark"
        )
    for row in table.rows:
        remark = str(row.get("remark") or "")
        cells = [Text(tables.cell(column, row.get(column.key))) for column in table.used]
        drawn.add_row(*cells, style="bold red" if remark.startswith(str(Status.WRONG)) else None)
    console.print(drawn)
    for note in table.notes:
        console.print(Text(note), style="dim")


@contextmanager
def watched() -> Iterator[tuple[Control, Callable[[Far], None]]]:
    """A control that Ctrl-C cancels, and a listener that draws a bar on standard error where that is a terminal.

    The first Ctrl-C stops after what is being computed is told to, the second one at once.
    """
    control = Control()
    if not sys.stderr.isatty():
        with cancelled_by_interrupt(control):
            yield control, lambda far: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}  {task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, count="", left="")

        def far(progress: Far) -> None:
            left = "" if progress.left_s is None else f"about {texts.duration(progress.left_s * 1e3)} left"
            count = f"{progress.done} of {progress.total}" if progress.total else f"{progress.done} tried"
            total = progress.total or None
            bar.update(task, completed=progress.done, total=total, description=progress.text, count=count, left=left)

        with cancelled_by_interrupt(control):
            yield control, far


@contextmanager
def kept_in_the_end(place: Path, found: Sequence[Point], total: int) -> Iterator[None]:
    """Say what is kept and how to go on, when the measurement inside is cancelled, or the disk takes no more."""
    try:
        yield
    except (Cancelled, KeyboardInterrupt, InputError) as error:
        if isinstance(error, InputError) and not found:
            raise
        print(f"{len(found)} of {total} points are kept in {place}; the same command with --resume goes on",
              file=sys.stderr)  # fmt: skip
        raise


def complain(points: Sequence[Point], warnings: Sequence[str] = ()) -> None:
    """What must not be overlooked: answers that are wrong, and results that could not be read back."""
    for warning in warnings:
        print(f"antidiag: {warning}", file=sys.stderr)
    for point in points:
        if point.status is Status.WRONG:
            print(f"antidiag: {point.name}: {point.reason}", file=sys.stderr)


def check_measured(points: Sequence[Point]) -> None:
    """Say why, a line for each reason, and end with code 2, where not one point could be measured."""
    if points and not any(point.measured for point in points):
        for line in dict.fromkeys(f"{point.name}: {point.reason}" for point in points):
            print(f"antidiag: {line}", file=sys.stderr)
        raise typer.Exit(2)


def exit_code(points: Sequence[Point]) -> None:
    """End with code 1 where an answer was wrong."""
    if any(point.status is Status.WRONG for point in points):
        raise typer.Exit(1)
