"""Attributes and values of SVG elements as text."""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QImage, QPainterPath, QPen, QTransform

CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.SquareCap: "square", Qt.PenCapStyle.RoundCap: "round"}
JOINS = {Qt.PenJoinStyle.BevelJoin: "bevel", Qt.PenJoinStyle.RoundJoin: "round"}
DIGITS = 3
"""Decimals of coordinates."""


def fill_rule_attribute(path: QPainterPath) -> str:
    """Return the fill rule as an attribute; "" for that of SVG."""
    return ' fill-rule="evenodd"' if path.fillRule() == Qt.FillRule.OddEvenFill else ""


def stroke_attributes(pen: QPen) -> str:
    """Return the attributes of a stroke."""
    if pen.style() == Qt.PenStyle.NoPen:
        return ""
    width = pen.widthF() or 1.0
    found = colour_attributes("stroke", pen.color())
    if width != 1:
        found += f' stroke-width="{format_number(width)}"'
    if pen.isCosmetic():
        found += ' vector-effect="non-scaling-stroke"'
    if pen.capStyle() != Qt.PenCapStyle.FlatCap:
        found += f' stroke-linecap="{CAPS[pen.capStyle()]}"'
    if pen.joinStyle() in JOINS:
        found += f' stroke-linejoin="{JOINS[pen.joinStyle()]}"'
    if pen.style() != Qt.PenStyle.SolidLine:
        found += f' stroke-dasharray="{format_numbers(length * width for length in pen.dashPattern())}"'
    return found


def colour_attributes(kind: str, colour: QColor, attribute: str = "") -> str:
    """Return a colour and its opacity as attributes."""
    opacity = f' {kind}-opacity="{format_number(colour.alphaF())}"' if colour.alpha() < 255 else ""
    return f' {attribute or kind}="{colour.name()}"{opacity}'


def transform_attribute(transform: QTransform) -> str:
    """Return the transform of an element as an attribute; "" for none."""
    if transform.isIdentity():
        return ""
    if transform.type() == QTransform.TransformationType.TxTranslate:
        return f' transform="translate({format_numbers((transform.dx(), transform.dy()), ",")})"'
    parts = (transform.m11(), transform.m12(), transform.m21(), transform.m22(), transform.dx(), transform.dy())
    return f' transform="matrix({",".join(f"{part:.6g}" for part in parts)})"'


def path_data(path: QPainterPath) -> str:
    """Return a path in the syntax of SVG."""
    kinds = QPainterPath.ElementType
    pieces: list[str] = []
    for at in range(path.elementCount()):
        element = path.elementAt(at)
        place = f"{format_number(element.x)} {format_number(element.y)}"
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


def format_number(value: float) -> str:
    """Return a coordinate with at most three decimals."""
    if not math.isfinite(value):
        return "0"
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def format_numbers(values: Iterable[float], separator: str = " ") -> str:
    """Return coordinates one after another."""
    return separator.join(map(format_number, values))


def encode_png(image: QImage) -> str:
    """Return an image as PNG in base64."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().toBase64().data()).decode()
