"""SearchView: the hits of a search as a table, along the query, in the distribution of scores, and aligned."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QMenu, QSplitter, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import ask
from antidiag.app.kit.canvas.painted_view import FigureView
from antidiag.app.kit.controls.widgets import UndoLineEdit, menu_button, tool_button
from antidiag.app.kit.figures import framed_figure
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.view_protocols import TaskRequest
from antidiag.app.views.search.hit_alignment import HitAlignmentPanel, hit_pair
from antidiag.app.views.search.hit_list import (
    COLUMNS,
    HitFilter,
    HitList,
    ShownHits,
    arrange_hits,
    parse_filter,
)
from antidiag.app.views.search.hit_pictures import HitPictures
from antidiag.app.views.search.hit_table import HitTable
from antidiag.kernels import engine
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search.answer import SearchAnswer
from antidiag.kernels.pairwise.search.hit_measures import HitMeasures, measure_hits
from antidiag.kernels.registry import result_saving
from antidiag.kernels.registry.task_methods import TASKS
from antidiag.kernels.text import format_count

TYPING_MS = 250  # after the last key in the filter, before the hits are filtered
HINT = "Click a heading to sort; double click a hit to open its alignment and matrix"
MOST_TAKEN = 10_000
"""Hits that become data at a time."""
PICTURE_HEIGHT, TABLE_HEIGHT, PANEL_HEIGHT = 180, 270, 230  # pixels at first
FILTER_WIDTH = 270
FIGURE_SIZE = QSize(1000, 560)
TABLE_FILTERS = {
    ".tsv": "BLAST table, outfmt 6 (*.tsv)",
    ".blast": "BLAST table with comments, outfmt 7 (*.blast)",
    ".csv": "CSV (*.csv)",
    ".jsonl": "JSON lines (*.jsonl)",
    ".paf": "PAF (*.paf)",
    ".sam": "SAM (*.sam)",
}
DESCENDING_FIRST = frozenset({"score", "bits", "identity", "coverage", "length"})
"""Columns that are sorted from the greatest value on the first click."""


class SearchView(FigureView):
    """The hits of one query at a time."""

    id = "hits"
    title = "Hits"
    hint = HINT
    task_wanted = Signal(object)
    result_made = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.hits: HitList | None = None
        self.shown: ShownHits | None = None
        self._measures: HitMeasures | None = None
        self._sort_column, self._descending = "", False
        self._filter = HitFilter()
        self._chosen_row: int | None = None
        self._make_widgets()
        self._measuring = LatestTask(self, self._on_measured)
        self._arranging = LatestTask(self, self._on_arranged)
        self._aligning = LatestTask(
            self, self.result_made.emit, lambda error: self.show_status(f"The hit could not be aligned: {error}")
        )
        self._typed = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._connect()
        self._keep_state()
        self.apply_theme()

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, SearchAnswer)

    @property
    def sharp(self) -> bool:
        """Whether everything is computed and shown."""
        waiting = self._measuring.busy or self._arranging.busy or self._typed.isActive()
        return not waiting

    @property
    def has_content(self) -> bool:
        """Whether hits are shown."""
        return self.shown is not None and not self._arranging.busy

    def show_result(self, result: Result | None) -> None:
        """Show the hits of a result, or nothing."""
        shown = result if result is not None and self.shows(result) else None
        if shown is self.result and shown is not None:
            return
        for task in (self._measuring, self._arranging, self._aligning):
            task.cancel()
        self.result, self._measures, self.shown = shown, None, None
        self._chosen_row = None
        self.queries.clear()
        if shown is not None:
            for query, count in zip(shown.problem.queries, _count_hits(shown), strict=True):
                self.queries.addItem(f"{texts.shorten_name(query.name)} ({format_count(count, 'hit')})")
        self.queries.setVisible(self.queries.count() > 1)
        self._tools.setEnabled(shown is not None)
        self._show_query(0)
        if shown is not None and shown.answer.has_alignments and len(shown.answer):
            self._measuring.request(partial(measure_hits, shown.problem, shown.answer))

    def choose_query(self, number: int) -> None:
        """Show the hits of another query."""
        if self.result is not None and 0 <= number < self.queries.count():
            self.queries.setCurrentIndex(number)
            self._show_query(number)

    def sort_by(self, column: str, descending: bool | None = None) -> None:
        """Sort by a column; again by the same one in the other direction. "" is the order of the search."""
        if descending is None:
            same = column == self._sort_column
            descending = not self._descending if same else column in DESCENDING_FIRST
        self._sort_column, self._descending = column, descending
        self._arrange()

    def filter_hits(self, text: str) -> None:
        """Show the hits that a text such as 'kinase evalue<1e-10' describes."""
        try:
            self._filter = parse_filter(text)
        except ParameterError as error:
            self._mark_filter(wrong=True)
            self.show_status(texts.as_sentence(str(error)))
            return
        self._mark_filter(wrong=False)
        self._arrange()

    def choose_hit(self, place: int | None) -> None:
        """Show the hit at a place of the table."""
        there = self.shown is not None and place is not None and 0 <= place < self.shown.order.size
        self._chosen_row = int(self.shown.order[place]) if there else None
        self.panel.show_hit(self.hits if there else None, self._chosen_row)
        self.open_button.setEnabled(there)
        self._update_pictures()

    def open_hit(self, place: int | None = None) -> None:
        """Align a hit, the chosen one by default, and open the result with its matrix."""
        if self.hits is None or self.shown is None:
            return
        row = self._chosen_row if place is None else int(self.shown.order[place])
        if row is None:
            self.show_status("Choose a hit first.")
            return
        pair = hit_pair(self.hits, row)
        self.show_status(f"Aligning {texts.shorten_name(pair.second.name)}\u2026")

        def align(monitor: Monitor) -> Result:
            method, _ = TASKS["align"].recommend(pair.data)
            return engine.execute(engine.plan_run(method, pair), monitor, keep_rate=False)

        self._aligning.request(align)

    def take_hits(self, task: str = "", with_query: bool = False) -> None:
        """Offer the selected hits, or all shown ones, as data; with a ``task``, such as "msa", its method is chosen."""
        if self.hits is None or self.shown is None or not self.shown.order.size:
            self.show_status("There are no hits to take.")
            return
        places = self.table.selected_places()
        places = places if len(places) > 1 else list(range(self.shown.order.size))
        if len(places) > MOST_TAKEN:
            self.show_status(f"These are {len(places):,} hits; select at most {MOST_TAKEN:,}, or filter them.")
            return
        subjects = [self.hits.subject(int(row)) for row in self.shown.order[places]]
        subjects = list({id(subject): subject for subject in subjects}.values())
        data = ([self.hits.query] if with_query else []) + subjects
        self.task_wanted.emit(TaskRequest(tuple(data), task))
        self.show_status(f"{format_count(len(data), 'sequence')} chosen as data.")

    def copy_table(self) -> None:
        """Copy the selected hits, or all, in the shown columns."""
        self.show_status(f"Copied {format_count(self.table.copy_rows(), 'hit')}.")

    def save_table(self) -> None:
        """Ask for a file and write all hits of the search as a table."""
        if self.result is None:
            return
        name = ask.suggest_name(self.result, self.id, "hits") + ".tsv"
        path = ask.save_path(self, "Save hits", name, ";;".join(TABLE_FILTERS.values()), TABLE_FILTERS)
        if path is not None and ask.run_with_warning(
            self, "Save hits", lambda: result_saving.write_result(path, self.result)
        ):
            self.show_status(f"Saved {path}")

    def show_status(self, text: str) -> None:
        """Show a text in the status line."""
        self.status.setText(text or (HINT if self.result is not None else ""))

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw the query with its hits above the distribution of scores, for a file."""
        framed_figure.draw_figure(
            painter, area, self.figure_title(), self.pictures.legend_items(), self.pictures.draw_both
        )

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return framed_figure.figure_size(FIGURE_SIZE.width(), FIGURE_SIZE.height(), self.pictures.legend_items())

    def figure_title(self) -> str:
        """Return the title of the exported figure."""
        return texts.origin_line(self.result) if self.result else ""

    def _update_pictures(self) -> None:
        self.pictures.show_hits(self.shown, self._chosen_row)
        if self.hits is not None:
            self.legend.show_items(self.pictures.legend_items())

    def apply_theme(self) -> None:
        """Use the colours of another theme."""
        self.panel.apply_theme()
        self._update_pictures()

    def sizeHint(self) -> QSize:
        return QSize(960, 720)

    def _make_widgets(self) -> None:
        """Make all widgets and lay them out."""
        self.table, self.panel = HitTable(), HitAlignmentPanel()
        self.pictures = HitPictures(self.table)
        self.queries = QComboBox()
        self.queries.setAccessibleName("Query")
        self.filter_line = _make_filter_line()
        self.open_button = tool_button("Open hit", "Alignment and matrix of the chosen hit (Return)", self.open_hit)
        self._make_menus()
        self._lay_out()
        theme.notifier.changed.connect(self.apply_theme)

    def _make_menus(self) -> None:
        """Make the menu of a row, and the tools above the table with their menus."""
        taking = QMenu(self)
        for text, task, with_query in (
            ("Add to data", "", False),
            ("Add to data with the query", "", True),
            ("Align", "msa", True),
            ("Make a tree", "tree", True),
        ):
            taking.addAction(text, partial(self.take_hits, task, with_query))
        self.row_menu = QMenu(self)
        self.row_menu.addAction("Open alignment and matrix", self.open_hit)
        self.row_menu.addSeparator()
        self.row_menu.addActions(taking.actions())
        self.row_menu.addSeparator()
        self.row_menu.addAction("Copy", self.copy_table)
        saving = QMenu(self)
        saving.addAction("Hits as a table\u2026", self.save_table)
        saving.addAction("Figure\u2026", self.save)
        copying = QMenu(self)
        copying.addAction("Selected hits, or all", self.copy_table)
        copying.addAction("Figure", self.copy)
        for tool in (
            self.queries,
            self.filter_line,
            self.open_button,
            menu_button("Use hits", "Selected hits, or all that are shown, as data for other methods", taking),
            menu_button("Columns", "Choose the columns of the table", self.table.column_menu),
            menu_button("Copy", "Copy hits as text, or the figure", copying),
            menu_button("Save", "Save hits as a table, or the figure", saving),
        ):
            self.tools.addWidget(tool)

    def _lay_out(self) -> None:
        """Put both pictures above the table, and the alignment below it."""
        self.parts = _stack_parts(
            (self.pictures, PICTURE_HEIGHT), (self.table, TABLE_HEIGHT), (self.panel, PANEL_HEIGHT)
        )
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        for widget in (self._tools, self.legend, self.parts, self.status):
            layout.addWidget(widget, int(widget is self.parts))

    def _connect(self) -> None:
        self.queries.activated.connect(self.choose_query)
        self.filter_line.textEdited.connect(lambda _: self._typed.start())
        self.filter_line.textChanged.connect(lambda text: self._typed.start() if not text else None)
        self._typed.timeout.connect(lambda: self.filter_hits(self.filter_line.text()))
        self.table.sort_wanted.connect(self.sort_by)
        self.table.hit_chosen.connect(self.choose_hit)
        self.table.hit_opened.connect(self.open_hit)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_row_menu)
        self.pictures.pointed.connect(lambda text: self.show_status(text) if text else self._show_count())

    def _keep_state(self) -> None:
        state = self.view_state
        state.keep("columns", self.table.list_columns, self.table.choose_columns)
        state.keep("sizes", self.parts.sizes, self.parts.setSizes)
        state.keep("picture sizes", self.pictures.sizes, self.pictures.setSizes)
        state.keep_place("query", self.queries.currentIndex, self.choose_query)
        state.keep_place("order", lambda: [self._sort_column, self._descending], lambda kept: self.sort_by(*kept))
        state.keep_place("filter", self.filter_line.text, self._restore_filter)
        state.keep_place("hit", lambda: self._chosen_row, self._restore_hit)

    def _open_row_menu(self, place: QPoint) -> None:
        if self.table.chosen is not None:
            self.row_menu.popup(self.table.viewport().mapToGlobal(place))

    def _restore_filter(self, text: str) -> None:
        self.filter_line.setText(str(text))
        self.filter_hits(str(text))

    def _restore_hit(self, row: Any) -> None:
        self._chosen_row = int(row) if row is not None else None
        self._go_to_chosen()

    def _show_query(self, number: int) -> None:
        """Show the hits of a query from scratch."""
        result, self._chosen_row = self.result, None
        self.hits = HitList(result.problem, result.answer, number, self._measures) if result is not None else None
        self.pictures.show_query(self.hits)
        self.legend.show_items(self.pictures.legend_items() if self.hits is not None else ())
        self.panel.show_hit(None, None)
        self._arrange()

    def _arrange(self) -> None:
        """Filter and sort on a thread, because a million names take a while."""
        hits = self.hits
        if hits is None:
            self.shown = None
            self.table.show_hits(None, "", False)
            self._update_pictures()
            self.show_status("")
            return
        wanted, column, descending = self._filter, self._sort_column, self._descending
        self._arranging.request(lambda monitor: arrange_hits(hits, wanted, column, descending, monitor))

    def _on_arranged(self, shown: ShownHits) -> None:
        self.shown = shown
        self.table.show_hits(shown, self._sort_column, self._descending)
        self._go_to_chosen()
        self._show_count()
        self._update_pictures()
        self.view_state.resume()

    def _on_measured(self, measures: HitMeasures | None) -> None:
        """Take the identities of all hits, by which one can sort now."""
        self._measures = measures
        if self.hits is not None:
            self.hits = HitList(self.hits.problem, self.hits.answer, self.hits.query_number, measures)
            self._arrange()

    def _go_to_chosen(self) -> None:
        """Choose the hit that was chosen before, or the first one."""
        if self.shown is None or not self.shown.order.size:
            self.choose_hit(None)
            return
        place = self.shown.place_of(self._chosen_row) if self._chosen_row is not None else 0
        self.table.go_to(place or 0)
        self.choose_hit(place or 0)

    def _show_count(self) -> None:
        assert self.shown is not None
        count, shown = self.shown.hits.count, int(self.shown.order.size)
        if not count:
            self.show_status("No sequence of the database is within the limits; raise the E-value limit to see more.")
        elif shown < count:
            self.show_status(f"{shown:,} of {format_count(count, 'hit')} shown")
        else:
            self.show_status(f"{format_count(count, 'hit')}. {HINT}")

    def _mark_filter(self, wrong: bool) -> None:
        self.filter_line.setProperty("wrong", wrong)
        self.filter_line.style().unpolish(self.filter_line)
        self.filter_line.style().polish(self.filter_line)


def _make_filter_line() -> UndoLineEdit:
    """Return the line in which hits are filtered."""
    line = UndoLineEdit()
    mark_search_field(line)
    line.setPlaceholderText("Filter: kinase evalue<1e-10 identity>=40")
    line.setAccessibleName("Filter")
    line.setMinimumWidth(FILTER_WIDTH)
    line.setToolTip(
        "<p>Words of name and description, and limits of columns with numbers: "
        f"{', '.join(column.id for column in COLUMNS if column.values is not None)}.</p>"
    )
    line.setClearButtonEnabled(True)
    return line


def _count_hits(result: Result) -> list[int]:
    """Return the number of hits of each query."""
    return [len(result.answer.hits_of_query(number)) for number in range(len(result.problem.queries))]


def _stack_parts(*parts: tuple[QWidget, int]) -> QSplitter:
    """Return a splitter of widgets, one above the other, with their first heights."""
    splitter = QSplitter(Qt.Orientation.Vertical)
    splitter.setHandleWidth(theme.SPACING)
    for number, (widget, height) in enumerate(parts):
        splitter.addWidget(widget)
        splitter.setStretchFactor(number, height)
    splitter.setSizes([height for _, height in parts])
    return splitter
