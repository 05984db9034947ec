"""GrowthView: the stages of a multiple alignment, and its guide tree as the nodes were aligned."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter

from antidiag.app import texts, theme
from antidiag.app.kit.canvas.painted_view import PaintedView, PictureCanvas
from antidiag.app.kit.controls.widgets import tool_button
from antidiag.app.kit.replay.player import TICKS, ReplayPlayer
from antidiag.app.kit.results.phase_times import list_phase_times
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.growth import tree_drawing
from antidiag.app.views.growth.tree_drawing import MARGIN, GrowthPicture
from antidiag.kernels.model import Result
from antidiag.kernels.msa import tree_growth
from antidiag.kernels.msa.tree_growth import DONE, UNDER_WAY, TreeGrowth

SECONDS = (3.0, 6.0, 12.0, 30.0)  # durations in which the stage can be played


class GrowthView(PaintedView):
    """The stages with their times, and below them the guide tree at a moment of its progressive alignment."""

    id = "growth"
    title = "Growth"
    hint = "Space plays, arrow keys step from node to node; click a branch to select its sequences"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.picture: GrowthPicture | None = None
        self.player = ReplayPlayer(SECONDS)
        self._reading = LatestTask(self, self._show_growth, lambda error: self.show_status(str(error)))
        self._build()
        self.view_state.keep_player(self.player)

    @property
    def has_content(self) -> bool:
        """Whether the step log was read."""
        return self.picture is not None

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return tree_growth.can_replay(result)

    @property
    def busy(self) -> bool:
        """Whether the step log is being read."""
        return self._reading.busy

    @property
    def time_ns(self) -> float:
        """The moment that is shown, since the start of the first node."""
        return self.player.share * self.picture.growth.last_ns if self.picture else 0.0

    def show_result(self, result: Result | None) -> None:
        """Read the step log of a result, and show its last moment."""
        self.player.pause()
        self._reading.cancel()
        self.result = result if result is not None and self.shows(result) else None
        self.picture = None
        self._tools.setEnabled(False)
        self.legend.show_items(())
        self.show_status("")
        if self.result is not None:
            shown = self.result
            self._reading.request(lambda monitor: _read_growth(shown))
        self.canvas.update()

    def step(self, by: int) -> None:
        """Go to the next or the previous moment at which nodes were finished."""
        if self.picture is None:
            return
        self.player.pause()
        found = self.picture.growth
        ends = found.moments_ns
        moment = int(np.searchsorted(ends, self.time_ns + 1, "left" if by > 0 else "right")) - (by < 0)
        if by < 0 and moment >= 0 and ends[moment] >= self.time_ns - found.last_ns / TICKS:
            moment -= 1
        if moment < 0:
            self.player.go_to(0)
        elif moment < ends.size:
            self.player.go_to(math.ceil(ends[moment] / max(found.last_ns, 1) * TICKS))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the stages and the growing tree."""
        if self.result is None:
            return
        line = painter.fontMetrics().height()
        times = tuple(time for time in list_phase_times(self.result) if not time.apart)
        current = next(
            (time.name for time in times if time.name in (tree_growth.PROGRESSIVE, tree_growth.ALIGNMENT)), ""
        )
        high = tree_drawing.stages_height(line)
        stages = QRectF(area.left() + MARGIN, area.top(), area.width() - 2 * MARGIN, high)
        tree_drawing.draw_stages(painter, stages, times, current)
        painter.setPen(QColor(theme.active().text))
        text_line = QRectF(stages.left(), stages.bottom(), stages.width(), line + MARGIN)
        painter.drawText(text_line, Qt.AlignmentFlag.AlignVCenter, self.moment_text())
        if self.picture is not None:
            room = area.adjusted(0, high + line + MARGIN, 0, -MARGIN)
            self.picture.draw_tree(painter, room, self.picture.growth.node_states(self.time_ns))

    def moment_text(self) -> str:
        """Describe the moment that is shown."""
        if self.picture is None:
            return "Reading the step log\u2026" if self.busy else ""
        found = self.picture.growth
        return progress_text(found, found.node_states(self.time_ns), self.time_ns)

    def table_text(self) -> str:
        """Return a table with a line for each inner node: its sequences, start and end."""
        if self.picture is None:
            return ""
        found = self.picture.growth
        lines = ["node\tsequences\tstart ms\tend ms"]
        order = found.inner_nodes[np.argsort(found.ended_ns[found.inner_nodes], kind="stable")]
        for node in order.tolist():
            begun, ended = (float(times[node]) / 1e6 for times in (found.begun_ns, found.ended_ns))
            lines.append(f"{node}\t{int(found.tree.leaf_counts[node])}\t{begun:.3f}\t{ended:.3f}")
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy the start and end time of each node to the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.show_status("Copied the times of the nodes")

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        if self.picture is not None:
            self.legend.show_items(tree_drawing.legend_items())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() == Qt.Key.Key_Space:
            self.player.toggle_playing()
        elif Qt.Key(event.key()) in steps:
            self.step(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _show_growth(self, found: TreeGrowth | None) -> None:
        self._tools.setEnabled(found is not None)
        if found is None:
            self.show_status("The step log has no times of tree nodes.")
        else:
            self.picture = GrowthPicture(found)
            self.player.go_to(TICKS)
            self.apply_theme()
            self.view_state.resume()
        self.canvas.update()

    def _on_point(self, place: QPointF | None) -> None:
        node = self.picture.node_at(place) if place is not None and self.picture else None
        self.show_status(node_text(self.picture.growth, node) if node is not None and self.picture else "")

    def _on_click(self, place: QPointF) -> None:
        node = self.picture.node_at(place) if self.picture else None
        if node is not None and self.picture is not None:
            tree = self.picture.growth.tree
            low, high = np.searchsorted(tree.leaves, (node, tree.ends[node])).tolist()
            self.selection.choose_taxa(tree.taxa[low:high])

    def _build(self) -> None:
        self.tools.addWidget(self.player)
        self.tools.addWidget(tool_button("Copy table", "Copy the times of the nodes", self.copy_table))
        canvas = PictureCanvas(self.draw)
        canvas.setAccessibleName("Stages and guide tree")
        canvas.pointed.connect(self._on_point)
        canvas.clicked.connect(self._on_click)
        self.player.moved.connect(canvas.update)
        self.build_layout(canvas)
        self._tools.setEnabled(False)


def _read_growth(result: Result) -> TreeGrowth | None:
    """Read the growth of the tree from the step log, and its moments, which take long for a million nodes."""
    found = tree_growth.replay_growth(result)
    if found is not None:
        found.moments_ns  # noqa: B018 (computed here, on the thread)
    return found


def progress_text(found: TreeGrowth, states: np.ndarray, time_ns: float) -> str:
    """Return how many nodes are aligned at a moment, and how many are being aligned."""
    inner = states[found.inner_nodes]
    done, under_way = int((inner == DONE).sum()), int((inner == UNDER_WAY).sum())
    passed = f"after {texts.format_duration(time_ns / 1e6)}, " if np.isfinite(time_ns) else ""
    return f"{passed}{done:,} of {inner.size:,} nodes aligned, {under_way:,} being aligned"


def node_text(found: TreeGrowth, node: int) -> str:
    """Describe a node or a leaf in one line."""
    tree = found.tree
    if not tree.degrees[node]:
        return tree.names[node]
    text = f"node of {int(tree.leaf_counts[node]):,} sequences"
    if found.columns[node]:
        text += f", {int(found.columns[node]):,} columns"
    if found.ended_ns[node] == tree_growth.NOT_YET:
        return text
    begun, ended = (texts.format_duration(float(times[node]) / 1e6) for times in (found.begun_ns, found.ended_ns))
    beside = int(((found.begun_ns == found.begun_ns[node]) & (tree.degrees > 0)).sum()) - 1
    others = f", together with {beside:,} other{'s' * (beside != 1)}" if beside else ""
    return f"{text}, aligned from {begun} to {ended}{others}"
