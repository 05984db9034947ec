"""Paints an alignment: cells and letters as images, or as strokes in figures; names, marks and tracks as strokes."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting import glyphs
from antidiag.app.kit.painting.fonts_and_colours import cell_font as ink_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.pixel_bands import ProgressReport, ignore_progress, partial_report, wrap_image
from antidiag.app.views.aligned.drawing.pixel_bands import draw_pixels as draw_pixels
from antidiag.app.views.aligned.editing.cell_selection import find_ranges
from antidiag.kernels.alignments import cell_pixels
from antidiag.kernels.alignments.cell_sample import SAMPLE_STEP

COARSE_SAMPLES, FINE_SAMPLES = 1, 8
"""Cells sampled per pixel in each direction: while the picture moves, and when it rests."""
BAND_LINES = 32
"""Lines of a fine picture between two checks for cancellation."""
MIN_NAMED_HEIGHT = 8.0
"""Least pixels of a row for its name to be written."""
MAX_MARKS = 2000
"""Most marks of a kind that are drawn."""
REPORT_ROWS = 64
"""Rows of a drawing between two progress reports."""
TOLERANCE = 0.01
"""Pixels too few to see."""
NOTE_WIDTH = 92
"""Pixels of a column of notes beside the names."""
NOTE_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""Colours of Okabe and Ito, distinct for colour-blind eyes."""


def paint_cells(
    picture: AlignmentPicture,
    frame: CellFrame,
    scale: float,
    samples: int,
    letters: str = "all",
    report: ProgressReport = ignore_progress,
) -> np.ndarray:
    """Return the pixels of the visible cells, uint32 (height, width), ``scale`` device pixels per pixel. ``letters``
    are those written: "all", "differences" from the consensus, or "none"."""
    pixels = np.empty((max(1, round(frame.height * scale)), max(1, round(frame.width * scale))), np.uint32)
    wide, tall = frame.cell_width * scale, frame.cell_height * scale
    rows = cell_pixels.pixel_edges(frame.first_row, tall, pixels.shape[0], picture.shape[0])
    columns = cell_pixels.pixel_edges(frame.first_column, wide, pixels.shape[1], picture.shape[1])
    found, colouring = picture.tiles, picture.colouring
    panel = int(theme.active().panel[1:], 16)
    written = frame.fits_letters and letters != "none"
    codes, palette = colouring.codes, colouring.palette if written else colouring.unwritten_palette
    if samples == COARSE_SAMPLES and picture.sample is not None and wide * SAMPLE_STEP <= 1:
        where = found, picture.painted_rows, rows, columns
        kept = picture.unchanged_tiles(picture.sample)
        cell_pixels.paint_sample(*where, codes, palette, panel, pixels, picture.sample, kept)
        return pixels
    step = len(pixels) if samples == COARSE_SAMPLES else BAND_LINES
    for at in range(0, len(pixels), step):
        report(at, len(pixels))
        part = pixels[at : at + step]
        cell_pixels.paint_cells(found, picture.painted_rows, rows[at:], columns, codes, palette, panel, part, samples)
    if written:
        first_row, last_row = frame.visible_rows(picture.shape[0])
        first, last = frame.visible_columns(picture.shape[1])
        tops = np.round((np.arange(first_row, last_row) - frame.first_row) * tall).astype(np.int64)
        lefts = np.round((np.arange(first, last) - frame.first_column) * wide).astype(np.int64)
        drawn = glyphs.render_glyphs(max(1, int(wide)), max(1, int(tall)))
        shown, inks = (
            _differing_letters(picture) if letters == "differences" else colouring.shown_letters,
            colouring.inks,
        )

        def write(tops: np.ndarray, top: int, shown: np.ndarray) -> None:
            look = codes, palette, inks, shown, drawn
            cell_pixels.paint_letters(found, picture.painted_rows, tops, lefts, top, first, *look, pixels)

        write(tops, first_row, shown)
        for place in _find_reference_lines(picture, first_row, last_row):
            write(tops[place - first_row : place - first_row + 1], place, np.ones_like(shown[:1]))
    return pixels


def _find_reference_lines(picture: AlignmentPicture, first: int, last: int) -> list[int]:
    whole = picture.colouring.reference_row
    return [first + place for place in np.flatnonzero(picture.order[first:last] == whole).tolist() if whole >= 0]


def draw_fine(
    painter: QPainter, picture: AlignmentPicture, frame: CellFrame, scale: float, letters: str, report: ProgressReport
) -> None:
    """Draw the cells of a figure: as strokes if letters fit, else as fine pixels."""
    if frame.fits_letters:
        draw_cells(painter, picture, frame, letters, report)
    else:
        cells = paint_cells(picture, frame, scale, FINE_SAMPLES, letters, partial_report(report, 0, 2))
        draw_pixels(painter, frame.body_box, cells, partial_report(report, 1, 2))


