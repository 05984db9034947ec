"""Editors for the kinds of parameters, and for some parameters by name.

An editor holds a value, or None if the program chooses; that is shown as "auto (512)" once the choice is known. Text
that is not a value stays in the editor, marked as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QComboBox

from antidiag.app.kit import ask
from antidiag.app.kit.controls.spin_boxes import TEXT_MARGIN, indent_text
from antidiag.app.kit.controls.widgets import ElidedComboBox, UndoLineEdit, leaves_undo
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import MATRIX_ALIASES, matrix_names
from antidiag.kernels.text import format_value

AUTOMATIC = "auto"
LETTERS_COMPARED = "match/mismatch"
PAGE_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
KEPT_FREE = TEXT_MARGIN + 6
"""Pixels of a line edit without text; 6 of them are Qt's."""


class NumberEditor(QAbstractSpinBox):
    """A number with arrows, a unit, and "auto" where allowed; Escape replaces wrong text by the last value."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._parameter = parameter
        self._automatic: Any = None
        self._optional = parameter.default is None
        self._value = self._entered = parameter.default
        self._wrong, self._text_width = False, 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel must not give the focus
        indent_text(self)
        self.lineEdit().textEdited.connect(self._on_typing)
        self.editingFinished.connect(self._on_entry)
        self._show_value()

    def value(self) -> Any:
        """The entered number; None means automatic."""
        return self._value

    def error(self) -> str:
        """What is wrong with the entered text; empty if it is valid."""
        return self._parse_text(self.text())[1]

    def set_value(self, value: Any) -> None:
        """Show a number; None means automatic."""
        self._value = self._entered = value
        self._mark_wrong(False)
        self.lineEdit().setModified(False)
        self._show_value()

    def set_automatic(self, value: Any) -> None:
        """Set the number that "auto" stands for."""
        self._automatic = value
        if not self.lineEdit().hasFocus() or (self._value is None and not self.lineEdit().isModified()):
            self._show_value()

    def stepBy(self, steps: int) -> None:
        start = self._value if self._value is not None else self._automatic
        start = start if start is not None else self._parameter.minimum or 0
        if self._parameter.between_steps:  # from a number between two steps the arrows lead to one of them
            beyond = (start - (self._parameter.minimum or 0)) % self._parameter.step
            start += (self._parameter.step if steps < 0 and beyond else 0) - beyond
        value = start + steps * self._parameter.step
        low, high = self._parameter.minimum, self._parameter.maximum
        value = value if low is None else max(value, low)
        value = value if high is None else min(value, high)
        self.set_value(int(value) if self._parameter.kind == "int" else round(value, 9))
        self.edited.emit()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        return QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text: a wrong value is marked, not rejected."""
        return QValidator.State.Acceptable, text, position

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Use Escape for wrong text first, and leave undo to the window if nothing was typed."""
        if event.type() != QEvent.Type.ShortcutOverride:
            return False
        if self._wrong and _is_escape(event):
            event.accept()
            return True
        if leaves_undo(self.lineEdit(), event):
            event.ignore()
            return True
        return False

    def _update_event_filter(self) -> None:
        """Filter events only while needed: otherwise each event of each editor would run Python."""
        (self.installEventFilter if self._wrong or self.hasFocus() else self.removeEventFilter)(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._wrong and _is_escape(event):
            self.set_value(self._entered)
            self.selectAll()
            self.edited.emit()
        elif event.key() in PAGE_KEYS:
            event.ignore()  # they scroll the panel
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.lineEdit().selectAll()
        self._update_event_filter()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self._update_event_filter()

    def wheelEvent(self, event) -> None:
        """Scrolling the panel must not change a number under the pointer."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _on_typing(self) -> None:
        value, error = self._parse_text(self.text())
        if not error:
            self._value = value
        self._mark_wrong(bool(error))
        self.edited.emit()

    def _on_entry(self) -> None:
        if not self._wrong:
            self._entered = self._value
            self._show_value()

    def _parse_text(self, text: str) -> tuple[Any, str]:
        text = text.removesuffix(self._parameter.unit).strip().replace(",", "")
        if self._optional and (text.startswith(AUTOMATIC) or not text):
            return None, ""
        try:
            return self._parameter.parse(text), ""
        except ParameterError:
            return None, f"{self._parameter.label} must be {self._parameter.describe_values()}; got {text!r}"

    def _show_value(self) -> None:
        if self._wrong:
            return
        words = _value_text(self._value, self._automatic, self._parameter.unit)
        if self._text_width and self.lineEdit().fontMetrics().horizontalAdvance(words) + KEPT_FREE > self._text_width:
            words = _value_text(self._value, self._automatic)  # rather no unit than a cut number
        self.lineEdit().setText(words)
        self.lineEdit().setCursorPosition(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before, self._text_width = self._text_width, self.lineEdit().width()
        if self._text_width != before and not self.lineEdit().isModified():
            self._show_value()

    def _mark_wrong(self, wrong: bool) -> None:
        """Mark the text as wrong or right; the style sheet paints the border."""
        if self._wrong != wrong:
            self._wrong = wrong
            self._update_event_filter()
            self.setProperty("wrong", wrong)
            self.style().unpolish(self)
            self.style().polish(self)


class _NeverWrong:
    """An editor in which nothing wrong can be entered."""

    def error(self) -> str:
        return ""


class _ChoiceBox(_NeverWrong, ElidedComboBox):
    """A list that scrolling the panel does not change."""

    def wheelEvent(self, event) -> None:
        event.ignore()


class ChoiceEditor(_ChoiceBox):
    """A declared choice, or "auto" where the default is automatic."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._optional = parameter.default is None
        if self._optional:
            self.addItem(AUTOMATIC, None)
        for choice in parameter.choices:
            self.addItem(choice, choice)
        self.set_value(parameter.default)
        self.activated.connect(self.edited)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def value(self) -> Any:
        """The chosen value; None means automatic."""
        return self.currentData()

    def set_value(self, value: Any) -> None:
        """Choose a value."""
        self.setCurrentIndex(max(self.findData(value), 0))

    def set_automatic(self, value: Any) -> None:
        """Set the value that "auto" stands for."""
        if self._optional:
            self.setItemText(0, _value_text(None, value))


class MatrixEditor(_ChoiceBox):
    """A substitution matrix: automatic, match/mismatch, a built-in one, or a file."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.addItem(AUTOMATIC, None)
        self.addItem(LETTERS_COMPARED, "")
        other_names = {name: alias for alias, name in reversed(MATRIX_ALIASES.items())}
        for name in matrix_names():
            self.addItem(f"{name} ({other_names[name]})" if name in other_names else name, name)
        self.insertSeparator(self.count())
        self.addItem("Matrix file...", self)
        self._before = 0
        self.activated.connect(self._on_choice)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)

    def value(self) -> Any:
        """The name or path of the matrix; None means automatic."""
        return self.currentData()

    def set_value(self, value: Any) -> None:
        """Choose a matrix by name or path."""
        if value and self.findData(value) < 0:
            place = self.count() - 2
            self.insertItem(place, Path(value).name, value)
            self.setItemData(place, value, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(max(self.findData(value), 0) if value is not None else 0)
        self._before = self.currentIndex()

    def set_automatic(self, value: Any) -> None:
        """Set the matrix that "auto" stands for."""
        self.setItemText(0, _value_text(None, value or LETTERS_COMPARED))

    def _on_choice(self) -> None:
        if self.currentData() is self:
            path = ask.open_path(self, "Substitution matrix (NCBI text format)")
            self.setCurrentIndex(self._before)
            if path is None:
                return
            self.set_value(str(path))
        self._before = self.currentIndex()
        self.edited.emit()


class FlagEditor(_NeverWrong, QCheckBox):
    """A check box."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.set_value(parameter.default)
        self.clicked.connect(self.edited)

    def value(self) -> Any:
        """Whether the box is checked."""
        return self.isChecked()

    def set_value(self, value: Any) -> None:
        """Check or uncheck the box."""
        self.setChecked(bool(value))

    def set_automatic(self, value: Any) -> None:
        """Do nothing: a flag is never automatic."""


class TextEditor(_NeverWrong, UndoLineEdit):
    """Any text; empty for none."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._optional = parameter.default is None
        self.set_value(parameter.default)
        self.textEdited.connect(self.edited)

    def value(self) -> Any:
        """The entered text; None means automatic."""
        return self.text().strip() or (None if self._optional else "")

    def set_value(self, value: Any) -> None:
        """Show a text."""
        self.setText(value or "")
        self.setCursorPosition(0)  # show the beginning of a long text

    def set_automatic(self, value: Any) -> None:
        """Set the text that "auto" stands for."""
        self.setPlaceholderText(_value_text(None, value) if self._optional else "")


EDITORS: Mapping[str, Callable[[Parameter], Any]] = {
    "int": NumberEditor,
    "float": NumberEditor,
    "choice": ChoiceEditor,
    "bool": FlagEditor,
    "text": TextEditor,
}
# Editors for parameters that need more than their kind gives.
EDITORS_BY_NAME: Mapping[str, Callable[[Parameter], Any]] = {"matrix": MatrixEditor}


def _value_text(value: Any, automatic: Any, unit: str = "") -> str:
    if value is None:
        return AUTOMATIC if automatic is None else f"{AUTOMATIC} ({format_value(automatic)})"
    return f"{format_value(value)} {unit}".strip()


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
