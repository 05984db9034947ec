"""The commands of a view, read from its buttons, lists and menus, so that a search finds all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QComboBox, QMenu, QPushButton, QRadioButton, QToolButton, QWidget

SHORTEST_TEXT = 3
"""Least letters of a button's text that say what it does; others are named by their tooltip."""
MOST_ENTRIES = 40
"""Entries of a list up to which each is a command."""
MORE = "more"
"""The object name of the button with the tools that have no room, which are found by themselves."""


@dataclass(frozen=True)
class ViewCommand:
    """A command: its text, the menu or list in which it is, its keys, and the function that runs it."""

    text: str
    place: str
    keys: str
    run: Callable[[], object]


def list_view_commands(view: QWidget, fill_menus: bool = True) -> list[ViewCommand]:
    """Return the commands of the buttons, lists and menus of a view that are enabled.

    ``fill_menus`` lets menus that are filled when they open be filled now; only for a view that has its content.
    """
    found: list[ViewCommand] = []
    for widget in view.findChildren(QWidget):
        if not widget.isEnabledTo(view) or not _is_offered(widget, view):
            continue
        if isinstance(widget, QComboBox):
            found += _list_commands(widget)
        elif isinstance(widget, QToolButton | QPushButton) and widget.menu() is not None:
            found += _menu_commands(widget, fill_menus)
        elif isinstance(widget, QAbstractButton) and not isinstance(widget, QRadioButton):
            text = _button_text(widget)
            if text:
                found.append(ViewCommand(text, "", "", partial(_click, widget)))
    return list({(command.text, command.place): command for command in found}.values())


def _is_offered(widget: QWidget, view: QWidget) -> bool:
    """Whether a tool is there for the user: not hidden by the view, and not a part of another tool."""
    inside = isinstance(widget.parent(), QComboBox | QMenu) or widget.objectName() in (MORE, "qt_toolbar_ext_button")
    return not inside and not widget.isHidden() and widget.isVisibleTo(view)


def _button_text(button: QAbstractButton) -> str:
    text = button.text().replace("&", "").strip()
    tip = button.toolTip().split("\n")[0].split(";")[0]
    if len(text) < SHORTEST_TEXT or text.strip("\N{HORIZONTAL ELLIPSIS}").lower() in tip.lower():
        return tip or button.accessibleName()
    return f"{text}: {tip}" if tip else text


def _click(button: QAbstractButton) -> None:
    button.click()


def _list_commands(box: QComboBox) -> Iterator[ViewCommand]:
    name = box.accessibleName() or box.toolTip().split("\n")[0]
    if not name or box.count() > MOST_ENTRIES:
        return
    for index in range(box.count()):
        if box.itemText(index):
            yield ViewCommand(f"{name}: {box.itemText(index)}", "", "", partial(_choose, box, index))


def _choose(box: QComboBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def _menu_commands(button: QToolButton | QPushButton, fill_menus: bool) -> list[ViewCommand]:
    menu, name = button.menu(), button.text().replace("&", "") or button.accessibleName()
    if fill_menus:
        menu.aboutToShow.emit()
    found = _entries(menu, name, (), button, fill_menus)
    if not found:
        found.append(ViewCommand(f"{name}: {button.toolTip()}", "", "", partial(_click, button)))
    return found


def _entries(
    menu: QMenu, place: str, path: tuple[int, ...], button: QToolButton | QPushButton, fill_menus: bool
) -> list[ViewCommand]:
    """Return the commands of a menu and its submenus; a section heading is part of their texts."""
    found: list[ViewCommand] = []
    section = ""
    for number, action in enumerate(menu.actions()):
        inner = cast(QMenu | None, action.menu())
        text, _, keys = action.text().replace("&", "").partition("\t")
        if _is_heading(action):
            section = text
        elif inner is not None and action.isEnabled():
            if fill_menus:
                inner.aboutToShow.emit()
            found += _entries(inner, f"{place} > {text}", (*path, number), button, fill_menus)
        elif text and action.isEnabled() and not action.isSeparator():
            run = partial(_trigger, button, (*path, number), action.text())
            found.append(ViewCommand(f"{section}: {text}" if section else text, place, keys, run))
    return found


def _is_heading(action: QAction) -> bool:
    return not action.isEnabled() and action.font().bold() and action.menu() is None


def _trigger(button: QToolButton | QPushButton, path: tuple[int, ...], text: str) -> None:
    """Trigger an entry of a button's menu, which is filled anew because old entries may be gone."""
    menu = button.menu()
    for depth, number in enumerate(path):
        menu.aboutToShow.emit()
        actions = menu.actions()
        same = [action for action in actions if action.text() == text]
        if depth < len(path) - 1:
            menu = cast(QMenu, actions[number].menu())
        elif number < len(actions) and actions[number].text() == text:
            actions[number].trigger()
        elif same:
            same[0].trigger()
