"""A paint device that writes SVG which browsers, Inkscape and Qt draw alike.

`QSvgGenerator` forgets to restore clips, and names fonts that other programs do not have. Here every element gets the
clip that the painter has at that moment, and text is written as outlines, each different text once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
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

from antidiag.app.kit.figures.svg_attributes import (
    colour_attributes,
    encode_png,
    fill_rule_attribute,
    format_number,
    path_data,
    stroke_attributes,
    transform_attribute,
)

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
        """Return a measure of the drawing, in the unit that Qt asks for (virtual of QPaintDevice)."""
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
        """Begin a drawing (virtual of QPaintEngine)."""
        return True

    def end(self) -> bool:
        """End a drawing (virtual of QPaintEngine)."""
        return True

    def type(self) -> QPaintEngine.Type:
        """Return that this engine writes SVG (virtual of QPaintEngine)."""
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
            place = f'<rect x="{format_number(box.x())}" y="{format_number(box.y())}" '
            path = QPainterPath()
            path.addRect(box)
            self._add(f'{place}width="{format_number(box.width())}" height="{format_number(box.height())}"', path)

    @_keep_failure
    def drawPolygon(self, points: Sequence[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:
        places = " ".join(f"{format_number(point.x())},{format_number(point.y())}" for point in points)
        path = QPainterPath()
        path.addPolygon(QPolygonF(points))
        if mode == QPaintEngine.PolygonDrawMode.PolylineMode:
            self._add(f'<polyline points="{places}"', path, fills=False)
            return
        path.closeSubpath()
        if mode != QPaintEngine.PolygonDrawMode.OddEvenMode:
            path.setFillRule(Qt.FillRule.WindingFill)
        self._add(f'<polygon points="{places}"{fill_rule_attribute(path)}', path)

    @_keep_failure
    def drawEllipse(self, box: QRectF) -> None:
        path, centre = QPainterPath(), QRectF(box).center()
        path.addEllipse(box)
        radii = f'rx="{format_number(box.width() / 2)}" ry="{format_number(box.height() / 2)}"'
        self._add(f'<ellipse cx="{format_number(centre.x())}" cy="{format_number(centre.y())}" {radii}', path)

    @_keep_failure
    def drawPath(self, path: QPainterPath) -> None:
        self._add(f'<path d="{path_data(path)}"{fill_rule_attribute(path)}', path)

    @_keep_failure
    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:
        name, outline = self._outline(item.font(), item.text())
        if not name:  # blanks have no outline
            return
        label, colour = f' aria-label="{escape(item.text())}"', self.painter().pen().color()
        path = outline.translated(place)
        if self._clips_shape(path.boundingRect(), path):
            self._add_clipped(path, colour_attributes("fill", colour) + label)
            return
        at = f'x="{format_number(place.x())}" y="{format_number(place.y())}"'
        self._add_plain(
            f'<use xlink:href="#{name}"{label} {at}{colour_attributes("fill", colour)}', path.boundingRect()
        )

    @_keep_failure
    def drawImage(self, target: QRectF, image: QImage, source: QRectF, flags: Qt.ImageConversionFlag) -> None:
        part = source.toAlignedRect()
        shown = image if part == image.rect() else image.copy(part)
        smooth = self.painter().testRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        kept = "" if smooth else ' style="image-rendering:pixelated" image-rendering="optimizeSpeed"'
        place = f'x="{format_number(target.x())}" y="{format_number(target.y())}"'
        size = f'width="{format_number(target.width())}" height="{format_number(target.height())}"'
        self._add_plain(
            f'<image {place} {size} preserveAspectRatio="none"{kept} '
            f'xlink:href="data:image/png;base64,{encode_png(shown)}"',
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
                self.definitions.append(f'<path id="{name}" fill-rule="nonzero" d="{path_data(path)}"/>')
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
            self._add_plain(f"{opened}{fill}{stroke_attributes(pen)}{edges}", box)
            return
        if 'fill="none"' not in fill:
            self._add_clipped(path, fill + edges)
        if pen.style() != Qt.PenStyle.NoPen:
            self._add_clipped_stroke(path, pen, edges)

    def _clips_shape(self, box: QRectF, path: QPainterPath) -> bool:
        """Return whether the clip cuts a shape simple enough to be cut here: not every program draws SVG's clips."""
        clip = self._current_clip()
        seen = self.painter().transform().mapRect(box)
        return not (clip.holds(seen) or clip.hides(seen)) and path.elementCount() <= MOST_CUT

    def _add_clipped_stroke(self, path: QPainterPath, pen: QPen, edges: str) -> None:
        """Add what the clip leaves of a line; a cosmetic pen is as wide as it says in the units of the figure."""
        attributes = colour_attributes("fill", pen.color()) + edges
        if not pen.isCosmetic():
            self._add_clipped(QPainterPathStroker(pen).createStroke(path), attributes)
            return
        drawn = QPen(pen)
        drawn.setWidthF(max(pen.widthF(), 1.0))
        stroke = QPainterPathStroker(drawn).createStroke(self.painter().transform().map(path))
        self._add_clipped(stroke, attributes, QTransform())

    def _add_clipped(self, path: QPainterPath, attributes: str, own_transform: QTransform | None = None) -> None:
        """Add what the clip leaves of a shape, without a stroke; its transform is the painter's unless it has one."""
        transform = self.painter().transform() if own_transform is None else own_transform
        inverted, can_invert = transform.inverted()
        left = path.intersected(inverted.map(self._current_clip().path)) if can_invert else QPainterPath()
        if not left.isEmpty():
            data = f'<path d="{path_data(left)}"{fill_rule_attribute(left)}'
            self._open_group("")
            self._elements.append(f"{data}{attributes}{self._opacity()}{transform_attribute(transform)}/>")

    def _opacity(self) -> str:
        """Return the painter's opacity as an attribute; "" where it is 1."""
        value = self.painter().opacity()
        return f' opacity="{format_number(value)}"' if value < 1 else ""

    def _fill(self, brush: QBrush) -> str:
        """Return the attributes of a fill: a colour, or a linear gradient; other patterns are their colour, lighter."""
        gradient = brush.gradient()
        if isinstance(gradient, QLinearGradient):
            name = f"gradient{len(self.definitions)}"
            ends = {"x1": gradient.start().x(), "y1": gradient.start().y()}
            ends |= {"x2": gradient.finalStop().x(), "y2": gradient.finalStop().y()}
            places = " ".join(f'{key}="{format_number(value)}"' for key, value in ends.items())
            stops = "".join(
                f'<stop offset="{format_number(at)}"{colour_attributes("stop", colour, "stop-color")}/>'
                for at, colour in gradient.stops()
            )
            self.definitions.append(
                f'<linearGradient id="{name}" gradientUnits="userSpaceOnUse" {places}>{stops}</linearGradient>'
            )
            return f' fill="url(#{name})"'
        colour = QColor(brush.color())
        if brush.style() != Qt.BrushStyle.SolidPattern:
            colour.setAlphaF(colour.alphaF() / 2)
        return colour_attributes("fill", colour)

    def _add_plain(self, opened: str, box: QRectF) -> None:
        """Add an element unless the clip hides all of it; ``box`` holds all that it draws, in logical coordinates."""
        painter = self.painter()
        shown = self._current_clip()
        seen = painter.transform().mapRect(box)
        if shown.hides(seen):
            return
        self._open_group("" if shown.holds(seen) else self._clip_name(shown.data))
        self._elements.append(f"{opened}{self._opacity()}{transform_attribute(painter.transform())}/>")

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
        self.data = "" if path is None else path_data(whole if self._is_box else path)

    def hides(self, box: QRectF) -> bool:
        """Return whether nothing of a box is drawn."""
        return not self._is_whole and not self._box.intersects(box)

    def holds(self, box: QRectF) -> bool:
        """Return whether all of a box is drawn."""
        return self._is_whole or (self._is_box and self._box.contains(box))
