"""Plays as figures: one step as PNG, SVG or PDF; several as WebP, or with ffmpeg as GIF or MP4."""

from __future__ import annotations

import contextlib
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
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import draw_legend, legend_height
from antidiag.app.kit.play.play_picture import PlayPicture, play_legend
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.walkthroughs import animation_text
from antidiag.kernels.walkthroughs.animation import Animation
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

STILL, MOVING = (".png", ".svg", ".pdf"), (".webp", ".gif", ".mp4")
Drawing = Callable[[QPainter, QRectF], None]
# A GIF gets the colours of its frames.
FFMPEG_OPTIONS = {
    ".mp4": ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-r", "25"),
    ".gif": ("-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0"),
}
SIZE = QSize(1280, 720)
POLL_S = 0.1
FRAME_MS, LAST_MILLISECONDS = 500, 2000  # duration of a frame, and of the last one


def draw_play(painter: QPainter, area: QRectF, play: Animation, look: PlayLook) -> None:
    """Draw heading, picture and legend of a play."""
    line = painter.fontMetrics().height() * look.scale
    font = painter.font()
    painter.setPen(QColor(theme.active().text))
    words = f"{play.title}. {animation_text.step_heading(play, look.step)}"
    wrap = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
    painter.drawText(QRectF(area.left(), area.top(), area.width(), 2.2 * line), wrap, words)
    items = play_legend(play, look)
    below = legend_height(painter.fontMetrics(), items, area.width())
    inner = area.adjusted(0, 2.4 * line, 0, -below - 6)
    PlayPicture(play, look, inner, line).draw_all(painter)
    painter.setFont(font)
    draw_legend(painter, QRectF(area.left(), inner.bottom() + 6, area.width(), below), items)


def draw_side_by_side(painter: QPainter, area: QRectF, plays: Sequence[Animation], looks: Sequence[PlayLook]) -> None:
    """Draw plays side by side."""
    wide, margin = area.width() / max(len(plays), 1), theme.MARGIN
    for number, (play, look) in enumerate(zip(plays, looks, strict=True)):
        part = QRectF(area.left() + number * wide, area.top(), wide, area.height())
        draw_play(painter, part.adjusted(margin, margin, -margin, -margin), play, look)


def save_plays(
    path: Path,
    clock: SharedClock,
    looks: Sequence[PlayLook],
    ticks: Sequence[int],
    size: QSize = SIZE,
    monitor: Monitor | None = None,
) -> None:
    """Write the plays at these ticks, in the format of the suffix; a still picture shows the last tick. Raise
    InputError if the suffix is unknown or a program is missing. Any thread may call this."""
    drawings = [tick_drawing(clock, looks, tick) for tick in ticks]
    save_drawings(path, drawings, clock.plays[0].title, size, monitor=monitor)


def tick_drawing(clock: SharedClock, looks: Sequence[PlayLook], tick: int) -> Drawing:
    """Return what draws the plays at a tick."""
    shown = [replace(look, step=step) for look, step in zip(looks, clock.steps_at(tick), strict=True)]
    return lambda painter, area: draw_side_by_side(painter, area, clock.plays, shown)


def save_drawings(
    path: Path,
    drawings: Sequence[Drawing],
    title: str,
    size: QSize = SIZE,
    milliseconds: int = FRAME_MS,
    monitor: Monitor | None = None,
) -> None:
    """Write drawings as frames, in the format of the suffix; a still picture is the last one. Raise InputError if the
    suffix is unknown or a program is missing, and Cancelled, before anything is written, if the user cancels."""
    suffix, monitor = path.suffix.lower(), monitor or Monitor()
    if suffix in STILL:
        export.save_figure(path, size, drawings[-1], title, check=monitor.check)
        return
    if suffix not in MOVING:
        raise InputError(f"{path}: choose {', '.join((*STILL, *MOVING))} or .html for a play")
    program = "" if suffix == ".webp" else find_ffmpeg()
    if program is None:
        raise InputError(
            f"{path}: {suffix[1:].upper()} needs ffmpeg; install it, or pip install 'antidiag[video]', or choose .webp"
        )
    frames = []
    for number, drawing in enumerate(drawings):
        monitor.update(number, (2 if suffix == ".webp" else 3) * len(drawings))
        frames.append(export.render_image(size, drawing, 1))
    if suffix == ".webp":
        durations = [*[milliseconds] * (len(frames) - 1), LAST_MILLISECONDS]
        write_bytes(path, [encode_webp(frames, durations, monitor)])
    else:
        _save_with_ffmpeg(program, path, frames, milliseconds, monitor)


