"""The window in which results stand side by side."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.compare import paths, rows, trees
from antidiag.app.compare.bars import PhaseBars
from antidiag.app.compare.pairs import Pair, PairPage, pairs_of
from antidiag.app.compare.timelines import Log, Timelines
from antidiag.app.kit.background import Latest
from antidiag.app.kit.replay.together import ReplayTogether
from antidiag.app.kit.widgets import as_list, label, row, tool_button
from antidiag.app.session.session import Entry
from antidiag.kernels.model import Result

SIZE = 1000, 680
NAMED = 30
"""Letters of a result's name above its column."""


class CompareWindow(QWidget):
    """A table of what differs, phases, timelines, replays on one clock; and of any two results their paths or trees."""

    def __init__(self, parent: QWidget | None, entries: tuple[Entry, ...]) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Compare results - Antidiag")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self.results: tuple[Result, ...] = tuple(entry.result for entry in entries)
        self.names = names_of(entries)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.table, self.bars, self.timelines = QTableWidget(), PhaseBars(), Timelines()
        self.only, self.told = QCheckBox("Only what differs"), label(kind="muted", wrap=True)
        self.only.toggled.connect(self._fill)
        self.tabs.addTab(self._summary(), "Summary")
        self.tabs.addTab(_scrolled(self.bars), "Phases")
        self.replays = ReplayTogether()
        self._laid = Latest(self)
        self.pairs: dict[str, PairPage] = {}
        """Pages about two results, by the titles of their tabs."""
        self._add_timelines()
        self._add_answers()
        box = QVBoxLayout(self)
        box.addWidget(self.told)
        box.addWidget(self.tabs, 1)
        close = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        close.activated.connect(self.close)
        self.bars.show_results(self.results, self.names)
        self._fill()
        theme.notifier.changed.connect(self._fill)

    @property
    def busy(self) -> bool:
        """Whether something is still worked out."""
        return self._laid.busy or self.replays.busy or any(page.busy for page in self.pairs.values())

    def copy(self) -> None:
        """The table goes to the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(rows.text_of(self.names, self._rows()))

    def _summary(self) -> QWidget:
        page = QWidget()
        box = QVBoxLayout(page)
        copy = tool_button("Copy table", "Copy the table, for a spreadsheet", self.copy)
        box.addLayout(row(self.only, QWidget(), copy, stretch=1))
        box.addWidget(self.table, 1)
        as_list(self.table)
        self.table.setWordWrap(True)  # what differs may stand at the end of a text
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setAccessibleName("What the results have and do not have in common")
        return page

    def _rows(self) -> list[rows.Row]:
        found = rows.rows(self.results)
        return [each for each in found if each.differs] if self.only.isChecked() else found

    def _fill(self) -> None:
        found, active = self._rows(), theme.active()
        self.table.setColumnCount(1 + len(self.results))
        self.table.setRowCount(len(found))
        self.table.setHorizontalHeaderLabels(["", *self.names])
        for place, each in enumerate(found):
            for column, text in enumerate((each.label, *(each.values or ("",) * len(self.results)))):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                font = QFont(self.font())
                font.setBold(each.heading or (each.differs and column > 0))
                item.setFont(font)
                quiet = not each.heading and (column == 0 or not each.differs)
                item.setForeground(QColor(active.muted if quiet else active.text))
                self.table.setItem(place, column, item)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        differing = sum(each.differs for each in rows.rows(self.results))
        self.told.setText(f"{len(self.results)} results; {differing} rows differ, and are bold.")

    def _add_timelines(self) -> None:
        if any(result.steps.count for result in self.results):
            page, self.folds = QWidget(), QCheckBox("Fold gaps")
            self.folds.setChecked(True)
            self.folds.setToolTip(
                "Draw long times narrow in which nobody did anything: compilation, transfer, the host"
            )
            self.folds.toggled.connect(self.timelines.set_folds)
            box = QVBoxLayout(page)
            box.addWidget(self.folds)
            box.addWidget(_scrolled(self.timelines), 1)
            self.tabs.addTab(page, "Timelines")
            self._laid.finished.connect(self._take_timelines)
            self._laid.request(lambda monitor: Timelines.lay_out(self.results, self.names, monitor))
            self.tabs.addTab(self.replays, "Replay")
            self.replays.show_results(list(zip(self.names, self.results, strict=True)))

    def _take_timelines(self, found: list[Log]) -> None:
        self.timelines.show_logs(found)
        self.folds.setVisible(any(self.timelines.breaks(log) for log in found))

    def _add_answers(self) -> None:
        """Pages for results whose answers can be held against each other, two at a time."""
        if pairs := pairs_of(self.results, paths.comparable):
            page = self.paths = paths.PathsPage()
            self._add_pairs(
                "Paths", page, pairs, lambda pair, _: page.work(*self._both(pair))(),
                lambda pair, found: page.show_difference(self._both(pair), self._named(pair), found),
            )  # fmt: skip
        if pairs := pairs_of(self.results, trees.comparable):
            made = self.trees = trees.TreesPage()
            self._add_pairs(
                "Trees", made, pairs, lambda pair, _: trees.compare(*map(trees.tree_of, self._both(pair))),
                lambda pair, found: made.show_trees(found, self._named(pair)),
            )  # fmt: skip

    def _add_pairs(self, title: str, page: Any, pairs: list[Pair], compare: Any, show: Any) -> None:
        self.pairs[title] = PairPage(page, self.names, pairs, compare, show, page.told.setText)
        self.tabs.addTab(self.pairs[title], title)

    def _both(self, pair: Pair) -> tuple[Result, Result]:
        return self.results[pair[0]], self.results[pair[1]]

    def _named(self, pair: Pair) -> tuple[str, str]:
        return self.names[pair[0]], self.names[pair[1]]


def names_of(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """A short name of each result, with a number where two would have the same."""
    plain = [entry.name or texts.method_name(entry.result) for entry in entries]
    return tuple(
        texts.shortened(name if plain.count(name) == 1 else f"{name} ({plain[: at + 1].count(name)})", NAMED)
        for at, name in enumerate(plain)
    )


def _scrolled(inner: Any) -> QWidget:
    page, area = QWidget(), QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    box = QVBoxLayout(page)
    box.addWidget(area)
    return page
