"""AlignmentView: the alignment of a pair, wrapped or on one line, with what can be counted in it."""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeySequence, QPainter, QPen, QShortcut
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.kit import export, result_text
from app.kit.background import Latest
from app.kit.flow import WHERE_WIDTH, Flow, together
from app.kit.selection import Selection
from app.kit.widgets import Elided, check_action, choice_actions, menu_button, tool_button
from app.views.alignment.pair_canvas import AlignmentCanvas
from app.views.alignment.pair_text import AlignmentText, Statistics
from kernels.model import Result

COLOURINGS = {"all": "Colour all letters", "differ": "Colour only where the two differ", "none": "No colours"}
LEAST_SCALE = 0.1
"""The share of differences that fills the overview, where there are no more."""
FIND_HINT = "Type a column (1234), a position (i 1234 or j 1234), or letters to search for"
SCORE_ONLY = (
    "This method returns the score only.\n"
    "Choose StripedAlignment for the path: it gives the same score and the alignment."
)
EMPTY = (
    "The best local alignment is empty: no pair of letters scores above 0, so the score is 0.\n"
    "Choose another matrix, other match and mismatch scores, or global mode."
)


class AlignmentView(QWidget):
    """Both sequences with gaps, a match line, positions and statistics."""

    id = "alignment"
    title = "Alignment"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.text: AlignmentText | None = None
        self.canvas = AlignmentCanvas()
        self.overview = Overview()
        self._counting, self._saving = Latest(self), Latest(self)
        self._build()
        self._connect()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result_text.is_pair(result)

    def show_result(self, result: Result | None) -> None:
        """Show the alignment of a result; say why where it has none."""
        if result is not None and not self.shows(result):
            result = None
        self.result = result
        self._counting.cancel()
        self.text = AlignmentText(result) if result and result.answer.alignment is not None else None
        there = self.text is not None and self.text.columns > 0
        self.canvas.show_text(self.text if there else None)
        self.overview.show_statistics(None)
        self._tools.setEnabled(there)
        self._where.clear()
        self._pages.setCurrentIndex(0 if there else 1)
        self._explanation.setText(self._why_nothing())
        self._header.setText(self._header_text(None) if there else "")
        self._say(None)
        if there:
            self._counting.request(self.text.statistics)
            cell = self.selection.chosen("cell", result)
            if cell is not None:
                self._on_cell_chosen(cell)

    def go_to(self, text: str) -> bool:
        """Go to a column, a position or the next place of some letters; else say why not and return False."""
        column = self._find(text.strip()) if self.text is not None else None
        self._where.setProperty("wrong", column is None)
        self._where.style().polish(self._where)
        if column is None:
            return False
        self.canvas.scroll_to(column)
        self.canvas.mark(column)
        self._say(column)
        self.selection.choose_column(column, self.result)
        return True

    def step(self, kind: str, forward: bool) -> bool:
        """Go to the next or previous "mismatch" or "gap"; False where there is no more."""
        if self.text is None:
            return False
        start = self.canvas.marked
        if start is None:
            first, last = self.canvas.visible()
            start = first - 1 if forward else last
        column = self.text.find(kind, start, forward)
        if column is None:
            self._status.setText(f"No {kind} {'after' if forward else 'before'} column {max(start, 0) + 1:,}")
            return False
        self.canvas.scroll_to(column)
        self.canvas.mark(column)
        self._say(column)
        self.selection.choose_column(column, self.result)
        return True

    def copy_text(self) -> str:
        """The selected columns, or all, as three lines: first sequence, match line, second sequence."""
        if self.text is None:
            return ""
        stretch = self.text.stretch(*(self.canvas.selection or (0, self.text.columns)))
        return f"{stretch.top}\n{stretch.match}\n{stretch.bottom}"

    def copy(self) -> None:
        """Copy the selected columns, or all of them."""
        QGuiApplication.clipboard().setText(self.copy_text())
        self._status.setText("Copied " + self._selected_text(self.canvas.selection or (0, self.text.columns)))

    def copy_letters(self, row: int) -> None:
        """Copy the letters of one sequence, without gaps."""
        stretch = self.text.stretch(*(self.canvas.selection or (0, self.text.columns)))
        QGuiApplication.clipboard().setText((stretch.top, stretch.bottom)[row].replace("-", ""))

    def save(self) -> None:
        """Ask for a file and write the alignment in the format of its suffix."""
        export.save_alignment(self, self.result, self._saving, self._status.setText)

    def _fail_to_save(self, error: Exception) -> None:
        self._status.setText("")
        QMessageBox.warning(self, "Save alignment", str(error))

    def _build(self) -> None:
        self._where = QLineEdit(placeholderText="Go to column")
        self._where.setToolTip(FIND_HINT)
        self._where.setFixedWidth(WHERE_WIDTH)
        self._tools = QWidget()
        row = Flow(self._tools)
        row.addWidget(self._where)
        for kind, key in (("mismatch", "M"), ("gap", "G")):
            back, on = self._step_button(kind, "Shift+" + key, False), self._step_button(kind, key, True)
            row.addWidget(together(back, QLabel(kind.title()), on))
        row.addWidget(menu_button("View", "Lines, size and colours of the letters", self._view_menu()))
        row.addWidget(menu_button("Copy", "Copy the selected columns, or all", self._copy_menu()))
        row.addWidget(tool_button("Save\u2026", "Save the alignment to a file", self.save))
        self._header = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._header.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._explanation = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._explanation.setObjectName("muted")
        self._status = Elided()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.SPACING)
        column.addWidget(self._header)
        column.addWidget(self.overview)
        column.addWidget(self.canvas, 1)
        column.addWidget(self._status)
        self._pages = QStackedWidget()
        self._pages.addWidget(page)
        self._pages.addWidget(self._explanation)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self._tools)
        layout.addWidget(self._pages, 1)

    def _step_button(self, kind: str, key: str, forward: bool) -> QToolButton:
        shortcut = QShortcut(QKeySequence(key), self.canvas, context=Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(lambda: self.step(kind, forward))
        tip = f"{'Next' if forward else 'Previous'} {kind} ({key})"
        button = tool_button("\u203a" if forward else "\u2039", tip, lambda: self.step(kind, forward))
        button.setObjectName("quiet")
        return button

    def _view_menu(self) -> QMenu:
        menu = QMenu(self)
        self.wrap = check_action(menu, "Wrap lines", True, self.canvas.set_wrapped)
        menu.addAction("Larger letters (Ctrl+wheel)", lambda: self.canvas.set_pixels(self.canvas.pixels + 2))
        menu.addAction("Smaller letters (Ctrl+wheel)", lambda: self.canvas.set_pixels(self.canvas.pixels - 2))
        choice_actions(menu, "Colours", COLOURINGS, "all", self.canvas.set_colouring)
        return menu

    def _copy_menu(self) -> QMenu:
        menu = QMenu(self)
        copy = QAction("Alignment, three lines", self)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.triggered.connect(self.copy)
        self.addAction(copy)
        menu.addAction(copy)
        menu.addAction("Letters of the first sequence", lambda: self.copy_letters(0))
        menu.addAction("Letters of the second sequence", lambda: self.copy_letters(1))
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.canvas.customContextMenuRequested.connect(lambda place: menu.exec(self.canvas.mapToGlobal(place)))
        return menu

    def _connect(self) -> None:
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.selected.connect(lambda span: self._status.setText(self._selected_text(span)) if span else None)
        self.canvas.moved.connect(lambda: self.overview.show_window(self.canvas.visible()))
        self.overview.chosen.connect(self._on_share)
        self._counting.finished.connect(self._on_counted)
        self._saving.finished.connect(lambda path: self._status.setText(f"Saved {path}"))
        self._saving.failed.connect(self._fail_to_save)
        self.selection.cell_changed.connect(self._on_cell)
        self.selection.cell_chosen.connect(self._on_cell_chosen)
        theme.notifier.changed.connect(self.canvas.viewport().update)

    def _why_nothing(self) -> str:
        if self.result is None:
            return ""
        return SCORE_ONLY + f"\n\nScore {result_text.number(self.result.score)}" if self.text is None else EMPTY

    def _header_text(self, counts: Statistics | None) -> str:
        problem, path = self.result.problem, self.text.alignment
        parts = [f"Score <b>{result_text.number(self.result.score)}</b>", f"Columns <b>{self.text.columns:,}</b>"]
        if counts is not None:
            parts += [
                f"Identity <b>{counts.percent(counts.identical):.1f} %</b> ({counts.identical:,})",
                f"Similarity <b>{counts.percent(counts.positive):.1f} %</b> ({counts.positive:,})",
                f"Gaps <b>{counts.gap_letters:,}</b> letters in {counts.gaps:,} gap{'s' * (counts.gaps != 1)}",
            ]
        for sequence, start, end in zip(problem.sequences, path.start, path.end, strict=True):
            name = result_text.shortened(sequence.name).replace("&", "&amp;").replace("<", "&lt;")
            parts.append(f"{name} <b>{min(start + 1, end):,}\u2013{end:,}</b> of {len(sequence):,}")
        return "&nbsp; ".join(f"<span style='white-space:nowrap'>{part}</span>&nbsp;" for part in parts)

    def _on_share(self, share: float) -> None:
        """Go to a place of the overview."""
        if self.text is not None:
            self.canvas.scroll_to(int(share * self.text.columns))

    def _on_counted(self, counts: Statistics) -> None:
        self._header.setText(self._header_text(counts))
        self.overview.show_statistics(counts)
        self.overview.show_window(self.canvas.visible())

    def _find(self, text: str) -> int | None:
        """The column that ``text`` asks for; None, with the reason shown, where there is none."""
        number = re.fullmatch(r"(?:(i|j|col|column)\s*)?([\d_, ]+)", text, re.IGNORECASE)
        if number and re.search(r"\d", text):
            axis, position = (number[1] or "").lower(), int(re.sub(r"[_, ]", "", number[2]))
            if axis in ("i", "j"):
                column = self.text.column_of("ij".index(axis), position)
                where = f"{axis} {position:,} is not in the alignment"
            else:
                column = position - 1 if 1 <= position <= self.text.columns else None
                where = f"Columns go from 1 to {self.text.columns:,}"
        elif text.isalpha():
            column, where = self._find_letters(text.upper()), f"{text.upper()} does not follow in either sequence"
        else:
            column, where = None, FIND_HINT
        if column is None:
            self._status.setText(where)
        return column

    def _find_letters(self, letters: str) -> int | None:
        """The next column at which these letters begin in the first or the second sequence."""
        after = -1 if self.canvas.marked is None else self.canvas.marked
        columns = []
        for row, sequence in enumerate(self.text.problem.sequences):
            start = self.text.alignment.start[row]
            if after >= 0:
                start = self.text.index.cell(min(after + 1, self.text.columns))[row]
            found = sequence.letters.find(letters.encode(), start, self.text.alignment.end[row])
            if found >= 0:
                columns.append(self.text.column_of(row, found + 1))
        return min((column for column in columns if column is not None), default=None)

    def _selected_text(self, span: tuple[int, int]) -> str:
        start, end = self.text.index.cell(span[0]), self.text.index.cell(span[1])
        ranges = [
            f"{name} {low + 1:,}\u2013{high:,}" for name, low, high in zip("ij", start, end, strict=True) if high > low
        ]
        return f"columns {span[0] + 1:,}\u2013{span[1]:,} ({span[1] - span[0]:,})   " + "   ".join(ranges)

    def _say(self, column: int | None) -> None:
        """What is known of a column."""
        if column is None or self.text is None:
            self._status.setText("Drag to select, Ctrl+C to copy; M, G: next mismatch, gap" if self.text else "")
            return
        stretch = self.text.stretch(column, column + 1)
        (i, j), (top, bottom) = self.text.index.cell(column + 1), (stretch.top, stretch.bottom)
        places = [f"{axis} {place:,} {letter}" if letter != "-" else f"{axis} gap after {place:,}"
                  for axis, place, letter in (("i", i, top), ("j", j, bottom))]  # fmt: skip
        self._status.setText("   ".join([f"column {column + 1:,}", *places]))

    def _on_hover(self, column: int | None) -> None:
        if self.text is not None:
            self.selection.hover_column(column)
            if self.canvas.selection is None:
                self._say(column)

    def _on_click(self, column: int) -> None:
        self.canvas.mark(column)
        self.selection.choose_column(column, self.result)

    def _on_cell(self, cell: tuple[int, int] | None) -> None:
        """Mark the column that ends at the cell another view points at."""
        if self.text is not None and cell is not None:
            point = self.text.index.point_at(cell)
            self.canvas.mark(point - 1 if point else None)

    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        point = self.text.index.point_at(cell) if self.text is not None else None
        if point is not None:
            self.canvas.scroll_to(max(point - 1, 0))
            self.canvas.mark(max(point - 1, 0))


class Overview(QWidget):
    """The whole alignment in a thin band: where the two differ, and the visible part framed."""

    chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._counts: Statistics | None = None
        self._window = (0, 0)
        self.setFixedHeight(26)
        self.setToolTip("Mismatches (blue) and gaps (orange) along the alignment. Click to go there.")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_statistics(self, counts: Statistics | None) -> None:
        self._counts = counts
        self.update()

    def show_window(self, columns: tuple[int, int]) -> None:
        self._window = columns
        self.update()

    def mousePressEvent(self, event) -> None:
        self.chosen.emit(min(max(event.position().x() / self.width(), 0.0), 1.0))

    def mouseMoveEvent(self, event) -> None:
        self.mousePressEvent(event)

    def paintEvent(self, event) -> None:
        painter, colours = QPainter(self), theme.active()
        painter.fillRect(self.rect(), QColor(colours.panel))
        counts = self._counts
        if counts is None or not counts.columns:
            return
        width, height = self.width(), self.height() - 2
        places = np.arange(width) * len(counts.gap_profile) // width
        gaps = counts.gap_profile[places]
        both = 1 - counts.identity_profile[places]
        tallest = max(float(both.max(initial=0)), LEAST_SCALE)
        painter.setPen(Qt.PenStyle.NoPen)
        for shares, colour in ((both, colours.accent), (gaps, colours.recomputed)):
            tall = np.rint(shares / tallest * height).astype(int).tolist()
            painter.setBrush(QColor(colour))
            painter.drawRects([QRectF(x, 1 + height - high, 1, high) for x, high in enumerate(tall) if high])
        left, right = (width * column / counts.columns for column in self._window)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.drawRect(QRectF(left, 1, max(right - left, 4) - 1, height))
