"""Forms made from parameter declarations: label, editor, help, reset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.parameter_editors import EDITORS, EDITORS_BY_NAME
from antidiag.app.kit.controls.table_editors import RowsEditor, TableEditor
from antidiag.app.kit.controls.widgets import create_label, scroll_to
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.walkthroughs.typed_inputs import TypedInput

RESET_WIDTH = 24
LABEL_LETTERS = 17  # width of labels, so that the editors of two forms are aligned


class ParameterForm(QWidget):
    """One row for each parameter; ``changed`` when the user edits one."""

    changed = Signal()
    entered = Signal()
    """Sent when Enter is pressed in an editor whose entry is valid."""

    def __init__(
        self, parameters: Iterable[Parameter] = (), parent: QWidget | None = None, wide_texts: bool = False
    ) -> None:
        """``wide_texts`` puts texts below their labels, as wide as the form."""
        super().__init__(parent)
        self._wide_texts = wide_texts
        self._parameters: dict[str, Parameter] = {}
        self._editors: dict[str, Any] = {}
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self._labels: dict[str, QLabel] = {}
        self.error_label = create_label("", "error", wrap=True)
        self.error_label.hide()
        self._edited = ""
        """The parameter that was edited last."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.SPACING)
        self._grid.setVerticalSpacing(theme.SPACING)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnMinimumWidth(2, RESET_WIDTH)
        self.set_parameters(parameters)

    def set_parameters(self, parameters: Iterable[Parameter]) -> None:
        """Show a row for each parameter, with its default. Rows of unchanged parameters are reused, because editors are
        slow."""
        before, self._parameters = self._parameters, {parameter.name: parameter for parameter in parameters}
        for name, row in list(self._rows.items()):
            for widget in row:
                self._grid.removeWidget(widget)
            if before[name] is not self._parameters.get(name):
                self._delete_row(name)
        fresh = [parameter for name, parameter in self._parameters.items() if name not in self._rows]
        for parameter in fresh:
            self._make_row(parameter)
        self._editors = {name: self._editors[name] for name in self._parameters}
        self._edited = ""
        for place, parameter in enumerate(self._parameters.values()):
            self._place_row(place, parameter)
            if parameter not in fresh:  # the grid shows fresh ones itself
                self.show_row(parameter.name, True)
        steps = [widget for name in self._parameters for widget in self._rows[name][1:]]
        for one, following in pairwise(steps):
            self.setTabOrder(one, following)

    def editor(self, name: str) -> Any:
        """Return the editor of a parameter."""
        return self._editors[name]

    def parameter_names(self) -> tuple[str, ...]:
        """Return the parameters that have an editor."""
        return tuple(self._editors)

    def label(self, name: str) -> str:
        """Return the label of a parameter."""
        return self._parameters[name].label

    def values(self) -> dict[str, Any]:
        """Return the values that the user set; automatic ones are missing."""
        return {name: value for name in self._editors if (value := self._editors[name].value()) is not None}

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Set values by name; missing or invalid ones get their default."""
        for name, editor in self._editors.items():
            parameter = self._parameters[name]
            try:
                editor.set_value(parameter.validate(values.get(name, self.default_value(name))))
            except ParameterError:
                editor.set_value(self.default_value(name))
            self._update_reset_button(name)

    def set_automatic(self, values: Mapping[str, Any]) -> None:
        """Show what the program would choose where nothing is set."""
        for name, editor in self._editors.items():
            editor.set_automatic(values.get(name, self._parameters[name].default))

    def mark_rows(self, names: Iterable[str], word: str, tip: str) -> None:
        """Add a word to the labels of these rows, such as the source of their automatic values."""
        marked = set(names)
        for name, label in self._labels.items():
            there = name in marked and self._editors[name].value() is None
            parameter = self._parameters[name]
            label.setText(f"{parameter.label} \N{MIDDLE DOT} {word}" if there else parameter.label)
            label.setToolTip(f"{_tool_tip(parameter)}<p>{tip}</p>" if there else _tool_tip(parameter))

    def default_value(self, name: str) -> Any:
        """Return the value in a fresh form; special editors are automatic by default."""
        return None if name in EDITORS_BY_NAME else self._parameters[name].default

    def entry_errors(self) -> tuple[str, ...]:
        """Return what is wrong with the visible entries."""
        return tuple(
            error for name in self._editors if self._is_row_visible(name) and (error := self._editors[name].error())
        )

    def show_error(self, text: str) -> None:
        """Show what is wrong with the values below the field that was edited last; an empty text hides it."""
        names = list(self._editors)
        place = names.index(self._edited) if self._edited else len(names)
        self._grid.addWidget(self.error_label, 3 * place + 2, 0, 1, 3)
        self.error_label.setText(text)
        self.error_label.setVisible(bool(text))
        if text:
            QTimer.singleShot(0, self.error_label, lambda: scroll_to(self.error_label))

    def show_row(self, name: str, shown: bool) -> None:
        """Show or hide the row of a parameter."""
        for widget in self._rows.get(name, ()):
            widget.setVisible(shown)
        if name in self._rows:
            self._update_reset_button(name)

    def _delete_row(self, name: str) -> None:
        for widget in self._rows.pop(name):
            widget.hide()
            widget.deleteLater()
        del self._editors[name], self._labels[name]

    def _place_row(self, place: int, parameter: Parameter) -> None:
        """Place a row in the grid and reset it."""
        editor = self._editors[parameter.name]
        label, _, reset = self._rows[parameter.name]
        wide = getattr(editor, "is_wide", False) or (self._wide_texts and parameter.kind == "text")
        self._grid.addWidget(label, 3 * place, 0, 1, 2 if wide else 1)
        self._grid.addWidget(editor, *((3 * place + 1, 0, 1, 3) if wide else (3 * place, 1)))
        self._grid.addWidget(reset, 3 * place, 2)
        editor.set_value(self.default_value(parameter.name))
        editor.set_automatic(None)
        self._labels[parameter.name].setText(parameter.label)
        self._labels[parameter.name].setToolTip(_tool_tip(parameter))
        self._update_reset_button(parameter.name)

    def _make_row(self, parameter: Parameter) -> None:
        editor = create_editor(parameter)
        label, reset = QLabel(parameter.label), QToolButton()
        label.setBuddy(editor)
        label.setMinimumWidth(label.fontMetrics().averageCharWidth() * LABEL_LETTERS)
        reset.setText("\N{ANTICLOCKWISE OPEN CIRCLE ARROW}")
        reset.setObjectName("quiet")
        reset.setToolTip(f"Reset {parameter.label} to {_default_text(self.default_value(parameter.name))}")
        reset.setAccessibleName(f"Reset {parameter.label}")
        reset.setFixedWidth(RESET_WIDTH)
        for widget in (label, editor):
            widget.setToolTip(_tool_tip(parameter))
        editor.setAccessibleName(parameter.label)
        editor.setAccessibleDescription(parameter.help)
        self._editors[parameter.name] = editor
        self._rows[parameter.name], self._labels[parameter.name] = (label, editor, reset), label
        editor.edited.connect(lambda: self._on_edit(parameter.name))
        line = editor if isinstance(editor, QLineEdit) else editor.findChild(QLineEdit)
        if line is not None:
            line.returnPressed.connect(lambda: None if editor.error() else self.entered.emit())
        reset.clicked.connect(lambda: self._reset_value(parameter.name))

    def _on_edit(self, name: str) -> None:
        self._edited = name
        self._update_reset_button(name)
        self.changed.emit()

    def _reset_value(self, name: str) -> None:
        self._editors[name].set_value(self.default_value(name))
        self._on_edit(name)

    def _update_reset_button(self, name: str) -> None:
        editor, reset = self._editors[name], self._rows[name][2]
        default = self.default_value(name)
        reset.setVisible(self._is_row_visible(name) and (editor.value() != default or bool(editor.error())))

    def _is_row_visible(self, name: str) -> bool:
        return not self._rows[name][0].isHidden()


def create_editor(parameter: Parameter) -> Any:
    """Return the editor of a parameter, by its declaration."""
    if isinstance(parameter, TypedInput):
        return RowsEditor(parameter) if parameter.layout == "rows" else TableEditor(parameter)
    return EDITORS_BY_NAME.get(parameter.name, EDITORS[parameter.kind])(parameter)


def _tool_tip(parameter: Parameter) -> str:
    expected = parameter.describe_values()
    unit = f" ({parameter.unit})" if parameter.unit else ""
    place = "GPU" if "cuda" in parameter.backends else "CPU"
    only = "" if len(parameter.backends) > 1 else f" Used by the {place} only."
    return f"<p>{parameter.help}</p><p>{expected[:1].upper()}{expected[1:]}{unit}.{only}</p>"


def _default_text(value: Any) -> str:
    return "automatic" if value is None else (str(value) or "none")
