"""Figures for files and the clipboard: axes and text as vectors, the matrix as an image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QImage, QImageWriter, QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.figures import framed_figure
from antidiag.app.kit.figures.legend import LegendItem, legend_height
from antidiag.app.kit.figures.svg_device import SvgDevice
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.model import Result
from antidiag.kernels.registry import result_saving as formats

if TYPE_CHECKING:
    import pyqtgraph as pg

FILTERS = "PNG image (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf)"
Draw = Callable[[QPainter, QRectF], None]
PNG_SCALE = 2
LARGEST_SIDE = 32_767  # pixels: the painter of images counts in 16 bits
MM_PER_INCH = 25.4


@dataclass(frozen=True)
class PrintSize:
    """The size of a printed figure: its width, and the resolution of an image."""

    width_mm: float
    dpi: int

    def screen_scale(self, size: QSize, dots: float) -> float:
        """Return the factor from the figure's size on a screen of ``dots`` per inch."""
        return self.width_mm / MM_PER_INCH * dots / size.width()

    def image_size(self, size: QSize) -> QSize:
        """Return the size of the image in pixels."""
        return size * self.screen_scale(size, self.dpi)


def render_image(size: QSize, draw: Draw, scale: float = PNG_SCALE) -> QImage:
    """Draw a figure into an image with ``scale`` times as many pixels."""
    picture = _blank_image(size * scale, QColor(theme.active().panel))
    picture.setDevicePixelRatio(scale)
    painter = QPainter(picture)
    _paint_and_end(painter, size, draw)
    return picture


def _blank_image(size: QSize, colour: QColor) -> QImage:
    """Return an image of one colour. NumPy releases the GIL while the system finds memory; QImage.fill does not."""
    picture = QImage(size, QImage.Format.Format_RGB32)
    if not picture.isNull():  # it is null if memory is short; the writer reports that
        np.frombuffer(picture.bits(), np.uint32)[:] = colour.rgb()
    return picture


