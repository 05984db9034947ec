"""The editors of the axes in the form of a sweep: two to four."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.widgets import ElidedComboBox, UndoLineEdit, create_label, quiet_button
from antidiag.kernels.experiments.point_data.plot_data import suggest_values
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.method import Method

NO_AXIS = "none"
MIN_AXES, MAX_AXES = 2, 4
"""Fewest and most axes: two of a heat map, and two more of a table of heat maps."""


class AxisEditor(QWidget):
    """Edits one axis: its name, and its values in the notation of the command line."""

    changed = Signal()

    def __init__(self, number: int) -> None:
        super().__init__()
        self._methods: tuple[Method, ...] = ()
        self.name_box, self.values_line = ElidedComboBox(), UndoLineEdit()
        self.name_box.setAccessibleName(f"Axis {number}")
        self.values_line.setAccessibleName(f"Values of axis {number}")
        self.values_line.setPlaceholderText("32:1024:*2   or   64,128,256")
        self.values_line.setToolTip(f"{sweep_axes.FORMS}; auto lets the program choose")
        row_of(self.name_box, (self.values_line, 1), parent=self)
        self.name_box.currentTextChanged.connect(self._suggest_values)
        self.values_line.textChanged.connect(self.changed)

    def set_methods(self, methods: Sequence[Method], taken_names: Collection[str] = ()) -> None:
        """Offer the names of these methods except ``taken_names``, and keep the present entry where it is valid."""
        before, values = self.name_box.currentText(), self.values_line.text()
        self._methods = tuple(methods)
        known = sweep_axes.axis_names(methods) if methods else []
        with QSignalBlocker(self.name_box):
            self.name_box.clear()
            self.name_box.addItems([NO_AXIS, *(name for name in known if name not in taken_names)])
            self.name_box.setCurrentText(before or NO_AXIS)
        if self.name_box.currentText() == before:
            self.values_line.setText(values)
        else:
            self._suggest_values(self.name_box.currentText())

    def set_value(self, name: str, values: str) -> None:
        """Choose an axis and its values, or none where the name is not offered."""
        if self.name_box.findText(name) < 0:
            name, values = NO_AXIS, ""
        self.name_box.setCurrentText(name)
        self.values_line.setText(values)

    def read_axis(self) -> SweepAxis | None:
        """Return the axis, or None; raise ParameterError where its values are invalid."""
        if self.name_box.currentText() in ("", NO_AXIS):
            return None
        return sweep_axes.parse_axis(f"{self.name_box.currentText()}={self.values_line.text()}", self._methods)

    def _suggest_values(self, name: str) -> None:
        self.values_line.setEnabled(name != NO_AXIS)
        self.values_line.setText(self._suggested_values(name) if name != NO_AXIS else "")
        self.changed.emit()

    def _suggested_values(self, name: str) -> str:
        known = {
            "length": "500:4000:*2",
            "divergence": "0.05,0.1,0.2,0.4",
            "backend": "cpu,cuda",
            "method": ",".join(method.id for method in self._methods),
        }
        return known.get(name) or suggest_values(sweep_axes.find_axis(name, self._methods)[1])


class AxisRow(NamedTuple):
    """The widgets of one axis in the form; the first two axes show no button to remove them."""

    name: QLabel
    editor: AxisEditor
    remove_button: QToolButton


class AxisEditors(QWidget):
    """The editors of all axes; no axis offers a name that another one has. ``changed``: an axis was edited."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[AxisRow] = []
        self._methods: tuple[Method, ...] = ()
        self.add_button = quiet_button(
            "Add axis", "A third axis gives one heat map per value, a fourth a table of maps"
        )
        self.add_button.clicked.connect(lambda: self.add_axis())
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.SPACING)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.add_button, MAX_AXES, 1)
        self._set_axis_count(MIN_AXES)

    @property
    def editors(self) -> list[AxisEditor]:
        """The editors in the order of the form."""
        return [row.editor for row in self.rows]

    def add_axis(self) -> None:
        """Add an empty axis."""
        self._set_axis_count(len(self.rows) + 1)
        self._update_offers()

    def remove_axis(self, editor: AxisEditor) -> None:
        """Remove an axis; those below it move up."""
        kept = [value for one, value in zip(self.editors, self.saved_values(), strict=True) if one is not editor]
        self._set_axis_count(len(kept))
        self.set_values(kept)

    def set_methods(self, methods: Sequence[Method]) -> None:
        """Offer the names of these methods as axes."""
        self._methods = tuple(methods)
        self._offer_names()

    def saved_values(self) -> list[list[str]]:
        """Return names and values as they are written, for the next start."""
        return [[editor.name_box.currentText(), editor.values_line.text()] for editor in self.editors]

    def set_values(self, saved: Iterable[Sequence[str]]) -> None:
        """Restore what `saved_values` returned, as far as the names are offered."""
        found = list(saved)[:MAX_AXES]
        self._set_axis_count(max(len(found), MIN_AXES))
        for editor in self.editors:  # so that each name is free for the axis that had it
            with QSignalBlocker(editor):
                editor.set_value(NO_AXIS, "")
        self._offer_names()
        for editor, (name, values) in zip(self.editors, found, strict=False):
            with QSignalBlocker(editor):
                editor.set_value(str(name), str(values))
        self._update_offers()

    def _update_offers(self) -> None:
        self._offer_names()
        self.changed.emit()

    def _offer_names(self) -> None:
        for editor in self.editors:
            taken = {other.name_box.currentText() for other in self.editors if other is not editor}
            with QSignalBlocker(editor):
                editor.set_methods(self._methods, taken)

    def _set_axis_count(self, number: int) -> None:
        """Add or remove axes at the end until there are so many."""
        while len(self.rows) < min(number, MAX_AXES):
            self._append_axis()
        while len(self.rows) > max(number, MIN_AXES):
            for widget in self.rows.pop():
                widget.hide()
                widget.deleteLater()
        self.add_button.setVisible(len(self.rows) < MAX_AXES)

    def _append_axis(self) -> None:
        place, name = len(self.rows), f"Axis {len(self.rows) + 1}"
        editor, away = AxisEditor(place + 1), quiet_button("\N{MULTIPLICATION SIGN}", "Remove this axis")
        away.setAccessibleName(f"Remove axis {place + 1}")
        away.clicked.connect(lambda: self.remove_axis(editor))
        editor.changed.connect(self._update_offers)
        self.rows.append(AxisRow(create_label(name, "muted"), editor, away))
        for column, widget in enumerate(self.rows[-1] if place >= MIN_AXES else self.rows[-1][:2]):
            self._grid.addWidget(widget, place, column)
