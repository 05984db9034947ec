"""Going to what was sought in an alignment, from one place to the next; in a large one a thread seeks."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned.search import SearchBox, Sought, cells_of, next_of, seek
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import GAP

MOST_SOUGHT = 200
"""Letters of a row that are sought elsewhere."""
AT_ONCE = 1 << 22
"""Letters up to which an alignment is searched at once."""


class Finder:
    """Has the search box, and what was found last; that is sought anew after an edit, when the next place is wanted."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.box = SearchBox()
        self.box.sought.connect(self.go_to)
        self.box.next_wanted.connect(self.next_hit)
        self._sought, self._wanted = Sought(""), ""
        self._cells: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._seeking = Latest(view)
        self._seeking.finished.connect(self._take)
        self._seeking.failed.connect(self._refuse)
        self._seeking.progressed.connect(self._tell)

    @property
    def busy(self) -> bool:
        """Whether a large alignment is being searched."""
        return self._seeking.busy

    def start(self) -> None:
        """Let a person write what is sought."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def forget(self) -> None:
        """Forget what was sought, as in another alignment."""
        self._seeking.cancel()
        self._sought, self._wanted = Sought(""), ""
        self.box.forget()

    def lose(self) -> None:
        """Forget the places that were found: an edit made rows and columns others."""
        self._seeking.cancel()
        self._sought = Sought("")

    def go_to(self, text: str) -> bool:
        """Go to a column ("120"), a letter of the row at the cursor ("#45"), a name or a motif; False where none is, or
        a thread seeks it."""
        return self._go(text.strip(), 0)

    def next_hit(self, step: int = 1) -> bool:
        """Go to the next place that was found (``step`` 1), the one before (-1) or the first (0)."""
        if self._view.picture is None:
            return False
        if not len(self._sought.hits):
            return bool(self._wanted) and self._go(self._wanted, step)
        cells, picture = self._shown(), self._view.picture
        at = next_of(cells, picture.cursor, step) if len(cells) else -1
        if at >= 0:
            self._view.canvas.go_to(*cells[at].tolist())
        hidden = len(self._sought.hits) - len(cells)
        more = f"; {hidden:,} more in rows that are hidden" if hidden else ""
        self._view.say(f"{at + 1:,} of {len(cells):,}: {self._sought.told}{more}")
        return True

    def _shown(self) -> np.ndarray:
        """The cells of what was found that are shown; kept while the rows are these."""
        picture, hits = self._view.picture, self._sought.hits
        if self._cells is None or self._cells[0] is not hits or self._cells[1] is not picture.order:
            self._cells = hits, picture.order, cells_of(hits, picture.lines)
        return self._cells[2]

    def _go(self, text: str, step: int) -> bool:
        """Seek, and go to a column, or to the first that is found or another one from here."""
        picture = self._view.picture
        if picture is None or not text:
            return False
        asked = self._view.alignment, picture.members(picture.order), int(picture.order[picture.cursor[0]]), text
        if self._view.alignment.letters.size > AT_ONCE:
            self._view.say(f"Looking for {text} ...")
            self._seeking.request(lambda monitor: (seek(*asked, monitor), text, step))
            return False
        try:
            found = seek(*asked)
        except InputError as error:
            self._view.say(str(error))
            return False
        return self._take((found, text, step))

    def _take(self, made: tuple[Sought, str, int]) -> bool:
        found, text, step = made
        if found.column is not None:
            self._view.canvas.go_to(self._view.picture.cursor[0], found.column)
            return True
        self._sought, self._wanted = found, text
        self._view.picture.found = found.hits
        self._view.canvas.viewport().update()
        return self.next_hit(step)

    def _tell(self, told: tuple[int, int, str]) -> None:
        self._view.say(f"Looking: {100 * told[0] // max(told[1], 1)} %")

    def _refuse(self, error: Exception) -> None:
        self._view.say(str(error))
        if not isinstance(error, InputError):
            raise error

    def find_chosen(self) -> None:
        """Seek the letters that are chosen in the first of the chosen rows, as one does who points at them."""
        picture = self._view.picture
        row = int(picture.choice.rows[picture.order].argmax())
        letters = picture.letters_at(row)[picture.choice.columns]
        text = letters[letters != GAP].tobytes().decode("ascii")
        if not 0 < len(text) <= MOST_SOUGHT:
            self._view.say(f"Choose 1 to {MOST_SOUGHT} letters of a row to find them elsewhere.")
            return
        self.box.sought_before(f"={text}")
        self._go(f"={text}", 1)

    def choose_found(self) -> None:
        """Choose the rows that the search found."""
        rows = np.zeros(len(self._view.alignment.names), bool)
        rows[self._view.picture.found[:, 0]] = True
        self._view.canvas.choose(rows, None)