def draw_cells(
    painter: QPainter,
    picture: AlignmentPicture,
    frame: CellFrame,
    letters: str = "all",
    report: ProgressReport = ignore_progress,
) -> None:
    """Draw the visible cells and letters as strokes; a run of one colour is one rectangle."""
    colouring, inside = picture.colouring, frame.body_box
    first, last = frame.visible_columns(picture.shape[1])
    first_row, last_row = frame.visible_rows(picture.shape[0])
    codes = colouring.codes[first:last] if len(colouring.codes) > 1 else colouring.codes
    shown = _differing_letters(picture) if letters == "differences" else colouring.shown_letters
    shown = shown[first:last] if len(shown) > 1 else shown
    inks, across = colouring.inks, np.arange(last - first)
    with saved_painter_state(painter):
        ends = QRectF(
            QPointF(frame.column_x(first), frame.row_y(first_row)), QPointF(frame.column_x(last), frame.row_y(last_row))
        )
        if not inside.adjusted(-TOLERANCE, -TOLERANCE, TOLERANCE, TOLERANCE).contains(ends):
            painter.setClipRect(inside)  # only if needed: SVG and PDF repeat it at every letter
        painter.setFont(ink_font(letter_pixels(frame)))
        for place in range(first_row, last_row):
            if (place - first_row) % REPORT_ROWS == 0:
                report(place - first_row, last_row - first_row)
            line = picture.line_letters(place)[first:last]
            kinds = cell_pixels.LETTER_CLASS[line]
            found = codes[np.minimum(across, len(codes) - 1), kinds]
            written = shown[np.minimum(across, len(shown) - 1), kinds] | (
                picture.order[place] == colouring.reference_row
            )
            starts = np.flatnonzero(np.diff(found.astype(np.int16), prepend=-1))
            for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), found.size], strict=True):
                box = frame.cell_box(place, first + start, columns=stop - start)
                if found[start] > 1:
                    painter.fillRect(box & inside, QColor(*colouring.palette[found[start]].tolist()))
                painter.setPen(QColor(*inks[found[start]].tolist()))
                for at in range(start, stop) if letters != "none" else ():
                    if written[at]:
                        painter.drawText(frame.cell_box(place, first + at), Qt.AlignmentFlag.AlignCenter, chr(line[at]))


def letter_pixels(frame: CellFrame) -> int:
    """Return the pixels of the font of letters in cells."""
    return int(min(frame.cell_height * 0.75, frame.cell_width * 1.4))


def _differing_letters(picture: AlignmentPicture) -> np.ndarray:
    """Return the letters that differ from the consensus."""
    if "differences" not in picture.tracks:
        if picture.columns is None or picture.is_waiting:
            return picture.colouring.shown_letters
        picture.tracks["differences"] = tracks.mask_differences(picture.columns)
    return picture.tracks["differences"]


def draw_names(painter: QPainter, picture: AlignmentPicture, frame: CellFrame, chosen: frozenset[str]) -> None:
    """Draw the names at the left and mark those of selected rows."""
    colours = theme.active()
    first, last = frame.visible_rows(picture.shape[0])
    painter.save()
    painter.setClipRect(QRectF(0, frame.top, frame.left - 4, frame.height))
    font = QGuiApplication.font()
    font.setPixelSize(int(min(max(frame.cell_height * 0.78, 6), 13)))
    painter.setFont(font)
    for start, stop in find_ranges(picture.cell_selection.rows[picture.order[first:last]])[:MAX_MARKS]:
        box = QRectF(0, frame.row_y(first + start), frame.left - 4, max((stop - start) * frame.cell_height, 1))
        painter.fillRect(box, QColor(colours.selection))
    if frame.cell_height >= MIN_NAMED_HEIGHT:
        metrics = painter.fontMetrics()
        notes_left = frame.left - 4 - len(picture.notes) * NOTE_WIDTH
        room = notes_left - 10
        for place in range(first, last):
            name = picture.line_name(place)
            painter.setPen(QColor(colours.accent if name in chosen else colours.text))
            box = QRectF(8, frame.row_y(place), room, frame.cell_height)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
        _draw_notes(painter, picture, frame, (first, last), notes_left)
    painter.restore()


