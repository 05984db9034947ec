"""A window is put together without its style sheet, and what the sheet draws is fine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QListWidget,
    QMenu,
    QRadioButton,
    QScrollArea,
    QTextBrowser,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import add_check_action
from antidiag.app.window import Window


@theme.unstyled()
def fails() -> None:
    assert not QApplication.instance().styleSheet()
    raise ValueError("what is put together is wrong")


def test_what_was_undressed_is_dressed_again_whatever_happens(window: Window) -> None:
    sheet = QApplication.instance().styleSheet()
    assert sheet == theme.style_sheet(theme.active())
    with pytest.raises(ValueError, match="put together"):
        fails()
    assert QApplication.instance().styleSheet() == sheet


def test_ticks_of_menus_are_as_fine_as_the_screen(window: Window) -> None:
    menu = QMenu(window)
    add_check_action(menu, "On", True, lambda on: None)
    menu.adjustSize()
    picture = QImage(menu.size() * 2, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(2)
    menu.render(picture)
    box = menu.actionGeometry(menu.actions()[0])
    across, down = range(2 * box.left() + 4, 2 * box.left() + 44), range(2 * box.top() + 4, 2 * box.bottom() - 4)
    cells = np.array([[picture.pixel(x, y) for x in across] for y in down])
    assert (cells != cells[0, 0]).any(), "a tick"
    for top, left in np.ndindex(2, 2):  # wherever pixels of twice the size may begin
        part = cells[top:, left:]
        blocks = part[: len(part) // 2 * 2, : part.shape[1] // 2 * 2].reshape(len(part) // 2, 2, -1, 2)
        assert (blocks != blocks[:, :1, :, :1]).any()


DRESSED: dict[str, Callable[[QWidget], QWidget]] = {
    "box": lambda window: QCheckBox("many words", window),
    "button": lambda window: QRadioButton("many words", window),
    "page": lambda window: QTextBrowser(window, html="many words"),
    "list": lambda window: listed(QListWidget(window)),
}


def listed(made: QListWidget) -> QListWidget:
    made.addItem("many words")
    return made


@pytest.mark.parametrize("kind", DRESSED)
def test_what_is_disabled_looks_so(window: Window, kind: str) -> None:
    made = DRESSED[kind](window)
    made.resize(120, 40)
    made.show()
    active = theme.active()
    for enabled, colour, other in ((True, active.text, active.muted), (False, active.muted, active.text)):
        made.setEnabled(enabled)
        picture = made.grab().toImage()
        right_of_its_mark = range(30, picture.width() - 15)
        found = {picture.pixelColor(x, y).name() for x in right_of_its_mark for y in range(picture.height())}
        assert colour in found and other not in found


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_radio_buttons_are_seen_whether_chosen_or_not(window: Window, colours: str) -> None:
    theme.switch(colours)
    made = QRadioButton("", window)
    made.resize(30, 30)
    made.show()
    active, seen = theme.active(), []
    for chosen in (False, True):
        made.setChecked(chosen)
        picture = made.grab().toImage()
        seen.append([picture.pixelColor(x, y) for x in range(20) for y in range(30)])
    around = seen[0][0].lightness()
    ring = max(abs(colour.lightness() - around) for colour in seen[0])
    assert ring > 0.6 * abs(QColor(active.muted).lightness() - around)
    accent = QColor(active.accent)
    assert accent not in seen[0] and accent in seen[1]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_corner_between_scroll_bars_looks_like_what_is_around_it(window: Window, colours: str) -> None:
    theme.switch(colours)
    area, inner = QScrollArea(window), QWidget()
    inner.setObjectName("scrolled")
    inner.setFixedSize(200, 200)
    area.setWidget(inner)
    area.resize(80, 80)
    area.show()
    picture = area.grab().toImage()
    first = area.viewport().geometry().bottomRight()
    found = {picture.pixel(x, y) for x in range(first.x() + 1, 80) for y in range(first.y() + 1, 80)}
    assert first.x() < 79 and first.y() < 79 and len(found) == 1
