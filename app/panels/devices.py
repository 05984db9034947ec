"""The list of places for runs: automatic, the CPU, the GPUs or why there is none, worker processes, a Dask cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from antidiag.app.jobs.run_places import (
    CLUSTER,
    GPUS,
    PROCESSES,
    explain_one_piece,
    make_cluster_choice,
)
from antidiag.app.kit.controls.widgets import ElidedComboBox
from antidiag.app.kit.tasks.worker_threads import start_worker
from antidiag.app.texts import as_sentence
from antidiag.kernels.cuda import devices
from antidiag.kernels.engine import BackendChoice, cpu_name
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.executors.executor_choice import ExecutorChoice, explain_missing_dask
from antidiag.kernels.method import Method

GB = 1e9
VISIBLE_LETTERS, MIN_WIDTH = 34, 70
"""Letters shown in a wide window, and least pixels in a narrow one."""
TIPS = {
    PROCESSES: "The pieces of a run are shared out among worker processes on the CPU.",
    CLUSTER: "The pieces of a run are shared out among the workers of a Dask cluster. Choose it again to change the "
    "address.",
    GPUS: "Long pairs share all GPUs, runs in pieces use one process a GPU, and other runs use the first GPU.",
}
"""Tool tips of the entries that share runs out."""


@dataclass(frozen=True)
class FoundGpus:
    """All GPUs with their free bytes, and why there is none or why one does not answer."""

    gpus: tuple[tuple[devices.Device, int], ...]
    reason: str


@dataclass(frozen=True)
class DeviceEntry:
    """An entry of the list: backend and number of the GPU, and the executor that runs are shared out by, or ""."""

    backend: BackendChoice = "auto"
    device: int = 0
    place: str = ""

    def explain_absence(self) -> str:
        """Return why a stored entry may be missing from the list."""
        if self.place == CLUSTER:
            return explain_missing_dask()
        if self.place:
            return f"runs cannot be shared out to {self.place!r}"
        if self.device == devices.ALL_GPUS:
            return "all GPUs were chosen, and fewer than two were found"
        return f"GPU {self.device} was not found"


AUTOMATIC = DeviceEntry()
HERE = (AUTOMATIC, DeviceEntry("cpu"), DeviceEntry("cpu", 0, PROCESSES))
"""The first entries of the list; those of the GPUs follow."""
ON_CLUSTER = DeviceEntry("auto", 0, CLUSTER)


class DeviceChooser(ElidedComboBox):
    """Lists the places for runs; a thread looks for GPUs, because that loads CuPy.

    Signals
    -------
    changed
        The user chose another place.
    found
        Sent with `FoundGpus` when the search has ended.
    cluster_wanted
        The user wants a cluster, which `use_cluster` names.
    fell_back
        Sent with a sentence that says why a stored choice is not listed; the choice is Automatic then.
    """

    changed = Signal()
    found = Signal(object)
    cluster_wanted = Signal()
    fell_back = Signal(str)
    _looked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._gpus, self.is_looking = 0, False
        self._method: Method | None = None
        self._settled = AUTOMATIC
        self._awaited: DeviceEntry | None = None
        """A stored choice that is not listed before the GPUs are found."""
        self._has_looked = False
        self.cluster = make_cluster_choice("")
        self.setAccessibleName("Device")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(VISIBLE_LETTERS)
        self.setMinimumWidth(MIN_WIDTH)
        threads = f"CPU \N{MIDDLE DOT} {cpu_name()} \N{MIDDLE DOT} {os.cpu_count()} threads"
        processes = "CPU \N{MIDDLE DOT} a process for each processor"
        for text, entry in zip(("Automatic", threads, processes), HERE, strict=True):
            self.addItem(text, entry)
        self._add_note("Looking for GPUs ...")
        self.addItem("", ON_CLUSTER)
        self._update_entries()
        self._looked.connect(self._fill_list, Qt.ConnectionType.QueuedConnection)
        self.currentIndexChanged.connect(self._show_tip)
        self.activated.connect(self._take_choice)

    def look(self) -> None:
        """Look for GPUs and their free memory on a thread; ``looking`` is true until ``found`` is sent."""
        self.is_looking = True
        start_worker(self._discover_gpus, "devices")

    def choice(self) -> tuple[BackendChoice, int]:
        """Return the chosen backend and the number of the GPU."""
        return self._chosen_entry.backend, self._chosen_entry.device

    def choose_executor(self, method: Method) -> ExecutorChoice | None:
        """Return where the pieces of a run are computed; None for a run in one piece in this process.

        Worker processes and a cluster were asked for by name, also for a method that runs in one piece; all GPUs take
        its run as it is.
        """
        entry = self._chosen_entry
        if entry.place == CLUSTER:
            return self.cluster
        if entry.device == devices.ALL_GPUS:
            return ExecutorChoice(GPUS) if method.splitting is not None else None
        return ExecutorChoice(entry.place) if entry.place else None

    @property
    def is_automatic(self) -> bool:
        """Whether the program chooses the place."""
        return self._chosen_entry == AUTOMATIC

    @property
    def backend(self) -> str:
        """The backend that runs use: "automatic" means a GPU if one was found."""
        chosen = self.choice()[0]
        return ("cuda" if self._gpus else "cpu") if chosen == "auto" else chosen

    def choose(self, backend: str, device: int, place: str = "") -> None:
        """Choose an entry; one that is not listed yet is chosen once the GPUs are found, else Automatic is."""
        wanted = DeviceEntry(cast(BackendChoice, backend), device, place)
        self._awaited = None
        if self._select_entry(wanted):
            return
        if wanted.backend == "cuda" and not self._has_looked:
            self._awaited = wanted
        else:
            self._fall_back(wanted)

    def saved_choice(self) -> dict[str, Any]:
        """Return the choice, to be restored at the next start. Addresses of clusters are kept by the dialog alone."""
        entry = self._awaited or self._chosen_entry
        return {"backend": entry.backend, "device": entry.device, "executor": entry.place}

    def restore_choice(self, saved: Mapping[str, Any]) -> None:
        """Restore what `saved_choice` returned."""
        backend, place = str(saved.get("backend", "auto")), str(saved.get("executor", ""))
        self.choose(backend, int(saved.get("device", 0)), place)

    def set_method(self, method: Method) -> None:
        """Enable the entries that share runs out where the method allows it; their tips say why it does not."""
        self._method = method
        self._update_entries()

    def use_cluster(self, cluster: ExecutorChoice) -> None:
        """Take the cluster that was named, and choose it."""
        self.set_cluster(cluster)
        self._awaited = None
        self._select_entry(ON_CLUSTER)
        self.changed.emit()

    def set_cluster(self, cluster: ExecutorChoice) -> None:
        """Set the cluster of the entry without choosing it."""
        self.cluster = cluster
        self._update_entries()

    @property
    def _chosen_entry(self) -> DeviceEntry:
        return self.currentData() or AUTOMATIC

    def _take_choice(self) -> None:
        self._awaited, wanted = None, self._chosen_entry
        if wanted == ON_CLUSTER:
            self._select_entry(self._settled)  # until the cluster is named
            self.cluster_wanted.emit()
        else:
            self._settled = wanted
            self.changed.emit()

    def _select_entry(self, wanted: DeviceEntry) -> bool:
        """Choose an entry that is listed and can be used; return whether it is."""
        index = next((one for one in range(self.count()) if self.itemData(one) == wanted), -1)
        if index < 0 or (wanted == ON_CLUSTER and explain_missing_dask()):
            return False
        self._settled = wanted
        self.setCurrentIndex(index)
        return True

    def _fall_back(self, wanted: DeviceEntry) -> None:
        self._select_entry(AUTOMATIC)
        self.fell_back.emit(f"{as_sentence(wanted.explain_absence())} The device is Automatic now.")

    def _discover_gpus(self) -> None:
        gpus, reason = devices.discover_devices()
        free = []
        for gpu in gpus:
            try:
                free.append((gpu, devices.free_memory_bytes(gpu.index)))
            except AntidiagError as error:
                reason = f"GPU {gpu.index} does not answer: {error}"
        with contextlib.suppress(RuntimeError):  # the window may be gone
            self._looked.emit(FoundGpus(tuple(free), reason))

    def _fill_list(self, found: FoundGpus) -> None:
        wanted, self._awaited = self._awaited or self._chosen_entry, None
        self._gpus, self._has_looked = len(found.gpus), True
        while self.count() > len(HERE):
            self.removeItem(self.count() - 1)
        for gpu, free in found.gpus:
            memory = f"{free / GB:.0f} of {gpu.memory_bytes / GB:.0f} GB free"
            text = f"GPU {gpu.index} \N{MIDDLE DOT} {gpu.name} \N{MIDDLE DOT} {memory}"
            self.addItem(text, DeviceEntry("cuda", gpu.index))
        if len(found.gpus) > 1:
            text = f"All {len(found.gpus)} GPUs \N{MIDDLE DOT} long pairs and runs in pieces"
            self.addItem(text, DeviceEntry("cuda", devices.ALL_GPUS))
        if found.gpus:
            self.setItemText(
                0, f"Automatic \N{MIDDLE DOT} GPU {found.gpus[0][0].index} \N{MIDDLE DOT} {found.gpus[0][0].name}"
            )
        else:
            self.setItemText(0, "Automatic \N{MIDDLE DOT} CPU (no GPU found)")
            self._add_note(f"No GPU: {found.reason}")
        self.addItem("", ON_CLUSTER)
        self._update_entries()
        self.setItemData(0, _automatic_tip(found), Qt.ItemDataRole.ToolTipRole)
        if not self._select_entry(wanted):
            self._fall_back(wanted)
        self._show_tip()
        self.is_looking = False
        self.found.emit(found)

    def _add_note(self, text: str) -> None:
        """Add a line that cannot be chosen."""
        self.addItem(text)
        self._enable_entry(self.count() - 1, False)

    def _update_entries(self) -> None:
        """Name the cluster, and enable what suits the method; tips say what an entry does, or why it is disabled."""
        reason = explain_one_piece(self._method) if self._method else ""
        for index in range(self.count()):
            entry = self.itemData(index)
            if entry is None or entry == AUTOMATIC:
                continue
            if entry == ON_CLUSTER:
                named = self.cluster.scheduler or self.cluster.scheduler_file
                self.setItemText(index, f"Dask cluster \N{MIDDLE DOT} {named}" if named else "Dask cluster\u2026")
            place = GPUS if entry.device == devices.ALL_GPUS else entry.place
            tip = TIPS.get(place, self.itemText(index))
            if entry.place:
                self._enable_entry(index, not reason)
                tip = as_sentence(reason) if reason else tip
            self.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self._show_tip()

    def _enable_entry(self, index: int, enabled: bool) -> None:
        model = self.model()
        if isinstance(model, QStandardItemModel):
            model.item(index).setEnabled(enabled)

    def _show_tip(self) -> None:
        self.setToolTip(self.currentData(Qt.ItemDataRole.ToolTipRole) or self.currentText())


def _automatic_tip(found: FoundGpus) -> str:
    if found.gpus:
        return "Runs use the GPU where the method has a GPU version and the run fits its memory, else the CPU."
    return f"Runs use the CPU: {found.reason}."
