"""A text stream that protects against readers that never end, and that lets the user cancel."""

from __future__ import annotations

import io
import re
from contextlib import suppress

from antidiag.kernels.monitor import Monitor

MAX_EMPTY_READS = 1000
"""Reads at the end of the text that a reader may make."""
CHECK_LINES = 1000
"""Lines between two checks for cancelling."""


PHYLIP_HEADER = re.compile(r"^[^\S\n]*([-+]?[\d_]+)[^\S\n]+[-+]?[\d_]+[^\S\n]*$", re.MULTILINE)
"""A line that the reader of PHYLIP takes for the start of an alignment: rows and columns."""


def guard_text(text: str, format: str, monitor: Monitor | None = None) -> GuardedStream:
    """Return a text for Biopython's reader of a format.

    ValueError names a line at which the reader would never end: that of PHYLIP waits for the rows of an alignment that
    announces none, without looking at the file.
    """
    for header in PHYLIP_HEADER.finditer(text) if format.startswith("phylip") else ():
        if _announces_no_rows(header[1]):
            line = text.count("\n", 0, header.start()) + 1
            raise ValueError(f"line {line:,}: an alignment of {header[1]} rows")
    return GuardedStream(text, monitor)


def _announces_no_rows(number: str) -> bool:
    """Return whether a header announces fewer than one row."""
    with suppress(ValueError):
        return int(number) < 1
    return False


class EndlessReadError(Exception):
    """A reader waits for a line that never comes, as Biopython's reader of Clustal does for the first row of an
    alignment."""

    def __init__(self) -> None:
        super().__init__("the file ends too early")


class GuardedStream(io.StringIO):
    """A text that is read line by line; reading raises Cancelled where the user cancelled, Endless where it never
    ends."""

    def __init__(self, text: str, monitor: Monitor | None = None) -> None:
        super().__init__(text)
        self._monitor, self._asked, self._lines = monitor or Monitor(), 0, 0

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        """Return the next line, or "" at the end; raise after many reads at the end."""
        line = super().readline(-1 if size is None else size)
        self._lines += 1
        if self._lines % CHECK_LINES == 0:
            self._monitor.check()
        if not line:
            self._asked += 1
            if self._asked > MAX_EMPTY_READS:
                raise EndlessReadError
        return line

    def read(self, size: int | None = -1) -> str:
        """Return the rest of the text, or so many characters of it."""
        self._monitor.check()
        return super().read(-1 if size is None else size)