def _draw_notes(
    painter: QPainter, picture: AlignmentPicture, frame: CellFrame, lines: tuple[int, int], left: int
) -> None:
    """Draw the notes beside the names; if few texts differ, each gets a colour."""
    for number, (_, said) in enumerate(picture.notes):
        colours = note_colours(tuple(said.values()))
        x = left + number * NOTE_WIDTH
        for place in range(*lines):
            text = said.get(int(picture.order[place]), "")
            if not text:
                continue
            y, height = frame.row_y(place), frame.cell_height
            if text in colours:
                painter.fillRect(QRectF(x, y + height / 4, 7, height / 2), QColor(colours[text]))
            painter.setPen(QColor(theme.active().muted))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, NOTE_WIDTH - 16)
            painter.drawText(QRectF(x + 11, y, NOTE_WIDTH - 12, height), Qt.AlignmentFlag.AlignVCenter, shown)


@lru_cache(maxsize=16)
def note_colours(texts: tuple[str, ...]) -> dict[str, str]:
    """Return a colour for each text if there are enough colours."""
    different = sorted(set(texts))
    return dict(zip(different, NOTE_COLOURS, strict=False)) if len(different) <= len(NOTE_COLOURS) else {}


def draw_marks(painter: QPainter, picture: AlignmentPicture, frame: CellFrame) -> None:
    """Draw the selection, the matches and the cursor over the cells."""
    colours = theme.active()
    painter.save()
    painter.setClipRect(frame.body_box)
    first, last = frame.visible_rows(picture.shape[0])
    left, right = frame.visible_columns(picture.shape[1])
    shade, edge = QColor(colours.accent), QPen(QColor(colours.accent), 2)
    shade.setAlpha(46)
    for block in picture.cell_selection.blocks:
        for start, stop in find_ranges(block.rows[picture.order[first:last]])[:MAX_MARKS]:
            for begin, end in find_ranges(block.columns[left:right])[:MAX_MARKS]:
                box = frame.cell_box(first + start, left + begin, stop - start, end - begin)
                box.setSize(box.size().expandedTo(QSizeF(1, 1)))
                painter.fillRect(box, shade)
                painter.setPen(edge)
                painter.drawRect(box.adjusted(1, 1, -1, -1))
    _draw_matches(painter, picture, frame, (first, last), (left, right))
    row, column = picture.cursor
    if frame.fits_letters and first <= row < last and left <= column < right:
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.drawRect(frame.cell_box(row, column))
    painter.restore()


def _draw_matches(
    painter: QPainter, picture: AlignmentPicture, frame: CellFrame, rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    found, places = picture.matches, picture.line_of_row
    lines = places[found[:, 0]]
    seen = (lines >= rows[0]) & (lines < rows[1]) & (found[:, 1] < columns[1]) & (found[:, 2] > columns[0])
    painter.setPen(QPen(QColor(theme.active().warning), 2))
    for row, start, stop in found[np.flatnonzero(seen)[:MAX_MARKS]].tolist():
        painter.drawRect(frame.cell_box(places[row], start, columns=stop - start).adjusted(0, 0, 0, -1))


def draw_head(
    painter: QPainter,
    picture: AlignmentPicture,
    frame: CellFrame,
    shown: list[str],
    scale: float,
    strokes: bool = False,
) -> None:
    """Draw ruler and tracks above the rows and their titles at the left; figures draw ``strokes`` only."""
    painter.save()
    painter.setClipRect(QRectF(frame.left - 2, 0, frame.width + 16, frame.top))
    tracks.draw_ruler(painter, frame, picture.shape[1])
    tops = [tracks.RULER_HEIGHT, *(tracks.RULER_HEIGHT + down for down in accumulate(map(tracks.track_height, shown)))]
    for name, top in zip(shown, tops, strict=False):
        tracks.draw_track(painter, name, picture, frame, top, scale, strokes)
    painter.restore()
    font = QGuiApplication.font()
    font.setPixelSize(11)
    painter.setFont(font)
    painter.setPen(QColor(theme.active().muted))
    middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
    notes_left = frame.left - 4 - len(picture.notes) * NOTE_WIDTH
    titles = [
        (QRectF(notes_left + number * NOTE_WIDTH + 11, 0, NOTE_WIDTH - 12, tracks.RULER_HEIGHT), middle, tag)
        for number, (tag, _) in enumerate(picture.notes)
    ]
    titles += [
        (QRectF(4, top, frame.left - 12, tracks.track_height(name)), middle | right, tracks.track_title(name))
        for name, top in zip(shown, tops, strict=False)
    ]
    for box, side, title in titles:
        text = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, side, text)


def head_height(shown: list[str]) -> int:
    """Return the pixels of ruler and tracks."""
    return tracks.RULER_HEIGHT + sum(map(tracks.track_height, shown)) + 2


def paint_overview(picture: AlignmentPicture, width: int, height: int) -> QImage:
    """Return an image of the whole alignment without letters."""
    frame = CellFrame(width / max(picture.shape[1], 1), height / max(picture.shape[0], 1), width=width, height=height)
    return wrap_image(paint_cells(picture, frame, 1, FINE_SAMPLES, "none")).copy()
