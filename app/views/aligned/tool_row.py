"""One line of tools, at any width: those that have no room are in a menu at its end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app import theme
from app.kit.widgets import menu_button

Put = Callable[[QMenu], object]


class ToolRow(QWidget):
    """Widgets side by side, the most wanted first. Of each that has no room ``put(menu)`` puts what it does into the
    menu; of a button that opens a menu it is that menu."""

    def __init__(self) -> None:
        super().__init__()
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.more = menu_button("More", "Tools that have no room here", self._menu)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.SPACING)
        self._row.addStretch(1)
        self._row.addWidget(self.more)
        self._items: list[tuple[QWidget, Put]] = []

    def add(self, widget: QWidget, put: Put | None = None) -> None:
        """A widget at the end."""
        if put is None and isinstance(widget, QToolButton):
            put = _menu_of(widget)
        self._row.insertWidget(len(self._items), widget)
        self.setTabOrder(widget, self.more)
        self._items.append((widget, put or (lambda menu: None)))

    @property
    def lacking(self) -> list[QWidget]:
        """The widgets that have no room."""
        return [widget for widget, _ in self._items if widget.isHidden()]

    def minimumSizeHint(self) -> QSize:
        return QSize(self._items[0][0].minimumSizeHint().width() if self._items else 0, self.sizeHint().height())

    def sizeHint(self) -> QSize:
        hints = [widget.sizeHint() for widget, _ in self._items]
        width = sum(hint.width() + theme.SPACING for hint in hints)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        widths = [widget.sizeHint().width() + theme.SPACING for widget, _ in self._items]
        room = self.width()
        if sum(widths) > room:
            room -= self.more.sizeHint().width() + 2 * theme.SPACING  # there is one beside the stretch too
        taken, full = 0, False
        for width, (widget, _) in zip(widths, self._items, strict=True):
            full = full or (taken + width > room and taken > 0)
            widget.setVisible(not full)
            taken += width
        self.more.setVisible(full)

    def _fill(self) -> None:
        self._menu.clear()
        for widget, put in self._items:
            if widget.isHidden():
                put(self._menu)


def _menu_of(button: QToolButton) -> Put:
    def put(menu: QMenu) -> None:
        if button.menu() is not None:
            menu.addAction(button.text()).setMenu(button.menu())
        else:
            menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())

    return put
