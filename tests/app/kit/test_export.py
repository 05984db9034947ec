"""Figures as files."""

from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter

from antidiag.app import theme
from antidiag.app.kit.figures import export, framed_figure
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import files

BEGINNINGS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def draw(painter: QPainter, area: QRectF) -> None:
    painter.drawLine(area.topLeft(), area.bottomRight())


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_figure_is_written_all_or_nothing(qapp, tmp_path: Path, monkeypatch, suffix: str) -> None:
    place = tmp_path / f"figure{suffix}"
    export.save_figure(place, QSize(200, 100), draw, "title")
    before = place.read_bytes()
    assert before.startswith(BEGINNINGS[suffix]) and len(before) > 300

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        export.save_figure(place, QSize(50, 50), draw)
    assert place.read_bytes() == before and list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(("length", "is_whole"), [(20, True), (60, True), (200, False)])
def test_a_long_title_has_smaller_letters_before_it_is_cut(qapp, tmp_path: Path, length: int, is_whole: bool) -> None:
    title, place = "n" * length, tmp_path / "figure.svg"
    size = framed_figure.figure_size(0.85 * QFontMetrics(qapp.font()).horizontalAdvance("n" * 60), 100, ())

    def draw_framed(painter: QPainter, area: QRectF) -> None:
        framed_figure.draw_figure(painter, area, title, (), lambda *_: None)

    export.save_figure(place, size, draw_framed)
    assert (f'aria-label="{title}"' in place.read_text()) == is_whole


def test_the_background_of_a_picture_is_filled_while_other_threads_run_python(qapp, monkeypatch) -> None:
    """QImage.fill keeps the interpreter while the system finds the memory, 100 ms for a large figure."""
    monkeypatch.setattr(export, "QImage", Unfilled)
    found = export.render_image(QSize(30, 20), draw)
    assert found.pixelColor(59, 0) == QColor(theme.active().panel)


class Unfilled(QImage):
    def fill(self, *_: object) -> None:
        raise AssertionError("it keeps the interpreter")


def test_a_picture_that_takes_too_much_memory_is_refused(qapp, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(export, "QImage", Refused)
    with pytest.raises(InputError, match="too large to write; choose a smaller size or SVG"):
        export.save_figure(tmp_path / "large.png", QSize(30, 20), draw)


class Refused(QImage):
    """What Qt makes where it gets no memory."""

    def __init__(self, *_: object) -> None:
        super().__init__()
