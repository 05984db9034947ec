"""A method for tests of the window: the textbook recurrence, slowed down on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kernels.errors import InputError
from kernels.memory import Footprint
from kernels.method import Citation, Method
from kernels.model import Alignment, Outcome, PairAnswer, PairProblem, rescore
from kernels.monitor import Monitor
from kernels.pairwise.problem import PAIR
from kernels.parameters import Parameter
from kernels.steps import Steps

RELEASED = threading.Event()
"""A run with wait=True ends when this is set, or when it is cancelled."""

S = Parameter("s", "int", "Strip width s", "Columns of a strip.", minimum=32, maximum=1024, step=32, unit="columns")
WAIT = Parameter("wait", "bool", "Wait", "Run until released.", default=False)
FAIL = Parameter("fail", "choice", "Fail", "How the run fails.", default="no", choices=("no", "input", "bug"))
HUGE = Parameter("huge", "bool", "Huge", "Need more memory than there is.", default=False)


def run(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Both sequences against each other on the main diagonal; enough of an alignment to look at."""
    if parameters["fail"] == "input":
        raise InputError("record X: letter '!' at position 3; correct it")
    if parameters["fail"] == "bug":
        raise ZeroDivisionError("a bug of the test")
    count = 0
    while parameters["wait"] and not RELEASED.is_set():
        count += 1
        monitor.update(min(count, 99), 100, "phase 1")
        time.sleep(0.01)
    length = min(len(problem.first), len(problem.second))
    path = Alignment((0, 0), (length, length), np.zeros(length, np.uint8))
    steps.add(1, 0, (0, length), (0, length), 0, 0, 1_000_000)
    return Outcome(PairAnswer(rescore(problem, path), path.end, path), {"phase 1": 12.0, "transfer": 1.0})


def footprint(problem: PairProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    return Footprint(host={"boundary columns": 2**60 if parameters["huge"] else 8 * problem.rows})


def make(identifier: str = "fake", **changes: Any) -> Method:
    values: dict[str, Any] = {
        "id": identifier,
        "name": identifier.title(),
        "family": "pairwise",
        "summary": "For tests.",
        "citation": Citation("fake2020", "Ann Author, Bob Writer", "A title", "A venue", 2020, "section 1"),
        "problem": PAIR,
        "parameters": (S, WAIT, FAIL, HUGE),
        "backends": {"cpu": f"{__name__}:run"},
        "returns": frozenset({"score", "alignment"}),
        "footprint": footprint,
        "automatic": lambda problem, backend, multiprocessors: {"s": 128},
        "work": lambda problem, parameters: problem.cells,
        "page": Path(__file__).with_name("missing.md"),
        "nominal_gcups": {"cpu": 1.0},
    }
    return Method(**{**values, **changes})
