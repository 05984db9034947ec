"""Promised over taken: whether every method costs what is promised before it runs.

Each method runs at a tiny, a small and a middle size. Cells shall be within CELL_BAR, and times within TIME_BAR, at
first use (by the rates that ship with the program) as well as later (by a run on this machine); compilation is not
counted.
Shorter runs than LEAST_MS are no bar: they take the time of their start-up.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.machine import measured_rates
from antidiag.kernels.machine.measured_rates import RatePoint
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.search.database import make_memory_database

SIZES = ("tiny", "small", "middle")
CELL_BAR, TIME_BAR, LEAST_MS = 1.5, 2.0, 5.0
LEAST_RUNS, MOST_RUNS, ENOUGH_S, QUICK_S = 3, 15, 1.0, 0.1
"""A run is repeated at least and at most so often, and until it has taken so many seconds; the shortest one counts."""


def _proteins(*sizes: tuple[int, int]) -> tuple[Generated, ...]:
    """Return families of proteins, each of some members of a length."""
    return tuple(
        Generated(type=SequenceType.PROTEIN, count=count, length=length, divergence=0.5) for count, length in sizes
    )


def _lengths(*lengths: Any, **settings: Any) -> tuple[Generated, ...]:
    return tuple(Generated(length=length, **settings) for length in lengths)


INPUTS: Mapping[str, tuple[Generated, ...]] = {
    "pair": _lengths(60, 1000, 10_000),
    "edit-distance": _lengths(60, 1000, 10_000),
    "frame-alignment": _lengths((20, 60), (300, 10_000), (1000, 100_000)),
    "pair-batch": _proteins((4, 60), (40, 200), (1000, 300)),
    "search": _proteins((4, 60), (200, 200), (3000, 300)),
    "triple": _lengths(20, 80, 250, type=SequenceType.PROTEIN, divergence=0.5),
    "tree": _lengths(20, 200, 1000),
    "full-distances": _proteins((4, 60), (30, 200), (150, 300)),
    "ktuple-distances": _proteins((4, 60), (60, 200), (400, 300)),
    "6mer-distances": _proteins((4, 60), (200, 200), (1500, 300)),
    "alignment-distances": _proteins((4, 60), (200, 200), (1500, 300)),
    "alignment-tree": _proteins((20, 60), (200, 200), (1500, 300)),
    "placed-alignment": _proteins((20, 60), (200, 200), (1500, 300)),
    "placed-sequences": _proteins((20, 60), (200, 200), (1500, 300)),
    "parttree": _proteins((20, 60), (300, 150), (5000, 150)),
    "msa-parttree": _proteins((20, 60), (300, 150), (3000, 150)),
    "parttree-add": _proteins((20, 60), (200, 150), (2000, 300)),
    "profiles": _lengths(30, 200, 1000),
    "profile-sequence": _lengths((30, 30), (200, 200), (1000, 1000), type=SequenceType.PROTEIN),
    "msa": _proteins((4, 60), (15, 150), (40, 250)),
    "msa-refine": _proteins((4, 60), (15, 150), (40, 250)),
    "msa-add": _proteins((4, 60), (15, 150), (40, 250)),
    "msa-thesis": _proteins((4, 60), (20, 150), (100, 250)),
    "msa-clustalw": _proteins((4, 60), (20, 150), (100, 250)),
    "viterbi": _lengths((4, 200), (16, 4000), (64, 20_000)),
    "hmm-evaluation": _lengths((4, 200), (16, 10_000), (64, 50_000)),
    "hmm-posterior": _lengths((4, 200), (16, 10_000), (64, 50_000)),
    "hmm-learning": _lengths((4, 100), (8, 2000), (32, 10_000)),
    "paths": _lengths(16, 128, 512),
    "bipartite-paths": _lengths(16, 128, 512),
    "folding": _lengths(40, 300, 1500, type=SequenceType.RNA),
    "product": _lengths(32, 200, 768),
}
"""The inputs of each problem type, of the sizes SIZES."""
CHAINS = (30, 300, 1200)
"""Matrices of the chains whose order is looked for."""


@dataclass(frozen=True)
class PromisedCost:
    """What was promised of a run and what it took; ``first`` is promised without any run on this machine.

    From ``least_cells`` to ``promised_cells`` are promised, where the answer decides how many are needed.
    """

    method: str
    size: str
    problem: str
    least_cells: int
    promised_cells: int
    cells: int
    first_ms: float
    later_ms: float
    taken_ms: float
    timed_work: int
    threads: int

    @property
    def cells_ratio(self) -> float:
        """Promised over taken cells; 1 where the taken ones are among the promised ones."""
        taken = max(self.cells, 1)
        return min(max(taken, self.least_cells), self.promised_cells) / taken

    @property
    def first_ratio(self) -> float:
        """Promised over taken time, at first use."""
        return self.first_ms / self.taken_ms

    @property
    def later_ratio(self) -> float:
        """Promised over taken time, after a run on this machine."""
        return self.later_ms / self.taken_ms

    @property
    def is_kept(self) -> bool:
        """Return whether cells and times are within the bars."""
        counts = _is_within(self.cells_ratio, CELL_BAR)
        if max(self.first_ms, self.later_ms, self.taken_ms) < LEAST_MS:
            return counts
        return counts and _is_within(self.first_ratio, TIME_BAR) and _is_within(self.later_ratio, TIME_BAR)


def _is_within(ratio: float, bar: float) -> bool:
    return 1 / bar <= ratio <= bar


def measure_promises(
    backend: BackendChoice = "cpu",
    only: Sequence[str] | None = None,
    sizes: Iterable[str] = SIZES,
    enough_s: float = ENOUGH_S,
) -> Iterator[PromisedCost]:
    """Run every method of a backend at the sizes, and yield what was promised and what it took.

    ``only`` are parts of ids, or families, of the methods to run.
    What was measured on this machine before plays no part, and is not changed.
    """
    wanted = tuple(sizes)
    with tempfile.TemporaryDirectory() as folder:
        for method in registry.METHODS:
            if backend not in method.backends or not _is_wanted(method, only):
                continue
            for number, size in enumerate(SIZES):
                if size in wanted:
                    with measured_rates.use_rates_file(Path(folder) / f"{method.id} {size}.json"):
                        found = _measure_promise(method, backend, number, enough_s)
                    yield found


def _is_wanted(method: Method, only: Sequence[str] | None) -> bool:
    return only is None or any(text == method.family or text in method.id for text in only)


def make_problem(method: Method, number: int) -> Any:
    """Return the problem of a method at a size, the number of one of SIZES."""
    kind = method.problem_type
    if kind.id == "matrix-chain":
        return kind.make_problem([], {"dimensions": ",".join(str(10 + k % 7) for k in range(CHAINS[number] + 1))})
    inputs = INPUTS[kind.id][number]
    data = _make_search(inputs) if kind.id == "search" else list(_make_data(kind, inputs))
    return kind.make_problem(data, kind.default_options(data))


def _make_search(inputs: Generated) -> list[Any]:
    """Return a query, the first of related sequences, and a database of the others."""
    query, *others = inputs.make_data(registry.find_method("distance-full").problem_type)
    return [query, make_memory_database(others, "database")]


def _make_data(kind: ProblemType, inputs: Generated) -> Sequence[Any]:
    """Return the data of a problem; where it takes an alignment its rows are related sequences without gaps."""
    if not any(one.kind.type is AlignedSequences for one in kind.inputs):
        return inputs.make_data(kind)
    sequences = registry.find_method("distance-full").problem_type
    same = list(inputs.make_data(sequences))
    length = min(map(len, same))
    takes_sequences = any(one.kind.type is Letters for one in kind.inputs)
    rows = same[: -(-len(same) // 2)] if takes_sequences else same
    letters = np.array([np.frombuffer(row.letters[:length], np.uint8) for row in rows])
    alignment = AlignedSequences(tuple(row.name for row in rows), letters, rows[0].type, "rows")
    return [alignment, *same[len(rows) :]]


def _measure_promise(method: Method, backend: BackendChoice, number: int, enough_s: float) -> PromisedCost:
    problem = make_problem(method, number)
    plan = engine.plan_run(method, problem, backend=backend, use_tuned=False)
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < LEAST_RUNS or (len(times) < MOST_RUNS and time.perf_counter() - began < enough_s):
        result = engine.execute(plan, keep_rate=not times, keep_parts=False)
        times.append(result.compute_ms)
    cost = method.cost
    return PromisedCost(
        method.id,
        SIZES[number],
        problem.size,
        cost.least_cells(problem, plan.parameters),
        cost.predicted_cells(problem, plan.parameters),
        result.cells,
        plan.time_ms,
        engine.plan_run(method, problem, backend=backend, use_tuned=False).time_ms,
        min(times),
        cost.timed_work(problem, plan.parameters),
        plan.parameters.timed_threads(backend),
    )


COLUMNS = (
    Column("method", "method"),
    Column("size", "size"),
    Column("problem", "problem"),
    Column("cells", "taken", "count"),
    Column("cells_ratio", "promised / taken", "ratio"),
    Column("taken_ms", "taken", "ms"),
    Column("first_ratio", "promised at first / taken", "ratio"),
    Column("later_ratio", "promised later / taken", "ratio"),
    Column("bar", "bar"),
)


def promise_table(found: Sequence[PromisedCost], device: str) -> ReportTable:
    """Return the table of what was promised and what it took, with the number of those within the bars."""
    rows = tuple(
        {column.key: getattr(one, column.key) for column in COLUMNS[:-1]} | {"bar": "" if one.is_kept else "missed"}
        for one in found
    )
    kept = sum(one.is_kept for one in found)
    bars = f"cells within {CELL_BAR:g} x, time within {TIME_BAR:g} x where it is more than {LEAST_MS:g} ms"
    return ReportTable(
        f"Promised over taken, {device}", COLUMNS, rows, (f"{kept} of {len(found)} are within: {bars}.",)
    )


def write_shipped_rates(found: Sequence[PromisedCost], backend: str, device: str) -> None:
    """Replace the shipped rates of the measured methods of a backend by what was measured here."""
    shipped = json.loads(measured_rates.SHIPPED_RATES.read_text(encoding="utf-8"))
    methods = shipped[backend]["methods"]
    for method in sorted({one.method for one in found}):
        points = sorted(
            RatePoint(one.timed_work, round(one.taken_ms, 4), one.threads) for one in found if one.method == method
        )
        methods[method] = [list(point) for point in points]
    shipped[backend] = {"device": device, "methods": dict(sorted(methods.items()))}
    lines = json.dumps(shipped, indent=1)
    measured_rates.SHIPPED_RATES.write_text(_join_short_lists(lines) + "\n", encoding="utf-8")
    measured_rates.shipped_points.cache_clear()


def _join_short_lists(text: str) -> str:
    """Return JSON with each list of numbers on one line."""
    return re.sub(r"\[\s+([\d.e+-]+),\s+([\d.e+-]+),\s+(\d+)\s+\]", r"[\1, \2, \3]", text)
