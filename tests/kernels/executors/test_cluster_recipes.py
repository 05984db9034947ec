"""The recipes of the page on clusters, run as processes of this machine: Slurm, SSH, Kubernetes, TLS."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from antidiag.kernels.batch_runs.batch import Batch, run_batch
from antidiag.kernels.batch_runs.batch_items import list_items
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.executors import dask_cluster, trial_tasks
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.local import LocalExecutor
from antidiag.kernels.executors.tasks import Task
from tests.dask_clusters import start_thread_cluster
from tests.documents import ROOT

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
yaml = pytest.importorskip("yaml")

PAGE = (ROOT / "docs" / "howto" / "cluster.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "howto" / "cluster-security.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
METHOD = "msa-clustalw"
STRANGER = {
    "distributed.comm.require-encryption": False,
    **{f"distributed.comm.tls.client.{kind}": None for kind in ("cert", "key")},
}
"""The settings of somebody without a certificate."""
COUNT = 150
"""Families of the batch whose scheduler dies."""


def block(text: str, heading: str, language: str = "bash") -> str:
    """Return the first code block of a language below a heading."""
    section = text[text.index(f"## {heading}\n") :]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three families, and programs that stand for those of a cluster."""
    (tmp_path / "families").mkdir()
    for number in range(3):
        (tmp_path / "families" / f"f{number}.fa").write_text(f">a\nGATTACA\n>b\nGATT{'C' * number}ACA\n>c\nGATTACC\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    scripts = {
        "antidiag": f'exec "{sys.executable}" "{ROOT / "main.py"}" "$@"',
        "srun": 'exec "$@"',
        "ssh": 'shift; exec "$@"',
        "hostname": "echo 127.0.0.1",
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/bash\n{script}\n")
        (programs / name).chmod(0o755)
    return tmp_path


def environment(place: Path, **more: str) -> dict[str, str]:
    paths = [str(place / "bin"), str(BIN), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT), "TMPDIR": str(place), **more}


def run_script(place: Path, script: str, **more: str) -> str:
    """Run a script of bash, and end all that it started; return what it printed."""
    process = subprocess.Popen(
        ["bash", "-c", script], cwd=place, env=environment(place, **more), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=300)
    finally:
        end_group(process.pid)
    assert process.returncode == 0, said
    return said


