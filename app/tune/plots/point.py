"""PointPanel: everything about the chosen point, and what can be done with it."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableWidget, QTableWidgetItem, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.widgets import Card, label, row
from antidiag.app.tune.plots.geometry import GeometryPicture, is_cut
from antidiag.app.tune.plots.heat_map import number
from antidiag.app.tune.plots.points import PointSet
from antidiag.kernels.experiments import models
from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments.points import Point, Spread, Status
from antidiag.kernels.memory import bytes_text

Row = tuple[str, str]
NAMES = {
    "wall_ms": "whole call", "compute_ms": "phases", "transfer_ms": "transfer", "other_ms": "other",
    "compilation_ms": "compilation", "gcups": "G/s of phases", "wall_gcups": "G/s of the call", "of_limit": "of limit",
}  # fmt: skip
"""Quantities in as few letters as a narrow panel has room for."""
BREAKS = re.compile(r"[_.|/](?=[^\d\s])|(?<=[a-z])(?=[A-Z])")
"""Where a name that has no spaces may go on in the next line."""
PADDING, HIGHEST = (16, 8), 10_000
"""Pixels beside, and above and below, the text of a cell, that are none of it; and of a row at most."""
NAME_WIDTH = 120
"""Pixels of the longest name that stands in one line; others take several."""


class PointPanel(Card):
    """The chosen point beside those that are pinned."""

    use_wanted = Signal(object)

    def __init__(
        self, points: PointSet, lengths_of: Callable[[Point], tuple[int, ...] | None], why_unknown: Callable[[], str]
    ) -> None:
        """``lengths_of`` gives the lengths of a point's sequences, ``why_unknown`` says why it cannot, or ""."""
        super().__init__("Point")
        self._points, self._lengths_of, self._why_unknown = points, lengths_of, why_unknown
        self.hint = label("Click a point in a plot to see everything about it.", "muted", wrap=True)
        self.warning = label(kind="error", wrap=True)
        self.table = QTableWidget(0, 1)
        self.table.setAccessibleName("Values of the chosen point")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + 8)
        self.table.verticalHeader().hide()
        self._fold = QTimer(self, interval=0, singleShot=True)  # values that are too long for a line take several
        self._fold.timeout.connect(self._fit_rows)
        self.table.horizontalHeader().sectionResized.connect(self._fold.start)
        self.picture, self.words = GeometryPicture(), label(kind="muted", wrap=True)
        self.use_button, self.pin_button = QPushButton("Use these values"), QPushButton("Pin")
        self.use_button.setToolTip("Put the parameters of this point into the form of Analyse")
        self.pin_button.setToolTip("Keep this point beside the next ones, for comparison")
        self.use_button.clicked.connect(lambda: self.use_wanted.emit(points.chosen))
        self.pin_button.clicked.connect(self._pin)
        self.box.addWidget(self.hint)
        self.box.addWidget(self.warning)
        self.box.addWidget(self.picture)
        self.box.addWidget(self.words)
        self.box.addWidget(self.table, 1)
        self.spring = QWidget()
        self.box.addWidget(self.spring, 1)
        self.box.addLayout(row(self.use_button, self.pin_button, stretch=0))
        points.chosen_changed.connect(self._show)
        points.pinned_changed.connect(self._show)
        self._show()

    def _fit_rows(self) -> None:
        """Rows as high as their texts need; Qt's own answer leaves out the padding, and cuts the last line."""
        metrics, table = self.table.fontMetrics(), self.table
        for line in range(table.rowCount()):
            heights = [metrics.height()]
            for place in range(table.columnCount()):
                room = QRect(0, 0, table.columnWidth(place) - PADDING[0], HIGHEST)
                text = table.item(line, place).text()
                heights.append(metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height())
            table.setRowHeight(line, max(heights) + PADDING[1])

    def _pin(self) -> None:
        if self._points.chosen:
            self._points.pin(self._points.chosen)

    def _show(self) -> None:
        chosen = self._points.chosen
        shown = [point for point in (chosen, *self._points.pinned) if point is not None]
        shown = list({id(point): point for point in shown}.values())
        self.hint.setVisible(not shown)
        self.table.setVisible(bool(shown))
        self.spring.setVisible(not shown)
        self.warning.setText(texts.sentence(chosen.reason) if chosen and chosen.reason else "")
        self.warning.setVisible(bool(self.warning.text()))
        self.use_button.setEnabled(chosen is not None and not chosen.is_peer and bool(chosen.parameters))
        self.pin_button.setEnabled(chosen is not None)
        self.pin_button.setText("Unpin" if chosen in self._points.pinned else "Pin")
        self.picture.show_point(chosen, self._lengths_of(chosen) if chosen else None)
        why = self._why_unknown() if chosen and is_cut(chosen) else ""
        self.words.setText(self.picture.text() or (f"The geometry is not known: {why}." if why else ""))
        self.words.setVisible(bool(self.words.text()))
        self._fill(shown)

    def _fill(self, shown: list[Point]) -> None:
        columns = [dict(facts(point)) for point in shown]
        names = list(dict.fromkeys(name for column in columns for name in column))
        chosen, header = self._points.chosen, self.table.horizontalHeader()
        self.table.setRowCount(len(names))
        self.table.setColumnCount(1 + len(shown))
        self.table.setHorizontalHeaderLabels(["", *("chosen" if point is chosen else "pinned" for point in shown)])
        header.setVisible(len(shown) > 1)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # until all is there: else measured at every cell
        for line, name in enumerate(names):
            for place, text in enumerate((name, *(values.get(name, "") for values in columns))):
                item = QTableWidgetItem(BREAKS.sub("\\g<0>\u200b", text))
                item.setToolTip(text.strip())
                if place == 0:
                    item.setForeground(QColor(theme.active().muted))
                self.table.setItem(line, place, item)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        widths = (self.table.fontMetrics().horizontalAdvance(name) for name in names)
        header.resizeSection(0, min(max(widths, default=0), NAME_WIDTH) + PADDING[0])
        self._fold.start()


