"""The letters in the columns of an alignment, counted at once where that is little, else on a thread."""

from __future__ import annotations

from collections.abc import Callable

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns, Recount, count
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.monitor import Monitor

SMALL = 1 << 22
"""Letters that are counted at once; more are on a thread."""
WIDE = 1 << 16
"""Columns from which on colours that differ from one to the next, and counts, are made on a thread."""


class Counts:
    """The counts of the alignment that was counted last, from which those of an edited one follow."""

    def __init__(self) -> None:
        self._alignment: AlignedSequences | None = None
        self._columns: Columns | None = None

    def take(self, alignment: AlignedSequences, columns: Columns) -> None:
        """These are the counts of an alignment."""
        self._alignment, self._columns = alignment, columns

    def of(self, alignment: AlignedSequences) -> Columns | None:
        """The counts, where they are there or little is to be counted; else None."""
        if self._alignment is not alignment:
            rows, columns = alignment.letters.shape
            if rows * columns <= SMALL:
                self.take(alignment, count(alignment.letters))
                return self._columns
            # Where the last edit alone wrote so much, what differs from what was counted is not even looked for.
            many = isinstance(alignment.letters, Tiles) and alignment.letters.drafted * alignment.letters.width > SMALL
            recount = self._recount(alignment) if columns <= WIDE and not many else None
            if recount is None or recount.cells > SMALL:
                return None
            self.take(alignment, recount.columns())
        return self._columns

    def work(self, alignment: AlignedSequences) -> Callable[[Monitor], Columns]:
        """What counts an alignment on a thread."""
        before = Counts()
        before._alignment, before._columns = self._alignment, self._columns

        def counted(monitor: Monitor) -> Columns:
            recount = before._recount(alignment)
            return count(alignment.letters, monitor) if recount is None else recount.columns(monitor)

        return counted

    def _recount(self, alignment: AlignedSequences) -> Recount | None:
        """How the counts follow from those that are there, where the alignment was made by edits of that one."""
        old = self._alignment.letters if self._alignment is not None else None
        new = alignment.letters
        if not isinstance(old, Tiles) or not isinstance(new, Tiles) or self._columns is None:
            return None
        same = old.arrays[0] is new.arrays[0] and len(old) == len(new)
        return Recount(self._columns, old, new) if same else None
