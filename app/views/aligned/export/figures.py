"""Figures of an alignment for files, print and clipboard: the current view, or wrapped blocks, with the tree. A figure
is drawn from a frozen copy of the view by any thread and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.figures import export, framed_figure
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.figures.pages import PagedFigure, PageFormat, page_paths, save_pages, share_among_pages
from antidiag.app.kit.figures.print_size import WrapOptions, ask_print_size
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.columns.tracks import is_readable, track_title
from antidiag.app.views.aligned.drawing import cell_painter, pixel_bands
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.viewport import Viewport
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.kernels.errors import InputError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count

if TYPE_CHECKING:
    from antidiag.app.views.aligned.side_panels.tree_panel import TreeDrawing

MAX_HEIGHT = 16_000
"""Most pixels of the height of a wrapped figure; twice that is the highest image that Qt paints."""
WRAP_COLUMNS = 80
"""Columns of a block at first."""
PRINT_SCALE = 4
"""Pixels of a figure per screen pixel where cells are images."""
CELL_SIZES = ((9, 14), (8, 11), (7, 9), (5, 6), (3, 4), (2, 3), (2, 2), (1, 1))
"""Pixel sizes of a cell in a wrapped figure; the largest that keeps the figure low enough is used."""
MAX_WIDTH_FACTOR = 2
"""How many times wider than usual a figure with cells of one pixel may become."""
MIN_ROWS_HEIGHT = 100
"""Least pixels for the rows of a block where rows share pixels."""


@dataclass(frozen=True)
class FigureSource:
    """What a figure is made of."""

    viewport: Viewport
    legend_items: tuple[LegendItem, ...]
    tree_drawing: TreeDrawing | None = None

    @property
    def title(self) -> str:
        """The title of the figure."""
        return self.viewport.picture.alignment.name


@dataclass(frozen=True)
class AlignmentFigure:
    """A figure of ``size`` screen pixels; ``letter_px`` is the size of its letters, 0 if it has none."""

    size: QSize
    title: str
    draw: Callable[[QPainter, QRectF, Monitor], None]
    letter_px: float = 0.0

    def drawing_with(self, monitor: Monitor) -> export.Draw:
        """Return a function that draws the figure and reports progress to a monitor."""
        return lambda painter, area: self.draw(painter, area, monitor)


def view_figure(source: FigureSource) -> AlignmentFigure:
    """Return the figure of the current view."""
    sight = source.viewport
    beside = source.tree_drawing if sight.blocks is None else None
    left = beside.panel_width if beside is not None else 0

    def draw(painter: QPainter, area: QRectF, monitor: Monitor) -> None:
        def draw_seen(painter: QPainter, width: float, height: float) -> None:
            if beside is not None:
                with saved_painter_state(painter):
                    beside.draw(painter, sight.frame)
            painter.translate(left, 0)
            sight.draw_figure(painter, PRINT_SCALE, monitor)

        framed_figure.draw_figure(painter, area, source.title, source.legend_items, draw_seen)

    frame = sight.frame
    letter_px = cell_painter.letter_pixels(frame) if frame.fits_letters and sight.letters != "none" else 0.0
    size = framed_figure.figure_size(left + frame.left + frame.width, sight.height, source.legend_items)
    return AlignmentFigure(size, source.title, draw, letter_px)


def make_image(figure_: AlignmentFigure, monitor: Monitor) -> object:
    """Return a figure as an image for the clipboard."""
    return export.render_image(figure_.size, figure_.drawing_with(monitor))


def ask_and_save(
    parent: QWidget, name: str, made: AlignmentFigure, saving: LatestTask, report: Callable[[str], None]
) -> None:
    """Ask for a file and let ``saving`` write the figure."""
    _write_figure(export.ask_save_path(parent, name), made, None, saving, report)


def ask_and_print(
    parent: QWidget,
    name: str,
    make: Callable[[WrapOptions], AlignmentFigure],
    saving: LatestTask,
    report: Callable[[str], None],
    wrap: int | None = None,
    paged: Callable[[WrapOptions], PagedFigure] | None = None,
) -> None:
    """Ask for a size in millimetres (and columns per block, ``wrap`` at first) and a file, and write the figure.

    ``paged`` makes the figure on pages, where the user chooses these.
    """

    def sized(lines: WrapOptions) -> tuple[QSize, float]:
        made = make(lines)
        return made.size, made.letter_px

    found = ask_print_size(parent, sized, wrap, paged)
    if found is None:
        return
    lines, printed = found
    if lines.page is not None and paged is not None:
        _write_pages(parent, name, paged(lines), printed.dpi, saving, report)
    else:
        _write_figure(export.ask_save_path(parent, name), make(lines), printed, saving, report)


def _write_pages(
    parent: QWidget, name: str, made: PagedFigure, dpi: int, saving: LatestTask, report: Callable[[str], None]
) -> None:
    """Ask for a file and write pages; ask again before files of pages are replaced that the dialog did not show."""
    filters = ";;".join(reversed(export.FILTERS.split(";;")))
    path = export.ask_save_path(parent, name, filters)
    if path is None:
        return
    there = [one.name for one in page_paths(path, len(made.drawings)) if one != path and one.exists()]
    if there and not ask.dialogs.confirm(parent, "Save figure", f"Replace {', '.join(there[:3])}?"):
        return
    report(f"Drawing {len(made.drawings)} pages ...")
    saving.request(lambda monitor: save_pages(path, made, dpi, monitor)[0])


def _write_figure(
    path: Path | None,
    made: AlignmentFigure,
    printed: export.PrintSize | None,
    saving: LatestTask,
    report: Callable[[str], None],
) -> None:
    if path is None:
        return
    report(f"Drawing {path} ...")

    def write(monitor: Monitor) -> Path:
        export.save_figure(path, made.size, made.drawing_with(monitor), made.title, printed, monitor.check)
        return path

    saving.request(write)


def paged_figure(source: FigureSource, page: PageFormat, wrap: int = WRAP_COLUMNS) -> PagedFigure:
    """Return the figure of the selected cells, or of all, in blocks of ``wrap`` columns on pages of a format.

    A block whose rows do not fit on a page is continued on the next ones. Raises InputError if not even a row fits.
    """
    picture, sight, cell = source.viewport.picture, source.viewport, CELL_SIZES[0]
    part = _selected_rows(picture)
    items = _legend_of_cells(source, part)
    places = _cut_blocks(_column_ranges(picture), wrap)
    tracks, rows_seen = _readable_tracks(sight.tracks, cell[0]), part.order.size
    left, head = _margin_width(part, tracks, cell[1]), cell_painter.head_height(tracks)
    beside = source.tree_drawing if rows_seen == picture.order.size else None
    margin = beside.panel_width if beside is not None else 0
    width = margin + left + wrap * cell[0] + theme.MARGIN
    room = page.body_size(width).height() - framed_figure.figure_size(width, 0, items).height()
    rows_fitting = int((room - _block_height(0, cell, tracks)) // cell[1])
    if rows_fitting < 1:
        raise InputError(f"a page of the format {page.name} holds no row of {wrap} columns; choose longer lines")
    slices = [(first, min(first + rows_fitting, rows_seen)) for first in range(0, rows_seen, rows_fitting)]
    frames = [
        CellFrame(*cell, start, first, left, head, (stop - start) * cell[0], (last - first) * cell[1])
        for start, stop in places
        for first, last in slices
    ]
    tall = [_block_height(frame.height // cell[1], cell, tracks) for frame in frames]
    drawings = []
    for numbers in share_among_pages(tall, room):
        blocks = FigureBlocks(part, [frames[one] for one in numbers], max(tall), tracks, sight.letters, beside)
        drawings.append(_page_drawing(blocks, source.title, items))
    lettered = frames[0].fits_letters and sight.letters != "none"
    letter_px = cell_painter.letter_pixels(frames[0]) if lettered else 0.0
    return PagedFigure(tuple(drawings), width, page, source.title, letter_px)


def _page_drawing(blocks: FigureBlocks, title: str, items: tuple[LegendItem, ...]) -> export.Draw:
    """Return what draws some blocks with title and legend."""

    def draw(painter: QPainter, area: QRectF) -> None:
        framed_figure.draw_figure(painter, area, title, items, lambda painter, *_: blocks.draw(painter, Monitor()))

    return draw


def _legend_of_cells(source: FigureSource, part: AlignmentPicture) -> tuple[LegendItem, ...]:
    """Return the legend of a figure; that of selected cells begins with their size and that of the alignment."""
    picture = source.viewport.picture
    if picture.cell_selection.is_empty or not source.legend_items:
        return source.legend_items
    size, *rest = source.legend_items
    columns = sum(stop - start for start, stop in _column_ranges(picture))
    words = f"{format_count(part.order.size, 'row')} of {format_count(columns, 'column')}, from {size.text}"
    return LegendItem("text", words), *rest


def _column_ranges(picture: AlignmentPicture) -> list[tuple[int, int]]:
    """Return the ranges of selected columns, or that of all."""
    return [(0, picture.shape[1])] if picture.cell_selection.is_empty else picture.cell_selection.column_ranges()


def wrapped_figure(
    source: FigureSource, wrap: int = WRAP_COLUMNS, rows: bool = True, tallest: float = inf
) -> AlignmentFigure:
    """Return the figure of the selected cells, or of all, in blocks of columns with their tracks. Each range of
    selected columns begins a block. ``rows=False`` draws the tracks alone. The figure is at most ``tallest`` times as
    high as its cells are wide: if it would be higher, cells shrink and blocks get more columns. InputError if that is
    not enough."""
    picture, sight = source.viewport.picture, source.viewport
    part = _selected_rows(picture)
    items = _legend_of_cells(source, part)
    if not rows:  # without cells the colours mean nothing
        part, items = replace(picture, order=picture.order[:0], fixed_row=picture.track_row), items[:1]
    stretches = _column_ranges(picture)
    rows_seen, room = part.order.size, partial(_blocks_height, tallest, items)
    cell, places = _choose_cell_size(rows_seen, stretches, wrap, sight.tracks, room)
    tracks, tall = _readable_tracks(sight.tracks, cell[0]), _block_height(rows_seen, cell, sight.tracks)
    left, head, height = (
        _margin_width(part, tracks, cell[1]),
        cell_painter.head_height(tracks),
        round(rows_seen * cell[1]),
    )
    beside = source.tree_drawing if rows_seen == picture.order.size else None
    margin = beside.panel_width if beside is not None else 0
    frames = [CellFrame(*cell, start, 0, left, head, round((stop - start) * cell[0]), height) for start, stop in places]
    blocks = FigureBlocks(part, frames, tall, tracks, sight.letters, beside)

    def draw(painter: QPainter, area: QRectF, monitor: Monitor) -> None:
        framed_figure.draw_figure(painter, area, source.title, items, lambda painter, *_: blocks.draw(painter, monitor))

    size = framed_figure.figure_size(
        margin + left + _widest_block(places) * cell[0] + theme.MARGIN, len(places) * tall, items
    )
    lettered = rows and frames[0].fits_letters and sight.letters != "none"
    return AlignmentFigure(size, source.title, draw, cell_painter.letter_pixels(frames[0]) if lettered else 0.0)


@dataclass(frozen=True, eq=False)
class FigureBlocks:
    """Blocks of columns, one every ``block_height`` pixels."""

    picture: AlignmentPicture
    frames: list[CellFrame]
    block_height: int
    tracks: list[str]
    letters: str
    tree_drawing: TreeDrawing | None

    def draw(self, painter: QPainter, monitor: Monitor) -> None:
        """Draw all blocks, one below the other."""
        for number, frame in enumerate(self.frames):
            with saved_painter_state(painter):
                painter.translate(0, number * self.block_height)
                self._draw_block(painter, frame, pixel_bands.partial_report(monitor.update, number, len(self.frames)))

    def _draw_block(self, painter: QPainter, frame: CellFrame, report: pixel_bands.ProgressReport) -> None:
        if self.tree_drawing is not None:
            with saved_painter_state(painter):
                self.tree_drawing.draw(painter, frame)
            painter.translate(self.tree_drawing.panel_width, 0)
        if frame.fits_letters:
            cell_painter.draw_cells(painter, self.picture, frame, self.letters, report)
        else:
            scale = 1 if float(frame.cell_height).is_integer() else PRINT_SCALE
            pixel_bands.draw_pixels(
                painter,
                frame.body_box,
                cell_painter.paint_cells(self.picture, frame, scale, cell_painter.FINE_SAMPLES, "none", report),
            )
        cell_painter.draw_names(painter, self.picture, frame, frozenset())
        cell_painter.draw_head(painter, self.picture, frame, self.tracks, PRINT_SCALE, True)


def _margin_width(part: AlignmentPicture, tracks: list[str], cell_height: float) -> int:
    named = range(part.order.size) if cell_height >= cell_painter.MIN_NAMED_HEIGHT else ()
    names = [*map(part.line_name, named), *map(track_title, tracks)] or [""]
    metrics = QFontMetrics(QGuiApplication.font())
    return min(max(map(metrics.horizontalAdvance, names)) + 24, 300) + len(part.notes) * cell_painter.NOTE_WIDTH


def _blocks_height(tallest: float, items: tuple[LegendItem, ...], across: float) -> float:
    return min(MAX_HEIGHT, tallest * across - framed_figure.figure_size(across, 0, items).height())


def _choose_cell_size(
    rows: int, stretches: list[tuple[int, int]], wrap: int, tracks: Sequence[str], room: Callable[[float], float]
) -> tuple[tuple[float, float], list[tuple[int, int]]]:
    """Return the largest cell size with which the figure is low enough, and its blocks; InputError if none is."""
    for cell in CELL_SIZES:
        blocks = _cut_blocks(stretches, wrap * CELL_SIZES[0][0] // cell[0])
        if len(blocks) * _block_height(rows, cell, tracks) <= room(_widest_block(blocks) * cell[0]):
            return cell, blocks
    return _choose_squeezed_cells(rows, stretches, wrap * CELL_SIZES[0][0], tracks, room)


def _choose_squeezed_cells(
    rows: int, stretches: list[tuple[int, int]], wrap: int, tracks: Sequence[str], room: Callable[[float], float]
) -> tuple[tuple[float, float], list[tuple[int, int]]]:
    """Return cells of any height that give rows most pixels, and their blocks; InputError if rows get too few."""
    steps = [(wide, wrap // wide) for wide, _ in CELL_SIZES] + [
        (1, times * wrap) for times in range(2, MAX_WIDTH_FACTOR + 1)
    ]
    best, found = 0.0, ((1.0, 1.0), [(0, 0)])
    for wide, step in steps:
        blocks = _cut_blocks(stretches, step)
        high = room(_widest_block(blocks) * wide) // len(blocks) - _block_height(0, (wide, 1), tracks)
        if high > best:
            best, found = high, ((wide, min(high / max(rows, 1), wide)), blocks)
    if best < min(rows, MIN_ROWS_HEIGHT):
        columns = sum(last - first for first, last in stretches)
        raise InputError(f"A wrapped figure cannot hold {rows:,} rows of {columns:,} columns; select fewer cells")
    return found


def _widest_block(blocks: list[tuple[int, int]]) -> int:
    return max(last - first for first, last in blocks)


def _cut_blocks(stretches: list[tuple[int, int]], step: int) -> list[tuple[int, int]]:
    return [(at, min(at + step, last)) for first, last in stretches for at in range(first, last, step)]


def _readable_tracks(tracks: Sequence[str], cell_width: float) -> list[str]:
    return [name for name in tracks if is_readable(name, cell_width)]


def _block_height(rows: int, cell: tuple[float, float], tracks: Sequence[str]) -> int:
    return int(cell_painter.head_height(_readable_tracks(tracks, cell[0])) + rows * cell[1] + 16)


def _selected_rows(picture: AlignmentPicture) -> AlignmentPicture:
    """Return the picture of the selected rows, or of all, without marks."""
    order = picture.order
    if not picture.cell_selection.is_empty:
        order = order[picture.cell_selection.rows[order]]
    made = replace(
        picture,
        order=order,
        cell_selection=CellSelection.select_nothing(picture.alignment.letters.shape),
        cursor=(-1, -1),
    )
    made.fixed_row, made.matches, made.tracks = picture.track_row, picture.matches[:0], dict(picture.tracks)
    return made
