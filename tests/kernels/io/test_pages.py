"""Memory that is used again: never while somebody looks at it."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from antidiag.kernels.io import pages
from antidiag.kernels.io.tiles import AHEAD, Tiles


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_kept", {})


def test_memory_of_an_array_that_is_gone_is_used_again():
    first = pages.empty((3, pages.LEAST // 4), np.uint64)
    address = first.ctypes.data
    del first
    assert pages.empty((3, pages.LEAST // 4), np.uint64).ctypes.data == address


def test_memory_is_not_used_again_while_a_view_of_it_lives():
    first = pages.empty(2 * pages.LEAST)
    first[:] = 7
    seen = first.reshape(2, -1).view(np.uint64)[1:, 5:]
    address = first.ctypes.data
    del first
    gc.collect()
    other = pages.empty(2 * pages.LEAST)
    other[:] = 0
    assert other.ctypes.data != address and (seen == int.from_bytes(b"\7" * 8, "little")).all()


def test_memory_much_larger_than_what_is_asked_for_is_left_alone():
    first = pages.empty(int(pages.SLACK * 4 * pages.LEAST) + pages.LEAST)
    address = first.ctypes.data
    del first
    assert pages.empty(4 * pages.LEAST).ctypes.data != address


def test_no_more_is_kept_than_is_said():
    some = [pages.empty(pages.LARGEST) for _ in range(pages.MOST // pages.LARGEST + 2)]
    last = some[-1].ctypes.data
    while some:
        some.pop(0)
    assert sum(memory.size for memory in pages._kept.values()) <= pages.MOST and last in pages._kept


def test_small_arrays_are_not_kept_and_a_very_large_one_takes_no_place():
    pages.empty(pages.LEAST - 1)
    pages.empty(pages.LARGEST + 1)
    assert not pages._kept


def test_what_is_reserved_is_there_for_the_first_who_asks():
    pages.reserve(2 * pages.LEAST, 2)
    kept = set(pages._kept)
    some = [pages.empty(2 * pages.LEAST) for _ in range(2)]
    assert {array.ctypes.data for array in some} == kept and len(kept) == 2


def test_tiles_are_written_and_tables_copied_where_memory_is_kept():
    tiles = Tiles.of(np.full((3000, 1 << 16), ord("A"), np.uint8))
    rows, block = np.arange(3000), np.full((3000, 1), ord("C"), np.uint8)
    pages.reserve(tiles.table.nbytes)
    pages.reserve(rows.size * tiles.bytes)
    kept = set(pages._kept)
    after = tiles.with_cells(rows, 5, block)
    assert {after.table.ctypes.data, after.arrays[-1].ctypes.data} == kept
    assert (after[:, 5] == ord("C")).all() and (after[:, :5] == ord("A")).all() and (tiles[:, 5] == ord("A")).all()


def test_the_first_edits_of_an_alignment_find_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = Tiles.of(np.full((3000, 1 << 16), ord("A"), np.uint8))
    before = set(threading.enumerate())
    tiles.set_aside()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    kept = set(pages._kept)
    steps = [tiles.copied_table() for _ in range(1 + AHEAD)][1:]  # of which the first was copied already
    assert {table.ctypes.data for table in steps} == kept and len(kept) == AHEAD
