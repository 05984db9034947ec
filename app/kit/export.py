"""Figures for files and the clipboard: axes and text as vectors, the matrix as an image."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QImage, QImageWriter, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.legend import LegendItem, draw_legend, legend_height
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.model import Result
from antidiag.kernels.registry import saving as formats

if TYPE_CHECKING:
    import pyqtgraph as pg

FILTERS = "PNG image (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf)"
Draw = Callable[[QPainter, QRectF], None]
PNG_SCALE = 2
LARGEST_SIDE = 32_767
"""Pixels of the side of an image; the painter of images counts in 16 bits."""
MM_PER_INCH = 25.4


@dataclass(frozen=True)
class Print:
    """A figure in print: so wide, and with so many dots an inch where it is an image."""

    width_mm: float
    dpi: int

    def scale(self, size: QSize, dots: float) -> float:
        """How much larger than on a screen of so many dots an inch a figure of this size is."""
        return self.width_mm / MM_PER_INCH * dots / size.width()

    def pixels(self, size: QSize) -> QSize:
        """Pixels of the image of a figure."""
        return size * self.scale(size, self.dpi)


def image(size: QSize, draw: Draw, scale: float = PNG_SCALE) -> QImage:
    """A picture of ``size`` in ``scale`` times as many pixels."""
    picture = _blank(size * scale, QColor(theme.active().panel))
    picture.setDevicePixelRatio(scale)
    painter = QPainter(picture)
    _paint(painter, size, draw)
    return picture


def _blank(size: QSize, colour: QColor) -> QImage:
    """A picture of one colour. QImage.fill keeps the interpreter for as long as the system takes to find the memory,
    which holds up the window; NumPy lets go of it."""
    picture = QImage(size, QImage.Format.Format_RGB32)
    if not picture.isNull():  # as one is that takes too much memory, which whoever writes it says
        np.frombuffer(picture.bits(), np.uint32)[:] = colour.rgb()
    return picture


def save(
    path: Path,
    size: QSize,
    draw: Draw,
    title: str = "",
    printed: Print | None = None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix, ``printed`` in a size or in that of the screen.

    InputError where that fails. ``check`` is called when it is drawn, and may raise; then nothing is written.

    Qt does not say that a disk is full, so a figure is drawn into memory first, and written all or nothing.
    """
    encoders = {".png": _png, ".svg": _svg, ".pdf": _pdf}
    encode = encoders.get(path.suffix.lower())
    if encode is None:
        raise InputError(f"{path}: figures are written as .png, .svg or .pdf")
    encoded = QBuffer()
    encoded.open(QBuffer.OpenModeFlag.WriteOnly)
    encode(encoded, size, draw, title, printed)
    check()
    write_bytes(path, [bytes(encoded.data().data())])


def copy(size: QSize, draw: Draw) -> None:
    """Put a figure on the clipboard."""
    QGuiApplication.clipboard().setImage(image(size, draw))


def ask_file(parent: QWidget, name: str) -> Path | None:
    """Ask for a file for a figure; None where none was chosen."""
    chosen, kind = QFileDialog.getSaveFileName(parent, "Save figure", f"{name}.png", FILTERS)
    path = Path(chosen) if chosen else None
    if path is not None and not path.suffix:
        path = path.with_suffix(next((suffix for suffix in (".svg", ".pdf") if suffix in kind), ".png"))
    return path


def ask_and_save(parent: QWidget, name: str, size: QSize, draw: Draw, title: str = "") -> Path | None:
    """Ask for a file and write the figure; what goes wrong is shown. The file, where it is written."""
    if (path := ask_file(parent, name)) is None:
        return None
    try:
        save(path, size, draw, title)
    except InputError as error:
        QMessageBox.warning(parent, "Save figure", str(error))
        return None
    return path


def _ask_alignment_file(parent: QWidget, result: Result) -> Path | None:
    """Ask for a file for the alignment of a result; the suffix says the format."""
    known = formats.suffixes(registry.method(result.method))
    filters = ";;".join(f"{label} (*{suffix})" for suffix, label in known.items())
    name, chosen = QFileDialog.getSaveFileName(parent, "Save alignment", "alignment.aln", f"All formats (*);;{filters}")
    return with_suffix(name, chosen, known) if name else None


def save_alignment(parent: QWidget, result: Result | None, saving: Latest, tell: Callable[[str], None]) -> None:
    """Ask for a file and let ``saving`` write the alignment in the format of its suffix; it gives the path."""
    if result is None or (target := _ask_alignment_file(parent, result)) is None:
        return

    def write(monitor: object) -> Path:
        formats.write_result(target, result)
        return target

    tell(f"Saving {target} ...")
    saving.request(write)


def with_suffix(path: str, chosen: str, known: Iterable[str]) -> Path:
    """The file that was asked for: a name without a known suffix gets that of the chosen filter, "PAF (*.paf)"."""
    suffix = chosen.rpartition("*")[2].rstrip(")")
    complete = any(path.lower().endswith(ending) for ending in known)
    return Path(path if complete or not suffix.startswith(".") else path + suffix)


