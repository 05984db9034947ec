"""LearningView: the probability in each Baum-Welch iteration, and the learned model beside the initial one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QHeaderView, QSplitter, QTableView, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.plots.axis import FastPlot
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_state import ViewState
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.sums.problem import LearningAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

MOVED = 0.005  # smallest change of a probability that is shown in bold
TINY = 1e-4  # smaller probabilities are written as ~0, and in full in the tool tip
SYMBOL_SIZE = 6


class ModelTable(QAbstractTableModel):
    """Table model with a row for each state: initial, transition and emission probabilities, learned and before."""

    def __init__(self) -> None:
        super().__init__()
        self._states: tuple[str, ...] = ()
        self.headings: tuple[str, ...] = ()
        self.learned = self.before = np.empty((0, 0))

    def show_models(self, learned: Hmm, before: Hmm) -> None:
        """Show two models with the same states and letters."""
        self.beginResetModel()
        self._states = learned.states
        arrow = "\N{RIGHTWARDS ARROW}"
        self.headings = ("start", *(f"{arrow} {state}" for state in learned.states), *learned.alphabet)
        self.learned, self.before = _model_matrix(learned), _model_matrix(before)
        self.endResetModel()

    def rowCount(self, parent: Any = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.learned)

    def columnCount(self, parent: Any = None) -> int:
        return 0 if parent is not None and parent.isValid() else self.learned.shape[1]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.headings if orientation == Qt.Orientation.Horizontal else self._states)[section]

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        found, before = (float(model[index.row(), index.column()]) for model in (self.learned, self.before))
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{_short_number(found)} ({_short_number(before)})"
        if role == Qt.ItemDataRole.ToolTipRole:
            what = f"{self._states[index.row()]}, {self.headings[index.column()]}"
            return f"{what}: {found:.8g}, before {before:.8g}"
        if role == Qt.ItemDataRole.FontRole and abs(found - before) >= MOVED:
            bold = QFont()
            bold.setBold(True)
            return bold
        return Qt.AlignmentFlag.AlignCenter if role == Qt.ItemDataRole.TextAlignmentRole else None

    def copy_text(self) -> str:
        """Return both models as tab-separated text, with a line for each state."""
        lines = ["\t".join(("model", "state", *self.headings))]
        for name, numbers in (("learned", self.learned), ("before", self.before)):
            for state, row in zip(self._states, numbers.tolist(), strict=True):
                lines.append("\t".join((name, state, *(f"{value:.8g}" for value in row))))
        return "\n".join(lines) + "\n"


class LearningView(QWidget):
    """The log probability of the sequences over the iterations, above the table of both models."""

    id = "learning"
    title = "Learning"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.plot = FastPlot()
        self.plot.setAccessibleName("Log probability of the sequences over the iterations")
        self.plot.getPlotItem().hideButtons()
        self.line = self.plot.plot([], [])
        self.summary, self.caption = create_label("", "heading", wrap=True), create_label("", "muted", wrap=True)
        self.model, self.table = ModelTable(), QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Learned and initial model")
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        copy = tool_button("Copy table", "Copy both models as tab-separated text", self.copy)
        below = QWidget()
        column_of((self.table, 1), row_of((self.caption, 1), copy), parent=below)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.plot)
        parts.addWidget(below)
        parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(parts, 1)
        theme.notifier.changed.connect(self._apply_theme)
        self._apply_theme()
        self.view_state = ViewState(lambda: self.result is not None)
        self.view_state.keep_place("window", self._list_window, self._restore_window)
        self.view_state.keep_scrolling(self.table)

    def _list_window(self) -> list[list[float]] | None:
        """Return the visible part of the plot; None for the whole."""
        box = self.plot.getViewBox()
        return None if any(box.autoRangeEnabled()) else [list(map(float, span)) for span in box.viewRange()]

    def _restore_window(self, window: list[list[float]] | None) -> None:
        if window is not None:
            across, down = window
            self.plot.setRange(xRange=tuple(across), yRange=tuple(down), padding=0)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, LearningAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show how a model was learned, or nothing."""
        self.result = result if result is not None and self.shows(result) else None
        if self.result is None:
            self.line.setData([], [])
            self.summary.clear()
            return
        answer, before = self.result.answer, self.result.problem.hmm
        values = answer.log_probabilities
        first, last = (result_text.format_number(round(value, 4)) for value in (values[0], values[-1]))
        self.summary.setText(f"log p rose from {first} to {last} in {format_count(len(values) - 1, 'iteration')}")
        self.caption.setText(f"Learned values; in brackets those of the initial model {before.name}; changes are bold.")
        self.line.setData(range(len(values)), values)
        self.plot.autoRange()
        self.model.show_models(answer.hmm, before)

    def copy_text(self) -> str:
        """Return both models as tab-separated text."""
        return self.model.copy_text() if self.result is not None else ""

    def copy(self) -> None:
        """Copy the values of the rounds."""
        QGuiApplication.clipboard().setText(self.copy_text())

    def _apply_theme(self) -> None:
        colours = theme.active()
        self.plot.setBackground(colours.panel)
        theme.style_plot(self.plot.getPlotItem())
        for side, words in (("bottom", "iteration"), ("left", "log probability")):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
            self.plot.setLabel(side, words, color=colours.muted)
        self.line.setPen(pg.mkPen(colours.accent, width=2))
        self.line.setSymbol("o")
        self.line.setSymbolSize(SYMBOL_SIZE)
        self.line.setSymbolBrush(colours.accent)
        self.line.setSymbolPen(None)


def _short_number(value: float) -> str:
    return f"{value:.3g}" if value >= TINY else "~0" if value else "0"


def _model_matrix(hmm: Hmm) -> np.ndarray:
    """Return initial, transition and emission probabilities of each state, side by side."""
    return np.hstack([hmm.initial[:, None], hmm.transitions, hmm.emissions])
