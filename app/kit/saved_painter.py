"""Painters that are put back, also where drawing is given up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPainter


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """The painter is afterwards as before: one that ends with states of its own is complained of by Qt."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()
