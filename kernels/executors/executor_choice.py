"""Which executor runs tasks, as a user chooses it: where, and the scheduler of a cluster."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.processors import count_processors

if TYPE_CHECKING:
    from antidiag.kernels.executors.executor import Executor

PLACES = ("local", "processes", "gpus", "dask")
"""The executors by name."""
MISSING_DASK = "Dask is not installed; pip install 'antidiag[cluster]' brings it"


def explain_missing_dask() -> str:
    """Return what to install so that a cluster can be reached; "" where Dask is installed."""
    return "" if importlib.util.find_spec("distributed") else MISSING_DASK


@dataclass(frozen=True)
class ExecutorChoice:
    """The executor that a user chose.

    Fields
    ------
    place
        "local" (threads of this process), "processes" (on the CPU of this machine), "gpus" (one process a GPU of this
        machine) or "dask" (a cluster); "auto" is dask if a scheduler is named, else local.
    scheduler, scheduler_file
        Address of a Dask scheduler, or the file that it wrote.
    slots
        Tasks at a time of "local" and "processes"; None for one a processor.
    cards
        Numbers of the GPUs; None for all.
    """

    place: str = "auto"
    scheduler: str | None = None
    scheduler_file: str | Path | None = None
    slots: int | None = None
    cards: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.place not in ("auto", *PLACES):
            raise ParameterError(f"--on {self.place} is none of {', '.join(PLACES)} and auto; choose one of them")
        if self.slots is not None and self.slots < 1:
            raise ParameterError(f"slots must be 1 or more tasks at a time; got {self.slots}")
        if self.place not in ("auto", "dask") and (self.scheduler or self.scheduler_file):
            raise ParameterError(f"a scheduler has no use with --on {self.place}; name none, or choose --on dask")

    @property
    def chosen_place(self) -> str:
        """The place, with "auto" resolved."""
        if self.place != "auto":
            return self.place
        return "dask" if self.scheduler or self.scheduler_file else "local"

    @property
    def known_slots(self) -> int:
        """Tasks at a time, as far as they are known before it is open; 0 for a cluster, and where there is no GPU."""
        if self.chosen_place in ("local", "processes"):
            return self.slots or count_processors()
        if self.chosen_place == "gpus":
            from antidiag.kernels.cuda import devices

            return len(devices.discover_devices()[0] if self.cards is None else self.cards)
        return 0

    def open(self) -> Executor:
        """Return the executor, to be used in a ``with`` block. Raise BackendUnavailable if it cannot be had."""
        if self.chosen_place == "local":
            from antidiag.kernels.executors.local import LocalExecutor

            return LocalExecutor(self.slots)
        if self.chosen_place == "gpus":
            from antidiag.kernels.executors.gpus import GpusExecutor

            return GpusExecutor(self.cards)
        if self.chosen_place == "processes":
            from antidiag.kernels.executors.processes import ProcessExecutor

            count = self.slots or count_processors()
            return ProcessExecutor([""] * count, [f"process {number}" for number in range(1, count + 1)])
        from antidiag.kernels.executors.dask_cluster import DaskExecutor

        return DaskExecutor(self.scheduler, self.scheduler_file)
