"""The axes of a sweep in its form: two, and more where they are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import Combo, Line, label, quiet_button, row
from antidiag.app.tune.plots.series import suggestion
from antidiag.kernels.experiments import axes
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.method import Method

NONE = "none"
FEWEST, MOST = 2, 4
"""Axes that are always there, and at most: two of a map, and two of a table of maps."""


class AxisEditor(QWidget):
    """One axis: a name and its values as they are written on the command line."""

    changed = Signal()

    def __init__(self, number: int) -> None:
        super().__init__()
        self._methods: tuple[Method, ...] = ()
        self.name, self.values = Combo(), Line()
        self.name.setAccessibleName(f"Axis {number}")
        self.values.setAccessibleName(f"Values of axis {number}")
        self.values.setPlaceholderText("32:1024:*2   or   64,128,256")
        self.values.setToolTip(f"{axes.FORMS}; auto is the automatic value")
        box = row(self.name, self.values, stretch=1)
        box.setContentsMargins(0, 0, 0, 0)
        self.setLayout(box)
        self.name.currentTextChanged.connect(self._suggest)
        self.values.textChanged.connect(self.changed)

    def set_methods(self, methods: Sequence[Method], taken: Collection[str] = ()) -> None:
        """The methods whose names can be an axis, but for those that other axes have ``taken``; what was written
        stays where it still has a meaning."""
        before, values = self.name.currentText(), self.values.text()
        self._methods = tuple(methods)
        self.name.blockSignals(True)
        self.name.clear()
        known = axes.names(methods) if methods else []
        self.name.addItems([NONE, *(name for name in known if name not in taken)])
        self.name.setCurrentText(before or NONE)
        self.name.blockSignals(False)
        if self.name.currentText() == before:
            self.values.setText(values)
        else:
            self._suggest(self.name.currentText())

    def set_value(self, name: str, values: str) -> None:
        """This axis, where it is offered; else none."""
        if self.name.findText(name) < 0:
            name, values = NONE, ""
        self.name.setCurrentText(name)
        self.values.setText(values)

    def axis(self) -> Axis | None:
        """The axis, or None; raises ParameterError where it is mistyped."""
        if self.name.currentText() in ("", NONE):
            return None
        return axes.parse(f"{self.name.currentText()}={self.values.text()}", self._methods)

    def _suggest(self, name: str) -> None:
        self.values.setEnabled(name != NONE)
        self.values.setText(self._suggested(name) if name != NONE else "")
        self.changed.emit()

    def _suggested(self, name: str) -> str:
        known = {"length": "500:4000:*2", "divergence": "0.05,0.1,0.2,0.4", "backend": "cpu,cuda",
                 "method": ",".join(method.id for method in self._methods)}  # fmt: skip
        return known.get(name) or suggestion(axes.declared(name, self._methods)[1])


class Row(NamedTuple):
    """An axis as it stands in the form; the first ones are not taken away."""

    name: QLabel
    editor: AxisEditor
    away: QToolButton


class AxisEditors(QWidget):
    """The axes, one below the other; none offers what another one has. ``changed`` whenever one of them did."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._methods: tuple[Method, ...] = ()
        self.more = quiet_button("Add an axis", "A map for each value of a third axis, a table of maps for a fourth")
        self.more.clicked.connect(lambda: self.add())
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.SPACING)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.more, MOST, 1)
        self._show_number(FEWEST)

    @property
    def editors(self) -> list[AxisEditor]:
        return [row.editor for row in self.rows]

    def add(self) -> None:
        """One axis more, which has nothing yet."""
        self._show_number(len(self.rows) + 1)
        self._tell()

    def remove(self, editor: AxisEditor) -> None:
        """One axis less; those below it move up."""
        rest = [value for one, value in zip(self.editors, self.values(), strict=True) if one is not editor]
        self._show_number(len(rest))
        self.set_values(rest)

    def set_methods(self, methods: Sequence[Method]) -> None:
        """The methods whose names can be axes."""
        self._methods = tuple(methods)
        self._offer()

    def values(self) -> list[list[str]]:
        """Names and values as they are written."""
        return [[editor.name.currentText(), editor.values.text()] for editor in self.editors]

    def set_values(self, saved: Iterable[Sequence[str]]) -> None:
        """What `values` returned, as far as it is offered."""
        found = list(saved)[:MOST]
        self._show_number(max(len(found), FEWEST))
        for editor in self.editors:  # so that each name is free for the axis that had it
            with _quiet(editor):
                editor.set_value(NONE, "")
        self._offer()
        for editor, (name, values) in zip(self.editors, found, strict=False):
            with _quiet(editor):
                editor.set_value(str(name), str(values))
        self._tell()

    def _tell(self) -> None:
        self._offer()
        self.changed.emit()

    def _offer(self) -> None:
        """To each axis the names that no other one has."""
        for editor in self.editors:
            taken = {other.name.currentText() for other in self.editors if other is not editor}
            with _quiet(editor):
                editor.set_methods(self._methods, taken)

    def _show_number(self, number: int) -> None:
        """As many axes."""
        while len(self.rows) < min(number, MOST):
            self._append()
        while len(self.rows) > max(number, FEWEST):
            for widget in self.rows.pop():
                widget.hide()
                widget.deleteLater()
        self.more.setVisible(len(self.rows) < MOST)

    def _append(self) -> None:
        place = len(self.rows)
        editor = AxisEditor(place + 1)
        made = Row(label(f"Axis {place + 1}", "muted"), editor, quiet_button("\N{MULTIPLICATION SIGN}", "Take it away"))
        made.away.setAccessibleName(f"Take axis {place + 1} away")
        made.away.clicked.connect(lambda: self.remove(editor))
        editor.changed.connect(self._tell)
        columns = made if place >= FEWEST else made[:2]
        for column, widget in enumerate(columns):
            self._grid.addWidget(widget, place, column)
        self.rows.append(made)


@contextmanager
def _quiet(editor: AxisEditor) -> Iterator[None]:
    """It does not tell what changes meanwhile."""
    editor.blockSignals(True)
    try:
        yield
    finally:
        editor.blockSignals(False)
