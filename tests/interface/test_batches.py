"""``antidiag.batch``: many inputs in one call."""

from __future__ import annotations

import doctest

import pytest

import antidiag as ad
from antidiag.interface import batches

PAIR = {"mode": "global", "match": 1, "mismatch": -1, "gap_open": 0, "gap_extend": 1}


def test_the_examples_are_right():
    found = doctest.testmod(batches)
    assert found.attempted and not found.failed


def test_answers_are_those_of_single_calls():
    inputs = {"first": ["GATTACA", "GCATGCA"], "second": ["CCCTA", "CCA"]}
    found = ad.batch("striped-alignment", inputs, slots=2, **PAIR)
    assert [entry.name for entry in found] == ["first", "second"]
    for name, data in inputs.items():
        single = ad.align(*data, method="striped-alignment", **PAIR)
        assert found[name].answer == single and found[name].answer.cigar == single.cigar
    assert repr(found) == "<BatchAnswer: 2 runs>" and "first" in str(found)


def test_one_that_fails_is_an_entry_with_an_error(tmp_path):
    (tmp_path / "good.fa").write_text(">a\nGATTACA\n>b\nGATTACC\n")
    (tmp_path / "bad.fa").write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    found = ad.batch("striped-alignment", tmp_path, slots=1)
    assert [entry.name for entry in found.failed] == ["bad"] and "'#'" in found["bad"].error
    assert len(found.answers) == 1 and found["good"].answer.names == ("a", "b")
    with pytest.raises(ad.InputError, match="bad failed"):
        found["bad"].answer  # noqa: B018
    assert list(found.to_pandas()["state"]) == ["failed", "done"]


def test_a_folder_gets_files_and_is_continued(tmp_path):
    (tmp_path / "one.fa").write_text(">a\nGATTACA\n>b\nGATTACC\n")
    out = tmp_path / "out"
    found = ad.batch("striped-alignment", [tmp_path / "one.fa"], out=out, to="paf", slots=1)
    assert found[0].outputs == (out / "one.paf",) and (out / "summary.tsv").is_file()
    with pytest.raises(ad.InputError, match="pass keep=True"):
        found[0].answer  # noqa: B018
    with pytest.raises(ad.InputError, match="holds a run already.*resume"):
        ad.batch("striped-alignment", [tmp_path / "one.fa"], out=out, to="paf", slots=1)
    again = ad.batch("striped-alignment", [tmp_path / "one.fa"], out=out, to="paf", slots=1, resume=True)
    assert again[0].facts["columns"] == found[0].facts["columns"] == 6


def test_what_cannot_run_is_refused():
    with pytest.raises(ad.InputError, match="inputs or table"):
        ad.batch("align")
    with pytest.raises(ad.ParameterError, match="has no setting 'gap_opn'"):
        ad.batch("striped-alignment", {"a": ["ACGT", "ACGT"]}, gap_opn=3)
    with pytest.raises(ad.ParameterError, match="on='cloud' is none of"):
        ad.batch("align", {"a": ["ACGT", "ACGT"]}, on="cloud")
    with pytest.raises(ad.InputError, match="input a has no data"):
        ad.batch("align", {"a": []})
