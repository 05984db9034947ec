"""The shown points, the chosen one, and those pinned for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, Signal

from antidiag.kernels.experiments.point_data.points import MeasuredPoint

MAX_PINNED = 4


class PointSet(QObject):
    """Points in the order of their arrival; a newer point replaces an older one with the same key."""

    changed = Signal()
    chosen_changed = Signal()
    pinned_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._points: dict[tuple[str, str], MeasuredPoint] = {}
        self.title = ""
        self.is_search = False
        self.chosen: MeasuredPoint | None = None
        self.pinned: tuple[MeasuredPoint, ...] = ()

    @property
    def points(self) -> tuple[MeasuredPoint, ...]:
        """All points."""
        return tuple(self._points.values())

    @property
    def measured(self) -> tuple[MeasuredPoint, ...]:
        """The points that were measured."""
        return tuple(point for point in self._points.values() if point.has_times)

    def show_points(self, title: str, points: Iterable[MeasuredPoint] = (), search: bool = False) -> None:
        """Replace all points by those of a sweep or a ``search``; pinned points stay."""
        self._points = {}
        self.title, self.is_search = title, search
        self.choose_point(None)
        self.add_points(points)
        if not self._points:
            self.changed.emit()

    def add_points(self, points: Iterable[MeasuredPoint]) -> None:
        """Add points."""
        new = list(points)
        self._points.update({(point.key, point.contender): point for point in new})
        if new:
            self.changed.emit()

    def replace_points(self, change: Callable[[Sequence[MeasuredPoint]], Sequence[MeasuredPoint]]) -> None:
        """Replace every point by an updated one; the chosen and the pinned points stay so."""
        before = list({id(point): point for point in (*self.points, *self.pinned)}.values())
        after = {id(old): new for old, new in zip(before, change(before), strict=True)}
        self._points = {key: after[id(point)] for key, point in self._points.items()}
        self.pinned = tuple(after[id(point)] for point in self.pinned)
        self.chosen = after.get(id(self.chosen), self.chosen)
        self.changed.emit()
        self.chosen_changed.emit()

    def choose_point(self, point: MeasuredPoint | None) -> None:
        """Choose a point, or none."""
        if point is not self.chosen:
            self.chosen = point
            self.chosen_changed.emit()

    def toggle_pin(self, point: MeasuredPoint) -> None:
        """Pin or unpin a point; the oldest pinned point goes if there are too many."""
        kept = tuple(other for other in self.pinned if other is not point)
        self.pinned = kept if len(kept) < len(self.pinned) else (*self.pinned, point)[-MAX_PINNED:]
        self.pinned_changed.emit()
