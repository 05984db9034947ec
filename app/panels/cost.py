"""The panel that shows memory, work and expected time of the next run before it starts."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QProgressBar, QVBoxLayout

from antidiag.app import texts, theme
from antidiag.app.jobs.planning import PlanAnswer
from antidiag.app.jobs.run_places import describe_executor
from antidiag.app.kit.controls.widgets import Card, ElidedLabel, LinkList, create_label
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.registry.memory_advice import MethodSuggestion
from antidiag.kernels.run_plan import RunPlan

BAR_STEPS = 1000
CARD_BORDER = 1
"""Pixels of the border of a card."""
MIN_BAR_WIDTH = 40
"""Least pixels of a bar."""


class CostPanel(Card):
    """Shows memory bars, cells and expected time.

    ``pinned`` must stay visible: time, memory and device in one line, warnings, and the reason of a refusal with
    settings that would fit. The window puts it above the Run button.
    """

    fit_wanted = Signal(object)
    method_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__("What it will cost")
        self.notes, self.warnings = create_label(kind="muted", wrap=True), create_label(kind="warning", wrap=True)
        self.refusal = create_label(kind="error", wrap=True)
        self.fitting = LinkList()
        self.fitting.chosen.connect(self._choose_suggestion)
        self._answer: PlanAnswer | None = None
        self._other: MethodSuggestion | None = None
        self.pinned, self.line = QFrame(), ElidedLabel()
        self.line.setObjectName("caption")
        self.line.setAccessibleName("Cost of the next run")
        pinned = QVBoxLayout(self.pinned)
        indent = theme.MARGIN + CARD_BORDER  # aligns the text with that of the cards
        pinned.setContentsMargins(indent, 0, indent, 0)
        pinned.setSpacing(theme.SPACING // 2)
        for widget in (self.refusal, self.fitting, self.warnings, self.line):
            pinned.addWidget(widget)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.MARGIN)
        grid.setVerticalSpacing(theme.SPACING)
        grid.setColumnStretch(1, 1)
        self.box.addLayout(grid)
        self.rows = {name: _Row(grid, name) for name in ("Main memory", "GPU memory", "Disk")}
        self.values: dict[str, QLabel] = {}
        for place, name in enumerate(("Cells", "Expected time", "Runs on"), start=grid.rowCount()):
            self.values[name] = create_label(wrap=True)
            grid.addWidget(create_label(name, "muted"), place, 0)
            grid.addWidget(self.values[name], place, 1, 1, 2)
        self.box.addWidget(self.notes)
        self.show_answer(None)

    def show_waiting(self) -> None:
        """Show that the costs are being computed for changed settings."""
        self.heading.setText("What it will cost ...")
        self.line.setText("Estimating the cost ...")

    def show_answer(
        self,
        found: PlanAnswer | None,
        wrong: str = "",
        missing: str = "",
        other: MethodSuggestion | None = None,
    ) -> None:
        """Show a plan; without one, show what is ``wrong`` with the settings or which data are ``missing``.

        ``other`` is a method that takes all open data, which the chosen one does not.
        """
        self.heading.setText("What it will cost")
        self._other = other
        self._answer, plan = found, found.plan if found else None
        self._show_memory(plan, found)
        self.values["Cells"].setText(_cell_text(plan) if plan else "-")
        self.values["Expected time"].setText(texts.format_plan_time(plan.time_ms, plan.compilation_ms) if plan else "-")
        self.values["Runs on"].setText(_device_text(plan, found) if plan and found else "-")
        self.line.setText(_summary_line(plan, found) if plan and found else "")
        self.line.setVisible(bool(self.line.text()))
        warnings = _data_warnings(plan) if plan else [missing] if missing else []
        _show_text(self.warnings, "\n".join(warnings))
        _show_text(self.notes, "\n".join(note for note in plan.notes if note not in warnings) if plan else "")
        _show_text(self.refusal, texts.as_sentence(found.refusal) if found and found.refusal else wrong)
        self._show_choices(found)

    def _show_choices(self, found: PlanAnswer | None) -> None:
        if found and found.fitting:
            fits = [(fit.change, fit.format_text.removeprefix(fit.change)) for fit in found.fitting]
            self.fitting.show_choices("What would fit:", fits)
        elif found and found.suited and not found.refusal:
            self.fitting.show_choices("", [(found.suited.method.name, f": {found.suited.reason}.")])
        elif self._other:
            self.fitting.show_choices("", [(f"Use {self._other.method.name}", f": it {self._other.reason}.")])
        else:
            self.fitting.show_choices("", [])

    def _choose_suggestion(self, number: int) -> None:
        if self._answer and self._answer.fitting:
            self.fit_wanted.emit(self._answer.fitting[number])
        elif self._answer and self._answer.suited and not self._answer.refusal:
            self.method_wanted.emit(self._answer.suited.method)
        elif self._other:
            self.method_wanted.emit(self._other.method)

    def _show_memory(self, plan: RunPlan | None, found: PlanAnswer | None) -> None:
        main, gpu, disk = (self.rows[name] for name in ("Main memory", "GPU memory", "Disk"))
        gpu.set_visible(plan is not None and plan.backend == "cuda")
        disk.set_visible(plan is not None and bool(plan.footprint.disk))
        if plan is None or found is None:
            main.clear()
            return
        main.show(plan.footprint.host, found.host_free)
        gpu.show(plan.footprint.device, found.device_free)
        disk.show(plan.footprint.disk, found.disk_left)


class _Row:
    """A memory row: name, bar, and text such as '3 MiB of 22 GiB'."""

    def __init__(self, grid: QGridLayout, name: str) -> None:
        place = grid.rowCount()
        self.name, self.bar, self.text = create_label(name, "muted"), QProgressBar(), create_label()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BAR_STEPS)
        self.bar.setAccessibleName(name)
        self.bar.setMinimumWidth(MIN_BAR_WIDTH)
        for column, widget in enumerate((self.name, self.bar, self.text)):
            grid.addWidget(widget, place, column)

    def set_visible(self, visible: bool) -> None:
        for widget in (self.name, self.bar, self.text):
            widget.setVisible(visible)

    def clear(self) -> None:
        self.bar.setValue(0)
        self.text.setText("-")

    def show(self, parts: Mapping[str, int], free: int) -> None:
        needed = sum(parts.values())
        too_much = needed > free
        self.bar.setValue(min(round(BAR_STEPS * needed / free), BAR_STEPS) if free else BAR_STEPS)
        self.bar.setProperty("wrong", too_much)
        self.bar.style().unpolish(self.bar)
        self.bar.style().polish(self.bar)
        self.text.setText(f"{format_bytes(needed)} of {format_bytes(free)}")
        tip = "\n".join(f"{format_bytes(count)}  {purpose}" for purpose, count in parts.items())
        for widget in (self.name, self.bar, self.text):
            widget.setToolTip(tip)


def _cell_text(plan: RunPlan) -> str:
    cost, planned = plan.method.cost, texts.format_planned_cells(plan)
    recomputed = cost.count_recomputed(plan.problem, plan.parameters)
    if not recomputed:
        return planned
    share = recomputed / max(cost.predicted_cells(plan.problem, plan.parameters), 1)
    if share > 1:
        return f"{planned}, recomputed at most {share:.2g} times"
    return f"{planned}, at most {share:.1%} recomputed".replace("%", " %")


def _data_warnings(plan: RunPlan) -> list[str]:
    """Return the notes of a plan that concern the data and the settings, not the machine."""
    data_notes = {
        *plan.method.problem_type.problem_notes(plan.problem),
        *plan.method.parameter_notes(plan.problem, plan.parameters),
    }
    return [note for note in plan.notes if note in data_notes]


def _summary_line(plan: RunPlan, found: PlanAnswer) -> str:
    """Return a summary such as 'about 2.4 s, 3 MiB of 22 GiB, on GPU 0'."""
    parts, free = (
        (plan.footprint.device, found.device_free) if plan.backend == "cuda" else (plan.footprint.host, found.host_free)
    )
    place = f"GPU {plan.device}" if plan.backend == "cuda" else "the CPU"
    needed = format_bytes(sum(parts.values()))
    cost = f"{texts.format_plan_time(plan.time_ms, plan.compilation_ms)}, {needed} of {format_bytes(free)}"
    return f"Shared out; whole here: {cost}" if found.request.executor else f"{cost}, on {place}"


def _device_text(plan: RunPlan, found: PlanAnswer) -> str:
    if found.request.executor is not None:
        return describe_executor(found.request.executor)
    return f"GPU {plan.device}: {plan.device_name}" if plan.backend == "cuda" else f"CPU: {plan.device_name}"


def _show_text(widget: QLabel, text: str) -> None:
    widget.setText(text)
    widget.setVisible(bool(text))
