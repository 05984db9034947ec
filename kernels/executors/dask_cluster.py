"""The executor of a Dask cluster: tasks go to the workers of a scheduler that runs already.

`distributed` is imported here alone, when a cluster is asked for. Tasks and answers are messages of bytes
(`kernels.executors.messages`), and the client refuses answers that are pickled. Dask itself unpickles the errors that
its scheduler reports, so the scheduler must be one that the user trusts (docs/howto/cluster-security.md).
"""

from __future__ import annotations

import importlib.util
import json
import logging
import threading
import time
import urllib.request
import uuid
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.errors import AntidiagError, BackendUnavailable, InputError, ParameterError
from antidiag.kernels.executors.executor import Executor, describe_foreign, unpack_answer
from antidiag.kernels.executors.executor_choice import MISSING_DASK
from antidiag.kernels.executors.messages import pack_message, unpack_message
from antidiag.kernels.executors.task_runner import cancel_run, describe_worker, pack_task, run_task_message
from antidiag.kernels.executors.tasks import ExecutorLost, ForeignWorker, Task, WorkerDied, WorkerInfo
from antidiag.kernels.recovery.interrupted_runs import program_version

CONNECT_S = 15.0
"""Seconds that a scheduler has to answer."""
COUNT_S = 1.0
"""Seconds after which the threads of the workers are counted again, because workers come and go."""
LOOK_S = 2.0
"""Seconds that the dashboard has to answer."""
RESTART_S = 2.0
"""Seconds after which `start_cluster` looks for workers that have died."""
LOST_S = 20.0
"""Seconds without a connection to the scheduler after which it counts as lost."""
GPU = "GPU"
"""The resource that workers with a GPU declare: ``dask worker --resources GPU=1``."""
START_HINT = "start one with 'antidiag cluster start', or give another address"


def keep_message(message: bytes) -> bytes:
    """Return a message with a shared input, so that it lies in the memory of a worker."""
    return message


def run_on_worker(message: bytes, digests: tuple[str, ...] = (), *shared: bytes) -> bytes:
    """Run the task of a message on a Dask worker; ``shared`` are the shared inputs of these digests.

    Returns a message with the answer and the address of the worker.
    """
    from distributed import get_worker

    answer = run_task_message(message, dict(zip(digests, shared, strict=True)).__getitem__)
    return pack_message({"answer": answer, "worker": get_worker().address})


