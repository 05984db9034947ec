"""Methods for tests of the window: one that can be slowed down, and one that takes other data than sequences."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import DataKind, Method, ProblemInput, ProblemType, Resumption, TablePicture, Teaching
from antidiag.kernels.model import Outcome, Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import Alignment, PairAnswer, PairProblem, rescore_path
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.parameters import MethodParameters, parameter
from antidiag.kernels.run_splitting import RunPiece, RunSplitting
from antidiag.kernels.steps import StepLog
from antidiag.kernels.table_cuts import TableCuts

RELEASED = threading.Event()
"""A run with wait=True ends when this is set, or when it is cancelled."""


@dataclass(frozen=True, kw_only=True)
class FakeParameters(MethodParameters):
    """A parameter that is automatic, and three that change what a run does."""

    s: int = parameter("Strip width s", "Columns of a strip.", minimum=32, maximum=1024, step=32, unit="columns")
    wait: bool = parameter("Wait", "Run until released.", default=False)
    fail: Literal["no", "input", "bug"] = parameter("Fail", "How the run fails.", default="no")
    huge: bool = parameter("Huge", "Need more memory than there is.", default=False)


def run(problem: PairProblem, parameters: FakeParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Both sequences against each other on the main diagonal; enough of an alignment to look at."""
    if parameters.fail == "input":
        raise InputError("record X: letter '!' at position 3; correct it")
    if parameters.fail == "bug":
        raise ZeroDivisionError("a bug of the test")
    count = 0
    while parameters.wait and not RELEASED.is_set():
        count += 1
        monitor.update(min(count, 99), 100, "phase 1")
        time.sleep(0.01)
    length = min(len(problem.first), len(problem.second))
    path = Alignment((0, 0), (length, length), np.zeros(length, np.uint8))
    steps.add(1, 0, (0, length), (0, length), 0, 0, 1_000_000)
    return Outcome(PairAnswer(rescore_path(problem, path), path.end, path), {"phase 1": 12.0, "transfer": 1.0})


def run_piece(
    problem: PairProblem, parameters: FakeParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, int]:
    """A piece of a run that is shared out; its value is its number."""
    while parameters.wait and not RELEASED.is_set():
        monitor.check()
        time.sleep(0.01)
    return {"number": numbers["number"]}


def join_pieces(
    problem: PairProblem, pieces: Iterable[tuple[RunPiece, Mapping[str, int]]], monitor: Monitor
) -> Outcome:
    """The outcome of `run`, once all four pieces have come."""
    assert sorted(value["number"] for _, value in pieces) == [0, 1, 2, 3]
    return run(problem, FakeParameters(s=128), monitor, StepLog())


SPLITTING = RunSplitting(
    "quarters",
    lambda problem, least: [RunPiece(str(number), {"number": number}) for number in range(4)],
    {"cpu": f"{__name__}:run_piece"},
    f"{__name__}:join_pieces",
)
"""How runs of a method of `make` can be shared out."""

PARTS = 10
COMPUTED: list[int] = []
"""Parts that were computed, and not taken over, by each run that can be continued."""


def footprint(problem: PairProblem, parameters: FakeParameters, backend: str) -> Footprint:
    return Footprint(host={"boundary columns": 2**60 if parameters.huge else 8 * problem.rows})


def make(identifier: str = "fake", cost: Mapping[str, Any] | None = None, **changes: Any) -> Method:
    """A method whose fields, and those of its cost estimate, may be others."""
    values: dict[str, Any] = {
        "id": identifier,
        "name": identifier.title(),
        "family": "pairwise",
        "summary": "For tests.",
        "citation": Citation("fake2020", "Ann Author, Bob Writer", "A title", "A venue", 2020, "section 1"),
        "problem_type": PAIR,
        "parameters": FakeParameters,
        "choose_parameters": lambda problem, backend, multiprocessors: {"s": 128},
        "backends": {"cpu": f"{__name__}:run"},
        "returns": frozenset({"score", "alignment"}),
        "cost": CostEstimate(**{"estimate_memory": footprint, "nominal_gcups": {"cpu": 1.0}, **(cost or {})}),
        "picture": TablePicture(table_cuts=lambda parameters: TableCuts(strip=getattr(parameters, "s", 0))),
        "teaching": Teaching(Path(__file__).with_name("missing.md")),
    }
    return Method(**{**values, **changes})


