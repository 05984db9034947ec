"""Sweeps, searches, benchmarks and reproduced tables on the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import point_store

ROOT = Path(__file__).parents[3]
PAIR = "resources/samples/human-haemoglobin.fasta"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where experiments are kept in this test."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(point_store, "experiments_folder", lambda: tmp_path / "experiments")
    monkeypatch.setattr("antidiag.kernels.machine.tuned_values._tuned_path", lambda: tmp_path / "tuned.json")
    return tmp_path / "experiments"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_sweep_prints_every_point_of_the_grid(says, place):
    printed = says("sweep", "chunked-alignment-1", PAIR, "--axis", "s=32,64", "--axis", "h=16:64:*2", "--repeat", 1,
                   "--backend", "cpu", "--csv", "-")  # fmt: skip
    found = rows(printed)
    assert [(row["axis s"], row["axis h"]) for row in found] == [
        (s, h) for s in ("32", "64") for h in ("16", "32", "64")
    ]
    assert {row["answer"] for row in found} == {"288"} and {row["status"] for row in found} == {"measured"}
    assert sum(len(point_store.read_points(path).points) for path in place.glob("*.jsonl")) == 6


def test_sweep_of_generated_input_beside_a_peer(says, tmp_path):
    pytest.importorskip("parasail")
    saved = tmp_path / "points.json"
    printed = says("sweep", "striped-score", "--axis", "length=100,300", "--backend", "cpu", "--repeat", 1,
                   "--baseline", "parasail-score-32", "--json", saved)  # fmt: skip
    assert "parasail" in printed and "speedup" in printed
    assert printed.startswith("StripedScore, mutated DNA, 10% divergence, seed 1")
    found = json.loads(saved.read_text())["points"]
    assert {(row["contender"], row["coordinates"]["length"]) for row in found} == {
        (name, length) for name in ("striped-score", "parasail-score-32") for length in (100, 300)
    }
    assert len({(row["coordinates"]["length"], row["score"]) for row in found}) == 2


def test_a_method_that_takes_no_data_is_told_without_any(says, refuses):
    printed = says("sweep", "matrix-chain", "--dimensions", "30,35,15", "--backend", "cpu", "--repeat", 1)
    assert printed.splitlines()[0].strip() == "Optimal matrix chain"
    for given in (("--length", 30), ("--count", 3), ("--axis", "length=10,20")):
        assert "takes no input" in refuses("sweep", "matrix-chain", *given)


def test_a_sweep_of_which_no_point_can_be_measured_fails_with_every_reason_once(capsys, place):
    words = ["sweep", "striped-score", PAIR, "--axis", "length=1000,2000", "--axis", "s=32,64", "--backend", "cpu"]
    assert program.main(words) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines() == [
        f"antidiag: StripedScore: 2HHB_A has 141 letters, fewer than length={length}; generate the input"
        for length in ("1,000", "2,000")
    ]


@pytest.mark.slow
def test_a_killed_sweep_keeps_what_it_had_finished(says, tmp_path):
    """Killed without warning, then gone on with: the points that were finished are not measured again."""
    words = ["sweep", "striped-score", "--length", "2500", "--axis", "gap_open=1:80:1", "--repeat", "1",
             "--warm-up", "0", "--backend", "cpu"]  # fmt: skip
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "main.py", *words], env=environment, stdout=subprocess.DEVNULL)
    kept: list[Path] = []
    while process.poll() is None and sum(len(point_store.read_points(path).points) for path in kept) < 5:
        time.sleep(0.05)
        kept = list(tmp_path.rglob("*.jsonl"))
    process.send_signal(signal.SIGKILL)
    process.wait()
    (path,) = kept
    finished = point_store.read_points(path).points
    assert len(finished) >= 5
    command = [sys.executable, "main.py", *words[:-2], "--backend", "cpu", "--resume", "--csv", "-"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = rows(done.stdout)
    assert len(found) == 80 and {row["status"] for row in found} == {"measured"}
    assert sum(row["reused"] == "True" for row in found) >= len(finished)


def test_a_search_says_what_it_found_and_keeps_it_where_it_is_better(says):
    printed = says("tune", "striped-score", "--length", 300, "--budget", 1, "--backend", "cpu")
    assert "automatic" in printed and "kept" in printed
    says("tune", "striped-score", "--reset")


def test_bench_compares_with_every_peer_that_is_installed(says):
    pytest.importorskip("parasail")
    found = rows(says("bench", "striped-score", PAIR, "--repeat", 1, "--backend", "cpu", "--csv", "-"))
    names = {row["contender"] for row in found if row["status"] == "measured"}
    assert {"striped-score", "parasail-score-32", "biopython-score"} <= names
    assert {row["score"] for row in found if row["status"] == "measured" and row["score"]} == {"288.0"}


def test_tables_of_the_papers_are_listed_by_paper(says):
    lines = says("reproduce", "--list").splitlines()
    assert lines[0].startswith("Junjie Li, Sanjay Ranka, Sartaj Sahni: Optimal Alignment of Three Sequences")
    assert lines[1].split()[0] == "000-table-1" and any(line.split()[0] == "001-figure-09" for line in lines)
    assert sum(line[0] != " " for line in lines) == len({line for line in lines if line[0] != " "})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sweep", "striped-score", PAIR, "--axis", "q=1,2"), "unknown axis 'q'"),
        (("sweep", "striped-score", PAIR, "--axis", "s=1:x"), "s=1:x"),
        (("sweep", "striped-score", PAIR, "--axis", "s=31"), "31"),
        (("sweep", "striped-score", "missing.fa", "--axis", "s=32"), "missing.fa"),
        (("sweep", "striped-score", PAIR, "--axis", "s=32", "--csv", "/nowhere/points.csv"), "/nowhere"),
        (
            ("sweep", "striped-score", "--axis", "length=auto"),
            "length must be a whole number of at least 1",
        ),
        (("sweep", "striped-score", "--divergence", "nan"), "divergence must be a number between 0 and 1; got nan"),
        (("sweep", "striped-score", "--count", "2"), "--count does not apply: StripedScore takes 2 sequences"),
        (("sweep", "striped-score", PAIR, "--axis", "s=32,64", "--baseline", "s=96"), "is not on the axis s: 32, 64"),
        (("sweep", "striped-score", PAIR, "--baseline", "q=1"), "unknown axis 'q'"),
        (("tune", "distance-6mer", "--divergence", "2"), "divergence must be a number between 0 and 1; got 2.0"),
        (("reproduce", "figure-99"), "figure-99"),
        (("reproduce", "--list", "--json", "-"), "--list saves no table; remove --csv, --json and --markdown"),
        (("tune", "--reset", "--csv", "-"), "--reset saves no table; remove --csv, --json and --markdown"),
        (("tune", "antidiagonal-x"), "antidiagonal-x"),
    ],
)
def test_what_cannot_be_measured_is_refused(refuses, words, said):
    assert said in refuses(*words)


def test_a_disk_that_takes_no_more_ends_a_sweep_and_says_what_is_kept(capsys, monkeypatch):
    append, taken = point_store.PointStore.append_point, []

    def full(store, point):
        if taken:
            raise InputError("the disk is full")
        taken.append(point)
        append(store, point)

    monkeypatch.setattr(point_store.PointStore, "append_point", full)
    assert program.main(["sweep", "striped-score", PAIR, "--axis", "s=32,64,96", "--backend", "cpu"]) == 2
    said = capsys.readouterr().err
    assert "1 of 3 points are saved" in said and "with --resume to continue" in said and "the disk is full" in said


def test_a_baseline_that_no_point_has_is_told(says, monkeypatch):
    automatic = "sweep", "striped-score", PAIR, "--backend", "cpu", "--repeat", 1, "--axis", "s=auto,64"
    printed = says(*automatic, "--baseline", "threads=1023")
    assert "No speedups: no point is the baseline (threads = 1023)." in printed
    assert "1.00 x" in says(*automatic, "--baseline", "s=auto")


def test_a_model_is_given_and_its_sequence_generated(says):
    found = rows(says("sweep", "viterbi-serial", "--model", "cpg-islands", "--axis", "length=20,40", "--repeat", 1,
                      "--csv", "-"))  # fmt: skip
    assert [(row["axis length"], row["status"]) for row in found] == [("20", "measured"), ("40", "measured")]
    assert all("CpG islands" in row["title"] for row in found)


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (("enhanced-ba", PAIR, "--axis", "s=4,8,16"), ("Block size s, cells", "phases, ms", "EnhancedBA")),
        (("striped-score", PAIR, "--axis", "T=8:64:*2"), ("Batch T, cells", "StripedScore")),
        (
            ("chunked-alignment-1", PAIR, "--axis", "s=32,64", "--axis", "h=16,32"),
            ("Strip width s, columns", "Chunk height h, rows"),
        ),
        (
            ("nj-basic", "--length", 12, "--axis", "block=64,256", "--axis", "cells=1,4"),
            ("Threads per block, threads", "Cells per thread, pairs"),
        ),
        (("striped-score", PAIR, "--axis", "precision=16,32"), ("Precision, bits", "phases, ms")),
        (("viterbi-matprod-tmem", "--model", "cpg-islands", "--length", 20, "--axis", "binding=once,letter"),
         ("binding once", "binding letter", "rows")),
        (("striped-score", PAIR, "--axis", "s=32,64", "--baseline", "s=32"), ("speedup over baseline",)),
    ],
)  # fmt: skip
def test_sweep_draws_what_it_found(says, tmp_path, words, texts):
    drawn = tmp_path / "sweep.svg"
    printed = says("sweep", *words, "--backend", "cpu", "--repeat", 1, "--plot", drawn)
    assert f"saved {drawn}" in printed
    text = drawn.read_text()
    assert all(each in text for each in (*texts, "Measured on")), texts


@pytest.mark.parametrize(
    ("plot", "said"),
    [("points.gif", "the suffix must be one of .svg, .png, .pdf"), ("/nowhere/points.svg", "/nowhere")],
)
def test_a_plot_that_cannot_be_saved_is_refused_before_the_sweep(refuses, place, plot, said):
    assert said in refuses("sweep", "striped-score", PAIR, "--axis", "s=32,64", "--plot", plot)
    assert not place.exists()


def test_methods_of_a_sweep_have_a_line_each(says, tmp_path):
    drawn = tmp_path / "sweep.svg"
    says("sweep", "striped-score", PAIR, "--axis", "s=32,64", "--axis", "method=striped-score,striped-alignment",
         "--backend", "cpu", "--repeat", 1, "--plot", drawn)  # fmt: skip
    text = drawn.read_text()
    assert "StripedAlignment" in text and "Strip width s, columns" in text


def test_what_a_machine_cannot_have_is_said_in_a_reproduced_table(says):
    printed = says("reproduce", "004-table-3", "--quick", "--repeat", 1, "--backend", "cpu", "--csv", "-")
    found = rows(printed)
    assert {row["quantity"] for row in found if row["published"] == "75.0"} == {"occupancy, %"}
    assert all(not row["ours"] and "of a run on the CPU" in row["remark"] for row in found)


def test_a_reproduced_table_says_what_its_times_count(says):
    printed = says("reproduce", "003-figure-6-4", "--quick", "--repeat", 1, "--backend", "cpu")
    assert "total is the time of all phases, without compilation and transfers" in printed.replace("\n", " ")
