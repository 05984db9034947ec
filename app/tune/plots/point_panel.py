"""PointPanel: all values of the chosen point, and buttons to use or pin it."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableWidget, QTableWidgetItem, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import Card, create_label, create_row
from antidiag.app.tune.plots.geometry import GeometryPicture, is_cut
from antidiag.app.tune.plots.heat_map import format_quantity
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.kernels.experiments.point_data import model_values
from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, Spread
from antidiag.kernels.memory import format_bytes

FactRow = tuple[str, str]
SHORT_NAMES = {
    "wall_ms": "whole call",
    "compute_ms": "phases",
    "transfer_ms": "transfer",
    "other_ms": "other",
    "compilation_ms": "compilation",
    "gcups": "GCUPS of phases",
    "wall_gcups": "GCUPS of call",
    "of_limit": "of limit",
}
BREAKS = re.compile(r"[_.|/](?=[^\d\s])|(?<=[a-z])(?=[A-Z])")
"""Where a name without spaces may be wrapped."""
PADDING, MAX_ROW_HEIGHT = (16, 8), 10_000
"""Horizontal and vertical padding of a cell in pixels, and the largest height of a row."""
NAME_WIDTH = 120
"""Largest width of the column of names in pixels; longer names are wrapped."""


class PointPanel(Card):
    """The chosen point beside the pinned ones."""

    use_wanted = Signal(object)

    def __init__(
        self,
        points: PointSet,
        lengths_of: Callable[[MeasuredPoint], tuple[int, ...] | None],
        why_unknown: Callable[[], str],
    ) -> None:
        """``lengths_of`` returns the input lengths of a point, ``why_unknown`` the reason if it cannot, or ""."""
        super().__init__("Point")
        self._points, self._lengths_of, self._why_unknown = points, lengths_of, why_unknown
        self.hint = create_label("Click a point in a plot to see its values.", "muted", wrap=True)
        self.warning = create_label(kind="error", wrap=True)
        self.table = QTableWidget(0, 1)
        self.table.setAccessibleName("Values of the chosen point")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + 8)
        self.table.verticalHeader().hide()
        self._fit_timer = QTimer(self, interval=0, singleShot=True)  # long values are wrapped
        self._fit_timer.timeout.connect(self._fit_rows)
        self.table.horizontalHeader().sectionResized.connect(self._fit_timer.start)
        self.picture, self.geometry_label = GeometryPicture(), create_label(kind="muted", wrap=True)
        self.use_button, self.pin_button = QPushButton("Use these values"), QPushButton("Pin")
        self.use_button.setToolTip("Copy the parameters of this point to the form of Analyse")
        self.pin_button.setToolTip("Keep this point here for comparison with others")
        self.use_button.clicked.connect(lambda: self.use_wanted.emit(points.chosen))
        self.pin_button.clicked.connect(self._pin_chosen)
        for widget in (self.hint, self.warning, self.picture, self.geometry_label):
            self.box.addWidget(widget)
        self.box.addWidget(self.table, 1)
        self.spring = QWidget()
        self.box.addWidget(self.spring, 1)
        self.box.addLayout(create_row(self.use_button, self.pin_button, stretch=0))
        points.chosen_changed.connect(self._update_panel)
        points.pinned_changed.connect(self._update_panel)
        self._update_panel()

    def _fit_rows(self) -> None:
        """Fit the rows to their texts; Qt's own method ignores the padding and cuts off the last line."""
        metrics, table = self.table.fontMetrics(), self.table
        for line in range(table.rowCount()):
            heights = [metrics.height()]
            for place in range(table.columnCount()):
                room = QRect(0, 0, table.columnWidth(place) - PADDING[0], MAX_ROW_HEIGHT)
                text = table.item(line, place).text()
                heights.append(metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height())
            table.setRowHeight(line, max(heights) + PADDING[1])

    def _pin_chosen(self) -> None:
        if self._points.chosen:
            self._points.toggle_pin(self._points.chosen)

    def _update_panel(self) -> None:
        chosen = self._points.chosen
        shown = [point for point in (chosen, *self._points.pinned) if point is not None]
        shown = list({id(point): point for point in shown}.values())
        self.hint.setVisible(not shown)
        self.table.setVisible(bool(shown))
        self.spring.setVisible(not shown)
        self.warning.setText(texts.as_sentence(chosen.reason) if chosen and chosen.reason else "")
        self.warning.setVisible(bool(self.warning.text()))
        self.use_button.setEnabled(chosen is not None and not chosen.is_peer and bool(chosen.parameters))
        self.pin_button.setEnabled(chosen is not None)
        self.pin_button.setText("Unpin" if chosen in self._points.pinned else "Pin")
        self.picture.show_point(chosen, self._lengths_of(chosen) if chosen else None)
        why = self._why_unknown() if chosen and is_cut(chosen) else ""
        self.geometry_label.setText(
            self.picture.describe_geometry() or (f"The geometry is unknown: {why}." if why else "")
        )
        self.geometry_label.setVisible(bool(self.geometry_label.text()))
        self._fill_table(shown)

    def _fill_table(self, shown: list[MeasuredPoint]) -> None:
        columns = [dict(point_facts(point)) for point in shown]
        names = list(dict.fromkeys(name for column in columns for name in column))
        chosen, header = self._points.chosen, self.table.horizontalHeader()
        self.table.setRowCount(len(names))
        self.table.setColumnCount(1 + len(shown))
        self.table.setHorizontalHeaderLabels(["", *("chosen" if point is chosen else "pinned" for point in shown)])
        header.setVisible(len(shown) > 1)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # else Qt measures the columns at every cell
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
        self._fit_timer.start()


