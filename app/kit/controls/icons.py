"""Icons of the window: drawings in one colour that follow the theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from antidiag.app import theme

SIZE = 16
SCALES = (1, 2, 3)  # device pixels per pixel for which icons are rendered


@cache
def _create_icon(name: str, text: str, muted: str) -> QIcon:
    made = QIcon()
    for mode, colour in ((QIcon.Mode.Normal, text), (QIcon.Mode.Disabled, muted)):
        for scale in SCALES:
            made.addPixmap(_render_icon(name, colour, scale), mode)
    return made


def current_icon(name: str) -> QIcon:
    """Return the icon ``resources/icons/<name>.svg`` in the colours of the theme; `set_icon` keeps them current."""
    return _create_icon(name, theme.active().text, theme.active().muted)


def set_icon(target: QAction | QAbstractButton, name: str) -> None:
    """Give an action or a button an icon that follows the theme."""
    if isinstance(target, QAbstractButton):
        target.setIconSize(QSize(SIZE, SIZE))
    theme.notifier.changed.connect(_IconUpdater(target, name).update_icon)


class _IconUpdater(QObject):
    """Updates an icon; deleted with its owner."""

    def __init__(self, target: QAction | QAbstractButton, name: str) -> None:
        super().__init__(target)
        self._target, self._name = target, name
        self.update_icon()

    def update_icon(self) -> None:
        self._target.setIcon(current_icon(self._name))


def _render_icon(name: str, colour: str, scale: int) -> QPixmap:
    shape = QPixmap(SIZE * scale, SIZE * scale)
    shape.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(_read_svg(name).replace("currentColor", colour).encode()))
    painter = QPainter(shape)
    renderer.render(painter, QRectF(0, 0, SIZE * scale, SIZE * scale))
    painter.end()
    shape.setDevicePixelRatio(scale)
    return shape


@cache
def _read_svg(name: str) -> str:
    return (theme.ICONS / f"{name}.svg").read_text(encoding="utf-8")
