"""What tests of Tune ask of it."""

from __future__ import annotations

from typing import Any


def finish(qtbot: Any, tune: Any) -> None:
    qtbot.waitUntil(lambda: not tune.active_measurements)


def listed(tune: Any) -> list[Any]:
    """What the menu of earlier sweeps offers."""
    tune.history_menu.aboutToShow.emit()
    return [action for action in tune.history_menu.actions() if not action.isSeparator()]


def on_show(tune: Any, *names: str) -> list[tuple[Any, ...]]:
    """The places of the points on show."""
    return [tuple(point.coordinates.get(name) for name in names) for point in tune.points.points]
