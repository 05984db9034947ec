"""The alignment of the chosen hit: its numbers, both rows with a match line, and its path in the plane of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QTextBrowser, QWidget

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.texts import ELLIPSIS, shorten_name
from antidiag.app.views.search.hit_list import HitList, format_evalue, format_score
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.model import DIAGONAL, Alignment, PairProblem
from antidiag.kernels.pairwise.path_index import simplify_line
from antidiag.kernels.scoring import Strand
from antidiag.kernels.text import format_count

WIDTH = 60
"""Columns of a line."""
MOST_COLUMNS = 3000
"""Columns that are written; more are in the alignment viewer."""
IDENTITIES = ("of columns", "without gaps", "of the shorter sequence")
NAME_WIDTH = 18
MARGIN, LABEL = 8, 18
TEXT_PIXELS = 13
PLANE_WIDTH, LEAST_SIDE, TEXT_SHARE = 230, 30, 3


def hit_pair(hits: HitList, row: int) -> PairProblem:
    """Return the pair problem of a hit: the query as given, on the strand that was found, and the sequence."""
    strand = Strand.REVERSE if hits.reverse[row] else Strand.FORWARD
    return PairProblem(hits.query, hits.subject(row), hits.problem.scoring, strand=strand)


class HitAlignmentPanel(QWidget):
    """Shows one hit."""

    def __init__(self) -> None:
        super().__init__()
        self.hits: HitList | None = None
        self.row: int | None = None
        self.text, self.plane = QTextBrowser(), PictureCanvas(self._draw_plane)
        self.text.setAccessibleName("Alignment of the hit")
        self.plane.setAccessibleName("Path of the alignment")
        self.plane.setMaximumWidth(PLANE_WIDTH)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.text, TEXT_SHARE)
        box.addWidget(self.plane, 1)

    @property
    def path(self) -> Alignment | None:
        """The path of the shown hit."""
        if self.hits is None or self.row is None:
            return None
        return self.hits.answer.alignment(self.hits.span.start + self.row)

    def show_hit(self, hits: HitList | None, row: int | None) -> None:
        """Show a hit, or a word on what to do."""
        self.hits, self.row = hits, row
        self.plane.setVisible(self.path is not None)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Write and draw in the colours of the current theme."""
        self.text.setHtml(self._describe_hit())
        self.plane.update()

    def _describe_hit(self) -> str:
        colours = theme.active()
        if self.hits is None or self.row is None:
            return f"<p style='color:{colours.muted}'>Choose a hit to see its alignment.</p>"
        hits, row, path = self.hits, self.row, self.path
        subject = hits.subject(row)
        head = (
            f"<p><b>{escape(subject.name)}</b> {escape(subject.details)}<br>"
            f"Score <b>{format_score(hits.scores[row])}</b>, <b>{hits.bits[row]:,.1f}</b> bits, "
            f"E-value <b>{format_evalue(hits.evalues[row])}</b>"
        )
        if path is None:
            return f"{head}</p><p style='color:{colours.muted}'>The search did not align its hits.</p>"
        pair = hit_pair(hits, row)
        counts = path.count_identities(*pair.sequences)
        shares = " \N{MIDDLE DOT} ".join(
            f"<b>{100 * share:.1f} %</b> {words}" for words, (_, share) in zip(IDENTITIES, counts.shares, strict=True)
        )
        strand = "<br>Reverse strand of the query" if pair.is_reversed else ""
        blocks = "\n\n".join(_format_blocks(pair, path, colours.residues(_is_protein(pair)), colours.text))
        more = path.operations.size - MOST_COLUMNS
        rest = f"<p>{more:,} more columns: open the alignment to see all.</p>" if more > 0 else ""
        columns = f"{counts.identical:,} of {format_count(counts.columns, 'column')} identical"
        return f"{head}<br>{columns}: {shares}{strand}</p><pre style='{_letter_style()}'>{blocks}</pre>{rest}"

    def _draw_plane(self, painter: QPainter, area: QRectF) -> None:
        if self.hits is None or self.row is None or (path := self.path) is None:
            return
        draw_path_plane(painter, area, hit_pair(self.hits, self.row), path, theme.active())


