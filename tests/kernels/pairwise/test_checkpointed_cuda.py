"""CheckpointedAlignment's device code: special rows and columns on the disk, runs that are continued."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import engine, memory, registry
from antidiag.kernels.errors import Cancelled, DiskFull
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed.cuda_sizes import CheckpointLayout, plan_layout
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.example_counts import try_examples
from tests.kernels.pairwise.test_checkpointed_resuming import assert_same, related
from tests.problems import pair

METHOD = registry.find_method("checkpointed-alignment")
DNA = Scoring(match_mismatch(2, -3), 5, 2)
LARGE = Scoring(match_mismatch(80_000, -70_000), 90_000, 20_000)
"""Scores that leave no room for a column beside them (KEYED of striped_score.cu)."""
GIVEN = {"s": 128, "T": 32, "threads": 64, "tile": 128}
CHOSEN: dict[str, Any] = {"precision": "32", "pruning": "on"}
"""Strips of several warps' columns, so that the sweep is at a part of the rows only."""


@pytest.fixture(autouse=True, scope="module")
def _short_launches(emulated) -> Iterator[None]:
    """Launches of a few steps, as those of a long pair. (The emulator has modules of its own.)"""
    with pytest.MonkeyPatch.context() as patch:
        for module in (cuda_sizes, import_module("antidiag.kernels.pairwise.strips.cuda_sizes")):
            patch.setattr(module, "SLICE_CELLS", 1)
            patch.setattr(module, "LEAST_STEPS", 32)
        yield


def plan(problem: PairProblem, **given: Any) -> RunPlan:
    return engine.plan_run(METHOD, problem, {**GIVEN, **given}, "cuda")


def on_cpu(problem: PairProblem) -> PairAnswer:
    return engine.execute(engine.plan_run(METHOD, problem, {"s": 128, "tile": 128}, "cpu")).answer


def places(problem: PairProblem, limit: int) -> CheckpointLayout:
    return plan_layout(problem.rows, problem.columns, GIVEN["s"], GIVEN["T"], GIVEN["tile"], limit)


def test_places_suffice_for_all_that_is_kept_until_it_is_copied() -> None:
    """Nothing is written to a place before the launch after which it is copied, wherever the borders lie."""
    for rows, columns, s, tile in ((1000, 1100, 128, 128), (900, 901, 256, 256), (5000, 5000, 1024, 1024)):
        for slack in (0, cuda_sizes.PRUNED_SLACK):
            found = plan_layout(rows, columns, s, 32, tile, 0, slack=slack)
            assert found.on_disk or slack
            assert found.device_bytes < plan_layout(rows, columns, s, 32, tile, 2**40).device_bytes or slack
            strips = -(-columns // s)
            copied = 0
            for part in cuda_sizes.make_slices(rows, columns, s, 32, slack=slack) if found.on_disk else ():
                lowest = min(part.end, rows)
                assert lowest // tile - copied <= found.slot_count
                assert lowest - copied * tile <= found.height
                copied = max(min(part.end - part.shift_of(strips - 1) - 31, rows - 1), 0) // tile


def test_no_more_tiles_are_swept_together_than_a_grid_has_places() -> None:
    """The tiles on the path of a long pair in small tiles are more than the y of a grid can count."""
    assert plan_layout(2_000_000, 2_000_000, 32, 32, 32, 0).tiles_together == 65_535


@try_examples(4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 100),
    mode=st.sampled_from(Mode),
    length=st.integers(900, 1100),
    longer=st.booleans(),
    order=st.integers(0, 3),
    scoring=st.sampled_from((DNA, LARGE)),
)
def test_special_rows_on_the_disk_give_the_same_answer(
    emulated, seed: int, mode: Mode, length: int, longer: bool, order: int, scoring: Scoring
) -> None:
    first, second = related(length, seed)
    problem = pair(second, first, scoring, mode) if longer else pair(first, second, scoring, mode)
    assert places(problem, 0).on_disk
    assert_same(emulated(METHOD, problem, seed=order, **GIVEN, checkpoint_memory=0).answer, on_cpu(problem))


@try_examples(6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 100),
    mode=st.sampled_from(Mode),
    points=st.lists(st.floats(0.2, 1), min_size=1, max_size=2),
    limits=st.lists(st.sampled_from((0, 64)), min_size=3, max_size=3),
)
def test_cancelled_and_continued_gives_the_same_answer(
    emulated, seed: int, mode: Mode, points: list[float], limits: list[int]
) -> None:
    problem = pair(*related(1000, seed), DNA, mode)
    continued = 0.0
    for point, limit in zip(points, limits, strict=False):
        monitor = cancelled_at(point)
        found = interrupted_runs.find_run(METHOD, problem, GIVEN)
        with pytest.raises(Cancelled):
            engine.execute(plan(problem, checkpoint_memory=limit), monitor, interrupted_run=found, keep_parts=True)
        continued = max((run.fraction for run in interrupted_runs.list_runs()), default=0.0)
    steps, found = StepLog(), interrupted_runs.find_run(METHOD, problem, GIVEN)
    result = engine.execute(plan(problem, checkpoint_memory=limits[2]), steps=steps, interrupted_run=found)
    assert_same(result.answer, on_cpu(problem))
    events = steps.ordered_events()
    bands = places(problem, 0).band_count
    assert events["row_start"][events["phase"] == 1].min() == round(continued * bands) * GIVEN["tile"]
    assert interrupted_runs.list_runs() == []


def cancelled_at(fraction: float) -> Monitor:
    """A monitor that cancels a run where so much of phase 1, or its end, is reached."""
    monitor = Monitor(
        lambda done, total, phase: monitor.cancel() if phase != "phase 1" or done >= fraction * total else None
    )
    return monitor


def test_a_run_without_a_store_leaves_no_file(emulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.memory.disk_folder", lambda: tmp_path)
    problem = pair(*related(1000), DNA)
    run, given = METHOD.load_backend("cuda"), METHOD.parameters(**GIVEN, **CHOSEN, checkpoint_memory=0)
    assert_same(run(problem, given, Monitor(), StepLog()).answer, on_cpu(problem))
    with pytest.raises(Cancelled):
        run(problem, given, cancelled_at(0.5), StepLog())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit", [0, 64])
def test_a_full_disk_stops_only_a_run_that_needs_it(
    emulated, limit: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    problem, given = pair(*related(1000), DNA), {"checkpoint_memory": limit}
    planned = plan(problem, **given)
    monkeypatch.setattr(memory, "disk_bytes_free", lambda: 1000)
    if limit:
        result = engine.execute(planned, keep_parts=True)
        assert "Checkpoints were saved up to" in result.notes[-1]
        assert_same(result.answer, on_cpu(problem))
        return
    assert "disk space" in (plan(problem, **given).refusal or "")
    with pytest.raises(DiskFull, match="checkpoint_memory"):
        engine.execute(planned)


def test_special_rows_on_the_disk_take_less_of_the_device(emulated) -> None:
    problem, taken = pair(*related(2000), DNA), []
    for limit in (0, 64):
        planned = plan(problem, checkpoint_memory=limit)
        result = engine.execute(planned)
        taken.append((planned.footprint.device_bytes, result.device_bytes))
        assert result.host_bytes <= planned.footprint.host_bytes
        assert bool(planned.footprint.disk) == (limit == 0)
    (promised, measured), (promised_whole, measured_whole) = taken
    assert measured_whole - measured > 0.9 * (promised_whole - promised) > 100_000
