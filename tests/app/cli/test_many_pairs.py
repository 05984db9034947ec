"""`align --pairs`, `--all` and `--query`, as a person types them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program

CPU = ("--backend", "cpu")
FIRST = {"a1": "ACGTACGTTA", "a2": "TTGACCATGA", "a3": "GGGCATTACA"}
SECOND = {"b1": "ACGTCGTTA", "b2": "TTGACATGA", "b3": "GGGCATACA"}


def _write(path: Path, records: dict[str, str]) -> str:
    path.write_text("".join(f">{name} title of {name}\n{letters}\n" for name, letters in records.items()))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two files of three records each."""
    return _write(tmp_path / "a.fa", FIRST), _write(tmp_path / "b.fa", SECOND)


def test_records_are_aligned_with_those_in_the_same_place(files, tmp_path, capsys):
    target = tmp_path / "pairs.csv"
    assert program.main(["align", "--pairs", *files, "--mode", "global", "--out", str(target), *CPU]) == 0
    rows = list(csv.DictReader(target.open()))
    assert [(row["qseqid"], row["sseqid"]) for row in rows] == [("a1", "b1"), ("a2", "b2"), ("a3", "b3")]
    assert rows[0]["cigar"] == "4=1I5=" and rows[0]["score"] == str(9 * 2 - 7)
    assert "batch-alignment, recommended" in capsys.readouterr().out


def test_queries_meet_every_target_and_columns_are_chosen(files, tmp_path):
    target = tmp_path / "hits.tsv"
    wanted = ["--columns", "qseqid sseqid nident", "--out", str(target)]
    assert program.main(["align", "--query", files[0], "--target", files[1], *wanted, *CPU]) == 0
    lines = [line.split("\t") for line in target.read_text().splitlines()]
    assert [line[:2] for line in lines] == [[a, b] for a in FIRST for b in SECOND]
    assert lines[0][2] == "9"


def test_every_two_sequences_are_scored(files, tmp_path):
    target = tmp_path / "scores.jsonl"
    assert program.main(["align", "--all", files[0], "--method", "batch-score", "--out", str(target), *CPU]) == 0
    found = [json.loads(line) for line in target.read_text().splitlines()]
    assert [(one["qseqid"], one["sseqid"]) for one in found] == [("a1", "a2"), ("a1", "a3"), ("a2", "a3")]
    assert all(one["score"] > 0 for one in found)


def test_sam_holds_every_pair(files, tmp_path):
    target = tmp_path / "pairs.sam"
    assert program.main(["align", "--pairs", *files, "--out", str(target), *CPU]) == 0
    lines = target.read_text().splitlines()
    assert [line.split("\t")[0] for line in lines if not line.startswith("@")] == list(FIRST)
    assert sum(line.startswith("@SQ") for line in lines) == 3


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--pairs", "--all", "{a}"], "exclude each other"),
        (["--query", "{a}"], "go together"),
        (["--query", "{a}", "--target", "{b}", "{a}"], "remove .*a.fa"),
        (["--pairs", "{a}", "{b}", "{a}"], "takes two files"),
        (["--pairs", "{a}", "{c}"], "has 3 sequences and .* 2; record by record"),
    ],
)
def test_what_cannot_be_paired_is_refused_with_a_reason(files, tmp_path, capsys, words, text):
    named = dict(zip("abc", (*files, _write(tmp_path / "c.fa", {"c1": "ACGT", "c2": "AC"})), strict=True))
    assert program.main(["align", *(word.format(**named) for word in words), *CPU]) != 0
    assert re.search(text, " ".join(capsys.readouterr().err.split()))
