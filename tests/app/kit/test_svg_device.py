"""SVG of everything that figures draw, by two programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QBuffer, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from antidiag.app.kit.figures import export
from tests.app.svg_rendering import assert_svg_is_the_image

SIZE = QSize(240, 200)
BLUE, RED = QColor("#1768b8"), QColor("#c03030")


def nested_clips(painter: QPainter) -> None:
    for number in range(3):
        painter.save()
        painter.translate(10, 60 * number)
        painter.setClipRect(QRectF(0, 0, 100, 50))
        painter.save()
        painter.setClipRect(QRectF(0, 0, 30, 30), Qt.ClipOperation.IntersectClip)
        painter.fillRect(QRectF(-50, -50, 500, 500), RED)
        painter.restore()
        painter.fillRect(QRectF(40, 10, 500, 20), BLUE)
        painter.restore()
        painter.fillRect(QRectF(130, 60 * number, 60, 40), BLUE)


def round_clip(painter: QPainter) -> None:
    path = QPainterPath()
    path.addEllipse(QPointF(100, 100), 80, 60)
    painter.setClipPath(path)
    painter.fillRect(QRectF(0, 0, 240, 100), RED)
    painter.setClipping(False)
    painter.fillRect(QRectF(200, 150, 30, 30), BLUE)


def shapes(painter: QPainter) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(RED, 3, Qt.PenStyle.DashLine))
    painter.drawLine(10, 10, 200, 30)
    painter.setPen(QPen(BLUE, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.drawPolyline([QPointF(10, 50), QPointF(60, 90), QPointF(110, 50)])
    painter.drawLines([QLineF(130, 50, 130, 90), QLineF(150, 50, 150, 90)])
    painter.setBrush(QColor(200, 40, 40, 90))
    painter.drawPolygon(QPolygonF([QPointF(10, 110), QPointF(60, 180), QPointF(110, 110)]))
    painter.drawEllipse(QPointF(170, 140), 40, 25)


def turned_and_scaled(painter: QPainter) -> None:
    painter.translate(120, 100)
    painter.rotate(30)
    painter.scale(2, 1.5)
    painter.fillRect(QRectF(-30, -20, 60, 40), BLUE)
    painter.drawText(QRectF(-30, -20, 60, 40), Qt.AlignmentFlag.AlignCenter, "abc")


def thin_lines_of_a_plot(painter: QPainter) -> None:
    """A plot scales its data: a pen of one pixel stays one pixel wide, also where the clip cuts the line."""
    painter.setClipRect(QRectF(20, 20, 160, 120))
    painter.scale(30, 12)
    pen = QPen(RED, 2, Qt.PenStyle.DashLine)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QPointF(-1, 5), QPointF(9, 5))
    painter.drawPolyline(QPolygonF([QPointF(0, 0), QPointF(4, 9), QPointF(9, 20)]))


def words(painter: QPainter) -> None:
    for number, text in enumerate(("Consensus", "1,024 columns", 'quotes " & <angles>', "\u2212\u221e  \u00d7 \u00b7")):
        painter.setPen(BLUE if number % 2 else RED)
        painter.drawText(QRectF(10, 10 + 40 * number, 220, 30), Qt.AlignmentFlag.AlignVCenter, text)


def pixels(painter: QPainter) -> None:
    image = QImage(4, 2, QImage.Format.Format_RGB32)
    for x in range(4):
        for y in range(2):
            image.setPixelColor(x, y, RED if (x + y) % 2 else BLUE)
    painter.drawImage(QRectF(10, 10, 160, 80), image)
    painter.drawImage(QRectF(10, 110, 80, 80), image, QRectF(1, 0, 2, 2))


def gradient_and_opacity(painter: QPainter) -> None:
    gradient = QLinearGradient(20, 0, 220, 0)
    gradient.setColorAt(0, RED)
    gradient.setColorAt(1, BLUE)
    painter.fillRect(QRectF(20, 20, 200, 60), QBrush(gradient))
    painter.setOpacity(0.4)
    painter.fillRect(QRectF(20, 100, 200, 60), BLUE)


@pytest.mark.parametrize(
    "draw",
    [nested_clips, round_clip, shapes, turned_and_scaled, thin_lines_of_a_plot, words, pixels, gradient_and_opacity],
)
def test_two_programs_draw_what_qt_paints(qapp, draw: Callable[[QPainter], None]) -> None:
    assert_svg_is_the_image(SIZE, lambda painter, area: draw(painter))


def test_what_a_clip_hides_is_not_written(qapp) -> None:
    def draw(painter: QPainter, area: QRectF) -> None:
        painter.setClipRect(QRectF(0, 0, 50, 50))
        painter.drawText(QPointF(100, 100), "hidden")
        painter.drawText(QPointF(5, 30), "seen")

    text = assert_svg_is_the_image(SIZE, draw)
    assert 'aria-label="seen"' in text and "hidden" not in text


def test_an_error_of_a_drawing_reaches_the_caller(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise ValueError("no number")

    monkeypatch.setattr("antidiag.app.kit.figures.svg_device.format_number", fail)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    with pytest.raises(ValueError, match="no number"):
        export.encode_svg(buffer, SIZE, lambda painter, area: shapes(painter), "", None)


def test_a_printed_figure_states_its_size_in_millimetres(qapp) -> None:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    export.encode_svg(buffer, SIZE, lambda painter, area: words(painter), "a < b", export.PrintSize(120, 300))
    text = bytes(buffer.data().data()).decode()
    assert 'width="120.000mm" height="100.000mm" viewBox="0 0 240 200"' in text and "<title>a &lt; b</title>" in text
