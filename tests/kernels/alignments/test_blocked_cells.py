"""Edits of tiles are those of arrays, and cost what they touch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import (
    alignment_edits,
    block_edits,
    blocked_cells,
    column_statistics,
    motif_search,
    row_statistics,
    stored_changes,
)
from antidiag.kernels.alignments.blocked_cells import BlockedCells, CellDraft
from antidiag.kernels.alignments.cpu_blocks import BLOCK_WIDTH
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences, unaligned_sequences, with_letters, written_letters
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
from antidiag.kernels.serialization import decode, encode
from tests.example_counts import try_examples

WIDTHS = st.one_of(
    st.integers(1, 12),
    st.integers(BLOCK_WIDTH - 3, BLOCK_WIDTH + 3),
    st.integers(2 * BLOCK_WIDTH - 2, 2 * BLOCK_WIDTH + 2),
)
Edit = Callable[[AlignedSequences], AlignedSequences]


@st.composite
def alignments(draw: st.DrawFn) -> AlignedSequences:
    """Rows with many gaps, in plain letters, or with lower case and dots, and with annotation."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    rows, columns = draw(st.integers(1, 6)), draw(WIDTHS)
    alphabet = draw(st.sampled_from((b"ACGT--", b"ACGTacgt-.--", b"ACg?-.-?")))
    letters = random.choice(np.frombuffer(alphabet, np.uint8), (rows, columns))
    marks = "".join(random.choice(list("HEC"), columns))
    said = ((0, "MAF", f"10 {columns} + 90000"),) if draw(st.booleans()) else ()
    notes = Annotations(of_rows=said, of_columns=(("SS", marks),), of_letters=((rows - 1, "PP", marks),))
    names = tuple(f"r{row}" for row in range(rows))
    blank = AlignedSequences(names, np.empty((0, 0), np.uint8), SequenceType.DNA, annotations=notes)
    return with_letters(blank, letters)


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
        lambda found: alignment_edits.insert_gaps(found, chosen, at, count),
        lambda found: alignment_edits.delete_gaps(found, chosen, at, count),
        lambda found: alignment_edits.move_cells(found, chosen, at, last, by),
        lambda found: alignment_edits.insert_columns(found, at, count),
        lambda found: alignment_edits.delete_columns(found, mask),
        lambda found: alignment_edits.delete_columns(found, alignment_edits.sparse_columns(found, 0.4)),
        lambda found: alignment_edits.take_rows(found, order),
        lambda found: alignment_edits.remove_gaps(found, chosen),
        lambda found: alignment_edits.set_letters(found, chosen, mask, "N"),
        lambda found: alignment_edits.replace_with_gaps(found, cells),
        lambda found: alignment_edits.replace_block(found, chosen, at, last, _shifted(found, chosen, at, last, count)),
        alignment_edits.reverse_complement,
    )
    return every[draw(st.integers(0, len(every) - 1))]


def _shifted(found: AlignedSequences, rows: np.ndarray, first: int, last: int, by: int) -> np.ndarray:
    """The cells of rows in some columns, with gaps before them."""
    return np.pad(found.letters[rows, first:last], ((0, 0), (by, 0)), constant_values=ord("-"))


def after(edit: Edit, found: AlignedSequences) -> AlignedSequences | str:
    try:
        return block_edits.to_blocks(edit(found)) if isinstance(found.letters, BlockedCells) else edit(found)
    except InputError as error:
        return str(error)


def same(tiles: AlignedSequences, arrays: AlignedSequences) -> None:
    assert isinstance(tiles.letters, BlockedCells) and isinstance(arrays.letters, np.ndarray)
    assert tiles.names == arrays.names and tiles.annotations == arrays.annotations
    assert np.array_equal(tiles.letters, arrays.letters)
    assert np.array_equal(written_letters(tiles), written_letters(arrays))


@try_examples(150, deadline=None)
@given(found=alignments(), data=st.data())
def test_edits_of_tiles_are_those_of_arrays_and_leave_those_before(found, data):
    arrays, states = found, [(block_edits.to_blocks(found), found)]
    for _ in range(data.draw(st.integers(1, 5))):
        edit = edits(data.draw, *arrays.letters.shape)
        tiles, wanted = after(edit, states[-1][0]), after(edit, arrays)
        if isinstance(wanted, str):
            assert tiles == wanted
            continue
        arrays = wanted
        states.append((tiles, arrays))
    for (older, _), (newer, _) in pairwise(states):
        older.letters.keep_differences(newer.letters)
    for tiles, wanted in states:
        same(tiles, wanted)
    flat = block_edits.to_arrays(states[-1][0])
    assert np.array_equal(flat.letters, arrays.letters) and np.array_equal(
        written_letters(flat), written_letters(arrays)
    )


