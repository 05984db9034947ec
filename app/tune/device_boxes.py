"""Where a sweep runs: the CPU, and each GPU that is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from antidiag.app import theme
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.engine import BackendChoice

NO_GPU = "No NVIDIA GPU was found"


class DeviceBoxes(QWidget):
    """A box for the CPU and one for each GPU; a single one that is off where there is none."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.cpu = QCheckBox("CPU")
        self.cpu.setChecked(True)
        self.boxes: list[QCheckBox] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.SPACING)
        self._row.addWidget(self.cpu)
        self._row.addStretch(1)
        self._wanted: set[int] = set()
        self.touched = False
        """Whether somebody has chosen here, now or the last time."""
        self._connect(self.cpu)
        self.set_gpus(())

    def set_gpus(self, found: Sequence[Device]) -> None:
        """Offer these GPUs."""
        for box in self.boxes:
            self._row.removeWidget(box)
            box.deleteLater()
        self.boxes = [self._box(f"GPU {gpu.index}", gpu.name, gpu.index in self._wanted) for gpu in found]
        if not found:
            self.boxes = [self._box("GPU", NO_GPU, False)]
            self.boxes[0].setEnabled(False)

    def choose(self, gpu: int | None) -> None:
        """Take this GPU alone, or the CPU."""
        self.cpu.setChecked(gpu is None)
        for number, box in enumerate(self.boxes):
            box.setChecked(box.isEnabled() and number == gpu)

    def gpus(self) -> tuple[int, ...]:
        """The numbers of the GPUs that are chosen."""
        return tuple(number for number, box in enumerate(self.boxes) if box.isEnabled() and box.isChecked())

    def backends(self) -> tuple[BackendChoice, ...]:
        """Those chosen; "auto" where none is."""
        chosen: list[BackendChoice] = ["cpu"] if self.cpu.isChecked() else []
        return tuple([*chosen, "cuda"] if self.gpus() else chosen) or ("auto",)

    def values(self) -> dict[str, Any]:
        """What was chosen, for the next start."""
        return {"cpu": self.cpu.isChecked(), "gpus": list(self.gpus())}

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """What `values` returned; GPUs that are found later are chosen then."""
        self.cpu.setChecked(bool(saved.get("cpu", self.cpu.isChecked())))
        self._wanted, self.touched = set(saved.get("gpus", ())), self.touched or bool(saved)
        for number, box in enumerate(self.boxes):
            box.setChecked(box.isEnabled() and number in self._wanted)

    def _box(self, text: str, tip: str, checked: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setToolTip(tip)
        box.setChecked(checked)
        self._connect(box)
        self._row.insertWidget(self._row.count() - 1, box)
        return box

    def _connect(self, box: QCheckBox) -> None:
        box.toggled.connect(self.changed)
        box.clicked.connect(self._touch)

    def _touch(self) -> None:
        self.touched = True
