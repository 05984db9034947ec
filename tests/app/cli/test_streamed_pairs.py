"""`align --pairs` and `--query` with files that are computed in pieces: the table is that of one run, in its order."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels import registry
from antidiag.kernels.batch_runs import pair_streams
from antidiag.kernels.batch_runs.pair_streams import PairStream
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.batch import pair_blocks

CPU = ("--backend", "cpu")
SUFFIXES = ("tsv", "blast", "csv", "jsonl", "paf", "sam")


def _write_random(path: Path, count: int, seed: int, letters: str = "ACGT") -> str:
    """Write sequences, the last two of which begin with one word; some are lower case, some have a gap."""
    random = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        text = "".join(random.choice(list(letters), random.integers(2, 30)))
        title = f"twin {number}" if number >= count - 2 else f"{path.stem}{number} title {number}"
        lines.append(f">{title}\n{text.lower() if number % 3 == 0 else text[:1] + '-' + text[1:]}\n")
    path.write_text("".join(lines))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two files of seven records each."""
    return _write_random(tmp_path / "a.fa", 7, 1), _write_random(tmp_path / "b.fa", 7, 2)


@pytest.fixture
def pieces(monkeypatch):
    """Pieces of three pairs, and a target file that is read again for every query."""
    for name, value in {"STREAMED_BYTES": 1, "STREAMED_CELLS": 1, "MOST_PAIRS": 3, "KEPT_BYTES": 0}.items():
        monkeypatch.setattr(pair_streams, name, value)


def _align(words: list[str], target: Path) -> bytes:
    assert program.main(["align", *words, "--out", str(target), *CPU]) == 0
    return target.read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("pairing", ["records", "halves", "queries", "all"])
def test_a_table_in_pieces_is_that_of_one_run(files, tmp_path, pairing, suffix, request, capsys):
    one = _write_random(tmp_path / "c.fa", 8, 3)
    words = {
        "records": ["--pairs", *files],
        "halves": ["--pairs", one],
        "queries": ["--query", files[0], "--target", files[1]],
        "all": ["--all", one],
    }[pairing] + ["--strand", "both", "--mode", "overlap"]
    whole = _align(words, tmp_path / f"whole.{suffix}")
    request.getfixturevalue("pieces")
    capsys.readouterr()
    assert _align(words, tmp_path / f"pieces.{suffix}") == whole
    assert "computed in" in capsys.readouterr().out
    assert whole.count(b"twin 6" if pairing in ("records", "queries") else b"twin 7") or suffix in ("paf", "sam")


@pytest.mark.parametrize("words", [["--pairs"], ["--all"], ["--query"]])
def test_workers_compute_blocks_in_order(files, tmp_path, words, monkeypatch, capsys):
    given = ["--query", files[0], "--target", files[1]] if words == ["--query"] else [*words, *files]
    given += ["--strand", "both"]
    whole = _align(given, tmp_path / "whole.blast")
    monkeypatch.setattr(pair_blocks, "MOST_PAIRS", 3)
    assert _align([*given, "--on", "local"], tmp_path / "shared.blast") == whole
    assert "(blocks of pairs) on 1 worker (local)" in capsys.readouterr().out
    capsys.readouterr()
    assert program.main(["align", *given, "--on", "local", *CPU]) == 0
    assert "(blocks of pairs) on 1 worker (local)" in capsys.readouterr().out


def test_pairs_are_not_continued_and_one_pair_is_not_shared_out(files, capsys):
    assert program.main(["align", "--pairs", *files, "--resume"]) == 2
    assert "remove --resume" in capsys.readouterr().err
    assert program.main(["align", "--record", "#1", "--record", "#2", files[0], "--on", "local"]) == 2
    assert "batch-alignment" in capsys.readouterr().err


def test_pieces_are_told_and_go_to_standard_output(files, tmp_path, pieces, capsys):
    _align(["--pairs", *files], tmp_path / "pairs.tsv")
    told = capsys.readouterr()
    assert "7, computed in 3 pieces" in told.out and "gaps removed from" in told.err
    assert program.main(["align", "--pairs", *files, "--out", "-", "--to", "tsv", *CPU]) == 0
    assert capsys.readouterr().out == (tmp_path / "pairs.tsv").read_text()


def test_compressed_files_and_scores_alone(files, tmp_path, pieces):
    packed = []
    for name in files:
        packed.append(f"{name}.gz")
        Path(packed[-1]).write_bytes(gzip.compress(Path(name).read_bytes()))
    words = ["--method", "batch-score"]
    found = _align(["--pairs", *packed, *words], tmp_path / "packed.csv")
    assert found == _align(["--pairs", *files, *words], tmp_path / "plain.csv") and found.count(b"\n") == 8


def test_options_follow_all_sequences_of_both_files(tmp_path, request):
    """The last record is a protein, so that all are, and are scored by BLOSUM62."""
    first = _write_random(tmp_path / "a.fa", 7, 1)
    second = _write_random(tmp_path / "b.fa", 6, 2)
    with open(second, "a") as file:
        file.write(">protein\nMKVLATHISWKRRMLAQPEFG\n")
    whole = _align(["--pairs", first, second], tmp_path / "whole.tsv")
    request.getfixturevalue("pieces")
    assert _align(["--pairs", first, second], tmp_path / "pieces.tsv") == whole


def test_nothing_is_written_where_a_record_is_bad_or_missing(files, tmp_path, pieces, capsys):
    with open(files[1], "a") as file:
        file.write(">bad\nAC1GT5%\n")
    target = tmp_path / "pairs.tsv"
    assert program.main(["align", "--pairs", *files, "--out", str(target), *CPU]) != 0
    assert "b.fa, line 16" in " ".join(capsys.readouterr().err.split())
    Path(files[1]).write_text(">b0\nACGT\n")
    assert program.main(["align", "--pairs", *files, "--out", str(target), *CPU]) != 0
    assert "has 7 sequences" in capsys.readouterr().err
    assert not list(tmp_path.glob("*pairs*")) and not list(tmp_path.glob(".antidiag*"))


def _open_stream(files, monitor: Monitor) -> PairStream:
    method = registry.find_method("batch-alignment")
    return PairStream(method, "records", [Path(file) for file in files], {}, None, monitor)


def test_cancel_leaves_nothing_and_progress_counts_pairs(files, tmp_path, pieces):
    seen: list[tuple[int, int, str]] = []
    monitor = Monitor(lambda *report: seen.append(report))
    stream = _open_stream(files, monitor)
    stream.write_table(tmp_path / "pairs.tsv", ".tsv", "cpu", 0, {})
    counts = [done for done, total, phase in seen if phase == "pairs"]
    assert counts == sorted(counts) and counts[-1] == 7 and {one[1] for one in seen if one[2] == "pairs"} == {7}
    cancelled = Monitor()
    stream = _open_stream(files, cancelled)
    lines = stream.iterate_lines(".tsv", "cpu", 0, {})
    next(lines)
    cancelled.cancel()
    with pytest.raises(Cancelled):
        list(lines)


def test_a_file_that_changes_meanwhile_is_refused(files, tmp_path, pieces):
    stream = _open_stream(files, Monitor())
    with open(files[0], "a") as file:
        file.write("ACGT\n")
    with pytest.raises(InputError, match="changed while it was read"):
        stream.write_table(tmp_path / "pairs.tsv", ".tsv", "cpu", 0, {})
    assert not (tmp_path / "pairs.tsv").exists()
