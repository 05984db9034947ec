"""The options that say where tasks run: in this process, on all GPUs, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli.shell import messages
from antidiag.kernels.errors import InputError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.executor_choice import ExecutorChoice

PANEL = "Where tasks run"

On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="local|processes|gpus|dask",
        help="Where tasks run: local, on threads of this process; processes, in worker processes on the CPU, which is "
        "faster for many small tasks; "
        "gpus, in one process a GPU of this machine; dask, on the workers of a cluster. "
        "Default: dask with --scheduler or --scheduler-file, else local.",
        rich_help_panel=PANEL,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, such as tcp://host:8786; 'cluster start' starts one. Without it, Dask's own "
        "configuration names the scheduler.",
        rich_help_panel=PANEL,
    ),
]
SchedulerFile = Annotated[
    str | None,
    typer.Option("--scheduler-file", metavar="FILE", help="File that the Dask scheduler wrote.", rich_help_panel=PANEL),
]


@dataclass(frozen=True)
class ExecutorOptions:
    """The options that say where tasks run."""

    on: On = None
    scheduler: Scheduler = None
    scheduler_file: SchedulerFile = None

    @property
    def is_chosen(self) -> bool:
        """Whether the user named a place; otherwise a run is not shared out."""
        return bool(self.on or self.scheduler or self.scheduler_file)

    def choose(self, slots: int | None = None) -> ExecutorChoice:
        """Return the choice; ``slots`` are the tasks at a time of the local executor, None for one a processor."""
        return ExecutorChoice(self.on or "auto", self.scheduler, self.scheduler_file, slots)

    @contextmanager
    def open(self, slots: int | None = None) -> Iterator[Executor]:
        """Yield the executor that was chosen; details say which workers it has."""
        with self.choose(slots).open() as executor:
            if messages.shows_details():
                for worker in executor.resources():
                    gpus = f", {', '.join(worker.gpus)}" if worker.gpus else ""
                    messages.print_detail(f"{worker.name} on {worker.host}: {worker.slots} slots{gpus}")
            yield executor


def check_folder(folder: str) -> Path:
    """Return the output folder; raise InputError for a file of its name."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise InputError(f"--out {folder}: this is a file; give a folder, which is made if it does not exist")
    return path
