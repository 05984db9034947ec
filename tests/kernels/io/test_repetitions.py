"""Files in which one thing stands very often are read, or refused, at once: superlinear readers would take minutes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.alignments import row_notes, row_statistics, source_positions
from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import graph_reader as graphs
from antidiag.kernels.io import aligned_sequences, distance_files, sequences, tree_files
from antidiag.kernels.io.alignment_formats import maf
from antidiag.kernels.io.flat_file_records import SWISS_HEAD
from antidiag.kernels.products import matrix

OFTEN = 300_000


def _at(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("blanks", [1, OFTEN])
def test_blanks_between_tree_and_its_name(tmp_path: Path, blanks: int) -> None:
    start, many = "#NEXUS\nbegin trees;\n", " " * blanks
    (tree,) = tree_files.read_trees(_at(tmp_path, "a.nex", f"{start}tree{many}*{many}best one{many}= (a,b);\nend;\n"))
    assert (tree.name, tree.taxa) == ("best one", ("a", "b"))
    with pytest.raises(InputError, match="no tree in a TREES block"):
        tree_files.read_trees(_at(tmp_path, "b.nex", f"{start}tree{many}best;\nend;\n"))


@pytest.mark.slow
def test_very_many_trees_of_one_node(tmp_path: Path) -> None:
    trees = tree_files.read_trees(_at(tmp_path, "a.nwk", "(b,c);" + " 'a b' ;" * 50_000))
    assert len(trees) == 50_001 and {tree.names for tree in trees[1:]} == {("a b",)}
    assert trees[-1].parents.tolist() == [-1] and np.isnan(trees[-1].lengths).all()
    assert trees[-1].name == "a 50001"


@pytest.mark.parametrize("words", [1, OFTEN])
def test_words_that_begin_a_command_of_nexus(tmp_path: Path, words: int) -> None:
    text = f"#NEXUS\nbegin data;\n{{}}{'format dimensions ' * words}\nmatrix\na AC\nb A-\n;\nend;\n"
    (plain,) = aligned_sequences.read_alignments(_at(tmp_path, "a.nex", text.format("")))
    (gaps,) = aligned_sequences.read_alignments(_at(tmp_path, "a.nex", text.format("format gap=C;\n")))
    assert (plain.letters.tobytes(), gaps.letters.tobytes()) == (b"ACA-", b"A-A-")


@pytest.mark.parametrize("bracket", ["{", "(", "{A", "N=("])
def test_sets_of_letters_of_nexus_without_an_end(tmp_path: Path, bracket: str) -> None:
    text = "#NEXUS\nbegin data;\nformat {}missing=?;\nmatrix\na A{}\nb A-\n;\nend;\n"
    with pytest.raises(InputError, match="no partner"):
        aligned_sequences.read_alignments(_at(tmp_path, "a.nex", text.format("", bracket * OFTEN)))
    equate = f'equate="{bracket * OFTEN}" '
    assert aligned_sequences.read_alignments(_at(tmp_path, "b.nex", text.format(equate, "C")))[0].names == ("a", "b")


@pytest.mark.parametrize("digits", [30, OFTEN])
def test_digits_in_a_name_and_a_number_of_nexus(tmp_path: Path, digits: int) -> None:
    text = f"#NEXUS\nbegin data;\ndimensions nchar={'9' * digits};\nmatrix\na AC\nb{'1' * digits} A-\n;\nend;\n"
    assert aligned_sequences.read_alignments(_at(tmp_path, "a.nex", text))[0].names[1] == "b" + "1" * digits
    with pytest.raises(InputError, match="1 columns, but a has 2"):
        sequences.read_sequences(_at(tmp_path, "b.nex", text.replace(" A-", " A")))


@pytest.mark.parametrize("often", [1, OFTEN])
def test_blanks_and_letters_in_the_head_of_phylip(tmp_path: Path, often: int) -> None:
    blanks, name = " " * often, "a" * often
    (found,) = aligned_sequences.read_alignments(_at(tmp_path, "a.phy", f"2 2{blanks}\n{blanks}{name} AC\nb A-\n"))
    assert found.names == (name, "b")
    large = "9" * (often + 18)
    for text in (f"2 2{blanks}x\na AC\nb A-\n", f"2 2\n{name} 1\nb A-\n", f"2 {large}\na AC\n"):
        with pytest.raises(InputError, match="not an alignment in"):
            aligned_sequences.read_alignments(_at(tmp_path, "b.phy", text))


@pytest.mark.parametrize("often", [1, OFTEN])
def test_what_swiss_prot_says_of_an_entry(often: int) -> None:
    assert SWISS_HEAD.match(b"ID   " + b"Reviewed; " * often + b"3 AA.")
    assert not SWISS_HEAD.match(b"ID   " + b"Reviewed; " * often + b"3 A")


def test_edges_without_weights_beside_a_long_declaration(tmp_path: Path) -> None:
    often = 20_000
    nodes, edges = '<node id="a"/><node id="b"/>', '<edge source="a" target="b"/>' * often
    key = f'<key id="w" for="edge" attr.name="weight">{"<x/>" * often}<default>2.5</default></key>'
    (graph,) = graphs.read_graph(_at(tmp_path, "a.graphml", f"<graphml>{key}<graph>{nodes}{edges}</graph></graphml>"))
    assert graph.weights[0, 1] == 2.5


def test_a_table_of_many_columns_and_a_number_of_many_digits(tmp_path: Path) -> None:
    (alignment,) = aligned_sequences.read_alignments(_at(tmp_path, "a.fa", ">one\nA-\n>two\nAC\n"))
    titles = [f"tag{number}" for number in range(30_000)]
    said = {"one": ["7" * 100_000 + "x", *["y"] * 29_999], "two": ["8", *["z"] * 29_999]}
    lines = [",".join(words) for words in (["name", *titles], *([row, *one] for row, one in said.items()))]
    table = row_notes.read_note_table(_at(tmp_path, "a.csv", "\n".join(lines)))
    changed, met = row_notes.add_note_table(alignment, table, "")
    assert met == 2 and row_notes.note_tags(changed) == titles
    assert changed.annotations.of_rows[1:4] == ((1, "tag0", "8"), (0, "tag1", "y"), (1, "tag1", "z"))
    assert row_notes.sort_rows_by_note(changed, np.arange(2), "tag0").tolist() == [0, 1]
    assert row_notes.add_note_table(changed, table, "")[0] is changed


def test_a_field_that_no_table_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv, line 2: field larger than"):
        row_notes.read_note_table(_at(tmp_path, "a.csv", f'name,tag\none,"{"x" * OFTEN}\n'))


def test_a_name_of_several_lines_is_told_in_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 5: a b occurs twice"):
        row_notes.read_note_table(_at(tmp_path, "a.csv", 'name,tag\n"a\nb",1\n"a\nb",2\n'))


@pytest.mark.parametrize(
    ("cigar", "tag", "why"),
    [
        ("9" * 5000 + "M", "MD:Z:2", "more than any sequence has"),
        ("2M" + "9" * 12 + "D", "MD:Z:2", "MD and CIGAR contradict"),
        ("1M" + "9" * 12 + "I", "MD:Z:1", "1,000,000,000,000 letters of the query, but the record has 2"),
        ("2M", "MD:Z:" + "9" * 5000, "MD and CIGAR contradict"),
        ("2M", "cs:Z::" + "9" * 5000, "more than any sequence has"),
        ("3M", "MD:Z:3", "3 letters of the query, but the record has 2"),
    ],
)
def test_numbers_of_sam_that_no_sequence_has(tmp_path: Path, cigar: str, tag: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        aligned_sequences.read_alignments(_at(tmp_path, "a.sam", f"r\t0\tc\t1\t60\t{cigar}\t*\t0\t0\tAC\t*\t{tag}\n"))


def test_digits_that_are_no_operation_of_sam(tmp_path: Path) -> None:
    lines = [f"r\t0\tc\t1\t60\t{cigar}\t*\t0\t0\tAC\t*\tMD:Z:2\n" for cigar in ("2M", "2M" + "9" * OFTEN)]
    with pytest.raises(InputError, match=r"line 2: .* is not a CIGAR"):
        aligned_sequences.read_alignments(_at(tmp_path, "a.sam", "".join(lines)))


def test_sizes_of_phylip_are_numbers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: PHYLIP begins with two numbers"):
        aligned_sequences.read_alignments(_at(tmp_path, "a.phy", "2 15AC\none AC-GT\ntwo ACCGT\n"))
    assert aligned_sequences.read_alignments(_at(tmp_path, "b.phy", "2 5 I\none AC-GT\ntwo ACCGT\n"))[
        0
    ].letters.shape == (2, 5)


@pytest.mark.parametrize("read", [distance_files.read_distances, matrix.read_matrix])
def test_a_header_of_an_array_that_is_too_deep(tmp_path: Path, read: Callable[[Path], object]) -> None:
    header = b"(" * 5000
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(InputError, match="not a valid NPY file"):
        read(path)


def test_a_pair_without_columns_is_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 record, without"):
        aligned_sequences.read_alignments(_at(tmp_path, "a.sam", "r\t0\tc\t1\t60\t5H\t*\t0\t0\t*\t*\tMD:Z:0\n"))


def test_insertions_that_fill_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _at(tmp_path, "a.a3m", f">a\nA{'c' * 1000}\n" + ">b\nA\n" * 999)
    assert aligned_sequences.read_alignments(path)[0].letters.shape == (1000, 1001)
    monkeypatch.setattr("antidiag.kernels.memory.host_bytes_free", lambda: 1_000_999)
    with pytest.raises(InputError, match="1,000 rows with all their insertions have 1,001 columns"):
        aligned_sequences.read_alignments(path)


@pytest.mark.parametrize("name", ["\u00b2", "1" * 5000, "a" + "1" * 5000 + "b"])
def test_rows_are_sorted_by_names_of_any_digits(tmp_path: Path, name: str) -> None:
    names = ["a10", "a9", "a09", "10", "9", name]
    (alignment,) = aligned_sequences.read_alignments(_at(tmp_path, "a.fa", "".join(f">{one}\nA-\n" for one in names)))
    found = [names[row] for row in row_statistics.sort_rows(alignment, np.arange(6), "name").tolist()]
    assert [one for one in found if one != name] == ["9", "10", "a09", "a9", "a10"]


def test_places_of_rows_are_numbers_that_can_be_counted() -> None:
    assert source_positions.PAIR_POSITION.fullmatch("1,234 +") and maf.SOURCE_RANGE.fullmatch("1 2 + 3")
    for said in (",,, +", "9" * 5000 + " +"):
        assert not source_positions.PAIR_POSITION.fullmatch(said)
    assert not maf.SOURCE_RANGE.fullmatch(f"{'9' * 5000} 2 + 3")
