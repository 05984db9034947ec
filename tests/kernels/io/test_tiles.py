"""Edits of tiles are those of arrays, and cost what they touch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import (
    aligned_columns,
    aligned_edits,
    aligned_rows,
    aligned_search,
    tiled_changes,
    tiled_edits,
    tiles,
)
from antidiag.kernels.io.aligned import AlignedSequences, as_written, made, unaligned
from antidiag.kernels.io.alignment_files.rows import Annotations
from antidiag.kernels.io.cpu_tiles import WIDTH
from antidiag.kernels.io.tiles import Draft, Tiles
from antidiag.kernels.model import SequenceType
from antidiag.kernels.serialization import decode, encode

WIDTHS = st.one_of(st.integers(1, 12), st.integers(WIDTH - 3, WIDTH + 3), st.integers(2 * WIDTH - 2, 2 * WIDTH + 2))
Edit = Callable[[AlignedSequences], AlignedSequences]


@st.composite
def alignments(draw: st.DrawFn) -> AlignedSequences:
    """Rows with many gaps, in plain letters, or with lower case and dots, and with annotation."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    rows, columns = draw(st.integers(1, 6)), draw(WIDTHS)
    alphabet = draw(st.sampled_from((b"ACGT--", b"ACGTacgt-.--")))
    letters = random.choice(np.frombuffer(alphabet, np.uint8), (rows, columns))
    marks = "".join(random.choice(list("HEC"), columns))
    said = ((0, "MAF", f"10 {columns} + 90000"),) if draw(st.booleans()) else ()
    notes = Annotations(of_rows=said, of_columns=(("SS", marks),), of_letters=((rows - 1, "PP", marks),))
    names = tuple(f"r{row}" for row in range(rows))
    blank = AlignedSequences(names, np.empty((0, 0), np.uint8), SequenceType.DNA, annotations=notes)
    return made(blank, letters)


def edits(draw: st.DrawFn, rows: int, columns: int) -> Edit:
    """One edit of an alignment of this size."""
    chosen = np.array(sorted(draw(st.sets(st.integers(0, rows - 1), min_size=1))))
    at, count = draw(st.integers(0, columns - 1)), draw(st.integers(1, 5))
    last = draw(st.integers(at + 1, min(columns, at + 50)))
    by = draw(st.integers(-6, 6).filter(bool))
    mask = np.zeros(columns, bool)
    mask[at:last] = True
    cells = np.zeros((rows, columns), bool)
    cells[np.ix_(chosen, np.flatnonzero(mask))] = True
    order = np.array(draw(st.permutations(range(rows))))[: draw(st.integers(1, rows))]
    every: tuple[Edit, ...] = (
        lambda found: aligned_edits.insert_gaps(found, chosen, at, count),
        lambda found: aligned_edits.delete_gaps(found, chosen, at, count),
        lambda found: aligned_edits.move(found, chosen, at, last, by),
        lambda found: aligned_edits.insert_columns(found, at, count),
        lambda found: aligned_edits.delete_columns(found, mask),
        lambda found: aligned_edits.delete_columns(found, aligned_edits.sparse_columns(found, 0.4)),
        lambda found: aligned_edits.take_rows(found, order),
        lambda found: aligned_edits.degap(found, chosen),
        lambda found: aligned_edits.set_letters(found, chosen, mask, "N"),
        lambda found: aligned_edits.with_gaps(found, cells),
        lambda found: aligned_edits.with_block(found, chosen, at, last, _shifted(found, chosen, at, last, count)),
        aligned_edits.reverse_complement,
    )
    return every[draw(st.integers(0, len(every) - 1))]


def _shifted(found: AlignedSequences, rows: np.ndarray, first: int, last: int, by: int) -> np.ndarray:
    """The cells of rows in some columns, with gaps before them."""
    return np.pad(found.letters[rows, first:last], ((0, 0), (by, 0)), constant_values=ord("-"))


def after(edit: Edit, found: AlignedSequences) -> AlignedSequences | str:
    try:
        return tiled_edits.tiled(edit(found)) if isinstance(found.letters, Tiles) else edit(found)
    except InputError as error:
        return str(error)


def same(tiles: AlignedSequences, arrays: AlignedSequences) -> None:
    assert isinstance(tiles.letters, Tiles) and isinstance(arrays.letters, np.ndarray)
    assert tiles.names == arrays.names and tiles.annotations == arrays.annotations
    assert np.array_equal(tiles.letters, arrays.letters)
    assert np.array_equal(as_written(tiles), as_written(arrays))