def _letter_style() -> str:
    """Return the style of letters in columns."""
    return f"font-family:'{cell_font(TEXT_PIXELS).family()}'; font-size:{TEXT_PIXELS}px"


def _is_protein(pair: PairProblem) -> bool:
    return any(one.type == SequenceType.PROTEIN for one in pair.sequences)


def _format_blocks(pair: PairProblem, path: Alignment, colours: Mapping[str, str], ink: str) -> Iterator[str]:
    """Yield lines of both rows with the match line between them, as HTML."""
    rows = path.gapped_rows(*pair.sequences)
    same = path.find_identical(*pair.sequences)
    marks = np.where(same, ord("|"), ord(" ")).astype(np.uint8).tobytes().decode("ascii")
    names = [
        one.name if len(one.name) <= NAME_WIDTH else f"{one.name[: NAME_WIDTH - 1]}{ELLIPSIS}" for one in pair.data
    ]
    margin, digits = max(map(len, names)), max(len(f"{len(one):,}") for one in pair.data)
    places = list(path.start)
    for at in range(0, min(len(marks), MOST_COLUMNS), WIDTH):
        lines = []
        for side in (0, 1):
            piece = rows[side][at : at + WIDTH]
            before, places[side] = places[side], places[side] + len(piece) - piece.count("-")
            start, end = pair.number_letters(side, before, places[side])
            letters = "".join(_paint_letter(letter, colours, ink) for letter in piece)
            lines.append(f"{escape(names[side]):{margin}} {start:{digits},} {letters} {end:,}")
        middle = f"{'':{margin}} {'':{digits}} {marks[at : at + WIDTH]}"
        yield f"{lines[0]}\n{middle}\n{lines[1]}"


def _paint_letter(letter: str, colours: Mapping[str, str], ink: str) -> str:
    colour = colours.get(letter)
    return f"<span style='background-color:{colour}; color:{ink}'>{letter}</span>" if colour else letter


def draw_path_plane(painter: QPainter, area: QRectF, pair: PairProblem, path: Alignment, colours: theme.Theme) -> None:
    """Draw where the alignment lies in the plane of the sequence (across) and the query (down)."""
    plane = area.adjusted(LABEL + MARGIN, LABEL, -MARGIN, -MARGIN)
    if plane.width() < 20 or plane.height() < 20:
        return
    rows, columns = (max(len(one), 1) for one in pair.sequences)
    scale = min(plane.width() / columns, plane.height() / rows)
    width, height = columns * scale, rows * scale
    if min(width, height) < LEAST_SIDE:  # too narrow in one scale
        width, height = plane.width(), plane.height()
    box = QRectF(plane.left(), plane.top(), width, height)
    cells = path.list_cells().astype(float)
    points = np.stack((box.left() + cells[:, 1] / columns * width, box.top() + cells[:, 0] / rows * height), axis=1)
    turns = np.flatnonzero(np.diff(path.operations.astype(np.int16), prepend=DIAGONAL))
    kept = np.unique(np.concatenate(([0, len(points) - 1], turns)))
    line = simplify_line(points[kept], 0.3)
    with saved_painter_state(painter):
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.setBrush(QColor(colours.background))
        painter.drawRect(box)
        painter.setPen(QColor(colours.muted))
        along = QRectF(box.left(), box.top() - LABEL, plane.width(), LABEL)
        painter.drawText(along, Qt.AlignmentFlag.AlignLeft, f"{shorten_name(pair.second.name)}, {columns:,}")
        strand = ", reverse complement" if pair.is_reversed else ""
        painter.translate(box.left() - 4, box.top())
        painter.rotate(90)
        down = f"{shorten_name(pair.first.name)}{strand}, {rows:,}"
        painter.drawText(QRectF(0, 0, plane.height(), LABEL), Qt.AlignmentFlag.AlignLeft, down)
        painter.rotate(-90)
        painter.translate(4 - box.left(), -box.top())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.path), 2.5, c=Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
