"""What an alignment says beside its letters, and parts of it at other columns: text, confidence, codons, blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from Bio.Seq import Seq
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import (
    alignment_edits,
    column_confidence,
    genetic_code,
    row_notes,
    row_statistics,
    source_positions,
)
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.aligned_fasta import GrowingArray
from antidiag.kernels.io.alignment_formats.pair_letters import POSITION_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.io.alignment_writer import WRITERS
from antidiag.kernels.model import SequenceType


def alignment(*rows: str, kind: SequenceType = SequenceType.PROTEIN, **notes: tuple) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    letters.setflags(write=False)
    names = tuple(f"r{row}" for row in range(len(rows)))
    return AlignedSequences(names, letters, kind, annotations=Annotations(**notes))


def text(found: AlignedSequences) -> list[str]:
    return [row.tobytes().decode() for row in aligned_sequences.written_letters(found)]


def test_text_of_rows_is_written_and_read_again():
    found = row_notes.set_note(alignment("AC", "A-"), np.array([1]), "tag", " good  one ")
    _, write, _ = WRITERS[".sto"]
    again = aligned_sequences.read_alignment_text(b"".join(write(found)).decode())[0]
    assert row_notes.notes_with_tag(again, "tag") == {1: "good one"} and row_notes.note_tags(again) == ["tag"]
    assert row_notes.note_tags(row_notes.set_note(found, np.array([1]), "tag", "")) == []
    assert row_notes.set_note(found, np.array([0]), "tag", "") is found


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_are_read_however_they_are_separated(tmp_path, separator):
    path = tmp_path / "t.csv"
    path.write_text(f'\ufeffname{separator}of it\n"r 0"{separator} x  y \n\nr1{separator}\n', encoding="utf-8")
    found = row_notes.read_note_table(path)
    assert found.titles == ("of_it",) and dict(found.values) == {"r 0": ("x y",), "r1": ("",)}
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read as text"):
        row_notes.read_note_table(tmp_path / "b")


def test_confidence_is_read_in_tenths():
    found = replace(alignment("ACDE"), annotations=Annotations(of_columns=(("PP_cons", "04*."),)))
    values = column_confidence.column_confidence(found)
    assert values[:3].round(2).tolist() == pytest.approx([0, 0.4, 1]) and np.isnan(values[3])
    assert column_confidence.column_confidence(alignment("AC")) is None


@given(st.text("ACGT-", min_size=1, max_size=30), st.integers(0, 2), st.integers(0, 30), st.integers(0, 30))
def test_frames_are_those_of_biopython(row, frame, one, other):
    first, last = sorted((min(one, len(row)), min(other, len(row))))
    letters = row.replace("-", "")[frame:]
    aminos = str(Seq(letters[: len(letters) // 3 * 3]).translate())
    shown = genetic_code.amino_acids_in_columns(np.frombuffer(row.encode(), np.uint8), frame, 0, len(row))
    assert shown.replace(" ", "") == aminos and len(shown) == len(row)
    assert (
        genetic_code.amino_acids_in_columns(np.frombuffer(row.encode(), np.uint8), frame, first, last)
        == shown[first:last]
    )


def test_a_block_goes_to_other_columns_and_the_others_make_room():
    found = alignment("ABCDE", "AB-DE", "A---E", of_columns=(("SS", "12345"),), of_letters=((2, "x", "12345"),))
    block = np.array([list(b"B-CD"), list(b"-B-D")], np.uint8)
    after = alignment_edits.replace_block(found, np.array([0, 1]), 1, 4, block)
    assert text(after) == ["AB-CDE", "A-B-DE", "A----E"]
    assert after.annotations.of_columns == (("SS", "1234.5"),) and after.annotations.of_letters == ((2, "x", "1234.5"),)
    narrow = alignment_edits.replace_block(
        found, np.array([1, 2]), 1, 4, np.array([list(b"BD"), list(b"--")], np.uint8)
    )
    assert text(narrow) == ["ABCDE", "ABD-E", "A---E"]
    every = alignment_edits.replace_block(alignment("A--C", "A--C"), np.arange(2), 1, 3, np.empty((2, 0), np.uint8))
    assert text(every) == ["AC", "AC"]
    with pytest.raises(InputError, match="other letters"):
        alignment_edits.replace_block(found, np.array([0]), 1, 4, block[1:])


def test_a_block_keeps_the_case_of_its_letters():
    found = aligned_sequences.read_alignment_text(">a\nAbCd-\n>b\nABCDE\n")[0]
    after = alignment_edits.replace_block(found, np.array([0]), 1, 4, np.array([list(b"BC-D")], np.uint8))
    assert text(after) == ["AbC-d-", "ABCD-E"]


def test_cells_become_gaps():
    found = alignment("ABC", "DEF", of_rows=((0, POSITION_TAG, "5 +"), (1, POSITION_TAG, "7 +")))
    after = alignment_edits.replace_with_gaps(found, np.array([[0, 1, 0], [0, 0, 0]], bool))
    assert text(after) == ["A-C", "DEF"] and source_positions.row_positions(after) == {1: (6, 1)}


def test_rows_are_sorted_by_letters_and_by_names():
    found = alignment("B-", "AC", "AB", "-A")
    order = np.arange(4)
    assert row_statistics.sort_by_letters(found, order, np.array([0, 1])).tolist() == [2, 1, 0, 3]
    assert row_statistics.order_by_names(found, order, ("r2", "x", "r0"), "tree")[0].tolist() == [2, 0, 1, 3]
    with pytest.raises(InputError, match="tree: no leaf"):
        row_statistics.order_by_names(found, order, ("x",), "tree")


def test_numbers_are_sorted_as_numbers():
    found = alignment("A", "A", "A")
    for row, said in enumerate(("10", "9", "")):
        found = row_notes.set_note(found, np.array([row]), "n", said)
    assert row_notes.sort_rows_by_note(found, np.arange(3), "n").tolist() == [1, 0, 2]
    words = row_notes.set_note(found, np.array([2]), "n", "b")
    assert row_notes.sort_rows_by_note(words, np.arange(3), "n").tolist() == [0, 1, 2]


def test_starts_are_read_of_files_of_pairs_and_genomes():
    assert source_positions.row_positions(replace(alignment("A"), annotations=Annotations())) == {}


def test_large_letters_have_room_that_grows():
    letters = np.arange(1 << 19, dtype=np.int64).view(np.uint8)
    for guess in (1 << 16, letters.size, 10 * letters.size):
        found, step = GrowingArray(guess), 50_000
        for at in range(0, letters.size, step):
            part = letters[at : at + step]
            found.grow_to(at + part.size)[at : at + part.size] = part
        assert np.array_equal(found.take_bytes(letters.size), letters)
