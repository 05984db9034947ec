"""Painting an alignment: cells and letters by whole pictures, names, marks and tracks by strokes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit import glyphs
from antidiag.app.kit.ink import font as ink_font
from antidiag.app.kit.saved_painter import saved
from antidiag.app.views.aligned import tracks
from antidiag.app.views.aligned.picture import Frame, Picture, ranges
from antidiag.app.views.aligned.pixels import Told, as_image, part_of, quiet
from antidiag.app.views.aligned.pixels import draw as draw_pixels
from antidiag.kernels.io import aligned_pixels, pages
from antidiag.kernels.io.aligned_sample import STEP

COARSE, FINE = 1, 8
"""How many cells a pixel looks at, along and down, while the picture moves, and when it rests."""
BAND = 32
"""Lines of a fine picture between two looks at the wish to stop."""
NAMED = 8.0
"""Pixels of a row from which on its name is written."""
MOST_MARKS = 2000
TOLD = 64
"""Rows of a drawing between two tellings of how far it is."""
HAIR = 0.01
"""Pixels that nobody sees."""
NOTE_WIDTH = 92
"""Pixels of a column of text beside the names."""
NOTE_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Those of Okabe and Ito, which colour-blind eyes tell apart."""


def body(
    picture: Picture,
    frame: Frame,
    scale: float,
    most: int,
    letters: str = "all",
    told: Told = quiet,
) -> np.ndarray:
    """The pixels of the cells that are seen, uint32 (height, width), ``scale`` device pixels a pixel.

    ``letters``: which are written: "all", "differences" from the consensus, or "none".
    """
    pixels = pages.empty((max(1, round(frame.height * scale)), max(1, round(frame.width * scale))), np.uint32)
    wide, tall = frame.cell_width * scale, frame.cell_height * scale
    rows = aligned_pixels.edges(frame.first_row, tall, pixels.shape[0], picture.shape[0])
    columns = aligned_pixels.edges(frame.first_column, wide, pixels.shape[1], picture.shape[1])
    found, colouring = picture.tiles, picture.colouring
    panel = int(theme.active().panel[1:], 16)
    written = frame.letters and letters != "none"
    codes, palette = colouring.codes, colouring.palette if written else colouring.unwritten
    if most == COARSE and picture.sample is not None and wide * STEP <= 1:
        aligned_pixels.sampled(found, picture.drawn, rows, columns, codes, palette, panel, pixels, picture.sample,
                               picture.kept(picture.sample))  # fmt: skip
        return pixels
    step = len(pixels) if most == COARSE else BAND
    for at in range(0, len(pixels), step):
        told(at, len(pixels))
        part = pixels[at : at + step]
        aligned_pixels.cells(found, picture.drawn, rows[at:], columns, codes, palette, panel, part, most)
    if written:
        first_row, last_row = frame.visible_rows(picture.shape[0])
        first, last = frame.visible_columns(picture.shape[1])
        tops = np.round((np.arange(first_row, last_row) - frame.first_row) * tall).astype(np.int64)
        lefts = np.round((np.arange(first, last) - frame.first_column) * wide).astype(np.int64)
        drawn = glyphs.glyphs(max(1, int(wide)), max(1, int(tall)))
        shown = _shown(picture) if letters == "differences" else colouring.shown
        aligned_pixels.write(
            found,
            picture.drawn,
            tops,
            lefts,
            first_row,
            first,
            colouring.codes,
            palette,
            colouring.inks,
            shown,
            drawn,
            pixels,
        )
        for place in _whole(picture, first_row, last_row):
            at = place - first_row
            aligned_pixels.write(found, picture.drawn, tops[at : at + 1], lefts, place, first, colouring.codes,
                                 palette, colouring.inks, np.ones_like(shown[:1]), drawn, pixels)  # fmt: skip
    return pixels


def _whole(picture: Picture, first: int, last: int) -> list[int]:
    """Where, among these lines, the row is that others are compared with."""
    whole = picture.colouring.whole
    return [first + place for place in np.flatnonzero(picture.order[first:last] == whole).tolist() if whole >= 0]


def draw_fine(painter: QPainter, picture: Picture, frame: Frame, scale: float, letters: str, told: Told) -> None:
    """The cells of a figure: as drawings where letters have room, else as fine pixels."""
    if frame.letters:
        draw_cells(painter, picture, frame, letters, told)
    else:
        cells = body(picture, frame, scale, FINE, letters, part_of(told, 0, 2))
        draw_pixels(painter, frame.box, cells, part_of(told, 1, 2))


