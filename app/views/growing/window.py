"""A window that shows the tree of a job as its nodes are aligned."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.jobs.queue import ENDED, Job
from antidiag.app.kit.legend import Legend
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.widgets import Elided
from antidiag.app.views.growing import picture
from antidiag.app.views.growing.picture import MARGIN, GrowthPicture
from antidiag.app.views.growing.view import about, texts_of
from antidiag.kernels.msa.growth import Growth

LOOK_MS = 100
SIZE = 720, 560


class GrowthWindow(QDialog):
    """Looks ten times a second at what a job shows; the run knows nothing of it."""

    def __init__(self, job: Job, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = job
        self.picture: GrowthPicture | None = None
        self.setWindowTitle(f"{job.title}: the tree as it is aligned")
        self.setModal(False)
        self.resize(*SIZE)
        self._told, self._status, self._legend = Elided(), Elided(), Legend()
        self.canvas = Canvas(self._draw)
        self.canvas.setAccessibleName("The tree as it fills")
        self.canvas.pointed.connect(self._on_point)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._told)
        box.addWidget(self.canvas, 1)
        box.addWidget(self._legend)
        box.addWidget(self._status)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        self.look()

    @staticmethod
    def shows(shown: Any) -> bool:
        """Whether what a job shows can be looked at here."""
        return isinstance(shown, Growth)

    def look(self) -> None:
        """Show what is so now."""
        shown = self.job.monitor.shown
        if self.shows(shown) and (self.picture is None or self.picture.growth is not shown):
            self.picture = GrowthPicture(shown)
            self._legend.show_items(picture.legend())
        ended = self.job.state in ENDED
        if ended:
            self._timer.stop()
        stage = str(self.job.state) if ended else self.job.progress[2] or "starting"
        nodes = texts_of(self.picture.growth, self.picture.growth.states(), float("inf")) if self.picture else ""
        self._told.setText(": ".join(text for text in (stage, nodes) if text))
        self.canvas.update()

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.job.state not in ENDED:
            self._timer.start()

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        if self.picture is not None:
            self.picture.draw(painter, area.adjusted(0, MARGIN, 0, -MARGIN), self.picture.growth.states())

    def _on_point(self, place: QPointF | None) -> None:
        node = self.picture.node_at(place) if place is not None and self.picture else None
        self._status.setText(about(self.picture.growth, node) if node is not None and self.picture else "")
