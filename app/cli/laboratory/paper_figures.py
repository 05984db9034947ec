"""Figures of the papers as files; they need Qt, which is loaded when a figure is drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli.inputs import check_writable
from antidiag.app.invocation import HOW_TO_INSTALL
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.papers.comparison import PaperComparison
from antidiag.kernels.experiments.papers.paper_tables import PaperTable

SUFFIXES = (".svg", ".png", ".pdf")
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="FILE.svg|FILE.png",
        help="Draw the figure as in the paper, published and measured values together; with several tables, one file "
        "for each.",
    ),
]


def figure_files(plot: str, tables: Sequence[PaperTable]) -> tuple[Path, ...]:
    """Return a file for each table. Raise InputError now for a file that could not be written later."""
    path = Path(plot)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"--plot {plot}: the suffix must be one of {', '.join(SUFFIXES)}")
    if find_spec("PySide6") is None or find_spec("pyqtgraph") is None:
        raise InputError(
            f"--plot needs PySide6 and pyqtgraph, which are not installed; {HOW_TO_INSTALL}, or use --csv and draw its "
            "numbers"
        )
    several = len(tables) > 1
    found = tuple(path.with_stem(f"{path.stem}-{table.id}") if several else path for table in tables)
    for one in found:
        check_writable(one, [])
    return found


def save_figure(path: Path, table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> None:
    """Draw a table's figure into a file; no screen is needed."""
    if sys.platform.startswith("linux") and not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from antidiag.app.tune.papers import paper_figure
    except ImportError as error:
        raise InputError(f"--plot: Qt cannot be loaded: {error}; {HOW_TO_INSTALL}") from None
    paper_figure.save_paper_figure(path, table, compared, quick)
