"""An editor for each kind of parameter, and for some by name.

An editor holds a value or None. None means that the program chooses, and is shown as "auto (512)" once
the choice is known. What was typed and is not a value stays in the editor, marked as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QComboBox, QFileDialog

from antidiag.app import texts
from antidiag.app.kit.widgets import Combo, Line, leaves_undo
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import matrix_names

AUTOMATIC = "auto"
LETTERS_COMPARED = "match/mismatch"
BESIDE_TEXT = 6
"""Pixels of a line of text that Qt keeps free of letters."""


class NumberEditor(QAbstractSpinBox):
    """A whole or decimal number of any size, with arrows, a unit, and "auto" where that is allowed.

    Text that is no value stays, marked as wrong, also after Return or Tab; Escape goes back to the last value entered.
    """

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._parameter = parameter
        self._automatic: Any = None
        self._optional = parameter.default is None
        self._value = self._entered = parameter.default
        self._wrong, self._room = False, 0
        self.lineEdit().textEdited.connect(self._typed)
        self.editingFinished.connect(self._enter)
        self._render()

    def value(self) -> Any:
        return self._value

    def error(self) -> str:
        return self._parse(self.text())[1]

    def set_value(self, value: Any) -> None:
        self._value = self._entered = value
        self._mark(False)
        self.lineEdit().setModified(False)
        self._render()

    def set_automatic(self, value: Any) -> None:
        self._automatic = value
        if not self.lineEdit().hasFocus() or (self._value is None and not self.lineEdit().isModified()):
            self._render()

    def stepBy(self, steps: int) -> None:
        start = self._value if self._value is not None else self._automatic
        start = start if start is not None else self._parameter.minimum or 0
        value = start + steps * self._parameter.step
        low, high = self._parameter.minimum, self._parameter.maximum
        value = value if low is None else max(value, low)
        value = value if high is None else min(value, high)
        self.set_value(int(value) if self._parameter.kind == "int" else round(value, 9))
        self.edited.emit()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        return QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled

    def validate(self, text: str, position: int) -> object:
        """Everything may be typed: a wrong value is shown as wrong, not swallowed."""
        return QValidator.State.Acceptable, text, position

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape is for the wrong text first, and only then a shortcut of the window; undo and redo are the window's
        where nothing was typed. It hears itself while it needs that: all events of all editors in Python would be
        hundreds of waits for the interpreter."""
        if event.type() != QEvent.Type.ShortcutOverride:
            return False
        if self._wrong and _is_escape(event):
            event.accept()
            return True
        if leaves_undo(self.lineEdit(), event):
            event.ignore()
            return True
        return False

    def _hear(self) -> None:
        (self.installEventFilter if self._wrong or self.hasFocus() else self.removeEventFilter)(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._wrong and _is_escape(event):
            self.set_value(self._entered)
            self.selectAll()
            self.edited.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.lineEdit().selectAll()
        self._hear()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self._hear()

    def wheelEvent(self, event) -> None:
        """Scrolling the panel must not change a number that the pointer happens to be over."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _typed(self) -> None:
        value, error = self._parse(self.text())
        if not error:
            self._value = value
        self._mark(bool(error))
        self.edited.emit()

    def _enter(self) -> None:
        if not self._wrong:
            self._entered = self._value
            self._render()

    def _parse(self, text: str) -> tuple[Any, str]:
        text = text.removesuffix(self._parameter.unit).strip().replace(",", "")
        if self._optional and (text.startswith(AUTOMATIC) or not text):
            return None, ""
        try:
            return self._parameter.parse(text), ""
        except ParameterError:
            return None, f"{self._parameter.label}: {text!r} is not {self._parameter.expected()}"

    def _render(self) -> None:
        if self._wrong:
            return
        words = _shown(self._value, self._automatic, self._parameter.unit)
        if self._room and self.lineEdit().fontMetrics().horizontalAdvance(words) + BESIDE_TEXT > self._room:
            words = _shown(self._value, self._automatic)  # a number without its unit, and none that is cut
        self.lineEdit().setText(words)
        self.lineEdit().setCursorPosition(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before, self._room = self._room, self.lineEdit().width()
        if self._room != before and not self.lineEdit().isModified():
            self._render()

    def _mark(self, wrong: bool) -> None:
        """Show the text as wrong, or as right (the style sheet paints the border)."""
        if self._wrong != wrong:
            self._wrong = wrong
            self._hear()
            self.setProperty("wrong", wrong)
            self.style().unpolish(self)
            self.style().polish(self)


class ChoiceEditor(Combo):
    """One of the declared choices, or "auto" where the default is automatic."""

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
        return self.currentData()

    def error(self) -> str:
        return ""

    def set_value(self, value: Any) -> None:
        self.setCurrentIndex(max(self.findData(value), 0))

    def set_automatic(self, value: Any) -> None:
        if self._optional:
            self.setItemText(0, _shown(None, value))

    def wheelEvent(self, event) -> None:
        event.ignore()


class MatrixEditor(Combo):
    """A substitution matrix: what suits the sequences, letters compared, a built-in one, or a file."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.addItem(AUTOMATIC, None)
        self.addItem(LETTERS_COMPARED, "")
        for name in matrix_names():
            self.addItem(name, name)
        self.insertSeparator(self.count())
        self.addItem("Matrix file...", self)
        self._before = 0
        self.activated.connect(self._chosen)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)

    def value(self) -> Any:
        return self.currentData()

    def error(self) -> str:
        return ""

    def set_value(self, value: Any) -> None:
        if value and self.findData(value) < 0:
            place = self.count() - 2
            self.insertItem(place, Path(value).name, value)
            self.setItemData(place, value, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(max(self.findData(value), 0) if value is not None else 0)
        self._before = self.currentIndex()

    def set_automatic(self, value: Any) -> None:
        self.setItemText(0, _shown(None, value or LETTERS_COMPARED))

    def wheelEvent(self, event) -> None:
        event.ignore()

    def _chosen(self) -> None:
        if self.currentData() is self:
            path, _ = QFileDialog.getOpenFileName(self, "Substitution matrix (NCBI text format)")
            self.setCurrentIndex(self._before)
            if not path:
                return
            self.set_value(path)
        self._before = self.currentIndex()
        self.edited.emit()


class FlagEditor(QCheckBox):
    """Yes or no."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.set_value(parameter.default)
        self.clicked.connect(self.edited)

    def value(self) -> Any:
        return self.isChecked()

    def error(self) -> str:
        return ""

    def set_value(self, value: Any) -> None:
        self.setChecked(bool(value))

    def set_automatic(self, value: Any) -> None:
        """A flag is always one of two, so there is nothing to show."""


class TextEditor(Line):
    """Any text; empty for none."""

    edited = Signal()

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._optional = parameter.default is None
        self.set_value(parameter.default)
        self.textEdited.connect(self.edited)

    def value(self) -> Any:
        return self.text().strip() or (None if self._optional else "")

    def error(self) -> str:
        return ""

    def set_value(self, value: Any) -> None:
        self.setText(value or "")
        self.setCursorPosition(0)  # of a long text the beginning is seen

    def set_automatic(self, value: Any) -> None:
        self.setPlaceholderText(_shown(None, value) if self._optional else "")


EDITORS: Mapping[str, Callable[[Parameter], Any]] = {
    "int": NumberEditor,
    "float": NumberEditor,
    "choice": ChoiceEditor,
    "bool": FlagEditor,
    "text": TextEditor,
}
SPECIAL: Mapping[str, Callable[[Parameter], Any]] = {"matrix": MatrixEditor}
"""Editors for a declared name that deserves more than its kind gives."""


def _shown(value: Any, automatic: Any, unit: str = "") -> str:
    if value is None:
        return AUTOMATIC if automatic is None else f"{AUTOMATIC} ({texts.value_text(automatic)})"
    return f"{texts.value_text(value)} {unit}".strip()


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