@settings(max_examples=150, deadline=None)
@given(found=alignments(), data=st.data())
def test_edits_of_tiles_are_those_of_arrays_and_leave_those_before(found, data):
    arrays, states = found, [(tiled_edits.tiled(found), found)]
    for _ in range(data.draw(st.integers(1, 5))):
        edit = edits(data.draw, *arrays.letters.shape)
        tiles, wanted = after(edit, states[-1][0]), after(edit, arrays)
        if isinstance(wanted, str):
            assert tiles == wanted
            continue
        arrays = wanted
        states.append((tiles, arrays))
    for (older, _), (newer, _) in pairwise(states):
        older.letters.lean(newer.letters)
    for tiles, wanted in states:
        same(tiles, wanted)
    flat = tiled_edits.flat(states[-1][0])
    assert np.array_equal(flat.letters, arrays.letters) and np.array_equal(as_written(flat), as_written(arrays))


@settings(max_examples=60, deadline=None)
@given(found=alignments(), data=st.data())
def test_gaps_and_moves_never_change_the_sequences(found, data):
    rows, columns = found.letters.shape
    tiles = tiled_edits.tiled(found)
    before = [one.letters for one in unaligned(tiles)]
    for _ in range(4):
        chosen = np.array(sorted(data.draw(st.sets(st.integers(0, rows - 1), min_size=1))))
        at, count = data.draw(st.integers(0, columns - 1)), data.draw(st.integers(1, 4))
        last = data.draw(st.integers(at + 1, min(columns, at + 40)))
        tiles = data.draw(st.sampled_from((
            lambda: aligned_edits.insert_gaps(tiles, chosen, at, count),  # noqa: B023 # called at once
            lambda: aligned_edits.delete_gaps(tiles, chosen, at, count),  # noqa: B023
            lambda: aligned_edits.move(tiles, chosen, at, last, count),  # noqa: B023
            lambda: aligned_edits.insert_columns(tiles, at, count),  # noqa: B023
        )))()  # fmt: skip
        assert [one.letters for one in unaligned(tiles)] == before


@settings(max_examples=80, deadline=None)
@given(found=alignments(), data=st.data())
def test_counts_follow_edits_there_and_back_and_changes_are_kept_as_data(found, data):
    states = [tiled_edits.tiled(found)]
    for _ in range(data.draw(st.integers(1, 4))):
        before = states[data.draw(st.integers(0, len(states) - 1))]
        edited = after(edits(data.draw, *before.letters.shape), before)
        if not isinstance(edited, str):
            states.append(edited)
    for old in states:
        counted = aligned_columns.count(old.letters)
        for new in states:
            if len(old.names) == len(new.names) and old.letters.arrays[0] is new.letters.arrays[0]:
                recount = aligned_columns.Recount(counted, old.letters, new.letters)
                assert np.array_equal(recount.columns().counts, aligned_columns.count(new.letters).counts)
                assert recount.cells <= new.letters.size
                width = max(one.letters.table.shape[1] for one in (old, new))
                apart = np.nonzero(old.letters.table_of(width) != new.letters.table_of(width))
                known = old.letters.otherwise(new.letters)
                assert sorted(zip(*known, strict=True)) == list(zip(*apart, strict=True))
        kept = _through_a_file(tiled_changes.Edited(old, found))
        assert (kept.letters.base is None) == (old.letters.arrays[0] is found.letters)
        again = tiled_changes.changed(found, kept)
        assert again.names == old.names and again.annotations == old.annotations
        assert np.array_equal(as_written(again), as_written(old))


def test_what_a_draft_made_is_known_without_comparing_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Tiles.of(np.full((9, 3 * WIDTH), ord("A"), np.uint8))
    draft = Draft(before)
    for rows in (np.array([7, 2]), np.array([2, 8])):  # row 2 twice, with other cells
        draft.put(rows, WIDTH, np.full((2, 5), ord("C") + rows[0], np.uint8))
    edited = draft.tiles()
    monkeypatch.setattr(Tiles, "table_of", None)
    for one, other in ((before, edited), (edited, before)):
        rows, places = one.otherwise(other)
        assert rows.tolist() == [2, 7, 8] and places.tolist() == [1, 1, 1]


