"""Keeps objects for the items that the user viewed last."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Cached = TypeVar("Cached")


class RecentCache(Generic[Cached]):
    """Keeps what was created for the last items, such as an editor with its undo."""

    def __init__(self, most: int) -> None:
        self._known: deque[tuple[Any, Cached]] = deque(maxlen=most)

    def __contains__(self, owner: Any) -> bool:
        return any(known is owner for known, _ in self._known)

    def get_or_create(self, owner: Any, make: Callable[[], Cached]) -> Cached:
        """Return the object of an item, created if it is new or forgotten."""
        for known, made in self._known:
            if known is owner:
                return made
        new = make()
        self._known.append((owner, new))
        return new
