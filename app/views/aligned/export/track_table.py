"""Writes the values of tracks as a table, a line per column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QWidget

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.monitor import Monitor

SEPARATORS = {".csv": ",", ".tsv": "\t"}
CHECK_LINES = 1 << 14
"""Lines between two checks for cancellation."""


def ask_and_save(
    parent: QWidget,
    name: str,
    picture: AlignmentPicture,
    shown: list[str],
    counting: Callable[[Monitor], ColumnCounts],
    saving: LatestTask,
    report: Callable[[str], None],
) -> None:
    """Ask for a file and let ``saving`` write the shown tracks of the selected columns, or of all."""
    filters = "CSV table (*.csv);;TSV table (*.tsv)"
    path = ask.save_path(parent, "Save tracks", f"{name}-tracks.csv", filters, SEPARATORS)
    if path is None:
        return
    asked = replace(picture)

    def write(monitor: Monitor) -> Path:
        made = tracks.compute_tracks(asked, counting, shown, False, monitor)
        write_lines(path, table_lines(made, shown, SEPARATORS.get(path.suffix.lower(), ","), monitor))
        return path

    report(f"Saving {path} ...")
    saving.request(write)


def table_lines(picture: AlignmentPicture, shown: list[str], separator: str, monitor: Monitor) -> Iterator[str]:
    """Yield the header and a line per selected column (or per column): its number from 1 and the tracks' values."""
    columns = picture.cell_selection.columns if not picture.cell_selection.is_empty else np.ones(picture.shape[1], bool)
    said = [_column_formatter(picture, name) for name in shown]
    yield separator.join(["column", *(_quote_field(tracks.track_title(name), separator) for name in shown)]) + "\n"
    for number, column in enumerate(np.flatnonzero(columns).tolist()):
        if number % CHECK_LINES == 0:
            monitor.check()
        yield separator.join([str(column + 1), *(_quote_field(text_of(column), separator) for text_of in said)]) + "\n"


def _column_formatter(picture: AlignmentPicture, name: str) -> Callable[[int], str]:
    """Return a function from a column to the text of a track."""
    if tracks.has_values(picture, name):
        values = tracks.track_values(name, picture)
        return lambda column: f"{values[column]:.4g}"
    text = tracks.track_characters(name, picture, 0, picture.shape[1])
    return lambda column: text[column : column + 1].strip()


def _quote_field(text: str, separator: str) -> str:
    return '"' + text.replace('"', '""') + '"' if separator in text or '"' in text else text