def find_ffmpeg() -> str | None:
    """Return the program ffmpeg of the system, else that of the package imageio-ffmpeg, else None."""
    found = shutil.which("ffmpeg")
    if found is None:
        with contextlib.suppress(ImportError, RuntimeError):  # RuntimeError: the package has no program for this system
            from imageio_ffmpeg import get_ffmpeg_exe

            found = str(get_ffmpeg_exe())
    return found


def encode_webp(frames: Sequence[QImage], durations_ms: Sequence[int], monitor: Monitor | None = None) -> bytes:
    """Encode frames of one size as an endless animation, each compressed losslessly by Qt. The container follows the
    WebP specification: VP8X, ANIM, and an ANMF for each frame. A monitor hears the second half of the progress."""
    width, height = frames[0].width(), frames[0].height()
    parts = [
        _riff_chunk(b"VP8X", struct.pack("<B3x", 2) + _three_bytes(width - 1) + _three_bytes(height - 1)),
        _riff_chunk(b"ANIM", b"\xff\xff\xff\xff" + struct.pack("<H", 0)),
    ]
    for number, (frame, duration) in enumerate(zip(frames, durations_ms, strict=True)):
        if monitor is not None:
            monitor.update(len(frames) + number, 2 * len(frames))
        place = (
            _three_bytes(0)
            + _three_bytes(0)
            + _three_bytes(width - 1)
            + _three_bytes(height - 1)
            + _three_bytes(duration)
            + b"\x02"
        )
        parts.append(_riff_chunk(b"ANMF", place + _webp_bitstream(frame)))
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _webp_bitstream(frame: QImage) -> bytes:
    """Return the compressed image of a frame without its container."""
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
            found += _riff_chunk(name, data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    return found


def _riff_chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three_bytes(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _save_with_ffmpeg(program: str, path: Path, frames: Sequence[QImage], milliseconds: int, monitor: Monitor) -> None:
    """Let ffmpeg make a film whose last frame stays, or an endless GIF."""
    suffix = path.suffix.lower()
    with tempfile.TemporaryDirectory() as folder:
        staying = [frames[-1]] * (LAST_MILLISECONDS // milliseconds - 1)
        for number, frame in enumerate([*frames, *staying]):
            monitor.update(len(frames) + min(number, len(frames)), 3 * len(frames))
            frame.save(str(Path(folder) / f"{number:05d}.png"))
        target = Path(folder) / f"film{suffix}"
        command = [program, "-y", "-loglevel", "error", "-framerate", f"{1000 / milliseconds:g}", "-i"]
        command += [str(Path(folder) / "%05d.png"), *FFMPEG_OPTIONS[suffix], str(target)]
        _run_until_cancelled(command, path, monitor)
        write_bytes(path, [target.read_bytes()])


def _run_until_cancelled(command: Sequence[str], path: Path, monitor: Monitor) -> None:
    """Run ffmpeg; raise InputError if it fails, and Cancelled, after it has ended, if the user cancels."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=words, stderr=words)
        try:
            while program.poll() is None:
                monitor.check()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.wait(POLL_S)
        finally:
            if program.poll() is None:
                program.kill()
                program.wait()
        if program.returncode:
            words.seek(0)
            raise InputError(f"{path}: ffmpeg failed: {words.read().strip()[:300]}")
