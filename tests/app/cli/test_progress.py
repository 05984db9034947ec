"""The bar on a terminal: what it shows, and that Ctrl-C on a real run ends it cleanly."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("typer")

from rich.console import Console
from rich.progress import Progress

from antidiag.app.cli import progress
from antidiag.kernels.errors import Cancelled
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
LENGTH = 4_000_000


@pytest.fixture
def bar():
    return Progress(console=Console(file=io.StringIO()), disable=True)


def test_the_bar_shows_phase_and_share(bar):
    draw = progress._ProgressBar(bar)
    draw(5, 10, "phase 1")
    task = bar.tasks[0]
    assert (task.description, task.percentage) == ("phase 1", 50.0)


def test_another_total_starts_the_bar_again(bar):
    draw = progress._ProgressBar(bar)
    draw(9, 10, "phase 1")
    draw(1, 4, "phase 2")
    task = bar.tasks[0]
    assert (task.description, task.percentage) == ("phase 2", 25.0)


def test_no_bar_where_standard_error_is_no_terminal(capsys):
    with progress.watch_run() as monitor:
        monitor.update(1, 2, "phase 1")
    assert capsys.readouterr().err == ""


def test_a_second_interrupt_does_not_wait(monkeypatch):
    monkeypatch.setattr(progress, "LEAVE_S", 60)
    with progress.watch_run() as monitor:
        signal.raise_signal(signal.SIGINT)
        assert monitor.is_cancelled
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_one_interrupt_cancels_at_the_next_update():
    with progress.watch_run() as monitor:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Cancelled):
            monitor.update(1, 2)


COMPILING = """
import threading
from concurrent.futures import ThreadPoolExecutor
from antidiag.app.cli.progress import watch_run

with watch_run(), ThreadPoolExecutor(1) as pool:
    print("compiling", flush=True)
    pool.submit(threading.Event().wait).result()
"""
"""Waits for a thread that heeds nothing, as a compiler does not."""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_second_interrupt_leaves_a_compiler_behind():
    command = [sys.executable, "-c", COMPILING]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "compiling\n"
    run.send_signal(signal.SIGINT)
    assert "Ctrl-C again to stop at once" in run.stderr.readline()
    run.send_signal(signal.SIGINT)
    assert run.stderr.read() == "antidiag: cancelled\n"
    assert run.wait(PATIENCE_S) == 130


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_while_a_file_is_read_ends_at_once(tmp_path):
    """A pipe that nobody writes to is read for ever."""
    os.mkfifo(tmp_path / "pipe.fa")
    command = [sys.executable, "main.py", "estimate", "striped-score", str(tmp_path / "pipe.fa")]
    run = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    writing = _opened_by_reader(tmp_path / "pipe.fa", run)
    run.send_signal(signal.SIGINT)
    assert run.stderr.read() == b"antidiag: cancelled\n"
    assert run.wait(PATIENCE_S) == 130
    os.close(writing)


def _opened_by_reader(pipe: Path, reader: subprocess.Popen[bytes]) -> int:
    """The end of a pipe to write to, once a program reads it; one that ended instead says why."""
    while reader.poll() is None:
        with contextlib.suppress(OSError):  # nobody reads it yet
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.01)
    pytest.fail(f"the program ended with {reader.returncode}: {reader.stderr.read().decode()}")


ON_A_TERMINAL = """
import io, sys

class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True

sys.stderr = sys.__stderr__ = Terminal(sys.stderr.detach(), write_through=True)
from antidiag.app import main
sys.exit(main.main(sys.argv[1:]))
"""
"""The program, with a standard error that says of itself that it is a terminal."""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt_of_a_long_run_on_a_terminal(tmp_path):
    """A run that would take many minutes draws its bar, and ends after Ctrl-C with one line and no file."""
    for name, letters in (("one", "ACGT"), ("two", "AGCT")):
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{letters * (LENGTH // 4)}\n")
    arguments = ["run", "striped-score", "one.fa", "two.fa", "--backend", "cpu", "--json", "out.json"]
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", ON_A_TERMINAL, *arguments]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, env=environment)
    shown = _read(run.stderr, until=b"phase 1")
    run.send_signal(signal.SIGINT)
    shown += _read(run.stderr)
    assert run.wait(PATIENCE_S) == 130
    assert shown.rstrip().endswith(b"antidiag: cancelled")
    assert b"Traceback" not in shown
    assert not (tmp_path / "out.json").exists()


def _read(stream, until: bytes | None = None) -> bytes:
    """What is written to a stream, up to a text or to its end."""
    shown = b""
    while (until is None or until not in shown) and (piece := os.read(stream.fileno(), 4096)):
        shown += piece
    return shown
