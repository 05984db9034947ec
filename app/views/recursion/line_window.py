"""The visible part of a line."""

from __future__ import annotations


class LineWindow:
    """The visible part, from ``low`` to ``high``, of a line of ``size`` positions."""

    def __init__(self, size: float) -> None:
        self.size, self.low, self.high = size, 0.0, float(size)

    @property
    def width(self) -> float:
        """Return the width of the window, in lines."""
        return self.high - self.low

    def fit(self) -> None:
        """Show all lines."""
        self.low, self.high = 0.0, float(self.size)

    def zoom_at(self, factor: float, share: float, least: float) -> None:
        """Zoom around the position at a share of the visible part, which keeps at least ``least`` positions."""
        centre = self.low + share * self.width
        width = min(max(self.width / factor, min(least, self.size)), self.size)
        self._set_span(centre - share * width, width)

    def move_by(self, share: float) -> None:
        """Move by a share of the visible part."""
        self._set_span(self.low + share * self.width, self.width)

    def show_span(self, low: float, high: float) -> None:
        """Show a span of lines."""
        self._set_span(low, min(max(high - low, 1e-9), self.size))

    def _set_span(self, low: float, width: float) -> None:
        low = min(max(low, 0.0), self.size - width)
        self.low, self.high = low, low + width
