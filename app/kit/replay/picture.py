"""The table of a run at a moment of its measured time, and the curve of its parts under way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.app.kit.replay.data import Replay, Sheet
from antidiag.kernels.memory import bytes_text

CURVE = 0.16


def draw_beside(painter: QPainter, area: QRectF, runs: Sequence[tuple[str, Replay]], time_ns: float) -> None:
    """Runs by name, beside each other, at a time since each of them began."""
    wide, margin = area.width() / max(len(runs), 1), theme.MARGIN
    for number, (name, replay) in enumerate(runs):
        part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
        draw(painter, part.adjusted(margin, margin, -margin, -margin), replay, replay.start_ns + time_ns, name)


def draw(painter: QPainter, area: QRectF, replay: Replay, time_ns: float, name: str = "") -> None:
    """The table at a time since the start of the log, what is counted above it, and the curve below."""
    line = painter.fontMetrics().height()
    curve = QRectF(area.left(), area.bottom() - CURVE * area.height(), area.width(), CURVE * area.height())
    sheet = replay.sheet(time_ns)
    painter.setPen(QColor(theme.active().text))
    words, wrap = told(replay, time_ns, sheet, name), int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
    head = painter.boundingRect(QRectF(area.left(), area.top(), area.width(), 10 * line), wrap, words).height()
    painter.drawText(QRectF(area.left(), area.top(), area.width(), head), wrap, words)
    room = area.adjusted(0, head + 4, 0, -CURVE * area.height() - 8)
    pixels = _pixels(sheet, time_ns)
    high, wide = pixels.shape
    image = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGB32)
    scale = min(room.width() / wide, room.height() / high)
    target = QRectF(0, 0, wide * scale, high * scale)
    target.moveCenter(room.center())
    painter.drawImage(target, image)
    painter.setPen(QColor(theme.active().border))
    painter.drawRect(target)
    _draw_curve(painter, curve, replay, time_ns)


def told(replay: Replay, time_ns: float, sheet: Sheet, name: str = "") -> str:
    """'Phase 1, 0.5 of 2 ms: 3 of 4 workers at work, 40 % of what the phase computes', and what was counted so far."""
    span, passed = replay.end_ns - replay.start_ns, min(time_ns, replay.end_ns) - replay.start_ns
    done = " done" if time_ns >= replay.end_ns else ""
    return (
        f"{name + ': ' if name else ''}Phase {sheet.phase}, {passed / 1e6:,.3f} of {span / 1e6:,.3f} ms{done}: "
        f"{replay.busy(time_ns):,} of {replay.workers.size:,} workers at work, "
        f"{sheet.share(time_ns):.0%} of what the phase computes\n{counted(replay, time_ns)}"
    )


def counted(replay: Replay, time_ns: float) -> str:
    """'Done: 7 of 20 parts, 1,234 of 5,678 cells, 1.2 of 5.0 KiB', and what the bytes are."""
    found = [f"{replay.done(time_ns):,} of {replay.events.size:,} parts"]
    counters = replay.counters
    if counters is None:
        return f"Done: {found[0]}"
    found.append(f"{replay.cells(time_ns):,.0f} of {replay.cells(replay.end_ns):,.0f} {counters.unit}")
    if not counters.modelled:
        return f"Done: {', '.join(found)}\n{counters.told}"
    moved, total = (bytes_text(round(replay.bytes(at))) for at in (time_ns, replay.end_ns))
    return f"Done: {', '.join(found)}, {moved} of {total}\n{counters.told}"


def _pixels(sheet: Sheet, time_ns: float) -> np.ndarray:
    """Colours (ARGB) of all places, uint32."""
    active = theme.active()
    palette = np.array([QColor(colour).rgba() for colour in active.series], np.uint32)
    states = sheet.states(time_ns)
    found = np.full(states.shape, QColor(active.hover).rgba(), np.uint32)
    done = states == 2
    found[done] = palette[sheet.worker[done] % len(palette)]
    found[states == 1] = QColor(active.recomputed).rgba()
    return np.ascontiguousarray(found)


def _draw_curve(painter: QPainter, area: QRectF, replay: Replay, time_ns: float) -> None:
    counts = replay.curve(max(int(area.width() / 2), 10))
    top = max(float(counts.max()), 1.0)
    outline = QPolygonF([area.bottomLeft()])
    for at, count in enumerate(counts.tolist()):
        for edge in (at, at + 1):
            x = area.left() + edge * area.width() / counts.size
            outline.append(QPointF(x, area.bottom() - count / top * area.height()))
    outline.append(area.bottomRight())
    painter.fillRect(area, QColor(theme.active().hover))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.active().boundary))
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    span = max(replay.end_ns - replay.start_ns, 1)
    x = area.left() + min(max((time_ns - replay.start_ns) / span, 0.0), 1.0) * area.width()
    painter.setPen(QPen(QColor(theme.active().recomputed), 3))
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
