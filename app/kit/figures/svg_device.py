"""A paint device that writes SVG which browsers, Inkscape and Qt draw alike.

`QSvgGenerator` forgets to restore clips, and names fonts that other programs do not have. Here every element gets the
clip that the painter has at that moment, and text is written as outlines, each different text once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from html import escape
from typing import Any

from PySide6.QtCore import QBuffer, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QLinearGradient,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPixmap,
    QPolygonF,
    QTextItem,
    QTransform,
)

CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.SquareCap: "square", Qt.PenCapStyle.RoundCap: "round"}
JOINS = {Qt.PenJoinStyle.BevelJoin: "bevel", Qt.PenJoinStyle.RoundJoin: "round"}
DIGITS = 3
"""Decimals of coordinates."""
MOST_CUT = 400
"""Elements of a path up to which it is cut where the clip ends; a longer one gets the clip as an attribute."""


def _keep_failure(draw: Callable[..., None]) -> Callable[..., None]:
    """Keep an error for `SvgEngine.finished_elements`: one that left a function that Qt calls would end the program."""

    @wraps(draw)
    def draw_or_keep(self: SvgEngine, *given: Any) -> None:
        try:
            if self.failure is None:
                draw(self, *given)
        except Exception as error:
            self.failure = error

    return draw_or_keep


class SvgDevice(QPaintDevice):
    """Collects what a painter draws; `svg_bytes` is the file.

    Parameters
    ----------
    size : QSize
        The size of the drawing in its own units.
    dpi : int
        Dots per inch, which give fonts in points their size.
    """

    def __init__(self, size: QSize, dpi: int) -> None:
        super().__init__()
        self._size, self._dpi, self._engine = size, dpi, SvgEngine()

    def paintEngine(self) -> QPaintEngine:
        return self._engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        kinds, mm = QPaintDevice.PaintDeviceMetric, 25.4 / self._dpi
        match metric:
            case kinds.PdmWidth:
                return self._size.width()
            case kinds.PdmHeight:
                return self._size.height()
            case kinds.PdmWidthMM:
                return round(self._size.width() * mm)
            case kinds.PdmHeightMM:
                return round(self._size.height() * mm)
            case kinds.PdmDpiX | kinds.PdmDpiY | kinds.PdmPhysicalDpiX | kinds.PdmPhysicalDpiY:
                return self._dpi
            case kinds.PdmDevicePixelRatioScaled:
                return round(QPaintDevice.devicePixelRatioFScale())
            case kinds.PdmDepth:
                return 32
            case kinds.PdmNumColors:
                return 1 << 24
        return 1

    def svg_bytes(self, title: str = "", width_mm: float | None = None) -> bytes:
        """Return the SVG file; ``width_mm`` is its width in print, else its size is that of the screen."""
        width, height = self._size.width(), self._size.height()
        shown = f'width="{width}" height="{height}"'
        if width_mm is not None:
            shown = f'width="{width_mm:.3f}mm" height="{width_mm * height / width:.3f}mm"'
        return "\n".join(
            (
                '<?xml version="1.0" encoding="UTF-8"?>',
                f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
                f'{shown} viewBox="0 0 {width} {height}">',
                f"<title>{escape(title)}</title>",
                "<defs>",
                *self._engine.definitions,
                "</defs>",
                *self._engine.finished_elements(),
                "</svg>\n",
            )
        ).encode()


class SvgEngine(QPaintEngine):
    """Turns what a painter draws into elements of SVG."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.definitions: list[str] = []
        self.failure: Exception | None = None
        self._elements: list[str] = []
        self._outlines: dict[tuple[str, str], tuple[str, QPainterPath]] = {}
        self._clips: dict[str, str] = {}
        self._clip = _Clip()
        self._clip_is_old = True
        self._open_clip = ""

    def begin(self, device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.SVG

    def updateState(self, state: QPaintEngineState) -> None:
        self._clip_is_old = True

    def finished_elements(self) -> list[str]:
        """Return all elements, with the last group closed; raise what a drawing function raised."""
        if self.failure is not None:
            raise self.failure
        return [*self._elements, "</g>"] if self._open_clip else self._elements

    @_keep_failure
    def drawRects(self, rects: Sequence[QRectF]) -> None:
        for rect in rects:
            box = QRectF(rect).normalized()
            place = f'<rect x="{_number(box.x())}" y="{_number(box.y())}" '
            path = QPainterPath()
            path.addRect(box)
            self._add(f'{place}width="{_number(box.width())}" height="{_number(box.height())}"', path)

    @_keep_failure
    def drawPolygon(self, points: Sequence[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:
        places = " ".join(f"{_number(point.x())},{_number(point.y())}" for point in points)
        path = QPainterPath()
        path.addPolygon(QPolygonF(points))
        if mode == QPaintEngine.PolygonDrawMode.PolylineMode:
            self._add(f'<polyline points="{places}"', path, fills=False)
            return
        path.closeSubpath()
        if mode != QPaintEngine.PolygonDrawMode.OddEvenMode:
            path.setFillRule(Qt.FillRule.WindingFill)
        self._add(f'<polygon points="{places}"{_fill_rule(path)}', path)

    @_keep_failure
    def drawEllipse(self, box: QRectF) -> None:
        path, centre = QPainterPath(), QRectF(box).center()
        path.addEllipse(box)
        radii = f'rx="{_number(box.width() / 2)}" ry="{_number(box.height() / 2)}"'
        self._add(f'<ellipse cx="{_number(centre.x())}" cy="{_number(centre.y())}" {radii}', path)

    @_keep_failure
    def drawPath(self, path: QPainterPath) -> None:
        self._add(f'<path d="{_path_data(path)}"{_fill_rule(path)}', path)

    @_keep_failure
    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:
        name, outline = self._outline(item.font(), item.text())
        if not name:  # blanks have no outline
            return
        label, colour = f' aria-label="{escape(item.text())}"', self.painter().pen().color()
        path = outline.translated(place)
        if self._clips_shape(path.boundingRect(), path):
            self._add_clipped(path, _colour("fill", colour) + label)
            return
        at = f'x="{_number(place.x())}" y="{_number(place.y())}"'
        self._add_plain(f'<use xlink:href="#{name}"{label} {at}{_colour("fill", colour)}', path.boundingRect())

    @_keep_failure
    def drawImage(self, target: QRectF, image: QImage, source: QRectF, flags: Qt.ImageConversionFlag) -> None:
        part = source.toAlignedRect()
        shown = image if part == image.rect() else image.copy(part)
        smooth = self.painter().testRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        kept = "" if smooth else ' style="image-rendering:pixelated" image-rendering="optimizeSpeed"'
        place = f'x="{_number(target.x())}" y="{_number(target.y())}"'
        size = f'width="{_number(target.width())}" height="{_number(target.height())}"'
        self._add_plain(
            f'<image {place} {size} preserveAspectRatio="none"{kept} '
            f'xlink:href="data:image/png;base64,{_encode_png(shown)}"',
            target,
        )

    @_keep_failure
    def drawPixmap(self, target: QRectF, pixmap: QPixmap, source: QRectF) -> None:
        self.drawImage(target, pixmap.toImage(), source, Qt.ImageConversionFlag.AutoColor)

    def _outline(self, font: QFont, text: str) -> tuple[str, QPainterPath]:
        """Return the name and the outline of a text, which is written when it is first used."""
        key = (font.key(), text)
        if key not in self._outlines:
            path = QPainterPath()
            path.addText(QPointF(0, 0), font, text)
            name = f"text{len(self._outlines) + 1}" if path.elementCount() else ""
            if name:
                self.definitions.append(f'<path id="{name}" fill-rule="nonzero" d="{_path_data(path)}"/>')
            self._outlines[key] = name, path
        return self._outlines[key]

    def _add(self, opened: str, path: QPainterPath, fills: bool = True) -> None:
        """Add a shape with the painter's pen and brush; ``opened`` is its element up to these attributes."""
        painter = self.painter()
        pen, brush = painter.pen(), painter.brush()
        fill = self._fill(brush) if fills and brush.style() != Qt.BrushStyle.NoBrush else ' fill="none"'
        reach = max(pen.widthF(), 1.0) if pen.style() != Qt.PenStyle.NoPen else 0.0
        smooth = painter.testRenderHint(QPainter.RenderHint.Antialiasing)
        edges = "" if smooth else ' shape-rendering="crispEdges"'
        box = path.boundingRect().adjusted(-reach, -reach, reach, reach)
        if not self._clips_shape(box, path):
            self._add_plain(f"{opened}{fill}{_stroke(pen)}{edges}", box)
            return
        if 'fill="none"' not in fill:
            self._add_clipped(path, fill + edges)
        if pen.style() != Qt.PenStyle.NoPen:
            self._add_clipped(QPainterPathStroker(pen).createStroke(path), _colour("fill", pen.color()) + edges)

    def _clips_shape(self, box: QRectF, path: QPainterPath) -> bool:
        """Return whether the clip cuts a shape simple enough to be cut here: not every program draws SVG's clips."""
        clip = self._current_clip()
        seen = self.painter().transform().mapRect(box)
        return not (clip.holds(seen) or clip.hides(seen)) and path.elementCount() <= MOST_CUT

    def _add_clipped(self, path: QPainterPath, attributes: str) -> None:
        """Add what the clip leaves of a shape, without a stroke."""
        transform = self.painter().transform()
        inverted, can_invert = transform.inverted()
        left = path.intersected(inverted.map(self._current_clip().path)) if can_invert else QPainterPath()
        if not left.isEmpty():
            data = f'<path d="{_path_data(left)}"{_fill_rule(left)}'
            self._open_group("")
            self._elements.append(f"{data}{attributes}{self._opacity()}{_placed(transform)}/>")

    def _opacity(self) -> str:
        """Return the painter's opacity as an attribute; "" where it is 1."""
        value = self.painter().opacity()
        return f' opacity="{_number(value)}"' if value < 1 else ""

    def _fill(self, brush: QBrush) -> str:
        """Return the attributes of a fill: a colour, or a linear gradient; other patterns are their colour, lighter."""
        gradient = brush.gradient()
        if isinstance(gradient, QLinearGradient):
            name = f"gradient{len(self.definitions)}"
            start, end = gradient.start(), gradient.finalStop()
            stops = "".join(
                f'<stop offset="{_number(at)}"{_colour("stop", colour, "stop-color")}/>'
                for at, colour in gradient.stops()
            )
            self.definitions.append(
                f'<linearGradient id="{name}" gradientUnits="userSpaceOnUse" x1="{_number(start.x())}" '
                f'y1="{_number(start.y())}" x2="{_number(end.x())}" y2="{_number(end.y())}">{stops}</linearGradient>'
            )
            return f' fill="url(#{name})"'
        colour = QColor(brush.color())
        if brush.style() != Qt.BrushStyle.SolidPattern:
            colour.setAlphaF(colour.alphaF() / 2)
        return _colour("fill", colour)

    def _add_plain(self, opened: str, box: QRectF) -> None:
        """Add an element unless the clip hides all of it; ``box`` holds all that it draws, in logical coordinates."""
        painter = self.painter()
        shown = self._current_clip()
        seen = painter.transform().mapRect(box)
        if shown.hides(seen):
            return
        self._open_group("" if shown.holds(seen) else self._clip_name(shown.data))
        self._elements.append(f"{opened}{self._opacity()}{_placed(painter.transform())}/>")

    def _current_clip(self) -> _Clip:
        """Return the clip of the painter, which is asked again only when its state has changed."""
        if self._clip_is_old:
            painter = self.painter()
            self._clip = _Clip(painter.transform().map(painter.clipPath())) if painter.hasClipping() else _Clip()
            self._clip_is_old = False
        return self._clip

    def _clip_name(self, data: str) -> str:
        """Return the name of a clip, which is written when it is first used."""
        if data not in self._clips:
            self._clips[data] = name = f"clip{len(self._clips) + 1}"
            self.definitions.append(f'<clipPath id="{name}"><path d="{data}"/></clipPath>')
        return self._clips[data]

    def _open_group(self, clip: str) -> None:
        """Continue the group of elements with this clip, or begin one; "" is no group."""
        if clip == self._open_clip:
            return
        if self._open_clip:
            self._elements.append("</g>")
        if clip:
            self._elements.append(f'<g clip-path="url(#{clip})">')
        self._open_clip = clip


class _Clip:
    """What a painter may draw on, in the units of the figure; everything without a path."""

    def __init__(self, path: QPainterPath | None = None) -> None:
        self.path = path or QPainterPath()
        self._is_whole = path is None
        self._box = QRectF() if path is None else path.boundingRect()
        whole = QPainterPath()
        whole.addRect(self._box)
        self._is_box = path is not None and (whole - path).isEmpty()
        self.data = "" if path is None else _path_data(whole if self._is_box else path)

    def hides(self, box: QRectF) -> bool:
        """Return whether nothing of a box is drawn."""
        return not self._is_whole and not self._box.intersects(box)

    def holds(self, box: QRectF) -> bool:
        """Return whether all of a box is drawn."""
        return self._is_whole or (self._is_box and self._box.contains(box))


def _fill_rule(path: QPainterPath) -> str:
    """Return the fill rule as an attribute; "" for that of SVG."""
    return ' fill-rule="evenodd"' if path.fillRule() == Qt.FillRule.OddEvenFill else ""


def _stroke(pen: QPen) -> str:
    """Return the attributes of a stroke."""
    if pen.style() == Qt.PenStyle.NoPen:
        return ""
    width = pen.widthF() or 1.0
    found = _colour("stroke", pen.color())
    if width != 1:
        found += f' stroke-width="{_number(width)}"'
    if pen.isCosmetic():
        found += ' vector-effect="non-scaling-stroke"'
    if pen.capStyle() != Qt.PenCapStyle.FlatCap:
        found += f' stroke-linecap="{CAPS[pen.capStyle()]}"'
    if pen.joinStyle() in JOINS:
        found += f' stroke-linejoin="{JOINS[pen.joinStyle()]}"'
    if pen.style() != Qt.PenStyle.SolidLine:
        found += f' stroke-dasharray="{_numbers(length * width for length in pen.dashPattern())}"'
    return found


def _colour(kind: str, colour: QColor, attribute: str = "") -> str:
    """Return a colour and its opacity as attributes."""
    opacity = f' {kind}-opacity="{_number(colour.alphaF())}"' if colour.alpha() < 255 else ""
    return f' {attribute or kind}="{colour.name()}"{opacity}'


def _placed(transform: QTransform) -> str:
    """Return the transform of an element as an attribute; "" for none."""
    if transform.isIdentity():
        return ""
    if transform.type() == QTransform.TransformationType.TxTranslate:
        return f' transform="translate({_numbers((transform.dx(), transform.dy()), ",")})"'
    parts = (transform.m11(), transform.m12(), transform.m21(), transform.m22(), transform.dx(), transform.dy())
    return f' transform="matrix({",".join(f"{part:.6g}" for part in parts)})"'


def _path_data(path: QPainterPath) -> str:
    """Return a path in the syntax of SVG."""
    kinds = QPainterPath.ElementType
    pieces: list[str] = []
    for at in range(path.elementCount()):
        element = path.elementAt(at)
        place = f"{_number(element.x)} {_number(element.y)}"
        match element.type:
            case kinds.MoveToElement:
                pieces.append(f"M{place}")
            case kinds.LineToElement:
                pieces.append(f"L{place}")
            case kinds.CurveToElement:
                pieces.append(f"C{place}")
            case _:
                pieces.append(f" {place}")
    return "".join(pieces)


def _number(value: float) -> str:
    """Return a coordinate with at most three decimals."""
    if not math.isfinite(value):
        return "0"
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def _numbers(values: Iterable[float], separator: str = " ") -> str:
    """Return coordinates one after another."""
    return separator.join(map(_number, values))


def _encode_png(image: QImage) -> str:
    """Return an image as PNG in base64."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().toBase64().data()).decode()
