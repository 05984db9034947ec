"""The search of the viewer: finds names, motifs and columns, and goes from match to match."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.searching.search_box import (
    AlignmentSearchBox,
    SearchResult,
    find_next_cell,
    find_shown_cells,
    search_text,
)
from antidiag.app.views.aligned.status_text import format_percent
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP

MAX_SEARCH_LETTERS = 200
"""Most selected letters that are searched for."""
MAX_LETTERS_AT_ONCE = 1 << 22
"""Most letters of an alignment that is searched at once; larger ones are searched on a thread."""


class SearchController:
    """Holds the search box and the last matches; after an edit the next step searches again."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.box = AlignmentSearchBox()
        self.box.search_requested.connect(self.go_to)
        self.box.next_requested.connect(self.go_to_match)
        self.box.textChanged.connect(self._end_if_empty)
        self._sought, self._wanted = SearchResult(""), ""
        self._cells: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._seeking = LatestTask(
            view,
            self._take_result,
            self._show_error,
            lambda state: view.show_status(f"Searching: {format_percent(*state)}"),
        )

    @property
    def busy(self) -> bool:
        """Whether a large alignment is being searched."""
        return self._seeking.busy

    def focus_box(self) -> None:
        """Put the keyboard focus into the search box."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def forget_search(self) -> None:
        """Forget the search, for example when another alignment is shown."""
        self._seeking.cancel()
        self._sought, self._wanted = SearchResult(""), ""
        self.box.forget_text()

    def forget_matches(self) -> None:
        """Forget the matches, because an edit moved rows or columns."""
        self._seeking.cancel()
        self._sought = SearchResult("")

    def _end_if_empty(self, text: str) -> None:
        """End the search when the search box was emptied."""
        if not text and self._view.picture is not None:
            self._seeking.cancel()
            self._wanted = ""
            self._clear_matches()

    def _clear_matches(self) -> None:
        """Forget the matches of the last search and take their frames off the picture."""
        self._sought = SearchResult("")
        self._view.picture.matches = self._sought.hits
        self._view.canvas.viewport().update()

    def go_to(self, text: str) -> bool:
        """Go to a column ("120"), a letter of the row at the cursor ("#45"), a name or a motif. Return False if there
        is none, or while a thread searches."""
        return self._search_and_go(text.strip(), 0)

    def go_to_match(self, step: int = 1) -> bool:
        """Go to the next match (``step`` 1), the previous (-1) or the first (0)."""
        if self._view.picture is None:
            return False
        if not len(self._sought.hits):
            return bool(self._wanted) and self._search_and_go(self._wanted, step)
        cells, picture = self._shown_matches(), self._view.picture
        here = picture.cursor
        if self._sought.are_names:  # a name has no column: the view stays where it is
            here = here[0], self._view.canvas.nearest_visible_column(here[1])
            cells = np.column_stack((cells[:, 0], np.full(len(cells), here[1])))
        at = find_next_cell(cells, here, step) if len(cells) else -1
        if at >= 0:
            line, first, *after = cells[at].tolist()
            self._view.canvas.go_to(line, first)
            if after:
                self._view.canvas.scroll_to_span(first, *after)
        hidden = len(self._sought.hits) - len(cells)
        more = f"; {hidden:,} more in hidden rows" if hidden else ""
        self._view.show_status(f"{at + 1:,} of {len(cells):,}: {self._sought.description}{more}")
        return True

    def _shown_matches(self) -> np.ndarray:
        picture, hits = self._view.picture, self._sought.hits
        if self._cells is None or self._cells[0] is not hits or self._cells[1] is not picture.order:
            self._cells = hits, picture.order, find_shown_cells(hits, picture.line_of_row)
        return self._cells[2]

    def _search_and_go(self, text: str, step: int) -> bool:
        """Search a text and go to its column, or to the first match or the one a step away from the cursor."""
        picture = self._view.picture
        if picture is None or not text:
            return False
        self._clear_matches()
        self._wanted = text
        asked = self._view.alignment, picture.list_rows(picture.order), int(picture.order[picture.cursor[0]]), text
        if self._view.alignment.letters.size > MAX_LETTERS_AT_ONCE:
            self._view.show_status(f"Searching {text} ...")
            self._seeking.request(lambda monitor: (search_text(*asked, monitor), step))
            return False
        try:
            found = search_text(*asked)
        except InputError as error:
            self._view.show_status(str(error))
            return False
        return self._take_result((found, step))

    def _take_result(self, made: tuple[SearchResult, int]) -> bool:
        found, step = made
        if found.column is not None:
            self._view.canvas.go_to(self._view.picture.cursor[0], found.column)
            return True
        self._sought = found
        self._view.picture.matches = found.hits
        self._view.canvas.viewport().update()
        return self.go_to_match(step)

    def _show_error(self, error: Exception) -> None:
        self._view.show_status(str(error))

    def find_selected_letters(self, prefix: str = "=") -> None:
        """Search the selected letters of the first selected row; with the ``prefix`` "rc:" their reverse complement."""
        picture = self._view.picture
        row = int(picture.cell_selection.rows[picture.order].argmax())
        letters = picture.line_letters(row)[picture.cell_selection.columns]
        text = letters[letters != GAP].tobytes().decode("ascii")
        if not 0 < len(text) <= MAX_SEARCH_LETTERS:
            self._view.show_status(f"Select 1 to {MAX_SEARCH_LETTERS} letters of a row to find them elsewhere.")
            return
        self.box.show_searched(f"{prefix}{text}")
        self._search_and_go(f"{prefix}{text}", 1)

    def select_matching_rows(self) -> None:
        """Select the rows with matches."""
        rows = np.zeros(len(self._view.alignment.names), bool)
        rows[self._view.picture.matches[:, 0]] = True
        self._view.canvas.select_cells(rows, None)
