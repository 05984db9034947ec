"""Names of taxa are there once: in what is read, and in every file that is written."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from Bio import AlignIO, Phylo
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, distance_files, newick, phylip_distances, tree_files, unique_names
from antidiag.kernels.io.alignment_writer import nexus_pieces
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method
from antidiag.kernels.trees.distances import problem as rules
from tests.problems import sequence


@given(st.lists(st.sampled_from(["A", "B", "A_2", "A_3", ""]), max_size=12))
def test_distinct_names_differ_and_first_ones_stay(given_names: list[str]) -> None:
    found = unique_names.make_names_unique(given_names)
    assert len(set(found)) == len(found) == len(given_names)
    for number, (before, after) in enumerate(zip(given_names, found, strict=True)):
        first = before not in given_names[:number]
        assert after == before if first else after.startswith(f"{before}_")
    twice = unique_names.first_repeated(given_names)
    assert (twice is None) == (found == tuple(given_names))
    assert twice is None or given_names[twice[0]] == given_names[twice[1]]


@pytest.mark.parametrize("repeated", [False, True])
def test_a_name_of_very_many_that_is_there_twice_is_found(repeated: bool) -> None:
    given_names = [f"n{number}" for number in range(20_001)]
    given_names[-1] = given_names[0] if repeated else "other"
    expected = (*given_names[:-1], "n0_2" if repeated else "other")
    assert unique_names.make_names_unique(given_names) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("3\nA 0 1 2\nA 1 0 3\nC 2 3 0\n", "2 and 3"),
        ("3\nA\n\nB 1\nA 2\n 3\n", "2 and 5"),
        ("2\nHomo sapie 0 1\nHomo sapie 1 0\n", "2 and 3"),
    ],
)
def test_a_matrix_with_equal_names_is_refused_with_both_lines(text: str, lines: str) -> None:
    with pytest.raises(InputError, match=rf"m.phy, lines {lines}: taxon (A|Homo sapie) occurs twice; rename"):
        phylip_distances.parse_phylip(text.encode(), "m.phy", "m", Monitor())


def test_an_array_with_equal_names_is_refused_with_both_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", 1 - np.eye(3))
    (tmp_path / "m.names").write_text("A\nB\nA\n")
    with pytest.raises(InputError, match="m.npy: taxon A occurs twice, in rows 1 and 3"):
        distance_files.read_distances(tmp_path / "m.npy")


def test_written_matrices_have_every_name_once(tmp_path: Path) -> None:
    matrix = make_distance_matrix(("A B", "A_B", "A  B"), 1 - np.eye(3))
    for name, expected in (("m.phy", ("A_B", "A_B_2", "A_B_3")), ("m.npy", ("A B", "A_B", "A B_2"))):
        distance_files.write_distances(tmp_path / name, matrix)
        (found,) = distance_files.read_distances(tmp_path / name)
        assert found.names == expected


def test_leaves_with_equal_names_are_made_different_with_a_note() -> None:
    (tree,) = newick.parse_newick("((A:1,A:2)A:1,'A_2':3,(,)90);")
    assert tree.taxa == ("A", "A_3", "A_2", "", "")
    assert tree.note == "equal names made different: A_3"
    assert newick.parse_newick("(A,B)A;")[0].note == ""


def test_written_trees_have_every_leaf_once() -> None:
    tree = Tree(("", "A", "A", "", ""), np.array([-1, 0, 0, 0, 0]), np.full(5, np.nan))
    assert newick.newick_text(tree) == "(A,A_2,,);"
    assert "NTAX=4;" in "".join(tree_files.nexus_file_lines([tree, tree]))
    text = "".join(tree_files.nexus_file_lines([tree]))
    assert [leaf.name for leaf in Phylo.read(io.StringIO(text), "nexus").get_terminals()] == [
        "A",
        "A_2",
        "unnamed-3",
        "unnamed-4",
    ]
    assert all(f"    {name}\n" in text for name in ("A", "A_2", "unnamed-3", "unnamed-4"))


@pytest.mark.parametrize(
    "problem", [rules.FULL_DISTANCES, rules.KTUPLE_DISTANCES, rules.SIXMER_DISTANCES], ids=lambda problem: problem.id
)
def test_sequences_with_equal_names_are_all_in_the_matrix(problem) -> None:
    found = [sequence("ACDEFGHI", name, SequenceType.PROTEIN) for name in ("A", "B", "A")]
    built = problem.build_problem(found, {})
    known = {"full-distances": "distance-full", "ktuple-distances": "distance-ktuple"}.get(problem.id, "distance-6mer")
    result = engine.execute(engine.plan_run(find_method(known), built, {}, "cpu"))
    result.check(built)
    assert result.answer.distances.names == ("A", "B", "A_2")
    assert "Sequences with equal names made different: A_2." in result.notes


def test_rows_with_equal_names_are_all_in_the_matrix(tmp_path: Path) -> None:
    path = tmp_path / "rows.fa"
    path.write_text(">A\nAC\n>A\nAG\n")
    problem = rules.ALIGNMENT_DISTANCES.build_problem(aligned_sequences.read_alignments(path), {})
    result = engine.execute(engine.plan_run(find_method("distance-alignment"), problem, {}, "cpu"))
    assert result.answer.distances.names == ("A", "A_2")
    assert "Rows with equal names made different: A_2." in result.notes


@pytest.mark.parametrize(
    ("problem", "letters", "told"),
    [
        (rules.SIXMER_DISTANCES, "ACDEF", "no word of 6 letters"),
        (rules.SIXMER_DISTANCES, "ACDEFXXX", "no word of 6 letters"),
        (rules.KTUPLE_DISTANCES, "", ""),
        (rules.SIXMER_DISTANCES, "ACDEFG", ""),
    ],
)
def test_sequences_without_a_word_are_told(problem, letters: str, told: str) -> None:
    found = [sequence(letters or "A", name, SequenceType.PROTEIN) for name in ("A", "B")]
    notes = " ".join(problem.build_problem(found, {}).notes)
    assert ("2 sequences have" in notes and told in notes) if told else not notes


def test_a_sequence_without_a_ktuple_is_told() -> None:
    found = [sequence("A", "a", SequenceType.PROTEIN), sequence("ACD", "b", SequenceType.PROTEIN)]
    (note,) = rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": 2}).notes
    assert note.startswith("1 sequence has no word of 2 letters: the distance to every other is 1")


@pytest.mark.parametrize("name", ["unnamed-3", "a+b", "it's", "a:b", "plain_1.2"])
def test_names_of_rows_in_nexus_are_read_elsewhere(name: str) -> None:
    rows = np.frombuffer(b"ACGTAC-T", np.uint8).reshape(2, 4)
    alignment = aligned_sequences.AlignedSequences((name, "other"), rows, SequenceType.DNA)
    text = b"".join(nexus_pieces(alignment)).decode()
    assert AlignIO.read(io.StringIO(text), "nexus")[0].id == name
