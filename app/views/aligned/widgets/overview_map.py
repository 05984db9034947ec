"""A small map of the whole alignment with a frame around the visible part, which can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame

HEIGHT = 52
"""Pixels of the height."""


class OverviewMap(QWidget):
    """Shows a picture in few pixels; ``centre_requested((row, column))`` asks to centre a cell."""

    centre_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Map of the whole alignment")
        self._picture: AlignmentPicture | None = None
        self._frame: CellFrame | None = None
        self._image: QImage | None = None
        self._making = LatestTask(self, self._take_image)

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, HEIGHT)

    @property
    def sharp(self) -> bool:
        """Whether the map is complete."""
        return not self._making.busy

    def show_picture(self, picture: AlignmentPicture | None) -> None:
        """Make the map again on a thread; the old one stays until then if it is of the same rows."""
        before, self._picture = self._picture, picture
        if before is not None and picture is not None and before.alignment.names != picture.alignment.names:
            self._image = None
        if picture is None:
            self._image = None
            self._making.cancel()
        else:
            scale = self.devicePixelRatioF()
            size = max(1, round(self.width() * scale)), max(1, round(HEIGHT * scale))
            self._making.request(lambda monitor: cell_painter.paint_overview(picture, *size))
        self.update()

    def show_frame(self, frame: CellFrame) -> None:
        """Mark the visible part."""
        self._frame = frame
        self.update()

    def _take_image(self, image: QImage) -> None:
        self._image = image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self._image is not None:
            painter.drawImage(QRectF(self.rect()), self._image)
        if self._picture is not None and self._frame is not None:
            colours = theme.active()
            box = self._visible_box()
            painter.setPen(QPen(QColor(colours.panel), 4))
            painter.drawRect(box)
            painter.setPen(QPen(QColor(colours.text), 2))
            painter.drawRect(box)
        painter.setPen(QColor(theme.active().border))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _visible_box(self) -> QRectF:
        frame, (rows, columns) = self._frame, self._picture.shape
        across, down = self.width() / max(columns, 1), self.height() / max(rows, 1)
        width = min(frame.width / frame.cell_width * across, self.width() - frame.first_column * across)
        height = min(frame.height / frame.cell_height * down, self.height() - frame.first_row * down)
        box = QRectF(frame.first_column * across, frame.first_row * down, max(width, 5), max(height, 5))
        return box.intersected(QRectF(self.rect()).adjusted(1, 1, -2, -2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._request_centre(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._request_centre(event.position())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_picture(self._picture)

    def _request_centre(self, place: QPointF) -> None:
        if self._picture is not None:
            rows, columns = self._picture.shape
            self.centre_requested.emit((place.y() / self.height() * rows, place.x() / self.width() * columns))
