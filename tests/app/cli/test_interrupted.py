"""Interrupted runs on the command line: told of, continued, listed, cleared."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels import engine, memory, registry
from antidiag.kernels.cpu import jit
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs

ROOT = Path(__file__).parents[3]
METHOD = "checkpointed-alignment"
SETTINGS = ("--backend", "cpu", "-p", "s=32", "-p", "tile=64", "-p", "T=32", "-p", "pruning=off")
Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    random = np.random.default_rng(3)
    path = tmp_path / "pair.fa"
    path.write_text("".join(f">{name}\n{''.join(random.choice(list('ACGT'), 600))}\n" for name in ("one", "two")))
    return path


@pytest.fixture
def long_pair(tmp_path: Path) -> Path:
    """Two related sequences, whose alignment has gaps and mismatches."""
    random = np.random.default_rng(4)
    first = random.choice(list("ACGT"), 6000)
    second = np.where(random.random(6000) < 0.1, random.choice(list("ACGT"), 6000), first)
    path = tmp_path / "long.fa"
    path.write_text(f">one\n{''.join(first)}\n>two\n{''.join(np.delete(second, slice(2000, 2300)))}\n")
    return path


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command line; its exit code, and what it wrote on standard output and on standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = program.main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return run


def interrupt(path: Path, **parameters: int) -> interrupted_runs.InterruptedRun:
    """A run of the pair that was cancelled in phase 2, all of phase 1 kept."""
    problem = registry.find_method(METHOD).problem_type.build_problem(read_sequences(path), {})
    given = {"s": 32, "tile": 64, "T": 32, **parameters}

    def listen(done: int, total: int, phase: str) -> None:
        while (done == total or phase == "phase 2") and monitor.store and not monitor.store.is_save_due:
            pass  # what was saved before is being written
        if phase == "phase 2":
            raise Cancelled

    monitor = Monitor(listen)
    with pytest.raises(Cancelled, match="is kept"):
        engine.execute(engine.plan_run(registry.find_method(METHOD), problem, given, "cpu"), monitor, keep_parts=True)
    return interrupted_runs.list_runs()[0]


def test_a_run_continues_the_interrupted_one(pair: Path, said: Said) -> None:
    run = interrupt(pair)
    whole = json.loads(said("run", METHOD, pair, *SETTINGS, "--json", "-")[1])
    run = interrupt(pair)
    code, out, err = said("run", METHOD, pair, "--resume", "--json", "-")
    assert code == 0
    assert re.search(r"continuing the run of \d{4}-\d\d-\d\d \d\d:\d\d from \d+ %", err)
    result = json.loads(out)
    assert result["score"] == whole["score"]
    assert result["cigar"] == whole["cigar"]
    assert {name: result["parameters"][name] for name in ("s", "tile")} == {"s": 32, "tile": 64}
    assert f"Continued from {interrupted_runs.format_percent(run.fraction)}" in result["notes"][-1]
    assert said("runs")[1].startswith("no interrupted runs\n")


def test_without_resume_it_says_so_and_starts_anew(pair: Path, said: Said) -> None:
    interrupt(pair)
    code, out, err = said("run", METHOD, pair, *SETTINGS)
    assert code == 0
    assert "was interrupted" in err
    assert "--resume continues it" in err
    assert "Continued" not in out
    assert interrupted_runs.list_runs() == []


def test_another_parameter_that_counts_starts_from_the_beginning(pair: Path, said: Said) -> None:
    interrupt(pair)
    _, out, err = said("run", METHOD, pair, "--backend", "cpu", "-p", "s=64", "--resume")
    assert "starts from the beginning" in err
    assert "Continued" not in out


def test_a_run_of_another_process_is_left_to_it(pair: Path, said: Said) -> None:
    run = interrupt(pair)
    interrupted_runs._take_over_run(run)
    code, out, err = said("run", METHOD, pair, *SETTINGS, "--resume")
    assert code == 0
    assert "another process is computing this problem" in err
    assert "Continued" not in out
    (left,) = interrupted_runs.list_runs()
    assert (left.id, left.fraction, left.running) == (run.id, run.fraction, True)


def test_a_method_that_cannot_be_continued_refuses_resume(pair: Path, said: Said) -> None:
    code, _, err = said("run", "striped-score", pair, "--resume")
    assert code == 2
    assert "StripedScore cannot be continued" in err


def test_a_cancelled_run_says_what_is_kept(pair: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled(*arguments: object, **named: object) -> None:
        raise Cancelled("62 % of this run is kept and can be continued")

    monkeypatch.setattr(engine, "execute", cancelled)
    assert said("run", METHOD, pair, *SETTINGS) == (
        130,
        "",
        "antidiag: cancelled; 62 % of this run is kept and can be continued: repeat the command with --resume\n",
    )


def test_runs_are_listed_and_cleared(pair: Path, said: Said) -> None:
    first, second = interrupt(pair), interrupt(pair, s=64)
    _, out, _ = said("runs")
    for run in (first, second):
        assert f"{run.id}: {METHOD}, {interrupted_runs.format_percent(run.fraction)} done, interrupted" in out
        assert str(run.folder) in out
    assert "one x two, 600 x 600" in out
    listed = json.loads(said("runs", "--json")[1])
    assert {entry["id"] for entry in listed} == {first.id, second.id}
    assert json.loads(said("runs", second.id, "--json")[1])[0]["parameters"]["s"] == 64
    code, _, err = said("runs", "nothing", "--clear")
    assert code == 2
    assert "no interrupted run 'nothing'" in err
    assert said("runs", first.id, "--clear")[1].startswith("1 run deleted, ")
    assert [run.id for run in interrupted_runs.list_runs()] == [second.id]
    assert said("runs", "--clear")[1].startswith("1 run deleted, ")
    assert interrupted_runs.list_runs() == []


def test_the_disk_of_runs_has_a_limit(pair: Path, said: Said) -> None:
    assert "interrupted runs may use 64.0 GiB" in said("runs")[1]
    assert "interrupted runs may use 1.5 GiB" in said("runs", "--limit", "1.5")[1]
    assert memory.disk_limit() == 3 * 2**29
    said("runs", "--limit", 0)
    code, _, err = said("run", METHOD, pair, *SETTINGS, "-p", "checkpoint_memory=0")
    assert code == 2
    assert "only 0 B is allowed by the disk limit" in err


KILLED = """
import os, signal, sys
from antidiag.app.cli import program
from antidiag.kernels.recovery import checkpoint_files
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter

