"""GrowthView: the stages of a multiple alignment, and its tree, filled again as its nodes were aligned."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QSlider

from antidiag.app import texts, theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import together
from antidiag.app.kit.painted_view import Canvas, PaintedView
from antidiag.app.kit.phase_times import phase_times
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.growing import picture
from antidiag.app.views.growing.picture import MARGIN, GrowthPicture
from antidiag.kernels.model import Result
from antidiag.kernels.msa import growth
from antidiag.kernels.msa.growth import DONE, UNDER_WAY, Growth

TICKS, TICK_MS = 1000, 40
SECONDS = (3.0, 6.0, 12.0, 30.0)
"""How long the stage is played."""


class GrowthView(PaintedView):
    """Above the stages with their times, below the tree at a moment of the stage in which its nodes are aligned."""

    id = "growth"
    title = "Growth"
    hint = "Space plays, arrow keys step from node to node; click a branch to choose its sequences"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.picture: GrowthPicture | None = None
        self.slider, self.length = QSlider(Qt.Orientation.Horizontal), QComboBox()
        self._timer, self._passed = QTimer(self, interval=TICK_MS), 0.0
        self._timer.timeout.connect(self._advance)
        self._reading = Latest(self)
        self._reading.finished.connect(self._take)
        self._reading.failed.connect(lambda error: self.say(str(error)))
        self._build()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return growth.shows(result)

    @property
    def busy(self) -> bool:
        """Whether the step log is being read."""
        return self._reading.busy

    @property
    def time_ns(self) -> float:
        """The moment that is shown, since the first node was begun."""
        return self.slider.value() / TICKS * self.picture.growth.last_ns if self.picture else 0.0

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def show_result(self, result: Result | None) -> None:
        """Read the step log of a result, and show the tree as it was in the end."""
        self.pause()
        self._reading.cancel()
        self.result = result if result is not None and self.shows(result) else None
        self.picture = None
        self._tools.setEnabled(False)
        self.legend.show_items(())
        self.say("")
        if self.result is not None:
            shown = self.result
            self._reading.request(lambda monitor: _replayed(shown))
        self.canvas.update()

    def play(self) -> None:
        """From here on, from the start again after the end."""
        if self.slider.value() >= TICKS:
            self.slider.setValue(0)
        self._passed = float(self.slider.value())
        self._timer.start()
        self._play.setText("Pause")

    def pause(self) -> None:
        self._timer.stop()
        self._play.setText("Play")

    def step(self, by: int) -> None:
        """To the next moment at which nodes are done, or the one before."""
        if self.picture is None:
            return
        self.pause()
        found = self.picture.growth
        ends = found.moments_ns
        at = int(np.searchsorted(ends, self.time_ns + 1, "left" if by > 0 else "right")) - (by < 0)
        if by < 0 and at >= 0 and ends[at] >= self.time_ns - found.last_ns / TICKS:
            at -= 1
        if at < 0:
            self.slider.setValue(0)
        elif at < ends.size:
            self.slider.setValue(min(math.ceil(ends[at] / max(found.last_ns, 1) * TICKS), TICKS))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        if self.result is None:
            return
        line = painter.fontMetrics().height()
        times = tuple(time for time in phase_times(self.result) if not time.apart)
        current = next((time.name for time in times if time.name in (growth.PROGRESSIVE, growth.ALIGNMENT)), "")
        high = picture.stages_height(line)
        picture.draw_stages(painter, QRectF(area.left() + MARGIN, area.top(), area.width() - 2 * MARGIN, high), times,
                            current)  # fmt: skip
        painter.setPen(QColor(theme.active().text))
        told = QRectF(area.left() + MARGIN, area.top() + high, area.width() - 2 * MARGIN, line + MARGIN)
        painter.drawText(told, Qt.AlignmentFlag.AlignVCenter, self.told())
        if self.picture is not None:
            room = area.adjusted(0, high + line + MARGIN, 0, -MARGIN)
            self.picture.draw(painter, room, self.picture.growth.states(self.time_ns))

    def told(self) -> str:
        """What is so at the moment that is shown."""
        if self.picture is None:
            return "Reading the step log \N{HORIZONTAL ELLIPSIS}" if self.busy else ""
        found = self.picture.growth
        return texts_of(found, found.states(self.time_ns), self.time_ns)

    def table_text(self) -> str:
        """A line for each inner node: how many sequences, when it was begun and done."""
        if self.picture is None:
            return ""
        found = self.picture.growth
        lines = ["node\tsequences\tbegun ms\tdone ms"]
        order = found.inner[np.argsort(found.ended_ns[found.inner], kind="stable")]
        for node in order.tolist():
            begun, ended = (float(times[node]) / 1e6 for times in (found.begun_ns, found.ended_ns))
            lines.append(f"{node}\t{int(found.tree.leaf_counts[node])}\t{begun:.3f}\t{ended:.3f}")
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy when each node was aligned, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.say("Copied when each node was aligned")

    def restyle(self) -> None:
        super().restyle()
        if self.picture is not None:
            self.legend.show_items(picture.legend())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() == Qt.Key.Key_Space:
            self.pause() if self.playing else self.play()
        elif Qt.Key(event.key()) in steps:
            self.step(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def _take(self, found: Growth | None) -> None:
        self._tools.setEnabled(found is not None)
        if found is None:
            self.say("The step log does not say when the nodes of the tree were aligned.")
        else:
            self.picture = GrowthPicture(found)
            self.slider.setValue(TICKS)
            self.restyle()
        self.canvas.update()

    def _advance(self) -> None:
        self._passed += TICKS * TICK_MS / 1000 / self.length.currentData()
        self.slider.setValue(min(math.floor(self._passed), TICKS))
        if self.slider.value() >= TICKS:
            self.pause()

    def _on_point(self, place: QPointF | None) -> None:
        node = self.picture.node_at(place) if place is not None and self.picture else None
        self.say(about(self.picture.growth, node) if node is not None and self.picture else "")

    def _on_click(self, place: QPointF) -> None:
        node = self.picture.node_at(place) if self.picture else None
        if node is not None and self.picture is not None:
            tree = self.picture.growth.tree
            low, high = np.searchsorted(tree.leaves, (node, tree.ends[node])).tolist()
            self.selection.choose_taxa(tree.taxa[low:high])

    def _build(self) -> None:
        self.slider.setRange(0, TICKS)
        self.slider.setMinimumWidth(200)
        self.slider.setAccessibleName("Time")
        self.length.setAccessibleName("Length")
        for seconds in SECONDS:
            self.length.addItem(f"in {seconds:g} s", seconds)
        self._play = tool_button("Play", "Play the stage, or pause (Space)",
                                 lambda: self.pause() if self.playing else self.play())  # fmt: skip
        self.tools.addWidget(together(self._play, self.slider, self.length))
        self.tools.addWidget(tool_button("Copy table", "Copy when each node was aligned", self.copy_table))
        canvas = Canvas(lambda painter, area: self.draw(painter, area))
        canvas.setAccessibleName("Stages, and the tree as it fills")
        canvas.pointed.connect(self._on_point)
        canvas.clicked.connect(self._on_click)
        self.slider.valueChanged.connect(lambda _: canvas.update())
        self.lay_out(canvas)
        self._tools.setEnabled(False)


def _replayed(result: Result) -> Growth | None:
    """As `growth.replayed`, with the moments that keys step through: of a million nodes they take a while."""
    found = growth.replayed(result)
    if found is not None:
        found.moments_ns  # noqa: B018
    return found


def texts_of(found: Growth, states: np.ndarray, time_ns: float) -> str:
    """How many nodes are aligned at a moment, and how many are being aligned."""
    inner = states[found.inner]
    done, under_way = int((inner == DONE).sum()), int((inner == UNDER_WAY).sum())
    passed = f"after {texts.duration(time_ns / 1e6)}, " if np.isfinite(time_ns) else ""
    return f"{passed}{done:,} of {inner.size:,} nodes aligned, {under_way:,} being aligned"


def about(found: Growth, node: int) -> str:
    """One line about a node, or a leaf."""
    tree = found.tree
    if not tree.degrees[node]:
        return tree.names[node]
    told = f"node of {int(tree.leaf_counts[node]):,} sequences"
    if found.columns[node]:
        told += f", {int(found.columns[node]):,} columns"
    if found.ended_ns[node] == growth.NOT_YET:
        return told
    begun, ended = (texts.duration(float(times[node]) / 1e6) for times in (found.begun_ns, found.ended_ns))
    beside = int(((found.begun_ns == found.begun_ns[node]) & (tree.degrees > 0)).sum()) - 1
    others = f", beside {beside:,} other{'s' * (beside != 1)}" if beside else ""
    return f"{told}, aligned from {begun} to {ended}{others}"
