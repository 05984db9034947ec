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

from tests.documents import ROOT

pytest.importorskip("distributed")
yaml = pytest.importorskip("yaml")

PAGE = (ROOT / "docs" / "howto" / "cluster.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "howto" / "cluster-security.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


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


def test_the_slurm_script_aligns_all_and_continues(place: Path) -> None:
    script = block(PAGE, "Slurm").replace("batch msa", "batch msa-clustalw")
    settings = {"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "1"}
    assert "3 of 3" in run_script(place, script, **settings)
    assert results(place) == ["f0.sto", "f1.sto", "f2.sto"]
    (place / "aligned" / "f1.sto").unlink()
    (place / "scheduler-7.json").unlink(missing_ok=True)
    assert "3 of 3 (2 before)" in run_script(place, script, **{**settings, "SLURM_JOB_ID": "8"})


def test_the_ssh_script_aligns_all(place: Path) -> None:
    script = block(PAGE, "SSH").replace("8786", str(free_port())).replace("--nworkers 4", "--nworkers 1")
    script = script.replace("batch msa", "batch msa-clustalw").replace("--out aligned", "--out aligned --to sto")
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
            place, f"antidiag batch msa-clustalw families --out aligned --to sto --scheduler tcp://127.0.0.1:{port}"
        )
    assert "3 of 3" in said and len(results(place)) == 3


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_tls_lets_members_in_and_strangers_out(place: Path) -> None:
    run_script(place, block(SECURITY, "TLS"))
    exports = SECURITY[SECURITY.index("export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION") :].split("```")[0]
    port = free_port()
    address = f"tls://127.0.0.1:{port}"
    member = f"{exports}\nexec dask "
    scheduler = f"{member} scheduler --protocol tls --host 127.0.0.1 --port {port} --no-dashboard"
    worker = f"{member} worker {address} --nworkers 1 --nthreads 1 --no-dashboard"
    batch = f"antidiag batch msa-clustalw families --out aligned --to sto --scheduler {address}"
    with started(place, "bash", "-c", scheduler), started(place, "bash", "-c", worker):
        assert "3 of 3" in run_script(place, f"{exports}\n{batch}")
        stranger = "from distributed import Client; Client('%s', timeout=3)"
        time.sleep(0.1)
        for named in (address, address.replace("tls", "tcp")):
            code = subprocess.run(
                [sys.executable, "-c", stranger % named], env=environment(place), capture_output=True, check=False
            )
            assert code.returncode != 0
    assert len(results(place)) == 3


def test_a_scheduler_that_dies_ends_a_batch_with_a_reason_and_resume_goes_on(place: Path) -> None:
    """The batch goes on with a new scheduler."""
    file = place / "scheduler.json"
    named = ("--scheduler-file", str(file), "--no-dashboard")
    command = ("dask", "scheduler", *named, "--port", "0", "--host", "127.0.0.1")
    worker = ("dask", "worker", *named, "--nworkers", "1", "--nthreads", "1")
    batch = f"antidiag batch msa-clustalw families --out aligned --to sto --scheduler-file {file} --resume"
    for number in range(3, 150):
        (place / "families" / f"f{number}.fa").write_text(f">a\nGATTACA\n>b\nGATT{'C' * number}ACA\n>c\nGATTACC\n")
    manifest = place / "aligned" / "batch-manifest.jsonl"
    with started(place, *command) as scheduler, started(place, *worker):
        _wait_for(file.exists)
        caller = subprocess.Popen(
            ["bash", "-c", f"exec {batch}"], cwd=place, env=environment(place), stderr=subprocess.PIPE, text=True
        )
        _wait_for(lambda: manifest.exists() and manifest.read_bytes().count(b"\n") > 10)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, said = caller.communicate(timeout=120)
    assert caller.returncode == 2 and "cannot be reached any more" in said and "--resume" in said
    assert said.count("\n") == 1, "nothing of the library's own messages"
    file.unlink()
    with started(place, *command):
        _wait_for(file.exists)
        with started(place, *worker):
            assert "150 of 150" in run_script(place, batch)
    assert len(results(place)) == 150


def _wait_for(condition) -> None:
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
