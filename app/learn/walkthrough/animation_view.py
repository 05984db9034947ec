"""AnimationView: one animation with its heading above and its legend below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.controls.widgets import ElidedLabel, create_label
from antidiag.app.kit.figures.legend import Legend
from antidiag.app.kit.play import play_figure
from antidiag.app.kit.play.play_picture import PlayPicture, play_legend
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import animation_text, best_paths
from antidiag.kernels.walkthroughs.animation import Animation, Cell

LETTER_PIXELS = 12
MIN_LETTER_PIXELS = 7


class AnimationView(QWidget):
    """An animation and its look. ``cell_pointed(cell)``: explain this cell or None; ``step_wanted(step)``: go there."""

    cell_pointed = Signal(object)
    step_wanted = Signal(int)

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.animation: Animation | None = None
        self.look = PlayLook(scale=scale)
        self.pinned_cell: Cell | None = None
        self.best_paths: best_paths.BestPaths | None = None
        self.heading, self.step_label, self.counters_label = (
            create_label("", "heading"),
            create_label(wrap=True),
            ElidedLabel(),
        )
        self.counters_label.setObjectName("muted")
        self.step_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.canvas, self.legend = PictureCanvas(self._draw_picture, arrows=True), Legend()
        self.canvas.pointed.connect(self._on_pointed)
        self.canvas.clicked.connect(self._on_clicked)
        self.canvas.moved.connect(self._move_pinned_cell)
        top = row_of(self.heading, (self.counters_label, 1), spacing=2 * theme.SPACING)
        column_of(top, self.step_label, (self.canvas, 1), self.legend, parent=self)
        self.step_label.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        if scale != 1:
            self.set_scale(scale)
        theme.notifier.changed.connect(self.update_view)

    def sizeHint(self) -> QSize:
        return QSize(560, 480)

    def set_scale(self, scale: float) -> None:
        """Scale the letters in the picture and beside it."""
        letters = max(round(LETTER_PIXELS * scale), MIN_LETTER_PIXELS)
        for widget in (self.heading, self.step_label, self.counters_label, self.legend):
            widget.setStyleSheet(f"font-size: {letters}px;")
        self.step_label.setMinimumHeight(round(2.6 * letters))
        self.look = replace(self.look, scale=scale)
        self.update_view()

    def show_animation(self, animation: Animation | None, step: int = -1) -> None:
        """Show an animation after a step, and keep the pinned cell if the animation has it."""
        self.animation, self.best_paths = animation, None
        if self.pinned_cell is not None and not self._has_cell(self.pinned_cell):
            self.pinned_cell = None
        self.look = replace(self.look, step=step, cell=self.pinned_cell, shares={}, blanks=frozenset())
        self.update_view()

    def show_step(self, step: int) -> None:
        """Show the state after a step."""
        self.look = replace(self.look, step=step)
        self.update_view()

    def show_look(self, look: PlayLook) -> None:
        """Show the animation with another look."""
        self.look, self.pinned_cell = look, look.cell
        self.update_view()

    def update_view(self) -> None:
        """Update texts, legend and picture."""
        play = self.animation
        self._count_best_paths()
        self.heading.setText(play.title if play else "")
        words = animation_text.step_heading(play, self.look.step) if play else ""
        if play and self.best_paths and self.look.colouring == "paths":
            words += f" {format_count(self.best_paths.total, 'best path')}."
        self.step_label.setText(words)
        self.counters_label.setText(animation_text.counted_so_far(play, self.look.step) if play else "")
        self.canvas.setAccessibleName(play.title if play else "An animation")
        self.canvas.setAccessibleDescription(self.step_label.text())
        self.legend.show_items(play_legend(play, self.look) if play else ())
        self.canvas.update()

    def _count_best_paths(self) -> None:
        """Count the best paths if they are shown and the animation chooses among cases."""
        if self.look.colouring != "paths" or self.animation is None or self.look.shares:
            return
        try:
            self.best_paths = best_paths.count_best_paths(self.animation)
        except AntidiagError:
            self.best_paths = None
        self.look = replace(self.look, shares=self.best_paths.share if self.best_paths else {})

    def make_picture(self, area: QRectF) -> PlayPicture | None:
        """Return the picture of the animation in an area, or None."""
        line = self.fontMetrics().height() * self.look.scale
        return PlayPicture(self.animation, self.look, area, line) if self.animation else None

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw heading, picture and legend into an area of a file."""
        if self.animation is not None:
            play_figure.draw_play(painter, area, self.animation, self.look)

    def _draw_picture(self, painter: QPainter, area: QRectF) -> None:
        picture = self.make_picture(area)
        if picture:
            picture.draw_all(painter)

    def _shown_picture(self) -> PlayPicture | None:
        return self.make_picture(QRectF(self.canvas.rect()))

    def _on_pointed(self, place) -> None:
        picture = self._shown_picture()
        cell = picture.cell_at(place) if picture and place is not None else None
        self._explain_cell(cell or self.pinned_cell)

    def _on_clicked(self, place) -> None:
        picture = self._shown_picture()
        if picture is None:
            return
        step = picture.step_at(place)
        if step is not None:
            self.step_wanted.emit(step)
            return
        cell = picture.cell_at(place)
        self.pinned_cell = None if cell == self.pinned_cell else cell
        self._explain_cell(self.pinned_cell)

    def _move_pinned_cell(self, by: tuple[int, int]) -> None:
        if self.animation is None:
            return
        table, i, j, k = self.pinned_cell or (self.look.table_numbers(self.animation)[0], 0, 0, 0)
        rows, columns, _ = self.animation.tables[table].table_shape
        self.pinned_cell = table, min(max(i + by[0], 0), rows - 1), min(max(j + by[1], 0), columns - 1), k
        self._explain_cell(self.pinned_cell)

    def _explain_cell(self, cell: Cell | None) -> None:
        if cell != self.look.cell:
            self.look = replace(self.look, cell=cell)
            self.canvas.update()
            self.cell_pointed.emit(cell)

    def _has_cell(self, cell: Cell) -> bool:
        tables = self.animation.tables if self.animation else ()
        return cell[0] < len(tables) and all(
            place < size for place, size in zip(cell[1:], tables[cell[0]].table_shape, strict=True)
        )
