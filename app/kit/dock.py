"""Panels at the sides of a workspace: they collapse, and float as windows of their own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.icons import dress
from antidiag.app.kit.widgets import quiet_button


class Dock(QDockWidget):
    """A panel that is hidden and floated by the two small buttons in the heading of what it holds.

    In its place it has no bar of its own, which would repeat the heading; while it floats it has the usual one, by
    which it is moved, closed and put back.
    """

    def __init__(self, name: str, title: str, inner: QWidget, heading: QHBoxLayout) -> None:
        super().__init__(title)
        self.setObjectName(name)
        self.setWidget(inner)
        self.setAllowedAreas(Qt.DockWidgetArea.LeftDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea)
        self._none = QWidget(self)
        self.setTitleBarWidget(self._none)
        self.float_button = _button("float", f"{title} in a window of its own")
        self.hide_button = _button("hide", f"Hide this panel (View > {title})")
        self.float_button.clicked.connect(lambda: self.setFloating(True))
        self.hide_button.clicked.connect(self.hide)
        for button in (self.float_button, self.hide_button):
            heading.addWidget(button)
        self.topLevelChanged.connect(self._take_bar)

    def _take_bar(self, floating: bool) -> None:
        self.setTitleBarWidget(None if floating else self._none)
        for button in (self.float_button, self.hide_button):
            button.setVisible(not floating)


def dock_area(middle: QWidget) -> QMainWindow:
    """A place for docks around a widget."""
    area = QMainWindow()
    area.setWindowFlags(Qt.WindowType.Widget)
    area.setDockNestingEnabled(True)
    area.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    area.setCentralWidget(middle)
    for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
        area.setCorner(corner, Qt.DockWidgetArea.LeftDockWidgetArea)
    return area


def _button(icon: str, tip: str) -> QToolButton:
    button = quiet_button("", tip)
    button.setAccessibleName(tip)
    dress(button, icon)
    button.setFixedSize(2 * theme.MARGIN + 2, 2 * theme.MARGIN + 2)
    return button
