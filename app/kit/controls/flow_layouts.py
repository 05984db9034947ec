"""Layouts of widgets side by side; without room, widgets go to the next line or into a menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.icons import set_icon

GO_TO_WIDTH, ITS_FRAME = 118, 28  # least pixels of a box "Go to", and those around its text


def go_to_width(box: QLineEdit) -> int:
    """Return the width of a "Go to" box that shows its placeholder in full."""
    return max(GO_TO_WIDTH, box.fontMetrics().horizontalAdvance(box.placeholderText()) + ITS_FRAME)


class _ItemLayout(QLayout):
    """A layout that keeps its items in a list, and prefers all of them in one line."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(theme.SPACING)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None  # Qt also asks for the one after the last

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        return self._line_size([item for item in self._items if not item.isEmpty()])

    def _line_size(self, items: list[QLayoutItem]) -> QSize:
        hints = [item.sizeHint() for item in items]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))


class FlowLayout(_ItemLayout):
    """Lines of widgets at their preferred size; as high as the width demands."""

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._item_boxes(width)
        return max((place.bottom() + 1 for place in places), default=0)

    def minimumSize(self) -> QSize:
        widest = max((item.sizeHint().width() for item in self._items), default=0)
        return QSize(widest, self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, place in zip(self._items, self._item_boxes(rect.width()), strict=True):
            item.setGeometry(place.translated(rect.topLeft()))

    def _item_boxes(self, width: int) -> list[QRect]:
        """Return the boxes of all items, centred in their lines."""
        places: list[QRect] = []
        lines: list[list[QRect]] = [[]]
        corner = QPoint(0, 0)
        for item in self._items:
            hint = item.sizeHint()
            if item.isEmpty():  # a hidden widget
                places.append(QRect(corner, QSize(0, 0)))
                continue
            if corner.x() and corner.x() + hint.width() > width:
                corner = QPoint(0, corner.y() + _line_height(lines[-1]) + self.spacing())
                lines.append([])
            places.append(QRect(corner, hint))
            lines[-1].append(places[-1])
            corner += QPoint(hint.width() + self.spacing(), 0)
        for line in lines:
            for place in line:
                place.translate(0, (_line_height(line) - place.height()) // 2)
        return places


def _line_height(line: list[QRect]) -> int:
    return max((place.height() for place in line), default=0)


class ToolRow(_ItemLayout):
    """One line of tools; buttons and lists without room are in the menu at its end. Input boxes and sliders always stay
    in the line, because a menu cannot hold them; ``essential`` tools stay until no other can leave it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.essential: tuple[QWidget, ...] = ()
        self.setSpacing(theme.SPACING // 2)
        self._policies: dict[QWidget, Qt.FocusPolicy] = {}
        self.more = QToolButton(parent)
        self.more.setToolTip("More tools")
        self.more.setAccessibleName("More tools")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setObjectName("more")
        set_icon(self.more, "more")
        self.menu = QMenu(self.more)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.more.setMenu(self.menu)
        self.more.hide()

    def minimumSize(self) -> QSize:
        least = self._line_size([item for item in self._items if not item.isEmpty() and not _fits_menu(item.widget())])
        return QSize(least.width() + self.spacing() + self.more.sizeHint().width(), self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        shown = [item for item in self._items if not item.isEmpty()]
        left_out = self._overflowing_items(shown, rect.width())
        along = rect.left()
        for item in shown:
            hint = item.sizeHint()
            out = item in left_out
            # An empty box instead of hide(): the view decides which tools are visible.
            item.setGeometry(QRect() if out else QRect(QPoint(along, rect.top()), QSize(hint.width(), rect.height())))
            self._set_focusable(item.widget(), out)
            along += 0 if out else hint.width() + self.spacing()
        self.more.setVisible(bool(left_out))
        self.more.setGeometry(QRect(along, rect.top(), self.more.sizeHint().width(), rect.height()))

    def overflowing_tools(self) -> list[QWidget]:
        """Return the tools that are in the menu."""
        shown = [item for item in self._items if not item.isEmpty()]
        return [item.widget() for item in self._overflowing_items(shown, self.geometry().width())]

    def _overflowing_items(self, shown: list[QLayoutItem], width: int) -> list[QLayoutItem]:
        """Return the items that do not fit and that a menu can hold: the last ones first, essential ones at the end."""
        found: list[QLayoutItem] = []
        room = width
        essential_first = sorted(shown, key=lambda item: item.widget() not in self.essential)
        for item in reversed(essential_first):
            if self._line_size([kept for kept in shown if kept not in found]).width() <= room:
                break
            if _fits_menu(item.widget()):
                found.append(item)
                room = width - self.more.sizeHint().width() - self.spacing()
        return [item for item in shown if item in found]

    def _set_focusable(self, widget: QWidget, out: bool) -> None:
        """Let the Tab key skip tools that are not visible."""
        for one in (widget, *widget.findChildren(QWidget)):
            if out and one not in self._policies:
                self._policies[one] = one.focusPolicy()
                one.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            elif not out and one in self._policies:
                one.setFocusPolicy(self._policies.pop(one))

    def _fill_menu(self) -> None:
        self.menu.clear()
        for widget in self.overflowing_tools():
            single = isinstance(widget, QAbstractButton | QComboBox)
            for one in [widget] if single else widget.findChildren(QAbstractButton):
                _add_menu_entry(self.menu, one)


def _fits_menu(widget: QWidget) -> bool:
    """Whether a menu can stand for this tool: a button, a list, or a group of buttons."""
    if isinstance(widget, QAbstractButton | QComboBox):
        return True
    return type(widget) is QWidget and bool(widget.findChildren(QAbstractButton))


def _add_menu_entry(menu: QMenu, widget: QWidget) -> None:
    """Add an entry that acts like a button, or the entries of a list."""
    if isinstance(widget, QComboBox):
        inner = menu.addMenu(widget.toolTip() or widget.accessibleName())
        for index in range(widget.count()):
            action = inner.addAction(widget.itemText(index), partial(_choose_item, widget, index))
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


def _choose_item(box: QComboBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def group_widgets(*widgets: QWidget, spacing: int = 0) -> QWidget:
    """Return a widget that keeps others in one line."""
    group = QWidget()
    row_of(*widgets, parent=group, spacing=spacing)
    return group
