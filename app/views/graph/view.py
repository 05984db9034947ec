"""GraphView: the distances between all vertices as a heat map, step by step, and the shortest path of a pair."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QTimer
from PySide6.QtGui import QPainter

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PaintedView, PictureCanvas
from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.graph import graph_drawing
from antidiag.app.views.graph.graph_drawing import DrawnPaths
from antidiag.kernels.graphs import path_matrices
from antidiag.kernels.graphs.path_matrices import Edge, PathMatrix
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

PLAY_MS, REST_MS = 700, 30
WHOLE_S = 20.0  # longest time to play all steps
SLIDER_WIDTH, STEP_WIDTH = 190, 150
TO = " \u2192 "


class GraphView(PaintedView):
    """The matrix after each intermediate vertex, the path of the selected pair, and a drawing of a small graph."""

    id = "graph"
    title = "Shortest paths"
    hint = "Click an entry, or two vertices, for a shortest path; arrow keys move, Play adds vertices one after another"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.shown: DrawnPaths | None = None
        self._start_vertex: int | None = None
        self._staging = LatestTask(self, self._show_stage, lambda error: self.show_status(str(error)))
        self._path_work = LatestTask(self, self._show_path)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self.player = Player("Intermediate vertices", step_buttons=False)
        self.player.is_ready = lambda: self.sharp
        self.player.play_button.setToolTip("Allow one more intermediate vertex in each step (Floyd-Warshall)")
        self.player.slider.setFixedWidth(SLIDER_WIDTH)
        self.player.label.setFixedWidth(STEP_WIDTH)
        self.tools.addWidget(self.player)
        self.plane = PictureCanvas(self.draw, arrows=True)
        self.plane.setAccessibleName("Matrix of distances")
        self.build_layout(self.plane)
        self.player.moved.connect(self._on_step)
        self._rest.timeout.connect(self._compute_stage)
        self.plane.pointed.connect(self._on_pointed)
        self.plane.clicked.connect(self._on_clicked)
        self.plane.moved.connect(self._on_moved)
        self.view_state.keep_player(self.player)
        self.view_state.keep_place("pair", self._chosen_pair, self._restore_pair)

    @property
    def has_content(self) -> bool:
        """Whether the distances are on the screen."""
        return self.shown is not None

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return path_matrices.shows_paths(result)

    @property
    def sharp(self) -> bool:
        """Whether the selected step is on the screen."""
        return not self._rest.isActive() and not self._staging.busy and not self._path_work.busy

    def show_result(self, result: Result | None) -> None:
        """Show the distances of a result, or nothing."""
        result = result if result is not None and self.shows(result) else None
        self.result, self._start_vertex = result, None
        self.player.pause()
        self._staging.cancel()
        self._path_work.cancel()
        self._tools.setEnabled(result is not None)
        self.shown = None
        steps = result is not None and path_matrices.has_stages(result.problem)
        n = result.problem.n if result and steps else 0
        self.player.setEnabled(bool(n))
        self.player.set_last(n, n)
        self.player.offer_speeds({"": max(1000 / PLAY_MS, n / WHOLE_S)})
        self._show_step()
        self._update_legend()
        self.show_status("")
        self.plane.update()
        if n:
            self._show_first_stage(PathMatrix.of_answer(result))
        elif result is not None and result.problem.n:
            self.show_status("Drawing the distances\u2026")
            self._staging.request(lambda monitor: PathMatrix.of_answer(result))

    def choose_pair(self, pair: Edge | None) -> None:
        """Select a pair and mark its shortest path."""
        if self.shown is not None:
            self.shown.chosen = pair
            self._find_path()

    def _chosen_pair(self) -> list[int] | None:
        chosen = self.shown.chosen if self.shown is not None else None
        return None if chosen is None else list(map(int, chosen))

    def _restore_pair(self, pair: list[int] | None) -> None:
        if pair is not None and all(0 <= vertex < self.shown.vertex_count for vertex in pair):
            self.choose_pair((pair[0], pair[1]))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw graph and matrix."""
        if self.shown is not None:
            graph_drawing.draw_paths(painter, area, self.shown, theme.active())

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        if self.shown is not None:
            self.shown.image = graph_drawing.matrix_image(self.shown.stage, self.shown.value_range, theme.active())
        super().apply_theme()
        self._update_legend()

    def _show_first_stage(self, stage: PathMatrix) -> None:
        problem = self.result.problem
        places = path_matrices.place_vertices(problem) if problem.n <= path_matrices.MOST_DRAWN else None
        ends = path_matrices.finite_range(stage.pixels)
        image = graph_drawing.matrix_image(stage, ends, theme.active())
        self.shown = DrawnPaths(self.result, stage, ends, image, places)
        names = problem.graph.names
        if problem.start in names and problem.end in names:
            self.shown.chosen = names.index(problem.start), names.index(problem.end)
        self._update_legend()
        self._find_path()
        self.view_state.resume()

    def _find_path(self) -> None:
        """Find the path of the pair under the mouse or of the selected pair; mark a negative cycle if there is one."""
        shown, result, cycle = self.shown, self.result, self.result.answer.cycle
        pair = shown.pointed or shown.chosen
        shown.marked, shown.path = path_matrices.path_edges(cycle, closed=True), ()
        self._path_work.cancel()
        if pair and not cycle and (pair == shown.chosen or shown.vertex_count <= path_matrices.MOST_POINTED):
            self._path_work.request(lambda monitor: path_matrices.shortest_path(result, *pair))
        self._show_status()

    def _show_path(self, way: tuple[int, ...]) -> None:
        self.shown.path, self.shown.marked = way, path_matrices.path_edges(way)
        self._show_status()

    def _show_status(self) -> None:
        pair = self.shown.pointed or self.shown.chosen
        self.show_status(self._pair_text(pair) if pair else self._cycle_text())
        self.plane.update()

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.shown is not None:
            entry = graph_drawing.entry_at(place, QRectF(self.plane.rect()), self.shown) if place else None
            if entry != self.shown.pointed:
                self.shown.pointed = entry
                self._find_path()

    def _on_clicked(self, place: QPointF) -> None:
        if self.shown is None:
            return
        area = QRectF(self.plane.rect())
        entry = graph_drawing.entry_at(place, area, self.shown)
        vertex = graph_drawing.vertex_at(place, area, self.shown)
        if vertex is not None:
            entry, self._start_vertex = (
                ((self._start_vertex, vertex), None) if self._start_vertex is not None else (None, vertex)
            )
        if entry is not None:
            self.choose_pair(entry)
        elif vertex is not None:
            self.choose_pair((vertex, vertex))
            self.show_status(f"From {self.result.problem.graph.names[vertex]}: click the end vertex")

    def _on_moved(self, step: tuple[int, int]) -> None:
        if self.shown is not None:
            u, v = self.shown.chosen or (0, 0)
            last = self.shown.vertex_count - 1
            self.choose_pair((min(max(u + step[0], 0), last), min(max(v + step[1], 0), last)))

    def _on_step(self) -> None:
        self._show_step()
        self._rest.start()

    def _compute_stage(self) -> None:
        if self.result is not None and self.shown is not None:
            problem, step = self.result.problem, self.player.step
            self._staging.request(lambda monitor: path_matrices.matrix_after(problem, step))

    def _show_stage(self, found: PathMatrix) -> None:
        if self.shown is None:
            self._show_first_stage(found)
            return
        self.shown.stage = found
        self.shown.image = graph_drawing.matrix_image(found, self.shown.value_range, theme.active())
        self._update_legend()
        self._find_path()

    def _show_step(self) -> None:
        problem, step = self.result.problem if self.result else None, self.player.step
        if problem is None or not self.player.isEnabled():
            self.player.label.setText("")
        elif step == 0:
            self.player.label.setText(" edges only")
        else:
            self.player.label.setText(f" {step:,} of {problem.n:,}: via {problem.graph.names[step - 1]}")

    def _pair_text(self, pair: Edge) -> str:
        (u, v), names = pair, self.result.problem.graph.names
        value = float(self.shown.stage.values[u, v])
        now = "no path" if not np.isfinite(value) else result_text.format_number(round(value, 6))
        parts = [f"{names[u]}{TO}{names[v]}: {now}"]
        path = self.shown.path
        if len(path) > 1:
            shown = [names[vertex] for vertex in path]
            shown = shown if len(shown) <= 12 else [*shown[:6], result_text.ELLIPSIS, *shown[-5:]]
            parts.append(f"path {TO.join(shown)} ({format_count(len(path) - 1, 'edge')})")
        return "   ".join([*parts, self._cycle_text()]).strip()

    def _cycle_text(self) -> str:
        cycle, names = self.result.answer.cycle, self.result.problem.graph.names
        if not cycle:
            return ""
        total = path_matrices.total_weight(self.result.problem, path_matrices.path_edges(cycle, closed=True))
        walk = TO.join(names[vertex] for vertex in (*cycle, cycle[0]))
        return f"No shortest paths: the cycle {walk} has negative weight {result_text.format_number(round(total, 6))}"

    def _update_legend(self) -> None:
        self.legend.show_items(tuple(self._legend_items()) if self.shown is not None else ())

    def _legend_items(self) -> list[LegendItem]:
        colours, (low, high) = theme.active(), self.shown.value_range
        what = "distance" if self.result.answer.distances is not None else "weight"
        words = f"{what} {result_text.format_number(round(low, 3))} to {result_text.format_number(round(high, 3))}"
        found = [LegendItem("gradient", words, heat_map.legend_colours(graph_drawing.MAP)[::-1])]
        found.append(LegendItem("fill", "no path", (colours.background,)))
        cycle = bool(self.result.answer.cycle)
        found.append(LegendItem("line", "negative cycle" if cycle else "shortest path", (colours.path,)))
        if self.shown.stage.improved is not None:
            pairs = format_count(int(self.shown.stage.improved.sum()), "pair")
            found.append(LegendItem("fill", f"{pairs} shortened by this vertex", (colours.recomputed,)))
        return found
