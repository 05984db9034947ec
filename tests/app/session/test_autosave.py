"""Saving behind the user's back, and at the end."""

import gc
import threading

import pytest
from PySide6.QtWidgets import QApplication

from antidiag.app.dialogs import save_progress
from antidiag.app.jobs import queue
from antidiag.app.jobs.queue import Job
from antidiag.app.session import archive
from antidiag.app.session.autosave import Autosave, autosave_path, previous_path
from antidiag.app.session.session import Session
from antidiag.app.session.state import State
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor

RECORDS = [Sequence(f"r{number}", b"ACGT", SequenceType.DNA) for number in range(3 * archive.BATCH)]


@pytest.fixture
def autosave(qtbot, folder):
    return Autosave(Session(), dict)


def test_at_the_end_only_the_newest_is_saved(autosave, monkeypatch):
    """A save that is out of date is given up, instead of being waited for."""
    begun, save = threading.Event(), archive.save

    def slow(path, *snapshot):
        monitor = snapshot[-2]
        if begun.is_set():
            save(path, *snapshot)
            return
        begun.set()
        assert monitor._cancelled.wait(60)
        monitor.check()

    monkeypatch.setattr(archive, "save", slow)
    autosave._session.add(RECORDS[:1])
    autosave._save_soon()
    assert begun.wait(60)
    autosave._session.add(RECORDS[1:])
    autosave.finish()
    assert archive.load(autosave_path())[0].sequences == tuple(RECORDS)


def test_what_is_being_saved_is_waited_for_where_nothing_has_changed_since(autosave, monkeypatch):
    autosave._session.add(RECORDS[:1])
    autosave._timer.stop()
    autosave._save_soon()
    monkeypatch.setattr(autosave, "_start", lambda: pytest.fail("saved twice"))
    autosave.finish()
    assert archive.load(autosave_path())[0].sequences == tuple(RECORDS[:1])


def test_saving_tells_how_far_it_is_and_a_cancelled_one_leaves_the_file_alone(tmp_path):
    path, told = tmp_path / "x.antidiag", []
    archive.save(path, State(tuple(RECORDS)), [], {}, monitor=Monitor(lambda *shares: told.append(shares[:2])))
    batch = archive.BATCH * archive.RECORD_BYTES
    assert told == [(number * batch, 6 * batch) for number in range(6)]
    before, monitor = path.read_bytes(), Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        archive.save(path, State(tuple(RECORDS)), [], {}, monitor=monitor)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_long_save_is_shown(qtbot, autosave, monkeypatch):
    monkeypatch.setattr(save_progress, "AFTER_S", 1e9)
    told = save_progress.SaveProgress()
    told(0.1)
    assert told.dialog is None
    monkeypatch.setattr(save_progress, "AFTER_S", -1)
    told(0.25)
    assert told.dialog.isVisible()
    assert told.dialog.value() == 25
    told.close()
    assert not told.dialog.isVisible()


def test_a_crowd_of_records_is_set_aside_instead_of_being_looked_through(qtbot, monkeypatch):
    monkeypatch.setattr(queue, "MAX_NEW_OBJECTS", 1000)
    collector = queue.Collector(QApplication.instance())
    try:
        before = gc.get_freeze_count()
        held = [[] for _ in range(2000)]
        collector._collect()
        assert gc.get_freeze_count() - before >= len(held)
    finally:
        collector.stop()


def test_a_setting_is_saved_with_little_data_and_waits_with_much(autosave, monkeypatch):
    monkeypatch.setattr("antidiag.app.session.autosave.FEW", 1)
    autosave.settings_changed()
    assert autosave._timer.isActive()
    autosave._timer.stop()
    autosave._session.state = State((Sequence("a", b"A", SequenceType.DNA), Sequence("b", b"A", SequenceType.DNA)))
    autosave.settings_changed()
    assert not autosave._timer.isActive()


@pytest.fixture
def reading(autosave):
    """Autosave with a session on the disk, which a job reads until it may end; the job and its queue."""
    autosave._session.add(RECORDS)
    autosave.finish()
    again, may_end, jobs = Autosave(Session(), dict), threading.Event(), queue.JobQueue()
    job = Job("Open", "read", lambda monitor: may_end.wait(60) and monitor.check(), lambda value: None)
    again.wait_for(job, jobs)
    jobs.submit(job)
    yield again, job, jobs, may_end
    may_end.set()


def test_what_was_open_last_is_not_saved_over_before_it_is_read(qtbot, reading):
    again, job, jobs, may_end = reading
    again.settings_changed()
    again._save_soon()  # the time is up
    assert again._thread is None and again._timer.isActive()
    again.finish()  # the window is closed before anything is there
    assert archive.load(autosave_path())[0].sequences == tuple(RECORDS)
    jobs.cancel(job)
    may_end.set()
    qtbot.waitUntil(lambda: job.state is queue.JobState.CANCELLED)
    assert autosave_path().exists() and not previous_path().exists()


@pytest.mark.parametrize("ending", ["cancelled", "read"])
def test_what_was_not_read_is_set_aside_instead_of_saved_over(qtbot, reading, ending):
    again, job, jobs, may_end = reading
    told = []
    again.kept.connect(told.append)
    if ending == "cancelled":
        jobs.cancel(job)
    may_end.set()
    qtbot.waitUntil(lambda: job.state in queue.ENDED)
    assert told == ([str(previous_path())] if ending == "cancelled" else [])
    again._session.add(RECORDS[:1])
    again.finish()
    assert archive.load(autosave_path())[0].sequences == tuple(RECORDS[:1])
    if ending == "cancelled":
        assert archive.load(previous_path())[0].sequences == tuple(RECORDS)
