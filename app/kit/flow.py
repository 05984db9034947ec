"""Layouts of widgets side by side: one goes on in the next line where there is no room, one in a menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.icons import dress

WHERE_WIDTH, ITS_FRAME = 118, 28
"""Pixels of the box that says where to go, at least, and of what is around its words."""


def where_width(box: QLineEdit) -> int:
    """Pixels of a box that says where to go, with room for what it asks for in its own font."""
    return max(WHERE_WIDTH, box.fontMetrics().horizontalAdvance(box.placeholderText()) + ITS_FRAME)


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
        """Where the items are, those of a line in its middle."""
        places: list[QRect] = []
        lines: list[list[QRect]] = [[]]
        corner = QPoint(0, 0)
        for item in self._items:
            hint = item.sizeHint()
            if item.isEmpty():  # of a widget that is hidden
                places.append(QRect(corner, QSize(0, 0)))
                continue
            if corner.x() and corner.x() + hint.width() > width:
                corner = QPoint(0, corner.y() + _height(lines[-1]) + self.spacing())
                lines.append([])
            places.append(QRect(corner, hint))
            lines[-1].append(places[-1])
            corner += QPoint(hint.width() + self.spacing(), 0)
        for line in lines:
            for place in line:
                place.translate(0, (_height(line) - place.height()) // 2)
        return places


def _height(line: list[QRect]) -> int:
    return max((place.height() for place in line), default=0)


class ToolRow(QLayout):
    """One line of tools at the size they like; buttons and lists that have no room are in the menu at its end.

    Boxes to type in and sliders stay in the line, as a menu has no place for them.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._policies: dict[QWidget, Qt.FocusPolicy] = {}
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(theme.SPACING)
        self.more = QToolButton(parent)
        self.more.setToolTip("More tools")
        self.more.setAccessibleName("More tools")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setObjectName("more")
        dress(self.more, "more")
        self.menu = QMenu(self.more)
        self.menu.aboutToShow.connect(self._fill)
        self.more.setMenu(self.menu)
        self.more.hide()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        return self._size([item for item in self._items if not item.isEmpty()])

    def minimumSize(self) -> QSize:
        least = self._size([item for item in self._items if not item.isEmpty() and not _can_leave(item.widget())])
        return QSize(least.width() + self.spacing() + self.more.sizeHint().width(), self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        shown = [item for item in self._items if not item.isEmpty()]
        left_out = self._left_out(shown, rect.width())
        along = rect.left()
        for item in shown:
            hint = item.sizeHint()
            out = item in left_out
            # Not hidden: whether a tool is there at all is for the view to say.
            item.setGeometry(QRect() if out else QRect(QPoint(along, rect.top()), QSize(hint.width(), rect.height())))
            self._keep_from_focus(item.widget(), out)
            along += 0 if out else hint.width() + self.spacing()
        self.more.setVisible(bool(left_out))
        self.more.setGeometry(QRect(along, rect.top(), self.more.sizeHint().width(), rect.height()))

    def left_out(self) -> list[QWidget]:
        """The tools that are in the menu."""
        shown = [item for item in self._items if not item.isEmpty()]
        return [item.widget() for item in self._left_out(shown, self.geometry().width())]

    def _left_out(self, shown: list[QLayoutItem], width: int) -> list[QLayoutItem]:
        """The last ones that a menu can hold, as many as must go."""
        found: list[QLayoutItem] = []
        room = width
        for item in reversed(shown):
            if self._size([kept for kept in shown if kept not in found]).width() <= room:
                break
            if _can_leave(item.widget()):
                found.append(item)
                room = width - self.more.sizeHint().width() - self.spacing()
        return found[::-1]

    def _size(self, items: list[QLayoutItem]) -> QSize:
        hints = [item.sizeHint() for item in items]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def _keep_from_focus(self, widget: QWidget, out: bool) -> None:
        """Tab must not reach what is not seen."""
        for one in (widget, *widget.findChildren(QWidget)):
            if out and one not in self._policies:
                self._policies[one] = one.focusPolicy()
                one.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            elif not out and one in self._policies:
                one.setFocusPolicy(self._policies.pop(one))

    def _fill(self) -> None:
        self.menu.clear()
        for widget in self.left_out():
            group = (
                [widget] if isinstance(widget, QAbstractButton | QComboBox) else widget.findChildren(QAbstractButton)
            )
            for one in group:
                _list(self.menu, one)


def _can_leave(widget: QWidget) -> bool:
    """Whether a menu can stand for this tool: for a button, a list, or a group of buttons."""
    if isinstance(widget, QAbstractButton | QComboBox):
        return True
    return type(widget) is QWidget and bool(widget.findChildren(QAbstractButton))


def _list(menu: QMenu, widget: QWidget) -> None:
    """An entry that does what a button does, or the entries of a list."""
    if isinstance(widget, QComboBox):
        inner = menu.addMenu(widget.toolTip() or widget.accessibleName())
        for index in range(widget.count()):
            action = inner.addAction(widget.itemText(index), partial(_take, widget, index))
            action.setCheckable(True)
            action.setChecked(index == widget.currentIndex())
    elif isinstance(widget, QToolButton | QPushButton):
        text = widget.text() if len(widget.text()) > 2 else widget.toolTip()
        action = menu.addAction(text, widget.click)
        action.setEnabled(widget.isEnabled())
        action.setCheckable(widget.isCheckable())
        action.setChecked(widget.isChecked())
        if widget.menu():
            action.setMenu(widget.menu())


def _take(box: QComboBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def together(*widgets: QWidget, spacing: int = 0) -> QWidget:
    """Widgets that stay in one line."""
    group = QWidget()
    row = QHBoxLayout(group)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(spacing)
    for widget in widgets:
        row.addWidget(widget)
    return group
