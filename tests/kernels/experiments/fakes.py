"""A method of known duration and answer, for tests of the laboratory: it sleeps."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import DataKind, Method, ProblemInput, ProblemType, Teaching
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters, Parameter, parameter
from antidiag.kernels.steps import StepLog

NAP_MS = 4.0
TRANSFER_MS = 2.0
COMPILATION_MS = 6.0


@dataclass(frozen=True)
class Bed:
    """Data of the fake: nothing but a size."""

    length: int
    name: str = "bed"
    source: str = ""
    note: str = ""

    @property
    def summary(self) -> str:
        return f"{self.length} long"


@dataclass(frozen=True)
class Nap:
    """The problem: sleep ``length`` x NAP_MS, and answer with a number that ``offset`` moves."""

    bed: Bed
    offset: int = 0

    @property
    def cells(self) -> int:
        return self.bed.length * 1000

    @property
    def title(self) -> str:
        return self.bed.name

    @property
    def size(self) -> str:
        return self.bed.summary


@dataclass(frozen=True)
class NapAnswer:
    number: int

    def check(self, problem: Nap) -> None:
        assert self.number == problem.cells + problem.offset


def _build(data: Any, options: Mapping[str, Any]) -> Nap:
    (bed,) = data
    if bed.length > 90:
        raise InputError("the bed is too long; take a shorter one")
    return Nap(bed, options.get("offset") or 0)


BED = DataKind(
    "bed", "bed", "beds", Bed, lambda path, head: False, lambda path, monitor: [Bed(1)],
    generate=lambda size, random: Bed(size, f"bed{random.integers(10)}"),
)  # fmt: skip

NAP = ProblemType(
    id="nap",
    label="A nap",
    inputs=(ProblemInput(BED),),
    options=(Parameter("offset", "int", "Offset", "Moves the answer.", default=0),),
    build_problem=_build,
    default_options=lambda data: {},
    answer_json=lambda result: {"number": result.answer.number},
    answer_rows=lambda result: [("Number", str(result.answer.number))],
    format_answer=lambda result: f"{result.answer.number:,}",
    work_unit="winks",
)

CALLS: list[dict[str, Any]] = []
"""Parameters of every call in this process, in order."""


HANGING = threading.Event()
"""Set when a call has begun to hang."""


@dataclass(frozen=True, kw_only=True)
class SleeperParameters(MethodParameters):
    """Two parameters that change nothing, and how a run goes wrong."""

    width: int = parameter("Width", "Changes nothing.", minimum=1, maximum=64)
    depth: int = parameter("Depth", "Changes nothing.", minimum=1, maximum=1024)
    behaviour: Literal["sleep", "fail", "lie", "hang"] = parameter("Behaviour", "What it does.", default="sleep")


@dataclass(frozen=True, kw_only=True)
class DozerParameters(MethodParameters):
    """Those without a depth."""

    width: int = parameter("Width", "Changes nothing.", minimum=1, maximum=64)
    behaviour: Literal["sleep", "fail", "lie", "hang"] = parameter("Behaviour", "What it does.", default="sleep")


def sleep(problem: Nap, parameters: SleeperParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Two phases of half the time each; the first call with a width compiles."""
    times = {"compilation": 0.0, "transfer": _sleep(TRANSFER_MS)}
    if parameters.width not in {call["width"] for call in CALLS}:
        times["compilation"] = _sleep(COMPILATION_MS)
    CALLS.append(dict(parameters.as_mapping()))
    if parameters.behaviour == "fail":
        raise ZeroDivisionError("nothing to divide")
    if parameters.behaviour == "hang":
        HANGING.set()
        while True:
            monitor.check()
            time.sleep(0.005)
    for phase in ("phase 1", "phase 2"):
        monitor.check()
        times[phase] = _sleep(problem.bed.length * NAP_MS / 2)
    wrong = 1 if parameters.behaviour == "lie" else 0
    return Outcome(NapAnswer(problem.cells + problem.offset + wrong), times, host_bytes=123)


def _sleep(milliseconds: float) -> float:
    """Sleep at least so long; how long it was."""
    before = time.perf_counter_ns()
    while (time.perf_counter_ns() - before) / 1e6 < milliseconds:
        time.sleep(milliseconds / 1e3)
    return (time.perf_counter_ns() - before) / 1e6


def _footprint(problem: Nap, parameters: SleeperParameters, backend: str) -> Footprint:
    return Footprint(host={"mattress": 2**80 if parameters.width == 64 else 100})


METHOD = Method(
    id="sleeper",
    name="Sleeper",
    family="fakes",
    summary="Sleeps.",
    citation=Citation("fake", "Nobody", "Naps", "Nowhere", 2000),
    problem_type=NAP,
    parameters=SleeperParameters,
    choose_parameters=lambda problem, backend, multiprocessors: {"width": 8, "depth": 32},
    backends={"cpu": "tests.kernels.experiments.fakes:sleep"},
    returns=frozenset({"number"}),
    cost=CostEstimate(estimate_memory=_footprint),
    teaching=Teaching(Path(__file__)),
)

OTHER = dataclasses.replace(METHOD, id="dozer", name="Dozer", parameters=DozerParameters)
"""The same without a depth."""