save, write = CheckpointWriter.save, checkpoint_files.write_checkpoint

def save_at_once(self, *arguments):
    saved = save(self, *arguments)
    saved.result()
    return saved

def write_and_die(path, *arguments):
    if path.name == "part-000001":
        os.kill(os.getpid(), signal.SIGKILL)
    return write(path, *arguments)

CheckpointWriter.save, checkpoint_files.write_checkpoint = save_at_once, write_and_die
sys.exit(program.main(sys.argv[1:]))
"""
"""The command line, killed as by kill -9 when it is about to write the second part of a run."""


@pytest.mark.slow
def test_a_killed_command_is_continued_and_comes_to_the_same_result(
    long_pair: Path, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupted_runs, "runs_folder", lambda: tmp_path / "antidiag" / "runs")
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path),
        "NUMBA_CACHE_DIR": str(jit.default_cache_folder()),
        "PYTHONPATH": str(ROOT),
        interrupted_runs.KEEP_AFTER_VARIABLE: "0",
    }
    command = ["run", METHOD, str(long_pair), *SETTINGS, "-p", "threads=1"]
    ended = subprocess.run([sys.executable, "-c", KILLED, *command], cwd=ROOT, env=environment, capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    (run,) = interrupted_runs.list_runs()
    assert not run.running
    assert 0 < run.fraction < 1
    assert "interrupted" in said("runs")[1]
    code, out, err = said(*command, "--resume", "--json", "-")
    assert code == 0
    assert f"from {interrupted_runs.format_percent(run.fraction)}" in err
    continued = json.loads(out)
    assert interrupted_runs.list_runs() == []
    whole = json.loads(said(*command, "--json", "-")[1])
    for name in ("score", "start", "end", "cigar"):
        assert continued[name] == whole[name]


def test_a_changed_file_is_not_continued(pair: Path, said: Said) -> None:
    interrupt(pair)
    text = pair.read_text()
    pair.write_text(text.replace(text[-10:], text[-10:].translate(str.maketrans("ACGT", "CGTA"))))
    _, out, err = said("run", METHOD, pair, *SETTINGS, "--resume", "--json", "-")
    assert "starts from the beginning" in err
    changed = json.loads(out)
    assert len(interrupted_runs.list_runs()) == 1
    assert changed["cigar"] == json.loads(said("run", METHOD, pair, *SETTINGS, "--json", "-")[1])["cigar"]


def test_estimate_suggests_what_is_made_for_long_pairs(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.fa"
    path.write_text(f">one\n{'ACGT' * 20_000}\n>two\n{'AGCT' * 20_000}\n")
    _, out, _ = said("estimate", "striped-alignment", path)
    assert "CheckpointedAlignment (checkpointed-alignment): it is made for data of this size" in out
    assert "suggestion" not in said("estimate", METHOD, path)[1]
    assert json.loads(said("estimate", "striped-alignment", path, "--json")[1])["made_for_this"] == METHOD


def test_what_does_not_fit_is_refused_with_what_does(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.fa"
    path.write_text(f">one\n{'ACGT' * 20_000}\n>two\n{'AGCT' * 20_000}\n")
    monkeypatch.setattr(memory, "host_bytes_free", lambda: 50 * 2**20)
    arguments = ("striped-alignment", path, "--backend", "cpu", "-p", "s=32")
    code, _, err = said("run", *arguments)
    assert code == 2
    assert "These would fit" in err
    assert re.search(r"CheckpointedAlignment on the CPU.* \(needs [^)]+\)", err)
    _, out, _ = said("estimate", *arguments)
    assert "would fit" in out