def draw_cells(painter: QPainter, picture: Picture, frame: Frame, letters: str = "all", told: Told = quiet) -> None:
    """Cells and letters that are seen as drawings, not as a picture, for figures: runs of one colour are one
    rectangle."""
    colouring, inside = picture.colouring, frame.box
    first, last = frame.visible_columns(picture.shape[1])
    first_row, last_row = frame.visible_rows(picture.shape[0])
    codes = colouring.codes[first:last] if len(colouring.codes) > 1 else colouring.codes
    shown = _shown(picture) if letters == "differences" else colouring.shown
    shown = shown[first:last] if len(shown) > 1 else shown
    inks, across = colouring.inks, np.arange(last - first)
    with saved(painter):
        ends = QRectF(QPointF(frame.x(first), frame.y(first_row)), QPointF(frame.x(last), frame.y(last_row)))
        if not inside.adjusted(-HAIR, -HAIR, HAIR, HAIR).contains(ends):
            painter.setClipRect(inside)  # which drawings repeat at every letter
        painter.setFont(ink_font(letter_px(frame)))
        for place in range(first_row, last_row):
            if (place - first_row) % TOLD == 0:
                told(place - first_row, last_row - first_row)
            line = picture.letters_at(place)[first:last]
            kinds = aligned_pixels.CLASS[line]
            found = codes[np.minimum(across, len(codes) - 1), kinds]
            written = shown[np.minimum(across, len(shown) - 1), kinds] | (picture.order[place] == colouring.whole)
            starts = np.flatnonzero(np.diff(found.astype(np.int16), prepend=-1))
            for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), found.size], strict=True):
                box = QRectF(
                    frame.x(first + start), frame.y(place), (stop - start) * frame.cell_width, frame.cell_height
                )
                if found[start] > 1:
                    painter.fillRect(box & inside, QColor(*colouring.palette[found[start]].tolist()))
                painter.setPen(QColor(*inks[found[start]].tolist()))
                for at in range(start, stop) if letters != "none" else ():
                    if written[at]:
                        letter = chr(line[at])
                        place_of = QRectF(frame.x(first + at), frame.y(place), frame.cell_width, frame.cell_height)
                        painter.drawText(place_of, Qt.AlignmentFlag.AlignCenter, letter)


def letter_px(frame: Frame) -> int:
    """Pixels of the font of letters in cells."""
    return int(min(frame.cell_height * 0.75, frame.cell_width * 1.4))


def _shown(picture: Picture) -> np.ndarray:
    """Letters other than the consensus."""
    if "differences" not in picture.tracks:
        if picture.columns is None or picture.wait:
            return picture.colouring.shown
        picture.tracks["differences"] = tracks.differences(picture.columns)
    return picture.tracks["differences"]


def draw_names(painter: QPainter, picture: Picture, frame: Frame, chosen: frozenset[str]) -> None:
    """Names at the left, those of chosen rows marked."""
    colours = theme.active()
    first, last = frame.visible_rows(picture.shape[0])
    painter.save()
    painter.setClipRect(QRectF(0, frame.top, frame.left - 4, frame.height))
    font = QGuiApplication.font()
    font.setPixelSize(int(min(max(frame.cell_height * 0.78, 6), 13)))
    painter.setFont(font)
    rows = picture.order[first:last]
    marked = picture.choice.rows[rows]
    if marked.any():
        painter.setPen(Qt.PenStyle.NoPen)
        for start, stop in ranges(marked)[:MOST_MARKS]:
            box = QRectF(0, frame.y(first + start), frame.left - 4, max((stop - start) * frame.cell_height, 1))
            painter.fillRect(box, QColor(colours.selection))
    if frame.cell_height >= NAMED:
        metrics = painter.fontMetrics()
        notes_left = frame.left - 4 - len(picture.notes) * NOTE_WIDTH
        room = notes_left - 10
        for place in range(first, last):
            name = picture.name_at(place)
            painter.setPen(QColor(colours.accent if name in chosen else colours.text))
            box = QRectF(8, frame.y(place), room, frame.cell_height)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
        _draw_notes(painter, picture, frame, (first, last), notes_left)
    painter.restore()


def _draw_notes(painter: QPainter, picture: Picture, frame: Frame, lines: tuple[int, int], left: int) -> None:
    """The columns of text beside the names; where few texts differ, each has a colour of its own."""
    for number, (_, said) in enumerate(picture.notes):
        colours = note_colours(tuple(said.values()))
        x = left + number * NOTE_WIDTH
        for place in range(*lines):
            text = said.get(int(picture.order[place]), "")
            if not text:
                continue
            y, height = frame.y(place), frame.cell_height
            if text in colours:
                painter.fillRect(QRectF(x, y + height / 4, 7, height / 2), QColor(colours[text]))
            painter.setPen(QColor(theme.active().muted))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, NOTE_WIDTH - 16)
            painter.drawText(QRectF(x + 11, y, NOTE_WIDTH - 12, height), Qt.AlignmentFlag.AlignVCenter, shown)


