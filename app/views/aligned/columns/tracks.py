"""Tracks above the rows: values and characters per column, and their painting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QStaticText

from antidiag.app import theme
from antidiag.app.kit.painting import glyphs, sequence_logo
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.aligned.drawing import pixel_bands as pixels_drawn
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.kernels.alignments import cell_pixels, cell_sample, genetic_code
from antidiag.kernels.alignments import column_counter as counts
from antidiag.kernels.alignments.column_confidence import column_confidence, has_confidence
from antidiag.kernels.alignments.column_statistics import (
    AMBIGUOUS_CLASSES,
    CLASS_LETTER,
    CLASSES,
    LETTER_CLASS,
    ColumnCounts,
)
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import named_matrix

RULER_HEIGHT = 22
BAR_HEIGHT = 30
LOGO_HEIGHT = 56
LINE_HEIGHT = 16
TRACK_MARGIN = 2
"""Pixels above and below bars and logos."""
MIN_READABLE_WIDTH = 6
"""Least pixels of a column for the characters of a track to be written."""
MIN_STROKE_WIDTH = 1.0
"""Least pixels of a column for bars and logos to be strokes in figures."""
NOTE_PREFIX = "note:"
"""Prefix of tracks that show column annotation of the file."""
ROW_NOTE_PREFIX = "row note:"
"""Prefix of tracks that show letter annotation of the row at the cursor."""


@dataclass(frozen=True)
class Track:
    """A track; ``track_values(picture)`` returns a value per column, from 0 to 1 for bars, in bits for the logo."""

    title: str
    height: int
    values: Callable[[AlignmentPicture], np.ndarray] | None = None


@cache
def class_scores() -> np.ndarray:
    """Return BLOSUM62 by the letter classes of `aligned_columns`, float64; unknown letters score as X."""
    matrix = named_matrix("BLOSUM62")
    places = [max(matrix.letters.find(chr(letter)), -1) for letter in CLASS_LETTER.tolist()]
    unknown = matrix.letters.find("X")
    chosen = [place if place >= 0 else unknown for place in places]
    return np.asarray(matrix.values, float)[np.ix_(chosen, chosen)]


def alphabet_size(picture: AlignmentPicture) -> int:
    """Return the size of the alphabet."""
    return 20 if picture.alignment.type == SequenceType.PROTEIN else 4


TRACKS: Mapping[str, Track] = {
    "logo": Track("Logo", LOGO_HEIGHT, lambda picture: picture.columns.information(alphabet_size(picture))),
    "consensus": Track("Consensus", LINE_HEIGHT),
    "match": Track("Match", LINE_HEIGHT),
    "conservation": Track("Conservation", BAR_HEIGHT, lambda picture: picture.columns.conservation / 11),
    "quality": Track("Quality", BAR_HEIGHT, lambda picture: picture.columns.quality(class_scores())),
    "identity": Track("Identity", BAR_HEIGHT, lambda picture: picture.columns.identity),
    "occupancy": Track("Occupancy", BAR_HEIGHT, lambda picture: picture.columns.occupancy),
    "gaps": Track("Gaps", BAR_HEIGHT, lambda picture: picture.columns.gaps),
    "agreement": Track("Agreement", BAR_HEIGHT),
    "confidence": Track("Confidence", BAR_HEIGHT, lambda picture: np.nan_to_num(column_confidence(picture.alignment))),
    "codons": Track("Codon position", LINE_HEIGHT),
    **{f"frame {number}": Track(f"Frame {number} of the row", LINE_HEIGHT) for number in (1, 2, 3)},
    "entropy": Track("Entropy", BAR_HEIGHT, lambda picture: picture.columns.entropy / np.log2(alphabet_size(picture))),
}
PROTEIN_ONLY = frozenset({"conservation", "quality"})
NUCLEOTIDES_ONLY = frozenset({"codons", "frame 1", "frame 2", "frame 3"})


def fits_alignment(picture: AlignmentPicture, name: str) -> bool:
    """Whether a track can be shown for an alignment."""
    if name.startswith((NOTE_PREFIX, ROW_NOTE_PREFIX)):
        return name in _annotation_tracks(picture)
    protein = picture.alignment.type == SequenceType.PROTEIN
    needed = {
        "match": picture.shape[0] == 2,
        "agreement": picture.reference is not None,
        "confidence": has_confidence(picture.alignment),
    }
    return needed.get(name, True) and name not in (NUCLEOTIDES_ONLY if protein else PROTEIN_ONLY)


def offered_tracks(picture: AlignmentPicture) -> dict[str, str]:
    """Return names and titles of the tracks that can be shown for an alignment."""
    found = {name: track.title for name, track in TRACKS.items() if fits_alignment(picture, name)}
    taken = {title.lower() for title in found.values()}
    for name in _annotation_tracks(picture):
        title = track_title(name)
        found[name] = f"{title}, as written" if title.lower() in taken else title
    return found


def _annotation_tracks(picture: AlignmentPicture) -> list[str]:
    notes = picture.alignment.annotations
    of_rows = dict.fromkeys(tag for _, tag, _ in notes.of_letters)
    return [*(NOTE_PREFIX + tag for tag, _ in notes.of_columns), *(ROW_NOTE_PREFIX + tag for tag in of_rows)]


def mask_differences(columns: ColumnCounts) -> np.ndarray:
    """Return which letters of each column differ from the consensus, uint8 (columns, CLASSES)."""
    shown = np.ones((len(columns), CLASSES), np.uint8)
    shown[np.arange(len(shown)), LETTER_CLASS[columns.consensus]] = 0
    shown[:, columns.ambiguous] = 1
    return shown


def match_line(picture: AlignmentPicture, first: int, last: int) -> str:
    """Return the match line of two rows: '|' identical, ':' proteins' letters that score above 0, ' ' others."""
    if picture.shape[0] != 2:
        return " " * (last - first)
    one, other = (LETTER_CLASS[picture.line_letters(place)[first:last]] for place in range(2))
    both = (one > 0) & (other > 0)
    same = both & (one == other) & ~np.isin(one, AMBIGUOUS_CLASSES[alphabet_size(picture)])
    alike = both & (class_scores()[one, other] > 0) if picture.alignment.type == SequenceType.PROTEIN else both & False
    found = np.where(same, ord("|"), np.where(alike, ord(":"), ord(" "))).astype(np.uint8)
    return found.tobytes().decode("ascii")


