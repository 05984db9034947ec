"""Check boxes for the devices that a sweep runs on: the CPU and each GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from antidiag.app.kit.boxes import row_of
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.engine import BackendChoice

NO_GPU = "No NVIDIA GPU was found"


class DeviceBoxes(QWidget):
    """A box for the CPU and one for each GPU, or one disabled box without a GPU. ``changed``: another choice."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.cpu_box = QCheckBox("CPU")
        self.cpu_box.setChecked(True)
        self.gpu_boxes: list[QCheckBox] = []
        self._row = row_of(self.cpu_box, parent=self)
        self._row.addStretch(1)
        self._wanted_gpus: set[int] = set()
        self.user_has_chosen = False
        """Whether the user has chosen devices here, now or in an earlier session."""
        self._connect_box(self.cpu_box)
        self.set_gpus(())

    def set_gpus(self, found: Sequence[Device]) -> None:
        """Offer these GPUs; those that the user wanted are checked."""
        for box in self.gpu_boxes:
            self._row.removeWidget(box)
            box.deleteLater()
        self.gpu_boxes = [self._add_box(f"GPU {gpu.index}", gpu.name, gpu.index in self._wanted_gpus) for gpu in found]
        if not found:
            self.gpu_boxes = [self._add_box("GPU", NO_GPU, False)]
            self.gpu_boxes[0].setEnabled(False)

    def choose_device(self, gpu: int | None) -> None:
        """Check this GPU alone, or the CPU for None."""
        self.cpu_box.setChecked(gpu is None)
        for number, box in enumerate(self.gpu_boxes):
            box.setChecked(box.isEnabled() and number == gpu)

    def chosen_gpus(self) -> tuple[int, ...]:
        """Return the numbers of the checked GPUs."""
        return tuple(number for number, box in enumerate(self.gpu_boxes) if box.isEnabled() and box.isChecked())

    def chosen_backends(self) -> tuple[BackendChoice, ...]:
        """Return the backends of the checked devices, "auto" where none is checked."""
        chosen: list[BackendChoice] = ["cpu"] if self.cpu_box.isChecked() else []
        return tuple([*chosen, "cuda"] if self.chosen_gpus() else chosen) or ("auto",)

    def saved_values(self) -> dict[str, Any]:
        """Return the choice for the next start."""
        return {"cpu": self.cpu_box.isChecked(), "gpus": list(self.chosen_gpus())}

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """Restore what `saved_values` returned; GPUs that are found later are checked then."""
        self.cpu_box.setChecked(bool(saved.get("cpu", self.cpu_box.isChecked())))
        self._wanted_gpus, self.user_has_chosen = set(saved.get("gpus", ())), self.user_has_chosen or bool(saved)
        for number, box in enumerate(self.gpu_boxes):
            box.setChecked(box.isEnabled() and number in self._wanted_gpus)

    def _add_box(self, text: str, tip: str, checked: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setToolTip(tip)
        box.setChecked(checked)
        self._connect_box(box)
        self._row.insertWidget(self._row.count() - 1, box)
        return box

    def _connect_box(self, box: QCheckBox) -> None:
        box.toggled.connect(self.changed)
        box.clicked.connect(self._note_user_choice)

    def _note_user_choice(self) -> None:
        self.user_has_chosen = True
