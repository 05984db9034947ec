"""What a user has set in a view: kept for each result and each datum, also in a session file.

A view declares the parts of its state once, with a function that reads a part and one that restores it. The window
collects the state when another result is shown or the session is saved, and restores it when the result comes back.
States are plain values: numbers, texts, truth values, None, and lists and dictionaries of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QComboBox, QMenu, QSpinBox

from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.controls.widgets import check_choice
from antidiag.kernels.errors import AntidiagError

UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AntidiagError)
"""What restoring raises for a state of another form, such as one of a damaged session."""
Read = Callable[[], Any]
Write = Callable[[Any], object]


class StatePart(NamedTuple):
    """How a part is read and restored; a ``place`` can be restored only when the content is there."""

    read: Read
    write: Write
    is_place: bool


class ViewState:
    """The state of one view; ``is_ready()`` says whether the content is there, else `resume` is called later."""

    def __init__(self, is_ready: Callable[[], bool] = lambda: True) -> None:
        self._is_ready = is_ready
        self._parts: dict[str, StatePart] = {}
        self._waiting: dict[str, Any] = {}

    def keep(self, name: str, read: Read, write: Write) -> None:
        """Declare a setting of the view, such as a colour map; it can be restored at any time."""
        self._parts[name] = StatePart(read, write, False)

    def keep_place(self, name: str, read: Read, write: Write) -> None:
        """Declare a place in the content, such as the visible part or a selection."""
        self._parts[name] = StatePart(read, write, True)

    def keep_attribute(self, name: str, owner: Any, write: Write, menu: QMenu | None = None) -> None:
        """Declare a setting that is an attribute; in ``menu`` it is the entry that is checked."""

        def restore(value: Any) -> None:
            write(value)
            if menu is not None:
                check_choice(menu, value)

        self.keep(name, lambda: getattr(owner, name), restore)

    def keep_check(self, name: str, control: QAction | QAbstractButton) -> None:
        """Declare a menu entry or a button that is on or off."""
        self.keep(name, control.isChecked, lambda on: control.setChecked(bool(on)))

    def keep_choice(self, name: str, box: QComboBox, place: bool = False) -> None:
        """Declare the chosen entry of a list, which depends on the content if it is a ``place``."""

        def choose(number: Any) -> None:
            if 0 <= number < box.count():
                box.setCurrentIndex(number)

        (self.keep_place if place else self.keep)(name, box.currentIndex, choose)

    def keep_number(self, name: str, box: QSpinBox) -> None:
        """Declare a number field."""
        self.keep(name, box.value, box.setValue)

    def keep_player(self, player: Player) -> None:
        """Declare the position and the speed of a player."""
        self.keep_choice("speed", player.speed_box)
        self.keep_place("position", lambda: player.position, player.go_to)

    def keep_scrolling(self, area: QAbstractScrollArea) -> None:
        """Declare how far an area is scrolled."""
        bars = area.horizontalScrollBar(), area.verticalScrollBar()

        def scroll(values: Any) -> None:
            places = [int(value) for value in values]

            def move_bars() -> None:
                for bar, place in zip(bars, places, strict=False):
                    bar.setValue(place)

            QTimer.singleShot(0, area, move_bars)  # when the content is laid out, which gives the bars their ranges

        self.keep_place("scrolled", lambda: [bar.value() for bar in bars], scroll)

    def collect(self) -> dict[str, Any]:
        """Return the state; parts that still wait for their content are returned as they were stored."""
        places = [name for name, part in self._parts.items() if part.is_place] if self._is_ready() else []
        return {**self.collect_settings(), **self._read_parts(places), **self._waiting}

    def collect_settings(self) -> dict[str, Any]:
        """Return the settings without places: what the user also wants for results that are shown later."""
        return self._read_parts(name for name, part in self._parts.items() if not part.is_place)

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore a state: the settings now, places when the content is there. Parts that do not fit are left out."""
        self._waiting = {}
        self._write({name: saved[name] for name, part in self._parts.items() if not part.is_place and name in saved})
        self._waiting = {name: saved[name] for name, part in self._parts.items() if part.is_place and name in saved}
        self.resume()

    def resume(self) -> None:
        """Restore what waits for the content, if this is there now."""
        if self._waiting and self._is_ready():
            waiting, self._waiting = self._waiting, {}
            self._write(waiting)

    def forget(self) -> None:
        """Restore nothing that still waits, because another result is shown."""
        self._waiting = {}

    def _read_parts(self, names: Iterable[str]) -> dict[str, Any]:
        """Return these parts as they are, but those that are no plain values."""
        return {name: value for name in names if is_plain(value := self._parts[name].read())}

    def _write(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            try:
                self._parts[name].write(value)
            except UNFIT:  # a state of another version, or a damaged one: the part stays as it is
                continue


def is_plain(value: Any) -> bool:
    """Return whether a value can be written to a session: JSON without infinite numbers."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(name, str) and is_plain(part) for name, part in value.items())
    return value is None or isinstance(value, (bool, int, str))


def list_box(box: QRectF) -> list[float]:
    """Return left, top, width and height of a rectangle."""
    return [box.x(), box.y(), box.width(), box.height()]
