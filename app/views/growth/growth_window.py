"""GrowthWindow: a window that shows the guide tree of a running job."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.jobs.queue import ENDED, Job
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.controls.widgets import ElidedLabel
from antidiag.app.kit.figures.legend import Legend
from antidiag.app.views.growth import tree_drawing
from antidiag.app.views.growth.tree_drawing import MARGIN, GrowthPicture
from antidiag.app.views.growth.view import node_text, progress_text
from antidiag.kernels.msa.tree_growth import TreeGrowth

LOOK_MS = 100
SIZE = 720, 560


class GrowthWindow(QDialog):
    """Shows the growth that a job publishes, ten times a second, without any action of the run."""

    def __init__(self, job: Job, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = job
        self.picture: GrowthPicture | None = None
        self.setWindowTitle(f"{job.title}: guide tree")
        self.setModal(False)
        self.resize(*SIZE)
        self._heading, self.status, self._legend = ElidedLabel(), ElidedLabel(), Legend()
        self.canvas = PictureCanvas(self._draw_tree)
        self.canvas.setAccessibleName("Guide tree")
        self.canvas.pointed.connect(self._on_point)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        for widget in (self._heading, self.canvas, self._legend, self.status):
            box.addWidget(widget, int(widget is self.canvas))
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.update_state)
        self._timer.start()
        self.update_state()

    @staticmethod
    def accepts(shown: Any) -> bool:
        """Whether what a job publishes can be shown here."""
        return isinstance(shown, TreeGrowth)

    def update_state(self) -> None:
        """Show the present state of the job."""
        shown = self.job.monitor.partial_result
        if self.accepts(shown) and (self.picture is None or self.picture.growth is not shown):
            self.picture = GrowthPicture(shown)
            self._legend.show_items(tree_drawing.legend_items())
        ended = self.job.state in ENDED
        if ended:
            self._timer.stop()
        stage = str(self.job.state) if ended else self.job.progress[2] or "starting"
        nodes = (
            progress_text(self.picture.growth, self.picture.growth.node_states(), float("inf")) if self.picture else ""
        )
        self._heading.setText(": ".join(text for text in (stage, nodes) if text))
        self.canvas.update()

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.job.state not in ENDED:
            self._timer.start()

    def _draw_tree(self, painter: QPainter, area: QRectF) -> None:
        if self.picture is not None:
            self.picture.draw_tree(painter, area.adjusted(0, MARGIN, 0, -MARGIN), self.picture.growth.node_states())

    def _on_point(self, place: QPointF | None) -> None:
        node = self.picture.node_at(place) if place is not None and self.picture else None
        self.status.setText(node_text(self.picture.growth, node) if node is not None and self.picture else "")
