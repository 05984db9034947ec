"""The table of a run at a moment of its measured time, and the curve of running parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.kernels.experiments.point_data.run_replay import PhaseSheet, RunReplay
from antidiag.kernels.memory import format_bytes

CURVE_SHARE = 0.16


def draw_side_by_side(painter: QPainter, area: QRectF, runs: Sequence[tuple[str, RunReplay]], time_ns: float) -> None:
    """Draw runs side by side at a time since the start of each."""
    wide, margin = area.width() / max(len(runs), 1), theme.MARGIN
    for number, (name, replay) in enumerate(runs):
        part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
        draw_replay(painter, part.adjusted(margin, margin, -margin, -margin), replay, replay.start_ns + time_ns, name)


def draw_replay(painter: QPainter, area: QRectF, replay: RunReplay, time_ns: float, name: str = "") -> None:
    """Draw counts, table and curve of a run at a time of its log."""
    line = painter.fontMetrics().height()
    curve = QRectF(area.left(), area.bottom() - CURVE_SHARE * area.height(), area.width(), CURVE_SHARE * area.height())
    sheet = replay.current_sheet(time_ns)
    painter.setPen(QColor(theme.active().text))
    words, wrap = (
        describe_moment(replay, time_ns, sheet, name),
        int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop),
    )
    head = painter.boundingRect(QRectF(area.left(), area.top(), area.width(), 10 * line), wrap, words).height()
    painter.drawText(QRectF(area.left(), area.top(), area.width(), head), wrap, words)
    room = area.adjusted(0, head + 4, 0, -CURVE_SHARE * area.height() - 8)
    pixels = _pixel_colours(sheet, time_ns)
    high, wide = pixels.shape
    image = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGB32)
    scale = min(room.width() / wide, room.height() / high)
    target = QRectF(0, 0, wide * scale, high * scale)
    target.moveCenter(room.center())
    painter.drawImage(target, image)
    painter.setPen(QColor(theme.active().border))
    painter.drawRect(target)
    _draw_curve(painter, curve, replay, time_ns)


def describe_moment(replay: RunReplay, time_ns: float, sheet: PhaseSheet, name: str = "") -> str:
    """Return "Phase 1, 0.5 of 2 ms: 3 of 4 workers busy, 40 % of the phase done", and what was counted."""
    span, passed = replay.end_ns - replay.start_ns, min(time_ns, replay.end_ns) - replay.start_ns
    done = " done" if time_ns >= replay.end_ns else ""
    return (
        f"{name + ': ' if name else ''}Phase {sheet.phase}, {passed / 1e6:,.3f} of {span / 1e6:,.3f} ms{done}: "
        f"{replay.busy_workers(time_ns):,} of {replay.workers.size:,} workers busy, "
        f"{sheet.done_share(time_ns):.0%} of the phase done\n{describe_counts(replay, time_ns)}"
    )


def describe_counts(replay: RunReplay, time_ns: float) -> str:
    """Return "Done: 7 of 20 parts, 1,234 of 5,678 cells, 1.2 of 5.0 KiB", and what the bytes mean."""
    found = [f"{replay.done(time_ns):,} of {replay.events.size:,} parts"]
    counters = replay.counters
    if counters is None:
        return f"Done: {found[0]}"
    found.append(f"{replay.cells(time_ns):,.0f} of {replay.cells(replay.end_ns):,.0f} {counters.unit}")
    if not counters.has_traffic_model:
        return f"Done: {', '.join(found)}\n{counters.bytes_description}"
    moved, total = (format_bytes(round(replay.bytes(at))) for at in (time_ns, replay.end_ns))
    return f"Done: {', '.join(found)}, {moved} of {total}\n{counters.bytes_description}"


def _pixel_colours(sheet: PhaseSheet, time_ns: float) -> np.ndarray:
    """Return the colours (ARGB) of all pixels, uint32."""
    active = theme.active()
    palette = np.array([QColor(colour).rgba() for colour in active.series], np.uint32)
    states = sheet.pixel_states(time_ns)
    found = np.full(states.shape, QColor(active.hover).rgba(), np.uint32)
    done = states == 2
    found[done] = palette[sheet.worker[done] % len(palette)]
    found[states == 1] = QColor(active.recomputed).rgba()
    return np.ascontiguousarray(found)


def _draw_curve(painter: QPainter, area: QRectF, replay: RunReplay, time_ns: float) -> None:
    counts = replay.parallelism_curve(max(int(area.width() / 2), 10))
    draw_counts(painter, area, counts, max(float(counts.max()), 1.0))
    span = max(replay.end_ns - replay.start_ns, 1)
    x = area.left() + min(max((time_ns - replay.start_ns) / span, 0.0), 1.0) * area.width()
    painter.setPen(QPen(QColor(theme.active().recomputed), 3))
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))


def draw_counts(painter: QPainter, area: QRectF, counts: np.ndarray, largest: float) -> None:
    """Draw counts as a filled curve of steps, of which ``largest`` is as high as the area."""
    outline = QPolygonF([area.bottomLeft()])
    for at, count in enumerate(counts.tolist()):
        for edge in (at, at + 1):
            x = area.left() + edge * area.width() / counts.size
            outline.append(QPointF(x, area.bottom() - count / largest * area.height()))
    outline.append(area.bottomRight())
    painter.fillRect(area, QColor(theme.active().hover))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.active().boundary))
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
