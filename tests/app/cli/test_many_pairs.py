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


TURNED = {"a1": "ACGTACCTTAGG", "a2": "TTGACCATGACC"}
TARGETS = {"b1": "TTCCTAAGGTACGTAA", "b2": "TTGACATGACC"}


def _read_reverse(path: Path) -> tuple[str, ...]:
    """Return what a table says of the first pair, which lies on the reverse strand, and of the second."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if line[0] not in "@#"]
    if path.suffix == ".csv":
        rows = list(csv.reader(path.open()))[1:]
    elif path.suffix == ".jsonl":
        rows = [[str(value) for value in json.loads(line).values()] for line in path.read_text().splitlines()]
    else:
        rows = lines
    return tuple(",".join(row) for row in rows)


COLUMNS = "qseqid sstrand qstart qend sstart send cigar"
FIRST_ROW, SECOND_ROW = "a1,minus,1,12,14,3,12M", "a2,plus,1,12,1,11,4M1I7M"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "blast", "jsonl"])
def test_tables_name_the_strand_of_each_pair(tmp_path, suffix):
    files = _write(tmp_path / "a.fa", TURNED), _write(tmp_path / "b.fa", TARGETS)
    wanted = ["--strand", "both", "--preset", "blastn", "--cigar", "match", "--columns", COLUMNS]
    target = tmp_path / f"pairs.{suffix}"
    assert program.main(["align", "--pairs", *files, *wanted, "--out", str(target), *CPU]) == 0
    assert _read_reverse(target) == (FIRST_ROW, SECOND_ROW)


def test_sam_and_paf_name_the_strand_of_each_pair(tmp_path):
    files = _write(tmp_path / "a.fa", TURNED), _write(tmp_path / "b.fa", TARGETS)
    targets = tmp_path / "pairs.sam", tmp_path / "pairs.paf"
    outs = [word for target in targets for word in ("--out", str(target))]
    wanted = ["--strand", "both", "--preset", "map-ont", "--mode", "query-in-target"]
    assert program.main(["align", "--query", files[0], "--target", files[1], *wanted, *outs, *CPU]) == 0
    sam, paf = ([line.split("\t") for line in path.read_text().splitlines() if line[0] != "@"] for path in targets)
    assert sam[0][:10] == ["a1", "16", "b1", "3", "255", "12=", "*", "0", "0", "CCTAAGGTACGT"]
    assert paf[0][:9] == ["a1", "12", "0", "12", "-", "b1", "16", "2", "14"]
    assert paf[3][:9] == ["a2", "12", "0", "12", "+", "b2", "11", "0", "11"]


def test_three_identities_are_columns_and_json(tmp_path):
    files = _write(tmp_path / "a.fa", TURNED), _write(tmp_path / "b.fa", TARGETS)
    table, whole = tmp_path / "pairs.csv", tmp_path / "pairs.json"
    wanted = ["--strand", "both", "--columns", "pident pident_ungapped pident_shorter", "--out", str(table)]
    assert program.main(["align", "--pairs", *files, *wanted, "--json", str(whole), *CPU]) == 0
    assert table.read_text().splitlines()[2] == "91.667,100.000,100.000"
    found = json.loads(whole.read_text())["pairs"]
    assert [one["strand"] for one in found] == ["reverse", "forward"]
    assert found[1]["identity"] == {"identical": 11, "columns": 12, "paired": 11, "shorter": 11}


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
