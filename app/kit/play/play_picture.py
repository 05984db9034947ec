"""The picture of a play after a step: tables, growing tree, marks, and the curve of busy workers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import fonts_and_colours
from antidiag.app.kit.play import growing_tree
from antidiag.app.kit.play.view_options import GAP, PlayLook, TableSheet, place_tables
from antidiag.app.kit.replay.replay_picture import draw_counts
from antidiag.kernels.walkthroughs.animation import NEVER_STEP, Animation, Cell

READABLE_PIXELS = 9.0  # pixels of the smallest number in a cell
MEMORY_COLOURS: Mapping[str, str] = {
    "registers": "success",
    "shared memory": "special",
    "global memory": "accent",
    "host memory": "muted",
}
CURVE = 0.16
TREE = 0.3
COMPUTED_SHARE, GIVEN_SHARE = 0.4, 0.25
"""Shares of the accent and of the border colour in the panel's: a projector tells their cells apart in both themes."""
ROW_NAME_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight | Qt.TextFlag.TextDontClip
"""How the name of a row is drawn: whole, also where it is higher than the cells."""
NAME_GAP = 4
"""Pixels between the names of two columns."""


class PlayPicture:
    """A play laid out in an area; draws it, and finds what is at a place."""

    def __init__(self, play: Animation, look: PlayLook, area: QRectF, line: float, curve: bool = True) -> None:
        self.play, self.look, self.area, self.line = play, look, area, line
        self._lay_out(curve and len(play) > 1)
        if self.curve is not None and self._tables_bottom() > self.room.height():
            self._lay_out(False)  # a low area has no room for both

    def _lay_out(self, curve: bool) -> None:
        """Divide the area between the tables, the growing tree and the ``curve``."""
        play, look, area, line = self.play, self.look, self.area, self.line
        self.curve = self.tree_area = None
        room = QRectF(area)
        if curve:
            height = max(CURVE * area.height(), 3 * line)
            self.curve = QRectF(area.left(), area.bottom() - height, area.width(), height)
            room.setBottom(self.curve.top() - GAP / 2)
        if play.leaves:
            width = TREE * area.width()
            self.tree_area = QRectF(area.right() - width, area.top(), width, room.height())
            room.setRight(self.tree_area.left() - GAP)
        self.room = room
        self.sheets = place_tables(play, look, room.width(), room.height(), line)
        self._centre_tables()

    def _centre_tables(self) -> None:
        """Centre the tables in their room."""
        right = max((one.x + one.wide * self.play.tables[one.table].table_shape[1] for one in self.sheets), default=0.0)
        self.left = self.room.left() + max((self.room.width() - right) / 2, 0)
        self.top = self.room.top() + max((self.room.height() - self._tables_bottom()) / 3, 0)

    def _tables_bottom(self) -> float:
        """Return the height that the tables take."""
        return max((one.y + one.size * self.play.tables[one.table].table_shape[0] for one in self.sheets), default=0.0)

    def cell_box(self, sheet: TableSheet, i: int, j: int) -> QRectF:
        """Return the rectangle of cell (i, j) of a table."""
        return QRectF(self.left + sheet.x + j * sheet.wide, self.top + sheet.y + i * sheet.size, sheet.wide, sheet.size)

    def cell_boxes(self, cell: Cell) -> list[QRectF]:
        """Return where a cell is drawn; nowhere if its table or version is hidden."""
        return [self.cell_box(sheet, cell[1], cell[2]) for sheet in self._sheets_of(cell)]

    def _sheets_of(self, cell: Cell) -> list[TableSheet]:
        """Return the sheets on which a cell is drawn."""
        return [sheet for sheet in self.sheets if sheet.table == cell[0] and sheet.layer in (-1, cell[3])]

    def cell_at(self, place: QPointF) -> Cell | None:
        """Return the cell at a place; for a table of versions the visible one."""
        for sheet in self.sheets:
            table = self.play.tables[sheet.table]
            j = math.floor((place.x() - self.left - sheet.x) / sheet.wide)
            i = math.floor((place.y() - self.top - sheet.y) / sheet.size)
            if 0 <= i < table.table_shape[0] and 0 <= j < table.table_shape[1]:
                layer = sheet.layer if sheet.layer >= 0 else max(int(table.newest_layers(self.look.step)[i, j]), 0)
                return sheet.table, i, j, layer
        return None

    def step_at(self, place: QPointF) -> int | None:
        """Return the step at a place of the curve."""
        if self.curve is None or not self.curve.contains(place):
            return None
        return min(int((place.x() - self.curve.left()) / self.curve.width() * len(self.play)), len(self.play) - 1)

    def draw_all(self, painter: QPainter) -> None:
        """Draw all tables, the marks and the growing tree."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = painter.font()
        for sheet in self.sheets:
            painter.setFont(font)
            self._draw_sheet(painter, sheet)
        painter.setFont(font)
        self._draw_marks(painter)
        if self.tree_area is not None:
            growing_tree.draw_growing_tree(painter, self.tree_area, self.play, self.look.step, self.line)
        if self.curve is not None:
            self._draw_curve(painter, self.curve)

    # Tables

    def _draw_sheet(self, painter: QPainter, sheet: TableSheet) -> None:
        table, active = self.play.tables[sheet.table], theme.active()
        x, y = self.left + sheet.x, self.top + sheet.y
        font = _sized_font(painter, self.line * 0.74)
        painter.setFont(font)
        painter.setPen(QColor(active.text))
        painter.drawText(QRectF(x, y - 2 * self.line, 4000, self.line), Qt.AlignmentFlag.AlignVCenter, sheet.title)
        painter.setPen(QColor(active.muted))
        step = self._name_step(sheet.size)
        for i, name in enumerate(table.rows):
            if i % step == 0:
                box = QRectF(x - 15 * self.line, y + i * sheet.size, 14.8 * self.line, sheet.size)
                painter.drawText(box, ROW_NAME_FLAGS, name)
        widest = max(map(painter.fontMetrics().horizontalAdvance, table.columns), default=0)
        step = max(1, math.ceil((widest + NAME_GAP) / max(sheet.wide, 1)))
        for j, name in enumerate(table.columns):
            if j % step == 0:
                box = QRectF(x + j * sheet.wide - widest, y - self.line, sheet.wide + 2 * widest, self.line)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
        newest = table.newest_layers(self.look.step) if sheet.layer < 0 else None
        for i in range(table.table_shape[0]):
            for j in range(table.table_shape[1]):
                layer = sheet.layer if newest is None else int(newest[i, j])
                self._draw_cell(painter, sheet, (sheet.table, i, j, layer), layer >= 0)
        self._draw_cuts(painter, sheet)

    def _name_step(self, size: float) -> int:
        """Return the step between names that are written: more than 1 where lines are narrow."""
        return max(1, math.ceil(0.8 * self.line / max(size, 1)))

    def _draw_cell(self, painter: QPainter, sheet: TableSheet, cell: Cell, has_version: bool) -> None:
        active, table = theme.active(), self.play.tables[cell[0]]
        box = self.cell_box(sheet, cell[1], cell[2])
        if not has_version:
            if table.step_of[cell[1], cell[2]].min() < NEVER_STEP:
                painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor(active.hover))
            return
        step = self.play.cell_step(cell)
        if step >= NEVER_STEP:
            return
        gone = table.unused_from is not None and table.unused_from[cell[1], cell[2]] <= self.look.step
        fill = QColor(active.hover) if gone else self._cell_fill(cell, step)
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), fill)
        if step <= self.look.step and not gone:
            self._draw_digits(painter, sheet, cell, fill)

    def _draw_digits(
        self, painter: QPainter, sheet: TableSheet, cell: Cell, fill: QColor, covers: bool = False
    ) -> None:
        """Draw the value of a cell; ``covers``: on its colour, over a line that runs through the cell."""
        box, step = self.cell_box(sheet, cell[1], cell[2]), self.play.cell_step(cell)
        text = "?" if cell in self.look.blanks else self.play.format_cell(cell)
        pixels = min(sheet.size * 0.52, sheet.wide * 1.55 / max(len(text), 1))
        fine = painter.device().devicePixelRatioF()  # a fine screen shows smaller letters
        if text and pixels >= READABLE_PIXELS * 0.8 / fine:
            painter.setFont(
                fonts_and_colours.cell_font(max(int(pixels), math.ceil(7 / fine)), 0 <= step == self.look.step)
            )
            if covers:
                around = painter.boundingRect(box, Qt.AlignmentFlag.AlignCenter, text).adjusted(-2, 0, 2, 0)
                painter.fillRect(around & box.adjusted(1, 1, -1, -1), fill)
            painter.setPen(fonts_and_colours.text_colour_on(fill))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _cell_fill(self, cell: Cell, step: int) -> QColor:
        active, look = theme.active(), self.look
        if step > look.step:
            return QColor(active.hover)
        now, mix = 0 <= step == look.step, partial(fonts_and_colours.mix_colours, active.panel)
        if look.colouring == "paths":
            share = look.shares.get(cell, 0.0)
            return mix(active.path, 0.15 + 0.75 * share) if share > 0 else mix(active.boundary, 0.15)
        if look.colouring == "worker":
            worker = self.play.cell_worker(cell)
            colour = active.series[worker % len(active.series)] if worker >= 0 else active.boundary
            return mix(colour, 0.95 if now else 0.4)
        if look.colouring == "memory":
            place = self._memory_of(cell)
            return mix(getattr(active, MEMORY_COLOURS[place]), 0.7) if place else mix(active.boundary, 0.15)
        if now:
            return QColor(active.recomputed)
        return _computed_colour() if step >= 0 else _given_colour()

    def _memory_of(self, cell: Cell) -> str:
        """Return the fastest memory that holds a cell now."""
        if not 0 <= self.look.step < len(self.play):
            return ""
        held = self.play.steps[self.look.step].held
        return next((place for place in MEMORY_COLOURS for one in held if one.place == place and cell in one.cells), "")

    def _draw_cuts(self, painter: QPainter, sheet: TableSheet) -> None:
        table = self.play.tables[sheet.table]
        painter.setPen(QPen(QColor(theme.active().text), 1.4))
        rows, columns = table.cuts
        x, y = self.left + sheet.x, self.top + sheet.y
        for i in rows:
            at = y + i * sheet.size
            painter.drawLine(QLineF(x, at, x + table.table_shape[1] * sheet.wide, at))
        for j in columns:
            at = x + j * sheet.wide
            painter.drawLine(QLineF(at, y, at, y + table.table_shape[0] * sheet.size))

    # Marks

    def _draw_marks(self, painter: QPainter) -> None:
        play, look, active = self.play, self.look, theme.active()
        if 0 <= look.step < len(play):
            for cell in play.steps[look.step].marked:
                self._draw_outline(painter, cell, active.path, 2.4)
        if look.path:
            self._draw_path(painter)
        if look.cell is None or play.cell_step(look.cell) > look.step:
            return
        self._draw_outline(painter, look.cell, active.text, 2.6)
        if play.cell_step(look.cell) < 0:
            return
        formula = play.find_formula(look.cell)
        for number, case in enumerate(formula.cases):
            wins = number in formula.winning_cases
            for source in case.sources:
                self._draw_outline(painter, source, active.path if wins else active.muted, 2.2 if wins else 1.4)
                if wins:
                    self._draw_arrow(painter, source, look.cell)

    def _draw_outline(self, painter: QPainter, cell: Cell, colour: str, width: float) -> None:
        for box in self.cell_boxes(cell):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for pen in (QPen(QColor(theme.active().panel), width + 1.6), QPen(QColor(colour), width)):
                painter.setPen(pen)
                painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))

    def _draw_arrow(self, painter: QPainter, source: Cell, target: Cell) -> None:
        for start in self.cell_boxes(source)[:1]:
            for end in self.cell_boxes(target)[:1]:
                line = QLineF(start.center(), end.center())
                if line.length() < 2:
                    continue
                shrink = min(end.width(), end.height()) * 0.42
                line.setLength(max(line.length() - shrink, 1))
                painter.setPen(QPen(QColor(theme.active().path), 2))
                painter.drawLine(line)
                head = QLineF(line.p2(), line.p1())
                head.setLength(min(8.0, max(shrink * 0.7, 4.0)))
                for turn in (28, -28):
                    side = QLineF(head)
                    side.setAngle(head.angle() + turn)
                    painter.drawLine(side)

    def _draw_path(self, painter: QPainter) -> None:
        """Draw a line through the cells of a table; for a cube, whose layers lie side by side, a mark in each."""
        cells = [cell for cell in self.play.path if self.play.cell_step(cell) <= self.look.step]
        boxes = [found[0] for cell in cells if (found := self.cell_boxes(cell))]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        caps, joins = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.setPen(QPen(QColor(theme.active().path), 3, Qt.PenStyle.SolidLine, caps, joins))
        if any(cell[3] for cell in cells):
            for box in boxes:
                painter.drawEllipse(box.adjusted(2, 2, -2, -2))
        elif len(boxes) > 1:
            painter.drawPolyline(QPolygonF([box.center() for box in boxes]))
            for cell in cells:
                for sheet in self._sheets_of(cell)[:1]:
                    self._draw_digits(painter, sheet, cell, self._cell_fill(cell, self.play.cell_step(cell)), True)

    # Curve

    def _draw_curve(self, painter: QPainter, area: QRectF) -> None:
        active, play = theme.active(), self.play
        painter.setFont(_sized_font(painter, self.line * 0.7))
        painter.setPen(QColor(active.muted))
        most = max(len(play.workers), int(play.busy_workers.max(initial=1)))
        mean = float(play.busy_workers.mean())
        words = f"busy workers per step: {mean:,.1f} of {most} on average"
        words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, words)
        plot = area.adjusted(0, self.line + 2, 0, 0)
        draw_counts(painter, plot, play.busy_workers, most)
        if self.look.step >= 0:
            wide = plot.width() / len(play)
            x = plot.left() + (min(self.look.step, len(play) - 1) + 0.5) * wide
            painter.setPen(QPen(QColor(active.recomputed), min(max(wide, 2.0), 6.0)))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))


def _computed_colour() -> QColor:
    """Return the colour of cells that were computed before this step."""
    active = theme.active()
    return fonts_and_colours.mix_colours(active.panel, active.accent, COMPUTED_SHARE)


def _given_colour() -> QColor:
    """Return the colour of cells whose values are given."""
    active = theme.active()
    return fonts_and_colours.mix_colours(active.panel, active.boundary, GIVEN_SHARE)


def play_legend(play: Animation, look: PlayLook) -> tuple[LegendItem, ...]:
    """Return the meaning of the colours."""
    active = theme.active()
    if look.colouring == "worker":
        colours = [active.series[number % len(active.series)] for number in range(8)]
        shown = [LegendItem("fill", name, (colour,)) for name, colour in zip(play.workers, colours, strict=False)]
        more = len(play.workers) - 8
        return (*shown, LegendItem("text", f"and {more:,} more")) if more > 0 else tuple(shown)
    if look.colouring == "memory":
        return tuple(LegendItem("fill", place, (getattr(active, name),)) for place, name in MEMORY_COLOURS.items())
    if look.colouring == "paths":
        return (LegendItem("gradient", look.meaning, (active.panel, active.path)),)
    return (
        LegendItem("fill", "computed in this step", (active.recomputed,)),
        LegendItem("fill", "computed before", (_computed_colour().name(),)),
        LegendItem("fill", "initial value", (_given_colour().name(),)),
        LegendItem("outline", "used by the best case, or marked", (active.path,)),
    )


def _sized_font(painter: QPainter, pixels: float) -> QFont:
    return fonts_and_colours.resized_font(painter.font(), max(pixels, 8))
