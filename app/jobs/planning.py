"""Plans the next run on a thread while the user edits its settings.

Making a problem encodes whole sequences and looking for a GPU loads CuPy, so neither happens on the GUI
thread. Only the newest request counts: older ones that have not started are dropped.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from antidiag.app.jobs.run_places import CLUSTER, GPUS, describe_executor, explain_one_piece
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.tasks.worker_threads import report_error
from antidiag.app.texts import write_for_window
from antidiag.kernels import engine, memory, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError, ParameterError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.registry import memory_advice
from antidiag.kernels.registry.memory_advice import FittingChange, MethodSuggestion
from antidiag.kernels.run_plan import RunPlan

DEBOUNCE_MS = 120


@dataclass(frozen=True, eq=False)
class RunRequest:
    """Everything that defines a run; ``options`` and ``parameters`` hold what was set by hand.

    ``executor`` computes the pieces of a run that is shared out; None for a run in one piece in this process.
    """

    method: Method
    data: Sequence[Any]
    options: Mapping[str, Any]
    parameters: Mapping[str, Any]
    backend: BackendChoice = "auto"
    device: int = 0
    executor: ExecutorChoice | None = None

    def plan(self) -> RunPlan:
        """Return the plan under present conditions; raises AntidiagError if no run can be planned.

        That of a run that is shared out has time and memory of the whole run in this process.
        """
        if self.executor is not None and (reason := explain_one_piece(self.method)):
            raise ParameterError(f"{reason}; or choose Automatic in the list of devices")
        problem = self.method.problem_type.make_problem(self.data, self.options)
        device, peers = devices.select_gpus(self.device, self.method.shares_gpus)
        plan = engine.plan_run(self.method, problem, self.parameters, self._own_backend, device, peers=peers)
        return plan if self.executor is None else share_plan(plan, self.executor)

    @property
    def _own_backend(self) -> BackendChoice:
        """The backend of this process: a run that goes on here with its pieces takes the CPU where no GPU suits it."""
        goes_on = self.executor is not None and bool(self.method.splitting.finish_run)
        return "auto" if goes_on and self.backend == "cuda" else self.backend


def share_plan(plan: RunPlan, executor: ExecutorChoice) -> RunPlan:
    """Return the plan of a run whose pieces an executor computes: with what refuses it, and a note that says so.

    A run that goes on here with its pieces must fit here as a whole. Of another run only the answer is joined here:
    pieces on GPUs need not fit one GPU together, and those of a cluster need no memory of this machine.
    """
    from antidiag.kernels.batch_runs import split_runs  # not for a window that only opens

    splitting, place, slots = plan.method.splitting, executor.chosen_place, executor.known_slots
    if slots and split_runs.runs_whole(plan, slots):
        return replace(plan, notes=(split_runs.ONE_PIECE, *plan.notes))
    notes = [
        f"This run is shared out to {describe_executor(executor)}, as {splitting.noun}; time and memory are those of"
        " the whole run here.",
    ]
    if slots:
        notes.append(split_runs.describe_expected_pieces(plan, slots))
    refusal = plan.refusal
    if splitting.finish_run:
        notes.append("It goes on here with their answers.")
    elif refusal and place == CLUSTER:
        notes.append(f"Only the answer is joined here: {refusal}.")
        refusal = None
    elif refusal and place == GPUS:
        refusal = memory.explain_refusal(Footprint(plan.footprint.host), memory.host_bytes_free(), None)
    footprint = replace(plan.footprint, disk={})  # pieces are not kept for a run after a crash
    return replace(plan, footprint=footprint, refusal=refusal, notes=(" ".join(notes), *plan.notes))


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
        return PlanAnswer(request, error=write_for_window(str(error)))
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
