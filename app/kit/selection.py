"""What the user points at, shared by all views of a result, so that they are linked without knowing each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

Cell = tuple[int, int]
MANY = 100_000
"""Names from which they are not compared."""


class Selection(QObject):
    """Hovered and chosen places. Signals carry ``object``, because Qt's own integers end at 32 bits.

    ``cell`` is the hovered matrix cell (i, j), ``column`` the hovered column of the alignment (from
    0), ``strip`` the hovered strip (or chunk of a cube) and ``ranges`` the visible cells ((i0, i1),
    (j0, j1)), half-open; each is None where there is none. ``cell_chosen`` and ``column_chosen`` are
    clicks: other views go there. ``taxa`` are the names of chosen sequences: the leaves of a clade that
    was clicked, or rows of a table; they stay chosen when another result is shown.
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
        self._values: dict[str, Any] = {"cell": None, "column": None, "strip": None, "ranges": None}
        self._values["taxa"] = frozenset[str]()
        self._chosen: dict[str, tuple[Any, Any]] = {}

    @property
    def cell(self) -> Cell | None:
        return self._values["cell"]

    @property
    def column(self) -> int | None:
        return self._values["column"]

    @property
    def strip(self) -> int | None:
        return self._values["strip"]

    @property
    def ranges(self) -> tuple[Cell, Cell] | None:
        return self._values["ranges"]

    @property
    def taxa(self) -> frozenset[str]:
        return self._values["taxa"]

    def hover_cell(self, cell: Cell | None) -> None:
        self._set("cell", cell, self.cell_changed)

    def hover_column(self, column: int | None) -> None:
        self._set("column", column, self.column_changed)

    def hover_strip(self, strip: int | None) -> None:
        self._set("strip", strip, self.strip_changed)

    def show_ranges(self, ranges: tuple[Cell, Cell] | None) -> None:
        self._set("ranges", ranges, self.ranges_changed)

    def choose_taxa(self, names: Iterable[str]) -> None:
        """Choose the sequences of these names, everywhere."""
        self._set("taxa", frozenset(names), self.taxa_changed)

    def choose_cell(self, cell: Cell, result: Any = None) -> None:
        """Tell that a cell of ``result`` was clicked; a view that shows it later can still go there."""
        self._chosen = {"cell": (result, cell)}
        self.cell_chosen.emit(cell)

    def choose_column(self, column: int, result: Any = None) -> None:
        """Tell that a column of the alignment of ``result`` was clicked."""
        self._chosen = {"column": (result, column)}
        self.column_chosen.emit(column)

    def chosen(self, kind: Literal["cell", "column"], result: Any) -> Any:
        """The cell or column of this result that was clicked last, or None."""
        of, place = self._chosen.get(kind, (None, None))
        return place if of is result and of is not None else None

    def clear(self) -> None:
        """Forget every hovered place, as when another result is shown."""
        self.hover_cell(None)
        self.hover_column(None)
        self.hover_strip(None)
        self.show_ranges(None)
        self._chosen = {}

    def _set(self, name: str, value: Any, signal: Any) -> None:
        if _differ(self._values[name], value):
            self._values[name] = value
            signal.emit(value)


def _differ(one: Any, other: Any) -> bool:
    """Whether a value is another one; very many names count as others, as to compare them would stop the window."""
    if isinstance(other, frozenset) and len(other) > MANY:
        return one is not other
    return bool(one != other)
