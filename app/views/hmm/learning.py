"""LearningView: how Baum-Welch went, round by round, and the learned model beside the one that it began with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QSplitter, QTableView, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.axis import PlainPlot, plain_plot
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.sums.problem import LearningAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

MOVED = 0.005
"""A probability that changed by less than this reads the same."""

TINY = 1e-4
"""A probability below this is told in full where the mouse rests."""

SYMBOL_SIZE = 6


class ModelTable(QAbstractTableModel):
    """A row a state: how probable it is at the start, each next state, and each letter; learned, and before."""

    def __init__(self) -> None:
        super().__init__()
        self._states: tuple[str, ...] = ()
        self.headings: tuple[str, ...] = ()
        self.learned = self.before = np.empty((0, 0))

    def show_models(self, learned: Hmm, before: Hmm) -> None:
        """Show these two, which have the same states and letters."""
        self.beginResetModel()
        self._states = learned.states
        arrow = "\N{RIGHTWARDS ARROW}"
        self.headings = ("start", *(f"{arrow} {state}" for state in learned.states), *learned.alphabet)
        self.learned, self.before = _numbers(learned), _numbers(before)
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
        found = float(self.learned[index.row(), index.column()])
        before = float(self.before[index.row(), index.column()])
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{_short(found)} ({_short(before)})"
        if role == Qt.ItemDataRole.ToolTipRole:
            what = f"{self._states[index.row()]}, {self.headings[index.column()]}"
            return f"{what}: {found:.8g}, before {before:.8g}"
        if role == Qt.ItemDataRole.FontRole and abs(found - before) >= MOVED:
            bold = QFont()
            bold.setBold(True)
            return bold
        return Qt.AlignmentFlag.AlignCenter if role == Qt.ItemDataRole.TextAlignmentRole else None

    def copy_text(self) -> str:
        """Both models as tab-separated text, a line a state of each."""
        lines = ["\t".join(("model", "state", *self.headings))]
        for name, numbers in (("learned", self.learned), ("before", self.before)):
            for state, row in zip(self._states, numbers.tolist(), strict=True):
                lines.append("\t".join((name, state, *(f"{value:.8g}" for value in row))))
        return "\n".join(lines) + "\n"


class LearningView(QWidget):
    """The logarithm of the probability over the rounds, above the tables of the model."""

    id = "learning"
    title = "Learning"

    def __init__(self, selection: Selection, part: pg.PlotItem | None = None) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.plot = PlainPlot(part)
        self.plot.setAccessibleName("Logarithm of the probability of the sequences over the rounds")
        self.plot.getPlotItem().hideButtons()
        self.line = self.plot.plot([], [])
        self.told, self.caption = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self.told.setObjectName("heading")
        self.caption.setObjectName("muted")
        self.model, self.table = ModelTable(), QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("The model that was learned, and the one before")
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        foot = QHBoxLayout()
        foot.addWidget(self.caption, 1)
        foot.addWidget(tool_button("Copy table", "Copy both models as tab-separated text", self.copy))
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        parts = QSplitter(Qt.Orientation.Vertical)
        for part in (self.plot, below):
            parts.addWidget(part)
        parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self.told)
        layout.addWidget(parts, 1)
        theme.notifier.changed.connect(self._restyle)
        self._restyle()

    @classmethod
    def part(cls) -> pg.PlotItem:
        return plain_plot()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, LearningAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show how a model was learned, or nothing."""
        self.result = result if result is not None and self.shows(result) else None
        if self.result is None:
            self.line.setData([], [])
            self.told.clear()
            return
        answer, before = self.result.answer, self.result.problem.hmm
        values = answer.log_probabilities
        rounds = counted(len(values) - 1, "round")
        self.told.setText(f"log p rose from {result_text.number(round(values[0], 4))} to "
                          f"{result_text.number(round(values[-1], 4))} in {rounds}")  # fmt: skip
        self.caption.setText(f"Learned, and in brackets {before.name}, with which it began; bold is what changed.")
        self.line.setData(range(len(values)), values)
        self.plot.autoRange()
        self.model.show_models(answer.hmm, before)

    def copy_text(self) -> str:
        """Both models as tab-separated text."""
        return self.model.copy_text() if self.result is not None else ""

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copy_text())

    def _restyle(self) -> None:
        colours = theme.active()
        self.plot.setBackground(colours.panel)
        theme.style_plot(self.plot.getPlotItem())
        for side, words in (("bottom", "round"), ("left", "log probability")):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
            self.plot.setLabel(side, words, color=colours.muted)
        self.line.setPen(pg.mkPen(colours.accent, width=2))
        self.line.setSymbol("o")
        self.line.setSymbolSize(SYMBOL_SIZE)
        self.line.setSymbolBrush(colours.accent)
        self.line.setSymbolPen(None)


def _short(value: float) -> str:
    return f"{value:.3g}" if value >= TINY else "~0" if value else "0"


def _numbers(hmm: Hmm) -> np.ndarray:
    """Initial, transition and emission probabilities of each state, side by side."""
    return np.hstack([hmm.initial[:, None], hmm.transitions, hmm.emissions])
