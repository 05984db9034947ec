"""One run that is shared out: its pieces run by any executor, and the caller joins their answers."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, cast

from antidiag.kernels import engine, memory, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.tasks import Task, TaskContext, TaskFailed
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.run_splitting import RunPiece, RunSplitting
from antidiag.kernels.text import format_count

RUN_PIECE = f"{__name__}:run_piece"
"""The function of the tasks of a run that is shared out."""
PIECES_PER_SLOT = 6
"""Pieces a slot, so that all slots end at about the same time."""
PHASE = "pieces"
ONE_PIECE = "One GPU computes it in one piece: to send the answers of pieces would take longer than to compute them."
"""What is said of a run that `runs_whole`."""


def find_splitting(method: Method) -> RunSplitting:
    """Return how a method's runs are shared out. Raise ParameterError if they are not, naming methods whose are."""
    if method.splitting is None:
        known = ", ".join(one.id for one in registry.METHODS if one.splitting is not None)
        raise ParameterError(
            f"{method.id} runs in one piece; remove --on and --scheduler, or use one that is shared out ({known}). The "
            "command batch shares out many files"
        )
    return method.splitting


@dataclass
class SplitRun:
    """A run in pieces on an executor; ``places`` tells where each piece ran that has ended.

    Raises the errors of `find_splitting`.
    """

    method: Method
    problem: Any
    chosen: Mapping[str, Any]
    executor: Executor
    monitor: Monitor
    backend: str = "auto"
    device: int = 0
    places: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.splitting = find_splitting(self.method)

    @cached_property
    def pieces(self) -> list[RunPiece]:
        """The pieces, enough for all slots."""
        return list(self.splitting.list_pieces(self.problem, PIECES_PER_SLOT * self.executor.slots))

    def compute_pieces(
        self, pieces: Sequence[RunPiece], monitor: Monitor, in_order: bool = False
    ) -> Iterator[tuple[RunPiece, Any]]:
        """Yield some of the pieces with their values, as they end or ``in_order``; report their share of the work.

        Raises TaskFailed with the error of a piece that failed, Cancelled, and the errors of the executor.
        """
        shared = {"problem": self.executor.share(self.splitting.prepare_problem(self.problem))}
        about: dict[str, Any] = {"method": self.method.id, "parameters": dict(self.chosen)}
        about |= {"backend": self.backend, "device": self.device}
        tasks = [
            Task(str(number), RUN_PIECE, {**about, "piece": dict(piece.numbers)}, shared, cost=piece.cost)
            for number, piece in enumerate(pieces)
        ]
        watched = _PieceMonitor(monitor, sum(piece.cost for piece in pieces))
        for outcome in self.executor.map(tasks, watched, in_order):
            if not outcome.is_done:
                raise TaskFailed(outcome)
            self.places.append(outcome.value["place"])
            watched.done += outcome.task.cost
            yield pieces[int(outcome.task.key)], outcome.value["value"]

    @property
    def run_place(self) -> Mapping[str, Any]:
        """Backend and parameters of the first piece, and the names of all devices."""
        if not self.places:
            return {"backend": "cpu", "device": "", "parameters": {}}
        names = dict.fromkeys(str(place["device"]) for place in self.places)
        return {**self.places[0], "device": ", ".join(names)}

    def describe_pieces(self) -> str:
        """How many pieces ran on how many workers, in words."""
        workers = format_count(len(self.executor.counts.by_worker), "worker")
        pieces = format_count(len(self.pieces), "piece")
        return f"Computed in {pieces} ({self.splitting.noun}) on {workers} ({self.executor.kind})."


def runs_whole(plan: RunPlan, slots: int) -> bool:
    """Return whether a run is computed in one piece on the GPU of its plan although ``slots`` workers wait for pieces.

    Raises the errors of `find_splitting`.
    """
    splitting = find_splitting(plan.method)
    return plan.backend == "cuda" and bool(splitting.finish_run) and not splitting.pays_beside_gpu(plan.problem, slots)


def describe_expected_pieces(plan: RunPlan, slots: int) -> str:
    """Return a sentence about the pieces of a planned run: how many, and the memory of the largest where it is much.

    Raises the errors of `find_splitting`.
    """
    splitting = find_splitting(plan.method)
    if runs_whole(plan, slots):
        return ONE_PIECE
    pieces = splitting.list_pieces(plan.problem, PIECES_PER_SLOT * slots)
    count = f"{format_count(len(pieces), 'piece')} ({splitting.noun}) for {format_count(slots, 'task')} at a time"
    if splitting.estimate_memory is None or not pieces:
        return f"It falls into {count}; none needs much memory."
    largest, problem = max(pieces, key=lambda piece: piece.cost), splitting.prepare_problem(plan.problem)
    footprint = splitting.estimate_memory(problem, plan.parameters, largest.numbers, plan.backend)
    on_gpu = f" and {memory.format_bytes(footprint.device_bytes)} of a GPU" if footprint.device_bytes else ""
    return (
        f"It falls into {count}; the largest needs {memory.format_bytes(footprint.host_bytes)} of main memory{on_gpu}."
    )


