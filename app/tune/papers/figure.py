"""PaperFigure: a table of a paper as its figure, published and measured together, on the screen and in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication, QComboBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.legend import Legend, draw_legend, legend_height
from antidiag.app.kit.widgets import Elided, label
from antidiag.app.tune.papers import lines
from antidiag.app.tune.papers.lines import Figure
from antidiag.app.tune.papers.plot import PaperPlot
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.series import Grid
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.papers.published import Compared, PaperTable
from antidiag.kernels.experiments.points import Point

FILE_SIZE = QSize(960, 560)
HEADINGS = ("published", "here")


class PaperFigure(QWidget):
    """The figure with its legend, its caption, and what was left open of the table as choices above it."""

    def __init__(self) -> None:
        super().__init__()
        self.table: PaperTable | None = None
        self._compared: Sequence[Compared] = ()
        self._quick = False
        self.figure: Figure | None = None
        self.boxes: dict[str, QComboBox] = {}
        self.title, self.told = Elided(), Elided()
        self.title.setObjectName("heading")
        self.told.setObjectName("muted")
        self.plot, self.heats, self.legend = PaperPlot(), (HeatMap(), HeatMap()), Legend()
        self.headings = tuple(label(kind="muted") for _ in HEADINGS)
        self.caption = label(kind="muted", wrap=True)
        self._choices, self._pages = QHBoxLayout(), QStackedWidget()
        self._lay_out()
        for plot in (self.plot, *self.heats):
            plot.hovered.connect(self._tell)
        theme.notifier.changed.connect(self.redraw)

    def show_table(self, table: PaperTable, compared: Sequence[Compared], quick: bool) -> None:
        """Draw what was published of a table, and what was measured of it."""
        if table is not self.table:
            self.table = table
            self._offer(lines.choices(table), lines.defaults(table))
        self._compared, self._quick = compared, quick
        self.redraw()

    def redraw(self) -> None:
        """The choices are others, or the colours."""
        if self.table is None:
            return
        keep = {name: box.currentData() for name, box in self.boxes.items()}
        self.figure = figure = lines.figure(self.table, self._compared, self._quick, keep)
        self.title.setText(figure.title)
        self.caption.setText("\n".join(figure.caption))
        self._pages.setCurrentIndex(1 if figure.grids else 0)
        if figure.grids:
            self._show_grids(figure.grids, figure)
        else:
            self.plot.show_figure(figure)
        self.legend.show_items(() if figure.grids else self.plot.items)

    def size_of_file(self) -> QSize:
        """The size of the figure with all that stands around it."""
        around = QRectF(0, 0, self._pages.width(), 0)
        return QSize(self._pages.width(), self._pages.height() + round(sum(self._heights(self.fontMetrics(), around))))

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Title, plot, legend and caption into an area of ``size_of_file``."""
        colours, line = theme.active(), painter.fontMetrics().height()
        above, legend, below = self._heights(painter.fontMetrics(), area)
        inner = area.adjusted(0, above, 0, -legend - below)
        painter.fillRect(area, QColor(colours.panel))
        if self.figure.grids:
            self._paint_grids(painter, inner, line)
        else:
            export.render_plot(painter, QRectF(self.plot.viewport().rect()).translated(inner.topLeft()), self.plot)
        words = area.adjusted(theme.MARGIN, theme.MARGIN / 2, -theme.MARGIN, 0)
        plain = painter.font()
        heading = QFont(plain)
        heading.setBold(True)
        painter.setFont(heading)
        painter.setPen(QColor(colours.text))
        shown = painter.fontMetrics().elidedText(self.figure.title, Qt.TextElideMode.ElideRight, int(words.width()))
        painter.drawText(QRectF(words.left(), words.top(), words.width(), line), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(plain)
        draw_legend(painter, QRectF(words.left(), inner.bottom(), words.width(), legend), self.legend.items)
        painter.setPen(QColor(colours.muted))
        painter.drawText(
            QRectF(words.left(), inner.bottom() + legend + theme.MARGIN / 2, words.width(), below),
            Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop, self.caption.text(),
        )  # fmt: skip

    def _heights(self, metrics: QFontMetrics, area: QRectF) -> tuple[float, float, float]:
        """Pixels of the title, of the legend and of the caption."""
        width = int(area.width()) - 2 * theme.MARGIN
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        caption = metrics.boundingRect(0, 0, width, 10_000, flags, self.caption.text()).height()
        return metrics.height() + theme.MARGIN, legend_height(metrics, self.legend.items, width), caption + theme.MARGIN

    def _paint_grids(self, painter: QPainter, inner: QRectF, line: float) -> None:
        for number, (heat, heading) in enumerate(zip(self.heats, self.headings, strict=True)):
            half = inner.adjusted(number * inner.width() / 2, 0, (number - 1) * inner.width() / 2, 0)
            heat.draw(painter, half.adjusted(0, line, 0, 0))
            painter.setPen(QColor(theme.active().muted))
            top = QRectF(half.left() + theme.MARGIN, half.top(), half.width(), line)
            painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, heading.text())

    def _lay_out(self) -> None:
        pair = QWidget()
        columns = QHBoxLayout(pair)
        columns.setContentsMargins(0, 0, 0, 0)
        for heat, heading in zip(self.heats, self.headings, strict=True):
            column = QVBoxLayout()
            column.addWidget(heading)
            column.addWidget(heat, 1)
            columns.addLayout(column, 1)
        for page in (self.plot, pair):
            self._pages.addWidget(page)
        self._choices.setSpacing(theme.SPACING)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.title)
        box.addLayout(self._choices)
        box.addWidget(self._pages, 1)
        for widget in (self.legend, self.caption, self.told):
            box.addWidget(widget)

    def _offer(self, choices: Mapping[str, Sequence[str]], chosen: Mapping[str, str]) -> None:
        """A list for each name of which the figure shows one value at a time."""
        while (item := self._choices.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.boxes = {}
        for name, values in choices.items():
            box = self.boxes[name] = QComboBox()
            box.setAccessibleName(name)
            for one in values:
                box.addItem(one.replace("x", " x ") if name == "length" else one, one)
            box.setCurrentIndex(box.findData(chosen[name]))
            box.activated.connect(self.redraw)
            self._choices.addWidget(label("show" if name == "note" else name, "muted"))
            self._choices.addWidget(box)
        self._choices.addStretch(1)

    def _show_grids(self, grids: tuple[Grid, Grid], figure: Figure) -> None:
        settings = PlotSettings(quantity=figure.quantity)
        for heat, grid, heading, where in zip(self.heats, grids, self.headings, HEADINGS, strict=True):
            heat.show_grid(grid, settings, (figure.x_label, figure.y_label))
            heading.setText(f"{where}, the best framed" if grid.cells else f"{where}: not measured yet")

    def _tell(self, point: Point | None) -> None:
        self.told.setText(point.notes[0] if point else "")


def save(path: Path, table: PaperTable, compared: Sequence[Compared], quick: bool) -> None:
    """Write a figure as PNG, SVG or PDF without a window, in light colours, its panels below each other;
    InputError where that fails."""
    application = QGuiApplication.instance() or QApplication(["antidiag"])
    assert isinstance(application, QApplication)
    theme.apply(application, "light")
    parts = [_laid_out(table, compared, quick, kept) for kept in lines.parts(table)]
    sizes = [part.size_of_file() for part in parts]
    size = QSize(max(one.width() for one in sizes), sum(one.height() for one in sizes))

    def paint(painter: QPainter, area: QRectF) -> None:
        top = area.top()
        for part, height in zip(parts, (one.height() for one in sizes), strict=True):
            part.paint(painter, QRectF(area.left(), top, area.width(), height))
            top += height

    export.save(path, size, paint, table.title)
    for part in parts:
        part.deleteLater()


def _laid_out(table: PaperTable, compared: Sequence[Compared], quick: bool, kept: Mapping[str, str]) -> PaperFigure:
    """A figure that is never shown, of the size that files have."""
    figure = PaperFigure()
    figure.show_table(table, compared, quick)
    for name, value in kept.items():
        figure.boxes[name].setCurrentIndex(figure.boxes[name].findData(value))
    figure.redraw()
    figure.resize(FILE_SIZE)
    figure.grab()  # lays out what is in it
    figure.redraw()
    return figure
