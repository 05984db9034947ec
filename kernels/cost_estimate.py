"""What a method declares about the cost of a run: memory, cells, recomputed cells, and the unit of its rate."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import Outcome
from antidiag.kernels.parameters import MethodParameters


def count_all_cells(problem: Any, parameters: Any) -> int:
    """Return the cells of a problem, each computed once (default of ``CostEstimate.count_work``)."""
    return problem.cells


def nothing_recomputed(problem: Any, parameters: Any) -> int:
    """Return 0: no cell is computed twice (default of ``CostEstimate.count_recomputed``)."""
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """What a run needs and how long it takes, known before anything is allocated.

    Fields
    ------
    estimate_memory, memory_hint
        ``estimate_memory(problem, parameters, backend)`` is the memory that a run needs; the hint is for runs that do
        not fit.
    count_work, count_recomputed, completed_work
        ``count_work(problem, parameters)`` is the number of computed cells (or another unit, see
        `kernels.method.ProblemType`), including recomputation. ``count_recomputed(problem, parameters)`` is the
        largest number of cells that are computed again. ``completed_work(problem, parameters, answer)`` is the work
        that a run did, if it depends on the answer.
    count_least
        ``count_least(problem, parameters)`` is the least number of cells of a run where its answer decides how many
        there are, and ``count_work`` the most. None: ``count_work`` foretells it.
    count_timed_work
        ``count_timed_work(problem, parameters)`` is the work in a unit of which equal amounts take equal time, where
        ``count_work`` is no such unit; rates are measured in it. None: ``count_work``.
    gpu_share
        ``gpu_share(problem, parameters, multiprocessors)`` is the part of the timed work, from 0 to 1, that one of
        several GPUs with so many multiprocessors each has. None: a run uses one GPU.
    forget_problem
        ``forget_problem(problem)`` drops what estimates have computed of a problem and its runs would use, so that a
        timed call computes it. None: there is no such thing.
    nominal_gcups
        Assumed rate per backend (per core on the CPU) of a method that has no shipped rates
        (`kernels.machine.measured_rates`), until a rate was measured.
    cost_models
        Predictions of the paper's analysis.
    occupancy
        "package.module:function" of the occupancy of a GPU by the kernel that does most of the work:
        ``function(problem, parameters)`` returns numbers by name for the current device
        (`kernels.cuda.block_limits.kernel_occupancy`); "" if nothing is measured of it.
    """

    estimate_memory: Callable[[Any, Any, str], Footprint]
    memory_hint: str = ""
    count_work: Callable[[Any, Any], int] = count_all_cells
    count_recomputed: Callable[[Any, Any], int] = nothing_recomputed
    completed_work: Callable[[Any, Any, Any], int] | None = None
    count_least: Callable[[Any, Any], int] | None = None
    count_timed_work: Callable[[Any, Any], int] | None = None
    gpu_share: Callable[[Any, Any, Sequence[int]], float] | None = None
    forget_problem: Callable[[Any], None] | None = None
    nominal_gcups: Mapping[str, float] = field(default_factory=dict)
    cost_models: tuple[CostModel, ...] = ()
    occupancy: str = ""

    def read_occupancy(self, problem: Any, parameters: MethodParameters) -> Mapping[str, float]:
        """Return the occupancy of the current GPU by the main kernel of a run; {} if none is declared."""
        if not self.occupancy:
            return {}
        module, function = self.occupancy.split(":")
        return getattr(importlib.import_module(module), function)(problem, parameters)

    def predicted_cells(self, problem: Any, parameters: MethodParameters) -> int:
        """Return the number of cells that the result of a run will probably report; one computed again counts once."""
        if self.count_recomputed is nothing_recomputed:
            return self.count_work(problem, parameters)
        if self.completed_work is None:
            return int(problem.cells)
        return self.count_work(problem, parameters) - self.count_recomputed(problem, parameters)

    def least_cells(self, problem: Any, parameters: MethodParameters) -> int:
        """Return the least number of cells that the result of a run will report; often the predicted one."""
        count = self.count_least or self.predicted_cells
        return count(problem, parameters)

    def finished_cells(self, problem: Any, parameters: MethodParameters, outcome: Outcome) -> int:
        """Return the number of cells that a run computed; one that it computed again counts once."""
        if outcome.work is not None:
            return outcome.work
        if self.completed_work is not None:
            return self.completed_work(problem, parameters, outcome.answer)
        return self.predicted_cells(problem, parameters)

    def timed_work(self, problem: Any, parameters: MethodParameters) -> int:
        """Return the work of a run in the unit in which its rate is measured."""
        return (self.count_timed_work or self.count_work)(problem, parameters)

    def finished_timed_work(self, problem: Any, parameters: MethodParameters, answer: Any) -> int:
        """Return the work that a finished run did, in the unit in which its rate is measured."""
        if self.completed_work is not None and self.count_timed_work is None:
            return self.completed_work(problem, parameters, answer)
        return self.timed_work(problem, parameters)
