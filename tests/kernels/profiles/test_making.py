"""Profiles as users ask for them: weights, guide trees, letters of the background, and alignments of a window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles import PROFILES, profile, profile_builder, profile_files
from antidiag.kernels.profiles.column_scores import sequence_logo
from antidiag.kernels.profiles.profile import generate_profile, profile_from_alignment
from antidiag.kernels.trees import alignment_guide

ROWS = {"near": "ACDEFGHIKL", "same": "ACDEFGHIKL", "far": "MNPQRSTVWY", "gaps": "AC--FG--KL"}


def alignment(rows: dict[str, str] = ROWS) -> AlignedSequences:
    letters = np.array([np.frombuffer(row.encode(), np.uint8) for row in rows.values()])
    return AlignedSequences(tuple(rows), letters, SequenceType.PROTEIN, "four", "four.aln")


def test_an_alignment_stands_for_a_profile() -> None:
    first, second = alignment(), alignment({"one": "ACD"})
    problem = PROFILES.make_problem([first, second], {})
    assert problem.data == (profile_from_alignment(first), profile_from_alignment(second))
    assert profile_files.PROFILE.convert_datum(first) is profile_files.PROFILE.convert_datum(first), (
        "it is counted once"
    )
    assert profile_files.PROFILE.accepts(first) and not profile_files.PROFILE.accepts("ACD")
    with pytest.raises(InputError, match="2 profiles; got 1"):
        PROFILES.make_problem([first], {})


def test_rows_alike_count_less_by_a_guide_tree() -> None:
    tree = alignment_guide.make_guide_tree(alignment())
    assert set(tree.taxa) == set(ROWS)
    made = profile_builder.build_profile(alignment(), tree)
    weights = dict(zip(made.names, made.weights.tolist(), strict=True))
    assert weights["far"] == 1 and weights["near"] == weights["same"] < weights["far"]
    expected = dict(zip(tree.taxa, leaf_weights(tree).tolist(), strict=True))
    assert weights == expected
    assert made.source == "" and "guide tree" in made.note, "the file alone does not give it again"


@pytest.mark.parametrize("rows", [1, alignment_guide.MOST_ROWS + 1])
def test_no_guide_tree_of_one_row_or_of_too_many(rows: int) -> None:
    letters = np.full((rows, 2), ord("A"), np.uint8)
    found = AlignedSequences(tuple(f"r{row}" for row in range(rows)), letters, SequenceType.PROTEIN, "many")
    with pytest.raises(InputError, match=r"many: (one row has|10,001 rows)"):
        alignment_guide.make_guide_tree(found)


def test_two_rows_have_a_guide_tree() -> None:
    tree = alignment_guide.make_guide_tree(alignment({"a": "ACDEF", "b": "ACDEY"}))
    assert profile_builder.build_profile(alignment({"a": "ACDEF", "b": "ACDEY"}), tree).weights.tolist() == [1, 1]


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";"])
def test_weights_are_read_by_name(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "weights.txt"
    path.write_text("\n".join(f"{name}{separator}{number}" for number, name in enumerate(reversed(list(ROWS)), 1)))
    assert np.array_equal(profile_builder.read_weights(path, tuple(ROWS)), [4, 3, 2, 1])


def test_a_tree_file_is_a_tree(tmp_path: Path) -> None:
    path = tmp_path / "guide.nwk"
    path.write_text("((near:1,same:1):2,(far:5,gaps:1):1);")
    found = profile_builder.read_weights(path, tuple(ROWS))
    assert found == newick.parse_newick(path.read_text())[0]
    assert profile_builder.build_profile(alignment(), found).weights[list(ROWS).index("far")] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("near 1\nsame 1\nfar 1", "row gaps has no weight"),
        ("near 1\nnear 2", "line 2: near has two weights"),
        ("near one", "line 1: 'near one' is not a name and a weight"),
        ("near -1", "is not a name and a weight of at least 0"),
    ],
)
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "weights.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        profile_builder.read_weights(path, tuple(ROWS))


def test_pseudocounts_survive_a_file_and_are_not_added_twice(tmp_path: Path) -> None:
    made = profile_builder.build_profile(alignment(), [1, 1, 2, 1], 1.5, "mixed")
    assert made.pseudocounts == 1.5 and (made.frequencies[:-1] > 0).all()
    assert np.allclose(made.frequencies.sum(axis=0), 1)
    assert np.array_equal(made.frequencies[-1], profile_from_alignment(alignment(), [1, 1, 2, 1]).frequencies[-1])
    profile_files.write_profile(tmp_path / "mixed.json", made)
    (again,) = profile_files.read_profile(tmp_path / "mixed.json")
    assert again == made and again.pseudocounts == 1.5
    assert profile_files.file_holds_profile(tmp_path / "mixed.json")
    with pytest.raises(ParameterError, match=r"already contains 1\.5 background letters"):
        profile_builder.add_background(made, 1)
    with pytest.raises(ParameterError, match="pseudocounts=-1"):
        profile_builder.add_background(profile_from_alignment(alignment()), -1)


def test_a_logo_tells_what_a_column_has() -> None:
    rows = {"a": "AAA-", "b": "AC--", "c": "AA--", "d": "AC--"}
    heights = sequence_logo.logo_heights(profile_from_alignment(alignment(rows)))
    most = np.log2(20)
    assert np.allclose(heights.sum(axis=0), [most, most - 1, 0.25 * most, 0])
    assert heights[0, 1] == heights[1, 1], "two letters alike"
    assert sequence_logo.frequent_symbols(profile_from_alignment(alignment(rows)), 1) == [("A", 0.5), ("C", 0.5)]
    part = generate_profile(40, np.random.default_rng(1))
    assert np.array_equal(sequence_logo.logo_heights(part, 5, 9), sequence_logo.logo_heights(part)[:, 5:9])


def test_many_letters_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {f"r{row}": "ACDXB-"[row % 6 :] + "ACDXB-"[: row % 6] for row in range(20)}
    weights = np.random.default_rng(4).random(20)
    few = profile_from_alignment(alignment(rows), weights)
    monkeypatch.setattr(profile, "MANY", 0)
    assert np.allclose(
        profile_from_alignment(alignment(rows), weights).frequencies, few.frequencies, rtol=0, atol=1e-15
    )


def test_the_strongest_of_neighbours() -> None:
    values = np.array([[1.0, 5, 2, 3, 4]])
    assert sequence_logo.group_maxima(values, 2).tolist() == [[5, 4]]
    assert sequence_logo.group_maxima(values, 5).tolist() == values.tolist()


def test_what_a_file_gives_keeps_its_name() -> None:
    plain = profile_builder.build_profile(alignment())
    assert plain.source == "four.aln" and plain == profile_from_alignment(alignment())
    assert profile_builder.build_profile(replace(alignment(), name="other")).name == "other"
