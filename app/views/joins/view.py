"""JoinsView: animates the joins of a tree beside its distance matrix."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QMenu, QSizePolicy, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.controls.widgets import add_choice_section, create_label, menu_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.results.result_text import format_number
from antidiag.app.kit.selection import Selection
from antidiag.app.views.joins import paint
from antidiag.app.views.joins.paint import JoinsLayout, JoinsMoment
from antidiag.app.views.joins.scene import MOST_TAXA, build_scene
from antidiag.kernels.model import Result
from antidiag.kernels.trees.problem import TreeProblem

SPEEDS = 0.25, 0.5, 1.0, 2.0, 5.0, 20.0
"""Joins per second."""
KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_End)


class JoinsCanvas(QWidget):
    """Draws a moment; ``hovered`` and ``clicked`` give the two clusters of a cell, or the same one twice for a row."""

    hovered = Signal(object)
    clicked = Signal(object, object)
    key_pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.shown_moment: JoinsMoment | None = None
        self.layout_: JoinsLayout | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.LEAST_PICTURE)
        self.setAccessibleName("Joins of the tree, and distances of its clusters")

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return the clusters of the row and the column at a position; outside the matrix the row's cluster twice."""
        if self.shown_moment is None or self.layout_ is None:
            return None
        found, at, taxa = self.layout_, self.shown_moment.finished_joins, len(self.shown_moment.scene.names)
        row = found.row_at(place.y())
        column = int((place.x() - found.matrix.left()) // found.row)
        if not 0 <= row < taxa or column >= taxa:
            return None
        first = self.shown_moment.scene.node_of(row, at)
        return first, self.shown_moment.scene.node_of(column, at) if column >= 0 else first

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self.shown_moment is None:
            return
        self.layout_ = paint.paint_moment(painter, self.shown_moment, self.width(), self.height(), theme.active())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(theme.active().accent))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def mouseMoveEvent(self, event) -> None:
        self.hovered.emit(self.cell_at(event.position()))

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.cell_at(event.position()), event.modifiers())

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        # These keys belong to the focused animation, not to the window's shortcuts.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in KEYS:
            self.key_pressed.emit(Qt.Key(event.key()))
        else:
            event.ignore()


