"""The papers' figures as files: the one thing on the command line that needs Qt, and only when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli.inputs import check_place
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.papers.published import Compared, PaperTable

SUFFIXES = (".svg", ".png", ".pdf")
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot", metavar="FILE.svg|FILE.png",
        help="Draw each as the paper does, published and measured together; of several tables each gets its name.",
    ),
]  # fmt: skip


def files(plot: str, tables: Sequence[PaperTable]) -> tuple[Path, ...]:
    """A file for each table; InputError now for what could only fail after the measurement."""
    path = Path(plot)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"--plot {plot}: figures are written as {', '.join(SUFFIXES)}; choose one of these suffixes")
    if find_spec("PySide6") is None or find_spec("pyqtgraph") is None:
        raise InputError(
            "--plot draws with PySide6 and pyqtgraph, which are not installed; python3 scripts/setup.py installs them, "
            "or leave out --plot and draw the numbers of --csv"
        )
    several = len(tables) > 1
    found = tuple(path.with_stem(f"{path.stem}-{table.id}") if several else path for table in tables)
    for one in found:
        check_place(one, [])
    return found


def save(path: Path, table: PaperTable, compared: Sequence[Compared], quick: bool) -> None:
    """Draw a table's figure into a file; no screen is needed."""
    if sys.platform.startswith("linux") and not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from antidiag.app.tune.papers import figure
    except ImportError as error:
        raise InputError(f"--plot: Qt cannot be loaded: {error}; python3 scripts/setup.py installs it") from None
    figure.save(path, table, compared, quick)
