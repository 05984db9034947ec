"""Where H of slices comes from: all cells of a small cube at once, else a pass for each slice, with its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest, Work
from antidiag.app.kit.on_device import made_on
from antidiag.app.kit.scan_panel import PATIENCE_S, progress_text
from antidiag.app.kit.widgets import Elided
from antidiag.kernels.cuda import devices
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.model import Cell, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import Values

ASKED_CELLS, ASKED_CELLS_ON_GPU = 2_000_000_000, 100_000_000_000
"""Cells (slices.effort) above which the user is asked first: several seconds."""
DOING = "Computing H"
APPEARS_MS = 300
"""What takes less is not announced, so that the views beside do not jump."""
ALL_AXES = frozenset((0, 1, 2))


class SliceBar(QWidget):
    """Says what is computed, or why not.

    ``kept(values)``: all cells are there; ``sliced({axis: H})``: the planes of the cell that was wanted last.
    ``by_cpu``: the CPU computed what came last, though a GPU ran.
    """

    kept = Signal(object)
    sliced = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._problem: TripleProblem | None = None
        self._gpu = ""
        self.by_cpu = False
        self._cell: Cell | None = None
        self._known: dict[tuple[int, int], np.ndarray] = {}
        self._work = Latest(self)
        self.text = Elided()
        self._bar = QProgressBar(maximum=1000, textVisible=False)
        self._bar.setFixedWidth(160)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: self._cancel() if self._work.busy else self._start())
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        for widget, stretch in ((self.text, 1), (self._bar, 0), (self.button, 0)):
            box.addWidget(widget, stretch)
        self._work.finished.connect(self._finish)
        self._work.failed.connect(lambda error: self._say(f"H could not be computed: {error}", "Try again"))
        self._work.progressed.connect(self._progress)
        self._appear = QTimer(self, interval=APPEARS_MS, singleShot=True)
        self._appear.timeout.connect(self.show)
        self._started = self._told = 0.0
        self.hide()

    @property
    def busy(self) -> bool:
        return self._work.busy

    def stop(self) -> None:
        """Forget the problem and what is computed of it."""
        self._work.cancel()
        self._problem, self._cell = None, None
        self._known.clear()
        self._put_away()

    def offer(self, problem: TripleProblem, gpu: str = "") -> None:
        """Begin with a problem; the cells of a small cube are computed at once.

        The GPU of this name computes them, if it is here and has the memory; else the CPU.
        """
        self.stop()
        self._problem, self._gpu, self.by_cpu = problem, gpu, False
        if slices.is_kept(problem):
            self._start()
        elif reason := slices.refusal(problem, self._on_gpu):
            self._say(reason[0].upper() + reason[1:] + ".")

    def want(self, cell: Cell) -> None:
        """Compute the slices through a cell where they are not kept; a long pass only when the user asks for it."""
        problem = self._problem
        if problem is None or slices.is_kept(problem) or slices.refusal(problem, self._on_gpu):
            return
        self._cell = cell
        if not self._missing():
            self._work.cancel()
            self._give()
        elif slices.effort(problem, self._on_gpu) > (ASKED_CELLS_ON_GPU if self._on_gpu else ASKED_CELLS):
            self._work.cancel()
            self._say(f"Slices of H here need a pass over up to {problem.cells:,} cells.", "Compute them")
        else:
            self._start()

    @property
    def _on_gpu(self) -> bool:
        return devices.numbered(self._gpu) is not None

    def _missing(self) -> frozenset[int]:
        return frozenset(axis for axis in ALL_AXES if (axis, self._cell[axis]) not in self._known)

    def _start(self) -> None:
        problem, cell = self._problem, self._cell
        if problem is None:
            return
        self._started, self._told = monotonic(), 0.0
        self._say(DOING, "Cancel", progress=True)
        if slices.is_kept(problem):
            self._work.request(self._computed(lambda monitor, device: slices.keep(problem, monitor, device)))
        elif cell is not None:
            axes = self._missing()
            work = lambda monitor, device: (cell, slices.slices(problem, cell, axes, monitor, device))  # noqa: E731
            self._work.request(self._computed(work))

    def _computed(self, work: Callable[[Monitor, int | None], Any]) -> Work:
        """Work on the GPU that ran, or on the CPU where that is not here or has too little memory; whether it was."""
        gpu = self._gpu
        return lambda monitor: made_on(gpu, lambda device: work(monitor, device))

    def _cancel(self) -> None:
        self._work.cancel()
        self._say("H was not computed.", "Compute it")

    def _finish(self, finished: tuple[Values | tuple[Cell, Mapping[int, np.ndarray]], bool]) -> None:
        found, self.by_cpu = finished
        self._put_away()
        if isinstance(found, Values):
            self.kept.emit(found)
            return
        cell, planes = found
        near = {(axis, self._cell[axis]) for axis in ALL_AXES}
        self._known = {place: plane for place, plane in self._known.items() if place in near}
        self._known |= {(axis, cell[axis]): plane for axis, plane in planes.items()}
        self._give()

    def _put_away(self) -> None:
        self._appear.stop()
        self.hide()

    def _give(self) -> None:
        self._put_away()
        places = {axis: (axis, self._cell[axis]) for axis in ALL_AXES}
        self.sliced.emit({axis: self._known[place] for axis, place in places.items() if place in self._known})

    def _progress(self, progress: tuple[int, int, str]) -> None:
        done, total, _ = progress
        now = monotonic()
        if now - self._told < PATIENCE_S or not total:
            return
        self._told = now
        self._bar.setValue(round(1000 * done / total))
        self.text.setText(progress_text(DOING, done / total, now - self._started))

    def _say(self, text: str, button: str = "", progress: bool = False) -> None:
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
