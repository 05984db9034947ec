"""Several runs side by side on one clock: the measured time since the start of each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.controls.flow_layouts import FlowLayout
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.replay import replay_picture
from antidiag.app.kit.replay.player import ReplayPlayer
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.experiments.point_data import run_replay
from antidiag.kernels.experiments.point_data.run_replay import RunReplay
from antidiag.kernels.experiments.point_data.step_counters import count_steps
from antidiag.kernels.model import Result

FIGURE = QSize(1280, 720)
HINT = "All runs start at the left end of the slider; the slowest ends at the right."
NOTHING = "The step logs of these runs contain no parts of a table."


Runs = tuple[tuple[str, RunReplay], ...]


def create_replays(results: Sequence[tuple[str, Result]]) -> Runs:
    """Return runs that can be replayed, by name; others are left out."""
    made = [(name, run_replay.create_replay(result.steps, count_steps(result))) for name, result in results]
    return tuple((name, replay) for name, replay in made if replay is not None)


class SideBySideReplay(QWidget):
    """Tables that fill as they were computed, at one time; ``shown``: the requested runs are ready."""

    shown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.player, self.status = ReplayPlayer(), create_label("", "muted", wrap=True)
        self.runs: Runs = ()
        self.canvas = PictureCanvas(lambda painter, area: self.draw_runs(painter, area))
        self.canvas.setAccessibleName("Runs side by side on one measured clock")
        self._work = LatestTask(self, self._on_runs, lambda error: self.status.setText(str(error)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.player.moved.connect(self._show_time)
        theme.notifier.changed.connect(self.canvas.update)
        holder, box = QWidget(), QVBoxLayout(self)
        tools = FlowLayout(holder)
        tools.addWidget(self.player)
        tools.addWidget(tool_button("Copy", "Copy the picture", lambda: export.copy_figure(FIGURE, self.draw_runs)))
        tools.addWidget(tool_button("Save\u2026", "Save the picture of this moment as PNG, SVG or PDF", self.save))
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.canvas, 1)
        box.addWidget(holder)
        box.addWidget(self.status)

    @property
    def span_ns(self) -> int:
        """Duration of the slowest run."""
        return run_replay.longest_run_ns(self.runs)

    @property
    def time_ns(self) -> float:
        """The time shown, since the start of each run."""
        return self.player.share * self.span_ns

    @property
    def busy(self) -> bool:
        """Whether logs are still being prepared."""
        return self._work.busy

    def show_results(self, results: Sequence[tuple[str, Result]]) -> None:
        """Prepare the step logs of runs on a thread; those without parts of a table are left out."""
        self.status.setText("Reading the step logs \u2026")
        self._work.request(lambda monitor: create_replays(results))

    def show_runs(self, runs: Runs) -> None:
        """Show these runs from their start."""
        self.runs = runs
        self.player.go_to_start()
        self._show_time()

    def draw_runs(self, painter: QPainter, area: QRectF) -> None:
        """Draw all runs side by side."""
        replay_picture.draw_side_by_side(painter, area, self.runs, self.time_ns)

    def save(self) -> None:
        """Ask for a file and write the picture of this moment."""
        name = ask.join_name(*(name for name, _ in self.runs), "replay")
        export.ask_and_save_figure(self, name, FIGURE, self.draw_runs, " and ".join(name for name, _ in self.runs))

    def keyPressEvent(self, event) -> None:
        if not self.player.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _on_runs(self, runs: Runs) -> None:
        self.show_runs(runs)
        if not runs:
            self.status.setText(NOTHING)
        self.shown.emit()

    def _show_time(self) -> None:
        if self.runs:
            passed = f"{self.time_ns / 1e6:,.3f} of {self.span_ns / 1e6:,.3f} ms (measured)."
            self.status.setText(f"{passed} {self.player.speed_text(self.span_ns)} {HINT}")
        self.canvas.update()