def save_figure(
    path: Path,
    size: QSize,
    draw: Draw,
    title: str = "",
    printed: PrintSize | None = None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write a figure as PNG, SVG or PDF, chosen by the suffix; raise InputError if that fails. ``printed`` gives its
    size in print. ``check`` runs after drawing and may raise; then nothing is written. Qt does not report a full disk,
    so the figure is encoded in memory first."""
    encoders = {".png": encode_png, ".svg": encode_svg, ".pdf": _encode_pdf}
    encode = encoders.get(path.suffix.lower())
    if encode is None:
        raise InputError(f"{path}: choose .png, .svg or .pdf for a figure")
    encoded = QBuffer()
    encoded.open(QBuffer.OpenModeFlag.WriteOnly)
    encode(encoded, size, draw, title, printed)
    check()
    write_bytes(path, [bytes(encoded.data().data())])


def copy_figure(size: QSize, draw: Draw) -> None:
    """Put a figure on the clipboard."""
    QGuiApplication.clipboard().setImage(render_image(size, draw))


def ask_save_path(parent: QWidget, name: str, filters: str = FILTERS, caption: str = "Save figure") -> Path | None:
    """Ask for a file; the first filter is proposed, and its suffix. None if the user cancels."""
    suffix = filters[filters.index("*") + 1 : filters.index(")")]
    return ask.save_path(parent, caption, name + suffix, filters)


def run_with_warning(parent: QWidget, path: Path, action: Callable[[Path], object], caption: str) -> bool:
    """Read or write a file while the wait cursor is shown; return whether it worked. Errors are shown."""

    def act() -> None:
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            action(path)
        finally:
            QGuiApplication.restoreOverrideCursor()

    return ask.run_with_warning(parent, caption, act)


def ask_and_save_figure(parent: QWidget, name: str, size: QSize, draw: Draw, title: str = "") -> Path | None:
    """Ask for a file and write the figure there; return the file, or None. Errors are shown."""
    path = ask_save_path(parent, name)
    if path is None:
        return None
    written = run_with_warning(parent, path, lambda path: save_figure(path, size, draw, title), "Save figure")
    return path if written else None


def _ask_alignment_file(parent: QWidget, result: Result) -> Path | None:
    """Ask for the file of an alignment; its suffix chooses the format."""
    known = formats.result_suffixes(registry.find_method(result.method))
    filters = ";;".join(f"{label} (*{suffix})" for suffix, label in known.items())
    name = ask.suggest_name(result, "alignment") + ".aln"
    return ask.save_path(parent, "Save alignment", name, f"All formats (*);;{filters}", known)


def save_alignment(
    parent: QWidget, result: Result | None, saving: LatestTask, show_status: Callable[[str], None]
) -> None:
    """Ask for a file and let ``saving`` write the alignment in the format of its suffix; it returns the path."""
    if result is None or (target := _ask_alignment_file(parent, result)) is None:
        return

    def write(monitor: object) -> Path:
        formats.write_result(target, result)
        return target

    show_status(f"Saving {target} ...")
    saving.request(write)


def render_plot(painter: QPainter, target: QRectF, plot: pg.PlotWidget) -> None:
    """Draw a plot into ``target``, which has the plot's size. Some SVG readers do not clip, so what reaches beyond the
    plot is covered before the axes are drawn."""
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
        axis.setGrid(False)  # the grid belongs to the axis and would cross the plot
    plot.scene().render(painter, target, source)
    for axis, grid in zip(axes, grids, strict=True):
        axis.setGrid(grid)
    box.setOpacity(1)


def draw_plot(painter: QPainter, area: QRectF, title: str, plot: pg.PlotWidget, items: tuple[LegendItem, ...]) -> None:
    """Draw a figure of a plot, with title and legend."""
    body = lambda painter, *_: render_plot(painter, QRectF(plot.viewport().rect()), plot)  # noqa: E731
    framed_figure.draw_figure(painter, area, title, items, body)


def plot_figure_size(metrics: QFontMetrics, plot: pg.PlotWidget, items: tuple[LegendItem, ...]) -> QSize:
    """Return the size of the figure of a plot with title and legend."""
    size = plot.viewport().size()
    legend = legend_height(metrics, items, size.width() - 2 * theme.MARGIN)
    return QSize(size.width(), size.height() + metrics.height() + legend + 2 * theme.MARGIN)


def encode_png(target: QBuffer, size: QSize, draw: Draw, title: str, printed: PrintSize | None) -> None:
    """Encode an image; raise InputError if it would be too large."""
    scale = PNG_SCALE if printed is None else printed.screen_scale(size, printed.dpi)
    pixels = size * scale
    if max(pixels.width(), pixels.height()) > LARGEST_SIDE:
        raise InputError(
            f"an image may have at most {LARGEST_SIDE:,} pixels per side, not {pixels.width():,} x "
            f"{pixels.height():,}; choose a smaller size, SVG or PDF"
        )
    found = render_image(size, draw, scale)
    if printed is not None:
        for set_dots in (found.setDotsPerMeterX, found.setDotsPerMeterY):
            set_dots(round(1000 * printed.dpi / MM_PER_INCH))
    if not QImageWriter(target, QByteArray(b"png")).write(found):
        raise InputError("the image is too large to write; choose a smaller size or SVG")


def encode_svg(target: QBuffer, size: QSize, draw: Draw, title: str, printed: PrintSize | None) -> None:
    """Encode a drawing whose text is outlines and whose cells are shapes."""
    device = SvgDevice(size, screen_dpi())
    _paint_on_panel(QPainter(device), size, draw)
    target.write(QByteArray(device.svg_bytes(title, printed.width_mm if printed else None)))


def _encode_pdf(target: QBuffer, size: QSize, draw: Draw, title: str, printed: PrintSize | None) -> None:
    """Encode one page of the size of the figure."""
    dots = screen_dpi()
    scale = 1.0 if printed is None else printed.screen_scale(size, dots)
    writer = QPdfWriter(target)
    writer.setResolution(dots)
    page = QSizeF(size) * (scale * 72 / dots)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(title)
    painter = QPainter(writer)
    painter.scale(scale, scale)
    _paint_on_panel(painter, size, draw)


def screen_dpi() -> int:
    """Return the resolution of the screen."""
    return round(QGuiApplication.primaryScreen().logicalDotsPerInch())


def _paint_on_panel(painter: QPainter, size: QSize, draw: Draw) -> None:
    painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(theme.active().panel))
    _paint_and_end(painter, size, draw)


def _paint_and_end(painter: QPainter, size: QSize, draw: Draw) -> None:
    """Draw, and end the painter even if drawing fails: its device must not be deleted first."""
    try:
        painter.setFont(QGuiApplication.font())
        draw(painter, QRectF(0, 0, size.width(), size.height()))
    finally:
        painter.end()
