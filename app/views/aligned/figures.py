"""Figures of an alignment: what is seen, or blocks of columns below each other, with the tree beside the rows.

They are drawn as things were when they were wanted, by any thread, which hears the wish to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit import export, figure
from antidiag.app.kit.background import Latest
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.print_size import Lines, ask_size
from antidiag.app.kit.saved_painter import saved
from antidiag.app.views.aligned import paint, pixels
from antidiag.app.views.aligned.picture import Choice, Frame, Picture
from antidiag.app.views.aligned.sight import Sight
from antidiag.app.views.aligned.tracks import is_readable, title_of
from antidiag.kernels.errors import InputError
from antidiag.kernels.monitor import Monitor

TALL = 16_000
"""Pixels that a wrapped figure is high at most; pictures of twice that are the highest that can be painted."""
WRAP = 80
PRINT_SCALE = 4
"""Pixels of a figure for each of the screen, where cells are pictures."""
CELLS = ((9, 14), (8, 11), (7, 9), (5, 6), (3, 4), (2, 3), (2, 2), (1, 1))
"""Pixels of a cell of a wrapped figure: the first, or the largest with which the figure is not too high."""
LONGER = 2
"""How many times as wide as others a figure becomes at most where its cells are no larger than a pixel."""
LEAST_HIGH = 100
"""Pixels of the rows of a block at least where they share pixels."""


class Drawing(Protocol):
    """What stands left of the rows, in their lines."""

    @property
    def across(self) -> int: ...
    def draw(self, painter: QPainter, body: Frame) -> object: ...


class Beside(Protocol):
    """Has what stands left of the rows now, or nothing."""

    @property
    def drawing(self) -> Drawing | None: ...


@dataclass(frozen=True)
class Shown:
    """What a figure is made of."""

    sight: Sight
    items: tuple[LegendItem, ...]
    beside: Drawing | None = None

    @property
    def title(self) -> str:
        return self.sight.picture.alignment.name


@dataclass(frozen=True)
class Figure:
    """A figure of ``size`` pixels of the screen; ``draw`` has a monitor at the end, and ``letter_px`` are the pixels of
    its letters, 0 where it has none."""

    size: QSize
    title: str
    draw: Callable[[QPainter, QRectF, Monitor], None]
    letter_px: float = 0.0

    def by(self, monitor: Monitor) -> export.Draw:
        """What draws it and tells a monitor."""
        return partial(_draw, self, monitor)


def _draw(made: Figure, monitor: Monitor, painter: QPainter, area: QRectF) -> None:
    made.draw(painter, area, monitor)


def seen(shown: Shown) -> Figure:
    """The figure of what is seen."""
    sight = shown.sight
    beside = shown.beside if sight.blocks is None else None
    left = beside.across if beside is not None else 0

    def draw(painter: QPainter, area: QRectF, monitor: Monitor) -> None:
        def draw_seen(painter: QPainter, width: float, height: float) -> None:
            if beside is not None:
                painter.save()
                beside.draw(painter, sight.frame)
                painter.restore()
            painter.translate(left, 0)
            sight.draw(painter, PRINT_SCALE, monitor)

        figure.draw(painter, area, shown.title, shown.items, draw_seen)

    frame = sight.frame
    letter_px = paint.letter_px(frame) if frame.letters and sight.letters != "none" else 0.0
    size = figure.size(left + frame.left + frame.width, sight.height, shown.items)
    return Figure(size, shown.title, draw, letter_px)


def make_image(made: Figure, monitor: Monitor) -> object:
    """The picture of a figure, for the clipboard."""
    return export.image(made.size, made.by(monitor))


def ask_and_save(parent: QWidget, made: Figure, saving: Latest, tell: Callable[[str], None]) -> None:
    """Ask for a file, and let ``saving`` write the figure."""
    _save(export.ask_file(parent, "alignment"), made, None, saving, tell)


def ask_and_print(
    parent: QWidget,
    make: Callable[[Lines], Figure],
    saving: Latest,
    tell: Callable[[str], None],
    wrap: int | None = None,
) -> None:
    """Ask for a size in millimetres, and of a figure of blocks for their columns, ``wrap`` to begin with; then for a
    file, and let ``saving`` write the figure that ``make`` makes of such lines."""

    def sized(lines: Lines) -> tuple[QSize, float]:
        made = make(lines)
        return made.size, made.letter_px

    found = ask_size(parent, sized, wrap)
    if found is not None:
        lines, printed = found
        _save(export.ask_file(parent, "alignment"), make(lines), printed, saving, tell)


def _save(
    path: Path | None, made: Figure, printed: export.Print | None, saving: Latest, tell: Callable[[str], None]
) -> None:
    if path is None:
        return
    tell(f"Drawing {path} ...")

    def write(monitor: Monitor) -> Path:
        export.save(path, made.size, made.by(monitor), made.title, printed, monitor.check)
        return path

    saving.request(write)


def wrapped(shown: Shown, wrap: int = WRAP, rows: bool = True, tallest: float = inf) -> Figure:
    """The figure of the chosen cells, or of all, in blocks of so many columns with the tracks that are switched on;
    each stretch of chosen columns begins a block. Without ``rows``, of the tracks alone. It is at most ``tallest``
    times as high as its cells are wide.

    Where it would be too high, cells are smaller and blocks have more columns. InputError where that is not enough.
    """
    picture, sight = shown.sight.picture, shown.sight
    items = shown.items if rows else shown.items[:1]  # no cells, no meaning of colours
    part = _chosen_rows(picture) if rows else replace(picture, order=picture.order[:0], told=picture.row)
    stretches = [(0, picture.shape[1])] if picture.choice.empty else picture.choice.stretches()
    (cell_width, cell_height), places = _fitting(
        part.order.size, stretches, wrap, sight.tracks, partial(_room, tallest, items)
    )
    tracks, tall = _readable(sight.tracks, cell_width), _tall(part.order.size, (cell_width, cell_height), sight.tracks)
    left, head = _left(part, tracks, cell_height), paint.head_height(tracks)
    beside = shown.beside if part.order.size == picture.order.size else None
    margin = beside.across if beside is not None else 0
    frames = [Frame(cell_width, cell_height, start, 0, left, head, round((stop - start) * cell_width),
                    round(part.order.size * cell_height)) for start, stop in places]  # fmt: skip
    blocks = Blocks(part, frames, tall, tracks, sight.letters, beside)

    def draw(painter: QPainter, area: QRectF, monitor: Monitor) -> None:
        figure.draw(painter, area, shown.title, items, lambda painter, *_: blocks.draw(painter, monitor))

    width = margin + left + max(stop - start for start, stop in places) * cell_width + theme.MARGIN
    lettered = rows and frames[0].letters and sight.letters != "none"
    return Figure(figure.size(width, len(places) * tall, items), shown.title, draw,
                  paint.letter_px(frames[0]) if lettered else 0.0)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of columns, ``tall`` pixels below each other."""

    part: Picture
    frames: list[Frame]
    tall: int
    tracks: list[str]
    letters: str
    beside: Drawing | None

    def draw(self, painter: QPainter, monitor: Monitor) -> None:
        for number, frame in enumerate(self.frames):
            with saved(painter):
                painter.translate(0, number * self.tall)
                self._draw(painter, frame, pixels.part_of(monitor.update, number, len(self.frames)))

    def _draw(self, painter: QPainter, frame: Frame, told: pixels.Told) -> None:
        if self.beside is not None:
            painter.save()
            self.beside.draw(painter, frame)
            painter.restore()
            painter.translate(self.beside.across, 0)
        if frame.letters:
            paint.draw_cells(painter, self.part, frame, self.letters, told)
        else:
            scale = 1 if float(frame.cell_height).is_integer() else PRINT_SCALE
            pixels.draw(painter, frame.box, paint.body(self.part, frame, scale, paint.FINE, "none", told))
        paint.draw_names(painter, self.part, frame, frozenset())
        paint.draw_head(painter, self.part, frame, self.tracks, PRINT_SCALE, True)


