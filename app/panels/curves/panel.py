"""The panel that plots the cost of a run against one parameter while the user sets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from antidiag.app import texts
from antidiag.app.jobs.planning import PlanAnswer
from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.controls.widgets import Card, ElidedComboBox, ElidedLabel, quiet_button
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.panels.curves.plot import CurvePlot
from antidiag.app.panels.curves.scales import format_percent
from antidiag.kernels.experiments import cost_curve
from antidiag.kernels.experiments.cost_curve import CostCurve, CostPoint
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.parameters import Parameter

CLOSED, OPEN = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"
DRAG_MS = 40
"""Milliseconds between two values that a drag sets in the form."""
NO_PLAN = "No run can be planned with these settings."
HINT = (
    "Memory, recomputed cells and expected time for each value of this parameter. "
    "Click or drag to set a value; arrow keys step, Page Up and Page Down double and halve."
)


class CurvePanel(Card):
    """Plots the cost against the parameter that has the focus; a click in the plot sets its value in the form.

    ``folded(closed)`` is sent when the user opens or closes the panel.
    """

    folded = Signal(bool)

    def __init__(self, form: ParameterForm, closed: bool = False) -> None:
        super().__init__("Cost against")
        self._form, self._closed = form, closed
        self._answer: PlanAnswer | None = None
        self._made_for: Any = None
        self._data: Sequence[Any] = ()
        self._wanted = ""
        self.chooser, self.plot, self.readout = ElidedComboBox(), CurvePlot(), ElidedLabel()
        self.chooser.setAccessibleName("Parameter of the curves")
        self.chooser.setToolTip("The parameter on the axis; it follows the field that you edit")
        self.chooser.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.fold = quiet_button(OPEN, "Show or hide the curves")
        self.header.setStretch(1, 0)
        self.header.addWidget(self.chooser, 1)
        self.header.addWidget(self.fold)
        self.box.addWidget(self.readout)
        self.box.addWidget(self.plot)
        self._curves = LatestTask(self, self._take_curve, self._show_failure)
        self._drag = QTimer(self, singleShot=True, interval=DRAG_MS)
        self._drag.timeout.connect(self._set_picked)
        self._picked: int | None = None
        self.fold.clicked.connect(lambda: self.set_closed(not self._closed, tell=True))
        self.chooser.activated.connect(lambda: self._choose_parameter(self.chooser.currentData()))
        self.plot.picked.connect(self._on_pick)
        self.plot.pointed.connect(self._point_at)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)
        self.set_closed(closed)
        self.hide()

    @property
    def busy(self) -> bool:
        """Whether the curve of the current settings is still being computed."""
        return self._curves.busy

    @property
    def parameter(self) -> Parameter | None:
        """The parameter on the axis."""
        plan = self._answer.plan if self._answer else None
        names = {p.name: p for p in cost_curve.curve_parameters(plan)} if plan else {}
        return names.get(self._wanted) or next(iter(names.values()), None)

    def set_closed(self, closed: bool, tell: bool = False) -> None:
        """Hide the curves, or show them; ``tell`` sends ``folded``."""
        self._closed = closed
        self.fold.setText(CLOSED if closed else OPEN)
        self.fold.setAccessibleName("Show the curves" if closed else "Hide the curves")
        for widget in (self.readout, self.plot):
            widget.setVisible(not closed)
        if tell:
            self.folded.emit(closed)
        if not closed:
            self._update_curve()

    def show_answer(self, found: PlanAnswer | None) -> None:
        """Show the cost of the current settings; without a plan, the last curves stay, but pale."""
        self._answer = found
        if found is None or found.plan is None:
            self._curves.cancel()
            self.setVisible(self.plot.curve is not None)
            self.plot.show_waiting(True)
            self.readout.setText(texts.as_sentence(found.refusal) if found else NO_PLAN)
            return
        shown = cost_curve.curve_parameters(found.plan)
        self.setVisible(bool(shown))
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for parameter in shown:
            self.chooser.addItem(parameter.label, parameter.name)
        if self.parameter:
            self.chooser.setCurrentIndex(self.chooser.findData(self.parameter.name))
        self.chooser.blockSignals(False)
        self._update_curve()

    def forget(self) -> None:
        """Clear the curves after another method was chosen."""
        self._curves.cancel()
        self._answer = self._made_for = self._picked = None
        self.plot.show_curve(None)
        self.plot.show_present(None)
        self.readout.setText("")

    def show_waiting(self) -> None:
        """Draw the curves pale, because they belong to the previous settings."""
        if not self._drag.isActive():
            self.plot.show_waiting(True)

    def _update_curve(self) -> None:
        """Mark the present value, and request the curve of the current settings if another one is shown."""
        parameter, plan = self.parameter, self._answer.plan if self._answer else None
        if plan is None or parameter is None or self._closed:
            self._curves.cancel()
            return
        self.plot.setAccessibleName(f"Cost against {parameter.label}")
        given = {name: value for name, value in self._answer.request.parameters.items() if name != parameter.name}
        settings, present = _curve_settings(self._answer, parameter, given), cost_curve.make_point(plan, parameter.name)
        shown = self.plot.curve
        if settings == self._made_for and shown is not None and shown.has_same_cost(present):
            self._curves.cancel()
            self.plot.show_waiting(False)
        else:
            if shown is None or shown.parameter != parameter:
                self.plot.show_curve(None)
            self.plot.show_waiting(True)
            self._made_for, self._data = None, self._answer.request.data
            self._curves.request(lambda monitor: (settings, cost_curve.compute_curve(plan, given, parameter, monitor)))
        self._mark_value(present)

    def _mark_value(self, present: CostPoint) -> None:
        self.plot.show_present(present)
        self._show_readout(present)

    def _take_curve(self, found: tuple[Any, CostCurve]) -> None:
        self._made_for, curve = found
        self.plot.show_curve(curve)
        self.plot.show_waiting(False)
        if self.plot.present is not None:
            self._mark_value(curve.at(self.plot.present.value) or self.plot.present)

    def _show_failure(self, error: Exception) -> None:
        self.plot.show_curve(None)
        self.readout.setText(f"The curve could not be computed: {error}")

    def _choose_parameter(self, name: str) -> None:
        if name != self._wanted:
            self._wanted = name
            self.chooser.setCurrentIndex(self.chooser.findData(name))
            self._update_curve()

    def _follow_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Switch to the parameter whose editor has the focus."""
        if now is not None:
            for name in self._form.parameter_names():
                editor = self._form.editor(name)
                if (editor is now or editor.isAncestorOf(now)) and self.chooser.findData(name) >= 0:
                    self._choose_parameter(name)

    def _on_pick(self, value: int) -> None:
        """Mark a picked value at once; the form gets it a few times per second."""
        self._picked = value
        nearest = self.plot.curve.nearest(value)
        self._mark_value(_with_value(nearest, value))
        if not self._drag.isActive():
            self._drag.start()

    def _set_picked(self) -> None:
        if self._picked is not None and self.parameter is not None:
            editor = self._form.editor(self.parameter.name)
            editor.set_value(self._picked)
            self._picked = None
            editor.edited.emit()

    def _point_at(self, value: int | None) -> None:
        self._show_readout(
            _with_value(self.plot.curve.nearest(value), value) if value is not None else self.plot.present
        )

    def _show_readout(self, point: CostPoint | None) -> None:
        """Show one line about a point; the tooltip gives the reason of a refusal."""
        parameter = self.parameter
        if point is None or parameter is None:
            self.readout.setText("")
            return
        self.readout.setText(point_text(parameter, point))
        self.readout.setToolTip(texts.as_sentence(point.refusal) if point.refusal else self.readout.text())
        self.plot.setAccessibleDescription(self.readout.text())
        self.plot.setToolTip(HINT)


