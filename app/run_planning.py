"""The plan of the run that the settings describe: made anew after every change, and shown before it may start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from antidiag.app import method_choice
from antidiag.app.jobs.planning import PlanAnswer
from antidiag.app.workbench import Workbench
from antidiag.kernels.method import Method
from antidiag.kernels.registry.memory_advice import FittingChange

if TYPE_CHECKING:
    from antidiag.app.tune.workspace import TuneWorkspace


class RunPlanning(QObject):
    """Requests plans and shows them. ``shown`` follows each plan, and ``run_wanted`` one that a run waited for."""

    shown, run_wanted = Signal(), Signal()

    def __init__(self, window: Workbench) -> None:
        super().__init__(window)
        self._window = window
        self.waits_to_run = False
        """Whether the run starts once its plan is ready."""

    def request_plan(self) -> None:
        """Request a new plan; Run is disabled until it is ready, so that no outdated plan starts."""
        method = self._window.method.method
        if method is None or self._window.is_held:
            return
        request = self._window.request()
        data = self._window.session.state.inputs(method.problem_type)
        if self._switch_method(method, data):
            return
        self._window.method.set_data(data)
        if self._window.tune_page.is_created:
            self.update_tune(self._window.tune)
        self._show_next_step(False)
        if request is None:
            wrong = " ".join(self._window.method.entry_errors())
            self.waits_to_run = False
            self._show_plan(None, wrong, "" if wrong else self._window.session.state.missing(method.problem_type))
            self._window.planner.forget()
        else:
            self._window.method.set_runnable(False, "Estimating the cost")
            self._window.cost.show_waiting()
            self._window.curves.show_waiting()
            self._window.planner.ask(request)

    def _switch_method(self, method: Method, data: Sequence[Any]) -> bool:
        """Switch to a method that suits the data better, if the user chose none; return whether it did."""
        found = (
            None
            if self._window.method.by_hand
            else method_choice.find_better_method(self._window.methods, method, data, self._window.device.backend)
        )
        if found:
            self._window.method.choose(found.method, by_hand=False)
            self._window.jobs.show_message(f"Switched to {found.method.name}: {found.reason}.")
        return found is not None

    def accept_plan(self, found: PlanAnswer) -> None:
        """Show a plan that is ready, and start the run that waited for it."""
        if found.plan:
            self._window.method.set_resolved(found.plan.parameters.as_mapping(), found.plan.backend, found.plan.tuned)
        self._show_plan(found, found.refusal)
        if self.waits_to_run:
            self.waits_to_run = False
            self.run_wanted.emit()

    def _show_plan(self, found: PlanAnswer | None, wrong: str, missing: str = "") -> None:
        self._window.answer, reason = found, wrong or missing
        self._window.forget_stale()
        method = self._window.method.method
        other = (
            method_choice.suggest_for_all(self._window.methods, method, self._window.session.state) if method else None
        )
        self._window.cost.show_answer(found, wrong, missing, other)
        self._window.curves.show_answer(found)
        self._window.method.set_runnable(not reason, reason)
        fitting = found.fitting if found else ()
        self._show_next_step(not reason, reason, fitting)
        self._window.results.model.refresh()
        self.shown.emit()

    def _show_next_step(self, runnable: bool, reason: str = "", fitting: Sequence[FittingChange] = ()) -> None:
        state, method = self._window.session.state, self._window.method.method
        missing = state.missing(method.problem_type) if method else ""
        rest = method_choice.unused_sequences_note(self._window.methods, method, len(state.sequences))
        self._window.empty.explain(bool(state.sequences or state.data), missing, runnable, reason, fitting, rest)

    def plan_again(self) -> None:
        """Plan the same run anew, because a result tells more of its time; until then the shown plan stays valid."""
        if self._window.answer is not None and not self._window.planner.busy:
            self._window.planner.ask(self._window.answer.request)

    def update_tune(self, tune: TuneWorkspace) -> None:
        """Pass method, data and device to Tune, which measures them."""
        method = self._window.method.method
        if method is not None:
            tune.set_method(method, self._window.method.chosen_options())
            tune.set_data(self._window.session.state.inputs(method.problem_type))
            tune.set_device(*self._window.device.choice())
