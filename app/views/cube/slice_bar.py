"""SliceBar: computes H of the slices, with a progress bar: a small cube at once, a larger one slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import ElidedLabel
from antidiag.app.kit.tasks.gpu_or_cpu import run_on_gpu_or_cpu
from antidiag.app.kit.tasks.latest_task import LatestTask, Work
from antidiag.app.kit.tasks.progress_card import UPDATE_INTERVAL_S, progress_text
from antidiag.kernels.cuda import devices
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.model import Cell, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import CubeValues

# More cells than these (slices.effort) take several seconds, so the user is asked first.
ASKED_CELLS, ASKED_CELLS_ON_GPU = 2_000_000_000, 100_000_000_000
PROGRESS_TEXT = "Computing H"
APPEARS_MS = 300  # shorter work is not announced, so that the other widgets do not move
ALL_AXES = frozenset((0, 1, 2))


class SliceBar(QWidget):
    """A line that says what is computed, or why nothing is.

    ``kept(values)`` sends all cells of a small cube; ``sliced({axis: H})`` the planes through the last requested cell.
    ``by_cpu``: the CPU computed the last values, although the run used a GPU.
    """

    cells_computed = Signal(object)
    planes_computed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._problem: TripleProblem | None = None
        self._gpu = ""
        self.by_cpu = False
        self._cell: Cell | None = None
        self._known: dict[tuple[int, int], np.ndarray] = {}
        self._work = LatestTask(self)
        self.text = ElidedLabel()
        self._bar = QProgressBar(maximum=1000, textVisible=False)
        self._bar.setFixedWidth(160)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: self._cancel_work() if self._work.busy else self._start_work())
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        for widget, stretch in ((self.text, 1), (self._bar, 0), (self.button, 0)):
            box.addWidget(widget, stretch)
        self._work.finished.connect(self._take_values)
        self._work.failed.connect(lambda error: self._show_message(f"H could not be computed: {error}", "Try again"))
        self._work.progressed.connect(self._show_progress)
        self._appear = QTimer(self, interval=APPEARS_MS, singleShot=True)
        self._appear.timeout.connect(self.show)
        self._started = self._reported = 0.0
        self.hide()

    @property
    def busy(self) -> bool:
        """Whether a slice is being computed."""
        return self._work.busy

    def stop(self) -> None:
        """Stop the computation and drop its values."""
        self._work.cancel()
        self._problem, self._cell = None, None
        self._known.clear()
        self._hide_bar()

    def show_problem(self, problem: TripleProblem, gpu: str = "") -> None:
        """Take a problem and compute all cells of a small cube, on the GPU of this name if it can, else on the CPU."""
        self.stop()
        self._problem, self._gpu, self.by_cpu = problem, gpu, False
        if slices.is_kept(problem):
            self._start_work()
        elif reason := slices.explain_refusal(problem, self._on_gpu):
            self._show_message(reason[0].upper() + reason[1:] + ".")

    def request_slices(self, cell: Cell) -> None:
        """Compute the slices through a cell that are not known; ask the user before a long computation."""
        problem = self._problem
        if problem is None or slices.is_kept(problem) or slices.explain_refusal(problem, self._on_gpu):
            return
        self._cell = cell
        if not self._missing_axes():
            self._work.cancel()
            self._send_planes()
        elif slices.estimate_effort(problem, self._on_gpu) > (ASKED_CELLS_ON_GPU if self._on_gpu else ASKED_CELLS):
            self._work.cancel()
            self._show_message(f"These slices of H need a pass over up to {problem.cells:,} cells.", "Compute them")
        else:
            self._start_work()

    @property
    def _on_gpu(self) -> bool:
        return devices.find_device_number(self._gpu) is not None

    def _missing_axes(self) -> frozenset[int]:
        return frozenset(axis for axis in ALL_AXES if (axis, self._cell[axis]) not in self._known)

    def _start_work(self) -> None:
        problem, cell = self._problem, self._cell
        if problem is None:
            return
        self._started, self._reported = monotonic(), 0.0
        self._show_message(PROGRESS_TEXT, "Cancel", progress=True)
        if slices.is_kept(problem):
            self._work.request(self._on_device(lambda monitor, device: slices.compute_cube(problem, monitor, device)))
        elif cell is not None:
            axes = self._missing_axes()
            self._work.request(
                self._on_device(
                    lambda monitor, device: (cell, slices.compute_slices(problem, cell, axes, monitor, device))
                )
            )

    def _on_device(self, work: Callable[[Monitor, int | None], Any]) -> Work:
        """Wrap work to run on the GPU of the run if possible, else on the CPU, and to return which it was."""
        gpu = self._gpu
        return lambda monitor: run_on_gpu_or_cpu(gpu, lambda device: work(monitor, device))

    def _cancel_work(self) -> None:
        self._work.cancel()
        self._show_message("H was not computed.", "Compute it")

    def _take_values(self, finished: tuple[CubeValues | tuple[Cell, Mapping[int, np.ndarray]], bool]) -> None:
        found, self.by_cpu = finished
        self._hide_bar()
        if isinstance(found, CubeValues):
            self.cells_computed.emit(found)
            return
        cell, planes = found
        near = {(axis, self._cell[axis]) for axis in ALL_AXES}
        self._known = {place: plane for place, plane in self._known.items() if place in near}
        self._known |= {(axis, cell[axis]): plane for axis, plane in planes.items()}
        self._send_planes()

    def _hide_bar(self) -> None:
        self._appear.stop()
        self.hide()

    def _send_planes(self) -> None:
        self._hide_bar()
        places = {axis: (axis, self._cell[axis]) for axis in ALL_AXES}
        self.planes_computed.emit({axis: self._known[place] for axis, place in places.items() if place in self._known})

    def _show_progress(self, progress: tuple[int, int, str]) -> None:
        done, total, _ = progress
        now = monotonic()
        if now - self._reported < UPDATE_INTERVAL_S or not total:
            return
        self._reported = now
        self._bar.setValue(round(1000 * done / total))
        self.text.setText(progress_text(PROGRESS_TEXT, done / total, now - self._started))

    def _show_message(self, text: str, button: str = "", progress: bool = False) -> None:
        self.text.setText(text)
        self._bar.setVisible(progress)
        self._bar.setValue(0)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        if progress and not self.isVisible():
            self._appear.start()
        else:
            self._appear.stop()
            self.show()
