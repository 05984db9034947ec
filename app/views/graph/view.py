"""GraphView: distances between all vertices as a heat map, step by step, and the shortest path of a pair."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSlider

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import together
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.painted_view import Canvas, PaintedView
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.graph import data, paint
from antidiag.app.views.graph.data import Edge, Stage
from antidiag.app.views.graph.paint import Ways
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

PLAY_MS, REST_MS = 700, 30
WHOLE_MS = 20_000
"""A walk through all steps takes no longer than this."""
SLIDER_WIDTH, STEP_WIDTH = 190, 150
SHADES = 9
PLAY, PAUSE = "Play", "Pause"
TO = " \u2192 "


class GraphView(PaintedView):
    """The matrix after each vertex that is let in, and the path of the pair that is clicked; small graphs beside it."""

    id = "graph"
    title = "Shortest paths"
    hint = (
        "Click an entry for its shortest path, or one vertex and then another; arrow keys move, Play lets vertices in"
    )

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.shown: Ways | None = None
        self._from: int | None = None
        self._staging, self._ways = Latest(self), Latest(self)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._clock = QTimer(self, interval=PLAY_MS)
        self.play = tool_button(PLAY, "Let the vertices in one after another, as Floyd and Warshall do", self._toggle)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Vertices let in")
        self.slider.setFixedSize(SLIDER_WIDTH, self.play.sizeHint().height())
        self._step = QLabel()
        self._step.setObjectName("muted")
        self._step.setFixedWidth(STEP_WIDTH)
        self.tools.addWidget(self.play)
        self.tools.addWidget(together(self.slider, self._step))
        self.plane = Canvas(self.draw)
        self.plane.setAccessibleName("Matrix of distances")
        self.lay_out(self.plane)
        self.slider.valueChanged.connect(self._on_step)
        self._rest.timeout.connect(self._compute)
        self._clock.timeout.connect(self._next)
        self._staging.finished.connect(self._take)
        self._ways.finished.connect(self._take_way)
        self._staging.failed.connect(lambda error: self.say(str(error)))
        self.plane.pointed.connect(self._on_pointed)
        self.plane.clicked.connect(self._on_clicked)
        self.plane.moved.connect(self._on_moved)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return data.shows(result)

    @property
    def sharp(self) -> bool:
        """Whether the step that is set is the one that is shown."""
        return not self._rest.isActive() and not self._staging.busy and not self._ways.busy

    def show_result(self, result: Result | None) -> None:
        """Show the distances of a result, or nothing."""
        if result is not None and not self.shows(result):
            result = None
        self.result, self._from = result, None
        self._clock.stop()
        self._staging.cancel()
        self._ways.cancel()
        self.play.setText(PLAY)
        self._tools.setEnabled(result is not None)
        self.shown = None
        steps = result is not None and data.has_stages(result.problem)
        n = result.problem.n if result and steps else 0
        for widget in (self.play, self.slider):
            widget.setEnabled(bool(n))
        self.slider.blockSignals(True)
        self.slider.setRange(0, n)
        self.slider.setValue(n)
        self.slider.blockSignals(False)
        self._clock.setInterval(max(min(PLAY_MS, WHOLE_MS // max(n, 1)), REST_MS))
        self._tell_step()
        self._describe()
        self.say("")
        self.plane.update()
        if n:
            self._begin(Stage.whole(result))
        elif result is not None and result.problem.n:
            self.say("Looking at the distances ...")
            self._staging.request(lambda monitor: Stage.whole(result))

    def choose(self, pair: Edge | None) -> None:
        """Mark a pair and its shortest path."""
        if self.shown is not None:
            self.shown.chosen = pair
            self._mark()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        if self.shown is not None:
            paint.draw(painter, area, self.shown, theme.active())

    def restyle(self) -> None:
        if self.shown is not None:
            self.shown.image = paint.image(self.shown.stage, self.shown.ends, theme.active())
        super().restyle()
        self._describe()

    def _begin(self, stage: Stage) -> None:
        """Show the first stage of a result."""
        problem = self.result.problem
        places = data.places(problem) if problem.n <= data.MOST_DRAWN else None
        ends = data.ends(stage.pixels)
        image = paint.image(stage, ends, theme.active())
        self.shown = Ways(self.result, stage, ends, image, places)
        names = problem.graph.names
        if problem.start in names and problem.end in names:
            self.shown.chosen = names.index(problem.start), names.index(problem.end)
        self._describe()
        self._mark()

    def _mark(self) -> None:
        """Look for the path of the pair that is pointed at, or chosen; mark a negative cycle where there is one."""
        shown, result, cycle = self.shown, self.result, self.result.answer.cycle
        pair = shown.pointed or shown.chosen
        shown.marked, shown.way = data.edges_of(cycle, closed=True), ()
        self._ways.cancel()
        if pair and not cycle and (pair == shown.chosen or shown.n <= data.QUICK):
            self._ways.request(lambda monitor: data.path(result, *pair))
        self._tell()

    def _take_way(self, way: tuple[int, ...]) -> None:
        self.shown.way, self.shown.marked = way, data.edges_of(way)
        self._tell()

    def _tell(self) -> None:
        pair = self.shown.pointed or self.shown.chosen
        self.say(self._text(pair) if pair else self._cycle_text())
        self.plane.update()

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.shown is not None:
            entry = paint.entry_at(place, QRectF(self.plane.rect()), self.shown) if place else None
            if entry != self.shown.pointed:
                self.shown.pointed = entry
                self._mark()

    def _on_clicked(self, place: QPointF) -> None:
        if self.shown is None:
            return
        area = QRectF(self.plane.rect())
        entry = paint.entry_at(place, area, self.shown)
        vertex = paint.vertex_at(place, area, self.shown)
        if vertex is not None:
            entry, self._from = ((self._from, vertex), None) if self._from is not None else (None, vertex)
        if entry is not None:
            self.choose(entry)
        elif vertex is not None:
            self.choose((vertex, vertex))
            self.say(f"From {self.result.problem.graph.names[vertex]}: click the vertex to go to")

    def _on_moved(self, step: tuple[int, int]) -> None:
        if self.shown is not None:
            u, v = self.shown.chosen or (0, 0)
            last = self.shown.n - 1
            self.choose((min(max(u + step[0], 0), last), min(max(v + step[1], 0), last)))

    def _toggle(self) -> None:
        if self._clock.isActive():
            self._clock.stop()
            self.play.setText(PLAY)
        else:
            if self.slider.value() == self.slider.maximum():
                self.slider.setValue(0)
            self._clock.start()
            self.play.setText(PAUSE)

    def _next(self) -> None:
        if not self.sharp:
            return
        self.slider.setValue(self.slider.value() + 1)
        if self.slider.value() == self.slider.maximum():
            self._toggle()

    def _on_step(self) -> None:
        self._tell_step()
        self._rest.start()

    def _compute(self) -> None:
        if self.result is not None and self.shown is not None:
            problem, step = self.result.problem, self.slider.value()
            self._staging.request(lambda monitor: data.stage(problem, step))

    def _take(self, found: Stage) -> None:
        if self.shown is None:
            self._begin(found)
            return
        self.shown.stage = found
        self.shown.image = paint.image(found, self.shown.ends, theme.active())
        self._describe()
        self._mark()

    def _tell_step(self) -> None:
        problem, step = self.result.problem if self.result else None, self.slider.value()
        if problem is None or not self.slider.isEnabled():
            self._step.setText("")
        elif step == 0:
            self._step.setText(" edges alone")
        else:
            self._step.setText(f" {step:,} of {problem.n:,}: {problem.graph.names[step - 1]} let in")

    def _text(self, pair: Edge) -> str:
        """What is known of a pair of vertices."""
        (u, v), names = pair, self.result.problem.graph.names
        value = float(self.shown.stage.values[u, v])
        now = "no path" if not np.isfinite(value) else result_text.number(round(value, 6))
        parts = [f"{names[u]}{TO}{names[v]}: {now}"]
        way = self.shown.way
        if len(way) > 1:
            shown = [names[vertex] for vertex in way]
            shown = shown if len(shown) <= 12 else [*shown[:6], result_text.ELLIPSIS, *shown[-5:]]
            parts.append(f"path {TO.join(shown)} ({counted(len(way) - 1, 'edge')})")
        return "   ".join([*parts, self._cycle_text()]).strip()

    def _cycle_text(self) -> str:
        cycle, names = self.result.answer.cycle, self.result.problem.graph.names
        if not cycle:
            return ""
        total = data.weight(self.result.problem, data.edges_of(cycle, closed=True))
        way = TO.join(names[vertex] for vertex in (*cycle, cycle[0]))
        return f"Negative cycle {way} weighs {result_text.number(round(total, 6))}: there are no shortest paths"

    def _describe(self) -> None:
        self.legend.show_items(tuple(self._items()) if self.shown is not None else ())

    def _items(self) -> list[LegendItem]:
        colours, (low, high) = theme.active(), self.shown.ends
        shades = pg.colormap.get(paint.MAP).map(np.linspace(1, 0, SHADES), mode="qcolor")
        what = "distance" if self.result.answer.distances is not None else "weight"
        words = f"{what} {result_text.number(round(low, 3))} to {result_text.number(round(high, 3))}"
        found = [LegendItem("gradient", words, tuple(shade.name() for shade in shades))]
        found.append(LegendItem("fill", "no path", (colours.border,)))
        cycle = bool(self.result.answer.cycle)
        found.append(LegendItem("line", "negative cycle" if cycle else "shortest path", (colours.path,)))
        if self.shown.stage.improved is not None:
            count = int(self.shown.stage.improved.sum())
            found.append(LegendItem("fill", f"{counted(count, 'pair')} nearer by this vertex", (colours.recomputed,)))
        return found
