"""The choice of where tasks run: this process, processes on the CPU, a card, all cards, or a cluster; with a check."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from antidiag.app import texts
from antidiag.app.jobs.run_places import CLUSTER, GPUS, LOCAL, PROCESSES, SETTING, make_cluster_choice
from antidiag.app.kit import ask
from antidiag.app.kit.controls.widgets import ElidedComboBox, create_label, create_row
from antidiag.app.kit.tasks.worker_threads import start_worker
from antidiag.app.settings import Settings
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.tasks import WorkerInfo
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.text import format_count


@dataclass(frozen=True)
class CheckAnswer:
    """The workers of a place, its dashboard, or why it cannot be used."""

    workers: tuple[WorkerInfo, ...] = ()
    dashboard: str = ""
    error: str = ""


class ExecutorChooser(QWidget):
    """Chooses where tasks run; ``Check`` connects and shows the workers. ``only_cluster`` offers a cluster alone."""

    changed = Signal()
    checked = Signal(object)
    """Sent with a `CheckAnswer` when the check has ended."""

    def __init__(self, gpus: Sequence[str], settings: Settings, only_cluster: bool = False) -> None:
        super().__init__()
        self._settings, self._only_cluster = settings, only_cluster
        self.places, self.address = ElidedComboBox(), QLineEdit()
        self.places.setAccessibleName("Where to run")
        self._fill_places(gpus)
        self.address.setPlaceholderText("tcp://host:8786, or a scheduler file; empty: Dask's configuration")
        self.address.setAccessibleName("Address of the scheduler")
        self.file_button, self.check_button = QPushButton("File\u2026"), QPushButton("Check")
        self.file_button.setToolTip("Choose the file that the scheduler wrote")
        self.check_button.setToolTip("Connect, and show the workers with their memory, GPUs and versions")
        self.file_button.clicked.connect(self._choose_file)
        self.check_button.clicked.connect(self.check)
        self.answer = create_label(kind="muted", wrap=True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.link = create_label()
        self.link.setTextFormat(Qt.TextFormat.RichText)
        self.link.setOpenExternalLinks(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        if only_cluster:
            self.places.setParent(self)
            self.places.hide()
            box.addLayout(create_row(self.address, self.file_button, self.check_button, stretch=0))
        else:
            box.addLayout(create_row(self.places, self.check_button, stretch=0))
            box.addLayout(create_row(self.address, self.file_button, stretch=0))
        box.addWidget(self.answer)
        box.addWidget(self.link)
        self._restore()
        self.places.activated.connect(self._change)
        self.address.textEdited.connect(self._change)
        self.checked.connect(self._show_answer, Qt.ConnectionType.QueuedConnection)
        self._change()

    @property
    def place(self) -> tuple[str, int | None]:
        """The executor and the number of its only card, None for all."""
        return self.places.currentData()

    @property
    def backend(self) -> tuple[str, int]:
        """The backend and device of runs: GPU and CPU as each worker has them, unless a card or the CPU was chosen."""
        kind, card = self.place
        return ("cuda", card) if kind == LOCAL and card is not None else ("cpu" if kind == PROCESSES else "auto", 0)

    def choice(self) -> ExecutorChoice:
        """Return the executor that was chosen. Raise ParameterError for a choice that is not valid."""
        kind = self.place[0]
        return make_cluster_choice(self.address.text()) if kind == CLUSTER else ExecutorChoice(kind)

    def choose(self, kind: str, address: str = "") -> None:
        """Choose a place by the name of its executor."""
        found = next((row for row in range(self.places.count()) if self.places.itemData(row)[0] == kind), 0)
        self.places.setCurrentIndex(found)
        self.address.setText(address)
        self._change()

    def remember(self) -> None:
        """Keep the choice for the next time; where only a cluster is offered, its address alone."""
        place = self._settings.mapping(SETTING).get("place", "") if self._only_cluster else self.places.currentText()
        self._settings.put(SETTING, {"place": place, "address": self.address.text()})

    def check(self) -> None:
        """Connect on a thread and show the workers."""
        self.check_button.setEnabled(False)
        self.answer.setText("Connecting ...")
        start_worker(self._check, "check of an executor", self.choice())

    def _check(self, choice: ExecutorChoice) -> None:
        try:
            with choice.open() as executor:
                found = CheckAnswer(executor.resources(), getattr(executor, "dashboard_link", ""))
        except AntidiagError as error:
            found = CheckAnswer(error=texts.write_for_window(str(error)))
        except Exception as error:  # of a library that connects: said, and the window goes on
            found = CheckAnswer(error=f"{type(error).__name__}: {error}")
        with contextlib.suppress(RuntimeError):  # the window may be gone
            self.checked.emit(found)

    def _show_answer(self, found: CheckAnswer) -> None:
        self.check_button.setEnabled(True)
        self.answer.setObjectName("error" if found.error else "muted")
        self.answer.style().polish(self.answer)
        self.answer.setText(found.error or describe_workers(found.workers))
        self.link.setVisible(bool(found.dashboard))
        self.link.setText(f'<a href="{found.dashboard}">Dashboard</a>')

    def _fill_places(self, gpus: Sequence[str]) -> None:
        self.places.addItem("Automatic \N{MIDDLE DOT} this process", (LOCAL, None))
        self.places.addItem("CPU \N{MIDDLE DOT} a process for each processor", (PROCESSES, None))
        for number, name in enumerate(gpus):
            self.places.addItem(f"GPU {number} \N{MIDDLE DOT} {name}", (LOCAL, number))
        if gpus:
            count = format_count(len(gpus), "process", "processes")
            self.places.addItem(f"All GPUs \N{MIDDLE DOT} {count}", (GPUS, None))
        self.places.addItem("Dask cluster", (CLUSTER, None))

    def _restore(self) -> None:
        kept = self._settings.mapping(SETTING)
        last = self.places.count() - 1  # the cluster
        found = last if self._only_cluster else max(self.places.findText(str(kept.get("place", ""))), 0)
        self.places.setCurrentIndex(found)
        self.address.setText(str(kept.get("address", "")))

    def _change(self, *_: Any) -> None:
        on_cluster = self.place[0] == CLUSTER
        self.address.setVisible(on_cluster)
        self.file_button.setVisible(on_cluster)
        self.answer.setText("")
        self.link.hide()
        self.changed.emit()

    def _choose_file(self) -> None:
        path = ask.open_path(self, "Scheduler file", "Scheduler file (*.json)")
        if path is not None:
            self.address.setText(str(path))
            self._change()


def describe_workers(workers: Sequence[WorkerInfo]) -> str:
    """Return the workers in words, a line each, with the reason for those that are not used."""
    if not workers:
        return "The scheduler answers, and no worker has registered yet."
    slots = format_count(sum(worker.slots for worker in workers if not worker.problem), "slot")
    lines = [f"{format_count(len(workers), 'worker')}, {slots}"]
    for worker in workers:
        gpus = ", ".join(worker.gpus) or "no GPU"
        about = (
            f"{worker.host}, {worker.slots} at a time, {format_bytes(worker.memory_bytes)}, {gpus}, {worker.version}"
        )
        lines.append(f"{worker.name}: {worker.problem or about}")
    return "\n".join(lines)
