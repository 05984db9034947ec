"""Plays as figures: one step as PNG, SVG or PDF; several as animated WebP, or as GIF or MP4 where ffmpeg is there."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from antidiag.app import theme
from antidiag.app.kit import export
from antidiag.app.kit.legend import draw_legend, legend_height
from antidiag.app.kit.play.look import Look
from antidiag.app.kit.play.picture import Picture, legend
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.plays import telling
from antidiag.kernels.plays.clock import Clock
from antidiag.kernels.plays.model import Play

STILL, MOVING = (".png", ".svg", ".pdf"), (".webp", ".gif", ".mp4")
Drawing = Callable[[QPainter, QRectF], None]
FILMS = {
    ".mp4": ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-r", "25"),
    ".gif": ("-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0"),
}
"""What ffmpeg is told; the colours of a GIF are those that its frames have."""
SIZE = QSize(1280, 720)
MILLISECONDS, LAST_MILLISECONDS = 500, 2000
"""How long a frame of an animation is shown, and the last one."""


def draw(painter: QPainter, area: QRectF, play: Play, look: Look) -> None:
    """Heading, picture and legend of a play in an area."""
    line = painter.fontMetrics().height() * look.scale
    font = painter.font()
    painter.setPen(QColor(theme.active().text))
    words = f"{play.title}. {telling.heading(play, look.step)}"
    wrap = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
    painter.drawText(QRectF(area.left(), area.top(), area.width(), 2.2 * line), wrap, words)
    items = legend(play, look)
    below = legend_height(painter.fontMetrics(), items, area.width())
    inner = area.adjusted(0, 2.4 * line, 0, -below - 6)
    Picture(play, look, inner, line).draw(painter)
    painter.setFont(font)
    draw_legend(painter, QRectF(area.left(), inner.bottom() + 6, area.width(), below), items)


def draw_beside(painter: QPainter, area: QRectF, plays: Sequence[Play], looks: Sequence[Look]) -> None:
    """Plays side by side."""
    wide, margin = area.width() / max(len(plays), 1), theme.MARGIN
    for number, (play, look) in enumerate(zip(plays, looks, strict=True)):
        part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
        draw(painter, part.adjusted(margin, margin, -margin, -margin), play, look)


def save(path: Path, clock: Clock, looks: Sequence[Look], ticks: Sequence[int], size: QSize = SIZE) -> None:
    """Write the plays of a clock at these ticks, by the suffix; a still picture is that of the last one.

    InputError where the suffix is unknown, or what is needed is not there.
    """
    save_drawings(path, [drawing(clock, looks, tick) for tick in ticks], clock.plays[0].title, size)


def drawing(clock: Clock, looks: Sequence[Look], tick: int) -> Drawing:
    """What the plays show at a tick."""
    shown = [replace(look, step=step) for look, step in zip(looks, clock.steps(tick), strict=True)]
    return lambda painter, area: draw_beside(painter, area, clock.plays, shown)


def save_drawings(
    path: Path, drawings: Sequence[Drawing], title: str, size: QSize = SIZE, milliseconds: int = MILLISECONDS
) -> None:
    """Write drawings one after another, each shown so long, by the suffix; a still picture is the last one.

    InputError where the suffix is unknown, or what is needed is not there.
    """
    suffix = path.suffix.lower()
    if suffix in STILL:
        export.save(path, size, drawings[-1], title)
        return
    if suffix not in MOVING:
        raise InputError(f"{path}: pictures of plays are written as {', '.join((*STILL, *MOVING))}, or as .html")
    frames = [export.image(size, drawing, 1) for drawing in drawings]
    if suffix == ".webp":
        durations = [*[milliseconds] * (len(frames) - 1), LAST_MILLISECONDS]
        write_bytes(path, [animated_webp(frames, durations)])
    else:
        _save_film(path, frames, milliseconds)


def animated_webp(frames: Sequence[QImage], durations_ms: Sequence[int]) -> bytes:
    """An animation of frames of one size, each compressed by Qt without loss and put into WebP's container.

    The container is that of the WebP specification: VP8X, ANIM, and an ANMF for each frame. It begins again for ever.
    """
    width, height = frames[0].width(), frames[0].height()
    parts = [
        _chunk(b"VP8X", struct.pack("<B3x", 2) + _three(width - 1) + _three(height - 1)),
        _chunk(b"ANIM", b"\xff\xff\xff\xff" + struct.pack("<H", 0)),
    ]
    for frame, duration in zip(frames, durations_ms, strict=True):
        place = _three(0) + _three(0) + _three(width - 1) + _three(height - 1) + _three(duration) + b"\x02"
        parts.append(_chunk(b"ANMF", place + _bitstream(frame)))
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _bitstream(frame: QImage) -> bytes:
    """The compressed picture of a WebP file, without its container."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"webp"))
    writer.setQuality(100)
    if not writer.write(frame):
        raise InputError(f"Qt cannot write WebP here: {writer.errorString()}; choose .png or .svg")
    data, at, found = bytes(buffer.data().data()), 12, b""
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if name in (b"VP8 ", b"VP8L", b"ALPH"):
            found += _chunk(name, data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    return found


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _save_film(path: Path, frames: Sequence[QImage], milliseconds: int) -> None:
    """Have ffmpeg make a film of the frames, of which the last one stays, or a GIF that begins again for ever."""
    program, suffix = shutil.which("ffmpeg"), path.suffix.lower()
    if program is None:
        raise InputError(
            f"{path}: {suffix[1:].upper()} is written by ffmpeg, which is not installed; install it, or choose .webp"
        )
    with tempfile.TemporaryDirectory() as folder:
        staying = [frames[-1]] * (LAST_MILLISECONDS // milliseconds - 1)
        for number, frame in enumerate([*frames, *staying]):
            frame.save(str(Path(folder) / f"{number:05d}.png"))
        target = Path(folder) / f"film{suffix}"
        command = [program, "-y", "-loglevel", "error", "-framerate", f"{1000 / milliseconds:g}",
                   "-i", str(Path(folder) / "%05d.png"), *FILMS[suffix], str(target)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"{path}: ffmpeg says: {done.stderr.strip()[:300]}")
        write_bytes(path, [target.read_bytes()])