def _left(part: Picture, tracks: list[str], cell_height: float) -> int:
    """Pixels left of the cells: for the names of rows, where these are written, and for those of tracks."""
    named = range(part.order.size) if cell_height >= paint.NAMED else ()
    names = [*map(part.name_at, named), *map(title_of, tracks)] or [""]
    metrics = QFontMetrics(QGuiApplication.font())
    return min(max(map(metrics.horizontalAdvance, names)) + 24, 300) + len(part.notes) * paint.NOTE_WIDTH


def _room(tallest: float, items: tuple[LegendItem, ...], across: float) -> float:
    """Pixels for the blocks of a figure whose cells are so wide, below each other: between title and legend."""
    return min(TALL, tallest * across - figure.size(across, 0, items).height())


def _fitting(
    rows: int, stretches: list[tuple[int, int]], wrap: int, tracks: Sequence[str], room: Callable[[float], float]
) -> tuple[tuple[float, float], list[tuple[int, int]]]:
    """The largest cells with which a figure is not too high, and its blocks: first column, and the one after the last.
    InputError where there are none."""
    for cell in CELLS:
        blocks = _cut(stretches, wrap * CELLS[0][0] // cell[0])
        if len(blocks) * _tall(rows, cell, tracks) <= room(_widest(blocks) * cell[0]):
            return cell, blocks
    return _squeezed(rows, stretches, wrap * CELLS[0][0], tracks, room)


def _squeezed(
    rows: int, stretches: list[tuple[int, int]], wrap: int, tracks: Sequence[str], room: Callable[[float], float]
) -> tuple[tuple[float, float], list[tuple[int, int]]]:
    """The cells, of any height, whose rows get most pixels, and their blocks, which may be wider than others where
    cells are narrowest. InputError where too little is left of the rows."""
    steps = [(wide, wrap // wide) for wide, _ in CELLS] + [(1, times * wrap) for times in range(2, LONGER + 1)]
    best, found = 0.0, ((1.0, 1.0), [(0, 0)])
    for wide, step in steps:
        blocks = _cut(stretches, step)
        high = room(_widest(blocks) * wide) // len(blocks) - _tall(0, (wide, 1), tracks)
        if high > best:
            best, found = high, ((wide, min(high / max(rows, 1), wide)), blocks)
    if best < min(rows, LEAST_HIGH):
        columns = sum(last - first for first, last in stretches)
        raise InputError(f"{rows:,} rows of {columns:,} columns are too many for a wrapped figure; choose fewer")
    return found


def _widest(blocks: list[tuple[int, int]]) -> int:
    """Columns of the widest block."""
    return max(last - first for first, last in blocks)


def _cut(stretches: list[tuple[int, int]], step: int) -> list[tuple[int, int]]:
    """Blocks of so many columns at most."""
    return [(at, min(at + step, last)) for first, last in stretches for at in range(first, last, step)]


def _readable(tracks: Sequence[str], cell_width: float) -> list[str]:
    """The tracks that say something in columns of so many pixels."""
    return [name for name in tracks if is_readable(name, cell_width)]


def _tall(rows: int, cell: tuple[float, float], tracks: Sequence[str]) -> int:
    """Pixels of a block."""
    return int(paint.head_height(_readable(tracks, cell[0])) + rows * cell[1] + 16)


def _chosen_rows(picture: Picture) -> Picture:
    """The picture of the chosen rows alone, or of all, without marks."""
    order = picture.order
    if not picture.choice.empty:
        order = order[picture.choice.rows[order]]
    choice = Choice.none(picture.alignment.letters.shape)
    return replace(picture, order=order, choice=choice, cursor=(-1, -1), told=picture.row,
                   found=picture.found[:0], tracks=dict(picture.tracks))  # fmt: skip
