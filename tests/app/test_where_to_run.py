"""Where a single run is computed: shared out to processes or a cluster, cancelled, refused, and remembered."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from antidiag.app.dialogs.cluster_dialog import ClusterDialog
from antidiag.app.jobs.queue import JobState
from antidiag.app.settings import Settings
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.local import LocalExecutor
from tests.app import fake
from tests.app.panels.test_devices import stand_in
from tests.app.steps import set_parameter
from tests.dask_clusters import start_thread_cluster

ADDRESS = "tcp://head-node:8786"


@pytest.fixture(autouse=True)
def first_method_is_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = fake.make

    def make(identifier: str = "fake", *rest: Any, **changes: Any) -> Any:
        splitting = {"splitting": fake.SPLITTING} if identifier == "fake" else {}
        return plain(identifier, *rest, **splitting, **changes)

    monkeypatch.setattr(fake, "make", make)


@pytest.fixture
def on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Executors are threads of this process, which know the methods of the test; Dask seems to be installed."""
    monkeypatch.setattr(ExecutorChoice, "open", lambda self: LocalExecutor(2))
    monkeypatch.setitem(sys.modules, "distributed", stand_in())


def choose(qtbot: Any, window: Any, place: str, backend: str = "cpu") -> None:
    window.device.choose(backend, 0, place)
    window.device.changed.emit()
    qtbot.waitUntil(lambda: not window.planner.busy)


def start_waiting_run(qtbot: Any, window: Any) -> Any:
    """A run whose pieces wait; two of the four are running."""
    set_parameter(window, "wait", True)
    qtbot.waitUntil(window.method.run_button.isEnabled)
    window.commands["run"].trigger()
    job = window.queue.jobs[0]
    qtbot.waitUntil(lambda: "2 running" in window.jobs.rows[job].numbers.text())
    return job


def test_a_run_is_shared_out_to_processes(qtbot: Any, ready: Any, on_threads: None) -> None:
    choose(qtbot, ready, "processes")
    assert "shared out to processes of this machine, as quarters" in ready.cost.notes.text()
    assert "It falls into 4 pieces (quarters)" in ready.cost.notes.text()
    assert ready.cost.line.text().startswith("Shared out; whole here: ")
    job = start_waiting_run(qtbot, ready)
    assert job.title.endswith("processes of this machine") and job.lane == "cpu"
    assert "0 of 4 done, 2 running" in job.status()
    fake.RELEASED.set()
    qtbot.waitUntil(lambda: bool(ready.session.entries))
    entry = ready.session.entries[0]
    assert entry.result.notes[-1].startswith("Computed in 4 pieces (quarters)") and not ready.is_stale(entry)


def test_a_run_that_is_shared_out_is_cancelled(qtbot: Any, ready: Any, on_threads: None) -> None:
    choose(qtbot, ready, "processes")
    job = start_waiting_run(qtbot, ready)
    ready.commands["cancel"].trigger()
    qtbot.waitUntil(lambda: not ready.queue.jobs)
    assert job.state is JobState.CANCELLED and not ready.session.entries


def test_a_method_in_one_piece_is_refused_with_what_to_do(qtbot: Any, ready: Any) -> None:
    choose(qtbot, ready, "processes")
    ready.method.choose(ready.methods[1])
    qtbot.waitUntil(lambda: "Other runs in one piece" in ready.cost.refusal.text())
    assert "choose Automatic" in ready.cost.refusal.text() and not ready.method.run_button.isEnabled()
    choose(qtbot, ready, "", "auto")
    assert ready.method.run_button.isEnabled()


def choose_cluster(window: Any) -> ClusterDialog | None:
    """Choose the last entry as with the mouse; return the dialog, if one opened."""
    last = window.device.count() - 1
    window.device.setCurrentIndex(last)
    window.device.activated.emit(last)
    return window.findChild(ClusterDialog)


def test_without_dask_the_entry_says_what_to_install(qtbot: Any, ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert choose_cluster(ready) is None
    assert "pip install 'antidiag[cluster]'" in ready.jobs.message.text() and ready.device.is_automatic


def test_the_address_of_a_cluster_is_checked_and_kept(
    qtbot: Any, ready: Any, make_window: Any, on_threads: None
) -> None:
    Settings().put("executor", {"place": "another", "address": ""})
    dialog = choose_cluster(ready)
    dialog.chooser.address.setText(ADDRESS)
    dialog.chooser.check_button.click()
    qtbot.waitUntil(dialog.chooser.check_button.isEnabled)
    assert dialog.chooser.answer.text().startswith("1 worker, 2 slots")
    dialog.use_button.click()
    assert ready.request().executor == ExecutorChoice("dask", ADDRESS)
    assert Settings().mapping("executor") == {"place": "another", "address": ADDRESS}
    qtbot.waitUntil(lambda: f"Dask cluster {ADDRESS}" in ready.cost.notes.text())
    job = start_waiting_run(qtbot, ready)
    assert job.lane == "dask"
    ready.close()
    again = make_window()
    assert again.device.cluster.scheduler == ADDRESS and again.device.saved_choice()["executor"] == "dask"


def test_a_cancelled_dialog_leaves_the_device(qtbot: Any, ready: Any, on_threads: None) -> None:
    choose(qtbot, ready, "processes")
    choose_cluster(ready).reject()
    QApplication.processEvents()
    assert ready.device.saved_choice()["executor"] == "processes"


def test_a_run_is_shared_out_to_a_cluster(qtbot: Any, ready: Any) -> None:
    with start_thread_cluster(2, 1) as cluster:
        dialog = choose_cluster(ready)
        dialog.chooser.address.setText(cluster.scheduler_address)
        dialog.use_button.click()
        qtbot.waitUntil(ready.method.run_button.isEnabled)
        ready.commands["run"].trigger()
        qtbot.waitUntil(lambda: bool(ready.session.entries))
    assert "(dask)" in ready.session.entries[0].result.notes[-1]
