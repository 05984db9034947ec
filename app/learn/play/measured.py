"""MeasuredRuns: the chosen methods run for real on one problem, and their measured timelines played on one clock."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSpinBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import Flow
from antidiag.app.kit.replay.together import ReplayTogether
from antidiag.app.kit.widgets import label, tool_button
from antidiag.kernels.experiments import beside
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.registry.lectures import LARGEST, SIZE

BACKENDS = {"cpu": "on the CPU", "auto": "on a GPU, if there is one"}
RUN, CANCEL = "Run", "Cancel"


class MeasuredRuns(QWidget):
    """Runs of one or two methods on a problem by chance, whose size is chosen.

    ``ended``: all runs are there, or there will be none, and ``told`` says why.
    """

    ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.methods: tuple[Method, ...] = ()
        self.results: tuple[Result, ...] = ()
        self.amount, self.backend = QSpinBox(), QComboBox()
        self.told, self.replays = label("", "muted", wrap=True), ReplayTogether()
        self.amount.setRange(1, LARGEST)
        self.amount.setValue(SIZE)
        self.amount.setPrefix("size ")
        self.amount.setAccessibleName("Size")
        self.amount.setToolTip("How large the problem is that both run on; all work grows with it")
        for name, words in BACKENDS.items():
            self.backend.addItem(words, name)
        self.backend.setAccessibleName("Device")
        self._work = Latest(self)
        self._work.finished.connect(self._take)
        self._work.progressed.connect(self._tell)
        self._work.failed.connect(self._fail)
        self.replays.shown.connect(self._end)
        holder, box = QWidget(), QVBoxLayout(self)
        tools = Flow(holder)
        self.button = tool_button(
            RUN, "Run the methods on this problem, and play what was measured; or stop", self.press
        )
        for widget in (self.button, self.amount, self.backend):
            tools.addWidget(widget)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(holder)
        box.addWidget(self.told)
        box.addWidget(self.replays, 1)

    @property
    def busy(self) -> bool:
        return self._work.busy or self.replays.busy

    def show_methods(self, methods: Sequence[Method]) -> None:
        """Others are to be run: the runs of those before are gone."""
        if tuple(methods) != self.methods:
            self.clear()
            self.methods = tuple(methods)
            names = " and ".join(method.name for method in self.methods)
            self.replays.status.setText(f"Run {names}: what is played here is measured.")

    def clear(self) -> None:
        """Stop what runs, and show nothing."""
        self.cancel()
        self.methods, self.results = (), ()
        self.replays.show_runs(())
        self.told.setText("")

    def press(self) -> None:
        """Run, or stop what runs."""
        if self._work.busy:
            self.cancel()
            self.told.setText("Cancelled; Run begins again.")
        else:
            self.run()

    def cancel(self) -> None:
        """Stop what runs; nothing more is heard of it."""
        self._work.cancel()
        self.button.setText(RUN)

    def run(self) -> None:
        """Run all methods on a thread, one after another; what ran before is dropped."""
        methods, size, backend = self.methods, self.amount.value(), self.backend.currentData()
        if methods:
            self.told.setText("Running \u2026")
            self.button.setText(CANCEL)
            self._work.request(lambda monitor: tuple(
                beside.run(methods, beside.problem(methods[0], size), backend, monitor)))  # fmt: skip

    def hideEvent(self, event) -> None:
        """Nothing runs that nobody looks at."""
        super().hideEvent(event)
        self.cancel()

    def _tell(self, progress: tuple[int, int, str]) -> None:
        done, total, name = progress
        self.told.setText(f"Running {name} \u2026 {done / max(total, 1):.0%}")

    def _fail(self, error: Exception) -> None:
        self.told.setText(str(error))
        self.button.setText(RUN)
        self.ended.emit()

    def _take(self, results: tuple[Result, ...]) -> None:
        self.results = results
        self.button.setText(RUN)
        self.told.setText(beside.told(results))
        self.replays.show_results([(method.name, result)
                                   for method, result in zip(self.methods, results, strict=True)])  # fmt: skip

    def _end(self) -> None:
        if self.results:
            self.ended.emit()