def render_plot(painter: QPainter, target: QRectF, plot: pg.PlotWidget) -> None:
    """Draw a plot into ``target``, which has its size.

    Not every reader of SVG clips, so what reaches over the edge of the plot is covered before the axes are drawn.
    """
    source = QRectF(plot.viewport().rect())
    plot.scene().render(painter, target, source)
    box = plot.getPlotItem().getViewBox()
    inner = box.sceneBoundingRect().translated(target.topLeft())
    for left, top, right, bottom in (
        (target.left(), target.top(), target.right(), inner.top()),
        (target.left(), inner.bottom(), target.right(), target.bottom() + target.height()),
        (target.left(), inner.top(), inner.left(), inner.bottom()),
        (inner.right(), inner.top(), target.right() + target.width(), inner.bottom()),
    ):
        painter.fillRect(QRectF(left, top, right - left, bottom - top), QColor(theme.active().panel))
    axes = [plot.getAxis(side) for side in ("left", "bottom", "right", "top")]
    grids = [axis.grid for axis in axes]
    box.setOpacity(0)
    for axis in axes:
        axis.setGrid(False)  # it is an axis' own, and would cut what is drawn
    plot.scene().render(painter, target, source)
    for axis, grid in zip(axes, grids, strict=True):
        axis.setGrid(grid)
    box.setOpacity(1)


def draw_plot(painter: QPainter, area: QRectF, title: str, plot: pg.PlotWidget, items: tuple[LegendItem, ...]) -> None:
    """A figure of ``plot_size``: title, plot and legend."""
    line, width = _title_height(painter.fontMetrics()), area.width() - 2 * theme.MARGIN
    painter.setPen(QColor(theme.active().text))
    shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(width))
    painter.drawText(QRectF(theme.MARGIN, 0, width, line), Qt.AlignmentFlag.AlignVCenter, shown)
    target = QRectF(plot.viewport().rect()).translated(0, line)
    render_plot(painter, target, plot)
    draw_legend(painter, QRectF(theme.MARGIN, target.bottom() + 4, width, area.height()), items)


def plot_size(metrics: QFontMetrics, plot: pg.PlotWidget, items: tuple[LegendItem, ...]) -> QSize:
    """Size of the figure of a plot with its title and legend."""
    size = plot.viewport().size()
    legend = legend_height(metrics, items, size.width() - 2 * theme.MARGIN)
    return QSize(size.width(), size.height() + _title_height(metrics) + legend + theme.MARGIN)


def _title_height(metrics: QFontMetrics) -> int:
    return metrics.height() + theme.MARGIN


def _png(target: QBuffer, size: QSize, draw: Draw, title: str, printed: Print | None) -> None:
    scale = PNG_SCALE if printed is None else printed.scale(size, printed.dpi)
    pixels = size * scale
    if max(pixels.width(), pixels.height()) > LARGEST_SIDE:
        raise InputError(
            f"{pixels.width():,} x {pixels.height():,} pixels are too many for an image, whose sides end at "
            f"{LARGEST_SIDE:,}; choose a smaller one, or SVG or PDF"
        )
    found = image(size, draw, scale)
    if printed is not None:
        for set_dots in (found.setDotsPerMeterX, found.setDotsPerMeterY):
            set_dots(round(1000 * printed.dpi / MM_PER_INCH))
    if not QImageWriter(target, QByteArray(b"png")).write(found):
        raise InputError("the picture is too large to be written; choose a smaller one, or SVG")


def _svg(target: QBuffer, size: QSize, draw: Draw, title: str, printed: Print | None) -> None:
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # which has clipping, unlike SVG Tiny
    generator.setOutputDevice(target)
    generator.setSize(size if printed is None else size * printed.scale(size, dots_per_inch()))
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setResolution(dots_per_inch())
    _fill_and_paint(QPainter(generator), size, draw)


def _pdf(target: QBuffer, size: QSize, draw: Draw, title: str, printed: Print | None) -> None:
    """One page of the size of the figure, in which a pixel of the figure is one of the screen unless it is printed."""
    dots = dots_per_inch()
    scale = 1.0 if printed is None else printed.scale(size, dots)
    writer = QPdfWriter(target)
    writer.setResolution(dots)
    page = QSizeF(size) * (scale * 72 / dots)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(title)
    painter = QPainter(writer)
    painter.scale(scale, scale)
    _fill_and_paint(painter, size, draw)


def dots_per_inch() -> int:
    """Dots of the screen."""
    return round(QGuiApplication.primaryScreen().logicalDotsPerInch())


def _fill_and_paint(painter: QPainter, size: QSize, draw: Draw) -> None:
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.active().panel))
    _paint(painter, size, draw)


def _paint(painter: QPainter, size: QSize, draw: Draw) -> None:
    """Draw, and end the painter, also where drawing is given up: what is painted on must not go before it."""
    try:
        painter.setFont(QGuiApplication.font())
        draw(painter, QRectF(0, 0, size.width(), size.height()))
    finally:
        painter.end()