@try_examples(60, deadline=None)
@given(found=alignments(), data=st.data())
def test_gaps_and_moves_never_change_the_sequences(found, data):
    rows, columns = found.letters.shape
    tiles = block_edits.to_blocks(found)
    before = [one.letters for one in unaligned_sequences(tiles)]
    for _ in range(4):
        chosen = np.array(sorted(data.draw(st.sets(st.integers(0, rows - 1), min_size=1))))
        at, count = data.draw(st.integers(0, columns - 1)), data.draw(st.integers(1, 4))
        last = data.draw(st.integers(at + 1, min(columns, at + 40)))
        tiles = data.draw(
            st.sampled_from(
                (
                    lambda: alignment_edits.insert_gaps(tiles, chosen, at, count),  # noqa: B023 # called at once
                    lambda: alignment_edits.delete_gaps(tiles, chosen, at, count),  # noqa: B023
                    lambda: alignment_edits.move_cells(tiles, chosen, at, last, count),  # noqa: B023
                    lambda: alignment_edits.insert_columns(tiles, at, count),  # noqa: B023
                )
            )
        )()
        assert [one.letters for one in unaligned_sequences(tiles)] == before


@try_examples(80, deadline=None)
@given(found=alignments(), data=st.data())
def test_counts_follow_edits_there_and_back_and_changes_are_kept_as_data(found, data):
    states = [block_edits.to_blocks(found)]
    for _ in range(data.draw(st.integers(1, 4))):
        before = states[data.draw(st.integers(0, len(states) - 1))]
        edited = after(edits(data.draw, *before.letters.shape), before)
        if not isinstance(edited, str):
            states.append(edited)
    for old in states:
        counted = column_statistics.count_columns(old.letters)
        for new in states:
            if len(old.names) == len(new.names) and old.letters.store is new.letters.store:
                recount = column_statistics.CountUpdate(counted, old.letters, new.letters)
                assert np.array_equal(recount.columns().counts, column_statistics.count_columns(new.letters).counts)
                assert recount.cells <= new.letters.size
                width = max(one.letters.table.shape[1] for one in (old, new))
                apart = np.nonzero(old.letters.table_of(width) != new.letters.table_of(width))
                known = old.letters.changed_blocks(new.letters)
                assert sorted(zip(*known, strict=True)) == list(zip(*apart, strict=True))
        kept = _through_a_file(stored_changes.EditedAlignment(old, found))
        assert (kept.letters.base is None) == (old.letters.store.array is found.letters)
        again = stored_changes.apply_changes(found, kept)
        assert again.names == old.names and again.annotations == old.annotations
        assert np.array_equal(written_letters(again), written_letters(old))


def test_what_a_draft_made_is_known_without_comparing_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    before = BlockedCells.of(np.full((9, 3 * BLOCK_WIDTH), ord("A"), np.uint8))
    draft = CellDraft(before)
    for rows in (np.array([7, 2]), np.array([2, 8])):  # row 2 twice, with other cells
        draft.write_cells(rows, BLOCK_WIDTH, np.full((2, 5), ord("C") + rows[0], np.uint8))
    edited = draft.finish()
    monkeypatch.setattr(BlockedCells, "table_of", None)
    for one, other in ((before, edited), (edited, before)):
        rows, places = one.changed_blocks(other)
        assert rows.tolist() == [2, 7, 8] and places.tolist() == [1, 1, 1]


def _through_a_file(value: Any) -> Any:
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    return decode(json.loads(json.dumps(encode(value, put))), lambda place: arrays[place].copy())


