"""A layout that puts widgets side by side, and goes on in the next line where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QWidget

from app import theme

WHERE_WIDTH = 118
"""Pixels of the box that says where to go."""


class Flow(QLayout):
    """Lines of widgets at the size they like; as high as the width asks for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(theme.SPACING)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    # Qt asks for the item after the last one, and expects nothing.
    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return max((place.bottom() + 1 for place in places), default=0)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        widest = max((item.sizeHint().width() for item in self._items), default=0)
        return QSize(widest, self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, place in zip(self._items, self._places(rect.width()), strict=True):
            item.setGeometry(place.translated(rect.topLeft()))

    def _places(self, width: int) -> list[QRect]:
        places: list[QRect] = []
        corner, line = QPoint(0, 0), 0
        for item in self._items:
            hint = item.sizeHint()
            if item.isEmpty():  # of a widget that is hidden
                places.append(QRect(corner, QSize(0, 0)))
                continue
            if corner.x() and corner.x() + hint.width() > width:
                corner, line = QPoint(0, corner.y() + line + self.spacing()), 0
            places.append(QRect(corner, hint))
            corner += QPoint(hint.width() + self.spacing(), 0)
            line = max(line, hint.height())
        return places


def together(*widgets: QWidget) -> QWidget:
    """Widgets that stay in one line."""
    group = QWidget()
    row = QHBoxLayout(group)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    for widget in widgets:
        row.addWidget(widget)
    return group
