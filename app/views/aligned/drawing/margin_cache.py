"""A cache of the margins of the canvas: row names and head stay as images while nothing they show changes."""

from __future__ import annotations

import operator
from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

from antidiag.app import theme
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame


class CachedPart:
    """One cached part of the canvas. It is painted again if a value in ``plain_keys`` differs or an object in
    ``object_keys`` is another one. The image is made at the second painting, so that what changes all the time is never
    cached."""

    def __init__(self) -> None:
        self._plain: tuple[object, ...] = ()
        self._things: tuple[object, ...] = ()
        self._image: QImage | None = None

    def draw_part(
        self,
        painter: QPainter,
        box: QRect,
        scale: float,
        plain_keys: tuple[object, ...],
        object_keys: tuple[object, ...],
        paint_part: Callable[[QPainter], None],
    ) -> None:
        """Draw a part: by ``paint_part``, or from the cached image."""
        plain_keys = (*plain_keys, box.getRect(), scale, theme.active().name)
        same = len(object_keys) == len(self._things) and all(map(operator.is_, object_keys, self._things))
        if plain_keys != self._plain or not same:
            self._plain, self._things, self._image = plain_keys, object_keys, None
            paint_part(painter)
            return
        self._image = self._image or _render_part(box, scale, paint_part)
        painter.drawImage(box.topLeft(), self._image)


class MarginCache:
    """The cached names and head of a canvas."""

    def __init__(self) -> None:
        self._names, self._head = CachedPart(), CachedPart()

    def draw_margins(
        self,
        painter: QPainter,
        picture: AlignmentPicture,
        frame: CellFrame,
        shown: tuple[str, ...],
        taxa: frozenset[str],
        scale: float,
    ) -> None:
        """Draw the names of the rows, and the ruler and tracks above them."""
        first, last = frame.visible_rows(picture.shape[0])
        marked = picture.cell_selection.rows[picture.order[first:last]].tobytes()
        box = QRect(0, frame.top, frame.left - 4, frame.height)
        plain = frame.first_row, frame.cell_height, taxa, marked
        things = picture.alignment.names, picture.order, picture.folds or None, picture.notes
        self._names.draw_part(
            painter, box, scale, plain, things, lambda own: cell_painter.draw_names(own, picture, frame, taxa)
        )
        box = QRect(0, 0, frame.left + frame.width, frame.top)
        across = frame.first_column, frame.cell_width, frame.left, frame.width
        head_keys = (*across, shown, picture.version, picture.is_waiting, picture.track_row)
        head_objects = (picture, picture.order, picture.columns, *map(picture.tracks.get, shown))
        self._head.draw_part(
            painter,
            box,
            scale,
            head_keys,
            head_objects,
            lambda own: cell_painter.draw_head(own, picture, frame, list(shown), scale),
        )


def _render_part(box: QRect, scale: float, paint_it: Callable[[QPainter], None]) -> QImage:
    size = box.size() * scale
    image = QImage(max(size.width(), 1), max(size.height(), 1), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.active().panel))
    painter = QPainter(image)
    painter.translate(-box.topLeft())
    paint_it(painter)
    painter.end()
    return image
