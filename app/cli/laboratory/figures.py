"""Figures of papers and of sweeps as files; they need Qt, which is loaded when a figure is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import offscreen
from antidiag.app.cli.inputs import check_writable
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.papers.comparison import PaperComparison
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis

SUFFIXES = (".svg", ".png", ".pdf")
METAVAR = "FILE.svg|FILE.png"
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar=METAVAR,
        help="Draw the figure as in the paper, published and measured values together; with several tables, one file "
        "for each.",
    ),
]
SweepPlot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar=METAVAR,
        help="Draw the points: lines over one axis, a heat map over two, else bars of the phases.",
    ),
]


def figure_files(plot: str, tables: Sequence[PaperTable]) -> tuple[Path, ...]:
    """Return a file for each table. Raise InputError now for a file that could not be written later."""
    path, several = Path(plot), len(tables) > 1
    _check_suffix(path)
    found = tuple(path.with_stem(f"{path.stem}-{table.id}") if several else path for table in tables)
    for one in found:
        check_figure_file(one)
    return found


def check_figure_file(path: Path, inputs: Sequence[str] = ()) -> None:
    """Raise InputError for a figure that could not be drawn later, or that would replace one of the ``inputs``."""
    _check_suffix(path)
    offscreen.check_qt("--plot", ", or use --csv and draw its numbers")
    check_writable(path, inputs)


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"--plot {path}: the suffix must be one of {', '.join(SUFFIXES)}")


def save_paper_figure(path: Path, table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> None:
    """Draw a table's figure into a file; no screen is needed."""
    drawing = offscreen.load_drawing("antidiag.app.tune.papers.paper_figure", "--plot")
    drawing.save_paper_figure(path, table, compared, quick)


def save_sweep_figure(
    path: Path, points: Sequence[MeasuredPoint], title: str, axes: Sequence[SweepAxis], baseline: str
) -> None:
    """Draw the points of a sweep into a file; no screen is needed."""
    drawing = offscreen.load_drawing("antidiag.app.tune.plots.sweep_figure", "--plot")
    drawing.save_sweep_figure(path, points, title, axes, baseline)