class DaskExecutor(Executor):
    """Runs tasks on the workers of a Dask scheduler. A slot is a thread of a worker, and a task uses one thread.

    Parameters
    ----------
    address : str, optional
        Address of the scheduler, such as tcp://host:8786.
    scheduler_file : path, optional
        File that the scheduler wrote (``dask scheduler --scheduler-file``). Without either, Dask's own configuration
        names the scheduler (DASK_SCHEDULER_ADDRESS).
    refuses_foreign : bool
        Whether workers of another version are an error; otherwise `resources` names them.

    Raises
    ------
    BackendUnavailable
        Dask is not installed, or no scheduler answers.
    ForeignWorker
        A worker runs another version of the program; the message names it.
    """

    kind = "dask"
    reads_files = False

    def __init__(
        self,
        address: str | None = None,
        scheduler_file: str | Path | None = None,
        refuses_foreign: bool = True,
    ) -> None:
        super().__init__()
        self._client = _connect(address, scheduler_file)
        self._address = self._client.scheduler.address
        self._handles: dict[str, Any] = {}
        self._started: dict[str, Any] = {}
        self._lost_since = 0.0
        self._slots, self._counted = 1, -COUNT_S
        try:
            self._workers = self.resources()
            if refuses_foreign and (foreign := [worker.problem for worker in self._workers if worker.problem]):
                raise ForeignWorker("; ".join(foreign))
        except BaseException:
            self._client.close()
            raise

    @property
    def slots(self) -> int:
        """The number of threads of all workers; at least one, because workers may still be about to start."""
        if time.monotonic() - self._counted > COUNT_S:
            self._counted = time.monotonic()
            with suppress(ExecutorLost):  # the last count holds until the connection counts as lost
                self._slots = max(sum(worker["nthreads"] for worker in self._scheduler_workers().values()), 1)
        return self._slots

    @property
    def dashboard_link(self) -> str:
        """The address of the dashboard; "" where the scheduler has none, or it cannot be reached from here."""
        link = self._client.dashboard_link
        try:
            with urllib.request.urlopen(link, timeout=LOOK_S) as page:
                return link if b"bokeh" in page.read(1 << 16).lower() else ""
        except (OSError, ValueError):
            return ""

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self._address

    def resources(self) -> tuple[WorkerInfo, ...]:
        """Return the workers of the cluster; one that cannot be used says why."""
        known = self._scheduler_workers()
        with self._reach_scheduler():
            found = self._client.run(describe_worker, on_error="return")
        there = {address: answer for address, answer in found.items() if not isinstance(answer, OSError)}  # not dead
        return tuple(_read_worker(address, known.get(address, {}), answer) for address, answer in there.items())

    def close(self) -> None:
        """Drop all tasks and end the connection; the cluster goes on."""
        if self._started:
            self.cancel()
        with suppress(ExecutorLost), self._reach_scheduler():
            self._client.close()

    def _scheduler_workers(self) -> Mapping[str, Any]:
        with self._reach_scheduler():
            return self._client.scheduler_info(n_workers=-1)["workers"]

    @contextmanager
    def _reach_scheduler(self) -> Iterator[None]:
        """Raise ExecutorLost where the connection to the scheduler breaks in a call of the client."""
        try:
            yield
        except (Exception, CancelledError) as error:
            if isinstance(error, OSError) or (
                self._client.status != "running" and not isinstance(error, AntidiagError)
            ):
                raise self._lost() from error
            raise

    def _share(self, digest: str, message: bytes) -> None:
        """Hand a shared input out as the answer of a task, which the scheduler repeats where its workers die."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about its size
            key = f"antidiag-shared-{digest}-{uuid.uuid4().hex}"
            with self._reach_scheduler():
                self._handles[digest] = self._client.submit(keep_message, message, key=key, pure=False)

    def _start(self, task: Task) -> Future[tuple[Mapping[str, Any], str]]:
        self._check_connection()
        digests = tuple(dict.fromkeys(task.shared.values()))
        for digest in digests:
            if self._handles[digest].status in ("cancelled", "lost", "error"):
                self._share(digest, self._shared[digest])
        key = f"antidiag-{task.function.rpartition(':')[2]}-{uuid.uuid4().hex}"
        handles = [self._handles[digest] for digest in digests]
        message = pack_task(task, self._run_id, 1)
        placement = self._gpu_placement() if task.needs_gpu else {}
        with self._reach_scheduler():
            started = self._client.submit(run_on_worker, message, digests, *handles, key=key, pure=False, **placement)
        self._started[key] = started
        future: Future[tuple[Mapping[str, Any], str]] = Future()
        started.add_done_callback(partial(self._end, future))
        return future

    def _gpu_placement(self) -> Mapping[str, Any]:
        """Return the arguments with which a task runs on workers with a GPU only."""
        if any(GPU in (worker.get("resources") or {}) for worker in self._scheduler_workers().values()):
            return {"resources": {GPU: 1}}
        able = [worker.name for worker in self._workers if worker.gpus]
        if not able:
            raise BackendUnavailable(
                "no worker of the cluster has a GPU; start workers on machines with one, with --resources GPU=1"
            )
        return {"workers": able, "allow_other_workers": False}

    def _end(self, future: Future[tuple[Mapping[str, Any], str]], started: Any) -> None:
        """Hand the end of a Dask task over to a future of Python."""
        self._started.pop(started.key, None)
        try:
            if started.status == "finished":
                answer = unpack_message(started.result())
                future.set_result((unpack_answer(answer["answer"]), answer["worker"]))
            elif started.status == "error":
                future.set_exception(_explain_failure(started.exception()))
            elif self._cancelled.is_set():
                future.cancel()
            elif self._client.status != "running":
                future.set_exception(self._lost())
            else:
                future.set_exception(WorkerDied("the worker with an input of this task died"))
        except Exception as error:
            future.set_exception(WorkerDied(f"the answer of this task was lost: {type(error).__name__}: {error}"))

    def _check_connection(self) -> None:
        """Raise ExecutorLost if the scheduler has not been reachable for a while."""
        if self._client.status == "running":
            self._lost_since = 0.0
        elif self._client.status in ("closing", "closed"):
            raise self._lost()
        else:
            self._lost_since = self._lost_since or time.monotonic()
            if time.monotonic() - self._lost_since > LOST_S:
                raise self._lost()

    def _lost(self) -> ExecutorLost:
        return ExecutorLost(
            f"the Dask scheduler at {self._address} cannot be reached any more; start it, and continue with --resume"
        )

    def _cancel_started(self) -> None:
        if self._client.status != "running":
            return
        with suppress(ExecutorLost), self._reach_scheduler():
            self._client.cancel(list(self._started.values()), force=True)
            self._client.run(cancel_run, self._run_id, on_error="ignore")


def _connect(address: str | None, scheduler_file: str | Path | None) -> Any:
    """Return a client of a scheduler, whose address may come from Dask's own configuration."""
    if address and scheduler_file:
        raise ParameterError("--scheduler and --scheduler-file exclude each other; give one of them")
    distributed = _import_distributed()
    import dask

    address = address or (None if scheduler_file else dask.config.get("scheduler-address", None))
    if not address and not scheduler_file:
        raise ParameterError(
            "no Dask scheduler is named; give --scheduler ADDRESS or --scheduler-file FILE, "
            "or set DASK_SCHEDULER_ADDRESS"
        )
    if scheduler_file and not Path(scheduler_file).is_file():
        raise InputError(f"{scheduler_file}: no such file; the scheduler writes it when it starts")
    named = {"scheduler_file": str(scheduler_file)} if scheduler_file else {"address": address}
    try:
        return distributed.Client(
            **named,
            timeout=CONNECT_S,
            set_as_default=False,
            name="antidiag",
            serializers=["dask", "pickle", "msgpack"],
            deserializers=["dask", "msgpack"],
        )
    except (OSError, TimeoutError, ValueError, KeyError, RuntimeError, TypeError) as error:
        reason = str(error) or type(error).__name__
        where = scheduler_file or address
        raise BackendUnavailable(f"no Dask scheduler answers at {where}: {reason}; {START_HINT}") from error