class JoinsView(PaintedView):
    """Plays the joins; clusters and distances are linked with all views."""

    id = "joins"
    title = "Joins"
    canvas: JoinsCanvas

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.map_name = "viridis"
        self.canvas, self.description = JoinsCanvas(), create_label(wrap=True)
        self.player = Player("Joins made", fluid=True)
        self.player.offer_speeds({f"{speed:g} joins/s": speed for speed in SPEEDS}, SPEEDS.index(1))
        self._add_tools()
        self.player.moved.connect(self._show_moment)
        self.canvas.hovered.connect(self._on_hover)
        self.canvas.clicked.connect(self._on_click)
        self.canvas.key_pressed.connect(self.player.handle_key)
        selection.taxa_changed.connect(self._on_taxa)
        self.show_result(None)
        self.view_state.keep_attribute("map_name", self, self.set_map, self._map_menu)
        self.view_state.keep_choice("values", self.value_box, place=True)
        self.view_state.keep_player(self.player)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.problem, TreeProblem) and 2 <= result.problem.taxa <= MOST_TAXA

    @property
    def current_moment(self) -> JoinsMoment | None:
        """The shown moment; None without a result."""
        return self.canvas.shown_moment

    def show_result(self, result: Result | None) -> None:
        """Show the joins of a result from the first one, or nothing; an already shown result stays as it is."""
        found = result if result is not None and self.shows(result) else None
        if found is None or found is not self.result:
            self.player.pause()
            self.canvas.shown_moment = None
            if found is not None:
                made = build_scene(found.problem.matrix, found.answer.joins)
                self.canvas.shown_moment = JoinsMoment(made, map_name=self.map_name, selected_taxa=self.selection.taxa)
                self.value_box.setEnabled(not made.average)
                self.value_box.setCurrentIndex(0)
                self.player.set_last(made.last_step, 0)
        self.result = found
        self._tools.setEnabled(found is not None)
        self.player.setEnabled(found is not None)
        self._show_moment()

    def _show_moment(self) -> None:
        """Show the moment of the player."""
        if self.current_moment is not None:
            self.current_moment.time = self.player.position
            if not set(self.current_moment.hovered or ()) <= set(
                self.current_moment.scene.step_at(self.current_moment.finished_joins).nodes
            ):
                self.current_moment.hovered = None
        self._refresh()

    def set_criterion(self, on: bool) -> None:
        """Show the neighbor-joining criterion Q instead of distances."""
        if self.current_moment is not None:
            self.current_moment.criterion = on
        self._refresh()

    def set_map(self, name: str) -> None:
        """Use another colour map."""
        self.map_name = name
        if self.current_moment is not None:
            self.current_moment.map_name = name
        self._refresh()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the picture of the current step."""
        paint.paint_moment(painter, self.current_moment, area.width(), area.height(), theme.active())

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return self.description.text()

    def _add_tools(self) -> None:
        self.value_box = QComboBox()
        self.value_box.addItems(["Distances", "Criterion Q"])
        self.value_box.setToolTip("Distances of clusters, or the criterion Q, which is least for the joined pair")
        self.value_box.setAccessibleName("Values of the matrix")
        self.value_box.currentIndexChanged.connect(lambda index: self.set_criterion(index == 1))
        maps = self._map_menu = QMenu(self)
        add_choice_section(maps, "Colour map", heat_map.COLOUR_MAPS, self.map_name, self.set_map)
        self.tools.addWidget(self.value_box)
        self.tools.addWidget(menu_button("Colours", "Colours of the matrix", maps))
        self.build_layout(self.canvas)
        rows = cast(QVBoxLayout, self.layout())
        rows.insertWidget(0, self.player)
        rows.insertWidget(2, self.description)
        self.status.hide()
        self.description.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.description.setAlignment(Qt.AlignmentFlag.AlignTop)

    def _refresh(self) -> None:
        self.canvas.update()
        moment = self.current_moment
        if moment is None:
            for widget in (self.description, self.player.label):
                widget.setText("")
            self.legend.show_items(())
            return
        at, end = moment.finished_joins, moment.scene.last_step
        self.player.label.setText(f"{at:,} of {end:,}")
        self.description.setText(
            self._describe_pair(moment.hovered) if moment.hovered else moment.scene.describe_step(at)
        )
        what = "Q" if moment.criterion and not moment.scene.average else "distance"
        low, high = (
            format_number(float(heat_map.short_number(level).replace("\u2212", "-")))
            for level in moment.colour_levels(at)
        )
        items = [LegendItem("gradient", f"{what} {low} to {high}", heat_map.legend_colours(moment.map_name))]
        if moment.scene.next_clusters(at):
            items.append(LegendItem("outline", "joined next", (theme.active().path,)))
        self.legend.show_items(tuple(items))

    def _describe_pair(self, pair: tuple[int, int]) -> str:
        """Describe the distance, and for neighbor joining Q, of two clusters."""
        scene_, at = self.current_moment.scene, self.current_moment.finished_joins
        step, names = scene_.step_at(at), [scene_.cluster_label(node) for node in pair]
        if pair[0] == pair[1]:
            count = len(scene_.cluster_taxa(pair[0]))
            return f"{names[0]}: a cluster of {count:,} taxa" if count > 1 else names[0]
        i, j = (step.nodes.index(node) for node in pair)
        distance = f"{names[0]} and {names[1]}: distance {heat_map.short_number(float(step.values[i, j]))}"
        return distance if scene_.average else f"{distance}, Q {heat_map.short_number(float(step.criterion[i, j]))}"

    def _on_hover(self, pair: tuple[int, int] | None) -> None:
        if self.current_moment is not None and self.current_moment.hovered != pair:
            self.current_moment.hovered = pair
            self._refresh()

    def _on_click(self, pair: tuple[int, int] | None, modifiers: Qt.KeyboardModifier) -> None:
        if self.current_moment is None:
            return
        names = {name for node in pair or () for name in self.current_moment.scene.cluster_taxa(node)}
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.selection.choose_taxa(names | self.selection.taxa if modifiers & more else names)

    def _on_taxa(self, names: frozenset[str]) -> None:
        if self.current_moment is not None:
            self.current_moment.selected_taxa = names
            self.canvas.update()
