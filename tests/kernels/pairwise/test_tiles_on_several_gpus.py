"""Several GPUs share the tiles of a path: it is that of one GPU, in whatever order the GPUs work."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.kernels.pairwise.test_several_gpus import LETTERS, LatePeers, draw_pair, gpus, run_on
from tests.problems import assert_same_path, pair


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.pairwise.strips import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    monkeypatch.setattr(cuda_sizes, "LEAST_STEPS", 64)


@pytest.fixture(params=[1, 3])
def few_tiles_together(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU sweeps as much as this many tiles of 64 x 64 at a time."""
    from antidiag.kernels.pairwise.checkpointed import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "TILES_BYTES", request.param * int(cuda_sizes.tile_bytes(64, 64, 32, 32)))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_whoever_sweeps_a_tile_the_path_is_that_of_one_gpu(
    emulated, short_slices, few_tiles_together, monkeypatch, count: int
) -> None:
    random = np.random.default_rng(count)
    LatePeers(monkeypatch, random)
    for mode in Mode:
        problem = draw_pair(random, mode, 200, 180)
        found = run_on(problem, "checkpointed-alignment", count, s=32, tile=64)
        expected = reference.align_pair(problem)
        assert found.answer.score == expected.score
        assert_same_path(found.answer, expected)


def test_tiles_beside_a_path_that_was_guessed_wrong_are_swept_too(
    emulated, short_slices, few_tiles_together, monkeypatch
) -> None:
    """The path crosses a part that is alike nowhere, where the greatest H of special rows is beside it."""
    random = np.random.default_rng(1)
    LatePeers(monkeypatch, random)
    first, middle, last = (random.choice(LETTERS, length) for length in (120, 400, 130))
    text = "".join(np.concatenate([first, middle[:90], last])), "".join(np.concatenate([first, middle[90:], last]))
    for rows, columns in (text, text[::-1]):
        problem = pair(rows, columns, Scoring(match_mismatch(3, -3), 5, 1), Mode.GLOBAL)
        found = run_on(problem, "checkpointed-alignment", 3, s=32, tile=64)
        assert_same_path(found.answer, reference.align_pair(problem))


def test_tiles_are_shared_by_all_gpus_and_logged_there(emulated, short_slices, few_tiles_together) -> None:
    from tests.emulator.fake_cupy.kernels import MULTIPROCESSORS

    steps = StepLog(keeps=True)
    run_on(
        draw_pair(np.random.default_rng(1), Mode.GLOBAL, 500, 500), "checkpointed-alignment", 3, steps, s=32, tile=64
    )
    events = steps.ordered_events()
    tiles = events[events["phase"] == 2]
    assert set((tiles["worker"] // MULTIPROCESSORS).tolist()) == {0, 1, 2}
    cells = (tiles["row_end"] - tiles["row_start"]) * (tiles["column_end"] - tiles["column_start"])
    assert cells.sum() < 8 * 64 * (64 + 2 * 66)  # a tile for each special row, and margins


def test_phase_2_on_several_gpus_is_cancelled_and_the_run_starts_again(emulated, short_slices, monkeypatch) -> None:
    problem = draw_pair(np.random.default_rng(2), Mode.LOCAL, 300, 300)
    LatePeers(monkeypatch, np.random.default_rng(2))
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "phase 2" and done else None)
    method = registry.find_method("checkpointed-alignment")
    with gpus(2), pytest.raises(Cancelled):
        engine.execute(engine.plan_run(method, problem, {"s": 32, "tile": 64}, "cuda", peers=(1,)), monitor)
    found = run_on(problem, "checkpointed-alignment", 2, s=32, tile=64)
    assert_same_path(found.answer, reference.align_pair(problem))