def _read_worker(address: str, known: Mapping[str, Any], answer: Any) -> WorkerInfo:
    """Return a worker by what the scheduler knows and what the worker says of itself."""
    slots, memory = known.get("nthreads", 1), int(known.get("memory_limit") or 0)
    if not isinstance(answer, bytes):
        reason = f"worker {address} cannot run tasks: {answer}; install Antidiag {program_version()} there"
        return WorkerInfo(address, str(known.get("host", "")), slots, memory, problem=reason)
    described = unpack_message(answer)
    foreign = described["version"] != program_version()
    return WorkerInfo(
        address,
        described["host"],
        slots,
        memory or described["memory_bytes"],
        tuple(described["gpus"]),
        described["version"],
        describe_foreign(address, described["version"]) if foreign else "",
    )


def _explain_failure(error: BaseException | None) -> WorkerDied:
    """Return why Dask gave a task up; `run_task_message` itself raises nothing."""
    if type(error).__name__ == "KilledWorker":
        text = "several workers died while they ran this task; it may need more memory than they have"
        return WorkerDied(text, is_final=True)
    return WorkerDied(f"Dask could not run this task: {type(error).__name__}: {error}")


@contextmanager
def start_cluster(
    workers: int, threads: int, port: int = 0, scheduler_file: str | Path | None = None
) -> Iterator[tuple[str, str]]:
    """Run a scheduler and worker processes on this machine; yield the addresses of scheduler and dashboard.

    The dashboard is "" without bokeh. They listen on this machine only. Workers that die are started again.

    Raises BackendUnavailable if Dask is not installed or the port is taken, InputError for a scheduler file that cannot
    be written.
    """
    distributed = _import_distributed()
    dashboard = ":0" if importlib.util.find_spec("bokeh") else None
    try:
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            scheduler_port=port,
            host="127.0.0.1",
            dashboard_address=dashboard,
        )
    except (OSError, RuntimeError) as error:
        raise BackendUnavailable(f"no cluster can be started on port {port}: {error}; give another --port") from error
    with cluster, _restarting_workers(cluster, workers):
        if scheduler_file is not None:
            try:
                Path(scheduler_file).write_text(json.dumps(cluster.scheduler.identity(n_workers=0)), encoding="utf-8")
            except OSError as error:
                reason = error.strerror or error
                raise InputError(f"{scheduler_file}: cannot be written: {reason}; choose another file") from error
        yield cluster.scheduler_address, cluster.dashboard_link if dashboard else ""


@contextmanager
def _restarting_workers(cluster: Any, workers: int) -> Iterator[None]:
    """Start lost workers of a cluster again, every `RESTART_S`."""
    stop = threading.Event()

    def restart_until_closed() -> None:
        while not stop.wait(RESTART_S):
            cluster.sync(restart_lost_workers, cluster, workers)

    thread = threading.Thread(target=restart_until_closed, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def restart_lost_workers(cluster: Any, workers: int) -> None:
    """Start workers of a LocalCluster again that Dask has given up, as it does with one that dies while it starts."""
    for name in [name for name, worker in cluster.workers.items() if worker.status.name in ("closed", "failed")]:
        del cluster.workers[name]
    cluster.scale(workers)


def _import_distributed() -> Any:
    """Import Dask's distributed; raise BackendUnavailable if it is not installed."""
    try:
        import distributed
    except ImportError as error:
        raise BackendUnavailable(MISSING_DASK) from error
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters becomes an error with a remedy
    return distributed
