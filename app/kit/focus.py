"""The keyboard focus: search fields, the main part of a view, and areas of the window that F6 walks through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QTabBar,
    QWidget,
)

from antidiag.app import theme

SEARCH_FIELD = "search_field"
"""The property of the line of a view or panel that Ctrl+F goes to."""
TOOLS = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QTabBar)
"""Widgets that are tools beside the main part of a view."""
Focus = Qt.FocusReason


def mark_search_field(line: QLineEdit) -> QLineEdit:
    """Make a line the one that Ctrl+F goes to in its view or panel, and return it."""
    line.setProperty(SEARCH_FIELD, True)
    return line


def find_search_field(area: QWidget) -> QLineEdit | None:
    """Return the search field of a view or panel that can be typed into now; None if it has none."""
    fields = (line for line in area.findChildren(QLineEdit) if line.property(SEARCH_FIELD))
    return next((line for line in fields if line.isVisible() and line.isEnabled()), None)


def main_widget(area: QWidget) -> QWidget | None:
    """Return what keys are meant for in a view: the largest visible widget that takes the focus and is no tool."""
    found = [area, *area.findChildren(QWidget)]
    able = [widget for widget in found if _takes_focus(widget) and not isinstance(widget, TOOLS)]
    return max(able, key=lambda widget: widget.width() * widget.height(), default=None) or first_widget(area)


def first_widget(area: QWidget) -> QWidget | None:
    """Return the first widget of an area that Tab reaches; None if there is none."""
    widget = area
    for _ in range(len(area.findChildren(QWidget)) + 1):
        if _takes_focus(widget):
            return widget
        widget = widget.nextInFocusChain()
        if not (widget is area or area.isAncestorOf(widget)):
            break
    return next((widget for widget in area.findChildren(QWidget) if _takes_focus(widget)), None)


def focus_view(area: QWidget) -> bool:
    """Give the focus to the main part of a view; return whether there is one."""
    target = main_widget(area)
    if target is not None:
        target.setFocus(Focus.OtherFocusReason)
    return target is not None


class WheelGuard(QObject):
    """Keeps the wheel from changing boxes without the focus: it scrolls the panel that they are in."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def guard_from_wheel(panel: QWidget) -> None:
    """Let the wheel change the number fields and lists of a panel only while they have the focus."""
    guard = WheelGuard(panel)
    for kind in (QAbstractSpinBox, QComboBox):
        for box in panel.findChildren(kind):
            if box.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.installEventFilter(guard)


def _takes_focus(widget: QWidget) -> bool:
    tabbed = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tabbed and widget.isVisible() and widget.isEnabled() and not widget.focusProxy()


class FocusFrame(QWidget):
    """A line around the area that the keys are meant for, until the focus leaves it or the area changes its size."""

    LINE = 2
    """Pixels of the line."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area.window())
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(QRect(area.mapTo(area.window(), QPoint(0, 0)), area.size()))
        self.raise_()
        self.show()
        area.installEventFilter(self)
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._on_focus)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.active().accent), self.LINE))
        half = self.LINE / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), theme.RADIUS, theme.RADIUS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Hide):
            self._remove_frame()
        return False

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        if now is None or not (now is self._area or self._area.isAncestorOf(now)):
            self._remove_frame()

    def _remove_frame(self) -> None:
        self.hide()
        self.deleteLater()


class FocusAreas(QObject):
    """Walks through areas of a window, and returns in each to the widget that had the focus there last."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._last: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()

    def step(self, areas: Sequence[QWidget], by: int) -> QWidget | None:
        """Go to the next area (1) or the previous one (-1) that can take the focus; return the area."""
        here = QApplication.focusWidget()
        inside = [at for at, area in enumerate(areas) if here is not None and (area is here or area.isAncestorOf(here))]
        at = inside[-1] if inside else (-1 if by > 0 else len(areas))
        if inside and here is not None:
            self._last[areas[at]] = here
        for distance in range(1, len(areas) + 1):
            area = areas[(at + by * distance) % len(areas)]
            last = self._last.get(area)
            known = last is not None and area.isAncestorOf(last) and _takes_focus(last)
            target = last if known else main_widget(area)
            if target is not None and target.isVisible():
                target.setFocus(Focus.TabFocusReason if by > 0 else Focus.BacktabFocusReason)
                FocusFrame(area)
                return area
        return None
