"""What is told of an alignment below it: what is at a cell, what is chosen, what the colours mean."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton

from antidiag.app import texts
from antidiag.app.kit.legend import LegendItem
from antidiag.app.views.aligned.history import AlignmentEditor
from antidiag.app.views.aligned.picture import Picture
from antidiag.kernels.io.aligned import GAP

HINT = "Drag to choose, Ctrl+wheel to zoom (with Shift: columns, with Alt: rows); Space and Backspace: gaps"
MOST_COLOURS = 24
"""A colour for each amino acid, and some for letters that stand for several."""


def about(picture: Picture | None, cell: tuple[int, int] | None = None) -> str:
    """What is at a cell, or at the cursor, and what is chosen; what can be done where there is nothing of it."""
    if picture is None:
        return ""
    place, column = cell or picture.cursor
    choice, letter, position = picture.choice, picture.letter(place, column), picture.position(place, column)
    position += picture.starts.get(int(picture.order[place]), 0)
    where = f"letter {letter} {position:,}" if letter != chr(GAP) else f"gap after letter {position:,}"
    parts = [f"column {column + 1:,}", f"row {place + 1:,} {picture.name_at(place)}", where]
    if not choice.empty:
        blocks = "" if choice.single else f", in {len(choice.blocks)} blocks"
        parts.append(f"chosen: {texts.size(int(choice.rows.sum()), int(choice.columns.sum()))}{blocks}")
    elif not (cell or place or column):
        parts.append(HINT)
    return " \N{MIDDLE DOT} ".join(parts)


def legend(picture: Picture, edited: bool) -> tuple[LegendItem, ...]:
    """What the alignment holds, whether it was edited, how many rows are hidden, and what the colours mean."""
    items = [LegendItem("text", picture.alignment.summary + (", edited" if edited else ""))]
    folded = picture.members(picture.order).size - picture.order.size
    if folded:
        items.append(LegendItem("text", f"{folded + len(picture.folds):,} rows collapsed"))
    if hidden := len(picture.alignment.names) - picture.order.size - folded:
        items.append(LegendItem("text", f"{hidden:,} rows hidden"))
    colours = picture.colouring.items[:MOST_COLOURS]
    return (*items, *(LegendItem("fill", word, (colour,)) for colour, word in colours))


def tell_undo(editor: AlignmentEditor, undo: QToolButton, redo: QToolButton) -> None:
    """Say at the buttons what they would do."""
    for button, text, word, keys in (
        (undo, editor.undo_text, "Undo", "Ctrl+Z"),
        (redo, editor.redo_text, "Redo", "Ctrl+Shift+Z"),
    ):
        button.setEnabled(bool(text))
        button.setToolTip(f"{word} {text} ({keys} in the alignment)" if text else f"Nothing to {word.lower()}")
