"""The commands ``batch`` and ``cluster`` as a person types them."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from tests.documents import ROOT

SAMPLES = ROOT / "resources" / "samples"


@pytest.fixture
def pairs(tmp_path):
    folder = tmp_path / "pairs"
    folder.mkdir()
    for number in range(3):
        (folder / f"p{number}.fa").write_text(f">a\nGATTACAGATTACA\n>b\nGATTACA{'C' * number}GATTACA\n")
    return folder


def run(*arguments: object) -> int:
    return program.main([str(one) for one in arguments])


def test_a_folder_becomes_a_folder(pairs, tmp_path, capsys):
    out = tmp_path / "aligned"
    assert (
        run("batch", "striped-alignment", pairs, "--out", out, "--to", "paf", "--to", "json", "--mode", "global") == 0
    )
    said = capsys.readouterr().out
    assert "3 of 3" in said and "summary.tsv" in said
    assert sorted(one.name for one in out.iterdir()) == [
        "batch-manifest.jsonl", "p0.json", "p0.paf", "p1.json", "p1.paf", "p2.json", "p2.paf", "summary.tsv",
    ]  # fmt: skip
    assert json.loads((out / "p1.json").read_text())["mode"] == "global"


def test_what_a_batch_saves_is_what_run_saves(pairs, tmp_path, capsys):
    assert run("batch", "striped-alignment", pairs, "--out", tmp_path / "a", "--to", "paf", "--threads", "1") == 0
    assert run("run", "striped-alignment", pairs / "p2.fa", "--out", tmp_path / "p2.paf", "--threads", "1") == 0
    assert (tmp_path / "a" / "p2.paf").read_bytes() == (tmp_path / "p2.paf").read_bytes()


def test_failures_end_with_code_2_and_name_the_first(pairs, tmp_path, capsys):
    (pairs / "p1.fa").write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    assert run("batch", "striped-alignment", pairs, "--out", tmp_path / "a") == 2
    said = capsys.readouterr()
    assert "2 of 3" in said.out and "1 run of 3 failed" in said.err and "p1.fa" in said.err
    assert "failures.tsv" in said.err
    (pairs / "p1.fa").write_text(">a\nGATTACA\n>b\nGATTACA\n")
    assert run("batch", "striped-alignment", pairs, "--out", tmp_path / "a") == 2
    assert "--resume" in capsys.readouterr().err
    assert run("batch", "striped-alignment", pairs, "--out", tmp_path / "a", "--resume") == 0
    assert "3 of 3 (2 before)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["striped-alignment", "none.fa", "--out", "x"], "none.fa: no such file or folder"),
        (["striped-alignment", "--out", "x"], "a batch needs files"),
        (["striped-alignmnt", "{pairs}", "--out", "x"], "did you mean striped-alignment"),
        (["striped-alignment", "{pairs}", "--out", "x", "-p", "s=7"], "s must be"),
        (["striped-alignment", "{pairs}", "--out", "x", "--to", "zzz"], "unknown suffix .zzz"),
        (["striped-alignment", "{pairs}", "--out", "x", "--on", "cloud"], "--on cloud is none of"),
        (["striped-alignment", "{pairs}", "--out", "x", "--on", "gpus"], "no GPU can be used"),
        (["striped-alignment", "{pairs}", "--out", "x", "--on", "local", "--scheduler", "tcp://a:1"], "no use with"),
        (["striped-alignment", "{pairs}", "--out", "x", "--threads", "0"], "threads must be"),
    ],
)
def test_a_wrong_call_says_what_to_do(pairs, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run("batch", *(one.format(pairs=pairs) for one in arguments)) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists() or not list((tmp_path / "x").glob("p*"))


def test_a_cluster_is_checked_and_used(pairs, tmp_path, capsys):
    pytest.importorskip("distributed")
    from antidiag.kernels.executors.dask_cluster import start_cluster

    with start_cluster(1, 2, scheduler_file=tmp_path / "scheduler.json") as (address, _):
        assert run("cluster", "check", "--scheduler", address) == 0
        assert "2 slots" in capsys.readouterr().out
        assert run("cluster", "check", "--scheduler-file", tmp_path / "scheduler.json", "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert found["scheduler"] == address and found["workers"][0]["slots"] == 2
        assert run("batch", "align", pairs, "--out", tmp_path / "out", "--scheduler", address) == 0
        assert "3 of 3" in capsys.readouterr().out and len(list((tmp_path / "out").glob("p*"))) == 3


def test_cluster_says_what_it_cannot_do(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    assert run("cluster", "stop") == 2
    assert "give start or check" in capsys.readouterr().err
    assert run("cluster", "check") == 2
    assert "no Dask scheduler is named" in capsys.readouterr().err


def test_the_report_of_a_shared_run_tells_its_pieces_and_no_memory(capsys):
    assert run("run", "lcs-single-linkage", str(SAMPLES / "globins.fasta"), "--on", "local", "--backend", "cpu") == 0
    rows = [line.split("  ", 1) for line in capsys.readouterr().out.splitlines()]
    said = {row[0]: row[1].strip() for row in rows if len(row) == 2}
    assert said["note"].startswith("Computed in 1 piece (comparisons of two blocks of sequences) on 1 worker")
    assert "time" in said and "memory" not in said


def test_one_run_is_shared_out(tmp_path, capsys):
    whole, pieces = tmp_path / "whole.nwk", tmp_path / "pieces.nwk"
    command = ["tree", str(SAMPLES / "globins-aligned.sto"), "--bootstrap", "10", "--backend", "cpu", "--quiet"]
    assert run(*command, "--out", whole) == 0
    assert run(*command, "--on", "local", "--out", pieces) == 0
    assert whole.read_text() == pieces.read_text()


def test_a_run_in_one_piece_says_what_is_shared_out(capsys):
    assert run("run", "upgma", str(SAMPLES / "globin-distances.phy"), "--on", "local") == 2
    said = capsys.readouterr().err
    assert "upgma runs in one piece" in said and "distance-full" in said and "batch" in said