def run_kept(problem: PairProblem, parameters: FakeParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """As `run`, in ten parts that are kept; the answer says in how many this run computed."""
    store, computed = monitor.store, 0
    assert store
    done = len(list(store.parts()))
    for number in range(done, PARTS):
        while parameters.wait and number >= PARTS // 2 and not RELEASED.is_set():
            monitor.update(number, PARTS, "phase 1")
            time.sleep(0.01)
        monitor.update(number, PARTS, "phase 1")
        store.save({}, {"number": np.array([number])}, (number + 1) / PARTS).result()
        computed += 1
    COMPUTED.append(computed)
    return run(problem, replace(parameters, wait=False), monitor, steps)


def make_kept(**changes: Any) -> Method:
    """A method that can be continued after a crash."""
    resumption = Resumption(("s",), lambda problem, parameters, backend: 3 * 2**30)
    return make("kept", backends={"cpu": f"{__name__}:run_kept"}, resumption=resumption, **changes)


@dataclass(frozen=True)
class Scale:
    """A kind of data for tests: one number, read from a file."""

    name: str
    value: float
    source: str = ""
    note: str = ""

    @property
    def summary(self) -> str:
        return f"times {self.value:g}"


def _read_scales(path: Path, monitor: Monitor | None) -> list[Scale]:
    return [Scale(path.stem, float(path.read_text().removeprefix("scale ")), str(path))]


SCALE = DataKind(
    id="scale",
    label="scale",
    plural="scales",
    type=Scale,
    claims_file=lambda path, head: head.startswith(b"scale "),
    read=_read_scales,
    suffixes=(".scale",),
)


@dataclass(frozen=True)
class Weighing:
    """A problem of a scale and any number of sequences."""

    scale: Scale
    sequences: tuple[Sequence, ...]

    @property
    def data(self) -> tuple[Any, ...]:
        return self.scale, *self.sequences

    @property
    def cells(self) -> int:
        return sum(map(len, self.sequences))

    @property
    def title(self) -> str:
        return f"{len(self.sequences)} sequences"

    @property
    def size(self) -> str:
        return f"{self.cells} letters"


@dataclass(frozen=True)
class Weight:
    """The answer: letters times the scale."""

    value: float

    def check(self, problem: Weighing) -> None:
        assert self.value == problem.cells * problem.scale.value


def weigh(problem: Weighing, parameters: MethodParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    return Outcome(Weight(problem.cells * problem.scale.value), {"phase 1": 1.0})


WEIGHING = ProblemType(
    id="weighing",
    label="A scale and sequences",
    inputs=(ProblemInput(SCALE, flag="scale"), ProblemInput(SEQUENCE, 1, None)),
    options=(),
    build_problem=lambda data, options: Weighing(data[0], tuple(data[1:])),
    default_options=lambda data: {},
    answer_json=lambda result: {"weight": result.answer.value},
    answer_rows=lambda result: [("Weight", f"{result.answer.value:g}")],
    format_answer=lambda result: f"{result.answer.value:g}",
    extract_data=lambda result: [Scale("made", result.answer.value)],
    work_unit="letters",
)


def make_weighing() -> Method:
    """A method that takes other data than two sequences, and makes data that methods take."""
    return make(
        "weighing",
        family="others",
        problem_type=WEIGHING,
        parameters=MethodParameters,
        backends={"cpu": f"{__name__}:weigh"},
        returns=frozenset({"weight"}),
        cost={"estimate_memory": lambda problem, parameters, backend: Footprint()},
    )
