"""Pages that are made when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget


class Later(QWidget):
    """The place of a widget that is made when it is first asked for, so that nobody waits for what nobody sees.

    ``frame`` puts something around it, such as what scrolls it.
    """

    def __init__(self, make: Callable[[], QWidget], frame: Callable[[QWidget], QWidget] = lambda made: made) -> None:
        super().__init__()
        self._make, self._frame, self.made = make, frame, False
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)

    @cached_property
    def content(self) -> Any:
        found = self._make()
        framed = self._frame(found)
        self.layout().addWidget(framed)
        framed.show()  # which a layout that is on the screen does in the next turn of the loop only
        self.made = True
        return found
