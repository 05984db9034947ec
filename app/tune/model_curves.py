"""Curves of the papers' models, computed on a thread of their own and kept."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.kit.background import Latest
from antidiag.kernels import registry
from antidiag.kernels.experiments import models
from antidiag.kernels.experiments.sweep import Task
from antidiag.kernels.monitor import Monitor

Curves = Mapping[str, Sequence[tuple[float, float]]]
"""Places on an axis and values there, for every model that grows with the time, by its label."""


class ModelCurves(QObject):
    """What the models say of a task over one of its parameters; ``ready`` when more of it is there."""

    ready = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._kept: dict[Hashable, Curves] = {}
        self._wanted: dict[Hashable, tuple[Task, str, tuple[float, ...]]] = {}
        self._asked: tuple[Hashable, ...] = ()
        self._thread = Latest(self)
        self._thread.finished.connect(self._keep)
        # Without curves, and not asked for again: what failed would fail at every redraw.
        self._thread.failed.connect(lambda error: self._keep(_without_curves(self._asked)))
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)

    def curves(self, key: Hashable, task: Task, name: str, over: Sequence[float]) -> Curves:
        """The curves where they are known; nothing yet, and ``ready`` later, where they are not."""
        wanted = key, name, tuple(over)
        if wanted not in self._kept:
            self._wanted[wanted] = task, name, tuple(over)
            if not self._thread.busy:
                self._soon.start()
        return self._kept.get(wanted, {})

    def _ask(self) -> None:
        asked, self._wanted = self._wanted, {}
        self._asked = tuple(asked)
        if asked:
            self._thread.request(lambda monitor: _all_curves(asked, monitor))

    def _keep(self, found: Mapping[Hashable, Curves]) -> None:
        self._kept.update(found)
        self._wanted = {key: value for key, value in self._wanted.items() if key not in self._kept}
        if self._wanted:
            self._soon.start()
        self.ready.emit()


def _all_curves(
    asked: Mapping[Hashable, tuple[Task, str, tuple[float, ...]]], monitor: Monitor
) -> dict[Hashable, Curves]:
    found: dict[Hashable, Curves] = {}
    for key, (task, name, over) in asked.items():
        monitor.check()
        growing = [model for model in registry.method(task.contender).models if model.grows_with_time]
        found[key] = {model.label: models.curve(model, task, name, over) for model in growing}
    return found


def _without_curves(keys: Sequence[Hashable]) -> dict[Hashable, Curves]:
    return {key: {} for key in keys}
