"""Tracks above the rows: what is counted in the columns, and what the file says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QStaticText

from antidiag.app import theme
from antidiag.app.kit import glyphs, logo
from antidiag.app.kit.ink import font
from antidiag.app.views.aligned import counting as counts
from antidiag.app.views.aligned import pixels as pixels_drawn
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.kernels.io import aligned_pixels, aligned_sample, codons
from antidiag.kernels.io.aligned_columns import ANY, CLASS, CLASSES, LETTER, Columns
from antidiag.kernels.io.aligned_confidence import confidence, has_confidence
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import named_matrix

RULER = 22
BAR = 30
LOGO = 56
LINE = 16
MARGIN = 2
"""Pixels above and below bars and logos."""
LEAST_READ = 6
"""Pixels of a column from which on the characters of a line are written."""
STROKE = 1.0
"""Pixels of a column from which on bars and logos are drawn as strokes in figures."""
NOTE = "note:"
"""Begins the name of a track that is a line of the file's annotation."""
ROW_NOTE = "row note:"
"""Begins the name of a track that is what the file says of the letters of the row at the cursor."""


@dataclass(frozen=True)
class Track:
    """``values(picture)`` are a value a column, from 0 to 1 for a track of bars, in bits for the logo."""

    title: str
    height: int
    values: Callable[[Picture], np.ndarray] | None = None


@cache
def class_scores() -> np.ndarray:
    """BLOSUM62 by the classes of `aligned_columns`, float64; letters that it lacks score as X."""
    matrix = named_matrix("BLOSUM62")
    places = [max(matrix.letters.find(chr(letter)), -1) for letter in LETTER.tolist()]
    unknown = matrix.letters.find("X")
    chosen = [place if place >= 0 else unknown for place in places]
    return np.asarray(matrix.values, float)[np.ix_(chosen, chosen)]


def letters_of(picture: Picture) -> int:
    """Letters of the alphabet."""
    return 20 if picture.alignment.type == SequenceType.PROTEIN else 4


TRACKS: Mapping[str, Track] = MappingProxyType(
    {
        "logo": Track("Logo", LOGO, lambda picture: picture.columns.information(letters_of(picture))),
        "consensus": Track("Consensus", LINE),
        "match": Track("Match", LINE),
        "conservation": Track("Conservation", BAR, lambda picture: picture.columns.conservation / 11),
        "quality": Track("Quality", BAR, lambda picture: picture.columns.quality(class_scores())),
        "identity": Track("Identity", BAR, lambda picture: picture.columns.identity),
        "occupancy": Track("Occupancy", BAR, lambda picture: picture.columns.occupancy),
        "gaps": Track("Gaps", BAR, lambda picture: picture.columns.gaps),
        "agreement": Track("Compared", BAR),
        "confidence": Track("Confidence", BAR, lambda picture: np.nan_to_num(confidence(picture.alignment))),
        "codons": Track("Codon position", LINE),
        "frame 1": Track("Frame 1 of the row", LINE),
        "frame 2": Track("Frame 2 of the row", LINE),
        "frame 3": Track("Frame 3 of the row", LINE),
        "entropy": Track("Entropy", BAR, lambda picture: picture.columns.entropy / np.log2(letters_of(picture))),
    }
)
PROTEIN_ONLY = frozenset({"conservation", "quality"})
NUCLEOTIDES_ONLY = frozenset({"codons", "frame 1", "frame 2", "frame 3"})


def fits(picture: Picture, name: str) -> bool:
    """Whether a track can be shown of an alignment."""
    if name.startswith((NOTE, ROW_NOTE)):
        return name in _notes(picture)
    protein = picture.alignment.type == SequenceType.PROTEIN
    needed = {
        "match": picture.shape[0] == 2,
        "agreement": picture.reference is not None,
        "confidence": has_confidence(picture.alignment),
    }
    return needed.get(name, True) and name not in (NUCLEOTIDES_ONLY if protein else PROTEIN_ONLY)


def offered(picture: Picture) -> dict[str, str]:
    """Names and titles of the tracks that can be shown of an alignment."""
    found = {name: track.title for name, track in TRACKS.items() if fits(picture, name)}
    taken = {title.lower() for title in found.values()}
    for name in _notes(picture):
        title = title_of(name)
        found[name] = f"{title}, as written" if title.lower() in taken else title
    return found


def _notes(picture: Picture) -> list[str]:
    """The names of tracks of what the file says of columns, and of the letters of rows."""
    notes = picture.alignment.annotations
    of_rows = dict.fromkeys(tag for _, tag, _ in notes.of_letters)
    return [*(NOTE + tag for tag, _ in notes.of_columns), *(ROW_NOTE + tag for tag in of_rows)]


def differences(columns: Columns) -> np.ndarray:
    """Which letters of each column are others than the consensus, uint8 (columns, CLASSES)."""
    shown = np.ones((len(columns), CLASSES), np.uint8)
    shown[np.arange(len(shown)), CLASS[columns.consensus]] = 0
    return shown


