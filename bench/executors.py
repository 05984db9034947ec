"""``python -m bench.executors``: executors tried and measured, here and on a cluster of processes of this machine.

- ``overhead``: milliseconds that a task costs beside its work, of each executor;
- ``scaling``: tasks of 100 ms on some workers, as a share of the time that these would take without any loss;
- ``survival``: families of proteins aligned on a cluster while a worker is killed every ``--kill-every`` seconds, and
  again with ``kill -9`` of the caller in the middle and ``--resume``; all files must be those of an undisturbed run.
"""

from __future__ import annotations

import argparse
import filecmp
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import psutil

from antidiag.kernels import ROOT
from antidiag.kernels.batch_runs.batch import MANIFEST
from antidiag.kernels.executors import trial_tasks
from antidiag.kernels.executors.dask_cluster import start_cluster
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.tasks import Task

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
TASK_S = 0.1
MAIN = [sys.executable, str(ROOT.parent / "main.py")]


def measure_overhead(executor: Executor, count: int) -> float:
    """Return the milliseconds that an empty task costs."""
    tasks = [Task(str(number), f"{trial_tasks.MODULE}:echo_value", {"value": number}) for number in range(count)]
    list(executor.map(tasks[: count // 10]))
    begun = time.perf_counter()
    assert sum(outcome.is_done for outcome in executor.map(tasks)) == count
    return (time.perf_counter() - begun) / count * 1e3


def measure_scaling(executor: Executor, rounds: int) -> float:
    """Return how much of the time of all slots is spent in tasks of `TASK_S`, from 0 to 1."""
    slots = executor.slots
    tasks = [
        Task(str(number), f"{trial_tasks.MODULE}:compute_for", {"seconds": TASK_S}) for number in range(rounds * slots)
    ]
    list(executor.map(tasks[:slots]))
    begun = time.perf_counter()
    assert all(outcome.is_done for outcome in executor.map(tasks))
    return rounds * TASK_S / (time.perf_counter() - begun)


def write_families(folder: Path, count: int, sequences: int, length: int) -> None:
    """Write families of related proteins; the number of a family is its seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for family in range(count):
        chance = random.Random(family)
        root = [chance.choice(AMINO_ACIDS) for _ in range(length)]
        records = (f">s{number}\n{''.join(_mutate(root, chance))}\n" for number in range(sequences))
        (folder / f"family{family:06}.fa").write_text("".join(records))


def _mutate(root: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Yield the letters of a copy with substitutions, deletions and insertions."""
    for letter in root:
        event = chance.random()
        if event < 0.2:
            yield chance.choice(AMINO_ACIDS)
        elif event < 0.23:
            continue
        elif event < 0.26:
            yield from (letter, chance.choice(AMINO_ACIDS))
        else:
            yield letter


@contextmanager
def _cluster_process(workers: int, threads: int, folder: Path) -> Iterator[tuple[psutil.Process, Path]]:
    """Yield the process of ``cluster start`` and its scheduler file."""
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    command = [*MAIN, "cluster", "start", "--workers", str(workers), "--threads-per-worker", str(threads)]
    process = subprocess.Popen([*command, "--write", str(file)], stdout=subprocess.DEVNULL)
    try:
        while not file.exists():
            assert process.poll() is None, "the cluster did not start"
            time.sleep(0.1)
        yield psutil.Process(process.pid), file
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


@contextmanager
def _killing_workers(cluster: psutil.Process, every_s: float) -> Iterator[list[int]]:
    """Kill a worker of the cluster every few seconds; yield the list of those that were killed."""
    killed: list[int] = []
    stop = threading.Event()

    def kill() -> None:
        chance = random.Random(1)
        while not stop.wait(every_s):
            workers = [one for one in cluster.children() if "spawn_main" in " ".join(one.cmdline())]
            if workers:
                victim = chance.choice(workers)
                victim.kill()
                killed.append(victim.pid)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()


def try_survival(given: argparse.Namespace, folder: Path) -> bool:
    """Run a batch three times: undisturbed, with killed workers, and with a killed caller; return whether all agree."""
    families = folder / "families"
    write_families(families, given.families, given.sequences, given.length)
    command = [*MAIN, "batch", given.method, str(families), "--quiet"]
    begun = time.perf_counter()
    subprocess.run([*command, "--on", "processes", "--out", str(folder / "undisturbed")], check=True)
    print(f"undisturbed, processes of this machine: {time.perf_counter() - begun:.1f} s", flush=True)
    with _cluster_process(given.workers, given.threads, folder) as (cluster, file):
        on_cluster = [*command, "--scheduler-file", str(file)]
        with _killing_workers(cluster, given.kill_every) as killed:
            begun = time.perf_counter()
            subprocess.run([*on_cluster, "--out", str(folder / "killed-workers")], check=True)
            seconds = time.perf_counter() - begun
        print(f"{len(killed)} workers killed: {seconds:.1f} s", flush=True)
        done = _kill_caller([*on_cluster, "--out", str(folder / "killed-caller")], folder, given.families // 3)
        begun = time.perf_counter()
        subprocess.run([*on_cluster, "--out", str(folder / "killed-caller"), "--resume"], check=True)
        print(f"caller killed after {done:,} families; resumed: {time.perf_counter() - begun:.1f} s", flush=True)
    agreeing = [_agrees(folder, name, given.families) for name in ("killed-workers", "killed-caller")]
    return all(agreeing)


def _kill_caller(command: Sequence[str], folder: Path, after: int) -> int:
    """Kill the caller once so many families are done; return how many the manifest has."""
    caller = subprocess.Popen(command)
    manifest = folder / "killed-caller" / MANIFEST
    while caller.poll() is None and not (manifest.exists() and manifest.read_bytes().count(b"\n") > after):
        time.sleep(0.05)
    caller.kill()
    caller.wait()
    return manifest.read_bytes().count(b"\n") - 1


def _agrees(folder: Path, name: str, count: int) -> bool:
    """Print and return whether the files of a run are those of the undisturbed one."""
    names = sorted(one.name for one in (folder / "undisturbed").glob("family*"))
    same, other, errors = filecmp.cmpfiles(folder / "undisturbed", folder / name, names, shallow=False)
    right = len(same) == count and not other and not errors
    print(f"{name}: {len(same):,} of {count:,} files equal{'' if right else ': WRONG'}", flush=True)
    return right


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.executors", description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", choices=[[], "overhead", "scaling", "survival"], help="by default all")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2, help="of a worker")
    parser.add_argument("--cards", type=int, default=0, help="also the executor of GPUs, with so many cards")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--method", default="msa")
    parser.add_argument("--families", type=int, default=2000)
    parser.add_argument("--sequences", type=int, default=20)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--kill-every", type=float, default=20.0, help="seconds")
    parser.add_argument("--folder", type=Path, help="kept; by default a temporary one")
    return parser.parse_args(arguments)


def _measure(executor: Executor, wanted: Sequence[str], count: int) -> None:
    """Print overhead and scaling of an executor."""
    if "overhead" in wanted:
        print(f"{executor.kind}: {measure_overhead(executor, count):.2f} ms a task", flush=True)
    if "scaling" in wanted:
        share = measure_scaling(executor, 30)
        print(f"{executor.kind}: tasks of 100 ms on {executor.slots} slots: {100 * share:.1f} %", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials and return 0 if all files were right."""
    given = _parse(arguments)
    wanted = given.what or ["overhead", "scaling", "survival"]
    if {"overhead", "scaling"} & set(wanted):
        with ExecutorChoice("local", slots=given.workers * given.threads).open() as executor:
            _measure(executor, wanted, given.tasks)
        if given.cards:
            with ExecutorChoice("gpus", cards=range(given.cards)).open() as executor:
                _measure(executor, wanted, given.tasks)
        with (
            start_cluster(given.workers, given.threads) as (address, _),
            ExecutorChoice("dask", address).open() as executor,
        ):
            _measure(executor, wanted, given.tasks)
    if "survival" not in wanted:
        return 0
    folder = given.folder or Path(mkdtemp(prefix="antidiag-survival-"))
    right = try_survival(given, folder)
    if not given.folder:
        shutil.rmtree(folder)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
