"""Restores painters, also after an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPainter


@contextmanager
def saved_painter_state(painter: QPainter) -> Iterator[None]:
    """Restore the painter's state afterwards: Qt warns about a painter that ends with saved states."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()
