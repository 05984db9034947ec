"""RecursionView: the recursion of PartTree as a map, and the distances of any of its groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QSplitter

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.painted_view import PaintedView
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.recursion import areas, bands
from antidiag.app.views.recursion.areas import Areas
from antidiag.app.views.recursion.bands import Bands
from antidiag.app.views.recursion.canvas import MovedCanvas
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.recursion_map import RecursionMap, distances, recursion_map

AT_ONCE = 5000
"""Names of chosen sequences that are looked for at once."""
BATCH = 1000
"""Names that are looked for between two looks whether somebody wants others."""
MOST_CHOSEN = 200_000
"""Sequences of a group that are chosen by a click."""


class RecursionView(PaintedView):
    """Above a band for each level, below the references of the chosen group by its sequences."""

    id = "recursion"
    title = "Recursion"
    hint = ("Click a reference to see the group that joined it and to select its sequences; wheel to zoom, drag to "
            "move, F shows everything")  # fmt: skip

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.bands: Bands | None = None
        self.areas: Areas | None = None
        self._places: dict[str, int] = {}
        self.map_canvas = MovedCanvas(self._draw_upper, "Map of the recursion")
        self.distance_canvas = MovedCanvas(self._draw_lower, "Distances of references and sequences")
        self._mapping, self._tiling, self._marking = Latest(self), Latest(self), Latest(self)
        self._build()

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, PartTreeAnswer) and len(result.answer.splits) > 0

    @property
    def sharp(self) -> bool:
        """Whether map and tiles are there."""
        return not (self._mapping.busy or self._tiling.busy or self._marking.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the recursion of a result, or nothing."""
        if result is not None and not self.shows(result):
            result = None
        if result is not None and result is self.result:
            return
        self._mapping.cancel()
        self._tiling.cancel()
        self.result, self.bands, self.areas, self._places = result, None, None, {}
        self._tools.setEnabled(False)
        if result is not None:
            answer, problem = result.answer, result.problem
            self._mapping.request(lambda monitor: _mapped(answer, problem))
        self._describe()
        self.say("")
        self._update()

    def choose(self, split: int) -> None:
        """Show the distances of a group."""
        if self.bands is None or self.result is None:
            return
        self._tiling.cancel()
        self.bands.chosen = split
        self.areas = Areas(self.result.problem, self.bands.map, split)
        self._describe()
        self._update()

    def up(self) -> None:
        """Choose the group that the chosen one is a part of."""
        if self.bands is not None and (above := int(self.bands.map.parent[self.bands.chosen])) >= 0:
            self.choose(int(self.bands.map.references[above, 0]))

    def fit(self) -> None:
        """Show everything."""
        if self.bands is not None and self.areas is not None:
            self.bands.window.fit()
            self.areas.rows.fit()
            self.areas.columns.fit()
            self._update()

    def table_text(self) -> str:
        """A line for each level: its groups, the largest, references, and the distances of the three areas."""
        if self.bands is None:
            return ""
        lines = ["level\tgroups\tlargest\tpicks\treferences\tarea 1\tarea 2\tarea 3"]
        splits = self.bands.map.splits
        for level in range(int(splits[:, 0].max()) + 1):
            own = splits[splits[:, 0] == level]
            _, _, members, picks, kept = own.T
            values = (level + 1, len(own), members.max(), picks.sum(), kept.sum(), members.sum(), (kept * kept).sum(),
                      (kept * (members - kept)).sum())  # fmt: skip
            lines.append("\t".join(str(int(value)) for value in values))
        return "\n".join(lines) + "\n"

    def copy_table(self) -> None:
        """Copy the table of the levels, for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text())
        self.say("Copied the table of the levels")

    def draw(self, painter: QPainter, area: QRectF) -> None:
        high = (
            area.height() * self.map_canvas.height() / max(self.map_canvas.height() + self.distance_canvas.height(), 1)
        )
        self._draw_upper(painter, QRectF(area.left(), area.top(), area.width(), high))
        self._draw_lower(painter, QRectF(area.left(), area.top() + high, area.width(), area.height() - high))

    def restyle(self) -> None:
        self._update()
        self._describe()

    def _build(self) -> None:
        for text, tip, done in (
            ("Fit", "Show everything (F)", self.fit),
            ("Group above", "The group that the chosen one is a part of", self.up),
            ("Copy table", "Copy groups, references and distances of every level", self.copy_table),
        ):
            self.tools.addWidget(tool_button(text, tip, done))
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.map_canvas)
        both.addWidget(self.distance_canvas)
        both.setSizes([300, 260])
        both.setChildrenCollapsible(False)
        self.lay_out(both)
        self._tools.setEnabled(False)
        self._mapping.finished.connect(self._take_map)
        self._mapping.failed.connect(lambda error: self.say(str(error)))
        self._tiling.finished.connect(self._take_tiles)
        self._tiling.failed.connect(lambda error: self.say(str(error)))
        self._marking.finished.connect(self._take_marks)
        self.map_canvas.pointed.connect(self._point_upper)
        self.map_canvas.clicked.connect(self._click_upper)
        self.map_canvas.zoomed.connect(self._zoom_upper)
        self.map_canvas.dragged.connect(self._drag_upper)
        self.map_canvas.moved.connect(self._step)
        self.distance_canvas.pointed.connect(self._point_lower)
        self.distance_canvas.clicked.connect(self._click_lower)
        self.distance_canvas.zoomed.connect(self._zoom_lower)
        self.distance_canvas.dragged.connect(self._drag_lower)
        for canvas in (self.map_canvas, self.distance_canvas):
            canvas.fitted.connect(self.fit)
        self.selection.taxa_changed.connect(lambda _: self._mark())

    def _take_map(self, made: tuple[RecursionMap | None, dict[str, int]]) -> None:
        found, self._places = made
        if found is not None and self.result is not None:
            self.bands = Bands(found, self.result.problem.names)
            self._tools.setEnabled(True)
            self.choose(0)
            self._mark()
        self._update()

    def _take_tiles(self, made: tuple[Areas, dict[Any, np.ndarray]]) -> None:
        of, tiles = made
        if of is self.areas:
            of.take(tiles)
            self._describe()
            self.distance_canvas.update()

    def _draw_upper(self, painter: QPainter, area: QRectF) -> None:
        if self.bands is not None:
            self.bands.draw(painter, area)
            return
        painter.setPen(QColor(theme.active().muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty_text())

    def _empty_text(self) -> str:
        if self.result is None:
            return "Run PartTree, and its recursion stands here: which references at which level, and who joined them."
        if self._mapping.busy:
            return "Making the map ..."
        return "This file has the tree without its references: run the method again to see the recursion."

    def _draw_lower(self, painter: QPainter, area: QRectF) -> None:
        if self.areas is None:
            return
        self.areas.draw(painter, area)
        own, wanted = self.areas, self.areas.wanted(area) if not self.areas.even else []
        if wanted and not self._tiling.busy:
            self._tiling.request(lambda monitor: (own, own.computed(wanted, monitor)))

    def _point_upper(self, place: QPointF | None) -> None:
        if self.bands is None:
            return
        found = self.bands.reference_at(self._upper_area, place) if place is not None else None
        if found != self.bands.pointed:
            self.bands.pointed = found
            self.map_canvas.update()
        self.say("" if found is None else self._told(found))

    def _click_upper(self, place: QPointF) -> None:
        found = self.bands.reference_at(self._upper_area, place) if self.bands is not None else None
        if found is None or self.bands is None or self.result is None:
            self.selection.choose_taxa(())
            return
        split, _, joined, below = self.bands.map.references[found].tolist()
        self.choose(below if below >= 0 else split)
        if joined > MOST_CHOSEN:
            self.say(f"{joined:,} sequences are too many to be selected; {self._told(found)}")
            return
        start, names = int(self.bands.map.starts[found]), self.result.problem.names
        self.selection.choose_taxa(names[at] for at in self.bands.map.order[start : start + joined].tolist())

    def _zoom_upper(self, how: tuple[float, QPointF]) -> None:
        if self.bands is not None:
            self.bands.window.zoom(how[0], self.bands.share(self._upper_area, how[1]), 4)
            self.map_canvas.update()

    def _drag_upper(self, by: QPointF) -> None:
        if self.bands is not None:
            self.bands.window.move(-by.x() / self.bands.plot(self._upper_area).width())
            self.map_canvas.update()

    def _step(self, step: tuple[int, int]) -> None:
        """Arrow keys: up to the group above, down to the largest part, sideways to the next group of the level."""
        if self.bands is None:
            return
        found, chosen = self.bands.map, self.bands.chosen
        if step == (-1, 0):
            self.up()
        elif step == (1, 0):
            own = found.references[found.first[chosen] : found.first[chosen + 1]]
            parts = own[own[:, 3] >= 0]
            if len(parts):
                self.choose(int(parts[np.argmax(parts[:, 2]), 3]))
        else:
            band = found.references[found.bands[int(found.splits[chosen, 0])], 0]
            groups = list(dict.fromkeys(band.tolist()))
            self.choose(groups[min(max(groups.index(chosen) + step[1], 0), len(groups) - 1)])

    def _point_lower(self, place: QPointF | None) -> None:
        if self.areas is None or self.result is None:
            return
        cell = self.areas.cell_at(self._lower_area, place) if place is not None else None
        if cell != self.areas.pointed:
            self.areas.pointed = cell
            self.distance_canvas.update()
        self.say("" if cell is None else self._distance_text(cell))

    def _click_lower(self, place: QPointF) -> None:
        cell = self.areas.cell_at(self._lower_area, place) if self.areas is not None else None
        if cell is not None and self.areas is not None and self.result is not None:
            names = self.result.problem.names
            self.selection.choose_taxa((names[self.areas.references[cell[0]]], names[self.areas.members[cell[1]]]))

    def _zoom_lower(self, how: tuple[float, QPointF]) -> None:
        if self.areas is not None:
            self.areas.zoom(self._lower_area, *how)
            self.distance_canvas.update()

    def _drag_lower(self, by: QPointF) -> None:
        if self.areas is not None:
            self.areas.move(self._lower_area, by)
            self.distance_canvas.update()

    def _mark(self) -> None:
        """Mark the places of chosen sequences, of very many as soon as a thread has found them."""
        self._marking.cancel()
        if self.bands is None:
            return
        chosen, places = self.selection.taxa, self._places
        if len(chosen) > AT_ONCE:
            self._marking.request(lambda monitor: _marks(chosen, places, monitor))
        else:
            self._take_marks(_marks(chosen, places, Monitor()))

    def _take_marks(self, marked: np.ndarray) -> None:
        if self.bands is not None:
            self.bands.marked = marked
            self.map_canvas.update()

    def _told(self, reference: int) -> str:
        """A reference and its group, in words."""
        if self.bands is None or self.result is None:
            return ""
        split, sequence, joined, _ = self.bands.map.references[reference].tolist()
        level, pivot, members, picks, kept = self.bands.map.splits[split].tolist()
        names = self.result.problem.names
        group = f"one of {kept:,} references ({picks:,} picks) of" if kept else "one of"
        own = ", its pivot" if sequence == pivot else ""
        who = f"{joined:,} sequences joined it" if joined > 1 else "nobody joined it"
        return f"{names[sequence]}: level {level + 1}, {group} a group of {members:,}{own}; {who}"

    def _distance_text(self, cell: tuple[int, int]) -> str:
        own = self.areas
        if own is None or self.result is None:
            return ""
        reference, sequence = own.references[cell[0] : cell[0] + 1], own.members[cell[1] : cell[1] + 1]
        names, area = self.result.problem.names, 1 if cell[0] == 0 else 2 if cell[1] < own.references.size else 3
        away = float(distances(self.result.problem, reference, sequence)[0, 0]) if own.most else float("nan")
        return f"area {area}: reference {names[reference[0]]}, sequence {names[sequence[0]]}, distance {away:.4g}"

    @property
    def _upper_area(self) -> QRectF:
        return QRectF(self.map_canvas.rect())

    @property
    def _lower_area(self) -> QRectF:
        return QRectF(self.distance_canvas.rect())

    def _update(self) -> None:
        self.map_canvas.update()
        self.distance_canvas.update()

    def _describe(self) -> None:
        if self.bands is None:
            self.legend.show_items(())
            return
        size = self.bands.map.size
        items = [
            LegendItem("gradient", f"1 to {size:,} sequences joined a reference", heat.swatches(bands.MAP)),
            LegendItem("outline", "chosen group", (theme.active().path,)),
            LegendItem("outline", "area 1: the pivot and all", (areas.colour_of(1),)),
            LegendItem("outline", "area 2: between references", (areas.colour_of(2),)),
            LegendItem("outline", "area 3: references and the others", (areas.colour_of(3),)),
        ]
        if self.areas is not None and self.areas.most > 0:
            items.append(LegendItem("gradient", f"distance 0 to {self.areas.most:.3g}", heat.swatches(areas.MAP)))
        self.legend.show_items(tuple(items))


def _marks(chosen: Collection[str], places: Mapping[str, int], monitor: Monitor) -> np.ndarray:
    """The places of sequences of these names, int64 ascending."""
    found = []
    for number, name in enumerate(in_turns(chosen)):
        if number % BATCH == 0:
            monitor.check()
        if (place := places.get(name)) is not None:
            found.append(place)
    return np.sort(np.array(found, np.int64))


def _mapped(answer: PartTreeAnswer, problem: PartTreeProblem) -> tuple[RecursionMap | None, dict[str, int]]:
    """The map, and the place of every different sequence by its name."""
    found = recursion_map(answer)
    if found is None:
        return None, {}
    names = problem.names
    return found, {names[sequence]: place for place, sequence in enumerate(in_turns(found.order.tolist()))}
