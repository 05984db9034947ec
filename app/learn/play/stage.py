"""Stage: one play on the screen, its heading above, and what is known of a cell below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.legend import Legend
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.play import figure
from antidiag.app.kit.play.look import Look
from antidiag.app.kit.play.picture import Picture, legend
from antidiag.app.kit.widgets import Elided, label
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.plays import paths, telling
from antidiag.kernels.plays.model import Cell, Play

LETTERS = 12
"""Pixels of letters beside a picture that is drawn larger, before they are."""
LEAST_LETTERS = 7


class Stage(QWidget):
    """A play and a look at it. ``pointed(cell)``: the cell that is explained, or None; ``jumped(step)``: the curve was
    clicked there."""

    pointed = Signal(object)
    jumped = Signal(int)

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.play: Play | None = None
        self.look = Look(scale=scale)
        self.pinned: Cell | None = None
        self.ways: paths.Ways | None = None
        self.heading, self.words, self.counters = label("", "heading"), label(wrap=True), Elided()
        self.counters.setObjectName("muted")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.canvas, self.legend = Canvas(self._draw), Legend()
        self.canvas.pointed.connect(self._point)
        self.canvas.clicked.connect(self._click)
        self.canvas.moved.connect(self._move)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        top = QHBoxLayout()
        top.setSpacing(2 * theme.SPACING)
        top.addWidget(self.heading)
        top.addWidget(self.counters, 1)
        box.addLayout(top)
        for widget, stretch in ((self.words, 0), (self.canvas, 1), (self.legend, 0)):
            box.addWidget(widget, stretch)
        self.words.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        if scale != 1:  # for a room
            self.set_scale(scale)
        theme.notifier.changed.connect(self.refresh)

    def sizeHint(self) -> QSize:
        return QSize(560, 480)

    def set_scale(self, scale: float) -> None:
        """Letters so many times as large as those of the window, in the picture and beside it."""
        letters = max(round(LETTERS * scale), LEAST_LETTERS)
        for widget in (self.heading, self.words, self.counters, self.legend):
            widget.setStyleSheet(f"font-size: {letters}px;")
        self.words.setMinimumHeight(round(2.6 * letters))
        self.look = replace(self.look, scale=scale)
        self.refresh()

    def show_play(self, play: Play | None, step: int = -1) -> None:
        """Another play, seen after a step; a cell that was explained is kept where the play has it."""
        self.play, self.ways = play, None
        if self.pinned is not None and not self._exists(self.pinned):
            self.pinned = None
        self.look = replace(self.look, step=step, cell=self.pinned, shares={}, blanks=frozenset())
        self.refresh()

    def show_step(self, step: int) -> None:
        self.look = replace(self.look, step=step)
        self.refresh()

    def show_look(self, look: Look) -> None:
        self.look, self.pinned = look, look.cell
        self.refresh()

    def refresh(self) -> None:
        play = self.play
        self._count_ways()
        self.heading.setText(play.title if play else "")
        counted = f" {self.ways.total:,} best." if self.ways and self.look.colouring == "paths" else ""
        self.words.setText(telling.heading(play, self.look.step) + counted if play else "")
        self.counters.setText(telling.counted_so_far(play, self.look.step) if play else "")
        self.canvas.setAccessibleName(play.title if play else "A play")
        self.canvas.setAccessibleDescription(self.words.text())
        self.legend.show_items(legend(play, self.look) if play else ())
        self.canvas.update()

    def _count_ways(self) -> None:
        """The best ways, where they are to be seen and the play chooses among its cases."""
        if self.look.colouring != "paths" or self.play is None or self.look.shares:
            return
        try:
            self.ways = paths.counted(self.play)
        except AntidiagError:
            self.ways = None
        self.look = replace(self.look, shares=self.ways.share if self.ways else {})

    def picture(self, area: QRectF) -> Picture | None:
        line = self.fontMetrics().height() * self.look.scale
        return Picture(self.play, self.look, area, line) if self.play else None

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Heading, picture and legend in an area, for files."""
        if self.play is not None:
            figure.draw(painter, area, self.play, self.look)

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        picture = self.picture(area)
        if picture:
            picture.draw(painter)

    def _here(self) -> Picture | None:
        return self.picture(QRectF(self.canvas.rect()))

    def _point(self, place) -> None:
        picture = self._here()
        cell = picture.cell_at(place) if picture and place is not None else None
        self._explain(cell or self.pinned)

    def _click(self, place) -> None:
        picture = self._here()
        if picture is None:
            return
        step = picture.step_at(place)
        if step is not None:
            self.jumped.emit(step)
            return
        cell = picture.cell_at(place)
        self.pinned = None if cell == self.pinned else cell
        self._explain(self.pinned)

    def _move(self, by: tuple[int, int]) -> None:
        """Arrow keys move the cell that is explained."""
        if self.play is None:
            return
        table, i, j, k = self.pinned or (self.look.shown(self.play)[0], 0, 0, 0)
        rows, columns, _ = self.play.tables[table].shape
        self.pinned = table, min(max(i + by[0], 0), rows - 1), min(max(j + by[1], 0), columns - 1), k
        self._explain(self.pinned)

    def _explain(self, cell: Cell | None) -> None:
        if cell != self.look.cell:
            self.look = replace(self.look, cell=cell)
            self.canvas.update()
            self.pointed.emit(cell)

    def _exists(self, cell: Cell) -> bool:
        tables = self.play.tables if self.play else ()
        return cell[0] < len(tables) and all(
            place < size for place, size in zip(cell[1:], tables[cell[0]].shape, strict=True)
        )
