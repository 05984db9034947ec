"""ReplayTogether: several runs side by side on one clock, the time that was measured since each began."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import Flow
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.replay import data, picture
from antidiag.app.kit.replay.data import Replay
from antidiag.app.kit.replay.player import Player
from antidiag.app.kit.widgets import label, tool_button
from antidiag.kernels.experiments.counters import counters
from antidiag.kernels.model import Result

FIGURE = QSize(1280, 720)
HINT = "Every run begins at the left end of the slider, and the slowest ends at the right."
NOTHING = "The step logs of these runs have no parts of a table to show."


Runs = tuple[tuple[str, Replay], ...]


def laid_out(results: Sequence[tuple[str, Result]]) -> Runs:
    """Runs by name as they are played again; those whose logs have no parts of a table are left out."""
    return tuple((name, made) for name, result in results
                 if (made := data.replay(result.steps, counters(result))) is not None)  # fmt: skip


class ReplayTogether(QWidget):
    """Tables that fill as they were computed, at one time. ``shown``: the runs that were asked for are laid out."""

    shown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.player, self.status = Player(), label("", "muted", wrap=True)
        self.runs: Runs = ()
        self.canvas = Canvas(lambda painter, area: self.draw(painter, area))
        self.canvas.setAccessibleName("Runs side by side on one measured clock")
        self._work = Latest(self)
        self._work.finished.connect(self._take)
        self._work.failed.connect(lambda error: self.status.setText(str(error)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.player.moved.connect(self._tell)
        theme.notifier.changed.connect(self.canvas.update)
        holder, box = QWidget(), QVBoxLayout(self)
        tools = Flow(holder)
        tools.addWidget(self.player)
        tools.addWidget(tool_button("Copy", "Copy the picture", lambda: export.copy(FIGURE, self.draw)))
        tools.addWidget(tool_button("Save\u2026", "Save the picture of this moment as PNG, SVG or PDF", self.save))
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.canvas, 1)
        box.addWidget(holder)
        box.addWidget(self.status)

    @property
    def span_ns(self) -> int:
        """How long the slowest took."""
        return data.span_ns(self.runs)

    @property
    def time_ns(self) -> float:
        """The time that is shown, since each run began."""
        return self.player.share * self.span_ns

    @property
    def busy(self) -> bool:
        """Whether logs are still laid out."""
        return self._work.busy

    def show_results(self, results: Sequence[tuple[str, Result]]) -> None:
        """Lay out the step logs of runs, by name, on a thread; those without parts of a table are left out."""
        self.status.setText("Laying out the step logs \u2026")
        self._work.request(lambda monitor: laid_out(results))

    def show_runs(self, runs: Runs) -> None:
        """Play these from their start."""
        self.runs = runs
        self.player.rewind()
        self._tell()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """All runs beside each other."""
        picture.draw_beside(painter, area, self.runs, self.time_ns)

    def save(self) -> None:
        """Ask for a file and write the picture of this moment."""
        export.ask_and_save(self, "runs", FIGURE, self.draw, " and ".join(name for name, _ in self.runs))

    def keyPressEvent(self, event) -> None:
        if not self.player.key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _take(self, runs: Runs) -> None:
        self.show_runs(runs)
        if not runs:
            self.status.setText(NOTHING)
        self.shown.emit()

    def _tell(self) -> None:
        if self.runs:
            self.status.setText(f"{self.time_ns / 1e6:,.3f} of {self.span_ns / 1e6:,.3f} ms, measured. "
                                f"{self.player.slower(self.span_ns)} {HINT}")  # fmt: skip
        self.canvas.update()
