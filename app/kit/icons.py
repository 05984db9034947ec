"""Icons of the window: drawings in one colour, which follow the theme."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from antidiag.app import theme

SIZE = 16
SCALES = (1, 2, 3)
"""Device pixels a pixel for which an icon is drawn, so that it is sharp on every screen."""


@cache
def _made(name: str, text: str, muted: str) -> QIcon:
    made = QIcon()
    for mode, colour in ((QIcon.Mode.Normal, text), (QIcon.Mode.Disabled, muted)):
        for scale in SCALES:
            made.addPixmap(_drawn(name, colour, scale), mode)
    return made


def icon(name: str) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in the colours in use; `dress` keeps it so."""
    return _made(name, theme.active().text, theme.active().muted)


def dress(target: QAction | QAbstractButton, name: str) -> None:
    """Give an action or a button an icon that follows the theme."""
    if isinstance(target, QAbstractButton):
        target.setIconSize(QSize(SIZE, SIZE))
    theme.notifier.changed.connect(_Dresser(target, name).dress)


class _Dresser(QObject):
    """Goes with what it dresses, so that nothing is dressed that is gone."""

    def __init__(self, target: QAction | QAbstractButton, name: str) -> None:
        super().__init__(target)
        self._target, self._name = target, name
        self.dress()

    def dress(self) -> None:
        self._target.setIcon(icon(self._name))


def _drawn(name: str, colour: str, scale: int) -> QPixmap:
    shape = QPixmap(SIZE * scale, SIZE * scale)
    shape.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    painter = QPainter(shape)
    renderer.render(painter, QRectF(0, 0, SIZE * scale, SIZE * scale))
    painter.end()
    shape.setDevicePixelRatio(scale)
    return shape


@cache
def _source(name: str) -> str:
    return (theme.ICONS / f"{name}.svg").read_text(encoding="utf-8")
