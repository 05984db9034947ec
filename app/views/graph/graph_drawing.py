"""Drawing of shortest paths: the matrix as a heat map, and a small graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from antidiag.app.kit.painting import fonts_and_colours, heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.results import result_text
from antidiag.app.theme import Theme
from antidiag.kernels.graphs import path_matrices
from antidiag.kernels.graphs.path_matrices import Edge, PathMatrix
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

MAP = "viridis"
HEADER = 26
NAMED, NUMBERED = 15, 30  # pixels: smallest entry with a name beside it, and with its number in it
NAME_WIDTH = 64
GAP = 18
STACKED_RATIO = 0.85  # if height / width is larger, the graph is below the matrix
NODE = 11.0  # radius of a vertex
WEIGHED = 12  # most vertices of a graph with weights at its edges
WEIGHT_HEIGHT = 16.0
WEIGHT_PLACES = (1 / 3, 0.4, 0.27, 0.47, 0.2, 0.54, 0.6, 0.67, 0.74)  # positions along the edge, best first
ARROW = 8.0
FEW_EDGES = 80  # more edges than these are drawn faintly


@dataclass
class DrawnPaths:
    """What is drawn of a result: a stage, and the pair that is selected or under the mouse."""

    result: Result
    stage: PathMatrix
    value_range: tuple[float, float]
    image: QImage
    places: np.ndarray | None
    chosen: Edge | None = None
    pointed: Edge | None = None
    marked: set[Edge] = field(default_factory=set)
    path: tuple[int, ...] = ()

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return self.result.problem.n


def matrix_image(stage: PathMatrix, ends: tuple[float, float], theme: Theme) -> QImage:
    """Return the matrix as an image with at most one pixel per entry."""
    shades = path_matrices.shade_values(stage.pixels, *ends).astype(float)
    return heat_map.render_image(np.where(shades > 0, shades, np.nan), MAP, theme.background)


def split_area(area: QRectF, what: DrawnPaths) -> tuple[QRectF, QRectF]:
    """Return the areas of the matrix entries and of the graph, which is empty where it is not drawn."""
    drawn = what.places is not None
    stacked = drawn and area.height() > STACKED_RATIO * area.width()
    across, down = (1 if stacked or not drawn else 0.5), (0.5 if stacked else 1)
    size = min(area.height() * down, area.width() * across)
    margin = NAME_WIDTH if size / max(what.vertex_count, 1) >= NAMED else HEADER
    side = max(min(area.width() * across - margin, area.height() * down - HEADER) - 4, 10)
    matrix = QRectF(area.left() + margin, area.top() + HEADER, side, side)
    if not drawn:
        return matrix, QRectF()
    if stacked:
        top = matrix.bottom() + GAP
        return matrix, QRectF(area.left() + 4, top, area.width() - 8, area.bottom() - top - 4)
    width = area.right() - matrix.right() - GAP - 4
    return matrix, QRectF(matrix.right() + GAP, area.top() + 4, width, min(area.height() - 8, 1.15 * width))


def entry_at(place: QPointF, area: QRectF, what: DrawnPaths) -> Edge | None:
    """Return the matrix entry at a position, or None."""
    matrix, _ = split_area(area, what)
    if not matrix.contains(place) or not what.vertex_count:
        return None
    size = matrix.width() / what.vertex_count
    u, v = int((place.y() - matrix.top()) / size), int((place.x() - matrix.left()) / size)
    return (u, v) if u < what.vertex_count and v < what.vertex_count else None


def vertex_at(place: QPointF, area: QRectF, what: DrawnPaths) -> int | None:
    """Return the vertex of the graph at a position, or None."""
    _, graph = split_area(area, what)
    for vertex in range(what.vertex_count) if what.places is not None else ():
        away = place - _vertex_centre(graph, what, vertex)
        if away.x() ** 2 + away.y() ** 2 <= (NODE + 3) ** 2:
            return vertex
    return None


def draw_paths(painter: QPainter, area: QRectF, what: DrawnPaths, theme: Theme) -> None:
    """Draw matrix and graph."""
    matrix, graph = split_area(area, what)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(matrix, what.image)
    size = matrix.width() / max(what.vertex_count, 1)
    if size >= NUMBERED:
        _draw_numbers(painter, matrix, size, what)
    _draw_step(painter, matrix, size, what, theme)
    _draw_marks(painter, matrix, size, what, theme)
    _draw_names(painter, matrix, size, what, theme)
    if what.places is not None:
        _draw_graph(painter, graph, what, theme)


def _draw_numbers(painter: QPainter, matrix: QRectF, size: float, what: DrawnPaths) -> None:
    shades = path_matrices.shade_values(what.stage.values, *what.value_range)
    painter.setFont(fonts_and_colours.cell_font(min(int(size / 3.2), 14)))
    for u in range(what.vertex_count):
        for v in range(what.vertex_count):
            value = float(what.stage.values[u, v])
            if np.isfinite(value):
                text = result_text.format_number(round(value, 2))
                painter.setPen(heat_map.text_colour(shades[u, v], MAP))
                if painter.fontMetrics().horizontalAdvance(text) <= size - 2:
                    painter.drawText(_entry_box(matrix, size, (u, v)), Qt.AlignmentFlag.AlignCenter, text)


def _draw_step(painter: QPainter, matrix: QRectF, size: float, what: DrawnPaths, theme: Theme) -> None:
    """Outline row and column of the vertex of this step, and mark each pair whose distance it reduced."""
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
        box = _entry_box(matrix, size, (u, v))
        painter.drawRect(QRectF(box.left() + 1, box.top() + 1, side, side))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_marks(painter: QPainter, matrix: QRectF, size: float, what: DrawnPaths, theme: Theme) -> None:
    for edge in what.marked:
        box = _entry_box(matrix, size, edge)
        grown = max(5 - size, 0) / 2
        painter.setPen(QPen(QColor(theme.path), 2))
        painter.drawRect(box.adjusted(1 - grown, 1 - grown, grown - 1, grown - 1))
    for pair, width in ((what.chosen, 3), (what.pointed, 1.5)):
        if pair is not None:
            painter.setPen(QPen(QColor("#ffffff"), width + 2))
            painter.drawRect(_entry_box(matrix, size, pair))
            painter.setPen(QPen(QColor(theme.accent), width))
            painter.drawRect(_entry_box(matrix, size, pair))


def _draw_names(painter: QPainter, matrix: QRectF, size: float, what: DrawnPaths, theme: Theme) -> None:
    metrics, names, pair = painter.fontMetrics(), what.result.problem.graph.names, what.pointed or what.chosen
    painter.setPen(QColor(theme.muted))
    if size < NAMED:
        above = QRectF(matrix.left(), matrix.top() - HEADER, matrix.width(), HEADER)
        painter.drawText(
            above, Qt.AlignmentFlag.AlignCenter, f"to ({format_count(what.vertex_count, 'vertex', 'vertices')})"
        )
        with saved_painter_state(painter):
            painter.translate(matrix.left() - HEADER, matrix.bottom())
            painter.rotate(-90)
            painter.drawText(QRectF(0, 0, matrix.height(), HEADER), Qt.AlignmentFlag.AlignCenter, "from")
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


def _draw_graph(painter: QPainter, graph: QRectF, what: DrawnPaths, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    weights = what.result.problem.graph.weights
    edges = [(u, v) for u, v in np.argwhere(np.isfinite(weights)).tolist() if u != v]
    ink = QColor(theme.muted)
    ink.setAlpha(255 if len(edges) <= FEW_EDGES else 90)
    for on_path in (False, True):
        for edge in edges:
            if (edge in what.marked) == on_path:
                _draw_edge(painter, graph, what, edge, QColor(theme.path) if on_path else ink)
    if what.vertex_count <= WEIGHED:
        _draw_weights(painter, graph, what, edges, theme)
    names, pair = what.result.problem.graph.names, what.pointed or what.chosen
    touched = {vertex for edge in what.marked for vertex in edge} | set(pair or ())
    for vertex in range(what.vertex_count):
        centre = _vertex_centre(graph, what, vertex)
        painter.setPen(QPen(QColor(theme.path if vertex in touched else theme.muted), 2))
        painter.setBrush(QColor(theme.selection if vertex in touched else theme.panel))
        painter.drawEllipse(centre, NODE, NODE)
        painter.setPen(QColor(theme.text))
        box = QRectF(centre.x() - 40, centre.y() - 8, 80, 16)
        if painter.fontMetrics().horizontalAdvance(names[vertex]) > 2 * NODE - 3:
            box.translate(0, NODE + 9)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, names[vertex])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _edge_line(graph: QRectF, what: DrawnPaths, edge: Edge) -> QLineF | None:
    """Return the line of an edge. Edges in both directions are drawn side by side; with equal weights only one is
    drawn, the marked one if there is one, and the other has None."""
    weights, (u, v) = what.result.problem.graph.weights, edge
    back, same = np.isfinite(weights[v, u]), weights[v, u] == weights[u, v]
    if back and same and u > v and not what.marked & {(u, v), (v, u)}:
        return None
    line = QLineF(_vertex_centre(graph, what, u), _vertex_centre(graph, what, v))
    along = QPointF(line.dx(), line.dy()) * (1 / max(line.length(), 1e-6))
    across = QPointF(-along.y(), along.x()) * (4 if back and not same else 0)
    return QLineF(line.p1() + along * NODE + across, line.p2() - along * NODE + across)


def _draw_edge(painter: QPainter, graph: QRectF, what: DrawnPaths, edge: Edge, ink: QColor) -> None:
    """Draw an edge, with an arrow unless there is an equal edge in the other direction."""
    weights, (u, v) = what.result.problem.graph.weights, edge
    on_path, line = edge in what.marked, _edge_line(graph, what, edge)
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


def _draw_weights(painter: QPainter, graph: QRectF, what: DrawnPaths, edges: list[Edge], theme: Theme) -> None:
    """Write the weights at their edges without covering vertices or each other, those of marked edges first."""
    weights, metrics = what.result.problem.graph.weights, painter.fontMetrics()
    texts = {edge: result_text.format_number(round(float(weights[edge]), 2)) for edge in edges}
    marked_first = sorted(edges, key=lambda edge: edge not in what.marked)
    lines = {edge: line for edge in marked_first if (line := _edge_line(graph, what, edge)) is not None}
    sizes = {edge: QSizeF(metrics.horizontalAdvance(texts[edge]) + 6, WEIGHT_HEIGHT) for edge in lines}
    taken = [
        _centred_box(_vertex_centre(graph, what, vertex), QSizeF(2 * NODE, 2 * NODE))
        for vertex in range(what.vertex_count)
    ]
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
    """Return the box of each weight: the first of WEIGHT_PLACES that covers nothing, or the one that covers least."""
    covered, found = list(taken), {}
    for edge, line in lines.items():
        boxes = [_centred_box(line.pointAt(share), sizes[edge]) for share in WEIGHT_PLACES]
        found[edge] = min(boxes, key=lambda box: sum(_box_area(box.intersected(other)) for other in covered))
        covered.append(found[edge])
    return found


def _centred_box(middle: QPointF, size: QSizeF) -> QRectF:
    return QRectF(QPointF(middle.x() - size.width() / 2, middle.y() - size.height() / 2), size)


def _box_area(box: QRectF) -> float:
    return max(box.width(), 0.0) * max(box.height(), 0.0)


def _vertex_centre(graph: QRectF, what: DrawnPaths, vertex: int) -> QPointF:
    x, y = what.places[vertex]
    inner = graph.adjusted(NODE + 14, NODE + 6, -NODE - 14, -NODE - 20)
    return QPointF(inner.left() + x * inner.width(), inner.top() + y * inner.height())


def _entry_box(matrix: QRectF, size: float, entry: Edge) -> QRectF:
    u, v = entry
    return QRectF(matrix.left() + v * size, matrix.top() + u * size, size, size)