def point_facts(point: MeasuredPoint) -> list[FactRow]:
    """Return all values of a point as names and texts."""
    rows = [("method", point.name), ("problem", f"{point.title}, {point.size}".strip(", ")), ("device", point.device)]
    rows += [(name, point_text.format_value(value)) for name, value in point.parameters.items()]
    if point.status is not PointStatus.MEASURED:
        rows.append(("status", str(point.status)))
    for quantity, text in SHORT_NAMES.items():
        found = point.find_spread(quantity)
        if found is not None and (found.high or quantity not in ("transfer_ms", "other_ms")):
            rows.append((text, format_spread(quantity, found)))
    rows += [(f"  {name}", format_spread("x_ms", spread)) for name, spread in point.phase_spreads.items()]
    if point.has_times:
        rows += [("host memory", format_bytes(point.host_bytes)), ("device memory", format_bytes(point.device_bytes))]
    rows += model_facts(point)
    rows += [("runs", str(len(point.runs) or ""))]
    rows += [("answer", point.answer), ("time covers", point.counts), ("measured", point.started)]
    return [(name, text) for name, text in rows if text]


def model_facts(point: MeasuredPoint) -> list[FactRow]:
    """Return the predictions of the models of a point's method."""
    declared = model_values.find_models(point.contender)
    rows = [("predicted", "by the paper's model")] if point.models else []
    for name, value in point.models.items():
        model = declared.get(name)
        words = f"{model.label[:1].lower()}{model.label[1:]}" if model else name
        rows.append((f"  {words}", format_amount(value, model.unit if model else "")))
    return rows


def format_amount(value: float, unit: str) -> str:
    """Format a predicted amount with three digits: '98.4 KiB', '50.2 k steps'."""
    return format_bytes(round(value)) if unit == "bytes" else f"{texts.format_number(value)} {unit}".rstrip()


def format_spread(quantity: str, spread: Spread) -> str:
    """Format a median with the smallest and the largest value: '15.3 ms (14.6 to 32)'."""
    text = format_quantity(quantity, spread.median)
    if spread.count < 2:
        return text
    low, high = (format_quantity(quantity, value) for value in (spread.low, spread.high))
    unit = text.rpartition(" ")[2]
    return f"{text} ({low.removesuffix(f' {unit}')} to {high.removesuffix(f' {unit}')})"
