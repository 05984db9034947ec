"""CheckpointedAlignment on the CPU: tiles in tiles, checkpoints on disk, real pairs, cancel, memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Outcome, Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import sizes, spilled_arrays
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.cpu_runs import run_on_cpu
from tests.example_counts import try_examples
from tests.problems import LAMBDOIDS, MITOCHONDRIA, pair, pairs

METHOD = registry.find_method("checkpointed-alignment")
SMALL = {"s": 32, "T": 32, "threads": 2, "precision": "32", "pruning": "on", "tile": 64, "checkpoint_memory": 1}
SMALL_CELLS = 33 * 33
DNA = Scoring(match_mismatch(2, -3), 5, 2)


def run(
    problem: PairProblem, monitor: Monitor | None = None, steps: StepLog | None = None, **parameters: Any
) -> Outcome:
    return run_on_cpu(METHOD, problem, {**SMALL, **parameters}, monitor, steps)


def related(length: int, seed: int = 1) -> tuple[str, str]:
    """A random sequence, and the same with a tenth of its letters changed and a piece taken out."""
    random = np.random.default_rng(seed)
    first = random.choice(list("ACGT"), length)
    second = np.where(random.random(length) < 0.1, random.choice(list("ACGT"), length), first)
    return "".join(first), "".join(np.delete(second, slice(length // 3, length // 3 + length // 20)))


@pytest.fixture
def cut_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles of some thousand cells are large, so that grids of tiles inside tiles appear in small problems."""
    monkeypatch.setattr(sizes, "SMALL_CELLS", SMALL_CELLS)
    monkeypatch.setattr(sizes, "LEAST_TILE", 32)
    monkeypatch.setattr(sizes, "TILES", 8)
    monkeypatch.setattr(sizes, "TILE_STRIP", 32)


@pytest.mark.usefixtures("cut_everything")
@try_examples(80, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=pairs(longest=300), tile=st.sampled_from((64, 128, 256, 1024)), s=st.sampled_from((32, 64)))
def test_tiles_inside_tiles_give_the_same_path(problem: PairProblem, tile: int, s: int) -> None:
    found, expected = run(problem, tile=tile, s=s).answer, oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert found.alignment.start == expected.alignment.start
    np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


@pytest.mark.usefixtures("cut_everything")
def test_steps_of_a_large_tile_hold_those_of_its_tiles() -> None:
    steps = StepLog()
    run(pair(*related(500), DNA), steps=steps, tile=256)
    events = steps.ordered_events()
    events = events[events["phase"] == 2]
    cells = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    large = events[cells > SMALL_CELLS]
    assert large.size
    assert (cells <= SMALL_CELLS).any()
    for event in events[cells <= SMALL_CELLS]:
        inside = (large["row_start"] <= event["row_start"]) & (event["row_end"] <= large["row_end"])
        inside &= (large["column_start"] <= event["column_start"]) & (event["column_end"] <= large["column_end"])
        assert inside.any()


def test_only_tiles_on_the_path_are_computed_again() -> None:
    steps, letters = StepLog(), related(1000)[0]
    run(pair(letters, letters, DNA), steps=steps)
    events = steps.ordered_events()
    events = events[events["phase"] == 2]
    assert sorted((event["row_start"], event["row_end"]) for event in events) == [
        (row, min(row + 64, 1000)) for row in range(0, 1000, 64)
    ]
    assert (events["row_start"] == events["column_start"]).all()


def real(names: tuple[str, str], folder: Path) -> PairProblem:
    first, second = (read_sequences(folder / name)[0] for name in names)
    return PairProblem(first, second, DNA)


@pytest.mark.parametrize("names", [MITOCHONDRIA, LAMBDOIDS], ids="-".join)
def test_real_pairs_have_the_path_of_striped_alignment(names: tuple[str, str], samples: Path) -> None:
    problem = real(names, samples)
    striped = result("striped-alignment", problem)
    for parameters in ({}, {"tile": 4096, "checkpoint_memory": 0}):
        found = result("checkpointed-alignment", problem, **parameters)
        assert (found.score, found.answer.alignment.start) == (striped.score, striped.answer.alignment.start)
        np.testing.assert_array_equal(found.answer.alignment.operations, striped.answer.alignment.operations)


def result(method: str, problem: PairProblem, **parameters: Any) -> Result:
    return engine.execute(engine.plan_run(registry.find_method(method), problem, parameters, "cpu"))


def test_checkpoints_beyond_the_limit_are_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path)
    problem, reserved = pair(*related(3000), DNA, Mode.GLOBAL), []
    original = spilled_arrays._reserve_file
    monkeypatch.setattr(spilled_arrays, "_reserve_file", lambda count: reserved.append(count) or original(count))
    in_memory, partly, on_disk = (
        run(problem, tile=tile, checkpoint_memory=limit) for tile, limit in ((32, 64), (32, 1), (32, 0))
    )
    promised = [
        METHOD.cost.estimate_memory(
            problem, CheckpointedParameters(**{**SMALL, "tile": 32, "checkpoint_memory": limit}), "cpu"
        )
        for limit in (1, 0)
    ]
    assert reserved == [footprint.disk_bytes for footprint in promised]
    assert in_memory.host_bytes > partly.host_bytes > on_disk.host_bytes
    for outcome in (partly, on_disk):
        np.testing.assert_array_equal(outcome.answer.alignment.operations, in_memory.answer.alignment.operations)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("cut_everything")
@pytest.mark.parametrize("phase", ["phase 1", "phase 2"])
def test_cancel_leaves_no_file_behind(phase: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path)
    monitor = Monitor(lambda done, total, now: monitor.cancel() if now == phase else None)
    with pytest.raises(Cancelled):
        run(pair(*related(6000), DNA), monitor, tile=512, checkpoint_memory=0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("cut_everything")
@pytest.mark.parametrize("tile", [32, 128, 512, 4096])
@pytest.mark.parametrize("length", [300, 2000])
def test_bytes_of_tiles_inside_tiles_stay_within_the_footprint(length: int, tile: int) -> None:
    problem = pair(*related(length), DNA, Mode.GLOBAL)
    promised = METHOD.cost.estimate_memory(problem, CheckpointedParameters(**{**SMALL, "tile": tile}), "cpu").host_bytes
    assert 0.2 * promised < run(problem, tile=tile).host_bytes <= promised


def test_memory_is_linear_with_automatic_parameters() -> None:
    for length in (100_000, 1_000_000):
        problem = pair("A" * length, "C" * length, DNA)
        footprint = engine.plan_run(METHOD, problem, {"checkpoint_memory": 2**20}, "cpu").footprint
        assert 500 * length < footprint.host_bytes < 1500 * length