def facts(point: Point) -> list[Row]:
    """Everything about a point, for people."""
    rows = [("method", point.name), ("problem", f"{point.title}, {point.size}".strip(", ")), ("device", point.device)]
    rows += [(name, point_text.text(value)) for name, value in point.parameters.items()]
    if point.status is not Status.MEASURED:
        rows.append(("status", str(point.status)))
    for quantity, text in NAMES.items():
        found = point.spread(quantity)
        if found is not None and (found.high or quantity not in ("transfer_ms", "other_ms")):
            rows.append((text, told(quantity, found)))
    rows += [(f"  {name}", told("x_ms", spread)) for name, spread in point.phases.items()]
    if point.measured:
        rows += [("host memory", bytes_text(point.host_bytes)), ("device memory", bytes_text(point.device_bytes))]
    rows += foretold(point)
    rows += [("runs", str(len(point.runs) or ""))]
    rows += [("answer", point.answer), ("time covers", point.counts), ("measured", point.started)]
    return [(name, text) for name, text in rows if text]


def foretold(point: Point) -> list[Row]:
    """What the models of a point's method say of it, in the words and units of their declarations."""
    declared = models.declared(point.contender)
    rows = [("foretold", "by the paper's analysis")] if point.models else []
    for name, value in point.models.items():
        model = declared.get(name)
        words = f"{model.label[:1].lower()}{model.label[1:]}" if model else name
        rows.append((f"  {words}", amount(value, model.unit if model else "")))
    return rows


def amount(value: float, unit: str) -> str:
    """'98.4 KiB', '50.2 k steps': three digits are enough of what is foretold."""
    return bytes_text(round(value)) if unit == "bytes" else f"{texts.count(value)} {unit}".rstrip()


def told(quantity: str, spread: Spread) -> str:
    """A median with the smallest and the largest value: '15.3 ms (14.6 to 32)'."""
    text = number(quantity, spread.median)
    if spread.count < 2:
        return text
    low, high = (number(quantity, value) for value in (spread.low, spread.high))
    unit = text.rpartition(" ")[2]
    return f"{text} ({low.removesuffix(f' {unit}')} to {high.removesuffix(f' {unit}')})"
