"""The picture of a play after a step: its tables, the tree that grows, what is marked, the curve of busy workers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.app.kit import ink
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.play import tree
from antidiag.app.kit.play.look import GAP, Look, Sheet, sheets
from antidiag.kernels.plays.model import NEVER, Cell, Play

READABLE = 9.0
"""Pixels of the smallest number that is written into a cell."""
PLACES: Mapping[str, str] = {
    "registers": "success", "shared memory": "special", "global memory": "accent", "host memory": "muted",
}  # fmt: skip
CURVE = 0.16
TREE = 0.3


class Picture:
    """A play and a look, laid out in an area; draws, and says what is under a place."""

    def __init__(self, play: Play, look: Look, area: QRectF, line: float, curve: bool = True) -> None:
        self.play, self.look, self.area, self.line = play, look, area, line
        self.curve = self.tree_area = None
        room = QRectF(area)
        if curve and len(play) > 1:
            height = max(CURVE * area.height(), 3 * line)
            self.curve = QRectF(area.left(), area.bottom() - height, area.width(), height)
            room.setBottom(self.curve.top() - GAP / 2)
        if play.leaves:
            width = TREE * area.width()
            self.tree_area = QRectF(area.right() - width, area.top(), width, room.height())
            room.setRight(self.tree_area.left() - GAP)
        self.room = room
        self.sheets = sheets(play, look, room.width(), room.height(), line)
        self._centre()

    def _centre(self) -> None:
        """Tables stand in the middle of the room that they have."""
        right = max((one.x + one.wide * self.play.tables[one.table].shape[1] for one in self.sheets), default=0.0)
        bottom = max((one.y + one.size * self.play.tables[one.table].shape[0] for one in self.sheets), default=0.0)
        self.left = self.room.left() + max((self.room.width() - right) / 2, 0)
        self.top = self.room.top() + max((self.room.height() - bottom) / 3, 0)

    def box(self, sheet: Sheet, i: int, j: int) -> QRectF:
        return QRectF(self.left + sheet.x + j * sheet.wide, self.top + sheet.y + i * sheet.size, sheet.wide, sheet.size)

    def boxes(self, cell: Cell) -> list[QRectF]:
        """Where a cell is drawn; nowhere where its table or its version is not shown."""
        table, i, j, k = cell
        return [self.box(one, i, j) for one in self.sheets if one.table == table and one.layer in (-1, k)]

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell under a place; of a table of versions the one that is shown."""
        for sheet in self.sheets:
            table = self.play.tables[sheet.table]
            j = math.floor((place.x() - self.left - sheet.x) / sheet.wide)
            i = math.floor((place.y() - self.top - sheet.y) / sheet.size)
            if 0 <= i < table.shape[0] and 0 <= j < table.shape[1]:
                layer = sheet.layer if sheet.layer >= 0 else max(int(table.newest(self.look.step)[i, j]), 0)
                return sheet.table, i, j, layer
        return None

    def step_at(self, place: QPointF) -> int | None:
        """The step under a place of the curve."""
        if self.curve is None or not self.curve.contains(place):
            return None
        return min(int((place.x() - self.curve.left()) / self.curve.width() * len(self.play)), len(self.play) - 1)

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = painter.font()
        for sheet in self.sheets:
            painter.setFont(font)
            self._draw_sheet(painter, sheet)
        painter.setFont(font)
        self._draw_marks(painter)
        if self.tree_area is not None:
            tree.draw(painter, self.tree_area, self.play, self.look.step, self.line)
        if self.curve is not None:
            self._draw_curve(painter, self.curve)

    # Tables

    def _draw_sheet(self, painter: QPainter, sheet: Sheet) -> None:
        table, active = self.play.tables[sheet.table], theme.active()
        x, y = self.left + sheet.x, self.top + sheet.y
        font = _font(painter, self.line * 0.74)
        painter.setFont(font)
        painter.setPen(QColor(active.text))
        painter.drawText(QRectF(x, y - 2 * self.line, 4000, self.line), Qt.AlignmentFlag.AlignVCenter, sheet.title)
        painter.setPen(QColor(active.muted))
        step = self._every(sheet.size)
        for i, name in enumerate(table.rows):
            if i % step == 0:
                box = QRectF(x - 15 * self.line, y + i * sheet.size, 14.8 * self.line, sheet.size)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, name)
        step = self._every(sheet.wide)
        for j, name in enumerate(table.columns):
            if j % step == 0:
                box = QRectF(x + j * sheet.wide - self.line, y - self.line, sheet.wide + 2 * self.line, self.line)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
        newest = table.newest(self.look.step) if sheet.layer < 0 else None
        for i in range(table.shape[0]):
            for j in range(table.shape[1]):
                layer = sheet.layer if newest is None else int(newest[i, j])
                self._draw_cell(painter, sheet, (sheet.table, i, j, layer), layer >= 0)
        self._draw_cuts(painter, sheet)

    def _every(self, size: float) -> int:
        """Of so many names one is written, where lines are narrow."""
        return max(1, math.ceil(0.8 * self.line / max(size, 1)))

    def _draw_cell(self, painter: QPainter, sheet: Sheet, cell: Cell, has_version: bool) -> None:
        active, table = theme.active(), self.play.tables[cell[0]]
        box = self.box(sheet, cell[1], cell[2])
        if not has_version:
            if table.step_of[cell[1], cell[2]].min() < NEVER:
                painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor(active.hover))
            return
        step = self.play.step(cell)
        if step >= NEVER:
            return
        gone = table.gone is not None and table.gone[cell[1], cell[2]] <= self.look.step
        fill = QColor(active.hover) if gone else self._fill(cell, step)
        painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), fill)
        if step > self.look.step or gone:
            return
        text = "?" if cell in self.look.blanks else self.play.letter(cell)
        pixels = min(sheet.size * 0.52, sheet.wide * 1.55 / max(len(text), 1))
        fine = painter.device().devicePixelRatioF()  # a fine screen shows smaller letters
        if text and pixels >= READABLE * 0.8 / fine:
            painter.setFont(ink.font(max(int(pixels), math.ceil(7 / fine)), 0 <= step == self.look.step))
            painter.setPen(_ink_on(fill))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _fill(self, cell: Cell, step: int) -> QColor:
        active, look = theme.active(), self.look
        if step > look.step:
            return QColor(active.hover)
        now = 0 <= step == look.step
        if look.colouring == "paths":
            share = look.shares.get(cell, 0.0)
            return _mixed(active.panel, active.path, 0.15 + 0.75 * share) if share > 0 else _mixed(
                active.panel, active.boundary, 0.15)  # fmt: skip
        if look.colouring == "worker":
            worker = self.play.worker(cell)
            colour = active.series[worker % len(active.series)] if worker >= 0 else active.boundary
            return _mixed(active.panel, colour, 0.95 if now else 0.4)
        if look.colouring == "memory":
            place = self._place(cell)
            return _mixed(active.panel, getattr(active, PLACES[place]), 0.7) if place else _mixed(
                active.panel, active.boundary, 0.15)  # fmt: skip
        if now:
            return QColor(active.recomputed)
        return _mixed(active.panel, active.accent, 0.16) if step >= 0 else _mixed(active.panel, active.boundary, 0.3)

    def _place(self, cell: Cell) -> str:
        """The fastest memory that a cell lies in now."""
        if not 0 <= self.look.step < len(self.play):
            return ""
        held = self.play.steps[self.look.step].held
        return next((place for place in PLACES for one in held if one.place == place and cell in one.cells), "")

    def _draw_cuts(self, painter: QPainter, sheet: Sheet) -> None:
        table = self.play.tables[sheet.table]
        painter.setPen(QPen(QColor(theme.active().text), 1.4))
        rows, columns = table.cuts
        x, y = self.left + sheet.x, self.top + sheet.y
        for i in rows:
            at = y + i * sheet.size
            painter.drawLine(QLineF(x, at, x + table.shape[1] * sheet.wide, at))
        for j in columns:
            at = x + j * sheet.wide
            painter.drawLine(QLineF(at, y, at, y + table.shape[0] * sheet.size))

    # What is marked

    def _draw_marks(self, painter: QPainter) -> None:
        play, look, active = self.play, self.look, theme.active()
        if 0 <= look.step < len(play):
            for cell in play.steps[look.step].marked:
                self._outline(painter, cell, active.path, 2.4)
        if look.path:
            self._draw_path(painter)
        if look.cell is None or play.step(look.cell) > look.step:
            return
        self._outline(painter, look.cell, active.text, 2.6)
        if play.step(look.cell) < 0:
            return
        formula = play.formula(look.cell)
        for number, case in enumerate(formula.cases):
            wins = number in formula.winners
            for source in case.sources:
                self._outline(painter, source, active.path if wins else active.muted, 2.2 if wins else 1.4)
                if wins:
                    self._arrow(painter, source, look.cell)

    def _outline(self, painter: QPainter, cell: Cell, colour: str, width: float) -> None:
        for box in self.boxes(cell):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for pen in (QPen(QColor(theme.active().panel), width + 1.6), QPen(QColor(colour), width)):
                painter.setPen(pen)
                painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))

    def _arrow(self, painter: QPainter, source: Cell, target: Cell) -> None:
        for start in self.boxes(source)[:1]:
            for end in self.boxes(target)[:1]:
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
        """A line through the cells of a table; through the layers of a cube, which lie side by side, a mark in each."""
        cells = [cell for cell in self.play.path if self.play.step(cell) <= self.look.step]
        boxes = [found[0] for cell in cells if (found := self.boxes(cell))]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.active().path), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap,
                            Qt.PenJoinStyle.RoundJoin))  # fmt: skip
        if any(cell[3] for cell in cells):
            for box in boxes:
                painter.drawEllipse(box.adjusted(2, 2, -2, -2))
        elif len(boxes) > 1:
            painter.drawPolyline(QPolygonF([box.center() for box in boxes]))

    # The curve

    def _draw_curve(self, painter: QPainter, area: QRectF) -> None:
        active, play = theme.active(), self.play
        painter.setFont(_font(painter, self.line * 0.7))
        painter.setPen(QColor(active.muted))
        most = max(len(play.workers), int(play.busy.max(initial=1)))
        mean = float(play.busy.mean())
        words = f"workers at work in each step: {mean:,.1f} of {most} on average"
        words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, words)
        plot = area.adjusted(0, self.line + 2, 0, 0)
        wide, high = plot.width() / len(play), plot.height() / most
        painter.fillRect(plot, QColor(active.hover))
        outline = QPolygonF([plot.bottomLeft()])
        for step, count in enumerate(play.busy.tolist()):
            for edge in (step, step + 1):
                outline.append(QPointF(plot.left() + edge * wide, plot.bottom() - count * high))
        outline.append(plot.bottomRight())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(active.boundary))
        painter.drawPolygon(outline)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.look.step >= 0:
            x = plot.left() + (min(self.look.step, len(play) - 1) + 0.5) * wide
            painter.setPen(QPen(QColor(active.recomputed), min(max(wide, 2.0), 6.0)))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))


