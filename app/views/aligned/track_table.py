"""The values of tracks as a table, a line for each column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QFileDialog, QWidget

from antidiag.app.kit import export
from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned import tracks
from antidiag.app.views.aligned.picture import Picture
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.monitor import Monitor

SEPARATORS = {".csv": ",", ".tsv": "\t"}
TOLD = 1 << 14
"""Lines between two looks at the wish to stop."""


def ask_and_save(
    parent: QWidget,
    picture: Picture,
    shown: list[str],
    counting: Callable[[Monitor], Columns],
    saving: Latest,
    tell: Callable[[str], None],
) -> None:
    """Ask for a file, and let ``saving`` write the tracks that are shown, of the chosen columns or of all."""
    filters = "CSV table (*.csv);;TSV table (*.tsv)"
    name, kind = QFileDialog.getSaveFileName(parent, "Save tracks", "tracks.csv", filters)
    if not name:
        return
    path, asked = export.with_suffix(name, kind, SEPARATORS), replace(picture)

    def write(monitor: Monitor) -> Path:
        made = tracks.with_values(asked, counting, shown, False, monitor)
        write_lines(path, lines(made, shown, SEPARATORS.get(path.suffix.lower(), ","), monitor))
        return path

    tell(f"Saving {path} ...")
    saving.request(write)


def lines(picture: Picture, shown: list[str], separator: str, monitor: Monitor) -> Iterator[str]:
    """The head and a line for each of the chosen columns, or of all: their numbers, from 1, and what the tracks say."""
    columns = picture.choice.columns if not picture.choice.empty else np.ones(picture.shape[1], bool)
    said = [_said(picture, name) for name in shown]
    yield separator.join(["column", *(_quoted(tracks.title_of(name), separator) for name in shown)]) + "\n"
    for number, column in enumerate(np.flatnonzero(columns).tolist()):
        if number % TOLD == 0:
            monitor.check()
        yield separator.join([str(column + 1), *(_quoted(tell(column), separator) for tell in said)]) + "\n"


def _said(picture: Picture, name: str) -> Callable[[int], str]:
    """What a track says of a column."""
    if tracks.has_values(picture, name):
        values = tracks.values(name, picture)
        return lambda column: f"{values[column]:.4g}"
    text = tracks.characters(name, picture, 0, picture.shape[1])
    return lambda column: text[column : column + 1].strip()


def _quoted(text: str, separator: str) -> str:
    """A field of a table, in quotation marks where it needs them."""
    return '"' + text.replace('"', '""') + '"' if separator in text or '"' in text else text
