"""What was made for the things that a person looked at last."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """What was made for each of so many things, such as an editor with its undo, while others are shown."""

    def __init__(self, most: int) -> None:
        self._known: deque[tuple[Any, Made]] = deque(maxlen=most)

    def __contains__(self, owner: Any) -> bool:
        return any(known is owner for known, _ in self._known)

    def of(self, owner: Any, make: Callable[[], Made]) -> Made:
        """What was made for a thing, if that is not too long ago; made now where it was not."""
        for known, made in self._known:
            if known is owner:
                return made
        new = make()
        self._known.append((owner, new))
        return new
