"""Profiles as data: what alignments, weights and files make of them, and how they are rounded."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.profiles import profile_files
from antidiag.kernels.profiles.column_scores.encoding import round_frequencies
from antidiag.kernels.profiles.column_scores.scoring import FREQUENCY_UNITS, mix_pseudocounts
from antidiag.kernels.profiles.profile import (
    NUCLEOTIDES,
    PROTEIN,
    Profile,
    generate_profile,
    profile_from_alignment,
    profile_from_frequencies,
    profile_from_sequence,
)
from antidiag.kernels.registry import data_loading


def aligned(*rows: str, kind: SequenceType = SequenceType.DNA) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    return AlignedSequences(tuple(f"row{number}" for number in range(len(rows))), letters, kind)


def test_frequencies_are_those_of_the_thesis() -> None:
    """The first alignment of figure 2.4, whose profile is figure 2.5."""
    profile = profile_from_alignment(aligned("-AGCGG-", "ACGTCGC", "-TGCTG-"))
    third = 1 / 3
    expected = [
        [third, third, 0, 0, 0, 0, 0],
        [0, third, 0, 2 * third, third, 0, third],
        [0, 0, 1, 0, third, 1, 0],
        [0, third, 0, third, third, 0, 0],
        [2 * third, 0, 0, 0, 0, 0, 2 * third],
    ]
    np.testing.assert_allclose(profile.frequencies, expected)
    assert profile.alphabet == NUCLEOTIDES
    assert profile.consensus == "AAGCCGC"


def test_ambiguous_letters_count_in_parts() -> None:
    assert profile_from_alignment(aligned("U", "R", "N", "-")).frequencies[:, 0].tolist() == [
        0.1875,
        0.0625,
        0.1875,
        0.3125,
        0.25,
    ]
    protein = profile_from_alignment(aligned("BX", kind=SequenceType.PROTEIN)).frequencies
    assert protein[[PROTEIN.index("D"), PROTEIN.index("N")], 0].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(protein[:-1, 1], 1 / 20)


def test_weights_are_given_or_those_of_a_tree() -> None:
    rows = aligned("A", "C", "G")
    assert profile_from_alignment(rows, [1, 2, 1]).frequencies[:, 0].tolist() == [0.25, 0.5, 0.25, 0, 0]
    (tree,) = newick.parse_newick("((row0:1,row2:1):1,row1:4);")
    found = profile_from_alignment(rows, tree)
    # Up to the root row0 and row2 have an edge of 1 each and half of one of 1, row1 one of 4; the largest becomes 1.
    assert found.weights.tolist() == [1.5 / 4, 1, 1.5 / 4]
    np.testing.assert_allclose(found.frequencies[:3, 0], [1.5 / 7, 4 / 7, 1.5 / 7])


@pytest.mark.parametrize("weights", [[1], [1, -1, 1], [0, 0, 0], [1, np.nan, 1]])
def test_wrong_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ParameterError, match="3 rows need one weight each"):
        profile_from_alignment(aligned("A", "C", "G"), weights)


def test_a_tree_without_a_row_is_refused() -> None:
    (tree,) = newick.parse_newick("(row0:1,other:1);")
    with pytest.raises(InputError, match="row1 is not a leaf"):
        profile_from_alignment(aligned("A", "C"), tree)


def test_a_column_of_blanks_has_no_letter() -> None:
    profile = profile_from_frequencies(np.array([[0.4, 0, 0], [0, 0, 1], [0.6, 1, 0]]), "AC-", SequenceType.DNA)
    assert profile.consensus == "A-C"
    ((sequence, row),) = profile.rows
    assert (sequence.letters, row.tobytes()) == (b"AC", b"A-C")


def test_any_alphabet() -> None:
    profile = profile_from_alignment(aligned("HP", "H-"), alphabet="HP-")
    assert profile.frequencies.tolist() == [[1, 0], [0, 0.5], [0, 0.5]]
    with pytest.raises(InputError, match="row1, column 2: 'X' is not in the alphabet"):
        profile_from_alignment(aligned("HP", "HX"), alphabet="HP-")
    with pytest.raises(ParameterError, match="'-' last"):
        profile_from_alignment(aligned("HP"), alphabet="HP")


def test_rounded_columns_sum_to_one_and_stay_near() -> None:
    profile = generate_profile(500, np.random.default_rng(1))
    rounded = round_frequencies(profile.frequencies)
    assert (rounded.sum(axis=0) == FREQUENCY_UNITS).all()
    assert np.abs(rounded / FREQUENCY_UNITS - profile.frequencies).max() < 1 / FREQUENCY_UNITS


def test_pseudocounts_leave_blanks_as_they_are() -> None:
    profile = profile_from_alignment(aligned("AA", "A-"))
    mixed = mix_pseudocounts(profile, 2)
    np.testing.assert_allclose(mixed.sum(axis=0), 1)
    np.testing.assert_allclose(mixed[:, 1], [0.25, 1 / 12, 1 / 12, 1 / 12, 0.5])
    assert mix_pseudocounts(profile, 0) is profile.frequencies


def test_pseudocounts_weigh_more_where_a_column_has_few_letters() -> None:
    """One letter of 100 rows and a count of 1: half of the letters are the background's; blanks stay alone."""
    profile = profile_from_alignment(aligned(*["A-", *["--"] * 99]))
    mixed = mix_pseudocounts(profile, 1)
    np.testing.assert_allclose(mixed[:, 0], [0.00625, 0.00125, 0.00125, 0.00125, 0.99])
    assert mixed[:, 1].tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_files_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"saved{suffix}"
    profile = profile_from_alignment(aligned("-ACGT", "AACG-", "T-CGA"), [1.0, 2.5, 0.3])
    profile_files.write_profile(path, profile)
    assert data_loading.find_kind_of_file(path) is profile_files.PROFILE
    (found,) = profile_files.read_profile(path)
    np.testing.assert_allclose(found.frequencies, profile.frequencies, rtol=1e-15)
    if suffix == ".json":
        assert found == profile
        assert found.weights.tolist() == profile.weights.tolist()