def point_text(parameter: Parameter, point: CostPoint) -> str:
    """Return a text such as '928 columns: 21.8 MiB, 11 % recomputed, 76 ms'."""
    places = ((point.host_bytes, "main"), (point.device_bytes, "GPU"), (point.disk_bytes, "disk"))
    used = [(count, place) for count, place in places if count]
    parts = [format_bytes(count) + (f" {place}" if len(used) > 1 else "") for count, place in used]
    if point.recomputed:
        parts.append(f"{format_percent(100 * point.recomputed)} recomputed")
    parts.append("does not fit" if point.refusal else texts.format_estimate(point.time_ms).removeprefix("about "))
    return f"{point.value:,} {_unit_text(parameter, point.value)}".strip() + ": " + ", ".join(parts)


def _with_value(point: CostPoint | None, value: int) -> CostPoint | None:
    """Return a point of the curve with another value."""
    return None if point is None else CostPoint(value, *(getattr(point, name) for name in CostPoint.__slots__[1:]))


def _curve_settings(answer: PlanAnswer, parameter: Parameter, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return everything that a curve depends on."""
    request, plan = answer.request, answer.plan
    return (
        request.method.id,
        parameter,
        _Data(request.data),
        dict(request.options),
        dict(given),
        plan.backend,
        plan.device,
    )


class _Data:
    """Data that are compared by identity, at once if they come in the same tuple."""

    def __init__(self, data: Sequence[Any]) -> None:
        self._data = data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Data):
            return NotImplemented
        one, two = self._data, other._data
        return one is two or (len(one) == len(two) and all(map(is_, one, two)))

    __hash__ = None


def _unit_text(parameter: Parameter, value: float) -> str:
    """Return the unit of a value: 'threads', or 'thread' for 1."""
    return parameter.unit.removesuffix("s") if value == 1 else parameter.unit
