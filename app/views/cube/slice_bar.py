"""SliceBar: computes H of the slices, with a progress bar: a small cube at once, a larger one slice by slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import Signal

from antidiag.app.kit.tasks.progress_card import ProgressCard
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.gpu_or_cpu import run_on_gpu_or_cpu
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.model import Cell, TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.pictures.slices import CubeValues

# More cells than these (slices.effort) take several seconds, so the user is asked first.
ASKED_CELLS, ASKED_CELLS_ON_GPU = 2_000_000_000, 100_000_000_000
ALL_AXES = frozenset((0, 1, 2))


class SliceBar(ProgressCard):
    """A line that says what is computed, or why nothing is.

    ``cells_computed(values)`` sends all cells of a small cube; ``planes_computed({axis: H})`` the planes through the
    last requested cell. ``by_cpu``: the CPU computed the last values, although the run used a GPU.
    """

    cells_computed = Signal(object)
    planes_computed = Signal(object)

    def __init__(self) -> None:
        super().__init__(None, "Computing H", "H")
        self._problem: TripleProblem | None = None
        self._gpu = ""
        self.by_cpu = False
        self._cell: Cell | None = None
        self._known: dict[tuple[int, int], np.ndarray] = {}
        self.finished.connect(self._take_values)

    def stop(self) -> None:
        """Stop the computation and drop its values."""
        self.cancel_work()
        self._problem, self._cell = None, None
        self._known.clear()

    def show_problem(self, problem: TripleProblem, gpu: str = "") -> None:
        """Take a problem and compute all cells of a small cube, on the GPU of this name if it can, else on the CPU."""
        self.stop()
        self._problem, self._gpu, self.by_cpu = problem, gpu, False
        if slices.is_kept(problem):
            self.start_or_ask(
                problem,
                lambda monitor: run_on_gpu_or_cpu(gpu, lambda device: slices.compute_cube(problem, monitor, device)),
            )
        elif reason := slices.explain_refusal(problem, self._on_gpu):
            self.show_message(reason[0].upper() + reason[1:] + ".")

    def request_slices(self, cell: Cell) -> None:
        """Compute the slices through a cell that are not known; ask the user before a long computation."""
        problem, gpu = self._problem, self._gpu
        if problem is None or slices.is_kept(problem) or slices.explain_refusal(problem, self._on_gpu):
            return
        self._cell = cell
        axes = frozenset(axis for axis in ALL_AXES if (axis, cell[axis]) not in self._known)
        if not axes:
            self.cancel_work()
            self._send_planes()
            return
        is_long = slices.estimate_effort(problem, self._on_gpu) > (ASKED_CELLS_ON_GPU if self._on_gpu else ASKED_CELLS)
        question = f"These slices of H need a pass over up to {problem.cells:,} cells." if is_long else ""

        def compute(monitor: Monitor) -> Any:
            return run_on_gpu_or_cpu(
                gpu, lambda device: (cell, slices.compute_slices(problem, cell, axes, monitor, device))
            )

        self.start_or_ask(cell, compute, question)

    @property
    def _on_gpu(self) -> bool:
        return devices.find_device_number(self._gpu) is not None

    def _take_values(self, finished: tuple[CubeValues | tuple[Cell, Mapping[int, np.ndarray]], bool]) -> None:
        found, self.by_cpu = finished
        if isinstance(found, CubeValues):
            self.cells_computed.emit(found)
            return
        cell, planes = found
        near = {(axis, self._cell[axis]) for axis in ALL_AXES}
        self._known = {place: plane for place, plane in self._known.items() if place in near}
        self._known |= {(axis, cell[axis]): plane for axis, plane in planes.items()}
        self._send_planes()

    def _send_planes(self) -> None:
        places = {axis: (axis, self._cell[axis]) for axis in ALL_AXES}
        self.planes_computed.emit({axis: self._known[place] for axis, place in places.items() if place in self._known})
