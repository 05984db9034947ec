"""Edits, counts, searches and pixels of alignments."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import alignment_edits, cell_pixels, column_statistics, motif_search, row_statistics
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences, with_letters, written_letters
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.io.clustal_marks import clustal_marks
from antidiag.kernels.model import SequenceType


def alignment(*rows: str, kind: SequenceType = SequenceType.DNA, notes: Annotations | None = None) -> AlignedSequences:
    names = tuple(f"r{number}" for number in range(len(rows)))
    blank = AlignedSequences(names, np.empty((0, 0), np.uint8), kind, annotations=notes or Annotations())
    return with_letters(blank, np.array([list(row.encode()) for row in rows], np.uint8))


def text(found: AlignedSequences) -> list[str]:
    return [row.tobytes().decode() for row in written_letters(found)]


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers)


def mask(text: str) -> np.ndarray:
    return np.array([sign == "x" for sign in text])


def test_gaps_go_in_and_out_of_rows_with_their_annotation():
    notes = Annotations(of_columns=(("SS", "abcde"),), of_letters=((0, "PP", "12345"), (1, "PP", "67890")))
    found = alignment("ACg-.", "ACGTA", notes=notes)
    wider = alignment_edits.insert_gaps(found, rows(0), 1)
    assert text(wider) == ["A-Cg-", "ACGTA"] and wider.annotations.of_columns == (("SS", "abcde"),)
    assert wider.annotations.of_letters == ((0, "PP", "1.234"), (1, "PP", "67890"))
    wider = alignment_edits.insert_gaps(found, rows(0, 1), 1, 2)
    assert text(wider) == ["A--Cg-.", "A--CGTA"] and wider.annotations.of_columns == (("SS", "abcde.."),)
    back = alignment_edits.delete_gaps(wider, rows(0, 1), 1, 2)
    assert text(back) == ["ACg-.--", "ACGTA--"]
    assert alignment_edits.delete_gaps(found, rows(0), 1) is found
    assert text(alignment_edits.remove_gaps(alignment("-A-c", "ACGT"), rows(0))) == ["Ac--", "ACGT"]


def test_blocks_move_over_gaps_alone():
    found = alignment("--ACG--T", "-AACG---", "ACGTACGT")
    assert text(alignment_edits.move_cells(found, rows(0, 1), 2, 5, 1)) == ["---ACG-T", "-A-ACG--", "ACGTACGT"]
    assert text(alignment_edits.move_cells(found, rows(0, 1), 2, 5, 9)) == ["----ACGT", "-A--ACG-", "ACGTACGT"]
    assert alignment_edits.move_cells(found, rows(0, 1), 2, 5, -1) is found
    assert text(alignment_edits.move_cells(found, rows(0), 2, 5, -9))[0] == "ACG----T"


def test_columns_and_rows_go_with_all_that_is_said_of_them():
    notes = Annotations(of_rows=((0, "AC", "x"), (2, "AC", "y")), of_columns=(("SS", "abcd"),))
    found = alignment("A-gT", "C-.T", "--cT", notes=notes)
    assert alignment_edits.gap_columns(found).tolist() == [False, True, False, False]
    assert alignment_edits.sparse_columns(found, 0.7).tolist() == [True, True, True, False]
    fewer = alignment_edits.delete_columns(found, mask(".x.."))
    assert text(fewer) == ["AgT", "C.T", "-cT"] and fewer.annotations.of_columns == (("SS", "acd"),)
    turned = alignment_edits.take_rows(found, rows(2, 0))
    assert text(turned) == ["--cT", "A-gT"] and turned.annotations.of_rows == ((1, "AC", "x"), (0, "AC", "y"))
    assert text(alignment_edits.insert_columns(found, 1)) == ["A--gT", "C--.T", "---cT"]
    with pytest.raises(InputError, match="this would delete every column"):
        alignment_edits.delete_columns(found, mask("xxxx"))
    with pytest.raises(InputError, match="this would delete every row"):
        alignment_edits.take_rows(found, rows())


def test_marks_of_clustal_do_not_outlive_an_edit():
    found = alignment("AC-", "ACG", notes=Annotations(of_columns=(("clustal", "*. "), ("SS", "abc"))))
    every = rows(0, 1)
    for edited in (
        alignment_edits.insert_columns(found, 1),
        alignment_edits.take_columns(found, rows(0, 2)),
        alignment_edits.take_rows(found, rows(0)),
        alignment_edits.insert_gaps(found, rows(0), 1),
        alignment_edits.move_cells(found, rows(0), 0, 2, 1),
        alignment_edits.remove_gaps(found, every),
        alignment_edits.set_letters(found, every, mask("x.."), "N"),
        alignment_edits.reverse_complement(found),
    ):
        assert [tag for tag, _ in edited.annotations.of_columns] == ["SS"]
    assert alignment_edits.rename_row(found, 0, "other").annotations == found.annotations


def test_places_in_genomes_follow_the_letters():
    said = ((0, "MAF", "1000 8 + 2000"), (0, "DE", "kept"), (1, "MAF", "10 6 - 100"), (2, "place", "1,000 +"))
    found = alignment("ACG--TACGT", "--GTTTAC--", "ACGTACGTAC", notes=Annotations(of_rows=said))

    def places(edited: AlignedSequences) -> list[str]:
        assert (0, "DE", "kept") in edited.annotations.of_rows
        there = {row: place for row, tag, place in edited.annotations.of_rows if tag != "DE"}
        return [there.get(row, "") for row in range(3)]

    unchanged = ["1000 8 + 2000", "10 6 - 100", "1,000 +"]
    part = alignment_edits.take_columns(found, np.arange(2, 7))
    assert places(part) == ["1002 3 + 2000", "10 5 - 100", "1,002 +"]
    assert places(alignment_edits.delete_columns(found, mask("...xx....."))) == ["1000 8 + 2000", "", ""]
    assert places(alignment_edits.take_columns(found, np.arange(3, 5))) == ["", "11 2 - 100", "1,003 +"]
    assert places(alignment_edits.insert_columns(found, 4, 2)) == unchanged
    assert places(alignment_edits.remove_gaps(found, rows(0, 1))) == unchanged
    assert places(alignment_edits.insert_gaps(found, rows(0), 4)) == unchanged
    assert places(alignment_edits.set_letters(found, rows(0, 1), mask(".....x...."), "N")) == ["", "", "1,000 +"]
    assert places(alignment_edits.translate_columns(found)) == ["", "", ""]
    turned = alignment_edits.reverse_complement(found)
    assert places(turned) == ["992 8 - 2000", "84 6 + 100", "1,000 -"]
    assert places(alignment_edits.reverse_complement(turned)) == unchanged


def test_letters_are_changed_only_where_they_are():
    found = alignment("A-G", "ACG")
    assert text(alignment_edits.set_letters(found, rows(0, 1), mask(".xx"), "N")) == ["A-N", "ANN"]
    assert text(alignment_edits.set_letters(found, rows(0), mask(".x."), "C")) == ["ACG", "ACG"]
    dotted = alignment("A..g", "ACGT")
    assert text(alignment_edits.set_letters(dotted, rows(0, 1), mask("xxxx"), "N")) == ["N..N", "NNNN"]
    assert text(alignment_edits.set_letters(dotted, rows(0), mask(".x.."), "C")) == ["AC.g", "ACGT"]
    assert alignment_edits.rename_row(found, 1, " new  name ").names == ("r0", "new name")
    for name in ("r0", " "):
        with pytest.raises(InputError):
            alignment_edits.rename_row(found, 1, name)


def test_strands_and_codons():
    found = alignment("ATG--CtaA", "ATGTAATTN")
    assert text(alignment_edits.reverse_complement(found)) == ["TtaG--CAT", "NAATTACAT"]
    assert text(alignment_edits.translate_columns(alignment("ATG---TAAC", "AUGA-GTTNN"))) == ["M-*", "MXX"]
    assert text(alignment_edits.translate_columns(alignment("CATGTGG"), 1)) == ["MW"]
    with pytest.raises(InputError):
        alignment_edits.translate_columns(alignment("MKV", kind=SequenceType.PROTEIN))
    with pytest.raises(InputError):
        alignment_edits.reverse_complement(alignment("MKV", kind=SequenceType.PROTEIN))


ROWS = st.integers(1, 12).flatmap(
    lambda columns: st.lists(st.text("ACGT-", min_size=columns, max_size=columns), min_size=1, max_size=6)
)


@given(rows_=ROWS, data=st.data())
def test_no_edit_of_gaps_changes_the_letters_of_a_row(rows_, data):
    found = alignment(*rows_)
    columns = len(rows_[0])
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(rows_) - 1), min_size=1))))
    at, count = data.draw(st.integers(0, columns - 1)), data.draw(st.integers(1, 3))
    last = data.draw(st.integers(at + 1, columns))
    for edited in (
        alignment_edits.insert_gaps(found, chosen, at, count),
        alignment_edits.delete_gaps(found, chosen, at, count),
        alignment_edits.move_cells(found, chosen, at, last, data.draw(st.integers(-4, 4).filter(bool))),
        alignment_edits.remove_gaps(found, chosen),
        alignment_edits.insert_columns(found, at, count),
    ):
        assert [row.replace("-", "") for row in text(edited)] == [row.replace("-", "") for row in rows_]
        untouched = [row for row in range(len(rows_)) if row not in chosen]
        assert edited.letters.shape[1] >= columns
        if edited.letters.shape[1] == columns:
            assert [text(edited)[row] for row in untouched] == [rows_[row] for row in untouched]


@given(rows_=ROWS)
def test_counts_are_those_of_the_columns(rows_):
    found = column_statistics.count_columns(alignment(*rows_).letters)
    for number, column in enumerate(zip(*rows_, strict=True)):
        letters = [letter for letter in column if letter != "-"]
        assert found.counts[number, 0] == column.count("-")
        assert all(
            found.counts[number, column_statistics.LETTER_CLASS[ord(letter)]] == column.count(letter)
            for letter in "ACGT"
        )
        shares = [letters.count(letter) / len(letters) for letter in set(letters)]
        assert found.entropy[number] == pytest.approx(-sum(share * math.log2(share) for share in shares), abs=1e-6)
        most = max((letters.count(letter) for letter in letters), default=0)
        assert found.identity[number] == pytest.approx(most / len(rows_))
        if 2 * column.count("-") > len(column):
            assert chr(found.consensus[number]) == "-"
        else:
            assert letters.count(chr(found.consensus[number])) == most
    assert found.occupancy == pytest.approx(1 - found.gaps)


def test_conservation_quality_and_marks():
    found = column_statistics.count_columns(
        np.array([list(row.encode()) for row in ("KILA-", "KLLD-", "KVLWA", "KILR-")], np.uint8)
    )
    assert found.conservation[0] == 11 == found.conservation[2] and 11 > found.conservation[1] > found.conservation[3]
    assert found.conservation[4] == 0
    scores = np.eye(column_statistics.CLASSES) * 4
    quality = found.quality(scores)
    assert quality[0] == pytest.approx(1) and quality[3] == pytest.approx(0.5) and quality[4] == 0
    letters = np.array([list(row.encode()) for row in ("KILAC-", "KLLSWA", "KVLTGA")], np.uint8)
    assert clustal_marks(letters) == b"*:*:  "
    assert found.information(20)[0] == pytest.approx(math.log2(20) - 19 / (2 * math.log(2) * 4), abs=1e-5)


def test_a_letter_that_stands_for_any_tells_nothing_in_a_logo():
    rows = ("WXXA", *["WWXA"] * 9, *["WW-C"] * 10)
    found = column_statistics.count_columns(np.array([list(row.encode()) for row in rows], np.uint8)).information(20)
    every, some = (math.log2(20) - 19 / (2 * math.log(2) * there) for there in (20, 19))
    assert found[:3] == pytest.approx([every, some * 19 / 20, 0], abs=1e-5)
    bases = column_statistics.count_columns(np.array([list(b"AN"), list(b"AN")] * 9, np.uint8)).information(4)
    assert bases[0] > 0 == bases[1]


def by_numbers(name: str) -> list[tuple[int, int | str, str]]:
    """What names are sorted by, in so many words: text as text, numbers by size and then as they are written."""
    parts = re.split("([0-9]+)", name.lower())
    return [(place % 2, int(part) if place % 2 else part, part) for place, part in enumerate(parts)]


@given(st.lists(st.text("ab_ 019", max_size=6), min_size=2, max_size=12))
def test_names_are_sorted_with_their_numbers_by_size(names: list[str]) -> None:
    found = AlignedSequences(tuple(names), np.full((len(names), 1), 65, np.uint8), SequenceType.DNA)
    order = row_statistics.sort_rows(found, np.arange(len(names)), "name")
    assert [names[row] for row in order] == sorted(names, key=by_numbers)


def test_rows_are_sorted_and_found():
    found = alignment("--ACGTNAC", "ACGT---AC", "ACGTACG--")
    found = AlignedSequences(("b10", "b9", "a"), found.letters, found.type)
    order = np.arange(3)
    assert row_statistics.sort_rows(found, order, "name").tolist() == [2, 1, 0]
    assert row_statistics.sort_rows(found, order, "length").tolist() == [0, 2, 1]
    assert row_statistics.sort_rows(found, order, "start").tolist() == [1, 2, 0]
    assert row_statistics.sort_rows(found, rows(0, 2), "identity", 1).tolist() == [2, 0]
    assert row_statistics.row_identities(found, 1).tolist() == pytest.approx([2 / 4, 1, 1])
    assert row_statistics.column_of_letter(found, 1, 5) == 7 and row_statistics.column_of_letter(found, 1, 7) is None
    assert row_statistics.count_letters_up_to(found, 1, 7) == 5
    assert motif_search.find_motif(found, order, "TAC").tolist() == [[1, 3, 9], [2, 3, 6]]
    assert motif_search.find_motif(found, order, "TNAC").tolist() == [[0, 5, 9]]
    assert motif_search.find_motif(found, order, "TTAC 1").tolist() == [[0, 5, 9], [1, 2, 9], [2, 2, 6]]
    assert motif_search.find_motif(found, order, "/G[^A]A/").tolist() == [[1, 2, 8], [2, 2, 5]]
    for wrong in ("T?", "AC 2", "/[/"):
        with pytest.raises(InputError):
            motif_search.find_motif(found, order, wrong)


def test_motifs_take_the_codes_of_their_alphabet():
    found = alignment("MNQSTX", kind=SequenceType.PROTEIN)
    assert motif_search.find_motif(found, np.arange(1), "NXS").tolist() == [[0, 1, 4]]
    assert motif_search.find_motif(found, np.arange(1), "BQ").tolist() == [[0, 1, 3]]
    assert motif_search.find_motif(alignment("ACGGT"), np.arange(1), "RGT").tolist() == [[0, 2, 5]]


PALETTE = np.array([[0, 0, 0], [255, 0, 0], [0, 200, 0], [0, 0, 100]], np.uint8)
CODES = np.ones((1, column_statistics.CLASSES), np.uint8)
CODES[0, [0, 1, 3]] = 0, 2, 3


def painted(rows_: list[str], height: int, width: int, most: int = 8) -> np.ndarray:
    found = alignment(*rows_)
    picture = np.zeros((height, width), np.uint32)
    shape = found.letters.shape
    down, across = (
        cell_pixels.pixel_edges(0, pixels / cells, pixels, cells)
        for pixels, cells in zip((height, width), shape, strict=True)
    )
    cell_pixels.paint_cells(
        BlockedCells.of(found.letters), np.arange(shape[0]), down, across, CODES, PALETTE, 0x123456, picture, most
    )
    return picture


def test_large_cells_are_squares_and_small_ones_means():
    picture = painted(["AC", "G-"], 4, 6)
    assert (picture[:2, :3] == 0xFF00C800).all() and (picture[:2, 3:] == 0xFF000064).all()
    assert (picture[2:, :3] == 0xFFFF0000).all() and (picture[2:, 3:] == 0xFF000000).all()
    assert painted(["AC", "G-"], 1, 1)[0, 0] == 0xFF000000 | (255 // 4) << 16 | (200 // 4) << 8 | 100 // 4
    many = painted(["AC" * 50] * 40, 2, 4)
    # 64 samples of 0 or 200: four standard deviations are 50. Steps that meet every second column alone miss by 100.
    assert np.abs((many >> 8 & 255).astype(int) - 100).max() <= 50
    beyond = np.zeros((1, 3), np.uint32)
    edges = cell_pixels.pixel_edges(0, 1, 3, 2)
    found = alignment("AC")
    cell_pixels.paint_cells(
        BlockedCells.of(found.letters), np.arange(1), edges[:2], edges, CODES, PALETTE, 0x123456, beyond
    )
    assert beyond[0].tolist() == [0xFF00C800, 0xFF000064, 0xFF123456]


def test_bars_and_letters_take_the_pixels_they_should():
    picture = np.zeros((4, 3), np.uint32)
    cell_pixels.paint_bars(np.array([0.5, 1, 0, 0.25]), np.array([0, 1, 2, 4]), 0xFF, picture)
    assert [(picture[:, x] > 0).sum() for x in range(3)] == [2, 4, 1] and picture[3, 0] == 0xFF0000FF
    glyphs = np.zeros((column_statistics.CLASSES, 2, 2), np.uint8)
    glyphs[1] = 255
    picture = np.full((4, 4), 0xFF000000, np.uint32)
    inks = np.full((4, 3), 255, np.uint8)
    found, shown = alignment("AC", "CA"), np.ones((1, column_statistics.CLASSES), np.uint8)
    tops = lefts = np.array([-1, 2])
    cell_pixels.paint_letters(
        BlockedCells.of(found.letters), np.arange(2), tops, lefts, 0, 0, CODES, PALETTE, inks, shown, glyphs, picture
    )
    assert (picture == 0xFFFFFFFF).tolist() == [[x == y == 0 or (x > 1 and y > 1) for x in range(4)] for y in range(4)]


def test_ink_is_mixed_with_the_colour_that_is_there():
    """That of the letter's own cell, or of the one beside it where letters are wider than cells."""
    found = alignment("AAAA")
    glyphs = np.zeros((column_statistics.CLASSES, 1, 2), np.uint8)
    glyphs[1] = 51, 102
    own = PALETTE[CODES[0, 1]].astype(int)
    below = np.array([own, own, [10, 20, 30], own])
    colours = (0xFF000000 | below @ [1 << 16, 1 << 8, 1]).astype(np.uint32)
    picture, inks = colours[None].copy(), np.full((4, 3), 250, np.uint8)
    shown, lefts = np.ones((1, column_statistics.CLASSES), np.uint8), np.array([0, 2])
    one = np.zeros(1, np.int64)
    cell_pixels.paint_letters(
        BlockedCells.of(found.letters), one, one, lefts, 0, 0, CODES, PALETTE, inks, shown, glyphs, picture
    )
    share = np.array([51, 102, 51, 102])[:, None]
    expected = (below * (255 - share) + 250 * share) // 255
    assert picture[0].tolist() == (0xFF000000 | expected @ [1 << 16, 1 << 8, 1]).tolist()


def test_a_class_for_every_letter():
    shown = bytes(column_statistics.CLASS_LETTER[column_statistics.LETTER_CLASS[list(b"-AZ*")]])
    assert shown == b"-AZ*" and re.fullmatch(rb"-[A-Z]{26}\*", bytes(column_statistics.CLASS_LETTER))
