"""Column counts of an alignment: made at once if small, else on a thread, and updated after edits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.column_statistics import ColumnCounts, CountUpdate, count_columns
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.monitor import Monitor

MAX_LETTERS_AT_ONCE = 1 << 22
"""Most letters that are counted at once; larger alignments are counted on a thread."""
MAX_COLUMNS_AT_ONCE = 1 << 16
"""Most columns for which counts and column colours are made at once."""


class ColumnCounter:
    """The counts of the alignment counted last, from which those of an edited one are derived."""

    def __init__(self) -> None:
        self._alignment: AlignedSequences | None = None
        self._columns: ColumnCounts | None = None

    def store_counts(self, alignment: AlignedSequences, columns: ColumnCounts) -> None:
        """Store the counts of an alignment."""
        self._alignment, self._columns = alignment, columns

    def find_counts(self, alignment: AlignedSequences) -> ColumnCounts | None:
        """Return the counts if they are known or cheap to make, else None."""
        if self._alignment is not alignment:
            rows, columns = alignment.letters.shape
            if rows * columns <= MAX_LETTERS_AT_ONCE:
                self.store_counts(alignment, count_columns(alignment.letters, type=alignment.type))
                return self._columns
            # After a very large edit even finding the changed cells takes too long here.
            many = (
                isinstance(alignment.letters, BlockedCells)
                and alignment.letters.drafted * alignment.letters.width > MAX_LETTERS_AT_ONCE
            )
            recount = self._plan_recount(alignment) if columns <= MAX_COLUMNS_AT_ONCE and not many else None
            if recount is None or recount.cells > MAX_LETTERS_AT_ONCE:
                return None
            self.store_counts(alignment, replace(recount.columns(), type=alignment.type))
        return self._columns

    def counting_task(self, alignment: AlignedSequences) -> Callable[[Monitor], ColumnCounts]:
        """Return a function that counts an alignment on a thread."""
        before = ColumnCounter()
        before._alignment, before._columns = self._alignment, self._columns

        def counted(monitor: Monitor) -> ColumnCounts:
            recount = before._plan_recount(alignment)
            if recount is None:
                return count_columns(alignment.letters, monitor, alignment.type)
            return replace(recount.columns(monitor), type=alignment.type)

        return counted

    def _plan_recount(self, alignment: AlignedSequences) -> CountUpdate | None:
        """Return how the counts follow from the stored ones if the alignment is an edited form of that one."""
        old = self._alignment.letters if self._alignment is not None else None
        new = alignment.letters
        if not isinstance(old, BlockedCells) or not isinstance(new, BlockedCells) or self._columns is None:
            return None
        same = old.store is new.store and len(old) == len(new)
        return CountUpdate(self._columns, old, new) if same else None
