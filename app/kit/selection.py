"""What the user points at, shared by all views of a result: it links them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from antidiag.app.kit.tasks.recent_cache import RecentCache

Cell = tuple[int, int]
MOST_COMPARED = 100_000  # largest number of names that are compared


class Selection(QObject):
    """Hovered and chosen places of the views of a result.

    ``cell`` is the hovered matrix cell (i, j), ``column`` the hovered alignment column (from 0), ``strip`` the
    hovered strip or chunk, ``ranges`` the visible cells ((i0, i1), (j0, j1)), half-open; None where there is none.
    ``cell_chosen`` and ``column_chosen`` are clicks: other views go there. ``taxa``, the names of chosen sequences,
    stay chosen when another result is shown. Signals carry ``object``, because Qt's integers have 32 bits.

    Views in another tab or window have a `make_twin`: all twins share the chosen taxa and the undo histories, and those
    whose ``subject`` (the result or the datum of their views) is the same share hovered and clicked places too.
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
        self.subject: Any = None
        self._chosen: dict[str, tuple[Any, Any]] = {}
        self._twins: list[Selection] = [self]
        self._histories: dict[str, RecentCache[Any]] = {}

    def make_twin(self, parent: QObject | None = None) -> Selection:
        """Return the selection of views in another tab or window."""
        twin = Selection(parent)
        twin.taxa, twin._twins, twin._histories = self.taxa, self._twins, self._histories
        self._twins.append(twin)
        return twin

    def leave_twins(self) -> None:
        """End the connection with the views of other tabs and windows."""
        self._twins.remove(self)
        self._twins = [self]

    def find_history(self, kind: str, owner: Any, make: Callable[[], Any], most: int) -> Any:
        """Return the undo history of a result or a datum, made if it is new; ``most`` of a ``kind`` are kept."""
        return self._histories.setdefault(kind, RecentCache(most)).get_or_create(owner, make)

    def has_history(self, kind: str, owner: Any) -> bool:
        """Whether there is such an undo history already."""
        return kind in self._histories and owner in self._histories[kind]

    def hover_cell(self, cell: Cell | None) -> None:
        """Share the hovered cell; None means none."""
        self._update_value("cell", cell)

    def hover_column(self, column: int | None) -> None:
        """Share the hovered alignment column; None means none."""
        self._update_value("column", column)

    def hover_strip(self, strip: int | None) -> None:
        """Share the hovered strip; None means none."""
        self._update_value("strip", strip)

    def show_ranges(self, ranges: tuple[Cell, Cell] | None) -> None:
        """Share the visible ranges of rows and columns."""
        self._update_value("ranges", ranges)

    def choose_taxa(self, names: Iterable[str]) -> None:
        """Choose the sequences with these names in all views."""
        chosen = frozenset(names)
        for twin in tuple(self._twins):
            twin._set_value("taxa", chosen)

    def choose_cell(self, cell: Cell, result: Any = None) -> None:
        """Announce a click on a cell of ``result``; a view that shows it later can go there."""
        for twin in self._linked_twins():
            twin._chosen = {"cell": (result, cell)}
            twin.cell_chosen.emit(cell)

    def choose_column(self, column: int, result: Any = None) -> None:
        """Announce a click on a column of the alignment of ``result``."""
        for twin in self._linked_twins():
            twin._chosen = {"column": (result, column)}
            twin.column_chosen.emit(column)

    def chosen_place(self, kind: Literal["cell", "column"], result: Any) -> Any:
        """Return the cell or column of this result that was clicked last, or None."""
        of, place = self._chosen.get(kind, (None, None))
        return place if of is result and of is not None else None

    def begin_subject(self, subject: Any) -> None:
        """Forget all hovered places, because the views now show another result or datum."""
        self.subject = subject
        for name in ("cell", "column", "strip", "ranges"):
            self._set_value(name, None)
        self._chosen = {}

    def clear(self) -> None:
        """Forget all hovered places."""
        self.begin_subject(self.subject)

    def _linked_twins(self) -> tuple[Selection, ...]:
        """Return this selection, and those of other tabs and windows with the same result or datum."""
        same = self.subject is not None
        return tuple(twin for twin in self._twins if twin is self or (same and twin.subject is self.subject))

    def _update_value(self, name: str, value: Any) -> None:
        for twin in self._linked_twins():
            twin._set_value(name, value)

    def _set_value(self, name: str, value: Any) -> None:
        if _differ(getattr(self, name), value):
            setattr(self, name, value)
            getattr(self, f"{name}_changed").emit(value)


def _differ(one: Any, other: Any) -> bool:
    """Whether a value is new; very many names always are, because comparing them would block the window."""
    if isinstance(other, frozenset) and len(other) > MOST_COMPARED:
        return one is not other
    return bool(one != other)
