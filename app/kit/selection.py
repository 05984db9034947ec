"""What the user points at, shared by all views of a result: it links them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

Cell = tuple[int, int]
MOST_COMPARED = 100_000  # largest number of names that are compared


class Selection(QObject):
    """Hovered and chosen places of the views of a result.

    ``cell`` is the hovered matrix cell (i, j), ``column`` the hovered alignment column (from 0), ``strip`` the
    hovered strip or chunk, ``ranges`` the visible cells ((i0, i1), (j0, j1)), half-open; None where there is none.
    ``cell_chosen`` and ``column_chosen`` are clicks: other views go there. ``taxa``, the names of chosen sequences,
    stay chosen when another result is shown. Signals carry ``object``, because Qt's integers have 32 bits.
    """

    cell_changed = Signal(object)
    column_changed = Signal(object)
    strip_changed = Signal(object)
    ranges_changed = Signal(object)
    cell_chosen = Signal(object)
    column_chosen = Signal(object)
    taxa_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cell: Cell | None = None
        self.column: int | None = None
        self.strip: int | None = None
        self.ranges: tuple[Cell, Cell] | None = None
        self.taxa: frozenset[str] = frozenset()
        self._chosen: dict[str, tuple[Any, Any]] = {}

    def hover_cell(self, cell: Cell | None) -> None:
        """Share the hovered cell; None means none."""
        self._update_value("cell", cell, self.cell_changed)

    def hover_column(self, column: int | None) -> None:
        """Share the hovered alignment column; None means none."""
        self._update_value("column", column, self.column_changed)

    def hover_strip(self, strip: int | None) -> None:
        """Share the hovered strip; None means none."""
        self._update_value("strip", strip, self.strip_changed)

    def show_ranges(self, ranges: tuple[Cell, Cell] | None) -> None:
        """Share the visible ranges of rows and columns."""
        self._update_value("ranges", ranges, self.ranges_changed)

    def choose_taxa(self, names: Iterable[str]) -> None:
        """Choose the sequences with these names in all views."""
        self._update_value("taxa", frozenset(names), self.taxa_changed)

    def choose_cell(self, cell: Cell, result: Any = None) -> None:
        """Announce a click on a cell of ``result``; a view that shows it later can go there."""
        self._chosen = {"cell": (result, cell)}
        self.cell_chosen.emit(cell)

    def choose_column(self, column: int, result: Any = None) -> None:
        """Announce a click on a column of the alignment of ``result``."""
        self._chosen = {"column": (result, column)}
        self.column_chosen.emit(column)

    def chosen_place(self, kind: Literal["cell", "column"], result: Any) -> Any:
        """Return the cell or column of this result that was clicked last, or None."""
        of, place = self._chosen.get(kind, (None, None))
        return place if of is result and of is not None else None

    def clear(self) -> None:
        """Forget all hovered places, as when another result is shown."""
        self.hover_cell(None)
        self.hover_column(None)
        self.hover_strip(None)
        self.show_ranges(None)
        self._chosen = {}

    def _update_value(self, name: str, value: Any, signal: Any) -> None:
        if _differ(getattr(self, name), value):
            setattr(self, name, value)
            signal.emit(value)


def _differ(one: Any, other: Any) -> bool:
    """Whether a value is new; very many names always are, because comparing them would block the window."""
    if isinstance(other, frozenset) and len(other) > MOST_COMPARED:
        return one is not other
    return bool(one != other)