def execute_split(
    method: Method,
    problem: Any,
    chosen: Mapping[str, Any],
    executor: Executor,
    monitor: Monitor | None = None,
    backend: str = "auto",
    device: int = 0,
) -> Result:
    """Run a method in pieces and return its result, which equals that of a run in one piece.

    Raises the errors of `SplitRun`.
    """
    split = SplitRun(method, problem, chosen, executor, monitor or Monitor(), backend, device)
    return _finish_split(split) if split.splitting.finish_run else _join_split(split)


def _join_split(split: SplitRun) -> Result:
    """Return the result that the pieces give together."""
    started, begun = datetime.now(UTC), time.perf_counter()
    problem = split.problem
    pieces = split.compute_pieces(split.pieces, split.monitor)
    joined = _load(split.splitting.join_pieces)(problem, pieces, split.monitor)
    place = split.run_place
    parameters = split.method.parameters.restore(place["parameters"])
    return Result(
        method=split.method.id,
        problem=problem,
        parameters=place["parameters"],
        backend=place["backend"],
        device=place["device"],
        answer=joined.answer,
        times_ms={PHASE: (time.perf_counter() - begun) * 1e3},
        host_bytes=0,
        device_bytes=0,
        started=started,
        versions=engine.package_versions(),
        notes=(*split.method.list_problem_notes(problem), *joined.notes, split.describe_pieces()),
        work=split.method.cost.finished_cells(problem, parameters, joined),
    )


def _finish_split(split: SplitRun) -> Result:
    """Return the result of a run that goes on here with its pieces, on a GPU of this machine if there is one.

    Raises MemoryRefused before anything is computed if the whole run does not fit here.
    """
    backend: engine.BackendChoice = "cpu" if split.backend == "cpu" else "auto"
    planned = engine.plan_run(split.method, split.problem, split.chosen, backend, split.device)
    if runs_whole(planned, split.executor.slots):
        result = engine.execute(planned, split.monitor)
        return replace(result, notes=(*result.notes, ONE_PIECE))
    finish = partial(_load(split.splitting.finish_run[planned.backend]), source=split)
    result = engine.execute(planned, split.monitor, keep_rate=False, keep_parts=False, run=finish)
    return replace(result, notes=(*result.notes, split.describe_pieces()))


class _PieceMonitor(CancelOnlyMonitor):
    """Reports the cost of the pieces that are done, under the name of one phase."""

    def __init__(self, source: Monitor, total: float) -> None:
        super().__init__(source)
        self.done, self._total = 0.0, total

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report the cost of the pieces that have ended; ``done`` and ``total`` are their numbers."""
        self._source.update(int(self._total if done == total else self.done), int(self._total), PHASE)


def run_piece(arguments: Mapping[str, Any], context: TaskContext) -> Mapping[str, Any]:
    """Compute a piece on this worker; return its value, and the backend, device and parameters that it used."""
    method = registry.find_method(arguments["method"])
    problem, chosen = context.shared["problem"], dict(arguments["parameters"])
    if "threads" in method.parameters.names():
        chosen.setdefault("threads", context.threads)
    planned = _plan(method, problem, chosen, arguments["backend"], arguments["device"])
    splitting = find_splitting(method)
    _refuse_large_piece(splitting, planned, arguments["piece"])
    function = _load(splitting.backends[planned.backend])
    with ExitStack() as stack:
        if planned.backend == "cuda":
            stack.enter_context(context.gpu_lock)
            stack.enter_context(devices.use_device(planned.device, (method.id, PHASE)))
        value = function(problem, planned.parameters, arguments["piece"], context.monitor)
    parameters = dict(planned.parameters.as_mapping())
    place = {"backend": planned.backend, "device": planned.device_name, "parameters": parameters}
    return {"value": value, "place": place}


def _plan(method: Method, problem: Any, chosen: Mapping[str, Any], backend: str, device: int) -> RunPlan:
    """Return the plan of the whole run on this worker; on a GPU also if only pieces of it fit."""
    if backend == "auto" and "cuda" in find_splitting(method).backends and devices.discover_devices()[0]:
        backend = "cuda"
    return engine.plan_run(method, problem, chosen, cast(engine.BackendChoice, backend), device)


def _refuse_large_piece(splitting: RunSplitting, planned: RunPlan, numbers: Mapping[str, int]) -> None:
    """Raise MemoryRefused for a piece that does not fit into the memory of this worker."""
    if splitting.estimate_memory is None:
        return
    footprint = splitting.estimate_memory(planned.problem, planned.parameters, numbers, planned.backend)
    device_free = devices.free_memory_bytes(planned.device) if planned.backend == "cuda" else None
    memory.raise_if_refused(
        memory.explain_refusal(footprint, memory.host_bytes_free(), device_free),
        "Use workers with more memory, or fewer on one machine",
    )


def _load(name: str) -> Any:
    """Import "package.module:function"."""
    module, function = name.split(":")
    return getattr(importlib.import_module(module), function)
