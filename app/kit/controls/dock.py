"""Panels at the sides of a workspace; they can be hidden, or float as windows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QToolButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import quiet_button


class SideDock(QDockWidget):
    """A panel with buttons to hide and float it in its heading; it has a title bar only while it floats."""

    def __init__(self, name: str, title: str, inner: QWidget, heading: QHBoxLayout) -> None:
        super().__init__(title)
        self.setObjectName(name)
        self.setWidget(inner)
        self.setAllowedAreas(Qt.DockWidgetArea.LeftDockWidgetArea | Qt.DockWidgetArea.RightDockWidgetArea)
        self._none = QWidget(self)
        self.setTitleBarWidget(self._none)
        self.float_button = _icon_button("float", f"Show {title} in its own window")
        self.hide_button = _icon_button("hide", f"Hide this panel (View > {title})")
        self.float_button.clicked.connect(lambda: self.setFloating(True))
        self.hide_button.clicked.connect(self.hide)
        for button in (self.float_button, self.hide_button):
            heading.addWidget(button)
        self.topLevelChanged.connect(self._switch_title_bar)

    def _switch_title_bar(self, floating: bool) -> None:
        self.setTitleBarWidget(None if floating else self._none)
        for button in (self.float_button, self.hide_button):
            button.setVisible(not floating)


def create_dock_area(middle: QWidget) -> QMainWindow:
    """Create an area for docks around a widget."""
    area = QMainWindow()
    area.setWindowFlags(Qt.WindowType.Widget)
    area.setDockNestingEnabled(True)
    area.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    area.setCentralWidget(middle)
    for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
        area.setCorner(corner, Qt.DockWidgetArea.LeftDockWidgetArea)
    return area


def _icon_button(icon: str, tip: str) -> QToolButton:
    button = quiet_button("", tip)
    set_icon(button, icon)
    button.setFixedSize(2 * theme.MARGIN + 2, 2 * theme.MARGIN + 2)
    return button
