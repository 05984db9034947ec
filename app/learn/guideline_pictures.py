"""Pictures of the guidelines: occupancy, coalescing, divergence and tiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.kernels.cuda import guidelines
from antidiag.kernels.cuda.guidelines import CardLimits, Occupancy

Values = Mapping[str, int]
KIB = 1024
LEFT, BOTTOM, GAP = 52, 34, 26
LINE = 16
"""Height of a label in pixels."""
LOW = 260
"""Height in pixels below which two curves stand side by side."""
MAX_SEGMENTS = 48
CELL = 16.0
TILE_WORDS = (
    "Blue: tile of a block.\nOrange: slabs in shared memory.\nGrey: all input of the tile\n"
    "(matrices of 512 \u00d7 512)."
)
MAX_TICKS = 8
TICK = 40
"""Least pixels between two labels of a horizontal axis."""


def draw_occupancy(painter: QPainter, area: QRectF, limits: CardLimits, values: Values) -> None:
    """Draw occupancy against threads and against shared memory, with a mark at the present values."""
    shared, registers = values["shared"] * KIB, values["registers"]
    by_threads = guidelines.occupancy_by_threads(limits, shared, registers)
    by_shared = guidelines.occupancy_by_shared(limits, values["threads"], registers)
    first, second = _place_curves(area)
    _draw_curve(painter, first, by_threads, values["threads"], "threads per block", 1)
    _draw_curve(painter, second, by_shared, shared, "KiB of shared memory per block", KIB)


def _place_curves(area: QRectF) -> tuple[QRectF, QRectF]:
    """Return the places of two curves: one above the other, or side by side in an area that is low."""
    if area.height() < LOW:
        first = QRectF(area.topLeft(), QSizeF((area.width() - GAP) / 2, area.height()))
        return first, first.translated(first.width() + GAP, 0)
    first = QRectF(area.topLeft(), QSizeF(area.width(), (area.height() - GAP) / 2))
    return first, first.translated(0, first.height() + GAP)


def _draw_curve(
    painter: QPainter, area: QRectF, points: Sequence[tuple[int, Occupancy]], present: int, title: str, unit: int
) -> None:
    """Draw shares as a curve with axes, and mark the present value."""
    colours = theme.active()
    box = area.adjusted(LEFT, 6, -12, -BOTTOM)
    last = max(points[-1][0], 1)

    def place(value: float, share: float) -> QPointF:
        return QPointF(box.left() + box.width() * value / last, box.bottom() - box.height() * share)

    painter.fillRect(box, QColor(colours.background))
    parts = next((count for count in (4, 2) if box.height() >= count * LINE), 1)
    for share in (part / parts for part in range(parts + 1)):
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawLine(place(0, share), place(last, share))
        painter.setPen(QColor(colours.muted))
        label = QRectF(area.left(), place(0, share).y() - LINE / 2, LEFT - 6, LINE)
        painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{100 * share:.0f} %")
    most = min(MAX_TICKS, box.width() / TICK)
    step = next(2**k * unit for k in range(20) if last / (2**k * unit) <= most)
    for value in range(0, last + 1, step):
        label = QRectF(place(value, 0).x() - 40, box.bottom() + 2, 80, 14)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, f"{value // unit:,}")
    painter.drawText(QRectF(box.left(), box.bottom() + 15, box.width(), 18), Qt.AlignmentFlag.AlignCenter, title)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colours.series[0]), 2))
    painter.drawPolyline(QPolygonF([place(value, found.warp_share) for value, found in points]))
    share = next((found.warp_share for value, found in points if value >= present), 0.0)
    painter.setPen(QPen(QColor(colours.path), 1, Qt.PenStyle.DashLine))
    painter.drawLine(place(present, 0), place(present, 1))
    painter.setPen(QPen(QColor(colours.panel), 2))
    painter.setBrush(QColor(colours.path))
    painter.drawEllipse(place(present, share), 6, 6)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_coalescing(painter: QPainter, area: QRectF, limits: CardLimits, values: Values) -> None:
    """Draw lanes above and memory segments below, with a line from each lane to the item that it loads."""
    colours = theme.active()
    stride, item, offset = values["stride"], values["item"], values["offset"]
    found = guidelines.coalesce_access(stride, item, offset)
    last = max(found.lines)
    segments = min(last + 1, MAX_SEGMENTS)
    lane = min((area.width() - 20) / guidelines.WARP, 2 * CELL)
    width = min((area.width() - 20) / segments, 4 * lane)
    top, bottom = area.top() + 24, min(area.bottom() - 70, area.top() + 320)
    left = area.center().x() - lane * guidelines.WARP / 2
    start = area.center().x() - width * segments / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for segment in range(segments):
        box = QRectF(start + segment * width, bottom, width, 26).adjusted(1, 0, -1, 0)
        painter.fillRect(box, QColor(colours.selection if segment in found.lines else colours.background))
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawRect(box)
    for number in range(guidelines.WARP):
        first = (offset + number * stride) * item
        x = start + width * first / guidelines.SEGMENT_BYTES
        size = max(width * item / guidelines.SEGMENT_BYTES, 1.5)
        box = QRectF(left + number * lane, top, lane, 20).adjusted(1, 0, -1, 0)
        painter.fillRect(box, QColor(colours.series[0]))
        if found.lines[number] >= segments:
            continue
        painter.fillRect(QRectF(x, bottom, size, 26).adjusted(0.5, 0, -0.5, 0), QColor(colours.series[0]))
        painter.setPen(QPen(QColor(colours.series[0]), 1))
        painter.drawLine(QPointF(box.center().x(), box.bottom()), QPointF(x + size / 2, bottom))
    painter.setPen(QColor(colours.muted))
    _draw_centred(painter, QRectF(area.left(), area.top(), area.width(), 20), "32 lanes of a warp")
    cut = f"; only the first {segments:,} are shown" if last >= segments else ""
    words = f"segments of {guidelines.SEGMENT_BYTES} bytes: dark is used, light is transferred unused{cut}"
    _draw_centred(painter, QRectF(area.left(), bottom + 30, area.width(), 20), words)


def draw_divergence(painter: QPainter, area: QRectF, limits: CardLimits, values: Values) -> None:
    """Draw lanes by steps: first branch, other branch, and idle."""
    colours = theme.active()
    lanes, first, other = values["lanes"], values["then"], values["otherwise"]
    steps = guidelines.diverge_warp(lanes, first, other).steps
    ways = [(first, True)] * bool(lanes) + [(other, False)] * (lanes < guidelines.WARP)
    size = min((area.width() - LEFT - 20) / max(steps, 1), (area.height() - 70) / guidelines.WARP, 1.5 * CELL)
    left, top = area.center().x() - size * steps / 2, area.top() + 24
    column = 0
    for count, taken in ways:
        for step in range(column, column + count):
            for lane in range(guidelines.WARP):
                box = QRectF(left + step * size, top + lane * size, size, size).adjusted(0.5, 0.5, -0.5, -0.5)
                busy = (lane < lanes) == taken
                painter.fillRect(box, QColor(colours.series[0 if taken else 1] if busy else colours.hover))
        column += count
    painter.setPen(QColor(colours.muted))
    _draw_centred(painter, QRectF(area.left(), area.top(), area.width(), 20), f"steps of the warp ({steps})")
    foot = top + guidelines.WARP * size + 8
    legend = (("first branch", colours.series[0]), ("other branch", colours.series[1]), ("idle", colours.hover))
    x = left
    for words, colour in legend:
        painter.fillRect(QRectF(x, foot + 3, 12, 12), QColor(colour))
        painter.setPen(QColor(colours.muted))
        painter.drawText(QPointF(x + 18, foot + 13), words)
        x += 18 + painter.fontMetrics().horizontalAdvance(words) + 18


def draw_tiling(painter: QPainter, area: QRectF, limits: CardLimits, values: Values) -> None:
    """Draw a product of two matrices with the tile of a block and its slabs of both factors."""
    colours, whole = theme.active(), 512
    side = min(area.width() / 2.4, (area.height() - 20) / 2.3)
    left, top = area.center().x() - 1.08 * side, area.top() + 10
    tile, depth = values["tile"] / whole * side, max(values["depth"] / whole * side, 2)
    place = (whole // values["tile"]) // 2 * tile
    corner = QPointF(left + 1.12 * side, top + 1.12 * side)
    first = QRectF(left, corner.y(), side, side)
    second = QRectF(corner.x(), top, side, side)
    product = QRectF(corner.x(), corner.y(), side, side)
    for box, name in ((first, "A"), (second, "B"), (product, "A \u2297 B")):
        painter.fillRect(box, QColor(colours.background))
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawRect(box)
        painter.setPen(QColor(colours.muted))
        painter.drawText(box.adjusted(6, 4, -6, -4), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, name)
    row = QRectF(first.left(), first.top() + place, side, tile)
    column = QRectF(second.left() + place, second.top(), tile, side)
    for band in (row, column):
        painter.fillRect(band, QColor(colours.hover))
    along = min(0.35 * side, side - depth)
    painter.fillRect(QRectF(first.left() + along, row.top(), depth, tile), QColor(colours.series[1]))
    painter.fillRect(QRectF(column.left(), second.top() + along, tile, depth), QColor(colours.series[1]))
    box = QRectF(product.left() + place, product.top() + place, tile, tile)
    painter.fillRect(box, QColor(colours.series[0]))
    words = f"{values['tile']} x {values['tile']}".replace("x", "\u00d7")
    if painter.fontMetrics().horizontalAdvance(words) + 4 < tile:
        painter.setPen(QColor(colours.accent_text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
    painter.setPen(QColor(colours.muted))
    width = max(side, painter.fontMetrics().size(0, TILE_WORDS).width())  # keeps the text inside of the picture
    painter.drawText(QRectF(left + side - width, top, width, side), Qt.AlignmentFlag.AlignCenter, TILE_WORDS)


def _draw_centred(painter: QPainter, box: QRectF, words: str) -> None:
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
