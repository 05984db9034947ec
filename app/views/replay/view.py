"""ReplayView: a run of any size played again over its table, slowed down, with the times that were measured."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter

from antidiag.app import texts, theme
from antidiag.app.kit.canvas.painted_view import PaintedView, PictureCanvas
from antidiag.app.kit.replay import replay_picture
from antidiag.app.kit.replay.player import ReplayPlayer
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.experiments.point_data import run_replay
from antidiag.kernels.experiments.point_data.run_replay import RunReplay
from antidiag.kernels.experiments.point_data.step_counters import count_steps
from antidiag.kernels.model import Result

FIGURE = QSize(1200, 800)
HINT = "Press Space to play. The curve below counts the parts being computed. All times are measured times."


class ReplayView(PaintedView):
    """A table that fills as it was computed: running parts are lit, finished parts have their worker's colour."""

    id = "replay"
    title = "Replay"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.replay: RunReplay | None = None
        self.player = ReplayPlayer()
        self._work = LatestTask(self, self._show_replay, lambda error: self.status.setText(str(error)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.tools.addWidget(self.player)
        self.build_layout(PictureCanvas(self.draw))
        self.player.moved.connect(self._update_status)
        self.view_state.keep_player(self.player)

    @property
    def has_content(self) -> bool:
        """Whether the step log was read."""
        return self.replay is not None

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result: one event for each phase is nothing to be played."""
        count, phases = result.steps.count, len(result.times_ms.keys() - {"compilation", "transfer"})
        if count <= phases:  # some of the phases may log nothing
            phases = np.unique(result.steps.ordered_events()["phase"]).size
        return bool(count > max(phases, 1))

    @property
    def time_ns(self) -> float:
        """The time that is shown, since the start of the run."""
        if self.replay is None:
            return 0.0
        return self.replay.start_ns + self.player.share * (self.replay.end_ns - self.replay.start_ns)

    def show_result(self, result: Result | None) -> None:
        """Lay out the step log of a result on a thread and show it."""
        self.player.go_to_start()
        self.result = result if result is not None and self.shows(result) else None
        self.replay = None
        self.canvas.update()
        if self.result is not None:
            current = self.result
            self.status.setText("Reading the step log\u2026")
            self._work.request(lambda monitor: run_replay.create_replay(current.steps, count_steps(current)))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the table at the time that is shown, and the curve."""
        if self.replay is not None:
            replay_picture.draw_replay(painter, area, self.replay, self.time_ns)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title and picture, for a file."""
        line = painter.fontMetrics().height()
        painter.setPen(QColor(theme.active().text))
        painter.drawText(QRectF(8, 4, area.width() - 16, line), texts.origin_line(self.result) if self.result else "")
        self.draw(painter, area.adjusted(8, line + 10, -8, -8))

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return FIGURE

    def keyPressEvent(self, event) -> None:
        if not self.player.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _show_replay(self, found: RunReplay | None) -> None:
        self.replay = found
        self.view_state.resume()
        self._update_status()

    def _update_status(self) -> None:
        if self.replay is None:
            self.status.setText("" if self.result is None else "The step log of this run has no parts to show")
        else:
            self.status.setText(f"{self.player.speed_text(self.replay.end_ns - self.replay.start_ns)} {HINT}")
        self.canvas.update()
