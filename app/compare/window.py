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

from app import texts, theme
from app.compare import paths, rows, trees
from app.compare.bars import PhaseBars
from app.compare.timelines import Log, Timelines
from app.kit.background import Latest
from app.kit.replay.together import ReplayTogether
from app.kit.widgets import as_list, label, row, tool_button
from app.session.session import Entry
from kernels.model import Result

SIZE = 1000, 680
NAMED = 30
"""Letters of a result's name above its column."""


class CompareWindow(QWidget):
    """A table of what differs, phases, timelines, replays on one clock; and of two results their paths or trees."""

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
        self._laid, self._parted, self._split = Latest(self), Latest(self), Latest(self)
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
        return any(work.busy for work in (self._laid, self._parted, self._split, self.replays))

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
        """Pages for the first two results whose answers can be held against each other."""
        pairs = [(a, b) for a in range(len(self.results)) for b in range(a + 1, len(self.results))]
        for a, b in pairs:
            if paths.comparable(self.results[a], self.results[b]):
                self._add_paths(a, b)
                break
        for a, b in pairs:
            if trees.comparable(self.results[a], self.results[b]):
                self._add_trees(a, b)
                break

    def _add_paths(self, a: int, b: int) -> None:
        page = self.paths = paths.PathsPage()
        both, names = (self.results[a], self.results[b]), (self.names[a], self.names[b])
        page.told.setText("Comparing the paths\N{HORIZONTAL ELLIPSIS}")
        work = page.work(*both)
        self._parted.finished.connect(lambda found: page.show_difference(both, names, found))
        self._parted.failed.connect(lambda error: page.told.setText(f"The paths cannot be compared: {error}"))
        self._parted.request(lambda monitor: work())
        self.tabs.addTab(page, "Paths")

    def _add_trees(self, a: int, b: int) -> None:
        page = self.trees = trees.TreesPage()
        first, second = (trees.tree_of(self.results[number]) for number in (a, b))
        page.told.setText("Comparing the trees\N{HORIZONTAL ELLIPSIS}")
        self._split.finished.connect(page.show_trees)
        self._split.failed.connect(lambda error: page.told.setText(f"The trees cannot be compared: {error}"))
        self._split.request(lambda monitor: trees.compare(first, second))
        self.tabs.addTab(page, "Trees")


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
