"""PhasesView: the time of each phase of a run."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.results.phase_times import PhaseTime, list_phase_times, phase_colour
from antidiag.app.kit.selection import Selection
from antidiag.kernels.model import Result

BAR_HEIGHT, TABLE_HEIGHT = 46, 90  # pixels of the bar, and smallest height of the table, which then scrolls
COLUMNS = ("Phase", "Time", "Share", "Cells", "Rate")


class PhasesBar(QWidget):
    """One stacked bar of phase times, with names, times and shares where they fit."""

    def __init__(self) -> None:
        super().__init__()
        self._times: tuple[PhaseTime, ...] = ()
        self._names: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def show_times(self, times: tuple[PhaseTime, ...], names: tuple[str, ...]) -> None:
        """Show these times; ``names`` are all phases of the run and decide the colours."""
        self._times, self._names = times, names
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, BAR_HEIGHT)

    def phase_boxes(self) -> list[tuple[PhaseTime, QRectF]]:
        """Return each phase with its rectangle."""
        found, x = [], 0.0
        for time in self._times:
            width = time.share * self.width()
            found.append((time, QRectF(x, 0, width, self.height())))
            x += width
        return found

    def paintEvent(self, event) -> None:
        painter, palette = QPainter(self), theme.active().phases
        metrics = painter.fontMetrics()
        for time, box in self.phase_boxes():
            colour = QColor(phase_colour(time.name, self._names, palette))
            painter.fillRect(box.adjusted(0, 0, -1 if box.width() > 3 else 0, 0), colour)
            lines = [time.name, f"{texts.format_duration(time.time_ms)} \u00b7 {100 * time.share:.1f} %"]
            if max(map(metrics.horizontalAdvance, lines)) + 12 > box.width():
                lines = [time.name] if metrics.horizontalAdvance(time.name) + 8 <= box.width() else []
            painter.setPen(QColor("#10141a"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))

    def mouseMoveEvent(self, event) -> None:
        for time, box in self.phase_boxes():
            if box.contains(QPointF(event.position())):
                tip = f"{time.name}: {texts.format_duration(time.time_ms)}, {100 * time.share:.2f} %"
                QToolTip.showText(event.globalPosition().toPoint(), tip, self)


class PhasesView(QWidget):
    """Phase times as bars and as a table."""

    id = "phases"
    title = "Phases"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.bar, self.apart_bar = PhasesBar(), PhasesBar()
        self._total, self._apart = (create_label("", "heading", wrap=True) for _ in range(2))
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setHorizontalHeaderLabels(COLUMNS)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        for column in range(len(COLUMNS)):
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            self.table.horizontalHeaderItem(column).setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._copy = tool_button("Copy table", "Copy the table as tab-separated text", self.copy)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        for widget in (self._total, self.bar, self._apart, self.apart_bar):
            layout.addWidget(widget)
        layout.addSpacing(theme.MARGIN)
        layout.addWidget(self.table, 100)  # shows all rows if there is space
        layout.addWidget(self._copy, alignment=Qt.AlignmentFlag.AlignRight)
        layout.addStretch(1)
        theme.notifier.changed.connect(self._apply_theme)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return bool(result.times_ms)

    def show_result(self, result: Result | None) -> None:
        """Show the times of a result, or nothing."""
        self.result = result
        times = list_phase_times(result) if result else ()
        names = tuple(time.name for time in times)
        apart = tuple(time for time in times if time.apart)
        self.bar.show_times(tuple(time for time in times if not time.apart), names)
        self.apart_bar.show_times(apart, names)
        self._total.setText(
            f"{texts.format_duration(result.compute_ms)} computing, {_rate_text(result)}" if result else ""
        )
        spent = sum(time.time_ms for time in apart)
        self._apart.setText(f"{texts.format_duration(spent)} more, not counted in the rate (own scale)")
        for widget in (self._apart, self.apart_bar):
            widget.setVisible(spent > 0)
        self._copy.setEnabled(bool(times))
        self._fill_table(times, names)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _apply_theme(self) -> None:
        self.show_result(self.result)

    def copy_text(self) -> str:
        """Return the table as tab-separated text with plain numbers."""
        rows = ["\t".join(("phase", "ms", "share", "cells", "gcups"))]
        times = list_phase_times(self.result) if self.result else ()
        rows += [f"{t.name}\t{t.time_ms:.6g}\t{t.share:.6g}\t{t.cells}\t{t.gcups:.6g}" for t in times]
        return "\n".join(rows)

    def copy(self) -> None:
        """Copy the table of phases."""
        QGuiApplication.clipboard().setText(self.copy_text())

    def _hide_columns(self) -> None:
        """Hide the columns for which a narrow table has no space beside the names of the phases."""
        header, free = self.table.horizontalHeader(), self.table.width() - self.table.sizeHintForColumn(0)
        for name in ("Time", "Share", "Rate", "Cells"):
            column = COLUMNS.index(name)
            free -= max(self.table.sizeHintForColumn(column), header.sectionSizeHint(column))
            self.table.setColumnHidden(column, free < 0)

    def _fill_table(self, times: tuple[PhaseTime, ...], names: tuple[str, ...]) -> None:
        rows = [(time.name, *_table_row(time)) for time in times]
        if self.result is not None:
            total = texts.format_duration(self.result.compute_ms)
            rows.append(("all phases", total, "100.0 %", f"{self.result.cells:,}", _rate_text(self.result)))
        self.table.setRowCount(len(rows))
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                item = QTableWidgetItem(value)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                elif row < len(times):
                    item.setIcon(_colour_icon(phase_colour(times[row].name, names, theme.active().phases)))
                self.table.setItem(row, column, item)
        height = self.table.horizontalHeader().sizeHint().height() + 4
        height += sum(self.table.rowHeight(row) for row in range(len(rows)))
        self.table.setMaximumHeight(height)
        self.table.setMinimumHeight(min(height, TABLE_HEIGHT))
        self._hide_columns()


def _rate_text(result: Result) -> str:
    method = texts.result_method(result)
    return texts.format_rate(result.gcups, method.problem_type.work_unit if method else "cells")


def _table_row(time: PhaseTime) -> tuple[str, str, str, str]:
    counted = time.cells and not time.apart
    rate = texts.format_rate(time.gcups) if counted and time.time_ms else ""
    share = "" if time.apart else f"{100 * time.share:.1f} %"
    return texts.format_duration(time.time_ms), share, f"{time.cells:,}" if counted else "", rate


def _colour_icon(colour: str) -> QIcon:
    pixmap = QPixmap(24, 24)
    pixmap.fill(QColor(colour))
    return QIcon(pixmap)
