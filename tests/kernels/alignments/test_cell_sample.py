"""Pictures of very many columns that are painted from a sample show cells of the alignment as it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import cell_pixels
from antidiag.kernels.alignments.blocked_cells import NEW_COLUMN, BlockedCells
from antidiag.kernels.alignments.cell_sample import SAMPLE_STEP, CellSample, update_sample
from antidiag.kernels.alignments.column_statistics import CLASSES, LETTER_CLASS
from antidiag.kernels.alignments.cpu_blocks import BLOCK_WIDTH
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from tests.example_counts import try_examples

EMPTY = 0x123456


def letters_of(seed: int, rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(ord("A"), ord("Z") + 1, (rows, columns), dtype=np.uint8)


def looked_at(places: np.ndarray, left: int, right: int) -> int:
    """The column of a pixel: the middle, or one of the sample beside it."""
    middle = (left + right - 1) // 2
    column = middle - int(places[middle]) % SAMPLE_STEP
    column = column if column >= left else column + SAMPLE_STEP
    return column if column < right and places[column] % SAMPLE_STEP == 0 else middle


def by_cells(
    tiles: BlockedCells, order: np.ndarray, rows: np.ndarray, columns: np.ndarray, colours: np.ndarray
) -> np.ndarray:
    """The picture, a cell at a time; ``colours`` uint8 (columns, CLASSES)."""
    letters, (count, width) = tiles[:], (order.size, tiles.shape[1])
    found = np.full((rows.size - 1, columns.size - 1), EMPTY | 0xFF000000, np.uint32)
    for y, (top, below) in enumerate(pairwise(rows)):
        for x, (left, right) in enumerate(pairwise(columns)):
            if top < count and left < width:
                row = order[(top + max(below, top + 1) - 1) // 2]
                column = looked_at(tiles.places, left, right)
                found[y, x] = 0xFF000000 | int(colours[column % len(colours), LETTER_CLASS[letters[row, column]]])
    return found


def painted(
    tiles: BlockedCells, order: np.ndarray, rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, sample: CellSample
) -> np.ndarray:
    """The same by the sample: colour n is blue of n."""
    palette = np.zeros((256, 3), np.uint8)
    palette[:, 2] = np.arange(256)
    picture = np.zeros((rows.size - 1, columns.size - 1), np.uint32)
    cell_pixels.paint_sample(tiles, order, rows, columns, codes, palette, EMPTY, picture, sample, sample.kept(tiles))
    return picture


def edited(tiles: BlockedCells, draw: st.DrawFn) -> BlockedCells:
    """Other cells, columns or rows, or one more row behind them."""
    random = np.random.default_rng(draw(st.integers(0, 99)))
    columns = np.arange(tiles.shape[1])
    kind = draw(st.integers(0, 4))
    if kind == 0:
        block = random.integers(ord("A"), ord("Z"), (1, BLOCK_WIDTH), dtype=np.uint8)
        return tiles.with_cells(
            random.integers(0, len(tiles), 1), int(random.integers(0, columns.size - BLOCK_WIDTH)), block
        )
    if kind == 1:
        return tiles.with_columns(np.insert(columns, random.integers(0, columns.size, 40), NEW_COLUMN))
    if kind == 2:
        return tiles.with_columns(np.delete(columns, random.integers(0, columns.size, 40)))
    if kind == 3:
        return tiles.with_rows(random.permutation(len(tiles))[: max(1, len(tiles) - 1)])
    return tiles.with_lines(letters_of(7, 1, columns.size))


@given(st.data(), st.integers(1, 4), st.integers(2 * BLOCK_WIDTH, 3 * BLOCK_WIDTH + 5), st.booleans())
@try_examples(60, deadline=None)
def test_pixels_are_cells_whatever_was_edited_after_the_sample(
    data: st.DataObject, rows: int, columns: int, of_columns: bool
) -> None:
    tiles = BlockedCells.of(letters_of(rows, rows, columns))
    sample = CellSample(tiles, Monitor())
    for _ in range(data.draw(st.integers(0, 3))):
        tiles = edited(tiles, data.draw)
    order = np.array(data.draw(st.permutations(range(len(tiles)))))
    shape = len(order), tiles.shape[1]
    size = 1 / data.draw(st.floats(SAMPLE_STEP, 300))
    first = data.draw(st.floats(0, shape[1] / 2))
    across = cell_pixels.pixel_edges(first, size, data.draw(st.integers(1, 90)), shape[1])
    down = cell_pixels.pixel_edges(0, data.draw(st.sampled_from((0.4, 1.0, 2.3))), 7, shape[0])
    codes = np.random.default_rng(5).integers(0, 256, (shape[1] if of_columns else 1, CLASSES), dtype=np.uint8)
    found = painted(tiles, order, down, across, codes, sample)
    assert np.array_equal(found, by_cells(tiles, order, down, across, codes))


def test_a_sample_is_read_instead_of_the_cells() -> None:
    tiles = BlockedCells.of(letters_of(1, 3, 3 * BLOCK_WIDTH))
    sample = CellSample(tiles, Monitor())
    assert np.array_equal(sample.cells, tiles[:, ::SAMPLE_STEP])
    sample.cells[:] = ord("Q")
    codes = np.zeros((1, CLASSES), np.uint8)
    codes[0, LETTER_CLASS[ord("Q")]] = 9
    across, down = cell_pixels.pixel_edges(0, 1 / 100, 30, 3 * BLOCK_WIDTH), cell_pixels.pixel_edges(0, 1, 3, 3)
    assert (painted(tiles, np.arange(3), down, across, codes, sample) == 0xFF000009).all()
    # Of another tile the sample says nothing.
    tiles = tiles.with_cells(np.arange(1), BLOCK_WIDTH, np.full((1, BLOCK_WIDTH), ord("-"), np.uint8))
    assert (painted(tiles, np.arange(3), down, across, codes, sample)[0, 11:20] == 0xFF000000).all()


def test_a_sample_stays_until_it_is_one_of_few_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = letters_of(2, 4, 4 * BLOCK_WIDTH - 9)
    sample = update_sample(None, letters, Monitor())
    tiles = BlockedCells.of(letters)
    assert update_sample(sample, letters, Monitor()) is sample
    some = tiles.with_cells(np.arange(4), 0, letters[:, :BLOCK_WIDTH][::-1].copy())
    assert update_sample(sample, some, Monitor()) is sample
    many = some.with_cells(np.arange(4), BLOCK_WIDTH, letters[:, :BLOCK_WIDTH])
    another = update_sample(sample, many, Monitor())
    assert another is not sample and np.array_equal(another.cells, many[:, ::SAMPLE_STEP])
    assert update_sample(sample, tiles.with_rows(np.array([3, 0, 1, 2])), Monitor()) is not sample
    stopped = Monitor()
    stopped.cancel()
    with pytest.raises(Cancelled):
        update_sample(None, letters, stopped)


def test_the_blocks_that_were_sampled_are_given_to_no_other_cells() -> None:
    tiles = BlockedCells.of(letters_of(3, 2, 2 * BLOCK_WIDTH)).with_cells(
        np.arange(2), 5, np.full((2, 9), ord("W"), np.uint8)
    )
    sample = CellSample(tiles, Monitor())
    assert sample._written == tiles.written and len(tiles.written) == 1


def test_a_sample_says_nothing_of_other_arrays() -> None:
    one, other = (BlockedCells.of(letters_of(seed, 2, 2 * BLOCK_WIDTH)) for seed in (3, 4))
    assert not CellSample(one, Monitor()).kept(other).any()
    again = BlockedCells.of(one.store.array).with_cells(np.arange(1), 5, np.full((1, 9), ord("W"), np.uint8))
    edited = one.with_cells(np.arange(1), 5, np.full((1, 9), ord("V"), np.uint8))
    assert CellSample(edited, Monitor()).kept(again).tolist() == [[False, True], [True, True]]
