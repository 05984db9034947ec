"""Figures of an alignment: what is seen, or blocks of columns below each other, with the tree beside the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from app import theme
from app.kit import export, figure
from app.kit.background import Latest
from app.kit.legend import LegendItem
from app.views.aligned import paint
from app.views.aligned.canvas import AlignmentCanvas
from app.views.aligned.picture import Choice, Frame, Picture
from app.views.aligned.tracks import as_image, title_of
from kernels.errors import InputError

TALL = 16_000
"""Pixels that a wrapped figure is high at most; pictures of twice that are the highest that can be painted."""
WRAP = 80
PRINT_SCALE = 4
"""Pixels of a figure for each of the screen, where cells are pictures."""
CELLS = ((9, 14), (8, 11), (7, 9), (5, 6), (3, 4), (2, 3), (2, 2), (1, 1))
"""Pixels of a cell of a wrapped figure: the first, or the largest with which the figure is not too high."""


class Beside(Protocol):
    """What stands left of the rows, in their lines: ``there`` says whether it does."""

    @property
    def there(self) -> bool: ...
    @property
    def across(self) -> int: ...
    def draw(self, painter: QPainter, body: Frame, marks: bool) -> None: ...


@dataclass(frozen=True)
class Shown:
    """What a figure is made of."""

    canvas: AlignmentCanvas
    items: tuple[LegendItem, ...]
    beside: Beside | None = None

    @property
    def left(self) -> int:
        """Pixels of what stands left of the rows."""
        return self.beside.across if self.beside is not None and self.beside.there else 0


def seen(shown: Shown) -> tuple[QSize, export.Draw]:
    """The size of the figure of what is seen, and what draws it."""
    canvas, left = shown.canvas, 0 if shown.canvas.wrapped else shown.left
    width, height = left + canvas.viewport().width(), canvas.viewport().height()

    def draw_seen(painter: QPainter, width: float, height: float) -> None:
        if left and shown.beside is not None:
            shown.beside.draw(painter, canvas.frame_, False)
        painter.translate(left, 0)
        canvas.draw(painter, PRINT_SCALE)

    def draw(painter: QPainter, area: QRectF) -> None:
        figure.draw(painter, area, canvas.picture.alignment.name, shown.items, draw_seen)

    return figure.size(width, height, shown.items), draw


def copy(shown: Shown) -> None:
    """Put the figure of what is seen on the clipboard."""
    export.copy(*seen(shown))


def ask_and_save(parent: QWidget, shown: Shown, tell: Callable[[str], None]) -> None:
    """Ask for a file for the figure of what is seen."""
    size, draw = seen(shown)
    path = export.ask_and_save(parent, "alignment", size, draw, shown.canvas.picture.alignment.name)
    if path is not None:
        tell(f"Saved {path}")


def ask_and_save_wrapped(
    parent: QWidget, shown: Shown, saving: Latest, tell: Callable[[str], None], rows: bool = True
) -> None:
    """Ask for a file, and let ``saving`` write the figure in blocks; InputError where it has too many cells."""
    size, draw = wrapped(shown, rows=rows)
    name = shown.canvas.picture.alignment.name
    if (path := export.ask_file(parent, "alignment")) is not None:
        tell(f"Drawing {path} ...")

        def write(monitor: object) -> object:
            export.save(path, size, draw, name)
            return path

        saving.request(write)


def wrapped(shown: Shown, wrap: int = WRAP, rows: bool = True) -> tuple[QSize, export.Draw]:
    """The figure of the chosen cells, or of all, in blocks of so many columns with the tracks that are switched on;
    each stretch of chosen columns begins a block. It is drawn as things are now, also later. Without ``rows``, of the
    tracks alone.

    Where it would be too high, cells are smaller and blocks have more columns. InputError where that is not enough.
    """
    canvas = shown.canvas
    picture, items = canvas.picture, shown.items if rows else shown.items[:1]  # no cells, no meaning of colours
    part = _chosen_rows(picture) if rows else replace(picture, order=picture.order[:0], folds={})
    stretches = [(0, picture.shape[1])] if picture.choice.empty else picture.choice.stretches()
    tracks, letters = list(canvas.tracks), canvas.letters
    head = paint.head_height(tracks)
    (cell_width, cell_height), blocks = _fitting(part.order.size, stretches, wrap, head)
    metrics = QFontMetrics(QGuiApplication.font())
    names = [*(part.name_at(place) for place in range(part.order.size)), *map(title_of, tracks)] or [""]
    left = min(max(map(metrics.horizontalAdvance, names)) + 24, 300) + len(part.notes) * paint.NOTE_WIDTH
    beside = shown.beside if part.order.size == picture.order.size else None
    margin = shown.left if beside is not None else 0
    tall = _tall(part.order.size, cell_height, head)

    def draw_blocks(painter: QPainter, width: float, height: float) -> None:
        for number, (start, stop) in enumerate(blocks):
            painter.save()
            painter.translate(0, number * tall)
            frame = Frame(cell_width, cell_height, start, 0, left, head,
                          round((stop - start) * cell_width), round(part.order.size * cell_height))  # fmt: skip
            if margin and beside is not None:
                painter.save()
                beside.draw(painter, frame, False)
                painter.restore()
                painter.translate(margin, 0)
            if frame.letters:
                paint.draw_cells(painter, part, frame, letters)
            else:
                cells = as_image(paint.body(part, frame, 1, paint.FINE))
                painter.drawImage(QRectF(frame.left, frame.top, frame.width, frame.height), cells)
            paint.draw_names(painter, part, frame, frozenset())
            paint.draw_head(painter, part, frame, tracks, PRINT_SCALE)
            painter.restore()

    def draw(painter: QPainter, area: QRectF) -> None:
        figure.draw(painter, area, picture.alignment.name, items, draw_blocks)

    width = margin + left + max(stop - start for start, stop in blocks) * cell_width + theme.MARGIN
    return figure.size(width, len(blocks) * tall, items), draw


def _fitting(
    rows: int, stretches: list[tuple[int, int]], wrap: int, head: int
) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """The largest cells with which a figure is not too high, and its blocks: first column, and the one after the last.
    InputError where there are none."""
    for wide, high in CELLS:
        step = wrap * CELLS[0][0] // wide
        blocks = [(at, min(at + step, last)) for first, last in stretches for at in range(first, last, step)]
        if len(blocks) * _tall(rows, high, head) <= TALL:
            return (wide, high), blocks
    columns = sum(last - first for first, last in stretches)
    raise InputError(f"{rows:,} rows of {columns:,} columns are too many for a wrapped figure; choose fewer")


def _tall(rows: int, cell_height: float, head: int) -> int:
    """Pixels of a block."""
    return int(head + rows * cell_height + 16)


def _chosen_rows(picture: Picture) -> Picture:
    """The picture of the chosen rows alone, or of all, without marks."""
    order = picture.order
    if not picture.choice.empty:
        order = order[picture.choice.rows[order]]
    choice = Choice.none(picture.alignment.letters.shape)
    return replace(picture, order=order, choice=choice, cursor=(-1, -1), found=picture.found[:0],
                   tracks=dict(picture.tracks))  # fmt: skip
