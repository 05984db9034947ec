"""Going to what was sought in an alignment, from one place to the next."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from app.views.aligned.search import SearchBox, Sought, next_of, seek
from app.views.aligned.shown import ShownAlignment
from kernels.errors import InputError


class Finder:
    """Has the search box, and what was found last; that is sought anew after an edit, when the next place is wanted."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.box = SearchBox()
        self.box.sought.connect(self.go_to)
        self.box.next_wanted.connect(self.next_hit)
        self._sought, self._wanted = Sought(""), ""

    def start(self) -> None:
        """Let a person write what is sought."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def forget(self) -> None:
        """Forget what was sought, as in another alignment."""
        self._sought, self._wanted = Sought(""), ""
        self.box.forget()

    def lose(self) -> None:
        """Forget the places that were found: an edit made rows and columns others."""
        self._sought = Sought("")

    def go_to(self, text: str) -> bool:
        """Go to a column ("120"), a letter of the row at the cursor ("#45"), a name or a motif; False where none is."""
        text, picture = text.strip(), self._view.picture
        found = self._seek(text) if picture is not None and text else None
        if found is None:
            return False
        if found.column is not None:
            self._view.canvas.go_to(picture.cursor[0], found.column)
            return True
        self._show(found, text)
        return self.next_hit(0)

    def next_hit(self, step: int = 1) -> bool:
        """Go to the next place that was found (``step`` 1), the one before (-1) or the first (0)."""
        picture = self._view.picture
        if picture is None:
            return False
        if not self._sought.hits and self._wanted and (found := self._seek(self._wanted)) is not None:
            self._show(found, self._wanted)
        if not self._sought.hits:
            return False
        at, count, cell = next_of(self._sought.hits, picture.order, picture.cursor, step)
        self._view.canvas.go_to(*cell)
        self._view.say(f"{min(at + 1, count):,} of {count:,}: {self._sought.told}")
        return True

    def choose_found(self) -> None:
        """Choose the rows that the search found."""
        rows = np.zeros(len(self._view.alignment.names), bool)
        rows[[row for row, _, _ in self._view.picture.found]] = True
        self._view.canvas.choose(rows, None)

    def _seek(self, text: str) -> Sought | None:
        """What a text asks for; None where nothing is found, which is said."""
        try:
            return seek(self._view.alignment, self._view.picture.order, self._view.picture.cursor, text)
        except InputError as error:
            self._view.say(str(error))
            return None

    def _show(self, found: Sought, text: str) -> None:
        self._sought, self._wanted = found, text
        self._view.picture.found = found.hits
        self._view.canvas.viewport().update()