@lru_cache(maxsize=16)
def note_colours(texts: tuple[str, ...]) -> dict[str, str]:
    """A colour for each text, where there are no more of them than colours."""
    different = sorted(set(texts))
    return dict(zip(different, NOTE_COLOURS, strict=False)) if len(different) <= len(NOTE_COLOURS) else {}


def draw_marks(painter: QPainter, picture: Picture, frame: Frame) -> None:
    """What is chosen, what was found, and the cursor, over the cells."""
    colours = theme.active()
    painter.save()
    painter.setClipRect(QRectF(frame.left, frame.top, frame.width, frame.height))
    first, last = frame.visible_rows(picture.shape[0])
    left, right = frame.visible_columns(picture.shape[1])
    shade, edge = QColor(colours.accent), QPen(QColor(colours.accent), 2)
    shade.setAlpha(46)
    for block in picture.choice.blocks:
        for start, stop in ranges(block.rows[picture.order[first:last]])[:MOST_MARKS]:
            for begin, end in ranges(block.columns[left:right])[:MOST_MARKS]:
                box = QRectF(
                    frame.x(left + begin), frame.y(first + start),
                    max((end - begin) * frame.cell_width, 1), max((stop - start) * frame.cell_height, 1),
                )  # fmt: skip
                painter.fillRect(box, shade)
                painter.setPen(edge)
                painter.drawRect(box.adjusted(1, 1, -1, -1))
    _draw_found(painter, picture, frame, (first, last), (left, right))
    row, column = picture.cursor
    if frame.letters and first <= row < last and left <= column < right:
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.drawRect(QRectF(frame.x(column), frame.y(row), frame.cell_width, frame.cell_height))
    painter.restore()


def _draw_found(
    painter: QPainter, picture: Picture, frame: Frame, rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    found, places = picture.found, picture.lines
    lines = places[found[:, 0]]
    seen = (lines >= rows[0]) & (lines < rows[1]) & (found[:, 1] < columns[1]) & (found[:, 2] > columns[0])
    painter.setPen(QPen(QColor(theme.active().warning), 2))
    for row, start, stop in found[np.flatnonzero(seen)[:MOST_MARKS]].tolist():
        box = QRectF(frame.x(start), frame.y(places[row]), (stop - start) * frame.cell_width, frame.cell_height)
        painter.drawRect(box.adjusted(0, 0, 0, -1))


def draw_head(
    painter: QPainter, picture: Picture, frame: Frame, shown: list[str], scale: float, strokes: bool = False
) -> None:
    """Ruler and tracks above the rows, with their names at the left; of a figure in ``strokes``, without pixels."""
    colours = theme.active()
    painter.save()
    painter.setClipRect(QRectF(frame.left - 2, 0, frame.width + 16, frame.top))
    tracks.draw_ruler(painter, frame, picture.shape[1])
    top = tracks.RULER
    for name in shown:
        tracks.draw(painter, name, picture, frame, top, scale, strokes)
        top += tracks.height_of(name)
    painter.restore()
    font = QGuiApplication.font()
    font.setPixelSize(11)
    painter.setFont(font)
    painter.setPen(QColor(colours.muted))
    top = tracks.RULER
    for number, (tag, _) in enumerate(picture.notes):
        x = frame.left - 4 - (len(picture.notes) - number) * NOTE_WIDTH
        title = painter.fontMetrics().elidedText(tag, Qt.TextElideMode.ElideRight, NOTE_WIDTH - 12)
        painter.drawText(QRectF(x + 11, 0, NOTE_WIDTH - 12, tracks.RULER), Qt.AlignmentFlag.AlignVCenter, title)
    for name in shown:
        box = QRectF(4, top, frame.left - 12, tracks.height_of(name))
        title = painter.fontMetrics().elidedText(tracks.title_of(name), Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, title)
        top += tracks.height_of(name)


def head_height(shown: list[str]) -> int:
    """Pixels of ruler and tracks."""
    return tracks.RULER + sum(map(tracks.height_of, shown)) + 2


def whole(picture: Picture, width: int, height: int) -> QImage:
    """The whole alignment in so many pixels, without letters."""
    frame = Frame(width / max(picture.shape[1], 1), height / max(picture.shape[0], 1), width=width, height=height)
    return as_image(body(picture, frame, 1, FINE, "none")).copy()