def track_title(name: str) -> str:
    """Return the title of a track."""
    if name.startswith(ROW_NOTE_PREFIX):
        return f"{name.removeprefix(ROW_NOTE_PREFIX)} of the row"
    return name.removeprefix(NOTE_PREFIX) if name.startswith(NOTE_PREFIX) else TRACKS[name].title


def track_height(name: str) -> int:
    """Return the pixels of the height of a track."""
    return LINE_HEIGHT if name.startswith((NOTE_PREFIX, ROW_NOTE_PREFIX)) else TRACKS[name].height


def draw_ruler(painter: QPainter, frame: CellFrame, columns: int) -> None:
    """Draw column numbers above the body."""
    colours = theme.active()
    painter.setFont(cell_font(11))
    metrics = painter.fontMetrics()
    room = metrics.horizontalAdvance(f"{columns:,}") + 14
    steps = (first * 10**power for power in range(12) for first in (1, 2, 5))
    step = next(step for step in steps if step >= 5 and step * frame.cell_width >= room)
    first, last = frame.visible_columns(columns)
    for column in range((first + step) // step * step, last + 1, step):
        x = frame.column_x(column - 0.5)
        painter.setPen(QColor(colours.muted))
        painter.drawText(QRectF(x - 50, 0, 100, RULER_HEIGHT - 5), Qt.AlignmentFlag.AlignCenter, f"{column:,}")
        painter.drawLine(int(x), RULER_HEIGHT - 4, int(x), RULER_HEIGHT - 1)


def draw_track(
    painter: QPainter,
    name: str,
    picture: AlignmentPicture,
    frame: CellFrame,
    top: int,
    scale: float,
    strokes: bool = False,
) -> None:
    """Draw a track at ``top``, ``scale`` device pixels per pixel; in figures as ``strokes`` if columns are wide
    enough."""
    height = track_height(name)
    if not fits_alignment(picture, name):
        return
    if is_line(name):
        if is_readable(name, frame.cell_width):
            _draw_line(painter, name, picture, frame, top, strokes)
        elif not strokes:  # a figure cannot be zoomed
            _draw_zoom_hint(painter, frame, top)
        return
    if name not in picture.tracks and (picture.columns is None or picture.is_waiting or TRACKS[name].values is None):
        return
    if strokes and frame.cell_width >= MIN_STROKE_WIDTH:
        box = QRectF(frame.left, top + TRACK_MARGIN, frame.width, height - 2 * TRACK_MARGIN)
        (_draw_logo_strokes if name == "logo" else _draw_bar_strokes)(painter, picture, name, frame, box)
        return
    size = round(height * scale), round(frame.width * scale)
    pixels = np.full(size, 0xFF000000 | _rgb_number(theme.active().panel), np.uint32)
    columns = cell_pixels.pixel_edges(frame.first_column, frame.cell_width * scale, pixels.shape[1], picture.shape[1])
    margin = max(1, round(TRACK_MARGIN * scale))
    if name == "logo":
        _paint_logo(picture, columns, pixels[margin:-margin])
    else:
        cell_pixels.paint_bars(
            track_values(name, picture), columns, _rgb_number(theme.active().accent), pixels[margin:-margin]
        )
    pixels_drawn.draw_pixels(painter, QRectF(frame.left, top, frame.width, height), pixels)


def is_line(name: str) -> bool:
    """Whether a track has a character per column."""
    return name.startswith((NOTE_PREFIX, ROW_NOTE_PREFIX)) or (TRACKS[name].values is None and name != "agreement")


def is_readable(name: str, cell_width: float) -> bool:
    """Whether a track is readable in columns of so many pixels."""
    return cell_width >= MIN_READABLE_WIDTH or not is_line(name)


def has_values(picture: AlignmentPicture, name: str) -> bool:
    """Whether a track has a value per column, not a character."""
    return name in picture.tracks or (name in TRACKS and TRACKS[name].values is not None)


def track_values(name: str, picture: AlignmentPicture) -> np.ndarray:
    """Return the values of a track, cached in the picture."""
    if name not in picture.tracks:
        picture.tracks[name] = TRACKS[name].values(picture)
    return picture.tracks[name]


def missing_tracks(picture: AlignmentPicture, shown: list[str]) -> list[str]:
    """Return the shown tracks whose values are still missing."""
    return [name for name in shown if name in TRACKS and TRACKS[name].values and name not in picture.tracks]


def compute_tracks(
    picture: AlignmentPicture,
    counting: Callable[[Monitor], ColumnCounts],
    shown: list[str],
    differing: bool,
    monitor: Monitor,
) -> AlignmentPicture:
    """Return a picture with counts and the values of the shown tracks, as a thread makes them. ``differing`` adds
    letters that differ from the consensus; wide alignments also get a sample of the letters."""
    made = replace(picture, columns=picture.columns or counting(monitor))
    made.tracks = dict(picture.tracks)
    if len(made.columns) > counts.MAX_COLUMNS_AT_ONCE:
        made.sample = cell_sample.update_sample(picture.sample, picture.alignment.letters, monitor)
    for name in missing_tracks(made, shown):
        monitor.check()
        track_values(name, made)
    if differing and "differences" not in made.tracks:
        made.tracks["differences"] = mask_differences(made.columns)
    return made


def _draw_bar_strokes(painter: QPainter, picture: AlignmentPicture, name: str, frame: CellFrame, box: QRectF) -> None:
    """Draw a bar per column as a rectangle."""
    first, last = frame.visible_columns(picture.shape[1])
    colour = QColor(theme.active().accent)
    for place, value in enumerate(np.clip(track_values(name, picture)[first:last], 0, 1).tolist(), first):
        if value > 0:
            high = value * box.height()
            painter.fillRect(QRectF(frame.column_x(place), box.bottom() - high, frame.cell_width, high) & box, colour)


def _draw_logo_strokes(painter: QPainter, picture: AlignmentPicture, name: str, frame: CellFrame, box: QRectF) -> None:
    """Draw the letters of the columns as outlines."""
    first, last = frame.visible_columns(picture.shape[1])
    counts = picture.columns.counts[first:last, 1:].astype(float)
    counts[:, AMBIGUOUS_CLASSES[alphabet_size(picture)] - 1] = 0
    heights = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * track_values(name, picture)[first:last, None]
    letters, protein = CLASS_LETTER[1:].tobytes().decode("ascii"), picture.alignment.type == SequenceType.PROTEIN
    boxes = [QRectF(frame.column_x(place), box.top(), frame.cell_width, box.height()) for place in range(first, last)]
    with saved_painter_state(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sequence_logo.draw_logo(painter, boxes, heights.T, np.log2(alphabet_size(picture)), letters, protein)


def _paint_logo(picture: AlignmentPicture, columns: np.ndarray, pixels: np.ndarray) -> None:
    """Paint the letters of all columns into pixels; the highest column fills the track."""
    information = track_values("logo", picture)
    colours = theme.active().residues(picture.alignment.type == SequenceType.PROTEIN)
    table = np.full((len(CLASS_LETTER), 3), 128, np.uint8)
    for letter, colour in colours.items():
        strong = QColor(colour).darker(150) if theme.active().name == "light" else QColor(colour).lighter(165)
        table[LETTER_CLASS[ord(letter)]] = strong.red(), strong.green(), strong.blue()
    letters = alphabet_size(picture)
    scale, skipped = pixels.shape[0] / np.log2(letters), int(AMBIGUOUS_CLASSES[letters][0])
    counts, shapes = picture.columns.counts, glyphs.render_tall_glyphs()
    if counts[:, AMBIGUOUS_CLASSES[letters]].any():
        counts = counts.copy()
        counts[:, AMBIGUOUS_CLASSES[letters]] = 0
    cell_pixels.paint_logo(counts, information, skipped, scale, columns, shapes, table, pixels)


def track_characters(name: str, picture: AlignmentPicture, first: int, last: int) -> str:
    """Return the characters of a track in columns ``first`` to ``last``; "" while they are not known."""
    if name == "consensus":
        columns = picture.columns
        return "" if columns is None else columns.part(first, last).consensus.tobytes().decode("ascii")
    if name == "match":
        return match_line(picture, first, last)
    if name == "codons":
        return "".join("123"[column % 3] for column in range(first, last))
    if name.startswith("frame "):
        return genetic_code.amino_acids_in_columns(
            picture.row_letters(picture.track_row), int(name[-1]) - 1, first, last
        )
    if name.startswith(ROW_NOTE_PREFIX):
        # A collapsed clade has none: its letters are a consensus.
        of_row = {tag: marks for at, tag, marks in picture.alignment.annotations.of_letters if at == picture.track_row}
        return (
            "" if picture.track_row in picture.folds else of_row.get(name.removeprefix(ROW_NOTE_PREFIX), "")[first:last]
        )
    said = {NOTE_PREFIX + tag: marks for tag, marks in picture.alignment.annotations.of_columns}
    return said.get(name, "")[first:last]


def _draw_zoom_hint(painter: QPainter, frame: CellFrame, top: int) -> None:
    painter.setPen(QColor(theme.active().muted))
    painter.setFont(cell_font(10))
    box = QRectF(frame.left + 4, top, frame.width, LINE_HEIGHT)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, "zoom in to read")


def _draw_line(
    painter: QPainter, name: str, picture: AlignmentPicture, frame: CellFrame, top: int, strokes: bool
) -> None:
    """Draw a character per column, on the screen from cached layouts, because layout takes most of the time."""
    first, last = frame.visible_columns(picture.shape[1])
    px, bold = int(min(13, frame.cell_width * 1.5)), name == "consensus"
    painter.setFont(cell_font(px, bold=bold))
    painter.setPen(QColor(theme.active().text))
    for number, letter in enumerate(track_characters(name, picture, first, last)):
        box = QRectF(frame.column_x(first + number) - 10, top, frame.cell_width + 20, LINE_HEIGHT)
        if strokes:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
        else:
            laid = _lay_out_letter(letter, px, bold)
            size = laid.size()
            place = QPointF(box.center().x() - size.width() / 2, box.center().y() - size.height() / 2)
            painter.drawStaticText(place, laid)


@lru_cache(maxsize=256)
def _lay_out_letter(letter: str, px: int, bold: bool) -> QStaticText:
    laid = QStaticText(letter)
    laid.setTextFormat(Qt.TextFormat.PlainText)
    laid.prepare(font=cell_font(px, bold=bold))
    return laid


def _rgb_number(colour: str) -> int:
    return int(colour[1:], 16)
