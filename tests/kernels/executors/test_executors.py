"""All executors give the same answers, order, retries and errors."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from antidiag.kernels.errors import BackendUnavailable, Cancelled, InputError, ParameterError
from antidiag.kernels.executors import trial_tasks
from antidiag.kernels.executors.dask_cluster import restart_lost_workers, start_cluster
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.messages import pack_message, unpack_message
from antidiag.kernels.executors.task_runner import pack_task
from antidiag.kernels.executors.tasks import ExecutorLost, ForeignWorker, Task
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from tests.dask_clusters import start_thread_cluster

KINDS = ("local", "processes", "gpus", "dask")


@pytest.fixture(scope="module")
def cluster():
    with start_thread_cluster() as found:
        yield found.scheduler_address


def open_executor(kind: str, request) -> Executor:
    """Return an executor of two slots; that of GPUs has two numbers of cards that need not exist."""
    if kind == "dask":
        return ExecutorChoice("dask", request.getfixturevalue("cluster")).open()
    return ExecutorChoice(kind, slots=2, cards=(0, 1) if kind == "gpus" else None).open()


@pytest.fixture(params=KINDS, scope="module")
def executor(request):
    with open_executor(request.param, request) as found:
        yield found


def task(name: str, key: str = "a", **arguments: object) -> Task:
    return Task(key, f"{trial_tasks.MODULE}:{name}", arguments)


def test_answers_are_the_same_everywhere(executor):
    table = executor.share(np.arange(1000))
    tasks = [
        Task(
            str(seed),
            f"{trial_tasks.MODULE}:sum_numbers",
            {"numbers": np.arange(seed, dtype=np.int32)},
            {"table": table},
            seed=seed,
        )
        for seed in range(12)
    ]
    found = {outcome.task.key: outcome.value for outcome in executor.map(tasks)}
    assert len(found) == 12
    for seed in range(12):
        value = found[str(seed)]
        assert (value["sum"], value["shared"]) == (sum(range(seed)), 499500)
        assert value["random"].tolist() == np.random.default_rng(seed).integers(1 << 30, size=3).tolist()


def test_values_come_back_as_they_went(executor):
    value = {"text": "é", "bytes": b"\0\1", "none": None, "of": (1, 2.5, Sequence("a", b"ACGT", SequenceType.DNA))}
    assert executor.submit(task("echo_value", value=value)).result(30).value == value


def test_an_error_of_the_data_ends_a_task_at_its_first_attempt(executor, tmp_path):
    attempts = tmp_path / "attempts"
    found = executor.submit(task("fail_with", of_input=True, text="x.fa: line 3", attempts=str(attempts))).result(30)
    assert (found.error, found.error_type, found.attempts) == ("x.fa: line 3", "InputError", 1)
    assert attempts.stat().st_size == 1 and not found.is_done


def test_three_failures_end_a_task_with_its_own_error(executor, tmp_path):
    attempts = tmp_path / "attempts"
    failing = task("fail_with", of_input=False, text="division", attempts=str(attempts))
    found = {one.task.key: one for one in executor.map([failing, task("echo_value", "b", value=7)])}
    assert found["a"].error == "unexpected error: ValueError: division (3 attempts)"
    assert "fail_with" in found["a"].detail and attempts.stat().st_size == 3
    assert found["b"].value == 7
    assert (executor.counts.done, executor.counts.failed) == (1, 1)


def test_a_task_that_fails_twice_is_done_at_the_third_attempt(executor, tmp_path):
    found = executor.submit(task("fail_at_first", failures=2, attempts=str(tmp_path / "attempts"))).result(30)
    assert (found.value, found.attempts) == (3, 3)


def test_the_death_of_a_process_loses_nothing_and_a_task_that_kills_its_worker_fails_alone(tmp_path):
    with ExecutorChoice("processes", slots=2).open() as executor:
        dying = task("end_process", "dying", deaths=1, attempts=str(tmp_path / "dying"))
        deadly = task("end_process", "deadly", deaths=99, attempts=str(tmp_path / "deadly"))
        others = [task("compute_for", str(number), seconds=0.02) for number in range(20)]
        found = {one.task.key: one for one in executor.map([dying, deadly, *others])}
    assert len(found) == 22 and [key for key, one in found.items() if not one.is_done] == ["deadly"]
    assert found["dying"].value == 2
    assert found["deadly"].error_type == "WorkerDied" and "died" in found["deadly"].error
    assert (tmp_path / "deadly").stat().st_size == 3


def test_expensive_tasks_start_first(executor):
    tasks = [Task(str(n), f"{trial_tasks.MODULE}:compute_for", {"seconds": 0.05}, cost=n) for n in range(10)]
    order = [int(one.task.key) for one in executor.map(tasks)]
    assert sorted(order) == list(range(10)) and set(order[:2]) <= {9, 8, 7} and 0 in order[-3:]


def test_cancel_stops_running_tasks_and_the_executor_can_be_used_again(executor):
    monitor = Monitor()
    threading.Timer(0.7, monitor.cancel).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        list(executor.map([task("compute_for", str(number), seconds=60) for number in range(8)], monitor))
    assert time.monotonic() - begun < 8
    assert [one.value for one in executor.map([task("echo_value", value=5)])] == [5]


def test_progress_counts_tasks(executor):
    seen: list[tuple[int, int, str]] = []
    monitor = Monitor(lambda *progress: seen.append(progress))
    list(executor.map([task("compute_for", str(number), seconds=0.02) for number in range(6)], monitor))
    assert seen[0][:2] == (0, 6) and seen[-1][:2] == (6, 6) and seen[-1][2].startswith("6 of 6 done")
    assert sum(executor.counts.by_worker.values()) == 6


def test_a_function_of_another_package_is_refused(executor):
    found = executor.submit(Task("a", "os:getcwd")).result(30)
    assert found.error_type == "InputError" and "functions of antidiag only" in found.error


def test_a_worker_refuses_a_task_of_another_version_by_name(executor, monkeypatch):
    def pack_foreign(*rest) -> bytes:
        return pack_message({**unpack_message(pack_task(*rest)), "version": "9.9 other"})

    monkeypatch.setattr(f"{type(executor)._start.__module__}.pack_task", pack_foreign)
    with pytest.raises(ForeignWorker, match=r"worker .* runs Antidiag .*install the same version"):
        executor.submit(task("echo_value", value=1)).result(30)


def test_a_cluster_of_another_version_is_refused_before_any_task(cluster, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.executors.dask_cluster.program_version", lambda: "9.9 other")
    with pytest.raises(ForeignWorker, match=r"worker tcp://"):
        ExecutorChoice("dask", cluster).open()


def test_resources_name_every_worker(executor):
    found = executor.resources()
    assert sum(one.slots for one in found) == executor.slots == 2
    assert all(one.host and one.memory_bytes > 1 << 28 and one.version and not one.problem for one in found)


def test_a_gpu_task_is_refused_where_no_worker_has_one(cluster):
    with ExecutorChoice("dask", cluster).open() as executor:
        wanted = Task("a", f"{trial_tasks.MODULE}:echo_value", {"value": 1}, needs_gpu=True)
        with pytest.raises(BackendUnavailable, match="no worker of the cluster has a GPU"):
            list(executor.map([wanted]))


def test_choices_that_cannot_be_had_say_what_to_do(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    with pytest.raises(ParameterError, match="--on cloud is none of"):
        ExecutorChoice("cloud")
    with pytest.raises(ParameterError, match="has no use with --on local"):
        ExecutorChoice("local", "tcp://a:1")
    with pytest.raises(ParameterError, match="no Dask scheduler is named"):
        ExecutorChoice("dask").open()
    with pytest.raises(InputError, match="no such file"):
        ExecutorChoice("auto", scheduler_file=tmp_path / "none.json").open()
    monkeypatch.setattr("antidiag.kernels.executors.dask_cluster.CONNECT_S", 1.0)
    with pytest.raises(BackendUnavailable, match=r"no Dask scheduler answers at tcp://127.0.0.1:9.*cluster start"):
        ExecutorChoice("dask", "tcp://127.0.0.1:9").open()


def test_a_call_of_the_scheduler_that_breaks_is_no_unexpected_error(cluster, monkeypatch):
    def fail(*rest: object, **named: object) -> None:
        raise ConnectionError("in <TCP (closed)>: Stream is closed")

    with ExecutorChoice("dask", cluster).open() as executor:
        assert executor.slots == 2
        for name in ("scheduler_info", "run", "submit", "cancel"):
            monkeypatch.setattr(executor._client, name, fail)
        monkeypatch.setattr("antidiag.kernels.executors.dask_cluster.COUNT_S", 0.0)
        assert executor.slots == 2, "the last count"
        for call in (executor.resources, lambda: executor.share(7), lambda: list(executor.map([task("echo_value")]))):
            with pytest.raises(ExecutorLost, match="cannot be reached any more"):
                call()
        executor.cancel()


def test_messages_refuse_other_bytes():
    assert unpack_message(pack_message((1, np.arange(3, dtype=">i2"))))[1].tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="no message"):
        unpack_message(b"\x80\x04whatever it is")
    with pytest.raises(InputError):
        pack_message(object())


def test_the_death_of_dask_workers_loses_neither_tasks_nor_shared_inputs(tmp_path):
    """A cluster of one worker, which is killed while it runs a task, and between tasks."""
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        start_cluster(1, 1) as (address, _),
        ExecutorChoice("dask", address).open() as executor,
    ):
        table = executor.share(np.arange(1000))

        def add(key: str) -> Task:
            return Task(key, f"{trial_tasks.MODULE}:sum_numbers", {"numbers": np.arange(3)}, {"table": table})

        dying = task("end_process", "dying", deaths=1, attempts=str(tmp_path / "attempts"))
        found = {one.task.key: one for one in executor.map([add("first"), dying, add("second")])}
        assert found["dying"].value == 2 and found["first"].value["shared"] == found["second"].value["shared"] == 499500
        dead = executor.submit(task("end_process", deaths=99)).result(240)
        assert dead.error_type == "WorkerDied" and "several workers died" in dead.error and dead.attempts == 1
        again = list(executor.map([add(str(number)) for number in range(5)]))
        assert [one.value["shared"] for one in again] == [499500] * 5


def test_a_run_that_waits_for_its_first_worker_can_be_cancelled():
    monitor = Monitor()
    monitor.cancel()
    with (
        start_thread_cluster(0) as own,
        ExecutorChoice("dask", own.scheduler_address).open() as executor,
        pytest.raises(Cancelled),
    ):
        list(executor.map([task("echo_value", value=1)], monitor))


def test_a_worker_that_dask_has_given_up_is_started_again():
    with start_thread_cluster(1) as own, ExecutorChoice("dask", own.scheduler_address).open() as executor:
        own.sync(own.workers[0].close)
        assert executor.resources() == ()
        own.sync(restart_lost_workers, own, 1)
        assert executor.submit(task("echo_value", value=3)).result(60).value == 3


def test_tasks_wait_for_the_first_worker():
    """As in a cluster that grows when there is work."""
    with start_thread_cluster(0) as own, ExecutorChoice("dask", own.scheduler_address).open() as executor:
        assert executor.slots == 1 and executor.resources() == ()
        arguments, shared = {"numbers": np.arange(3)}, {"table": executor.share(np.arange(4))}
        waiting = executor.submit(Task("a", f"{trial_tasks.MODULE}:sum_numbers", arguments, shared))
        assert not waiting.done()
        own.scale(1)
        assert waiting.result(240).value["shared"] == 6
