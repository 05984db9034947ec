"""Editors for texts with several rows: sequences one per line, and matrices of numbers as tables."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHeaderView,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.kernels.parameters import Parameter

MIN_LINES, MAX_LINES = 2, 10
TEXT_MARGIN = 14
"""Pixels above and below the lines of a text."""
CELL_WIDTH, MAX_TABLE_ROWS = 34, 10
LARGEST_TABLE = 40


class RowsEditor(QPlainTextEdit):
    """Rows, such as sequences, one per line; the value has them separated by commas."""

    edited = Signal()
    is_wide = True

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self._set_font()
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.set_value(parameter.default)
        self.textChanged.connect(self._on_text)
        theme.notifier.changed.connect(self._set_font)

    def value(self) -> str:
        """The rows, separated by commas."""
        return ", ".join(line.strip(" ,") for line in self.toPlainText().splitlines() if line.strip(" ,"))

    def set_value(self, value: str | None) -> None:
        """Show rows that are separated by commas or lines."""
        rows = [row.strip() for row in (value or "").replace("\n", ",").split(",") if row.strip()]
        if rows != self.value().split(", "):
            with QSignalBlocker(self):
                self.setPlainText("\n".join(rows))
            self._fit_height()

    def set_automatic(self, value: str | None) -> None:
        """Do nothing: rows are never automatic."""

    def error(self) -> str:
        """Return nothing: what is wrong with rows is said by what reads them."""
        return ""

    def _set_font(self) -> None:
        self.setFont(theme.fixed_font())
        self._fit_height()

    def _on_text(self) -> None:
        self._fit_height()
        self.edited.emit()

    def _fit_height(self) -> None:
        """Show all rows, as far as they are few, and room for one more."""
        lines = min(max(self.blockCount() + 1, MIN_LINES), MAX_LINES)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + TEXT_MARGIN)


class TableEditor(QWidget):
    """A matrix of numbers as a table, with buttons for rows and columns; the value has rows separated by semicolons."""

    edited = Signal()
    is_wide = True

    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        self.table = QTableWidget()
        self.table.setAccessibleName(parameter.label)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setMinimumSectionSize(CELL_WIDTH)
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + 8)
        self.table.setTabKeyNavigation(False)  # Tab leaves the table; in a cell that is being typed it goes to the next
        self.table.installEventFilter(self)
        self._shown, self._past, self._future = "", list[str](), list[str]()
        buttons = row_of(*self._size_buttons("Rows", "row", 1, 0), *self._size_buttons("Columns", "column", 0, 1))
        buttons.addStretch(1)
        column_of(self.table, buttons, parent=self, spacing=2)
        self.set_value(parameter.default)
        self.table.itemChanged.connect(lambda _: self._on_edit())

    def _size_buttons(self, title: str, name: str, down: int, across: int) -> list[QWidget]:
        """Return a label, and buttons that remove and add a row or a column."""
        widgets: list[QWidget] = [create_label(title, "muted")]
        for sign, step, tip in (
            ("\N{MINUS SIGN}", -1, f"Remove the last {name}"),
            ("+", 1, f"Add a {name} at the end"),
        ):
            button = tool_button(sign, tip, partial(self.resize_table, down * step, across * step))
            button.setObjectName("quiet")
            widgets.append(button)
        return widgets

    def value(self) -> str:
        """The numbers, rows separated by semicolons."""
        rows = range(self.table.rowCount())
        return "; ".join(" ".join(self._cell_text(row, at) for at in range(self.table.columnCount())) for row in rows)

    def set_value(self, value: str | None) -> None:
        """Show numbers whose rows are separated by semicolons or lines."""
        rows = _split_table(value or "")
        self._past, self._future = [], []
        if value is not None and rows != _split_table(self.value()):
            self._show_rows(rows)
        self._shown = self.value()

    def set_automatic(self, value: str | None) -> None:
        """Do nothing: a matrix is never automatic."""

    def error(self) -> str:
        """Return nothing: what is wrong with a matrix is said by what reads it."""
        return ""

    def resize_table(self, rows: int, columns: int) -> None:
        """Add or remove rows and columns at the end; new cells are 0."""
        across = min(max(self.table.columnCount() + columns, 1), LARGEST_TABLE)
        down = min(max(self.table.rowCount() + rows, 1), LARGEST_TABLE)
        self._fill_table([], 0, 0, across, down)
        self._on_edit()

    def paste_text(self, text: str) -> None:
        """Fill in a table from the current cell on, which becomes larger where the text needs it."""
        rows = _split_table(text)
        row, column = max(self.table.currentRow(), 0), max(self.table.currentColumn(), 0)
        across = max(self.table.columnCount(), column + max(map(len, rows), default=0))
        down = max(self.table.rowCount(), row + len(rows))
        self._fill_table(rows, row, column, min(across, LARGEST_TABLE), min(down, LARGEST_TABLE))
        self._on_edit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that the window would use for its data otherwise; undo and redo while there is an edit."""
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            keys, clipboard = QKeySequence.StandardKey, QGuiApplication.clipboard()
            for key, act, is_possible in (
                (keys.Paste, lambda: self.paste_text(clipboard.text()), True),
                (keys.Copy, lambda: clipboard.setText(self.value().replace("; ", "\n").replace(" ", "\t")), True),
                (keys.Undo, lambda: self._go_back(self._past, self._future), bool(self._past)),
                (keys.Redo, lambda: self._go_back(self._future, self._past), bool(self._future)),
            ):
                if is_possible and event.matches(key):
                    event.accept()
                    if event.type() == QEvent.Type.KeyPress:
                        act()
                    return True
        return False

    def _on_edit(self) -> None:
        if self.value() != self._shown:
            self._past.append(self._shown)
            self._future.clear()
            self._shown = self.value()
            self.edited.emit()

    def _go_back(self, values: list[str], others: list[str]) -> None:
        """Show the last of these values, and keep the present one with the others."""
        others.append(self._shown)
        self._shown = values.pop()
        self._show_rows(_split_table(self._shown))
        self.edited.emit()

    def _show_rows(self, rows: list[list[str]]) -> None:
        self._fill_table(rows, 0, 0, max(map(len, rows), default=1), len(rows) or 1)

    def _cell_text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return "".join(item.text().split()) or "0" if item is not None else "0"

    def _fill_table(self, rows: list[list[str]], top: int, left: int, across: int, down: int) -> None:
        with QSignalBlocker(self.table):
            self.table.setRowCount(down)
            self.table.setColumnCount(across)
            for row in range(down):
                for column in range(across):
                    inside = top <= row < top + len(rows) and left <= column < left + len(rows[row - top])
                    if inside or self.table.item(row, column) is None:
                        item = QTableWidgetItem(rows[row - top][column - left] if inside else "0")
                        item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                        self.table.setItem(row, column, item)
        header, line = (
            self.table.horizontalHeader().sizeHint().height(),
            self.table.verticalHeader().defaultSectionSize(),
        )
        self.table.setFixedHeight(header + min(down, MAX_TABLE_ROWS) * line + 2 * self.table.frameWidth() + 14)


def _split_table(text: str) -> list[list[str]]:
    """Return the words of the rows of a table, which are separated by semicolons or lines."""
    lines = text.replace(";", "\n").replace(",", " ").splitlines()
    return [line.split() for line in lines if line.strip()]
