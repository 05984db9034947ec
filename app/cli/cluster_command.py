"""The command ``cluster``: starts a Dask cluster on this machine, or shows one that runs."""

from __future__ import annotations

import threading
from dataclasses import asdict
from typing import Annotated

import typer

from antidiag.app.cli import report
from antidiag.app.cli.executor_options import Scheduler, SchedulerFile
from antidiag.app.cli.progress import interrupted_at_once
from antidiag.app.invocation import PROGRAM
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.executors.dask_cluster import DaskExecutor, start_cluster
from antidiag.kernels.executors.tasks import WorkerInfo
from antidiag.kernels.memory import format_bytes

CLUSTER_EXAMPLES = """
[bold]Examples[/]

antidiag cluster start --workers 2

antidiag cluster start --workers 4 --threads-per-worker 2 --write scheduler.json

antidiag cluster check --scheduler tcp://head-node:8786
"""

Action = Annotated[
    str, typer.Argument(metavar="start|check", help="start a cluster on this machine, or check one that runs.")
]


def cluster(
    action: Action,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Worker processes to start.")] = 2,
    threads: Annotated[
        int, typer.Option("--threads-per-worker", metavar="N", min=1, help="Tasks at a time of a worker.")
    ] = 1,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port of the scheduler; 0 takes a free one.")
    ] = 0,
    write: Annotated[
        str | None,
        typer.Option("--write", metavar="FILE", help="Write the scheduler file, which --scheduler-file reads."),
    ] = None,
    scheduler: Scheduler = None,
    scheduler_file: SchedulerFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (check).")] = False,
) -> None:
    """Start a Dask cluster on this machine for trying, or check one that runs.

    start: scheduler and workers listen on this machine only, and run until Ctrl-C.

    check: connects to a scheduler, and lists its workers with their slots, memory, GPUs and versions.
    """
    if action == "start":
        _start(workers, threads, port, write)
    elif action == "check":
        _check(scheduler, scheduler_file, as_json)
    else:
        raise ParameterError(f"{action!r} is no action of cluster; give start or check")


def _start(workers: int, threads: int, port: int, write: str | None) -> None:
    """Run a cluster until Ctrl-C."""
    with interrupted_at_once(), start_cluster(workers, threads, port, write) as (address, dashboard):
        report.print_rows(
            [
                ("scheduler", address),
                ("workers", f"{workers} processes of {threads} {'thread' if threads == 1 else 'threads'}"),
                *([("dashboard", dashboard)] if dashboard else []),
                *([("written", write)] if write else []),
                ("use", f"{PROGRAM} batch msa FOLDER --out FOLDER --scheduler {address}"),
            ]
        )
        print("press Ctrl-C to stop", flush=True)
        threading.Event().wait()


def _check(scheduler: str | None, scheduler_file: str | None, as_json: bool) -> None:
    """Print the workers of a cluster."""
    with DaskExecutor(scheduler, scheduler_file, refuses_foreign=False) as executor:
        found = executor.resources()
        if as_json:
            shown = {"scheduler": executor.address, "dashboard": executor.dashboard_link or None}
            report.print_json({**shown, "workers": [report.null_if_empty(asdict(worker)) for worker in found]})
            return
        rows = [("scheduler", executor.address), ("slots", str(sum(worker.slots for worker in found)))]
        rows += [("dashboard", executor.dashboard_link)] if executor.dashboard_link else []
        report.print_rows([*rows, *((worker.name, describe_worker(worker)) for worker in found)])
        if not found:
            print("no worker has registered; start some with 'dask worker ADDRESS'")


def describe_worker(worker: WorkerInfo) -> str:
    """Return a worker in words: host, slots, memory, GPUs, version; or why it is not used."""
    if worker.problem:
        return f"not used: {worker.problem}"
    slots = f"{worker.slots} {'slot' if worker.slots == 1 else 'slots'}"
    gpus = ", ".join(worker.gpus) or "no GPU"
    return f"{worker.host}, {slots}, {format_bytes(worker.memory_bytes)}, {gpus}, version {worker.version}"