def test_a_table_that_was_set_aside_is_that_of_one_draft_alone() -> None:
    letters = np.full((4, 2 * WIDTH), ord("A"), np.uint8)
    before = Tiles.of(letters)
    before.set_aside()
    (aside,) = before._spare
    first, second = (before.with_cells(np.array([row]), 3, np.full((1, 2), ord("C"), np.uint8)) for row in (0, 1))
    assert first.table is aside and second.table is not aside and second.table is not before.table
    for row, edited in enumerate((first, second)):
        wanted = letters.copy()
        wanted[row, 3:5] = ord("C")
        assert np.array_equal(edited[:], wanted)
    assert np.array_equal(before[:], letters)


def _through_a_file(value: Any) -> Any:
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    return decode(json.loads(json.dumps(encode(value, put))), lambda place: arrays[place].copy())


def test_changes_of_another_alignment_are_refused():
    letters = np.full((3, 9), ord("A"), np.uint8)
    found = made(AlignedSequences(("a", "b", "c"), letters, SequenceType.DNA), letters)
    told = tiled_changes.changes(aligned_edits.insert_columns(tiled_edits.tiled(found), 2), found)
    fewer = aligned_edits.take_rows(found, np.array([0]))
    with pytest.raises(InputError, match="those of another one"):
        tiled_changes.changed(fewer, told)
    wrong = replace(told, letters=replace(told.letters, places=told.letters.places + 5 * WIDTH))
    with pytest.raises(InputError, match="those of another one"):
        tiled_changes.changed(found, wrong)


def test_arrays_are_kept_while_a_tile_of_theirs_is_in_the_table(monkeypatch):
    monkeypatch.setattr(tiles, "MANY", 2)
    letters = np.full((4, 3 * WIDTH), ord("A"), np.uint8)
    found = Tiles.of(letters)
    for step in range(20):
        row, column = step % 3, step * 7 % 2 * WIDTH
        found = found.with_cells(np.array([row]), column, np.full((1, 3), ord("C") + step, np.uint8))
        spans = [(array.ctypes.data, array.ctypes.data + array.nbytes) for array in found.arrays[1:]]
        used = [any(((found.table >= first) & (found.table < last)).ravel()) for first, last in spans]
        assert found.arrays[0] is letters and used.count(False) < tiles.MANY
        inside = np.zeros(found.table.shape, bool)
        for array in found.arrays:
            inside |= (found.table >= array.ctypes.data) & (found.table < array.ctypes.data + array.nbytes)
        assert inside.all()


def test_steps_of_a_gesture_keep_what_the_last_one_made():
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (9, 3 * WIDTH))
    found, wanted = Tiles.of(letters), letters.copy()
    gestures = ((np.arange(2, 9), WIDTH, 1), (np.arange(2, 9), WIDTH - 2, 2), (np.arange(5), WIDTH + 9, 1))
    for number, (rows, first, touched) in enumerate(gestures):
        for step in range(2 * tiles.MANY):
            block = np.full((rows.size, 4), b"acgt"[step % 4], np.uint8)
            found = found.with_cells(rows, first + step % 2, block)
            wanted[rows, first + step % 2 : first + step % 2 + 4] = block
            assert np.array_equal(found[:], wanted)
            assert found.drafted == touched * rows.size
            assert len(found.arrays) == 2 + number  # the letters, and one of each gesture


@given(alignments(), st.data())
def test_letters_of_a_row_are_counted_alike_in_tiles_and_arrays(found, data):
    row, column = (data.draw(st.integers(0, size - 1)) for size in found.letters.shape)
    edited = aligned_edits.insert_gaps(tiled_edits.tiled(found), np.array([row]), column, 2)
    last = edited.letters.shape[1] - 1
    for place in {0, column, last}:
        wanted = int(np.count_nonzero(edited.letters[:][row, : place + 1] != ord("-")))
        assert aligned_rows.positions(edited, row, place) == wanted


