"""Profiles as users ask for them: weights, guide trees, letters of the background, and alignments of a window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles import PROFILES, columns, files, making, profile
from antidiag.kernels.profiles.profile import from_alignment, random_profile
from antidiag.kernels.trees import guide

ROWS = {"near": "ACDEFGHIKL", "same": "ACDEFGHIKL", "far": "MNPQRSTVWY", "gaps": "AC--FG--KL"}


def alignment(rows: dict[str, str] = ROWS) -> AlignedSequences:
    letters = np.array([np.frombuffer(row.encode(), np.uint8) for row in rows.values()])
    return AlignedSequences(tuple(rows), letters, SequenceType.PROTEIN, "four", "four.aln")


def test_an_alignment_stands_for_a_profile() -> None:
    first, second = alignment(), alignment({"one": "ACD"})
    problem = PROFILES.make([first, second], {})
    assert problem.data == (from_alignment(first), from_alignment(second))
    assert files.PROFILE.taken(first) is files.PROFILE.taken(first), "it is counted once"
    assert files.PROFILE.takes(first) and not files.PROFILE.takes("ACD")
    with pytest.raises(InputError, match="2 profiles, and 1 was given"):
        PROFILES.make([first], {})


def test_rows_alike_count_less_by_a_guide_tree() -> None:
    tree = guide.of_alignment(alignment())
    assert set(tree.taxa) == set(ROWS)
    made = making.profile_of(alignment(), tree)
    weights = dict(zip(made.names, made.weights.tolist(), strict=True))
    assert weights["far"] == 1 and weights["near"] == weights["same"] < weights["far"]
    expected = dict(zip(tree.taxa, leaf_weights(tree).tolist(), strict=True))
    assert weights == expected
    assert made.source == "" and "guide tree" in made.note, "the file alone does not give it again"


@pytest.mark.parametrize("rows", [1, guide.MOST_ROWS + 1])
def test_no_guide_tree_of_one_row_or_of_too_many(rows: int) -> None:
    letters = np.full((rows, 2), ord("A"), np.uint8)
    found = AlignedSequences(tuple(f"r{row}" for row in range(rows)), letters, SequenceType.PROTEIN, "many")
    with pytest.raises(InputError, match=r"many: (one row has|10,001 rows)"):
        guide.of_alignment(found)


def test_two_rows_have_a_guide_tree() -> None:
    tree = guide.of_alignment(alignment({"a": "ACDEF", "b": "ACDEY"}))
    assert making.profile_of(alignment({"a": "ACDEF", "b": "ACDEY"}), tree).weights.tolist() == [1, 1]


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";"])
def test_weights_are_read_by_name(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "weights.txt"
    path.write_text("\n".join(f"{name}{separator}{number}" for number, name in enumerate(reversed(list(ROWS)), 1)))
    assert np.array_equal(making.read_weights(path, tuple(ROWS)), [4, 3, 2, 1])


def test_a_tree_file_is_a_tree(tmp_path: Path) -> None:
    path = tmp_path / "guide.nwk"
    path.write_text("((near:1,same:1):2,(far:5,gaps:1):1);")
    found = making.read_weights(path, tuple(ROWS))
    assert found == newick.parse(path.read_text())[0]
    assert making.profile_of(alignment(), found).weights[list(ROWS).index("far")] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("near 1\nsame 1\nfar 1", "no weight of the row gaps"),
        ("near 1\nnear 2", "line 2: a second weight of near"),
        ("near one", "line 1: 'near one' is no name with a weight"),
        ("near -1", "is no name with a weight of 0 or more"),
    ],
)
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "weights.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        making.read_weights(path, tuple(ROWS))


def test_pseudocounts_survive_a_file_and_are_not_added_twice(tmp_path: Path) -> None:
    made = making.profile_of(alignment(), [1, 1, 2, 1], 1.5, "mixed")
    assert made.pseudocounts == 1.5 and (made.frequencies[:-1] > 0).all()
    assert np.allclose(made.frequencies.sum(axis=0), 1)
    assert np.array_equal(made.frequencies[-1], from_alignment(alignment(), [1, 1, 2, 1]).frequencies[-1])
    files.write(tmp_path / "mixed.json", made)
    (again,) = files.read(tmp_path / "mixed.json")
    assert again == made and again.pseudocounts == 1.5
    assert files.holds(tmp_path / "mixed.json")
    with pytest.raises(ParameterError, match=r"has 1\.5 letters of the background"):
        making.with_background(made, 1)
    with pytest.raises(ParameterError, match="pseudocounts=-1"):
        making.with_background(from_alignment(alignment()), -1)


def test_a_logo_tells_what_a_column_has() -> None:
    rows = {"a": "AAA-", "b": "AC--", "c": "AA--", "d": "AC--"}
    heights = columns.logo(from_alignment(alignment(rows)))
    most = np.log2(20)
    assert np.allclose(heights.sum(axis=0), [most, most - 1, 0.25 * most, 0])
    assert heights[0, 1] == heights[1, 1], "two letters alike"
    assert columns.leading(from_alignment(alignment(rows)), 1) == [("A", 0.5), ("C", 0.5)]
    part = random_profile(40, np.random.default_rng(1))
    assert np.array_equal(columns.logo(part, 5, 9), columns.logo(part)[:, 5:9])


def test_many_letters_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {f"r{row}": "ACDXB-"[row % 6 :] + "ACDXB-"[: row % 6] for row in range(20)}
    weights = np.random.default_rng(4).random(20)
    few = from_alignment(alignment(rows), weights)
    monkeypatch.setattr(profile, "MANY", 0)
    assert np.allclose(from_alignment(alignment(rows), weights).frequencies, few.frequencies, rtol=0, atol=1e-15)


def test_the_strongest_of_neighbours() -> None:
    values = np.array([[1.0, 5, 2, 3, 4]])
    assert columns.strongest(values, 2).tolist() == [[5, 4]]
    assert columns.strongest(values, 5).tolist() == values.tolist()


def test_what_a_file_gives_keeps_its_name() -> None:
    plain = making.profile_of(alignment())
    assert plain.source == "four.aln" and plain == from_alignment(alignment())
    assert making.profile_of(replace(alignment(), name="other")).name == "other"
