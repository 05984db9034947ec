"""DropFrame: outlines a window while files are dragged over it, and opens what is dropped as a copy."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from antidiag.app import theme

FRAME_WIDTH = 4
TINT_ALPHA = 40
"""Opacity of the tint over the window, of 255."""
TEXT = "Drop to open a copy"


class DropFrame(QWidget):
    """Lies over a window and is visible during a drag that can be opened.

    ``can_open(mime)`` tells what can be dropped, ``open_mime(mime)`` opens it. The source of the drag is told that its
    files are copied, also if it proposes to move them.
    """

    def __init__(
        self, window: QWidget, can_open: Callable[[QMimeData], bool], open_mime: Callable[[QMimeData], object]
    ) -> None:
        super().__init__(window)
        self._can_open, self._open_mime = can_open, open_mime
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            event.ignore()
            if self._can_open(event.mimeData()):
                _accept_copy(event)
                self.setGeometry(self.parentWidget().rect())
                self.raise_()
                self.show()
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.hide()
        elif event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self.hide()
            self._open_mime(event.mimeData())
            _accept_copy(event)
            return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.active()
        painter = QPainter(self)
        tint = QColor(colours.accent)
        tint.setAlpha(TINT_ALPHA)
        painter.fillRect(self.rect(), tint)
        painter.setPen(QPen(QColor(colours.accent), FRAME_WIDTH))
        inset = FRAME_WIDTH // 2
        painter.drawRect(self.rect().adjusted(inset, inset, -inset, -inset))
        font = QFont(painter.font())
        font.setBold(True)
        painter.setFont(font)
        text = (
            painter.fontMetrics()
            .boundingRect(TEXT)
            .adjusted(-2 * theme.MARGIN, -theme.MARGIN, 2 * theme.MARGIN, theme.MARGIN)
        )
        text.moveCenter(self.rect().center())
        painter.fillRect(text, QColor(colours.accent))
        painter.setPen(QColor(colours.accent_text))
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, TEXT)


def _accept_copy(event: QDropEvent) -> None:
    """Accept a drag or drop as a copy, so that its source keeps its files."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
