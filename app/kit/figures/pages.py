"""Figures on pages: breaking into A4 or Letter pages with page numbers, and writing them.

A PDF holds all pages; of SVG and PNG each page is a file: figure-1.svg, figure-2.svg, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPageSize, QPainter, QPdfWriter

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.monitor import Monitor

MARGIN_MM = 15.0
DPI = 300


@dataclass(frozen=True)
class PageFormat:
    """The size of a page, in millimetres."""

    name: str
    width_mm: float
    height_mm: float

    @property
    def inner_width_mm(self) -> float:
        """The width between the margins."""
        return self.width_mm - 2 * MARGIN_MM

    def body_size(self, width: float) -> QSizeF:
        """Return the size of what a page holds above its number, where it is ``width`` pixels wide."""
        scale = self.inner_width_mm / width
        number = _number_height()
        return QSizeF(width, (self.height_mm - 2 * MARGIN_MM) / scale - number)


PAGE_FORMATS = {
    one.name: one
    for one in (
        PageFormat("A4", 210, 297),
        PageFormat("A4 landscape", 297, 210),
        PageFormat("Letter", 215.9, 279.4),
        PageFormat("Letter landscape", 279.4, 215.9),
    )
}
"""The formats of pages, by name."""


@dataclass(frozen=True)
class PagedFigure:
    """What is drawn on each page, into an area ``width`` screen pixels wide, and the format of the pages.

    ``letter_px`` is the size of the letters, 0 if there are none.
    """

    drawings: tuple[export.Draw, ...]
    width: float
    page: PageFormat
    title: str
    letter_px: float = 0.0

    @property
    def letter_points(self) -> float:
        """The size of the letters in print."""
        return self.letter_px * self.page.inner_width_mm / self.width * 72 / export.MM_PER_INCH


def find_page_format(name: str) -> PageFormat:
    """Return the format of this name in any case; raise InputError if there is none."""
    found = {one.lower(): page for one, page in PAGE_FORMATS.items()}.get(name.strip().lower())
    if found is None:
        raise InputError(f"pages: choose {', '.join(PAGE_FORMATS)}; got {name}")
    return found


def share_among_pages(heights: Sequence[float], room: float) -> list[list[int]]:
    """Return the numbers of the parts on each page: as many as fit, in their order; a part is never divided."""
    pages: list[list[int]] = []
    left = 0.0
    for number, height in enumerate(heights):
        if height > left or not pages:
            pages.append([])
            left = room
        pages[-1].append(number)
        left -= height
    return pages


def page_paths(path: Path, count: int) -> list[Path]:
    """Return the files of so many pages: one PDF, or a numbered file for each page."""
    if path.suffix.lower() == ".pdf" or count == 1:
        return [path]
    digits = len(str(count))
    return [path.with_name(f"{path.stem}-{number:0{digits}d}{path.suffix}") for number in range(1, count + 1)]


def save_pages(path: Path, figure: PagedFigure, dpi: int = DPI, monitor: Monitor | None = None) -> list[Path]:
    """Write the pages as PDF, SVG or PNG, chosen by the suffix; return the files.

    Any thread may call this. Nothing is written before all pages are drawn. Raises InputError if the format is unknown
    or an image would be too large, and Cancelled.
    """
    monitor = monitor or Monitor()
    encoders = {".pdf": _encode_pdf, ".svg": _encode_files, ".png": _encode_files}
    encode = encoders.get(path.suffix.lower())
    if encode is None:
        raise InputError(f"{path}: choose .pdf, .svg or .png for pages")
    paths = page_paths(path, len(figure.drawings))
    encoded = encode(path.suffix.lower(), figure, dpi, monitor)
    monitor.check()
    for target, data in zip(paths, encoded, strict=True):
        write_bytes(target, [data])
    return paths


def _encode_files(suffix: str, figure: PagedFigure, dpi: int, monitor: Monitor) -> list[bytes]:
    """Return the file of each page."""
    size, found = _page_pixels(figure), []
    printed = export.PrintSize(figure.page.width_mm, dpi)
    for number in range(len(figure.drawings)):
        monitor.update(number, len(figure.drawings))
        target = QBuffer()
        target.open(QBuffer.OpenModeFlag.WriteOnly)
        encode = export.encode_svg if suffix == ".svg" else export.encode_png
        encode(target, size, _page_drawing(figure, number), "", printed)
        found.append(bytes(target.data().data()))
    return found


def _encode_pdf(suffix: str, figure: PagedFigure, dpi: int, monitor: Monitor) -> list[bytes]:
    """Return one file with all pages."""
    target, page = QBuffer(), figure.page
    target.open(QBuffer.OpenModeFlag.WriteOnly)
    writer, dots = QPdfWriter(target), export.screen_dpi()
    writer.setResolution(dots)
    size = QSizeF(page.width_mm, page.height_mm)
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, page.name, QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(figure.title)
    painter = QPainter(writer)
    try:
        for number in range(len(figure.drawings)):
            monitor.update(number, len(figure.drawings))
            if number:
                writer.newPage()
            with saved_painter_state(painter):
                scale = figure.page.inner_width_mm / figure.width * dots / export.MM_PER_INCH
                painter.scale(scale, scale)
                painter.setFont(QGuiApplication.font())
                painter.fillRect(QRectF(0, 0, *_page_pixels(figure).toTuple()), QColor(theme.active().panel))
                _draw_page(painter, figure, number)
    finally:
        painter.end()
    return [bytes(target.data().data())]


def _page_pixels(figure: PagedFigure) -> QSize:
    """Return the size of a whole page in the pixels of the figure."""
    scale = figure.width / figure.page.inner_width_mm
    return QSize(round(figure.page.width_mm * scale), round(figure.page.height_mm * scale))


def _page_drawing(figure: PagedFigure, number: int) -> export.Draw:
    """Return what draws one page."""
    return lambda painter, area: _draw_page(painter, figure, number)


def _draw_page(painter: QPainter, figure: PagedFigure, number: int) -> None:
    """Draw a page within its margins, and its number below."""
    margin = MARGIN_MM * figure.width / figure.page.inner_width_mm
    body = figure.page.body_size(figure.width)
    with saved_painter_state(painter):
        painter.translate(margin, margin)
        figure.drawings[number](painter, QRectF(0, 0, body.width(), body.height()))
    with saved_painter_state(painter):
        painter.setFont(QGuiApplication.font())
        painter.setPen(QColor(theme.active().muted))
        place = QRectF(margin, margin + body.height(), body.width(), _number_height())
        words = f"{number + 1} / {len(figure.drawings)}"
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, words)


def _number_height() -> float:
    """Return the pixels that a page number takes."""
    return 1.5 * QFontMetrics(QGuiApplication.font()).height()
