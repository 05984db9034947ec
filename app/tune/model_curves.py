"""Curves of the papers' cost models, computed on a thread and kept."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels import registry
from antidiag.kernels.experiments.point_data import model_values
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.monitor import Monitor

ModelCurvePoints = Mapping[str, Sequence[tuple[float, float]]]
"""Places on an axis and values there, by the label of each model that grows with time."""


class ModelCurves(QObject):
    """Predictions of the models of a task over one parameter. ``ready``: more curves are known."""

    ready = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._known_curves: dict[Hashable, ModelCurvePoints] = {}
        self._requested: dict[Hashable, tuple[MeasurementTask, str, tuple[float, ...]]] = {}
        self._keys_in_work: tuple[Hashable, ...] = ()
        self._thread = LatestTask(self, self._keep_curves, self._keep_failure)
        self._start_timer = QTimer(self, singleShot=True, interval=0)
        self._start_timer.timeout.connect(self._start_thread)

    def request_curves(
        self, key: Hashable, task: MeasurementTask, name: str, places: Sequence[float]
    ) -> ModelCurvePoints:
        """Return the curves if they are known; else compute them on a thread and emit ``ready`` later."""
        wanted = key, name, tuple(places)
        if wanted not in self._known_curves:
            self._requested[wanted] = task, name, tuple(places)
            if not self._thread.busy:
                self._start_timer.start()
        return self._known_curves.get(wanted, {})

    def _start_thread(self) -> None:
        asked, self._requested = self._requested, {}
        self._keys_in_work = tuple(asked)
        if asked:
            self._thread.request(lambda monitor: compute_curves(asked, monitor))

    def _keep_failure(self) -> None:
        """Keep the failed requests as empty, because they would fail again at every redraw."""
        self._keep_curves({key: {} for key in self._keys_in_work})

    def _keep_curves(self, found: Mapping[Hashable, ModelCurvePoints]) -> None:
        self._known_curves.update(found)
        self._requested = {key: value for key, value in self._requested.items() if key not in self._known_curves}
        if self._requested:
            self._start_timer.start()
        self.ready.emit()


def compute_curves(
    asked: Mapping[Hashable, tuple[MeasurementTask, str, tuple[float, ...]]], monitor: Monitor
) -> dict[Hashable, ModelCurvePoints]:
    """Compute the curves of the cost models of each requested point series."""
    found: dict[Hashable, ModelCurvePoints] = {}
    for key, (task, name, over) in asked.items():
        monitor.check()
        growing = [model for model in registry.find_method(task.contender).cost.cost_models if model.grows_with_time]
        found[key] = {model.label: model_values.model_curve(model, task, name, over) for model in growing}
    return found