def legend(play: Play, look: Look) -> tuple[LegendItem, ...]:
    """What the colours mean."""
    active = theme.active()
    if look.colouring == "worker":
        shown = [LegendItem("fill", name, (active.series[number % len(active.series)],))
                 for number, name in enumerate(play.workers[:8])]  # fmt: skip
        more = len(play.workers) - 8
        return (*shown, LegendItem("text", f"and {more:,} more")) if more > 0 else tuple(shown)
    if look.colouring == "memory":
        return tuple(LegendItem("fill", place, (getattr(active, name),)) for place, name in PLACES.items())
    if look.colouring == "paths":
        return (
            LegendItem(
                "gradient",
                look.meaning,
                (active.panel, active.path),
            ),
        )
    return (
        LegendItem("fill", "computed in this step", (active.recomputed,)),
        LegendItem("fill", "computed before", (_mixed(active.panel, active.accent, 0.16).name(),)),
        LegendItem("fill", "given", (_mixed(active.panel, active.boundary, 0.3).name(),)),
        LegendItem("outline", "taken by the case that wins, or marked", (active.path,)),
    )


def _font(painter: QPainter, pixels: float) -> QFont:
    font = painter.font()
    font.setPixelSize(max(round(pixels), 8))
    font.setBold(False)
    return font


def _mixed(one: str, other: str, share: float) -> QColor:
    first, second = QColor(one), QColor(other)
    channels = ((first.redF(), second.redF()), (first.greenF(), second.greenF()), (first.blueF(), second.blueF()))
    return QColor.fromRgbF(*(a + (b - a) * share for a, b in channels))


def _ink_on(fill: QColor) -> QColor:
    linear = [part**2.2 for part in (fill.redF(), fill.greenF(), fill.blueF())]
    dark = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] < 0.179
    return ink.LIGHT_INK if dark else ink.DARK_INK
