"""What stands around the cells while one scrolls: names and head, kept as pixels for as long as all stays on which they
depend."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

from antidiag.app import theme
from antidiag.app.views.aligned import paint
from antidiag.app.views.aligned.picture import Frame, Picture


class Kept:
    """One part. It is painted anew where something ``plain`` that it depends on is not equal to what it was, or one of
    the ``things``, such as arrays, not the same; pixels are made of what is painted a second time, as of what moves
    they would be no use."""

    def __init__(self) -> None:
        self._plain: tuple[object, ...] = ()
        self._things: tuple[object, ...] = ()
        self._image: QImage | None = None

    def draw(
        self,
        painter: QPainter,
        box: QRect,
        scale: float,
        plain: tuple[object, ...],
        things: tuple[object, ...],
        paint_it: Callable[[QPainter], None],
    ) -> None:
        """Draw the part that ``paint_it`` paints in a box."""
        plain = (*plain, box.getRect(), scale, theme.active().name)
        same = len(things) == len(self._things) and all(map(_is, things, self._things))
        if plain != self._plain or not same:
            self._plain, self._things, self._image = plain, things, None
            paint_it(painter)
            return
        self._image = self._image or _painted(box, scale, paint_it)
        painter.drawImage(box.topLeft(), self._image)


class Around:
    """The names and the head of a canvas."""

    def __init__(self) -> None:
        self._names, self._head = Kept(), Kept()

    def draw(
        self,
        painter: QPainter,
        picture: Picture,
        frame: Frame,
        shown: tuple[str, ...],
        taxa: frozenset[str],
        scale: float,
    ) -> None:
        """Names of the rows, which most edits leave as they are, and, above them, ruler and tracks."""
        first, last = frame.visible_rows(picture.shape[0])
        marked = picture.choice.rows[picture.order[first:last]].tobytes()
        self._names.draw(
            painter, QRect(0, frame.top, frame.left - 4, frame.height), scale,
            (frame.first_row, frame.cell_height, taxa, marked),
            (picture.alignment.names, picture.order, picture.folds or None, picture.notes),
            lambda own: paint.draw_names(own, picture, frame, taxa),
        )  # fmt: skip
        across = frame.first_column, frame.cell_width, frame.left, frame.width
        self._head.draw(
            painter, QRect(0, 0, frame.left + frame.width, frame.top), scale,
            (*across, shown, picture.version, picture.wait, picture.row),
            (picture, picture.order, picture.columns, *(picture.tracks.get(name) for name in shown)),
            lambda own: paint.draw_head(own, picture, frame, list(shown), scale),
        )  # fmt: skip


def _is(one: object, other: object) -> bool:
    return one is other


def _painted(box: QRect, scale: float, paint_it: Callable[[QPainter], None]) -> QImage:
    size = box.size() * scale
    image = QImage(max(size.width(), 1), max(size.height(), 1), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor(theme.active().panel))
    painter = QPainter(image)
    painter.translate(-box.topLeft())
    paint_it(painter)
    painter.end()
    return image