def matches(picture: Picture, first: int, last: int) -> str:
    """Of columns ``first`` to ``last`` of two rows a character each: '|' the same letter, ':' letters of proteins that
    score more than 0, ' ' others."""
    if picture.shape[0] != 2:
        return " " * (last - first)
    one, other = (CLASS[picture.letters_at(place)[first:last]] for place in range(2))
    both = (one > 0) & (other > 0)
    alike = both & (class_scores()[one, other] > 0) if picture.alignment.type == SequenceType.PROTEIN else both & False
    found = np.where(both & (one == other), ord("|"), np.where(alike, ord(":"), ord(" "))).astype(np.uint8)
    return found.tobytes().decode("ascii")


def title_of(name: str) -> str:
    if name.startswith(ROW_NOTE):
        return f"{name.removeprefix(ROW_NOTE)} of the row"
    return name.removeprefix(NOTE) if name.startswith(NOTE) else TRACKS[name].title


def height_of(name: str) -> int:
    return LINE if name.startswith((NOTE, ROW_NOTE)) else TRACKS[name].height


def draw_ruler(painter: QPainter, frame: Frame, columns: int) -> None:
    """Column numbers above the body."""
    colours = theme.active()
    painter.setFont(font(11))
    metrics = painter.fontMetrics()
    room = metrics.horizontalAdvance(f"{columns:,}") + 14
    steps = (first * 10**power for power in range(12) for first in (1, 2, 5))
    step = next(step for step in steps if step >= 5 and step * frame.cell_width >= room)
    first, last = frame.visible_columns(columns)
    for column in range((first + step) // step * step, last + 1, step):
        x = frame.x(column - 0.5)
        painter.setPen(QColor(colours.muted))
        painter.drawText(QRectF(x - 50, 0, 100, RULER - 5), Qt.AlignmentFlag.AlignCenter, f"{column:,}")
        painter.drawLine(int(x), RULER - 4, int(x), RULER - 1)


def draw(
    painter: QPainter, name: str, picture: Picture, frame: Frame, top: int, scale: float, strokes: bool = False
) -> None:
    """A track in its lines from ``top`` on; ``scale`` device pixels a pixel, or in ``strokes`` where columns have
    pixels enough."""
    height = height_of(name)
    if not fits(picture, name):
        return
    if is_line(name):
        if is_readable(name, frame.cell_width):
            _line(painter, name, picture, frame, top, strokes)
        elif not strokes:  # nobody zooms into a figure
            _tell_to_zoom(painter, frame, top)
        return
    if name not in picture.tracks and (picture.columns is None or picture.wait or TRACKS[name].values is None):
        return
    if strokes and frame.cell_width >= STROKE:
        box = QRectF(frame.left, top + MARGIN, frame.width, height - 2 * MARGIN)
        (_logo_strokes if name == "logo" else _bar_strokes)(painter, picture, name, frame, box)
        return
    pixels = np.full(
        (round(height * scale), round(frame.width * scale)), 0xFF000000 | _rgb(theme.active().panel), np.uint32
    )
    columns = aligned_pixels.edges(frame.first_column, frame.cell_width * scale, pixels.shape[1], picture.shape[1])
    margin = max(1, round(MARGIN * scale))
    if name == "logo":
        _logo(picture, columns, pixels[margin:-margin])
    else:
        aligned_pixels.bars(values(name, picture), columns, _rgb(theme.active().accent), pixels[margin:-margin])
    pixels_drawn.draw(painter, QRectF(frame.left, top, frame.width, height), pixels)


def is_line(name: str) -> bool:
    """Whether a track has a character for each column."""
    return name.startswith((NOTE, ROW_NOTE)) or (TRACKS[name].values is None and name != "agreement")


def is_readable(name: str, cell_width: float) -> bool:
    """Whether a track says something in columns of so many pixels."""
    return cell_width >= LEAST_READ or not is_line(name)


def has_values(picture: Picture, name: str) -> bool:
    """Whether a track has a value for each column, and not a character."""
    return name in picture.tracks or (name in TRACKS and TRACKS[name].values is not None)


def values(name: str, picture: Picture) -> np.ndarray:
    """The values of a track, kept with the picture."""
    if name not in picture.tracks:
        picture.tracks[name] = TRACKS[name].values(picture)
    return picture.tracks[name]


def lacking(picture: Picture, shown: list[str]) -> list[str]:
    """Of the tracks that are shown those whose values are still to be made."""
    return [name for name in shown if name in TRACKS and TRACKS[name].values and name not in picture.tracks]


def with_values(
    picture: Picture, counting: Callable[[Monitor], Columns], shown: list[str], differing: bool, monitor: Monitor
) -> Picture:
    """The picture with its columns counted and the values of the tracks that are shown, as a thread makes them; those
    of letters other than the consensus too, where ``differing``, and of many columns a sample of the letters."""
    made = replace(picture, columns=picture.columns or counting(monitor))
    made.tracks = dict(picture.tracks)
    if len(made.columns) > counts.WIDE:
        made.sample = aligned_sample.renewed(picture.sample, picture.alignment.letters, monitor)
    for name in lacking(made, shown):
        monitor.check()
        values(name, made)
    if differing and "differences" not in made.tracks:
        made.tracks["differences"] = differences(made.columns)
    return made


def _bar_strokes(painter: QPainter, picture: Picture, name: str, frame: Frame, box: QRectF) -> None:
    """A bar a column."""
    first, last = frame.visible_columns(picture.shape[1])
    colour = QColor(theme.active().accent)
    for place, value in enumerate(np.clip(values(name, picture)[first:last], 0, 1).tolist(), first):
        if value > 0:
            high = value * box.height()
            painter.fillRect(QRectF(frame.x(place), box.bottom() - high, frame.cell_width, high) & box, colour)


def _logo_strokes(painter: QPainter, picture: Picture, name: str, frame: Frame, box: QRectF) -> None:
    """The letters of the columns as outlines."""
    first, last = frame.visible_columns(picture.shape[1])
    counts = picture.columns.counts[first:last, 1:].astype(float)
    counts[:, ANY[letters_of(picture)] - 1] = 0
    heights = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * values(name, picture)[first:last, None]
    letters, protein = LETTER[1:].tobytes().decode("ascii"), picture.alignment.type == SequenceType.PROTEIN
    boxes = [QRectF(frame.x(place), box.top(), frame.cell_width, box.height()) for place in range(first, last)]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    logo.draw(painter, boxes, heights.T, np.log2(letters_of(picture)), letters, protein)
    painter.restore()


def _logo(picture: Picture, columns: np.ndarray, pixels: np.ndarray) -> None:
    """The letters of all columns, the highest column of all filling the track."""
    information = values("logo", picture)
    colours = theme.active().residues(picture.alignment.type == SequenceType.PROTEIN)
    table = np.full((len(LETTER), 3), 128, np.uint8)
    for letter, colour in colours.items():
        strong = QColor(colour).darker(150) if theme.active().name == "light" else QColor(colour).lighter(165)
        table[CLASS[ord(letter)]] = strong.red(), strong.green(), strong.blue()
    letters = letters_of(picture)
    scale, skipped = pixels.shape[0] / np.log2(letters), int(ANY[letters])
    aligned_pixels.logo(picture.columns.counts, information, skipped, scale, columns, glyphs.tall_glyphs(), table,
                        pixels)  # fmt: skip


def characters(name: str, picture: Picture, first: int, last: int) -> str:
    """What a track without values says of columns ``first`` to ``last``, a character each; "" while it is not known."""
    if name == "consensus":
        columns = picture.columns
        return "" if columns is None else columns.part(first, last).consensus.tobytes().decode("ascii")
    if name == "match":
        return matches(picture, first, last)
    if name == "codons":
        return "".join("123"[column % 3] for column in range(first, last))
    if name.startswith("frame "):
        return codons.in_columns(picture.letters_of(picture.row), int(name[-1]) - 1, first, last)
    if name.startswith(ROW_NOTE):
        # Of a collapsed clade there is none: its letters are those of no row.
        of_row = {tag: marks for at, tag, marks in picture.alignment.annotations.of_letters if at == picture.row}
        return "" if picture.row in picture.folds else of_row.get(name.removeprefix(ROW_NOTE), "")[first:last]
    said = {NOTE + tag: marks for tag, marks in picture.alignment.annotations.of_columns}
    return said.get(name, "")[first:last]


def _tell_to_zoom(painter: QPainter, frame: Frame, top: int) -> None:
    painter.setPen(QColor(theme.active().muted))
    painter.setFont(font(10))
    box = QRectF(frame.left + 4, top, frame.width, LINE)
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, "zoom in to read")


def _line(painter: QPainter, name: str, picture: Picture, frame: Frame, top: int, strokes: bool) -> None:
    """A character a column; on the screen laid out once, as most of a line's time goes into that."""
    first, last = frame.visible_columns(picture.shape[1])
    px, bold = int(min(13, frame.cell_width * 1.5)), name == "consensus"
    painter.setFont(font(px, bold=bold))
    painter.setPen(QColor(theme.active().text))
    for number, letter in enumerate(characters(name, picture, first, last)):
        box = QRectF(frame.x(first + number) - 10, top, frame.cell_width + 20, LINE)
        if strokes:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
        else:
            laid = _laid_out(letter, px, bold)
            size = laid.size()
            place = QPointF(box.center().x() - size.width() / 2, box.center().y() - size.height() / 2)
            painter.drawStaticText(place, laid)


@lru_cache(maxsize=256)
def _laid_out(letter: str, px: int, bold: bool) -> QStaticText:
    """A letter of a line."""
    laid = QStaticText(letter)
    laid.setTextFormat(Qt.TextFormat.PlainText)
    laid.prepare(font=font(px, bold=bold))
    return laid


def _rgb(colour: str) -> int:
    return int(colour[1:], 16)