def test_changes_of_another_alignment_are_refused():
    letters = np.full((3, 9), ord("A"), np.uint8)
    found = with_letters(AlignedSequences(("a", "b", "c"), letters, SequenceType.DNA), letters)
    told = stored_changes.alignment_changes(alignment_edits.insert_columns(block_edits.to_blocks(found), 2), found)
    fewer = alignment_edits.take_rows(found, np.array([0]))
    with pytest.raises(InputError, match="belong to another alignment"):
        stored_changes.apply_changes(fewer, told)
    wrong = replace(told, letters=replace(told.letters, places=told.letters.places + 5 * BLOCK_WIDTH))
    with pytest.raises(InputError, match="belong to another alignment"):
        stored_changes.apply_changes(found, wrong)


def test_blocks_are_in_use_while_a_table_shows_them_and_free_afterwards(monkeypatch):
    monkeypatch.setattr(blocked_cells, "MANY_EDITS", 2)
    letters = np.full((4, 3 * BLOCK_WIDTH), ord("A"), np.uint8)
    found = BlockedCells.of(letters)
    for step in range(20):
        row, column = step % 3, step * 7 % 2 * BLOCK_WIDTH
        found = found.with_cells(np.array([row]), column, np.full((1, 3), ord("C") + step, np.uint8))
        shown = set((~found.table[found.table < 0]).tolist())
        used = [bool(shown & set(one.numbers.tolist())) for one in found.written]
        assert used.count(False) < blocked_cells.MANY_EDITS
        assert shown <= {number for one in found.written for number in one.numbers.tolist()}
    assert len(found.store.blocks) <= 16  # of 20 blocks that were written


def test_blocks_that_nobody_shows_are_written_again_and_others_never():
    letters = np.full((50, 2 * BLOCK_WIDTH), ord("A"), np.uint8)
    before, rows = BlockedCells.of(letters), np.arange(50)
    first = before.with_cells(rows, 0, np.full((50, 1), ord("C"), np.uint8))
    second = before.with_cells(rows, 0, np.full((50, 1), ord("G"), np.uint8))
    numbers = first.written[0].numbers
    del first
    third = before.with_cells(rows[:20], BLOCK_WIDTH, np.full((20, 1), ord("T"), np.uint8))
    assert set(third.written[0].numbers.tolist()) < set(numbers.tolist())
    assert (second[:, 0] == ord("G")).all() and (second[:, 1:] == ord("A")).all()
    assert (third[:20, BLOCK_WIDTH] == ord("T")).all() and (before[:] == ord("A")).all()


def test_steps_of_a_gesture_keep_what_the_last_one_made():
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (9, 3 * BLOCK_WIDTH))
    found, wanted = BlockedCells.of(letters), letters.copy()
    gestures = (
        (np.arange(2, 9), BLOCK_WIDTH, 1),
        (np.arange(2, 9), BLOCK_WIDTH - 2, 2),
        (np.arange(5), BLOCK_WIDTH + 9, 1),
    )
    for number, (rows, first, touched) in enumerate(gestures):
        for step in range(2 * blocked_cells.MANY_EDITS):
            block = np.full((rows.size, 4), b"acgt"[step % 4], np.uint8)
            found = found.with_cells(rows, first + step % 2, block)
            wanted[rows, first + step % 2 : first + step % 2 + 4] = block
            assert np.array_equal(found[:], wanted)
            assert found.drafted == touched * rows.size
            assert len(found.written) == 1 + number  # one of each gesture


@given(alignments(), st.data())
def test_letters_of_a_row_are_counted_alike_in_tiles_and_arrays(found, data):
    row, column = (data.draw(st.integers(0, size - 1)) for size in found.letters.shape)
    edited = alignment_edits.insert_gaps(block_edits.to_blocks(found), np.array([row]), column, 2)
    last = edited.letters.shape[1] - 1
    for place in {0, column, last}:
        wanted = int(np.count_nonzero(edited.letters[:][row, : place + 1] != ord("-")))
        assert row_statistics.count_letters_up_to(edited, row, place) == wanted


