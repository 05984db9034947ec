"""Drawing of a structure in the plane, with stems as ladders and loops as circles, for panning and zooming."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.app.kit.canvas.moved_canvas import MovedCanvas
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.structure.displayed_structure import DisplayedStructure, kind_colours
from antidiag.kernels.folding.letter_layout import place_letters

READABLE, LARGEST = 9.0, 60.0  # pixels between letters: smallest with letters written, and largest
PAN, MARGIN = 60.0, 26.0  # pixels of an arrow key, and margin in pixels
DOT = 0.42  # radius of a letter, relative to the distance between letters
EVERY = 10  # letters between two numbers
MAP = "viridis"
TURNS = 36  # rotations that are tried to fit the drawing
SEEN = 30.0  # pixels; letters that are farther outside are not drawn


class PlanePane(MovedCanvas):
    """The structure in the plane; ``by_share`` colours letters by the share of the best structures that agree."""

    def __init__(self) -> None:
        super().__init__(self.draw)
        self.letter_pointed = self.pointed
        self.setAccessibleName("Drawing of the structure")
        self.setMinimumSize(160, 120)
        self.shown: DisplayedStructure | None = None
        self.by_share = False
        self._places = np.empty((0, 2))
        self._lit: int | None = None
        self._whole, self._scale, self._middle = True, 1.0, np.zeros(2)

    def sizeHint(self) -> QSize:
        return QSize(420, 320)

    def show_structure(self, shown: DisplayedStructure | None) -> None:
        """Show all of another structure."""
        same = shown is not None and self.shown is not None and shown.partners is self.shown.partners
        self.shown = shown
        if not same:
            self._lit = None
            self._places = place_letters(shown.partners) * (1, -1) if shown else np.empty((0, 2))
            self._turn_to_fit()
            self.show_all()
        self.update()

    def highlight_letter(self, letter: int | None) -> None:
        """Highlight a letter and its partner."""
        self._lit = letter
        self.update()

    def show_all(self) -> None:
        """Show everything."""
        self._whole = True
        self._place_whole()
        self.update()

    def list_window(self) -> list[float] | None:
        """Return the pixels between letters and the place in the middle; None where everything is shown."""
        return None if self._whole else [float(self._scale), *map(float, self._middle)]

    def restore_window(self, window: list[float] | None) -> None:
        """Show the part that `list_window` returned."""
        if window is not None:
            scale, x, y = window
            self._whole, self._scale, self._middle = False, min(max(scale, 1e-6), LARGEST), np.array([x, y], float)
            self.update()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom by a factor around a point."""
        if self.shown is None:
            return
        about = QPointF(self.rect().center()) if about is None else about
        held = self._position_at(about)
        self._whole = False
        least = min(self._fitting_scale(), LARGEST)
        self._scale = float(np.clip(self._scale * factor, 0.5 * least, LARGEST))
        self._middle = held - (np.array([about.x(), about.y()]) - self._half_size()) / self._scale
        self.update()

    def letter_pixels(self) -> np.ndarray:
        """Return the positions of the letters in pixels, float64 (n, 2)."""
        return (self._places - self._middle) * self._scale + self._half_size()

    def target_at(self, place: QPointF) -> int | None:
        """Return the letter at a position, or None."""
        if not len(self._places):
            return None
        far = np.hypot(*(self.letter_pixels() - (place.x(), place.y())).T)
        return int(far.argmin()) if far.min() <= max(0.75 * self._scale, 8) else None

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area of the size of the widget, at (0, 0)."""
        if self.shown is None or not len(self._places):
            return
        colours, places = theme.active(), self.letter_pixels()
        with saved_painter_state(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            line = max(min(self._scale / 8, 2.4), 0.8)
            pen = QPen(QColor(colours.muted), line)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in places.tolist()]))
            for kind, ink in enumerate(kind_colours()):
                painter.setPen(QPen(QColor(ink), 1.5 * line))
                ends = places[self.shown.pairs[self.shown.pair_kinds == kind]]
                for one in ends.reshape(-1, 4).tolist():
                    painter.drawLine(QLineF(*one))
            self._draw_lit(painter, places)
            if self._scale >= READABLE:
                inside = np.all((places > -SEEN) & (places < (area.width() + SEEN, area.height() + SEEN)), axis=1)
                self._draw_letters(painter, places, np.flatnonzero(inside))
            elif self.by_share:
                self._draw_dots(painter, places)
            self._draw_ends(painter, places)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self._whole:
            self._place_whole()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        left, right, up, down = Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down
        moves = {left: (PAN, 0), right: (-PAN, 0), up: (0, PAN), down: (0, -PAN)}
        if event.key() in moves:
            self.move_by(*moves[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _draw_lit(self, painter: QPainter, places: np.ndarray) -> None:
        ends = [letter for letter in (self._lit, self.shown.partner_of(self._lit)) if letter is not None]
        painter.setPen(QPen(QColor(theme.active().accent), 2.5))
        if len(ends) == 2:
            painter.drawLine(QPointF(*places[ends[0]]), QPointF(*places[ends[1]]))
        for letter in ends:
            radius = max(1.3 * DOT * self._scale, 5)
            painter.drawEllipse(QPointF(*places[letter]), radius, radius)

    def _draw_letters(self, painter: QPainter, places: np.ndarray, letters: np.ndarray) -> None:
        colours, radius = theme.active(), DOT * self._scale
        painter.setFont(cell_font(max(int(1.2 * radius), 6), bold=True))
        box, array = QRectF(-radius, -radius, 2 * radius, 2 * radius), self.shown.sequence.letter_array
        for letter in letters.tolist():
            middle = QPointF(*places[letter])
            fill, ink = self._colours_of(letter)
            painter.setPen(QPen(QColor(colours.border), 1))
            painter.setBrush(fill)
            painter.drawEllipse(middle, radius, radius)
            painter.setPen(ink)
            painter.drawText(box.translated(middle), Qt.AlignmentFlag.AlignCenter, chr(array[letter]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(cell_font(max(int(radius), 8)))
        painter.setPen(QColor(colours.muted))
        for letter in letters[(letters + 1) % EVERY == 0].tolist():
            middle = QPointF(*(places[letter] + self._outward_direction(places, letter) * 1.15 * self._scale))
            wide = QRectF(-40, -radius, 80, 2 * radius)
            painter.drawText(wide.translated(middle), Qt.AlignmentFlag.AlignCenter, str(letter + 1))

    def _draw_dots(self, painter: QPainter, places: np.ndarray) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for letter in range(len(places)):
            painter.setBrush(self._colours_of(letter)[0])
            painter.drawEllipse(QPointF(*places[letter]), 2.5, 2.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_ends(self, painter: QPainter, places: np.ndarray) -> None:
        painter.setFont(cell_font(12, bold=True))
        painter.setPen(QColor(theme.active().text))
        apart = _unit_vector(places[0] - places[-1])
        for letter, text, side in ((0, "5\u2032", 1), (len(places) - 1, "3\u2032", -1)):
            away = _unit_vector(self._outward_direction(places, letter) + side * apart)
            middle = places[letter] + away * max(1.2 * self._scale, 14)
            box = QRectF(-14, -9, 28, 18).translated(QPointF(*middle))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _colours_of(self, letter: int) -> tuple[QColor, QColor]:
        share = self.shown.agreement_of(letter) if self.by_share else None
        if share is None:
            return QColor(theme.active().panel), QColor(theme.active().text)
        place = share * (heat_map.SHADES - 1)
        return QColor.fromRgb(int(heat_map.map_colours(MAP)[int(place)])), heat_map.text_colour(place, MAP)

    def _outward_direction(self, places: np.ndarray, letter: int) -> np.ndarray:
        """Return the direction away from the neighbours and the partner of a letter."""
        others = [near for near in (letter - 1, letter + 1) if 0 <= near < len(places)]
        partner = self.shown.partner_of(letter)
        near = places[[*others, *([partner] if partner is not None else [])] or [letter]].mean(axis=0)
        return _unit_vector(places[letter] - near)

    def _half_size(self) -> np.ndarray:
        return np.array([self.width() / 2, self.height() / 2])

    def _position_at(self, place: QPointF) -> np.ndarray:
        return (np.array([place.x(), place.y()]) - self._half_size()) / self._scale + self._middle

    def _turn_to_fit(self) -> None:
        """Rotate the drawing so that it can be shown as large as possible."""
        if len(self._places):
            angles = np.arange(TURNS) * np.pi / TURNS
            turns = [np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) for a in angles]
            self._places = max((self._places @ turn for turn in turns), key=self._fitting_scale)

    def _fitting_scale(self, places: np.ndarray | None = None) -> float:
        """Return the distance between letters in pixels at which everything fits."""
        places = self._places if places is None else places
        wide, high = np.maximum(np.ptp(places, axis=0), 1e-9) if len(places) else (1.0, 1.0)
        return max(min((self.width() - 2 * MARGIN) / wide, (self.height() - 2 * MARGIN) / high), 0.01)

    def _place_whole(self) -> None:
        self._scale = min(self._fitting_scale(), LARGEST / 2)
        if len(self._places):
            self._middle = (self._places.min(axis=0) + self._places.max(axis=0)) / 2

    def move_by(self, right: float, down: float) -> None:
        """Move the drawing by so many pixels."""
        if self.shown is not None:
            self._whole = False
            self._middle = self._middle - np.array([right, down]) / self._scale
            self.update()


def _unit_vector(direction: np.ndarray) -> np.ndarray:
    """Scale a direction to length 1; return upwards for a zero vector."""
    length = float(np.hypot(*direction))
    return direction / length if length > 1e-9 else np.array([0.0, -1.0])
