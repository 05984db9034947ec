"""DistancesView: a distance matrix as a heat map, in the order of a tree or of the file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QMenu

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.widgets import add_check_action, add_choice_section, menu_button, tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.distances import matrix_drawing
from antidiag.app.views.distances.canvas import DistancesCanvas
from antidiag.app.views.distances.matrix_drawing import DistanceHeatMap
from antidiag.kernels.io import distance_files
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trees.distances.problem import DistanceAnswer
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem
from antidiag.kernels.trees.tree_layout import TreeShape, lay_out_tree

ORDERS = {"tree": "Tree", "input": "Input", "name": "Name"}
MOST_ORDERED = 4000  # up to so many taxa, a tree is built to order the rows if the result has none
MOST_IMMEDIATE = 1000  # with more taxa, the range of the distances is found on a thread
Range = tuple[float, float]
FILE_FILTERS = {".csv": "CSV table (*.csv)", ".phy": "PHYLIP distance matrix (*.phy)"}
HINT = "Drag to move, wheel to zoom; click a cell, a name or a branch to select taxa"


class DistancesView(PaintedView):
    """The distance matrix that a method computed or read, or one that was opened from a file."""

    id = "distances"
    title = "Distances"
    canvas: DistancesCanvas

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.matrix: DistanceMatrix | None = None
        self.tree: Tree | None = None
        self._ordered = False
        self.order_by, self.map_name, self.stretch = "tree", "viridis", True
        self.canvas = DistancesCanvas()
        self._range_work = LatestTask(self, self._take_ranges)
        self._tree_work = LatestTask(self, self._take_tree, lambda error: self.status.setText(str(error)))
        self._build()
        self.canvas.pointed.connect(self._show_pair)
        self.canvas.clicked.connect(self._on_click)
        selection.taxa_changed.connect(lambda _: self._mark_selected())
        self.show_matrix(None)
        self._keep_state()

    @property
    def has_content(self) -> bool:
        """Whether the matrix is on the screen in its final order."""
        return self.canvas.picture is not None and self.sharp

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return matrix_of(result) is not None

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Return whether the view can show data."""
        return isinstance(datum, DistanceMatrix)

    @property
    def sharp(self) -> bool:
        """Whether the final order of the rows is shown."""
        return not (self._range_work.busy or self._tree_work.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the distances of a result, or nothing; a result that is shown already stays as it is."""
        matrix = matrix_of(result) if result is not None else None
        if matrix is None or result is not self.result:
            tree = result.answer.tree if result is not None and isinstance(result.answer, TreeAnswer) else None
            self.show_matrix(matrix, tree)
        self.result = result if matrix is not None else None

    def show_datum(self, datum: DistanceMatrix) -> None:
        """Show a matrix that no run made, such as one from a file."""
        self.result = None
        self.show_matrix(datum)

    def show_matrix(self, matrix: DistanceMatrix | None, tree: Tree | None = None) -> None:
        """Show a matrix, or nothing; ``tree`` orders its rows, and without one a tree is built in the background."""
        self._tree_work.cancel()
        self._range_work.cancel()
        self.matrix, self.tree, self._ordered = matrix, tree, False
        if matrix is not None and len(matrix) > MOST_IMMEDIATE:
            self._range_work.request(lambda monitor: find_ranges(matrix))
            self._show_rows()
        else:
            self._take_ranges(find_ranges(matrix))

    def _take_ranges(self, found: tuple[Range, Range]) -> None:
        """Show the matrix between these distances, and build a tree for the order of its rows."""
        matrix = self.matrix
        self._whole, self._stretched = found
        self._levels = self._stretched if self.stretch else self._whole
        if matrix is not None and self.tree is None and 2 < len(matrix) <= MOST_ORDERED:
            self._tree_work.request(lambda monitor: _build_upgma(matrix, monitor))
        self._show_rows()

    def order_rows(self, name: str) -> None:
        """Order the rows by the tree, by the input, or by name."""
        self.order_by = name
        self._show_rows()

    def set_map(self, name: str) -> None:
        """Use another colour map."""
        self.map_name = name
        if self.canvas.picture is not None:
            self.canvas.picture.map_name = name
        self._mark_selected()

    def set_stretch(self, on: bool) -> None:
        """Spread the colours over most values of a nearly uniform matrix, or over all of them."""
        self.stretch = on
        self._levels = self._stretched if on else self._whole
        if self.canvas.picture is not None:
            self.canvas.picture.levels = self._levels
        self._mark_selected()

    def set_option(self, name: str, on: bool) -> None:
        """Show or hide names (``labelled``) or numbers (``numbers``)."""
        if self.canvas.picture is not None:
            setattr(self.canvas.picture, name, on)
            if self.canvas.fitted:
                self.canvas.show_all()
            self.canvas.update()

    def ordered_matrix(self) -> DistanceMatrix:
        """Return the matrix with its rows in the displayed order."""
        order = self.canvas.picture.order
        names = tuple(self.matrix.names[taxon] for taxon in order.tolist())
        values = self.matrix.values[np.ix_(order, order)]
        return DistanceMatrix(names, values, self.matrix.name, self.matrix.source)

    def write_matrix(self, path: Path) -> None:
        """Write the matrix in the displayed order, as CSV or PHYLIP by its suffix; raise InputError on failure."""
        distance_files.write_distances(path, self.ordered_matrix())

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the heat map, for a figure."""
        matrix_drawing.draw_matrix(
            painter, self.canvas.picture, self.canvas.view, theme.active(), matrix_drawing.FINEST
        )

    def copy_table(self) -> None:
        """Copy the matrix to the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText("".join(distance_files.csv_lines(self.ordered_matrix(), "\t")))

    @property
    def named_subject(self) -> Any:
        """The result or the matrix that files are named after."""
        return self.result or self.matrix

    def save_matrix(self) -> None:
        """Ask for a file and write the matrix in the displayed order; show the error on failure."""
        name = ask.suggest_name(self.named_subject, "distances") + ".csv"
        path = ask.save_path(self, "Save distances", name, ";;".join(FILE_FILTERS.values()), FILE_FILTERS)
        if path is not None and ask.run_with_warning(self, "Save distances", lambda: self.write_matrix(path)):
            self.status.setText(f"Saved {path}")

    def sizeHint(self) -> QSize:
        return QSize(700, 600)

    def _build(self) -> None:
        self.order_menu, self.show_menu, self.map_menu = (QMenu(self) for _ in range(3))
        add_choice_section(self.order_menu, "Order rows by", ORDERS, self.order_by, self.order_rows)
        add_choice_section(self.map_menu, "Colour map", heat_map.COLOUR_MAPS, self.map_name, self.set_map)
        self.map_menu.addSeparator()
        self._stretch_action = add_check_action(
            self.map_menu, "Stretch nearly equal distances", self.stretch, self.set_stretch
        )
        self._options = {
            name: add_check_action(self.show_menu, text, True, partial(self.set_option, name))
            for name, text in (("labelled", "Names"), ("numbers", "Numbers in cells"))
        }
        for button in (
            tool_button("Fit", "Show the whole matrix (F)", self.canvas.show_all),
            menu_button("Order", "Order of rows and columns", self.order_menu),
            menu_button("Show", "Show or hide names and numbers", self.show_menu),
            menu_button("Colours", "Colour map", self.map_menu),
            tool_button("Copy table", "Copy the distances for a spreadsheet", self.copy_table),
            tool_button("Save table\u2026", "Save the distances as CSV or PHYLIP", self.save_matrix),
        ):
            self.tools.addWidget(button)
        self.build_layout(self.canvas)

    def _keep_state(self) -> None:
        state = self.view_state
        state.keep_attribute("order_by", self, self.order_rows, self.order_menu)
        state.keep_attribute("map_name", self, self.set_map, self.map_menu)
        state.keep_check("stretch", self._stretch_action)
        for name, action in self._options.items():
            state.keep_check(name, action)
        state.keep_place("window", self.canvas.list_window, self.canvas.restore_window)

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return self.matrix.name if self.matrix is not None else ""

    def _show_rows(self) -> None:
        """Order the rows and show the whole matrix, once the range of its colours is known."""
        self._tools.setEnabled(self.matrix is not None and not self._range_work.busy)
        if self.matrix is None or self._range_work.busy:
            self.canvas.show_picture(None)
        else:
            by_tree = self.order_by == "tree" and self.tree is not None
            made = lay_out_tree(self.tree, TreeShape.RECTANGULAR) if by_tree else None
            order = row_order(self.matrix, self.order_by, self.tree)
            picture = DistanceHeatMap(self.matrix.values, self.matrix.names, order, self._levels, made, self.map_name)
            for name, action in self._options.items():
                setattr(picture, name, action.isChecked())
            self.canvas.show_picture(picture)
        self._mark_selected()
        self._show_pair(None)
        self.view_state.resume()

    def _take_tree(self, tree: Tree) -> None:
        self.tree, self._ordered = tree, True
        if self.order_by == "tree":
            self._show_rows()

    def _mark_selected(self) -> None:
        picture, chosen = self.canvas.picture, self.selection.taxa
        if picture is not None:
            picture.chosen = np.array([self.matrix.names[taxon] in chosen for taxon in picture.order.tolist()])
        self._update_legend()
        self.canvas.update()

    def _update_legend(self) -> None:
        picture = self.canvas.picture
        if picture is None:
            self.legend.show_items(())
            return
        words = f"distance {heat_map.short_number(self._levels[0])} to {heat_map.short_number(self._levels[1])}"
        if self._levels != self._whole:
            words += (
                f" (stretched; full range {heat_map.short_number(self._whole[0])} to "
                f"{heat_map.short_number(self._whole[1])})"
            )
        items = [
            LegendItem("text", self.matrix.summary),
            LegendItem("gradient", words, heat_map.legend_colours(self.map_name)),
        ]
        if picture.layout is not None and self._ordered:
            items.append(LegendItem("text", "rows ordered by a UPGMA tree"))
        if count := int(picture.chosen.sum()):
            items.append(LegendItem("fill", f"{count:,} selected", (theme.active().accent,)))
        self.legend.show_items(tuple(items))

    def _show_pair(self, cell: tuple[int, int] | None) -> None:
        picture = self.canvas.picture
        if picture is None:
            self.status.setText("Finding the range of the distances\u2026" if self._range_work.busy else "")
        elif cell is None:
            self.status.setText("Building a tree to order the rows\u2026" if self._tree_work.busy else HINT)
        else:
            row, column = cell
            names, value = (picture.row_name(row), picture.row_name(column)), picture.value_at(row, column)
            first, second = (int(picture.order[place]) + 1 for place in cell)
            pair = f"{names[0]} and {names[1]}: {value:.6g}   (taxa {first:,} and {second:,} of the input)"
            self.status.setText(pair if row != column else f"{names[0]}   (taxon {first:,} of the input)")

    def _on_click(self, rows: tuple[int, ...], modifiers: Qt.KeyboardModifier) -> None:
        if self.canvas.picture is None:
            return
        names = {self.canvas.picture.row_name(row) for row in rows}
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.selection.choose_taxa(names | self.selection.taxa if modifiers & more else names)


def find_ranges(matrix: DistanceMatrix | None) -> tuple[Range, Range]:
    """Return the full range of the distances and the stretched one of a nearly uniform matrix."""
    values = np.asarray(matrix.values) if matrix is not None else np.zeros((0, 0))
    whole = heat_map.value_range(values)
    return whole, heat_map.stretched_range(values) if len(values) > 2 else whole


def matrix_of(result: Result) -> DistanceMatrix | None:
    """Return the distance matrix that a result has or was computed from, or None."""
    if isinstance(result.answer, DistanceAnswer):
        return result.answer.distances
    return result.problem.matrix if isinstance(result.problem, TreeProblem) else None


def row_order(matrix: DistanceMatrix, by: str, tree: Tree | None) -> np.ndarray:
    """Return the taxon of each row; in input order where there is no tree."""
    if by == "name":
        return np.array(sorted(range(len(matrix)), key=lambda taxon: matrix.names[taxon].casefold()))
    if by != "tree" or tree is None:
        return np.arange(len(matrix))
    places = {name: taxon for taxon, name in enumerate(matrix.names)}
    return np.array([places[name] for name in tree.taxa])


def _build_upgma(matrix: DistanceMatrix, monitor: Monitor) -> Tree:
    from antidiag.kernels.parameters import MethodParameters
    from antidiag.kernels.steps import StepLog
    from antidiag.kernels.trees.joining import cpu  # compiles; so it is imported on the worker's thread

    return cpu.upgma(TreeProblem(matrix), MethodParameters(), monitor, StepLog()).answer.tree
