"""The pictures above the table of hits: the hits along the query, and the distribution of scores."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSplitter

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.views.search import query_map, score_plot
from antidiag.app.views.search.hit_list import HitList, ShownHits, format_evalue, format_score
from antidiag.app.views.search.hit_table import HitTable
from antidiag.app.views.search.query_map import QueryMap
from antidiag.app.views.search.score_plot import ScoreDistribution
from antidiag.kernels.text import format_count

MAP_SHARE, PLOT_SHARE = 3, 2
FIGURE_MAP_SHARE = 0.6
"""Share of the height that the hits along the query take in a figure."""


class HitPictures(QSplitter):
    """Both pictures side by side. The first follows the rows of the table that are seen; a click chooses a row there.

    ``pointed`` is sent with a text about what the mouse points at, "" for nothing.
    """

    pointed = Signal(str)

    def __init__(self, table: HitTable) -> None:
        super().__init__()
        self._table = table
        self._hits: HitList | None = None
        self._shown: ShownHits | None = None
        self._distribution: ScoreDistribution | None = None
        self._chosen_row: int | None = None
        self._hovered: int | None = None
        self.map_canvas, self.plot_canvas = PictureCanvas(self._draw_map), PictureCanvas(self._draw_plot)
        self.map_canvas.setAccessibleName("Hits along the query")
        self.plot_canvas.setAccessibleName("Distribution of scores")
        for number, (canvas, share) in enumerate(((self.map_canvas, MAP_SHARE), (self.plot_canvas, PLOT_SHARE))):
            self.addWidget(canvas)
            self.setStretchFactor(number, share)
        self.setSizes([100 * MAP_SHARE, 100 * PLOT_SHARE])
        self.setHandleWidth(theme.SPACING)
        table.scrolled.connect(lambda _: self.map_canvas.update())
        self.map_canvas.pointed.connect(self._on_map_pointed)
        self.map_canvas.clicked.connect(self._on_map_clicked)
        self.plot_canvas.pointed.connect(self._on_plot_pointed)

    def show_query(self, hits: HitList | None) -> None:
        """Show the scores of another query; its hits follow by `show_hits`."""
        self._hits, self._shown, self._hovered = hits, None, None
        self._distribution = score_plot.distribute_scores(hits) if hits is not None else None
        self._repaint_canvases()

    def show_hits(self, shown: ShownHits | None, chosen_row: int | None) -> None:
        """Show hits as they are in the table, and the chosen one."""
        self._shown, self._chosen_row = shown, chosen_row
        self._repaint_canvases()

    def legend_items(self) -> tuple[LegendItem, ...]:
        """Return the legend of both pictures."""
        return (*query_map.score_legend(theme.active()), *score_plot.plot_legend(theme.active()))

    def draw_both(self, painter: QPainter, width: float, height: float) -> None:
        """Draw the pictures one above the other, for a file."""
        share = FIGURE_MAP_SHARE * height
        if (picture := self._make_query_map(share)) is not None:
            query_map.draw_query_map(painter, QRectF(0, 0, width, share), picture, theme.active())
        painter.save()
        self._draw_plot(painter, QRectF(0, share, width, height - share))
        painter.restore()

    def _repaint_canvases(self) -> None:
        self.map_canvas.update()
        self.plot_canvas.update()

    def _make_query_map(self, height: float) -> QueryMap | None:
        """Return what is drawn along the query, from the first visible row of the table on, with the chosen one."""
        if self._shown is None:
            return None
        chosen = self._shown.place_of(self._chosen_row) if self._chosen_row is not None else None
        picture = QueryMap(self._shown, self._table.first_visible, chosen, self._hovered)
        hidden = 0 if chosen is None else chosen - (picture.first + picture.rows_in(height) - 1)
        if 0 < hidden < self._table.visible_rows:  # more rows of the table fit than bars
            picture = replace(picture, first=picture.first + hidden)
        return picture

    def _draw_map(self, painter: QPainter, area: QRectF) -> None:
        if (picture := self._make_query_map(area.height())) is not None:
            query_map.draw_query_map(painter, area, picture, theme.active())

    def _draw_plot(self, painter: QPainter, area: QRectF) -> None:
        if self._distribution is not None and self._hits is not None:
            score = None if self._chosen_row is None else float(self._hits.scores[self._chosen_row])
            score_plot.draw_distribution(painter, area, self._distribution, score, theme.active())

    def _on_map_pointed(self, point: QPointF | None) -> None:
        picture = self._make_query_map(self.map_canvas.height())
        if picture is None:
            return
        area = QRectF(self.map_canvas.rect())
        place = picture.place_at(point, area) if point is not None else None
        if place != self._hovered:
            self._hovered = place
            self.map_canvas.update()
        letter = picture.letter_at(point, area) if point is not None else None
        words = [] if letter is None else [f"letter {letter:,} of the query"]
        if place is not None:
            row = int(picture.shown.order[place])
            hits = picture.shown.hits
            words.append(
                f"{hits.subject(row).name}   score {format_score(hits.scores[row])}   {hits.bits[row]:,.1f} bits   "
                f"E-value {format_evalue(hits.evalues[row])}"
            )
        self.pointed.emit("   ".join(words))

    def _on_map_clicked(self, point: QPointF) -> None:
        picture = self._make_query_map(self.map_canvas.height())
        place = picture.place_at(point, QRectF(self.map_canvas.rect())) if picture is not None else None
        if place is not None:
            self._table.go_to(place)

    def _on_plot_pointed(self, point: QPointF | None) -> None:
        found, area = self._distribution, QRectF(self.plot_canvas.rect())
        if found is None or self._shown is None:
            return
        score = None if point is None else score_plot.score_at(found, area, point)
        if score is None:
            self.pointed.emit("")
            return
        count = format_count(int(found.counts[score]), "sequence")
        self.pointed.emit(f"score {score:,}: {count} of the database, {found.expected[score]:,.1f} expected by chance")