def test_an_edit_makes_no_more_than_the_tiles_that_it_touches():
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (200, 3 * WIDTH))
    letters[:, -5:] = ord("-")
    letters.setflags(write=False)
    tiles = tiled_edits.tiled(AlignedSequences(tuple(map(str, range(200))), letters, SequenceType.DNA))

    def made_by(edited: AlignedSequences) -> int:
        return sum(array.nbytes for array in edited.letters.arrays) - letters.nbytes

    rows = np.arange(200)
    assert made_by(aligned_edits.insert_gaps(tiles, rows[:1], WIDTH + 1)) == 2 * WIDTH
    assert made_by(aligned_edits.insert_gaps(tiles, rows, WIDTH + 1, 9)) == 0
    assert made_by(aligned_edits.insert_gaps(tiles, rows[1:], 0)) == 4 * WIDTH  # it is the other row that moves
    assert made_by(aligned_edits.move(tiles, rows, 3 * WIDTH - 7, 3 * WIDTH - 5, 2)) == 0
    assert made_by(aligned_edits.move(tiles, rows[:9], 3 * WIDTH - 7, 3 * WIDTH - 5, 2)) == 9 * WIDTH
    assert made_by(aligned_edits.delete_columns(tiles, np.arange(3 * WIDTH) % 2 == 0)) == 0
    assert made_by(aligned_edits.take_rows(tiles, rows[::-1])) == 0
    moving = tiles
    for step in range(200):  # what no row has any longer is let go
        moving = aligned_edits.set_letters(moving, rows[:50], np.arange(3 * WIDTH) < 4, "CG"[step % 2])
    assert made_by(moving) <= 16 * 50 * WIDTH


def test_tiles_are_read_as_arrays_are():
    random = np.random.default_rng(3)
    array = random.integers(65, 90, (9, WIDTH + 40)).astype(np.uint8)
    tiles = Tiles.of(array)
    few, mask = np.array([4, 0, 8]), np.arange(9) % 2 == 0
    for key in (3, -1, slice(2, 7), few, mask, (2, 5), (slice(None), -3), (few, slice(1020, 1030)), (slice(1, 3), few),
                np.ix_(few, np.array([1060, 3, 1023])), (5, np.array([7, 1025]))):  # fmt: skip
        assert np.array_equal(tiles[key], array[key])
    assert tiles.shape == array.shape and tiles.size == array.size and len(list(tiles)) == 9
    with pytest.raises(IndexError):
        tiles[few, few]
    with pytest.raises(IndexError):
        tiles[9]


def test_what_is_asked_of_rows_and_columns_is_the_same_of_tiles():
    random = np.random.default_rng(5)
    letters = random.choice(np.frombuffer(b"ACGT-", np.uint8), (7, WIDTH + 9))
    found = made(AlignedSequences(tuple("abcdefg"), letters, SequenceType.DNA), letters)
    tiles, order = tiled_edits.tiled(found), np.arange(7)
    for by in ("name", "length", "start", "identity"):
        wanted = aligned_rows.sorted_rows(found, order, by, 2)
        assert np.array_equal(aligned_rows.sorted_rows(tiles, order, by, 2), wanted)
    columns = np.array([3, WIDTH, 1])
    assert np.array_equal(aligned_rows.sorted_by_letters(tiles, order, columns),
                          aligned_rows.sorted_by_letters(found, order, columns))  # fmt: skip
    wanted = aligned_search.find(found, order, "ACGTA")
    assert np.array_equal(aligned_search.find(tiles, order, "ACGTA"), wanted)
    assert np.array_equal(aligned_columns.count(tiles.letters).counts, aligned_columns.count(found.letters).counts)
    assert aligned_edits.gap_columns(tiles, order[:2]).tolist() == aligned_edits.gap_columns(found, order[:2]).tolist()
    assert aligned_edits.translate(tiles).letters.tobytes() == aligned_edits.translate(found).letters.tobytes()


def test_tiles_that_were_made_ahead_are_taken_once_and_go_with_their_alignment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiled_edits, "LARGE", 5)
    blank = AlignedSequences(("one", "two"), np.empty((0, 0), np.uint8), SequenceType.DNA)
    large, small = (made(blank, np.full((2, width), ord("A"), np.uint8)) for width in (3, 2))
    before = len(tiled_edits._prepared)
    for alignment in (large, large, small):
        tiled_edits.prepare(alignment)
    assert len(tiled_edits._prepared) == before + 1
    (ahead,) = [found for found in tiled_edits._prepared.values() if found.letters.arrays[0] is large.letters]
    assert tiled_edits.tiled(large) is ahead and tiled_edits.tiled(large) is not ahead
    tiled_edits.prepare(large)
    del ahead, alignment, large
    assert len(tiled_edits._prepared) == before


def test_one_that_is_in_tiles_already_is_not_kept_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiled_edits, "LARGE", 5)
    blank = AlignedSequences(("one", "two"), np.empty((0, 0), np.uint8), SequenceType.DNA)
    alignment = tiled_edits.tiled(made(blank, np.full((2, 3), ord("A"), np.uint8)))
    before = len(tiled_edits._prepared)
    tiled_edits.prepare(alignment)
    assert len(tiled_edits._prepared) == before
