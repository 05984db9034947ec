"""Several GPUs share the strips of a pair: the answers of one GPU, in whatever order the GPUs work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable, ParameterError
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.problems import assert_same_path, pair

LETTERS = np.array(list("ACGT"))


@contextmanager
def gpus(count: int) -> Iterator[None]:
    from tests.emulator.fake_cupy.cuda import Machine

    Machine.device_count = count
    devices.discover_devices.cache_clear()
    try:
        yield
    finally:
        Machine.device_count = 1
        devices.discover_devices.cache_clear()


class LatePeers:
    """Every GPU but the first works as late as it may: when somebody waits for it, and others in any order before."""

    def __init__(self, patch: pytest.MonkeyPatch, random: np.random.Generator) -> None:
        from tests.emulator.fake_cupy import device_memory, streams

        self._queues: dict[int, list[Any]] = {}
        self._passed = set[Any]()
        self._random, self._event = random, streams.Event
        copy, record = device_memory.MemoryPointer.copy_from_device, streams.Event.record

        def pass_event(event: Any) -> None:
            record(event)
            self._passed.add(event)

        def begin_event(event: Any, stream: Any = None) -> None:
            self._passed.discard(event)
            self._put(lambda: pass_event(event))

        def copy_later(pointer: Any, source: Any, size: int, stream: Any = None) -> None:
            self._put(lambda: copy(pointer, source, size))

        patch.setattr(streams, "submit", self._put)
        patch.setattr(device_memory.MemoryPointer, "copy_from_device_async", copy_later)
        patch.setattr(streams.Event, "record", begin_event)
        patch.setattr(streams.Event, "synchronize", lambda event: self._wait_for_event(event))
        patch.setattr(streams.Stream, "wait_event", lambda stream, event: self._put(event))
        patch.setattr(streams.Stream, "synchronize", lambda stream: self._finish_device())

    def _put(self, work: Any) -> None:
        """Queue work, or an event that what follows waits for, on the current device; the first one works at once."""
        from tests.emulator.fake_cupy.cuda import Device

        if device := Device().id:
            self._queues.setdefault(device, []).append(work)
        elif isinstance(work, self._event):
            self._wait_for_event(work)
        else:
            work()

    def _step(self, device: int) -> bool:
        """Do the next piece of work of a device; return whether there is one that waits for nothing."""
        queue = self._queues[device]
        if not queue or (isinstance(queue[0], self._event) and queue[0] not in self._passed):
            return False
        work = queue.pop(0)
        if not isinstance(work, self._event):
            work()
        return True

    def _step_anywhere(self) -> None:
        assert any(self._step(device) for device in self._random.permutation(list(self._queues)).tolist()), "a deadlock"

    def _wait_for_event(self, event: Any) -> None:
        while event not in self._passed:
            self._step_anywhere()

    def _finish_device(self) -> None:
        from tests.emulator.fake_cupy.cuda import Device

        while self._queues.get(Device().id):
            self._step_anywhere()


def draw_pair(random: np.random.Generator, mode: Mode, m: int, n: int) -> PairProblem:
    first = random.choice(LETTERS, m)
    second = np.where(random.random(n) < 0.2, random.choice(LETTERS, n), np.resize(first, n))
    return pair("".join(first), "".join(second), Scoring(match_mismatch(2, -3), 5, 2), mode)


def run_on(problem: PairProblem, method: str, count: int, steps: StepLog | None = None, **parameters: Any) -> Any:
    with gpus(count):
        plan = engine.plan_run(
            registry.find_method(method), problem, parameters, "cuda", peers=tuple(range(1, count)), use_tuned=False
        )
        return engine.execute(plan, steps=steps, keep_rate=False)


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.pairwise.strips import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    monkeypatch.setattr(cuda_sizes, "LEAST_STEPS", 64)


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL, Mode.OVERLAP])
@pytest.mark.parametrize("count", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_scores_are_those_of_one_gpu(emulated, short_slices, monkeypatch, mode: Mode, count: int) -> None:
    random = np.random.default_rng(count)
    LatePeers(monkeypatch, random)
    long = (
        ((1000, 1100),) if mode is Mode.LOCAL and count == 6 else ()
    )  # boundaries go around several times, and a GPU may be far ahead
    for m, n in (*long, (150, 230), (300, 97)):
        problem = draw_pair(random, mode, m, n)
        expected = reference.align_pair(problem)
        for s in (32, 64):
            found = run_on(problem, "striped-score", count, s=s, T=32)
            assert (found.answer.score, found.answer.end) == (expected.score, expected.end)


@pytest.mark.parametrize("count", [2, 4])
def test_paths_are_those_of_one_gpu(emulated, short_slices, monkeypatch, count: int) -> None:
    random = np.random.default_rng(count)
    LatePeers(monkeypatch, random)
    for mode in (Mode.LOCAL, Mode.GLOBAL):
        problem = draw_pair(random, mode, 200, 260)
        found = run_on(problem, "checkpointed-alignment", count, s=32, tile=64)
        expected = reference.align_pair(problem)
        assert found.answer.score == expected.score
        assert_same_path(found.answer, expected)


def test_every_gpu_has_lanes_of_its_own_in_the_log(emulated, short_slices) -> None:
    from tests.emulator.fake_cupy.kernels import MULTIPROCESSORS

    steps = StepLog(keeps=True)
    run_on(draw_pair(np.random.default_rng(1), Mode.LOCAL, 150, 256), "striped-score", 2, steps, s=32)
    events = steps.ordered_events()
    left = events["column_start"] < 128
    assert left.any() and not left.all()
    assert (events["worker"][left] < MULTIPROCESSORS).all()
    assert (events["worker"][~left] >= MULTIPROCESSORS).all()


def test_a_method_that_uses_one_gpu_says_so(emulated) -> None:
    problem = draw_pair(np.random.default_rng(1), Mode.LOCAL, 50, 60)
    with pytest.raises(BackendUnavailable, match="uses one GPU; choose one, such as --device 0"):
        run_on(problem, "striped-alignment", 2)


def test_gpus_are_chosen_by_numbers_or_all(emulated) -> None:
    with gpus(3):
        assert devices.select_gpus(devices.parse_gpus("all"), shares=True) == (0, (1, 2))
        assert devices.select_gpus(devices.parse_gpus("all"), shares=False) == (0, ())
        assert devices.select_gpus(devices.parse_gpus("2,0"), shares=True) == (2, (0,))
        assert devices.select_gpus(devices.parse_gpus("1"), shares=True) == (1, ())
    for text in ("", "a", "0,", "1,1", "-1"):
        with pytest.raises(ParameterError, match="must be the number of a GPU"):
            devices.parse_gpus(text)
