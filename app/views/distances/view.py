"""DistancesView: a distance matrix as a heat map, in the order of a tree or of the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export, figure, heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import ToolRow
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tree.layout import Shape, layout
from antidiag.app.kit.widgets import Elided, check_action, choice_actions, menu_button, tool_button
from antidiag.app.views.distances import paint
from antidiag.app.views.distances.canvas import DistancesCanvas
from antidiag.app.views.distances.paint import Heat
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import distances
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trees.distances.problem import DistanceAnswer
from antidiag.kernels.trees.problem import TreeAnswer, TreeProblem

ORDERS = {"tree": "Tree", "input": "Input", "name": "Name"}
MOST_ORDERED = 4000
"""Taxa up to which a tree is made for the order of rows where the result has none."""
MANY = 1000
"""Taxa from which on the distances are looked through on a thread."""
Range = tuple[float, float]
SAVED = "CSV table (*.csv);;PHYLIP distance matrix (*.phy)"
HINT = "Drag to move, wheel to zoom; click a cell, a name or a branch to select taxa"


class DistancesView(QWidget):
    """The matrix that a method made or took, or one that was opened."""

    id = "distances"
    title = "Distances"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.matrix: DistanceMatrix | None = None
        self.tree: Tree | None = None
        self._ordered = False
        self.order_by, self.map_name, self.stretch = "tree", "viridis", True
        self.canvas, self._legend, self._status = DistancesCanvas(), Legend(), Elided()
        self._looking, self._latest = Latest(self), Latest(self)
        self._looking.finished.connect(self._take_ranges)
        self._latest.finished.connect(self._take_tree)
        self._latest.failed.connect(lambda error: self._status.setText(str(error)))
        self._build()
        self.canvas.pointed.connect(self._say)
        self.canvas.clicked.connect(self._on_click)
        selection.taxa_changed.connect(lambda _: self._mark())
        theme.notifier.changed.connect(self.canvas.update)
        self.show_matrix(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return matrix_of(result) is not None

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, DistanceMatrix)

    @property
    def sharp(self) -> bool:
        """Whether the order of the rows is there."""
        return not (self._looking.busy or self._latest.busy)

    def show_result(self, result: Result | None) -> None:
        """Show the distances of a result, or nothing; what is there already stays as it is."""
        matrix = matrix_of(result) if result is not None else None
        if matrix is None or result is not self.result:
            tree = result.answer.tree if result is not None and isinstance(result.answer, TreeAnswer) else None
            self.show_matrix(matrix, tree)
        self.result = result if matrix is not None else None

    def show_datum(self, datum: DistanceMatrix) -> None:
        """Show a matrix that no run made, as one from a file."""
        self.result = None
        self.show_matrix(datum)

    def show_matrix(self, matrix: DistanceMatrix | None, tree: Tree | None = None) -> None:
        """Show a matrix, or nothing; ``tree`` gives the order of its rows, else one is made in the background."""
        self._latest.cancel()
        self._looking.cancel()
        self.matrix, self.tree, self._ordered = matrix, tree, False
        if matrix is not None and len(matrix) > MANY:
            self._looking.request(lambda monitor: ranges(matrix))
            self._anew()
        else:
            self._take_ranges(ranges(matrix))

    def _take_ranges(self, found: tuple[Range, Range]) -> None:
        """The picture can be made now, and a tree for the order of its rows."""
        matrix = self.matrix
        self._whole, self._stretched = found
        self._levels = self._stretched if self.stretch else self._whole
        if matrix is not None and self.tree is None and 2 < len(matrix) <= MOST_ORDERED:
            self._latest.request(lambda monitor: _upgma(matrix, monitor))
        self._anew()

    def set_order(self, name: str) -> None:
        """Rows in the order of the tree, of the input, or of names."""
        self.order_by = name
        self._anew()

    def set_map(self, name: str) -> None:
        self.map_name = name
        if self.canvas.picture is not None:
            self.canvas.picture.map_name = name
        self._describe()
        self.canvas.update()

    def set_stretch(self, on: bool) -> None:
        """Whether a nearly uniform matrix has its colours spread over most of its values, and not over all."""
        self.stretch = on
        self._levels = self._stretched if on else self._whole
        if self.canvas.picture is not None:
            self.canvas.picture.levels = self._levels
        self._describe()
        self.canvas.update()

    def set_option(self, name: str, on: bool) -> None:
        """Switch on or off what is drawn: labelled, numbers."""
        if self.canvas.picture is not None:
            setattr(self.canvas.picture, name, on)
            if self.canvas.fitted:
                self.canvas.fit()
            self.canvas.update()

    def shown(self) -> DistanceMatrix:
        """The matrix with its rows in the order in which they are shown."""
        order = self.canvas.picture.order
        names = tuple(self.matrix.names[taxon] for taxon in order.tolist())
        values = self.matrix.values[np.ix_(order, order)]
        return DistanceMatrix(names, values, self.matrix.name, self.matrix.source)

    def write(self, path: Path) -> None:
        """Write the matrix as it is ordered: CSV, or what the suffix says; InputError where that fails."""
        if path.suffix.lower() == ".csv":
            write_lines(path, csv_lines(self.shown()))
        else:
            distances.write(path, self.shown())

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        figure.draw(painter, area, self.matrix.name, self._legend.items, self._draw)

    def figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)

    def copy_table(self) -> None:
        """Put the matrix on the clipboard, for a spreadsheet."""
        QGuiApplication.clipboard().setText("".join(csv_lines(self.shown(), "\t")))

    def save_figure(self) -> None:
        """Ask for a file and write the figure."""
        export.ask_and_save(self, "distances", self.figure_size(), self.draw_figure, self.matrix.name)

    def save_matrix(self) -> None:
        """Ask for a file and write the matrix as it is ordered; what goes wrong is shown."""
        chosen, kind = QFileDialog.getSaveFileName(self, "Save distances", "distances.csv", SAVED)
        if not chosen:
            return
        path = Path(chosen)
        path = path if path.suffix else path.with_suffix(".phy" if "phy" in kind else ".csv")
        try:
            self.write(path)
            self._status.setText(f"Saved {path}")
        except InputError as error:
            QMessageBox.warning(self, "Save distances", str(error))

    def sizeHint(self) -> QSize:
        return QSize(700, 600)

    def _build(self) -> None:
        self.order_menu, self.show_menu, self.map_menu, self.save_menu = (QMenu(self) for _ in range(4))
        choice_actions(self.order_menu, "Rows in the order of", ORDERS, self.order_by, self.set_order)
        choice_actions(self.map_menu, "Colour map", heat.MAPS, self.map_name, self.set_map)
        self.map_menu.addSeparator()
        check_action(self.map_menu, "Stretch where nearly all are alike", self.stretch, self.set_stretch)
        self._options = {
            name: check_action(self.show_menu, text, True, partial(self.set_option, name))
            for name, text in (("labelled", "Names"), ("numbers", "Numbers in cells"))
        }
        for text, slot in (("Figure\u2026", self.save_figure), ("Distances as CSV or PHYLIP\u2026", self.save_matrix)):
            self.save_menu.addAction(text, slot)
        self._tools = QWidget()
        row = ToolRow(self._tools)
        for button in (
            tool_button("Fit", "Show the whole matrix (F)", self.canvas.fit),
            menu_button("Order", "The order of rows and columns", self.order_menu),
            menu_button("Show", "What is drawn beside the colours", self.show_menu),
            menu_button("Colours", "The colour map", self.map_menu),
            tool_button("Copy", "Copy the figure", self.copy),
            tool_button("Copy table", "Copy the distances, for a spreadsheet", self.copy_table),
            menu_button("Save", "Save the figure or the distances", self.save_menu),
        ):
            row.addWidget(button)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        for widget in (self._tools, self.canvas, self._legend, self._status):
            box.addWidget(widget, int(widget is self.canvas))

    def _draw(self, painter: QPainter, width: float, height: float) -> None:
        paint.paint(painter, self.canvas.picture, self.canvas.view, theme.active(), paint.FINEST)

    def _anew(self) -> None:
        """Order the rows, and show the whole matrix, once it is known between what values its colours are spread."""
        self._tools.setEnabled(self.matrix is not None and not self._looking.busy)
        if self.matrix is None or self._looking.busy:
            self.canvas.show_picture(None)
        else:
            by_tree = self.order_by == "tree" and self.tree is not None
            made = layout(self.tree, Shape.RECTANGULAR) if by_tree else None
            order = order_of(self.matrix, self.order_by, self.tree)
            picture = Heat(self.matrix.values, self.matrix.names, order, self._levels, made, self.map_name)
            for name, action in self._options.items():
                setattr(picture, name, action.isChecked())
            self.canvas.show_picture(picture)
        self._mark()
        self._say(None)

    def _take_tree(self, tree: Tree) -> None:
        self.tree, self._ordered = tree, True
        if self.order_by == "tree":
            self._anew()

    def _mark(self) -> None:
        """Mark the rows of selected taxa."""
        picture, chosen = self.canvas.picture, self.selection.taxa
        if picture is not None:
            picture.chosen = np.array([self.matrix.names[taxon] in chosen for taxon in picture.order.tolist()])
        self._describe()
        self.canvas.update()

    def _describe(self) -> None:
        """Legend: the colours, what is selected, and what gave the rows their order."""
        picture = self.canvas.picture
        if picture is None:
            self._legend.show_items(())
            return
        words = f"distance {heat.short(self._levels[0])} to {heat.short(self._levels[1])}"
        if self._levels != self._whole:
            words += f", stretched; all are {heat.short(self._whole[0])} to {heat.short(self._whole[1])}"
        items = [
            LegendItem("text", self.matrix.summary),
            LegendItem("gradient", words, heat.swatches(self.map_name)),
        ]
        if picture.layout is not None and self._ordered:
            items.append(LegendItem("text", "rows in the order of a UPGMA tree"))
        if count := int(picture.chosen.sum()):
            items.append(LegendItem("fill", f"{count:,} selected", (theme.active().accent,)))
        self._legend.show_items(tuple(items))

    def _say(self, cell: tuple[int, int] | None) -> None:
        """The pair under the mouse, else what the mouse can do."""
        picture = self.canvas.picture
        if picture is None:
            self._status.setText("Looking through the distances\u2026" if self._looking.busy else "")
        elif cell is None:
            self._status.setText("Putting the rows in order\u2026" if self._latest.busy else HINT)
        else:
            row, column = cell
            names, value = (picture.name(row), picture.name(column)), picture.value(row, column)
            numbers = [int(picture.order[at]) + 1 for at in cell]
            self._status.setText(
                f"{names[0]} and {names[1]}: {value:.6g}   (taxa {numbers[0]:,} and {numbers[1]:,} of the input)"
                if row != column
                else f"{names[0]}   (taxon {numbers[0]:,} of the input)"
            )

    def _on_click(self, rows: tuple[int, ...], modifiers: Qt.KeyboardModifier) -> None:
        if self.canvas.picture is None:
            return
        names = {self.canvas.picture.name(row) for row in rows}
        more = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self.selection.choose_taxa(names | self.selection.taxa if modifiers & more else names)


def ranges(matrix: DistanceMatrix | None) -> tuple[Range, Range]:
    """Between what values colours are spread: over all, and where these are nearly alike over most."""
    values = np.asarray(matrix.values) if matrix is not None else np.zeros((0, 0))
    whole = heat.levels(values)
    return whole, heat.stretched(values) if len(values) > 2 else whole


def matrix_of(result: Result) -> DistanceMatrix | None:
    """The distances that a result made, or those that it was made of."""
    if isinstance(result.answer, DistanceAnswer):
        return result.answer.distances
    return result.problem.matrix if isinstance(result.problem, TreeProblem) else None


def order_of(matrix: DistanceMatrix, by: str, tree: Tree | None) -> np.ndarray:
    """The taxon of each row; in the order of the input where there is no tree."""
    if by == "name":
        return np.array(sorted(range(len(matrix)), key=lambda taxon: matrix.names[taxon].casefold()))
    if by != "tree" or tree is None:
        return np.arange(len(matrix))
    places = {name: taxon for taxon, name in enumerate(matrix.names)}
    return np.array([places[name] for name in tree.taxa])


def csv_lines(matrix: DistanceMatrix, separator: str = ",") -> Iterator[str]:
    """A table with the names in its first row and column."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(["", *matrix.names])
    for name, values in zip(matrix.names, matrix.values, strict=True):
        writer.writerow([name, *(f"{value:.9g}" for value in values.tolist())])
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _upgma(matrix: DistanceMatrix, monitor: Monitor) -> Tree:
    """A tree for the order of rows."""
    from antidiag.kernels.steps import Steps
    from antidiag.kernels.trees.joining import cpu  # compiles; so it is imported on the worker's thread

    return cpu.upgma(TreeProblem(matrix), {}, monitor, Steps()).answer.tree
