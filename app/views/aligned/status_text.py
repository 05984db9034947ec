"""Texts of the viewer: what is at a cell, what is selected, what the colours mean, how far a task is."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QToolButton

from antidiag.app import texts
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.app.views.aligned.editing.edit_history import AlignmentEditor
from antidiag.kernels.io.aligned_sequences import GAP

HINT = "Drag to select, Ctrl+wheel to zoom (Shift: columns, Alt: rows), Space and Backspace to edit gaps"
MOST_LETTERS = 5
"""Most letters of a column that are named with their shares."""
MAX_LEGEND_COLOURS = 24
"""A colour for each amino acid, and some for ambiguity letters."""


def describe_cell(picture: AlignmentPicture | None, cell: tuple[int, int] | None = None) -> str:
    """Describe a cell, or the cell at the cursor, and the selection; without a selection give a hint."""
    if picture is None:
        return ""
    place, column = cell or picture.cursor
    choice, letter, position = (
        picture.cell_selection,
        picture.letter_at(place, column),
        picture.count_letters(place, column),
    )
    position = picture.source_position(int(picture.order[place]), position)
    where = f"letter {letter} {position:,}" if letter != chr(GAP) else f"gap after letter {position:,}"
    parts = [f"column {column + 1:,}", f"row {place + 1:,} {picture.line_name(place)}", where]
    if not choice.is_empty:
        blocks = "" if choice.is_single_block else f", in {len(choice.blocks)} blocks"
        parts.append(f"selected: {texts.format_size(int(choice.rows.sum()), int(choice.columns.sum()))}{blocks}")
    elif not (cell or place or column):
        parts.append(HINT)
    return " \N{MIDDLE DOT} ".join(parts)


def describe_track(picture: AlignmentPicture, name: str, column: int) -> str:
    """Return the value of a track at a column: "column 57, Conservation: 0.82"; "" while it is not counted."""
    if not tracks.fits_alignment(picture, name) or tracks.missing_tracks(picture, [name]) or picture.columns is None:
        return ""
    if tracks.has_values(picture, name):
        value = f"{tracks.track_values(name, picture)[column]:.3g}"
    else:
        value = tracks.track_characters(name, picture, column, column + 1).strip() or "none"
    words = f"column {column + 1:,} \N{MIDDLE DOT} {tracks.track_title(name)}: {value}"
    if name != "logo":
        return words
    return f"{words} bits \N{MIDDLE DOT} {_describe_letters(picture, column)}"


def _describe_letters(picture: AlignmentPicture, column: int) -> str:
    """Return the most frequent letters of a column with their shares of the rows."""
    letters = picture.alignment.letters[:, column]
    values, counts = np.unique(letters[letters != GAP], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_LETTERS]
    shares = 100 * counts / max(letters.size, 1)
    return ", ".join(f"{chr(values[one])} {shares[one]:.0f} %" for one in order.tolist())


def make_legend(picture: AlignmentPicture, edited: bool) -> tuple[LegendItem, ...]:
    """Return the legend: size, edited or not, collapsed and hidden rows, and the colours."""
    items = [LegendItem("text", picture.alignment.summary + (", edited" if edited else ""))]
    folded = picture.list_rows(picture.order).size - picture.order.size
    if folded:
        items.append(LegendItem("text", f"{folded + len(picture.folds):,} rows collapsed"))
    if hidden := len(picture.alignment.names) - picture.order.size - folded:
        items.append(LegendItem("text", f"{hidden:,} rows hidden"))
    colours = picture.colouring.items[:MAX_LEGEND_COLOURS]
    return (*items, *(LegendItem("fill", word, (colour,)) for colour, word in colours))


def format_percent(done: int, total: int, *_: object) -> str:
    """Format progress as a percentage."""
    return f"{100 * done // max(total, 1)} %"


def format_missing_rows(missing: int, rows: int) -> str:
    """Say how many rows a tree lacks after sorting by it."""
    return f"The tree lacks {missing:,} of {rows:,} rows; they are last."


def update_undo_buttons(editor: AlignmentEditor, undo: QToolButton, redo: QToolButton) -> None:
    """Enable the undo and redo buttons and say in their tooltips what they do."""
    for button, text, word, keys in (
        (undo, editor.undo_text, "Undo", "Ctrl+Z"),
        (redo, editor.redo_text, "Redo", "Ctrl+Shift+Z"),
    ):
        button.setEnabled(bool(text))
        button.setToolTip(f"{word} {text} ({keys} in the alignment)" if text else f"Nothing to {word.lower()}")
