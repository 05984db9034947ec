"""What is chosen of an alignment: blocks of rows and columns, of which there may be several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class Block(NamedTuple):
    """The cells of these rows, by their numbers in the alignment, in these columns; bool masks."""

    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, eq=False)
class Choice:
    """Chosen cells, in blocks; ``rows`` and ``columns`` are masks of those that hold any, over a ``shape`` of all."""

    shape: tuple[int, ...]
    blocks: tuple[Block, ...] = ()

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Choice:
        return cls(shape)

    @classmethod
    def of(cls, rows: np.ndarray, columns: np.ndarray) -> Choice:
        """One block, or nothing where it holds no cell."""
        return cls((rows.size, columns.size)).add(rows, columns)

    @cached_property
    def rows(self) -> np.ndarray:
        return _union([block.rows for block in self.blocks], self.shape[0])

    @cached_property
    def columns(self) -> np.ndarray:
        return _union([block.columns for block in self.blocks], self.shape[1])

    @property
    def empty(self) -> bool:
        return not self.blocks

    @property
    def single(self) -> bool:
        """Whether the chosen cells are those of the chosen rows in the chosen columns: all of them."""
        return len(self.blocks) <= 1

    @property
    def whole_rows(self) -> bool:
        return bool(self.blocks) and all(block.columns.all() for block in self.blocks)

    def add(self, rows: np.ndarray, columns: np.ndarray) -> Choice:
        """With another block; blocks of the same columns, or of the same rows, become one."""
        if not (rows.any() and columns.any()):
            return self
        new, others = Block(rows, columns), []
        for block in self.blocks:
            if np.array_equal(block.columns, new.columns):
                new = Block(block.rows | new.rows, new.columns)
            elif np.array_equal(block.rows, new.rows):
                new = Block(new.rows, block.columns | new.columns)
            else:
                others.append(block)
        return Choice(self.shape, (*others, new))

    def on(self, rows: np.ndarray, columns: int) -> Choice:
        """The same cells in these rows alone, where there are so many ``columns`` now, no fewer; new columns are chosen
        where whole rows are."""
        kept = np.zeros(self.shape[0], bool)
        kept[rows] = True
        found = Choice.none((self.shape[0], columns))
        for block in self.blocks:
            wider = np.full(columns, bool(block.columns.all()))
            wider[: block.columns.size] = block.columns
            found = found.add(block.rows & kept, wider)
        return found

    def moved(self, steps: list[int]) -> Choice:
        """Each block that is no whole rows so many columns further right, as far as there are columns."""
        found = Choice.none(self.shape)
        for (rows, columns), by in zip(self.blocks, steps, strict=True):
            after = columns
            if by and not columns.all():
                places = np.flatnonzero(columns) + by
                after = np.zeros_like(columns)
                after[places[(places >= 0) & (places < columns.size)]] = True
            found = found.add(rows, after)
        return found

    def cells(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Whether the cells of these rows and columns, which are numbers, are chosen; bool (rows, columns)."""
        found = np.zeros((rows.size, columns.size), bool)
        for block in self.blocks:
            found |= block.rows[rows][:, None] & block.columns[columns]
        return found

    def holds(self, row: int, column: int) -> bool:
        return any(block.rows[row] and block.columns[column] for block in self.blocks)

    def stretches(self) -> list[tuple[int, int]]:
        """The chosen columns as half-open ranges."""
        return ranges(self.columns)


def ranges(mask: np.ndarray) -> list[tuple[int, int]]:
    """Half-open ranges of True."""
    if not mask.size:
        return []
    inside = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    edges = [*([0] if mask[0] else []), *inside.tolist(), *([mask.size] if mask[-1] else [])]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _union(masks: list[np.ndarray], size: int) -> np.ndarray:
    found = np.zeros(size, bool)
    for mask in masks:
        found |= mask
    found.setflags(write=False)
    return found
