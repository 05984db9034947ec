"""The list of devices for runs: automatic, the CPU, the GPUs, or why there is no GPU."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from antidiag.app.kit.controls.widgets import ElidedComboBox
from antidiag.app.kit.tasks.worker_threads import start_worker
from antidiag.kernels.cuda import devices
from antidiag.kernels.engine import BackendChoice, cpu_name
from antidiag.kernels.errors import AntidiagError

GB = 1e9
VISIBLE_LETTERS, MIN_WIDTH = 34, 70
"""Letters shown in a wide window, and least pixels in a narrow one."""


@dataclass(frozen=True)
class FoundGpus:
    """All GPUs with their free bytes, and why there is none or why one does not answer."""

    gpus: tuple[tuple[devices.Device, int], ...]
    reason: str


class DeviceChooser(ElidedComboBox):
    """Lists the devices; a thread looks for GPUs, because that loads CuPy."""

    changed = Signal()
    found = Signal(object)
    _looked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._gpus, self.is_looking = 0, False
        self.setAccessibleName("Device")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(VISIBLE_LETTERS)
        self.setMinimumWidth(MIN_WIDTH)
        self.addItem("Automatic", ("auto", 0))
        self.addItem(f"CPU \N{MIDDLE DOT} {cpu_name()} \N{MIDDLE DOT} {os.cpu_count()} threads", ("cpu", 0))
        self.addItem("Looking for GPUs ...")
        self._disable_entry(2)
        self._looked.connect(self._fill_list, Qt.ConnectionType.QueuedConnection)
        self.currentIndexChanged.connect(self._show_tip)
        self.activated.connect(self.changed)

    def look(self) -> None:
        """Look for GPUs and their free memory on a thread; ``looking`` is true until ``found`` is sent."""
        self.is_looking = True
        start_worker(self._discover_gpus, "devices")

    def choice(self) -> tuple[BackendChoice, int]:
        """Return the chosen backend and the number of the GPU."""
        return self.currentData() or ("auto", 0)

    @property
    def backend(self) -> str:
        """The backend that runs use: "automatic" means a GPU if one was found."""
        chosen = self.choice()[0]
        return ("cuda" if self._gpus else "cpu") if chosen == "auto" else chosen

    def choose(self, backend: str, device: int) -> None:
        """Choose a device if it is listed."""
        for index in range(self.count()):
            if self.itemData(index) == (backend, device):
                self.setCurrentIndex(index)

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
        chosen, self._gpus = self.choice(), len(found.gpus)
        while self.count() > 2:
            self.removeItem(self.count() - 1)
        for gpu, free in found.gpus:
            memory = f"{free / GB:.0f} of {gpu.memory_bytes / GB:.0f} GB free"
            self.addItem(f"GPU {gpu.index} \N{MIDDLE DOT} {gpu.name} \N{MIDDLE DOT} {memory}", ("cuda", gpu.index))
        if len(found.gpus) > 1:
            count = len(found.gpus)
            self.addItem(
                f"All {count} GPUs \N{MIDDLE DOT} one long pair; other runs use one", ("cuda", devices.ALL_GPUS)
            )
        if found.gpus:
            self.setItemText(
                0, f"Automatic \N{MIDDLE DOT} GPU {found.gpus[0][0].index} \N{MIDDLE DOT} {found.gpus[0][0].name}"
            )
        else:
            self.setItemText(0, "Automatic \N{MIDDLE DOT} CPU (no GPU found)")
            self.addItem(f"No GPU: {found.reason}")
            self._disable_entry(self.count() - 1)
        for index in range(self.count()):
            self.setItemData(index, self.itemText(index), Qt.ItemDataRole.ToolTipRole)
        self.setItemData(0, _automatic_tip(found), Qt.ItemDataRole.ToolTipRole)
        self.choose(*chosen)
        self._show_tip()
        self.is_looking = False
        self.found.emit(found)

    def _disable_entry(self, index: int) -> None:
        model = self.model()
        if isinstance(model, QStandardItemModel):
            model.item(index).setEnabled(False)

    def _show_tip(self) -> None:
        self.setToolTip(self.currentData(Qt.ItemDataRole.ToolTipRole) or self.currentText())


def _automatic_tip(found: FoundGpus) -> str:
    if found.gpus:
        return "Runs use the GPU where the method has a GPU version and the run fits its memory, else the CPU."
    return f"Runs use the CPU: {found.reason}."
