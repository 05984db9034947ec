"""The benchmark of quality: it finds sets, judges by core blocks, and compares in pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.errors import ParameterError
from bench import balibase

LETTERS = {"one": "MKVLAAGIVGLC", "two": "MKVLAGIVGLC", "three": "MKVLAAGIVGLC"}
ROWS = {"one": "MKVLAAGIVGLC", "two": "MKVL-AGIVGLC", "three": "MKVLAAGIVGLC"}
CORE = "1 1 1 1 0 0 1 1 1 1 1 1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    group = tmp_path / "RV11"
    group.mkdir()
    (group / "BB1.tfa").write_text("".join(f">{name}\n{row}\n" for name, row in LETTERS.items()))
    rows = "".join(f"<sequence><seq-name>{name}</seq-name><seq-data>{row}</seq-data></sequence>"
                   for name, row in ROWS.items())  # fmt: skip
    core = f"<column-score><colsco-data>{CORE}</colsco-data></column-score>"
    (group / "BB1.xml").write_text(
        f"<?xml version='1.0'?>\n<!DOCTYPE macsim>\n<macsim><alignment>{rows}{core}</alignment></macsim>\n"
    )
    heads = "aligner\tset\tsequences\tseconds\tsp\ttc\tsp_core\ttc_core\n"
    (tmp_path / "peers.tsv").write_text(heads + "other\tRV11/BB1\t3\t1.0\t0.5\t0.5\t0.25\t0.125\n")
    return tmp_path


def test_a_set_is_aligned_judged_and_compared(folder: Path) -> None:
    told: list[str] = []
    assert balibase.main([str(folder), "--threads", "1", "--option", "effort=fast"], told.append) == 0
    text = "\n".join(told)
    assert "| this run | 1.000 / 1.000 | 1.000 / 1.000 |" in text
    assert "| other | 0.250 / 0.125 | 0.250 / 0.125 |" in text
    assert "| other | 1 | +0.7500 | +0.8750 | 1, 0 |" in text


def test_options_are_of_the_kinds_that_are_declared(folder: Path) -> None:
    told: list[str] = []
    given = [str(folder), "--method", "msa-parttree", "--threads", "1", "--option", "gap_end=1", "--option", "passes=2"]
    assert balibase.main(given, told.append) == 0 and "| this run | 1.000 / 1.000" in "\n".join(told)
    with pytest.raises(ParameterError, match="PartTree-MSA has no option effort"):
        balibase.main([*given, "--option", "effort=fast"], told.append)


def test_no_sets_are_told(tmp_path: Path) -> None:
    told: list[str] = []
    assert balibase.main([str(tmp_path)], told.append) == 1
    assert "no sets" in told[0]


def test_a_split_of_ten_and_none_is_seldom_by_chance() -> None:
    assert balibase._sign_test(10, 0) == pytest.approx(2 / 1024)
    assert balibase._sign_test(5, 5) == 1
