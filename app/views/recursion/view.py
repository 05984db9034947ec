"""RecursionView: the recursion of PartTree as a map, and the distances of one of its groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QSplitter

from antidiag.app import theme
from antidiag.app.kit.canvas.moved_canvas import MovedCanvas
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.widgets import tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.recursion import distance_areas, level_bands
from antidiag.app.views.recursion.distance_areas import DistanceAreas
from antidiag.app.views.recursion.level_bands import LevelBands
from antidiag.app.views.recursion.line_window import LineWindow
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.splitting.recursion_map import RecursionMap, make_recursion_map, measure_distances

MOST_IMMEDIATE = 5000  # more selected sequences are found on a thread
BATCH = 1000  # names between two checks for cancellation
MOST_CHOSEN = 200_000  # most sequences that a click selects


class RecursionView(PaintedView):
    """A band for each level, and below the distances between references and sequences of the chosen group."""

    id = "recursion"
    title = "Recursion"
    hint = "Click a reference to see its group and select its sequences; wheel to zoom, drag to move, F to show all"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.bands: LevelBands | None = None
        self.areas: DistanceAreas | None = None
        self._places: dict[str, int] = {}
        self.map_canvas = MovedCanvas(self._draw_upper, arrows=True)
        self.distance_canvas = MovedCanvas(self._draw_lower, arrows=True)
        self.map_canvas.setAccessibleName("Map of the recursion")
        self.distance_canvas.setAccessibleName("Distances of references and sequences")
        for canvas in (self.map_canvas, self.distance_canvas):
            canvas.setMinimumHeight(90)
        self._mapping = LatestTask(self, self._take_map, lambda error: self.show_status(str(error)))
        self._tiling = LatestTask(self, self._take_tiles, lambda error: self.show_status(str(error)))
        self._marking = LatestTask(self, self._take_marks)
        self._build()
        self.view_state.keep_place("group", self._chosen_group, self._restore_group)
        self.view_state.keep_place("windows", self._list_windows, self._restore_windows)

    @property
    def has_content(self) -> bool:
        """Whether the map of the recursion is there."""
        return self.bands is not None

    @property
    def _line_windows(self) -> tuple[LineWindow, LineWindow, LineWindow]:
        """The visible part of the map, and of the rows and columns of the distances."""
        return self.bands.window, self.areas.rows, self.areas.columns

    def _chosen_group(self) -> int:
        return int(self.bands.chosen)

    def _restore_group(self, split: int) -> None:
        if 0 <= split < len(self.bands.map.splits):
            self.choose_group(split)

    def _list_windows(self) -> list[list[float]]:
        return [[float(window.low), float(window.high)] for window in self._line_windows]

    def _restore_windows(self, spans: list[list[float]]) -> None:
        for window, (low, high) in zip(self._line_windows, spans, strict=True):
            window.show_span(low, high)
        self._update_canvases()

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, PartTreeAnswer) and len(result.answer.splits) > 0

    @property
    def sharp(self) -> bool:
        """Whether map and tiles are computed."""
        return not (self._mapping.busy or self._tiling.busy or self._marking.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the recursion of a result, or nothing."""
        result = result if result is not None and self.shows(result) else None
        if result is not None and result is self.result:
            return
        self._mapping.cancel()
        self._tiling.cancel()
        self.result, self.bands, self.areas, self._places = result, None, None, {}
        self._tools.setEnabled(False)
        if result is not None:
            answer, problem = result.answer, result.problem
            self._mapping.request(lambda monitor: _read_map(answer, problem))
        self._update_legend()
        self.show_status("")
        self._update_canvases()

    def choose_group(self, split: int) -> None:
        """Show the distances of a group."""
        if self.bands is None or self.result is None:
            return
        self._tiling.cancel()
        self.bands.chosen = split
        self.areas = DistanceAreas(self.result.problem, self.bands.map, split)
        self._update_legend()
        self._update_canvases()

    def choose_parent(self) -> None:
        """Choose the group that contains the chosen group."""
        if self.bands is not None and (above := int(self.bands.map.parent[self.bands.chosen])) >= 0:
            self.choose_group(int(self.bands.map.references[above, 0]))

    def fit(self) -> None:
        """Show everything."""
        if self.bands is not None and self.areas is not None:
            self.bands.window.fit()
            self.areas.rows.fit()
            self.areas.columns.fit()
            self._update_canvases()

    def table_text(self) -> str:
        """Return a table with a line for each level: groups, references, and the distances of the three areas."""
        if self.bands is None:
            return ""
        lines = ["level\tgroups\tlargest\tpicks\treferences\tarea 1\tarea 2\tarea 3"]
        splits = self.bands.map.splits
        for level in range(int(splits[:, 0].max()) + 1):
            own = splits[splits[:, 0] == level]
            _, _, members, picks, kept = own.T
            counts = (level + 1, len(own), members.max(), picks.sum(), kept.sum())
            distance_counts = (members.sum(), (kept * kept).sum(), (kept * (members - kept)).sum())
            lines.append("\t".join(str(int(value)) for value in (*counts, *distance_counts)))
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy the table of the levels to the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.show_status("Copied the table of the levels")

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw levels and distances, for a figure."""
        upper, lower = self.map_canvas.height(), self.distance_canvas.height()
        high = area.height() * upper / max(upper + lower, 1)
        self._draw_upper(painter, QRectF(area.left(), area.top(), area.width(), high))
        self._draw_lower(painter, QRectF(area.left(), area.top() + high, area.width(), area.height() - high))

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        self._update_canvases()
        self._update_legend()

    def _build(self) -> None:
        for text, tip, done in (
            ("Fit", "Show everything (F)", self.fit),
            ("Group above", "Go to the group that contains the chosen group", self.choose_parent),
            ("Copy table", "Copy groups, references and distances of each level", self.copy_table),
        ):
            self.tools.addWidget(tool_button(text, tip, done))
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.map_canvas)
        both.addWidget(self.distance_canvas)
        both.setSizes([300, 260])
        both.setChildrenCollapsible(False)
        self.build_layout(both)
        self._tools.setEnabled(False)
        self.map_canvas.pointed.connect(self._point_upper)
        self.map_canvas.clicked.connect(self._click_upper)
        self.map_canvas.moved.connect(self._step_group)
        self.distance_canvas.pointed.connect(self._point_lower)
        self.distance_canvas.clicked.connect(self._click_lower)
        for canvas in (self.map_canvas, self.distance_canvas):
            canvas.zoomed.connect(partial(self._zoom_canvas, canvas))
            canvas.dragged.connect(partial(self._drag_canvas, canvas))
            canvas.fit_wanted.connect(self.fit)
        self.selection.taxa_changed.connect(lambda _: self._mark_selected())

    def _take_map(self, made: tuple[RecursionMap | None, dict[str, int]]) -> None:
        found, self._places = made
        if found is not None and self.result is not None:
            self.bands = LevelBands(found, self.result.problem.names)
            self._tools.setEnabled(True)
            self.choose_group(0)
            self._mark_selected()
            self.view_state.resume()
        self._update_canvases()

    def _take_tiles(self, made: tuple[DistanceAreas, dict[Any, np.ndarray]]) -> None:
        owner, tiles = made
        if owner is self.areas:
            owner.store_tiles(tiles)
            self._update_legend()
            self.distance_canvas.update()

    def _draw_upper(self, painter: QPainter, area: QRectF) -> None:
        if self.bands is not None:
            self.bands.draw_bands(painter, area)
            return
        painter.setPen(QColor(theme.active().muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty_text())

    def _empty_text(self) -> str:
        if self.result is None:
            return "Run PartTree to see its recursion: the references of each level, and the groups that joined them."
        if self._mapping.busy:
            return "Computing the map\u2026"
        return "This file has the tree without its references. Run the method again to see the recursion."

    def _draw_lower(self, painter: QPainter, area: QRectF) -> None:
        if self.areas is None:
            return
        self.areas.draw_areas(painter, area)
        own, wanted = self.areas, self.areas.missing_tiles(area) if not self.areas.is_even else []
        if wanted and not self._tiling.busy:
            self._tiling.request(lambda monitor: (own, own.compute_tiles(wanted, monitor)))

    def _point_upper(self, place: QPointF | None) -> None:
        if self.bands is None:
            return
        found = self.bands.reference_at(QRectF(self.map_canvas.rect()), place) if place is not None else None
        if found != self.bands.pointed:
            self.bands.pointed = found
            self.map_canvas.update()
        self.show_status("" if found is None else self._reference_text(found))

    def _click_upper(self, place: QPointF) -> None:
        found = self.bands.reference_at(QRectF(self.map_canvas.rect()), place) if self.bands is not None else None
        if found is None or self.bands is None or self.result is None:
            self.selection.choose_taxa(())
            return
        split, _, joined, below = self.bands.map.references[found].tolist()
        self.choose_group(below if below >= 0 else split)
        if joined > MOST_CHOSEN:
            self.show_status(f"{joined:,} sequences are too many to select; {self._reference_text(found)}")
            return
        start, names = int(self.bands.map.starts[found]), self.result.problem.names
        self.selection.choose_taxa(names[taxon] for taxon in self.bands.map.order[start : start + joined].tolist())

    def _zoom_canvas(self, canvas: MovedCanvas, zoom: tuple[float, QPointF]) -> None:
        picture: LevelBands | DistanceAreas = self.bands if canvas is self.map_canvas else self.areas
        if picture is not None:
            picture.zoom_at(QRectF(canvas.rect()), *zoom)
            canvas.update()

    def _drag_canvas(self, canvas: MovedCanvas, by: QPointF) -> None:
        picture: LevelBands | DistanceAreas = self.bands if canvas is self.map_canvas else self.areas
        if picture is not None:
            picture.move_by(QRectF(canvas.rect()), by)
            canvas.update()

    def _step_group(self, step: tuple[int, int]) -> None:
        """Go up to the group above, down to the largest part, or sideways to the next group of the level."""
        if self.bands is None:
            return
        found, chosen = self.bands.map, self.bands.chosen
        if step == (-1, 0):
            self.choose_parent()
        elif step == (1, 0):
            own = found.references[found.first[chosen] : found.first[chosen + 1]]
            parts = own[own[:, 3] >= 0]
            if len(parts):
                self.choose_group(int(parts[np.argmax(parts[:, 2]), 3]))
        else:
            band = found.references[found.bands[int(found.splits[chosen, 0])], 0]
            groups = list(dict.fromkeys(band.tolist()))
            self.choose_group(groups[min(max(groups.index(chosen) + step[1], 0), len(groups) - 1)])

    def _point_lower(self, place: QPointF | None) -> None:
        if self.areas is None or self.result is None:
            return
        cell = self.areas.cell_at(QRectF(self.distance_canvas.rect()), place) if place is not None else None
        if cell != self.areas.pointed:
            self.areas.pointed = cell
            self.distance_canvas.update()
        self.show_status("" if cell is None else self._distance_text(cell))

    def _click_lower(self, place: QPointF) -> None:
        cell = self.areas.cell_at(QRectF(self.distance_canvas.rect()), place) if self.areas is not None else None
        if cell is not None and self.areas is not None and self.result is not None:
            names = self.result.problem.names
            self.selection.choose_taxa((names[self.areas.references[cell[0]]], names[self.areas.members[cell[1]]]))

    def _mark_selected(self) -> None:
        self._marking.cancel()
        if self.bands is None:
            return
        chosen, places = self.selection.taxa, self._places
        if len(chosen) > MOST_IMMEDIATE:
            self._marking.request(lambda monitor: _find_positions(chosen, places, monitor))
        else:
            self._take_marks(_find_positions(chosen, places, Monitor()))

    def _take_marks(self, marked: np.ndarray) -> None:
        if self.bands is not None:
            self.bands.marked = marked
            self.map_canvas.update()

    def _reference_text(self, reference: int) -> str:
        if self.bands is None or self.result is None:
            return ""
        split, sequence, joined, _ = self.bands.map.references[reference].tolist()
        level, pivot, members, picks, kept = self.bands.map.splits[split].tolist()
        names = self.result.problem.names
        group = f"one of {kept:,} references ({picks:,} picks) of" if kept else "one of"
        own = ", its pivot" if sequence == pivot else ""
        who = f"{joined:,} sequences joined it" if joined > 1 else "no other sequence joined it"
        return f"{names[sequence]}: level {level + 1}, {group} a group of {members:,}{own}; {who}"

    def _distance_text(self, cell: tuple[int, int]) -> str:
        own = self.areas
        if own is None or self.result is None:
            return ""
        reference, sequence = own.references[cell[0] : cell[0] + 1], own.members[cell[1] : cell[1] + 1]
        names, area = self.result.problem.names, 1 if cell[0] == 0 else 2 if cell[1] < own.references.size else 3
        away = (
            float(measure_distances(self.result.problem, reference, sequence)[0, 0])
            if own.largest_distance
            else float("nan")
        )
        return f"area {area}: reference {names[reference[0]]}, sequence {names[sequence[0]]}, distance {away:.4g}"

    def _update_canvases(self) -> None:
        self.map_canvas.update()
        self.distance_canvas.update()

    def _update_legend(self) -> None:
        if self.bands is None:
            self.legend.show_items(())
            return
        size = self.bands.map.size
        items = [
            LegendItem("gradient", f"1 to {size:,} sequences per reference", heat_map.legend_colours(level_bands.MAP)),
            LegendItem("outline", "chosen group", (theme.active().path,)),
            LegendItem("outline", "area 1: pivot to all", (distance_areas.area_colour(1),)),
            LegendItem("outline", "area 2: between references", (distance_areas.area_colour(2),)),
            LegendItem("outline", "area 3: references to others", (distance_areas.area_colour(3),)),
        ]
        if self.areas is not None and self.areas.largest_distance > 0:
            items.append(
                LegendItem(
                    "gradient",
                    f"distance 0 to {self.areas.largest_distance:.3g}",
                    heat_map.legend_colours(distance_areas.MAP),
                )
            )
        self.legend.show_items(tuple(items))


def _find_positions(chosen: Collection[str], places: Mapping[str, int], monitor: Monitor) -> np.ndarray:
    """Return the positions of sequences with these names, int64, ascending."""
    found = []
    for number, name in enumerate(chosen):
        if number % BATCH == 0:
            monitor.check()
        if (place := places.get(name)) is not None:
            found.append(place)
    return np.sort(np.array(found, np.int64))


def _read_map(answer: PartTreeAnswer, problem: PartTreeProblem) -> tuple[RecursionMap | None, dict[str, int]]:
    """Return the map, and the position of every different sequence by its name."""
    found = make_recursion_map(answer)
    if found is None:
        return None, {}
    names = problem.names
    return found, {names[sequence]: place for place, sequence in enumerate(found.order.tolist())}
