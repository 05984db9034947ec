"""Selected cells of an alignment: blocks of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class CellBlock(NamedTuple):
    """Bool masks of the rows and of the columns of a block of cells."""

    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, eq=False)
class CellSelection:
    """Selected cells in blocks; ``rows`` and ``columns`` mask those that hold any selected cell."""

    shape: tuple[int, ...]
    blocks: tuple[CellBlock, ...] = ()

    @classmethod
    def select_nothing(cls, shape: tuple[int, ...]) -> CellSelection:
        """Select nothing."""
        return cls(shape)

    @classmethod
    def select_block(cls, rows: np.ndarray, columns: np.ndarray) -> CellSelection:
        """Select one block, or nothing if it holds no cell."""
        return cls((rows.size, columns.size)).add_block(rows, columns)

    @cached_property
    def rows(self) -> np.ndarray:
        """The mask of selected rows, bool (rows,)."""
        return _unite_masks([block.rows for block in self.blocks], self.shape[0])

    @cached_property
    def columns(self) -> np.ndarray:
        """The mask of selected columns, bool (columns,)."""
        return _unite_masks([block.columns for block in self.blocks], self.shape[1])

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected."""
        return not self.blocks

    @property
    def is_single_block(self) -> bool:
        """Whether the selected cells are one block."""
        return len(self.blocks) <= 1

    @property
    def has_whole_rows(self) -> bool:
        """Whether only whole rows are selected."""
        return bool(self.blocks) and all(block.columns.all() for block in self.blocks)

    def add_block(self, rows: np.ndarray, columns: np.ndarray) -> CellSelection:
        """Add a block; blocks with equal columns or equal rows become one."""
        if not (rows.any() and columns.any()):
            return self
        new, others = CellBlock(rows, columns), []
        for block in self.blocks:
            if np.array_equal(block.columns, new.columns):
                new = CellBlock(block.rows | new.rows, new.columns)
            elif np.array_equal(block.rows, new.rows):
                new = CellBlock(new.rows, block.columns | new.columns)
            else:
                others.append(block)
        return CellSelection(self.shape, (*others, new))

    def restrict_to(self, rows: np.ndarray, columns: int) -> CellSelection:
        """Keep the cells in these rows and widen the selection to ``columns`` columns; whole rows stay whole."""
        kept = np.zeros(self.shape[0], bool)
        kept[rows] = True
        found = CellSelection.select_nothing((self.shape[0], columns))
        for block in self.blocks:
            wider = np.full(columns, bool(block.columns.all()))
            wider[: block.columns.size] = block.columns
            found = found.add_block(block.rows & kept, wider)
        return found

    def move_blocks(self, steps: list[int]) -> CellSelection:
        """Move each block that is not whole rows by so many columns, as far as there are columns."""
        found = CellSelection.select_nothing(self.shape)
        for (rows, columns), by in zip(self.blocks, steps, strict=True):
            after = columns
            if by and not columns.all():
                places = np.flatnonzero(columns) + by
                after = np.zeros_like(columns)
                after[places[(places >= 0) & (places < columns.size)]] = True
            found = found.add_block(rows, after)
        return found

    def mask_cells(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return which cells of these rows and columns (numbers) are selected, bool (rows, columns)."""
        found = np.zeros((rows.size, columns.size), bool)
        for block in self.blocks:
            found |= block.rows[rows][:, None] & block.columns[columns]
        return found

    def holds_cell(self, row: int, column: int) -> bool:
        """Whether a cell is selected."""
        return any(block.rows[row] and block.columns[column] for block in self.blocks)

    def list_blocks(self) -> list[list[list[list[int]]]]:
        """Return the half-open ranges of rows and of columns of each block, as plain numbers."""
        return [[list(map(list, find_ranges(mask))) for mask in block] for block in self.blocks]

    @classmethod
    def from_blocks(cls, shape: tuple[int, ...], blocks: list[list[list[list[int]]]]) -> CellSelection:
        """Return the selection that `list_blocks` described; cells that are not there are left out."""
        found = cls(shape)
        for rows, columns in blocks:
            found = found.add_block(_mask_ranges(rows, shape[0]), _mask_ranges(columns, shape[1]))
        return found

    def column_ranges(self) -> list[tuple[int, int]]:
        """Return the selected columns as half-open ranges."""
        return find_ranges(self.columns)


def find_ranges(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return half-open ranges of True."""
    if not mask.size:
        return []
    inside = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    edges = [*([0] if mask[0] else []), *inside.tolist(), *([mask.size] if mask[-1] else [])]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _mask_ranges(ranges: list[list[int]], size: int) -> np.ndarray:
    found = np.zeros(size, bool)
    for first, last in ranges:
        found[max(first, 0) : max(last, 0)] = True
    return found


def _unite_masks(masks: list[np.ndarray], size: int) -> np.ndarray:
    found = np.zeros(size, bool)
    for mask in masks:
        found |= mask
    found.setflags(write=False)
    return found