def end_group(group: int) -> None:
    """End the processes of a group, if there are any left."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def started(place: Path, *command: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    log = open(place / f"{command[1]}.log", "ab")  # noqa: SIM115
    process = subprocess.Popen(
        command, cwd=place, env=environment(place, **more), stdout=log, stderr=log, start_new_session=True
    )
    try:
        yield process
    finally:
        end_group(process.pid)
        process.wait()
        log.close()


def results(place: Path) -> list[str]:
    return sorted(one.name for one in (place / "aligned").glob("f*.sto"))


def test_the_slurm_script_continues_a_batch_and_aligns_all(place: Path) -> None:
    done = Batch(METHOD, tuple(list_items([place / "families"])), folder=place / "aligned", suffixes=(".sto",))
    with LocalExecutor(1) as executor:
        assert [row.error for row in run_batch(done, executor)] == ["", "", ""]
    (place / "aligned" / "f1.sto").unlink()
    script = block(PAGE, "Slurm").replace("batch msa", f"batch {METHOD}").replace("sleep 1", "sleep 0.05")
    said = run_script(place, script, SLURM_JOB_ID="7", SLURM_CPUS_PER_TASK="1")
    assert "3 of 3 (2 before)" in said and results(place) == ["f0.sto", "f1.sto", "f2.sto"]


def test_the_ssh_script_aligns_all(place: Path) -> None:
    script = block(PAGE, "SSH").replace("8786", str(free_port())).replace("--nworkers 4", "--nworkers 1")
    script = script.replace("batch msa", f"batch {METHOD}").replace("--out aligned", "--out aligned --to sto")
    assert "3 of 3" in run_script(place, script)
    assert len(results(place)) == 3


def test_the_kubernetes_commands_make_a_cluster(place: Path) -> None:
    port = str(free_port())
    kinds = list(yaml.safe_load_all(block(PAGE, "Kubernetes", "yaml")))
    assert [one["kind"] for one in kinds] == ["Service", "Deployment", "Deployment"]
    commands = {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]["command"] for one in kinds[1:]
    }
    scheduler, worker = (
        [part.replace("8786", port).replace("antidiag-scheduler", "127.0.0.1") for part in commands[name]]
        for name in ("antidiag-scheduler", "antidiag-worker")
    )
    worker[worker.index("--nworkers") + 1] = "1"
    with started(place, *scheduler), started(place, *worker):
        said = run_script(
            place, f"antidiag batch {METHOD} families --out aligned --to sto --scheduler tcp://127.0.0.1:{port}"
        )
    assert "3 of 3" in said and len(results(place)) == 3


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_tls_lets_members_in_and_strangers_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler and a worker in this process, with the certificates and the settings of the page."""
    run_script(place, block(SECURITY, "TLS").replace("rsa:3072", "rsa:2048"))
    exports = SECURITY[SECURITY.index("export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION") :].split("```")[0]
    said = run_script(place, f"{exports}\nenv -0")
    lines = [line.removeprefix("DASK_").split("=", 1) for line in said.split("\0") if line.startswith("DASK_")]
    settings = {name.lower(): value for name, value in lines}
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 2.0)
    with dask.config.set(**settings), start_thread_cluster(1, protocol="tls://") as cluster:
        address = cluster.scheduler_address
        with ExecutorChoice("dask", address).open() as executor:
            assert address.startswith("tls://") and executor.resources()[0].name.startswith("tls://")
            echo = Task("a", f"{trial_tasks.MODULE}:echo_value", {"value": 7})
            assert executor.submit(echo).result(30).value == 7
        for named in (address, address.replace("tls", "tcp")):
            with dask.config.set(STRANGER), pytest.raises(BackendUnavailable, match="no Dask scheduler answers"):
                ExecutorChoice("dask", named).open()


def test_a_scheduler_that_dies_ends_a_batch_with_a_reason_and_resume_goes_on(place: Path) -> None:
    """The batch goes on with another scheduler."""
    file = place / "scheduler.json"
    named = ("--scheduler-file", str(file), "--no-dashboard")
    command = ("dask", "scheduler", *named, "--port", "0", "--host", "127.0.0.1")
    worker = ("dask", "worker", *named, "--nworkers", "1", "--nthreads", "1")
    for number in range(3, COUNT):
        (place / "families" / f"f{number}.fa").write_text(f">a\nGATTACA\n>b\nGATT{'C' * number}ACA\n>c\nGATTACC\n")
    manifest = place / "aligned" / "batch-manifest.jsonl"
    batch = f"exec antidiag batch {METHOD} families --out aligned --to sto --scheduler-file {file}"
    with started(place, *command) as scheduler, started(place, *worker):
        _wait_for(file.exists)
        caller = subprocess.Popen(
            ["bash", "-c", batch], cwd=place, env=environment(place), stderr=subprocess.PIPE, text=True
        )
        _wait_for(lambda: manifest.exists() and manifest.read_bytes().count(b"\n") > 10)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, said = caller.communicate(timeout=120)
    assert caller.returncode == 2 and "cannot be reached any more" in said and "--resume" in said, said
    assert said.count("\n") == 1, "nothing of the library's own messages"
    items = tuple(list_items([place / "families"]))
    whole = Batch(METHOD, items, folder=place / "aligned", suffixes=(".sto",))
    with start_thread_cluster() as cluster, ExecutorChoice("dask", cluster.scheduler_address).open() as executor:
        rows = list(run_batch(whole, executor, resume=True))
    assert len(results(place)) == len(rows) == COUNT and all(row.is_done for row in rows)
    assert 10 < sum(row.resumed for row in rows) < COUNT


def _wait_for(condition) -> None:
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
