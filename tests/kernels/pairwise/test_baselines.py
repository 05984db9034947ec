"""The baselines beyond the conformance suite: long pairs, memory, cancel, step log; their kernels compile."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numba import uint8

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, MemoryRefused
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines import cpu_blocks, cpu_perot, cuda_sources, sizes
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from tests.problems import pair

NAMES = "antidiagonal", "blocked-antidiagonal", "enhanced-ba", "perot-recurrence"
BASELINES = [registry.find_method(name) for name in NAMES]
BACKENDS = [("cpu", ()), ("cuda", (pytest.mark.gpu,))]
CASES = [
    pytest.param(method, backend, id=f"{method.id}-{backend}", marks=marks)
    for method, (backend, marks) in product(BASELINES, BACKENDS)
]
ARRAYS = 16
DNA = Scoring(match_mismatch(2, -3), 5, 2)


def random_letters(length: int, seed: int, alphabet: str = "ACGT") -> str:
    return "".join(np.random.default_rng(seed).choice(list(alphabet), length))


def related_pair(rows: int, columns: int, scoring: Scoring = DNA, mode: Mode = Mode.LOCAL) -> PairProblem:
    """A pair with long gaps: the second sequence lacks a piece of the first and has another one instead."""
    first = random_letters(rows, 1)
    middle = random_letters(columns - rows + rows // 4, 2)
    return pair(first, first[: rows // 2] + middle + first[rows // 2 + rows // 4 :], scoring, mode)


@pytest.mark.parametrize(
    ("name", "lengths"), [("antidiagonal", 16_500), ("enhanced-ba", 8_000), ("perot-recurrence", 32_000)]
)
def test_a_second_thread_only_where_a_level_is_long_beside_a_barrier(
    name: str, lengths: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level of fewer cells costs less than waiting for another thread on a busy machine does."""
    monkeypatch.setattr(sizes, "count_processors", lambda: 64)

    def threads(length: int) -> int:
        problem = pair("A" * length, "C" * length, DNA)
        return registry.find_method(name).choose_parameters(problem, "cpu", None)["threads"]

    assert threads(1000) == threads(lengths) == 1
    assert 2 <= threads(4 * lengths) <= 8


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("method", "backend"), CASES)
def test_long_pairs_agree_with_striped_alignment(method: Method, backend: str, mode: Mode) -> None:
    problem = related_pair(700, 1500, mode=mode)
    expected = engine.execute(engine.plan_run(registry.find_method("striped-alignment"), problem, {}, "cpu")).answer
    for threads in (1, 2):
        found = engine.execute(engine.plan_run(method, problem, {"threads": threads}, backend)).answer
        assert (found.score, found.end) == (expected.score, expected.end)
        if found.alignment is not None:
            np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


@pytest.mark.parametrize(("method", "backend"), CASES)
def test_protein_scores_and_wide_scores(method: Method, backend: str) -> None:
    letters = "ARNDCQEGHILKMFPSTWYV"
    for scoring in (Scoring(named_matrix("BLOSUM62"), 10, 1), Scoring(match_mismatch(300, -400), 900, 30)):
        problem = pair(random_letters(150, 3, letters), random_letters(333, 4, letters), scoring)
        expected = engine.execute(engine.plan_run(registry.find_method("striped-score"), problem, {}, "cpu")).answer
        found = engine.execute(engine.plan_run(method, problem, {}, backend)).answer
        assert (found.score, found.end) == (expected.score, expected.end)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 300), (37, 211)])
@pytest.mark.parametrize(("method", "backend"), CASES)
def test_bytes_are_those_that_were_promised(method: Method, backend: str, rows: int, columns: int) -> None:
    problem = pair(random_letters(rows, 1), random_letters(columns, 2), DNA, Mode.GLOBAL)
    planned = engine.plan_run(method, problem, {"threads": 2}, backend)
    result = engine.execute(planned)
    # A GPU's memory is taken in pieces of 512 bytes, a piece or more an array.
    assert 0 <= result.device_bytes - planned.footprint.device_bytes < 512 * ARRAYS
    if "alignment" in method.returns:  # a path is shorter than both sequences together
        assert 0 <= planned.footprint.host_bytes - result.host_bytes <= 2 * (rows + columns)
    else:
        assert result.host_bytes == planned.footprint.host_bytes


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_all_values_of_a_long_pair_are_refused_and_their_borders_are_not(backend: str) -> None:
    problem = pair("A" * 1_000_000, "A" * 1_000_000, DNA)
    parameters = AntidiagonalBlocks(s=8, threads=2)
    whole, borders = (sizes.blocked_footprint, sizes.enhanced_footprint)
    needed = whole(problem, parameters, backend)
    assert 12 * 10**12 <= needed.host_bytes + needed.device_bytes < 13 * 10**12
    needed = borders(problem, parameters, backend)
    assert needed.host_bytes + needed.device_bytes < 60_000_000
    refused = engine.plan_run(registry.find_method("blocked-antidiagonal"), problem, parameters.as_mapping(), "cpu")
    with pytest.raises(MemoryRefused, match="H, E and F"):
        engine.execute(refused)


