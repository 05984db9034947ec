"""A batch in the window: a folder is dropped, the table fills, and results are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication

from antidiag.app.dialogs.batch_dialog import BatchDialog
from antidiag.app.dialogs.batch_table import DONE, FAILED, RESUMED, SCORE, STATE, WAITING, WHERE
from antidiag.app.dialogs.executor_chooser import CLUSTER, LOCAL, PROCESSES
from antidiag.kernels.executors.tasks import WorkerInfo
from tests.dask_clusters import start_thread_cluster


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    folder = tmp_path / "pairs"
    folder.mkdir()
    for number in range(4):
        (folder / f"p{number}.fa").write_text(f">a\nGATTACAGATTACA\n>b\nGATTACA{'C' * number}GATTACA\n")
    return folder


def drop(widget: Any, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    widget.dropEvent(QDropEvent(QPointF(5, 5), copy, mime, left, Qt.KeyboardModifier.NoModifier))


def states(dialog: BatchDialog) -> list[str]:
    return [dialog.model.cell_text(row, STATE) for row in range(dialog.model.rowCount())]


def ended(dialog: BatchDialog, count: int) -> bool:
    return len(states(dialog)) == count and WAITING not in states(dialog) and dialog.start_button.isEnabled()


def test_a_dropped_folder_becomes_a_table_that_fills(qtbot: Any, window: Any, pairs: Path) -> None:
    (pairs / "p2.fa").write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    drop(window, pairs)
    dialog = window.findChild(BatchDialog)
    assert dialog.isVisible() and dialog.start_button.isEnabled()
    dialog.start_button.click()
    assert not dialog.start_button.isEnabled() and dialog.cancel_button.isEnabled()
    qtbot.waitUntil(lambda: ended(dialog, 4))
    assert states(dialog) == [DONE, DONE, FAILED, DONE]
    assert "1 of 4 failed" in dialog.status.text() and dialog.model.cell_text(0, SCORE)
    assert len(list(Path(dialog.folder.text()).glob("p*"))) == 3
    dialog.table.selectAll()
    dialog._copy()
    assert QGuiApplication.clipboard().text().count("\n") == 5 and "p2\tfailed" in QGuiApplication.clipboard().text()


def test_a_batch_is_continued_in_its_folder(qtbot: Any, window: Any, pairs: Path) -> None:
    dialog = window.open_batch([pairs])
    assert dialog.resume.isHidden()
    dialog.start()
    qtbot.waitUntil(lambda: ended(dialog, 4))
    (pairs / "p4.fa").write_text(">a\nGATTACA\n>b\nGATTACA\n")
    assert not dialog.resume.isHidden() and dialog.resume.isChecked()
    dialog.start()
    qtbot.waitUntil(lambda: ended(dialog, 5))
    assert states(dialog) == [RESUMED] * 4 + [DONE]
    dialog.resume.setChecked(False)
    dialog.start()
    qtbot.waitUntil(lambda: "--resume" in dialog.status.text() or "continue" in dialog.status.text())
    assert dialog.start_button.isEnabled()


def test_a_result_of_the_table_is_opened(qtbot: Any, window: Any, pairs: Path) -> None:
    dialog = window.open_batch([pairs])
    dialog.formats.setCurrentIndex(dialog.formats.findData(".fasta") if dialog.formats.findData(".fasta") >= 0 else 0)
    dialog.start()
    qtbot.waitUntil(lambda: ended(dialog, 4))
    opened: list[Path] = []
    dialog.open_wanted.connect(opened.append)
    dialog.table.doubleClicked.emit(dialog.model.index(1, 0))
    assert [path.stem for path in opened] == ["p1"] and opened[0].is_file()


def test_a_cancelled_batch_says_what_is_kept(qtbot: Any, window: Any, pairs: Path) -> None:
    dialog = window.open_batch([pairs])
    dialog._wanted = type(dialog._wanted)(dialog._wanted.method, {}, {"wait": True})
    dialog.start()
    qtbot.waitUntil(lambda: len(window.queue.active) == 1 and window.queue.active[0].progress[1] == 4)
    job = window.queue.active[0]
    qtbot.waitUntil(lambda: "0 of 4 done" in job.status() and "running" in job.status())
    dialog.cancel_button.click()
    qtbot.waitUntil(lambda: "Cancelled" in dialog.status.text())
    assert dialog.start_button.isEnabled()


def test_where_to_run_is_kept_and_checked(qtbot: Any, window: Any, pairs: Path) -> None:
    dialog = window.open_batch([pairs])
    chooser = dialog.executor
    assert chooser.place == (LOCAL, None) and chooser.address.isHidden()
    chooser.choose(PROCESSES)
    assert chooser.choice().chosen_place == "processes" and chooser.backend == ("cpu", 0)
    found: list[Any] = []
    chooser.checked.connect(found.append)
    chooser.check_button.click()
    qtbot.waitUntil(lambda: bool(found) and chooser.check_button.isEnabled())
    assert "worker" in chooser.answer.text() and found[0].workers[0].memory_bytes > 0
    chooser.choose(CLUSTER, "tcp://127.0.0.1:9")
    assert not chooser.address.isHidden() and chooser.choice().scheduler == "tcp://127.0.0.1:9"
    chooser.remember()
    again = window.open_batch().executor
    assert again.place == (CLUSTER, None) and again.address.text() == "tcp://127.0.0.1:9"


def test_a_cluster_is_checked(qtbot: Any, window: Any, pairs: Path) -> None:
    chooser = window.open_batch([pairs]).executor
    found: list[Any] = []
    chooser.checked.connect(found.append)
    with start_thread_cluster(1, 2) as cluster:
        chooser.choose(CLUSTER, cluster.scheduler_address)
        chooser.check_button.click()
        qtbot.waitUntil(lambda: bool(found) and chooser.check_button.isEnabled())
    assert [type(one) for one in found[0].workers] == [WorkerInfo] and not found[0].error
    assert "1 worker, 2 slots" in chooser.answer.text() and "GiB" in chooser.answer.text()


def test_workers_of_a_cluster_are_shown_by_host_and_port(qtbot: Any, window: Any, pairs: Path) -> None:
    dialog = window.open_batch([pairs])
    with start_thread_cluster(1, 2) as cluster:
        dialog.executor.choose(CLUSTER, cluster.scheduler_address)
        dialog.start()
        qtbot.waitUntil(lambda: ended(dialog, 4))
        (worker,) = cluster.scheduler_info["workers"]
    assert states(dialog) == [DONE] * 4
    assert {dialog.model.cell_text(row, WHERE) for row in range(4)} == {worker.removeprefix("tcp://")}


def test_a_cluster_that_does_not_answer_says_so(qtbot: Any, window: Any, pairs: Path, monkeypatch: Any) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("antidiag.kernels.executors.dask_cluster.CONNECT_S", 0.5)
    chooser = window.open_batch([pairs]).executor
    chooser.choose(CLUSTER, "tcp://127.0.0.1:9")
    chooser.check_button.click()
    qtbot.waitUntil(chooser.check_button.isEnabled)
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in chooser.answer.text()
