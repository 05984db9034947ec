"""CheckpointedAlignment, interrupted and continued: the same answer to the last gap, wherever it was interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu import jit, workers
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.checkpointed import cpu_resuming, cpu_tiles
from antidiag.kernels.pairwise.checkpointed.sizes import checkpoint_shapes
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.strips import cpu_strips
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.cpu_runs import run_on_cpu
from tests.example_counts import try_examples
from tests.problems import pair, pairs

ROOT = Path(__file__).parents[3]
METHOD = registry.find_method("checkpointed-alignment")
DNA = Scoring(match_mismatch(2, -3), 5, 2)
SMALL = {"s": 32, "T": 32, "threads": 2, "precision": "32", "tile": 64, "checkpoint_memory": 1}


def related(length: int, seed: int = 1) -> tuple[str, str]:
    """A random sequence, and the same with a tenth of its letters changed and a piece taken out."""
    random = np.random.default_rng(seed)
    first = random.choice(list("ACGT"), length)
    second = np.where(random.random(length) < 0.1, random.choice(list("ACGT"), length), first)
    return "".join(first), "".join(np.delete(second, slice(length // 3, length // 3 + length // 20)))


def assert_same(found: PairAnswer, expected: PairAnswer) -> None:
    assert (found.score, found.end) == (expected.score, expected.end)
    assert found.alignment is not None
    assert expected.alignment is not None
    assert found.alignment.start == expected.alignment.start
    np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


def run(problem: PairProblem, store: CheckpointWriter | None, **parameters: Any) -> PairAnswer:
    monitor = Monitor()
    monitor.store = store
    return run_on_cpu(METHOD, problem, {**SMALL, **parameters}, monitor).answer


def keep_first_strips(folder: Path, problem: PairProblem, cuts: list[int], s: int, tile: int) -> None:
    """The parts of a run that was seen by the one who saves whenever so many strips were finished, and died then."""
    store, encoded, monitor = CheckpointWriter(folder, lambda: None), encode_pair(problem), Monitor()
    monitor.store, run = store, CpuRun(monitor, threads=2)
    shapes = checkpoint_shapes(encoded.rows.size, encoded.columns.size, s, tile, encoded.value_count)
    kept = [np.empty(shape, np.int32) for shape in shapes]
    strips = cpu_tiles.make_checkpoint_strips(run, encoded, s, 32, tile, kept, 0)
    with run.phase("phase 1") as phase:
        saving = cpu_resuming.StripCheckpoints(strips, phase)
        saving.restore_strips()
        cpu_strips.compute_strips(strips, phase)
        for cut in cuts:
            strips.progress[::WORD_STRIDE] = np.where(np.arange(strips.strip_count) < cut, encoded.rows.size, 0)
            saving.report_and_save()
            if store._written:
                store._written.result()
    store.close()


@try_examples(25, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=pairs(longest=260), data=st.data(), s=st.sampled_from((32, 64)), tile=st.sampled_from((64, 128)))
def test_wherever_it_was_interrupted_the_answer_is_the_same(
    problem: PairProblem, data: st.DataObject, s: int, tile: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    strips = -(-problem.columns // s)
    for cuts in data.draw(st.lists(st.lists(st.integers(0, strips), max_size=4), min_size=1, max_size=2)):
        keep_first_strips(folder, problem, sorted(cuts), s, tile)
    store = CheckpointWriter(folder, lambda: None)
    found = run(problem, store, s=s, tile=tile, threads=data.draw(st.sampled_from((1, 3))), T=64)
    store.close()
    assert_same(found, oracle.best_alignment(problem))


def test_only_what_was_not_finished_is_computed(tmp_path: Path) -> None:
    problem = pair(*related(500), DNA)
    keep_first_strips(tmp_path, problem, [3, 7, 12], 32, 64)
    assert len(list(tmp_path.iterdir())) == 3
    monitor, steps, seen = Monitor(lambda done, total, phase: seen.append((phase, done))), StepLog(), []
    monitor.store = store = CheckpointWriter(tmp_path, lambda: None)
    assert_same(run_on_cpu(METHOD, problem, SMALL, monitor, steps).answer, oracle.best_alignment(problem))
    store.close()
    events = steps.ordered_events()
    assert events["strip"][events["phase"] == 1].min() == 12
    assert min(done for phase, done in seen if phase == "phase 1") >= 12 * problem.rows


def test_a_torn_part_is_computed_again(tmp_path: Path) -> None:
    problem = pair(*related(500), DNA, Mode.GLOBAL)
    keep_first_strips(tmp_path, problem, [2, 8, 14], 32, 64)
    damaged = tmp_path / "part-000001"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    store = CheckpointWriter(tmp_path, lambda: None)
    assert_same(run(problem, store), oracle.best_alignment(problem))
    store.close()
    assert store.fraction > 2 / 15


def planned(problem: PairProblem, backend: str, **parameters: Any) -> RunPlan:
    return engine.plan_run(METHOD, problem, {**SMALL, **parameters}, backend)  # type: ignore[arg-type]


def cancelled_at(fraction: float) -> Monitor:
    """A monitor that cancels a run where so much of a phase is done."""
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if done >= fraction * total else None)
    return monitor


BACKENDS = [pytest.param("cpu", id="cpu"), pytest.param("cuda", id="cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("backend", BACKENDS)
@try_examples(8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 100),
    mode=st.sampled_from(Mode),
    points=st.lists(st.floats(0, 1), min_size=1, max_size=3),
    memory=st.sampled_from((0, 64)),
)
def test_cancelled_anywhere_and_continued_gives_the_same_answer(
    backend: str, seed: int, mode: Mode, points: list[float], memory: int
) -> None:
    problem = pair(*related(2000, seed), DNA, mode)
    expected = engine.execute(planned(problem, "cpu")).answer
    for point in points:
        plan = planned(problem, backend, checkpoint_memory=memory)
        found = interrupted_runs.find_run(METHOD, problem, SMALL, backend)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(workers, "POLL_S", 0.001)
            with pytest.raises(Cancelled):
                engine.execute(plan, cancelled_at(point), interrupted_run=found, keep_parts=True)
    found = interrupted_runs.find_run(METHOD, problem, SMALL, backend)
    plan = planned(problem, backend, threads=1, T=64, checkpoint_memory=memory)
    result = engine.execute(plan, interrupted_run=found)
    assert bool(found) == any("Continued" in note for note in result.notes)
    assert_same(result.answer, expected)
    assert interrupted_runs.list_runs() == []


def test_the_time_of_a_run_is_that_of_all_its_pieces(tmp_path: Path) -> None:
    problem = pair(*related(1000), DNA)
    keep_first_strips(tmp_path, problem, [8], 32, 64)
    monitor = Monitor()
    monitor.store = store = CheckpointWriter(tmp_path, lambda: None)
    (part,) = store.parts()
    before_ms = part.facts["ms"]
    assert before_ms > 0
    store.close()
    monitor.store = store = CheckpointWriter(tmp_path, lambda: None)
    assert run_on_cpu(METHOD, problem, SMALL, monitor).times_ms["phase 1"] > before_ms
    store.close()


KILLED = """
import threading
from antidiag.kernels import engine, registry
from antidiag.kernels.cpu import workers
from antidiag.kernels.monitor import Monitor
from tests.kernels.pairwise import test_checkpointed_resuming as case