@pytest.mark.parametrize(("method", "backend"), CASES)
def test_progress_grows_to_the_end(method: Method, backend: str) -> None:
    seen: list[tuple[int, int, str]] = []
    monitor = Monitor(lambda *report: seen.append(report))
    engine.execute(engine.plan_run(method, related_pair(300, 500), {"threads": 2}, backend), monitor)
    first_phase = [(done, total) for done, total, phase in seen if phase == "phase 1"]
    assert first_phase == sorted(first_phase)
    assert first_phase[-1][0] == first_phase[-1][1]


@pytest.mark.parametrize(("method", "backend"), CASES)
def test_cancel_ends_a_run(method: Method, backend: str) -> None:
    monitor = Monitor(lambda *report: monitor.cancel())
    problem = pair(random_letters(10_000, 1), random_letters(10_000, 2), DNA)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(method, problem, {}, backend), monitor)


@pytest.mark.parametrize(("method", "backend"), CASES)
def test_steps_cover_the_matrix_and_are_few(method: Method, backend: str) -> None:
    problem, steps = related_pair(301, 523), StepLog()
    threads = 2
    result = engine.execute(engine.plan_run(method, problem, {"threads": threads}, backend), steps=steps)
    events = steps.ordered_events()
    workers = threads if backend == "cpu" else sizes.LOG_SLOTS
    assert 0 < len(events) <= sizes.MOST_BATCHES * workers
    assert set(events["worker"]) <= set(range(workers))
    covered = np.zeros((problem.rows, problem.columns), bool)
    for event in events:
        covered[event["row_start"] : event["row_end"], event["column_start"] : event["column_end"]] = True
    assert covered.all()
    assert (events["start_ns"] <= events["end_ns"]).all()
    assert set(result.times_ms) >= {"compilation", "transfer", "phase 1"}


def test_levels_of_a_grid_hold_all_its_places() -> None:
    for rows, columns in ((1, 1), (1, 5), (4, 4), (3, 7), (7, 3)):
        grid = sizes.LevelGrid(rows, columns)
        low, high = grid.row_span(np.arange(grid.level_count))
        held = np.cumsum(high - low)
        assert [grid.count_before(level + 1) for level in range(grid.level_count)] == held.tolist()
        assert held[-1] == rows * columns


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize(
    ("name", "defines"),
    [("antidiagonal", {}), ("perot", {}), *(("blocked", {"S": s}) for s in (4, 8, 32, 36, 64))],
    ids=lambda value: value if isinstance(value, str) else "".join(f"{key}{number}" for key, number in value.items()),
)
def test_kernels_compile(name: str, defines: dict[str, int], architecture: str) -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    from tests.nvrtc import compile_without_device

    assert compile_without_device(getattr(cuda_sources, name.upper()), defines, architecture)


@pytest.mark.parametrize("name", NAMES)
def test_no_phase_of_a_run_compiles(name: str) -> None:
    engine.execute(engine.plan_run(registry.find_method(name), related_pair(40, 60), {}, "cpu"))
    phases = cpu_blocks.advance_blocks, cpu_blocks.trace_stored_values, cpu_perot.advance_rows
    arguments = [kind for function in phases for signature in function.signatures for kind in signature]
    types = [kind for argument in arguments for kind in getattr(argument, "types", (argument,))]
    letters = [kind for kind in types if getattr(kind, "dtype", None) == uint8 and kind.ndim == 1 and not kind.mutable]
    # What was compiled before the clock started is for letters that cannot be written, as those of a run are.
    assert len(letters) == sum(len(function.signatures) for function in phases)
