"""The undo history of an alignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from antidiag.kernels.alignments import block_edits, stored_changes
from antidiag.kernels.alignments.block_edits import LARGE_LETTERS
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.stored_changes import EditedAlignment
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree

MIN_HISTORY_BYTES, HISTORY_SHARE = 1 << 28, 4
"""Bytes that undo may keep, or this share of the letters if that is more; the oldest states go first."""


@dataclass(frozen=True, eq=False)
class AlignmentState:
    """An alignment, the order of its shown rows, int64, and the tree beside them."""

    alignment: AlignedSequences
    order: np.ndarray
    tree: Tree | None = None


class AlignmentEditor(QObject):
    """The states of one alignment, one of which is shown. ``state_changed`` is sent when another one is shown."""

    state_changed = Signal()

    def __init__(self, alignment: AlignedSequences) -> None:
        super().__init__()
        self.original = alignment
        self._first = AlignmentState(_tile_if_large(alignment), np.arange(len(alignment.names)))
        self._states: list[tuple[AlignmentState, str]] = [(self._first, "")]
        self._at = 0
        self._edited = False
        self._open = False

    @property
    def state(self) -> AlignmentState:
        """The present state."""
        return self._states[self._at][0]

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" for nothing."""
        return self._states[self._at][1] if self._at else ""

    @property
    def redo_text(self) -> str:
        """What redo would repeat; "" for nothing."""
        return self._states[self._at + 1][1] if self._at + 1 < len(self._states) else ""

    @property
    def has_original_letters(self) -> bool:
        """Whether no edit changed the letters; the row order may differ."""
        return self.state.alignment is self._first.alignment

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was ever edited."""
        return not self._edited

    @property
    def edits(self) -> dict[str, Any] | None:
        """The state as frozen data, an alignment or its changes; None for the original state."""
        state = self.state
        if self.has_original_letters and np.array_equal(state.order, self._first.order):
            return None
        if isinstance(state.alignment.letters, BlockedCells):
            return {"changes": EditedAlignment(state.alignment, self.original), "order": state.order}
        return {"alignment": state.alignment, "order": state.order}

    def restore_edits(self, edits: Mapping[str, Any]) -> None:
        """Continue from stored `edits`; InputError if they belong to another alignment."""
        changes, order = edits.get("changes"), np.asarray(edits["order"])
        changes = changes.stored_form() if isinstance(changes, EditedAlignment) else changes
        after = edits["alignment"] if changes is None else stored_changes.apply_changes(self.original, changes)
        if order.ndim != 1 or not np.isin(order, np.arange(len(after.names))).all():
            raise InputError("the stored changes belong to another alignment")
        self.apply_edit("earlier changes", after, order)

    def hold_tree(self, tree: Tree | None) -> None:
        """Put a stored tree beside the rows of the present state, which is no step of its own."""
        state, description = self._states[self._at]
        self._states[self._at] = replace(state, tree=tree), description

    def apply_edit(
        self, description: str, alignment: AlignedSequences, order: np.ndarray | None = None, merge: bool = False
    ) -> bool:
        """Go to a new state; return False if it equals the current one. ``merge``: undo takes it back together with the
        previous step if both have the same name and belong to one gesture."""
        after = replace(self.state, alignment=_tile_if_large(alignment))
        return self._go_to(description, after if order is None else replace(after, order=order), merge)

    def apply_tree(self, description: str, tree: Tree | None, order: np.ndarray) -> bool:
        """Go to another tree and the order of rows beside it, as `apply_edit`."""
        return self._go_to(description, replace(self.state, tree=tree, order=order), False)

    def _go_to(self, description: str, after: AlignmentState, merge: bool) -> bool:
        before = self.state
        same = after.alignment is before.alignment and after.tree is before.tree
        if same and np.array_equal(after.order, before.order):
            return False
        merged = merge and self._open and self._at > 0 and self.undo_text == description
        self._open = merge
        del self._states[self._at + (0 if merged else 1) :]
        self._states.append((after, description))
        self._at, self._edited = len(self._states) - 1, True
        self._compact_old_state()
        self._drop_old_states()
        self.state_changed.emit()
        return True

    def end_gesture(self) -> None:
        """End a gesture: the next edit is an undo step of its own."""
        self._open = False

    def undo(self) -> None:
        """Take back the last step."""
        self.end_gesture()
        if self.undo_text:
            self._at -= 1
            self.state_changed.emit()

    def redo(self) -> None:
        """Repeat the step taken back."""
        self.end_gesture()
        if self.redo_text:
            self._at += 1
            self.state_changed.emit()

    def _compact_old_state(self) -> None:
        """Reduce the state before the last one to its difference from the last."""
        if len(self._states) > 2:
            older, newer = (state.alignment for state, _ in self._states[-3:-1])
            for cells, after in zip(_cell_arrays(older), _cell_arrays(newer), strict=True):
                if isinstance(cells, BlockedCells) and isinstance(after, BlockedCells):
                    cells.keep_differences(after)

    def _drop_old_states(self) -> None:
        while len(self._states) > 2 and self._history_bytes() > max(
            MIN_HISTORY_BYTES, self.original.letters.nbytes // HISTORY_SHARE
        ):
            del self._states[0]
            self._at -= 1

    def _history_bytes(self) -> int:
        """Return the bytes of all states beyond the original alignment."""
        arrays = {}
        for state, _ in self._states:
            for cells in _cell_arrays(state.alignment):
                found = cells.held if isinstance(cells, BlockedCells) else () if cells is None else (cells,)
                arrays.update({id(array): array.nbytes for array in found})
        for cells in _cell_arrays(self.original):
            arrays.pop(id(cells), None)
        return sum(arrays.values())


def _cell_arrays(alignment: AlignedSequences) -> tuple[Any, Any, Any]:
    return alignment.letters, alignment.lower, alignment.dots


def _tile_if_large(alignment: AlignedSequences) -> AlignedSequences:
    return block_edits.to_blocks(alignment) if alignment.letters.size > LARGE_LETTERS else alignment
