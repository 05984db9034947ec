"""The places where runs are shared out, in words for users, and why a run cannot be shared out."""

from __future__ import annotations

from antidiag.app.settings import Settings
from antidiag.kernels import registry
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.method import Method

LOCAL, PROCESSES, GPUS, CLUSTER = "local", "processes", "gpus", "dask"
"""The executors by name."""
SETTING = "executor"
"""The setting that keeps the place and the address that were chosen last."""


def make_cluster_choice(address: str) -> ExecutorChoice:
    """Return the cluster of a scheduler: its address, the path of a scheduler file, or "" for Dask's configuration."""
    address = address.strip()
    is_file = address.endswith(".json")
    return ExecutorChoice(CLUSTER, None if is_file else address or None, address if is_file else None)


def stored_cluster(settings: Settings) -> ExecutorChoice:
    """Return the cluster whose address was chosen last."""
    return make_cluster_choice(str(settings.mapping(SETTING).get("address", "")))


def describe_executor(executor: ExecutorChoice) -> str:
    """Return where the pieces of a run are computed: 'processes of this machine', 'Dask cluster tcp://host:8786'."""
    address = executor.scheduler or executor.scheduler_file or ""
    return {
        PROCESSES: "processes of this machine",
        GPUS: "a process for each GPU",
        CLUSTER: f"Dask cluster {address}".strip(),
    }.get(executor.chosen_place, "this process")


def explain_one_piece(method: Method) -> str:
    """Return why the runs of a method cannot be shared out, and of which methods they can; "" where they can."""
    if method.splitting is not None:
        return ""
    others = ", ".join(one.name for one in registry.METHODS if one.splitting is not None)
    return f"{method.name} runs in one piece" + (f"; these can be shared out: {others}" if others else "")