def test_random_columns_read_back(tmp_path: Path) -> None:
    profile = generate_profile(7, np.random.default_rng(2))
    for suffix in profile_files.WRITERS:
        profile_files.write_profile(tmp_path / f"saved{suffix}", profile)
        (found,) = data_loading.read_data(tmp_path / f"saved{suffix}")
        np.testing.assert_allclose(found.frequencies, profile.frequencies, rtol=1e-15)
        assert not found.names
    with pytest.raises(InputError, match=r"\.csv or \.json"):
        profile_files.write_profile(tmp_path / "saved.txt", profile)


def test_an_alignment_is_read_as_its_profile(tmp_path: Path) -> None:
    path = tmp_path / "rows.fasta"
    path.write_text(">a\nAC-T\n>b\nACGT\n")
    (found,) = profile_files.read_profile(path)
    assert (found.names, found.frequencies[-1].tolist()) == (("a", "b"), [0, 0, 0.5, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("column,A,C,-\n1,0.5,0.5\n", "line 2: 3 fields"),
        ("column,A,C,-\n1,0.5,x,0\n", "line 2: a frequency is not a number"),
        ("column,A,C,-\n1,0.5,-1,0\n", "column 1: frequencies are 0 or more"),
        ("column,A,C,-\n1,0,0,0\n", "column 1: frequencies are 0 or more"),
        ("column,A,C,-\n", "has no columns"),
        ("column,A,CC,-\n1,1,0,0\n", "one symbol per field"),
        ("column,A,A,-\n1,1,0,0\n", "alphabet 'AA-': use different symbols"),
        ('{"format": "antidiag-profile"}', "not a profile of this program"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / ("wrong.json" if text.startswith("{") else "wrong.csv")
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        profile_files.read_profile(path)


@pytest.mark.parametrize("rows", [True, False])
def test_factors_of_gap_costs_read_back(tmp_path: Path, rows: bool) -> None:
    profile = profile_from_alignment(aligned("ACGT")) if rows else generate_profile(4, np.random.default_rng(2))
    saved = replace(profile, open_factors=np.array([0.5, 1, 0, 2]), extend_factors=np.arange(4.0))
    profile_files.write_profile(tmp_path / "saved.json", saved)
    (found,) = profile_files.read_profile(tmp_path / "saved.json")
    assert found.open_factors is not None and found.extend_factors is not None
    assert (found.open_factors.tolist(), found.extend_factors.tolist()) == ([0.5, 1, 0, 2], [0, 1, 2, 3])
    assert not found.open_factors.flags.writeable


@pytest.mark.parametrize("rows", [["AC"], []])
@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ([-1, 1], "open_factors are 2 numbers, finite and 0 or more"),
        ([float("nan"), 1], "open_factors are 2 numbers, finite and 0 or more"),
        ([float("inf"), 1], "open_factors are 2 numbers, finite and 0 or more"),
        ([1], "open_factors are 2 numbers, finite and 0 or more"),
        (["x", 1], "not a profile of this program: could not convert"),
    ],
)
def test_wrong_factors_of_gap_costs_are_refused(
    tmp_path: Path, rows: list[str], factors: list[object], message: str
) -> None:
    fields = profile_files.json_fields(profile_from_alignment(aligned("AC")))
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(fields | {"rows": rows, "open_factors": factors}))
    with pytest.raises(InputError, match=message) as told:
        profile_files.read_profile(path)
    assert str(told.value).startswith(str(path))


