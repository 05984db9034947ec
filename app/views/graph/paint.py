"""The pictures of shortest paths: the matrix as a heat map, and a small graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from antidiag.app.kit import ink, result_text
from antidiag.app.theme import Theme
from antidiag.app.views.graph import data
from antidiag.app.views.graph.data import Edge, Stage
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

MAP = "viridis"
HEADER = 26
NAMED, NUMBERED = 15, 30
"""Pixels of an entry from which on names stand beside it, and its number in it."""
NAME_WIDTH = 64
GAP = 18
TALL = 0.85
"""Height of the picture, by its width, from which on the graph stands below the matrix."""
NODE = 11.0
"""Radius of a vertex."""
WEIGHED = 12
"""Vertices of a graph up to which weights are written at the edges."""
WEIGHT_HEIGHT, WEIGHT_PLACES = 16.0, (1 / 3, 0.4, 0.27, 0.47, 0.2, 0.54, 0.6, 0.67, 0.74)
"""Pixels of a weight, and the parts of an edge after which it may stand, best first: near its beginning."""
ARROW = 8.0
FEW_EDGES = 80
"""More edges than these are drawn faintly."""


@dataclass
class Ways:
    """What there is to draw of a result: the stage that is shown, and the pair that is chosen or pointed at."""

    result: Result
    stage: Stage
    ends: tuple[float, float]
    image: QImage
    places: np.ndarray | None
    chosen: Edge | None = None
    pointed: Edge | None = None
    marked: set[Edge] = field(default_factory=set)
    way: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        return self.result.problem.n


def image(stage: Stage, ends: tuple[float, float], theme: Theme) -> QImage:
    """The matrix, a pixel an entry, or fewer."""
    shades = data.shades(stage.pixels, *ends)
    table = pg.colormap.get(MAP).getLookupTable(nPts=256)[:, :3].astype(np.uint32)
    colours = (0xFF << 24 | table[:, 0] << 16 | table[:, 1] << 8 | table[:, 2]).astype(np.uint32)
    colours[0] = QColor(theme.background).rgb()
    pixels = np.ascontiguousarray(colours[shades])
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def areas(area: QRectF, what: Ways) -> tuple[QRectF, QRectF]:
    """Where the entries of the matrix are, and the graph; that is empty where it is not drawn."""
    drawn = what.places is not None
    stacked = drawn and area.height() > TALL * area.width()
    across, down = (1 if stacked or not drawn else 0.5), (0.5 if stacked else 1)
    size = min(area.height() * down, area.width() * across)
    margin = NAME_WIDTH if size / max(what.n, 1) >= NAMED else HEADER
    side = max(min(area.width() * across - margin, area.height() * down - HEADER) - 4, 10)
    matrix = QRectF(area.left() + margin, area.top() + HEADER, side, side)
    if not drawn:
        return matrix, QRectF()
    if stacked:
        return matrix, QRectF(area.left() + 4, matrix.bottom() + GAP, area.width() - 8,
                              area.bottom() - matrix.bottom() - GAP - 4)  # fmt: skip
    width = area.right() - matrix.right() - GAP - 4
    return matrix, QRectF(matrix.right() + GAP, area.top() + 4, width, min(area.height() - 8, 1.15 * width))


def entry_at(place: QPointF, area: QRectF, what: Ways) -> Edge | None:
    """The entry under a place."""
    matrix, _ = areas(area, what)
    if not matrix.contains(place) or not what.n:
        return None
    size = matrix.width() / what.n
    u, v = int((place.y() - matrix.top()) / size), int((place.x() - matrix.left()) / size)
    return (u, v) if u < what.n and v < what.n else None


def vertex_at(place: QPointF, area: QRectF, what: Ways) -> int | None:
    """The vertex of the graph under a place."""
    _, graph = areas(area, what)
    for vertex in range(what.n) if what.places is not None else ():
        away = place - _place(graph, what, vertex)
        if away.x() ** 2 + away.y() ** 2 <= (NODE + 3) ** 2:
            return vertex
    return None


def draw(painter: QPainter, area: QRectF, what: Ways, theme: Theme) -> None:
    """Matrix and graph."""
    matrix, graph = areas(area, what)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(matrix, what.image)
    size = matrix.width() / max(what.n, 1)
    if size >= NUMBERED:
        _draw_numbers(painter, matrix, size, what)
    _draw_step(painter, matrix, size, what, theme)
    _draw_marks(painter, matrix, size, what, theme)
    _draw_names(painter, matrix, size, what, theme)
    if what.places is not None:
        _draw_graph(painter, graph, what, theme)


def _draw_numbers(painter: QPainter, matrix: QRectF, size: float, what: Ways) -> None:
    table = pg.colormap.get(MAP).getLookupTable(nPts=256)
    light = ink.needs_light_ink(table)
    shades = data.shades(what.stage.values, *what.ends)
    painter.setFont(ink.font(min(int(size / 3.2), 14)))
    for u in range(what.n):
        for v in range(what.n):
            value = float(what.stage.values[u, v])
            if np.isfinite(value):
                text = result_text.number(round(value, 2))
                painter.setPen(ink.LIGHT_INK if light[shades[u, v]] else ink.DARK_INK)
                if painter.fontMetrics().horizontalAdvance(text) <= size - 2:
                    painter.drawText(_box(matrix, size, (u, v)), Qt.AlignmentFlag.AlignCenter, text)


def _draw_step(painter: QPainter, matrix: QRectF, size: float, what: Ways, theme: Theme) -> None:
    """The row and column of the vertex that was let in last, and a dot at each pair that it brought nearer."""
    if what.stage.improved is None:
        return
    vertex = what.stage.step - 1
    painter.setPen(QPen(QColor(theme.special), 2))
    row = QRectF(matrix.left(), matrix.top() + vertex * size, matrix.width(), size)
    column = QRectF(matrix.left() + vertex * size, matrix.top(), size, matrix.height())
    for band in (row, column):
        painter.drawRect(band)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.recomputed))
    side = max(min(size / 4, 8), 1.5)
    for u, v in np.argwhere(what.stage.improved).tolist():
        box = _box(matrix, size, (u, v))
        painter.drawRect(QRectF(box.left() + 1, box.top() + 1, side, side))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_marks(painter: QPainter, matrix: QRectF, size: float, what: Ways, theme: Theme) -> None:
    """Entries of the edges on the path, and the pair itself."""
    for edge in what.marked:
        box = _box(matrix, size, edge)
        grown = max(5 - size, 0) / 2
        painter.setPen(QPen(QColor(theme.path), 2))
        painter.drawRect(box.adjusted(1 - grown, 1 - grown, grown - 1, grown - 1))
    for pair, width in ((what.chosen, 3), (what.pointed, 1.5)):
        if pair is not None:
            painter.setPen(QPen(QColor("#ffffff"), width + 2))
            painter.drawRect(_box(matrix, size, pair))
            painter.setPen(QPen(QColor(theme.accent), width))
            painter.drawRect(_box(matrix, size, pair))


def _draw_names(painter: QPainter, matrix: QRectF, size: float, what: Ways, theme: Theme) -> None:
    metrics, names, pair = painter.fontMetrics(), what.result.problem.graph.names, what.pointed or what.chosen
    painter.setPen(QColor(theme.muted))
    if size < NAMED:
        painter.drawText(QRectF(matrix.left(), matrix.top() - HEADER, matrix.width(), HEADER),
                         Qt.AlignmentFlag.AlignCenter, f"to ({counted(what.n, 'vertex', 'vertices')})")  # fmt: skip
        painter.save()
        painter.translate(matrix.left() - HEADER, matrix.bottom())
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, matrix.height(), HEADER), Qt.AlignmentFlag.AlignCenter, "from")
        painter.restore()
        return
    for vertex, name in enumerate(names):
        inks = [QColor(theme.accent if pair and pair[axis] == vertex else theme.text) for axis in (0, 1)]
        painter.setPen(inks[0])
        left = QRectF(matrix.left() - NAME_WIDTH, matrix.top() + vertex * size, NAME_WIDTH - 6, size)
        words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(left.width()))
        painter.drawText(left, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(inks[1])
        above = QRectF(matrix.left() + vertex * size, matrix.top() - HEADER, size, HEADER)
        words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(size))
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, words)


def _draw_graph(painter: QPainter, graph: QRectF, what: Ways, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    weights = what.result.problem.graph.weights
    edges = [(u, v) for u, v in np.argwhere(np.isfinite(weights)).tolist() if u != v]
    ink = QColor(theme.muted)
    ink.setAlpha(255 if len(edges) <= FEW_EDGES else 90)
    for on_path in (False, True):
        for edge in edges:
            if (edge in what.marked) == on_path:
                _draw_edge(painter, graph, what, edge, QColor(theme.path) if on_path else ink)
    if what.n <= WEIGHED:
        _draw_weights(painter, graph, what, edges, theme)
    names, pair = what.result.problem.graph.names, what.pointed or what.chosen
    touched = {vertex for edge in what.marked for vertex in edge} | set(pair or ())
    for vertex in range(what.n):
        centre = _place(graph, what, vertex)
        painter.setPen(QPen(QColor(theme.path if vertex in touched else theme.muted), 2))
        painter.setBrush(QColor(theme.selection if vertex in touched else theme.panel))
        painter.drawEllipse(centre, NODE, NODE)
        painter.setPen(QColor(theme.text))
        box = QRectF(centre.x() - 40, centre.y() - 8, 80, 16)
        if painter.fontMetrics().horizontalAdvance(names[vertex]) > 2 * NODE - 3:
            box.translate(0, NODE + 9)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, names[vertex])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _line(graph: QRectF, what: Ways, edge: Edge) -> QLineF | None:
    """Where an edge is drawn; edges there and back stand beside each other, equal ones are one line, that of the first
    or of the one that is marked, and the other has none."""
    weights, (u, v) = what.result.problem.graph.weights, edge
    back, same = np.isfinite(weights[v, u]), weights[v, u] == weights[u, v]
    if back and same and u > v and not what.marked & {(u, v), (v, u)}:
        return None
    line = QLineF(_place(graph, what, u), _place(graph, what, v))
    along = QPointF(line.dx(), line.dy()) * (1 / max(line.length(), 1e-6))
    across = QPointF(-along.y(), along.x()) * (4 if back and not same else 0)
    return QLineF(line.p1() + along * NODE + across, line.p2() - along * NODE + across)


def _draw_edge(painter: QPainter, graph: QRectF, what: Ways, edge: Edge, ink: QColor) -> None:
    """A line with an arrow where there is no equal edge back."""
    weights, (u, v) = what.result.problem.graph.weights, edge
    on_path, line = edge in what.marked, _line(graph, what, edge)
    if line is None:
        return
    back, same = np.isfinite(weights[v, u]), weights[v, u] == weights[u, v]
    start, end = line.p1(), line.p2()
    along = QPointF(line.dx(), line.dy()) * (1 / max(line.length(), 1e-6))
    painter.setPen(QPen(ink, 3 if on_path else 1))
    painter.drawLine(start, end)
    if not (back and same) or on_path:
        wing = QPointF(-along.y(), along.x()) * (ARROW / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([end, end - along * ARROW + wing, end - along * ARROW - wing]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_weights(painter: QPainter, graph: QRectF, what: Ways, edges: list[Edge], theme: Theme) -> None:
    """The weights on their edges, each where it covers neither a vertex nor another; those of marked edges first."""
    weights, metrics = what.result.problem.graph.weights, painter.fontMetrics()
    texts = {edge: result_text.number(round(float(weights[edge]), 2)) for edge in edges}
    lines = {edge: line for edge in sorted(edges, key=lambda edge: edge not in what.marked)
             if (line := _line(graph, what, edge)) is not None}  # fmt: skip
    sizes = {edge: QSizeF(metrics.horizontalAdvance(texts[edge]) + 6, WEIGHT_HEIGHT) for edge in lines}
    taken = [QRectF(centre.x() - NODE, centre.y() - NODE, 2 * NODE, 2 * NODE)
             for centre in (_place(graph, what, vertex) for vertex in range(what.n))]  # fmt: skip
    for edge, box in weight_boxes(lines, sizes, taken).items():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(theme.error if weights[edge] < 0 else theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, texts[edge])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def weight_boxes(
    lines: Mapping[Edge, QLineF], sizes: Mapping[Edge, QSizeF], taken: Sequence[QRectF]
) -> dict[Edge, QRectF]:
    """Where on its line each edge has its weight: at the first of WEIGHT_PLACES where it covers nothing that is taken,
    or where it covers least."""
    covered, found = list(taken), {}
    for edge, line in lines.items():
        boxes = []
        for share in WEIGHT_PLACES:
            centre = line.pointAt(share)
            boxes.append(QRectF(centre.x() - sizes[edge].width() / 2, centre.y() - sizes[edge].height() / 2,
                                sizes[edge].width(), sizes[edge].height()))  # fmt: skip
        found[edge] = min(boxes, key=lambda box: sum(_area(box.intersected(other)) for other in covered))
        covered.append(found[edge])
    return found


def _area(box: QRectF) -> float:
    return max(box.width(), 0.0) * max(box.height(), 0.0)


def _place(graph: QRectF, what: Ways, vertex: int) -> QPointF:
    x, y = what.places[vertex]
    inner = graph.adjusted(NODE + 14, NODE + 6, -NODE - 14, -NODE - 20)
    return QPointF(inner.left() + x * inner.width(), inner.top() + y * inner.height())


def _box(matrix: QRectF, size: float, entry: Edge) -> QRectF:
    u, v = entry
    return QRectF(matrix.left() + v * size, matrix.top() + u * size, size, size)
