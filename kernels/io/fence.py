"""Text for readers that others keep: they hear the wish to cancel, and one that never ends at the end is stopped."""

from __future__ import annotations

import io
import re
from contextlib import suppress

from antidiag.kernels.monitor import Monitor

PATIENCE = 1000
"""How often a reader may ask for more where there is no more."""
LINES = 1000
"""Lines between two looks at the wish to cancel."""


HEADER = re.compile(r"^[^\S\n]*([-+]?[\d_]+)[^\S\n]+[-+]?[\d_]+[^\S\n]*$", re.MULTILINE)
"""A line that the reader of PHYLIP takes for the start of an alignment: how many rows, and how many columns."""


def fenced(text: str, format: str, monitor: Monitor | None = None) -> Fenced:
    """A text for Biopython's reader of a format; ValueError, with the line, for what this reader would never end with.

    That of PHYLIP waits for the rows of an alignment that has none, without a look at the file.
    """
    for header in HEADER.finditer(text) if format.startswith("phylip") else ():
        if _without_rows(header[1]):
            line = text.count("\n", 0, header.start()) + 1
            raise ValueError(f"line {line:,}: an alignment of {header[1]} rows")
    return Fenced(text, monitor)


def _without_rows(number: str) -> bool:
    with suppress(ValueError):
        return int(number) < 1
    return False


class Endless(Exception):
    """A reader waits for a line that never comes, as that of Clustal does for the first row of an alignment."""

    def __init__(self) -> None:
        super().__init__("the file ends too early")


class Fenced(io.StringIO):
    """A text that is read line by line: Cancelled where the user asked to stop, Endless where a reader does not end."""

    def __init__(self, text: str, monitor: Monitor | None = None) -> None:
        super().__init__(text)
        self._monitor, self._asked, self._lines = monitor or Monitor(), 0, 0

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        """The next line; "" at the end, a thousand times."""
        line = super().readline(-1 if size is None else size)
        self._lines += 1
        if self._lines % LINES == 0:
            self._monitor.check()
        if not line:
            self._asked += 1
            if self._asked > PATIENCE:
                raise Endless
        return line

    def read(self, size: int | None = -1) -> str:
        """The rest of the text, or so many letters of it."""
        self._monitor.check()
        return super().read(-1 if size is None else size)