workers.POLL_S = 0.001

def stop(done, total, phase):
    # Phase 2 begins with something kept, however fast phase 1 was.
    if monitor.store._written:
        monitor.store._written.result()
    if monitor.store.fraction:
        print("kept", flush=True)
        threading.Event().wait()

monitor = Monitor(stop)
engine.execute(case.planned(case.killed_problem(), "cpu"), monitor)
"""


def killed_problem() -> PairProblem:
    return pair(*related(6_000), DNA)


def test_a_killed_process_loses_nothing_that_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupted_runs, "runs_folder", lambda: tmp_path / "antidiag" / "runs")
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path),
        "NUMBA_CACHE_DIR": str(jit.default_cache_folder()),
        "PYTHONPATH": str(ROOT),
        interrupted_runs.KEEP_AFTER_VARIABLE: "0",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        (running,) = interrupted_runs.list_runs()
        assert running.running
        assert interrupted_runs.find_run(METHOD, killed_problem(), {}) is None
    finally:
        process.kill()
        process.communicate()
    run_found = interrupted_runs.find_run(METHOD, killed_problem(), {})
    assert run_found is not None
    assert 0 < run_found.fraction < 1
    problem = run_found.problem()
    assert problem == killed_problem()
    result = engine.execute(planned(problem, "cpu"), interrupted_run=run_found)
    assert_same(result.answer, engine.execute(planned(problem, "cpu")).answer)
    assert list((tmp_path / "antidiag" / "runs").iterdir()) == []