def test_wrong_weights_in_a_file_name_the_file(tmp_path: Path) -> None:
    fields = profile_files.json_fields(profile_from_alignment(aligned("AC")))
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(fields | {"weights": [-1]}))
    with pytest.raises(InputError, match=r"wrong\.json: .*1 rows need one weight each"):
        profile_files.read_profile(path)


def test_json_holds_everything_for_other_programs() -> None:
    fields = json.loads("".join(profile_files.WRITERS[".json"](profile_from_alignment(aligned("AC", "A-")))))
    assert fields["rows"] == ["AC", "A-"] and fields["frequencies"][1] == [0, 0.5, 0, 0, 0.5]
    lines = list(csv.reader("".join(profile_files.csv_lines(profile_from_alignment(aligned("AC", "A-")))).splitlines()))
    assert lines[0] == ["column", *NUCLEOTIDES] and len(lines) == 3


def test_frequencies_are_scaled_and_checked() -> None:
    found = profile_from_frequencies(np.array([[2.0, 0], [2, 1], [0, 3]]), "AC-", SequenceType.DNA)
    np.testing.assert_allclose(found.frequencies[:, 1], [0, 0.25, 0.75])
    with pytest.raises(InputError, match="2 rows of frequencies"):
        profile_from_frequencies(np.ones((2, 2)), "AC-", SequenceType.DNA)


def test_a_sequence_is_a_profile_of_one_row() -> None:
    profile = profile_from_sequence(Sequence("s", b"ACGU", SequenceType.RNA))
    assert isinstance(profile, Profile)
    assert profile.frequencies.T.tolist() == np.eye(5)[:4].tolist()
    assert profile.summary == "4 columns of 1 row, 5 symbols"


def test_the_last_digits_of_frequencies_say_nothing() -> None:
    exact = np.array([[0.25, 1 / 3], [0.25, 1 / 3], [0.5, 1 / 3]])
    noisy = exact * (1 + np.array([[1e-15], [-1e-15], [2e-16]]))
    np.testing.assert_array_equal(round_frequencies(noisy), round_frequencies(exact))
