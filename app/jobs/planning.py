"""Plans the next run on a thread while the user edits its settings.

Making a problem encodes whole sequences and looking for a GPU loads CuPy, so neither happens on the GUI
thread. Only the newest request counts: older ones that have not started are dropped.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.tasks.worker_threads import report_error
from antidiag.kernels import engine, memory, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.method import Method
from antidiag.kernels.registry import memory_advice
from antidiag.kernels.registry.memory_advice import FittingChange, MethodSuggestion
from antidiag.kernels.run_plan import RunPlan

DEBOUNCE_MS = 120


@dataclass(frozen=True, eq=False)
class RunRequest:
    """Everything that defines a run; ``options`` and ``parameters`` hold what was set by hand."""

    method: Method
    data: Sequence[Any]
    options: Mapping[str, Any]
    parameters: Mapping[str, Any]
    backend: BackendChoice = "auto"
    device: int = 0

    def plan(self) -> RunPlan:
        """Return the plan under present conditions; raises AntidiagError if no run can be planned."""
        problem = self.method.problem_type.make_problem(self.data, self.options)
        device, peers = devices.select_gpus(self.device, self.method.shares_gpus)
        return engine.plan_run(self.method, problem, self.parameters, self.backend, device, peers=peers)


@dataclass(frozen=True, eq=False)
class PlanAnswer:
    """The plan of a request, or the reason why there is none.

    ``fitting`` are changes that would fit, ``suited`` another method that suits the data better. ``host_free``,
    ``device_free`` and ``disk_left`` are free bytes at the time of planning (``device_free`` for a plan on a GPU,
    ``disk_left`` for one that needs the disk).
    """

    request: RunRequest
    plan: RunPlan | None = None
    error: str = ""
    fitting: tuple[FittingChange, ...] = ()
    suited: MethodSuggestion | None = None
    host_free: int = 0
    device_free: int = 0
    disk_left: int = 0

    @property
    def refusal(self) -> str:
        """Why the run cannot start; empty if it can."""
        return self.error or (self.plan.refusal if self.plan else "") or ""


def plan_request(request: RunRequest) -> PlanAnswer:
    """Plan a request; an error becomes part of the answer."""
    try:
        plan = request.plan()
        fitting = memory_advice.find_fitting_changes(plan, request.parameters) if plan.refusal else ()
        device_free = devices.free_memory_bytes(plan.device) if plan.backend == "cuda" else 0
        disk_left = memory.allowed_disk_bytes() if plan.footprint.disk else 0
        suited = memory_advice.suggest_method(_list_alternatives(request.method), request.data, plan.backend)
        host_free = memory.host_bytes_free()
        return PlanAnswer(request, plan, "", fitting, suited, host_free, device_free, disk_left)
    except AntidiagError as error:
        return PlanAnswer(request, error=str(error))
    except MemoryError:
        return PlanAnswer(request, error="there is not enough memory to prepare these data; choose smaller ones")
    except Exception as error:  # of the program itself: the form says where, and takes other values
        report_error(error)
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
        return PlanAnswer(request, error=f"this run cannot be planned: {type(error).__name__}: {error} ({place})")


def _list_alternatives(method: Method) -> list[Method]:
    """Return the other methods for the same problem that return at least as much."""
    return [
        other
        for other in registry.METHODS
        if other is not method and other.problem_type is method.problem_type and other.returns >= method.returns
    ]


class Planner(QObject):
    """Plans the newest request, a moment after the last keystroke, and sends ``planned(answer)``."""

    planned = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._task = LatestTask(self, self.planned)
        self._newest: RunRequest | None = None
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._start_planning)

    @property
    def busy(self) -> bool:
        """Whether an answer to the newest request is still to come."""
        return self._timer.isActive() or self._task.busy

    def ask(self, request: RunRequest) -> None:
        """Plan this request instead of an earlier one."""
        self._task.cancel()
        self._newest = request
        self._timer.start()

    def forget(self) -> None:
        """Drop the request."""
        self._timer.stop()
        self._task.cancel()
        self._newest = None

    def _start_planning(self) -> None:
        request = self._newest
        self._task.request(lambda monitor: plan_request(request))
