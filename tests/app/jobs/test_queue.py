import threading

import pytest

from antidiag.app.jobs import queue as jobs
from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.kernels.errors import Cancelled, InputError


@pytest.fixture
def queue(qtbot):
    made = JobQueue()
    yield made
    made.shut_down()


def waiting(release, log=None):
    def work(monitor):
        while not release.wait(0.01):
            monitor.update(1, 4, "phase 1")
        if log is not None:
            log.append(threading.current_thread() is threading.main_thread())
        return "value"

    return work


def test_a_lane_runs_in_order_and_off_the_gui_thread(qtbot, queue):
    ran, done, release = [], [], threading.Event()
    jobs = [Job(f"job {number}", "cpu", waiting(release, ran), done.append) for number in range(3)]
    for job in jobs:
        queue.submit(job)
    assert [job.state for job in jobs] == [JobState.RUNNING, JobState.WAITING, JobState.WAITING]
    release.set()
    qtbot.waitUntil(lambda: len(done) == 3)
    assert ran == [False] * 3
    assert not queue.jobs


def test_lanes_run_beside_each_other(qtbot, queue):
    release, done = threading.Event(), []
    slow = queue.submit(Job("slow", "cpu", waiting(release), done.append))
    queue.submit(Job("quick", "read", lambda monitor: 7, done.append))
    qtbot.waitUntil(lambda: done == [7])
    assert slow.state is JobState.RUNNING


def test_progress_time_left_and_rate(monkeypatch):
    """Of the present phase: neither compiling nor an earlier phase tells how fast it is."""
    now = 100.0
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now)
    job = Job("job", "cpu", print, print, cells=4_000_000_000)
    job.started = now
    assert (job.fraction, job.remaining_s, job.gcups) == (None, None, None)
    now = 120.0
    job.monitor.update(0, 4, "phase 1")
    assert (job.fraction, job.remaining_s, job.gcups) == (0, None, None)
    now = 122.0
    job.monitor.update(1, 4, "phase 1")
    assert (job.fraction, job.remaining_s, job.gcups) == (0.25, pytest.approx(6), pytest.approx(0.5))
    now = 128.0
    job.monitor.update(4, 4, "phase 1")
    job.monitor.update(0, 50, "phase 3")
    assert (job.remaining_s, job.gcups) == (None, None)
    now = 129.0
    job.monitor.update(10, 50, "phase 3")
    assert (job.remaining_s, job.gcups) == (pytest.approx(4), None)


def test_what_was_done_before_a_run_went_on_is_not_its_rate(monkeypatch):
    now = 10.0
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now)
    job = Job("continued", "cpu", print, print, cells=1_000_000_000)
    job.started = now
    job.monitor.update(80, 100, "phase 1")
    assert job.remaining_s is None
    now = 20.0
    job.monitor.update(90, 100, "phase 1")
    assert (job.remaining_s, job.gcups) == (pytest.approx(10), pytest.approx(0.01))


def test_cancel_a_waiting_and_a_running_job(qtbot, queue):
    done = []
    running = queue.submit(Job("running", "cpu", waiting(threading.Event()), done.append))
    behind = queue.submit(Job("behind", "cpu", waiting(threading.Event()), done.append))
    queue.cancel(behind)
    assert behind.state is JobState.CANCELLED
    queue.cancel(running)
    assert running.state is JobState.CANCELLING
    qtbot.waitUntil(lambda: running.state is JobState.CANCELLED)
    assert not queue.jobs
    assert not done


@pytest.mark.parametrize(("error", "text", "detail"), [
    (InputError("file x: line 3; mend it"), "file x: line 3; mend it", ""),
    (MemoryError(), "not enough memory", ""),
    (ZeroDivisionError("oops"), "ZeroDivisionError: oops", "Traceback"),
])  # fmt: skip
def test_errors_stay_until_dismissed(qtbot, queue, error, text, detail):
    def work(monitor):
        raise error

    failed = []
    job = queue.submit(Job("job", "cpu", work, print, failed.append))
    qtbot.waitUntil(lambda: job.state is JobState.FAILED)
    assert failed == [job]
    assert text in job.error
    assert detail in job.detail
    assert queue.jobs == [job]
    queue.dismiss(job)
    assert not queue.jobs


def compiling(release):
    """Work that cannot be interrupted until it is released, as a compiler."""

    def work(monitor):
        release.wait()
        monitor.check()
        return "value"

    return work


def test_a_job_that_does_not_heed_its_cancelling_is_left_alone(qtbot, queue):
    done, left, release = [], [], threading.Event()
    queue.left.connect(left.append)
    job = queue.submit(Job("job", "cpu", compiling(release), done.append, cells=7, detachable=True))
    behind = queue.submit(Job("behind", "cpu", lambda monitor: 7, done.append))
    queue.cancel(job)
    assert job.state is JobState.CANCELLING and job.is_compiling
    alone = queue.submit(Job("sweep", "cpu", lambda monitor: 9, done.append, alone=True))
    qtbot.waitUntil(lambda: 7 in done)
    assert (job.state, behind.state, job.note) == (
        JobState.CANCELLED, JobState.DONE, "the compiler finishes in the background",
    )  # fmt: skip
    assert alone.state is JobState.WAITING and queue.active == [alone] and not left
    release.set()
    qtbot.waitUntil(lambda: 9 in done)
    assert left == [job] and "value" not in done and not queue.jobs


def test_a_job_that_writes_is_waited_for(qtbot, queue, monkeypatch):
    monkeypatch.setattr(jobs, "GRACE_S", 0)
    release, told = threading.Event(), []
    job = queue.submit(Job("save", "write", compiling(release), print))
    queue.cancel(job)
    queue.changed.connect(told.append)
    qtbot.waitUntil(lambda: len(told) >= 3)
    assert job.state is JobState.CANCELLING
    release.set()
    qtbot.waitUntil(lambda: job.state is JobState.CANCELLED)


def test_a_job_that_cancels_itself_is_no_error(qtbot, queue):
    def work(monitor):
        raise Cancelled

    job = queue.submit(Job("job", "cpu", work, print))
    qtbot.waitUntil(lambda: job.state is JobState.CANCELLED)
    assert job.error == ""
