"""The points on show, which of them is chosen, and which are pinned for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, Signal

from antidiag.kernels.experiments.points import Point

MOST_PINNED = 4


class PointSet(QObject):
    """Points in the order in which they came; the newest of a key takes the place of an older one."""

    changed = Signal()
    chosen_changed = Signal()
    pinned_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._points: dict[tuple[str, str], Point] = {}
        self.title = ""
        self.search = False
        self.chosen: Point | None = None
        self.pinned: tuple[Point, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(self._points.values())

    @property
    def measured(self) -> tuple[Point, ...]:
        return tuple(point for point in self._points.values() if point.measured)

    def begin(self, title: str, points: Iterable[Point] = (), search: bool = False) -> None:
        """Show these and nothing else, those of a ``search`` or of a sweep; pinned points stay."""
        self._points = {}
        self.title, self.search = title, search
        self.choose(None)
        self.add(points)
        if not self._points:
            self.changed.emit()

    def add(self, points: Iterable[Point]) -> None:
        """More points."""
        new = list(points)
        self._points.update({(point.key, point.contender): point for point in new})
        if new:
            self.changed.emit()

    def renew(self, change: Callable[[Sequence[Point]], Sequence[Point]]) -> None:
        """Points that are the same but for what is now known of them; what is chosen or pinned stays so."""
        before = list({id(point): point for point in (*self.points, *self.pinned)}.values())
        after = {id(old): new for old, new in zip(before, change(before), strict=True)}
        self._points = {key: after[id(point)] for key, point in self._points.items()}
        self.pinned = tuple(after[id(point)] for point in self.pinned)
        self.chosen = after.get(id(self.chosen), self.chosen)
        self.changed.emit()
        self.chosen_changed.emit()

    def choose(self, point: Point | None) -> None:
        if point is not self.chosen:
            self.chosen = point
            self.chosen_changed.emit()

    def pin(self, point: Point) -> None:
        """Keep a point for comparison, or let it go; of too many the oldest goes."""
        kept = tuple(other for other in self.pinned if other is not point)
        self.pinned = kept if len(kept) < len(self.pinned) else (*self.pinned, point)[-MOST_PINNED:]
        self.pinned_changed.emit()
