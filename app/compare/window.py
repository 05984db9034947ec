"""The window that compares results."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableWidget, QTableWidgetItem, QTabWidget, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.compare import path_comparison, summary_rows, tree_comparison
from antidiag.app.compare.pair_page import PairPage, ResultPair, find_pairs
from antidiag.app.compare.phase_bars import ResultPhaseBars
from antidiag.app.compare.timelines import TimelineLog, Timelines
from antidiag.app.kit.controls.widgets import create_label, create_row, scroll_area, style_as_list, tool_button
from antidiag.app.kit.replay.side_by_side import SideBySideReplay
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.session.session import Entry
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.path_difference import PathDifference, compare_paths

SIZE = 1000, 680
MAX_NAME = 30
"""Most letters of a result's name above its column."""


class CompareWindow(QWidget):
    """Compares results: a table, phases, timelines and replays, and paths or trees of any two."""

    def __init__(self, parent: QWidget | None, entries: tuple[Entry, ...]) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Compare results - Antidiag")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self.results: tuple[Result, ...] = tuple(entry.result for entry in entries)
        self.names = name_results(entries)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.table, self.bars, self.timelines = QTableWidget(), ResultPhaseBars(), Timelines()
        self.only_differences, self.summary = QCheckBox("Only differences"), create_label(kind="muted", wrap=True)
        self.only_differences.toggled.connect(self._fill_table)
        self.tabs.addTab(self._build_summary(), "Summary")
        self.tabs.addTab(scroll_area(self.bars), "Phases")
        self.replays = SideBySideReplay()
        self._laid = LatestTask(self, self._take_timelines)
        self.pairs: dict[str, PairPage] = {}
        """Pages about two results, by the titles of their tabs."""
        self._add_timelines()
        self._add_answers()
        box = QVBoxLayout(self)
        box.addWidget(self.summary)
        box.addWidget(self.tabs, 1)
        close = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        close.activated.connect(self.close)
        self.bars.show_results(self.results, self.names)
        self._fill_table()
        theme.notifier.changed.connect(self._fill_table)

    @property
    def busy(self) -> bool:
        """Whether anything is still computed."""
        return self._laid.busy or self.replays.busy or any(page.busy for page in self.pairs.values())

    def copy_table(self) -> None:
        """Copy the table for a spreadsheet."""
        QGuiApplication.clipboard().setText(summary_rows.format_table(self.names, self._shown_rows()))

    def _build_summary(self) -> QWidget:
        page = QWidget()
        box = QVBoxLayout(page)
        copy = tool_button("Copy table", "Copy the table, for a spreadsheet", self.copy_table)
        box.addLayout(create_row(self.only_differences, QWidget(), copy, stretch=1))
        box.addWidget(self.table, 1)
        style_as_list(self.table)
        self.table.setWordWrap(True)  # long values may differ only at their ends
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setAccessibleName("Comparison of the results")
        return page

    def _shown_rows(self) -> list[summary_rows.ComparisonRow]:
        found = summary_rows.build_rows(self.results)
        return [each for each in found if each.differs] if self.only_differences.isChecked() else found

    def _fill_table(self) -> None:
        found, active = self._shown_rows(), theme.active()
        self.table.setColumnCount(1 + len(self.results))
        self.table.setRowCount(len(found))
        self.table.setHorizontalHeaderLabels(["", *self.names])
        for place, each in enumerate(found):
            for column, text in enumerate((each.label, *(each.values or ("",) * len(self.results)))):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                font = QFont(self.font())
                font.setBold(each.is_heading or (each.differs and column > 0))
                item.setFont(font)
                quiet = not each.is_heading and (column == 0 or not each.differs)
                item.setForeground(QColor(active.muted if quiet else active.text))
                self.table.setItem(place, column, item)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        differing = sum(each.differs for each in summary_rows.build_rows(self.results))
        self.summary.setText(f"{len(self.results)} results; {differing} rows differ (bold).")

    def _add_timelines(self) -> None:
        if any(result.steps.count for result in self.results):
            page, self.folds = QWidget(), QCheckBox("Fold gaps")
            self.folds.setChecked(True)
            self.folds.setToolTip("Draw long idle times (compilation, transfer, host work) narrow")
            self.folds.toggled.connect(self.timelines.set_folds)
            box = QVBoxLayout(page)
            box.addWidget(self.folds)
            box.addWidget(scroll_area(self.timelines), 1)
            self.tabs.addTab(page, "Timelines")
            self._laid.request(lambda monitor: Timelines.compute_logs(self.results, self.names, monitor))
            self.tabs.addTab(self.replays, "Replay")
            self.replays.show_results(list(zip(self.names, self.results, strict=True)))

    def _take_timelines(self, found: list[TimelineLog]) -> None:
        self.timelines.show_logs(found)
        self.folds.setVisible(any(self.timelines.folded_gaps(log) for log in found))

    def _add_answers(self) -> None:
        """Add pages that compare the answers of two results."""
        if pairs := find_pairs(self.results, path_comparison.are_comparable):
            page = self.paths = path_comparison.PathsPage()

            def show_paths(pair: ResultPair, found: PathDifference) -> None:
                page.show_difference(self._pair_results(pair), self._pair_names(pair), found)

            self._add_pairs(
                "Paths",
                page,
                pairs,
                lambda pair, _: compare_paths(*map(path_comparison.find_path, self._pair_results(pair))),
                show_paths,
            )
        if pairs := find_pairs(self.results, tree_comparison.are_comparable):
            made = self.trees = tree_comparison.TreesPage()

            def show_trees(pair: ResultPair, found: tree_comparison.TreeComparison) -> None:
                made.show_trees(found, self._pair_names(pair))

            self._add_pairs(
                "Trees",
                made,
                pairs,
                lambda pair, _: tree_comparison.compare_trees(
                    *map(tree_comparison.find_tree, self._pair_results(pair))
                ),
                show_trees,
            )

    def _add_pairs(self, title: str, page: Any, pairs: list[ResultPair], compare: Any, show: Any) -> None:
        self.pairs[title] = PairPage(page, self.names, pairs, compare, show, page.summary.setText)
        self.tabs.addTab(self.pairs[title], title)

    def _pair_results(self, pair: ResultPair) -> tuple[Result, Result]:
        return self.results[pair[0]], self.results[pair[1]]

    def _pair_names(self, pair: ResultPair) -> tuple[str, str]:
        return self.names[pair[0]], self.names[pair[1]]


def name_results(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """Return a short name of each result, numbered if several share it."""
    plain = [entry.name or texts.method_name(entry.result) for entry in entries]
    return tuple(
        texts.shorten_name(name if plain.count(name) == 1 else f"{name} ({plain[: at + 1].count(name)})", MAX_NAME)
        for at, name in enumerate(plain)
    )