def test_an_edit_makes_no_more_than_the_tiles_that_it_touches():
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (200, 3 * BLOCK_WIDTH))
    letters[:, -5:] = ord("-")
    letters.setflags(write=False)
    tiles = block_edits.to_blocks(AlignedSequences(tuple(map(str, range(200))), letters, SequenceType.DNA))

    def made_by(edited: AlignedSequences) -> int:
        return sum(written.nbytes for written in edited.letters.written)

    rows = np.arange(200)
    assert made_by(alignment_edits.insert_gaps(tiles, rows[:1], BLOCK_WIDTH + 1)) == 2 * BLOCK_WIDTH
    assert made_by(alignment_edits.insert_gaps(tiles, rows, BLOCK_WIDTH + 1, 9)) == 0
    assert made_by(alignment_edits.insert_gaps(tiles, rows[1:], 0)) == 4 * BLOCK_WIDTH  # it is the other row that moves
    assert made_by(alignment_edits.move_cells(tiles, rows, 3 * BLOCK_WIDTH - 7, 3 * BLOCK_WIDTH - 5, 2)) == 0
    assert (
        made_by(alignment_edits.move_cells(tiles, rows[:9], 3 * BLOCK_WIDTH - 7, 3 * BLOCK_WIDTH - 5, 2))
        == 9 * BLOCK_WIDTH
    )
    assert made_by(alignment_edits.delete_columns(tiles, np.arange(3 * BLOCK_WIDTH) % 2 == 0)) == 0
    assert made_by(alignment_edits.take_rows(tiles, rows[::-1])) == 0
    moving = tiles
    for step in range(200):  # what no row has any longer is let go
        moving = alignment_edits.set_letters(moving, rows[:50], np.arange(3 * BLOCK_WIDTH) < 4, "CG"[step % 2])
    assert made_by(moving) <= 16 * 50 * BLOCK_WIDTH


def test_tiles_are_read_as_arrays_are():
    random = np.random.default_rng(3)
    array = random.integers(65, 90, (9, BLOCK_WIDTH + 40)).astype(np.uint8)
    tiles = BlockedCells.of(array)
    few, mask = np.array([4, 0, 8]), np.arange(9) % 2 == 0
    for key in (
        3,
        -1,
        slice(2, 7),
        few,
        mask,
        (2, 5),
        (slice(None), -3),
        (few, slice(1020, 1030)),
        (slice(1, 3), few),
        np.ix_(few, np.array([1060, 3, 1023])),
        (5, np.array([7, 1025])),
    ):
        assert np.array_equal(tiles[key], array[key])
    assert tiles.shape == array.shape and tiles.size == array.size and len(list(tiles)) == 9
    with pytest.raises(IndexError):
        tiles[few, few]
    with pytest.raises(IndexError):
        tiles[9]


def test_what_is_asked_of_rows_and_columns_is_the_same_of_tiles():
    random = np.random.default_rng(5)
    letters = random.choice(np.frombuffer(b"ACGT-", np.uint8), (7, BLOCK_WIDTH + 9))
    found = with_letters(AlignedSequences(tuple("abcdefg"), letters, SequenceType.DNA), letters)
    tiles, order = block_edits.to_blocks(found), np.arange(7)
    for by in ("name", "length", "start", "identity"):
        wanted = row_statistics.sort_rows(found, order, by, 2)
        assert np.array_equal(row_statistics.sort_rows(tiles, order, by, 2), wanted)
    columns = np.array([3, BLOCK_WIDTH, 1])
    assert np.array_equal(
        row_statistics.sort_by_letters(tiles, order, columns), row_statistics.sort_by_letters(found, order, columns)
    )
    wanted = motif_search.find_motif(found, order, "ACGTA")
    assert np.array_equal(motif_search.find_motif(tiles, order, "ACGTA"), wanted)
    assert np.array_equal(
        column_statistics.count_columns(tiles.letters).counts, column_statistics.count_columns(found.letters).counts
    )
    assert (
        alignment_edits.gap_columns(tiles, order[:2]).tolist() == alignment_edits.gap_columns(found, order[:2]).tolist()
    )
    assert (
        alignment_edits.translate_columns(tiles).letters.tobytes()
        == alignment_edits.translate_columns(found).letters.tobytes()
    )


def test_a_session_finds_the_same_array_for_blocks_that_it_has_written() -> None:
    letters = np.full((3, 9), ord("A"), np.uint8)
    found = with_letters(AlignedSequences(("a", "b", "c"), letters, SequenceType.DNA), letters)
    edited = alignment_edits.set_letters(block_edits.to_blocks(found), np.array([1]), np.arange(9) < 4, "C")
    first, second = (stored_changes.alignment_changes(edited, found).letters.arrays for _ in range(2))
    assert len(first) == 1 and first[0] is second[0] and not first[0].flags.writeable
