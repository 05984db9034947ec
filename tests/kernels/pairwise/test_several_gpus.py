"""Several GPUs share the strips of a pair: the answers of one GPU, in whatever order the GPUs work."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable, ParameterError
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pruning import bounds
from antidiag.kernels.pairwise.strips import cuda_sizes, cuda_step_costs
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.emulator.emulation import order
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
    """Every GPU but the first works as late as it may: when somebody waits for it, and others in any order before.

    Memory that is freed meanwhile is given back when no work is left that may use it.
    """

    def __init__(self, patch: pytest.MonkeyPatch, random: np.random.Generator) -> None:
        from tests.emulator.fake_cupy import device_memory, streams

        self._queues: dict[int, list[Any]] = {}
        self._passed, self._freed = set[Any](), list[Any]()
        self._random, self._event = random, streams.Event
        copy, record = device_memory.MemoryPointer.copy_from_device, streams.Event.record
        self._give_back = device_memory._give_back

        def pass_event(event: Any) -> None:
            record(event)
            self._passed.add(event)

        def begin_event(event: Any, stream: Any = None) -> None:
            self._passed.discard(event)
            self._put(lambda: pass_event(event))

        def copy_later(pointer: Any, source: Any, size: int, stream: Any = None) -> None:
            self._put(lambda: copy(pointer, source, size))

        def free_later(*arguments: Any) -> None:
            self._freed.append(arguments)
            self._free_memory()

        patch.setattr(streams, "submit", self._put)
        patch.setattr(device_memory, "_give_back", free_later)
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
        try:
            if not isinstance(queue[0], self._event):
                queue[0]()
        finally:
            queue.pop(0)  # not before: memory is given back when no work is left
        self._free_memory()
        return True

    def _free_memory(self) -> None:
        while self._freed and not any(self._queues.values()):
            self._give_back(*self._freed.pop())

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
    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    monkeypatch.setattr(cuda_sizes, "LEAST_STEPS", 64)


@pytest.fixture
def dealt_groups(monkeypatch: pytest.MonkeyPatch, short_slices: None) -> list[int]:
    """Pruning uses all GPUs, although it gains little: groups of as many strips as the list says."""
    group = [1]
    monkeypatch.setattr(bounds, "LEAST_SHARE", -(10.0**9))
    monkeypatch.setattr(cuda_sizes, "LEAST_STEPS", 128)
    monkeypatch.setattr(
        cuda_sizes,
        "deal_strips",
        lambda rows, columns, s, packed, share, gpus: (cuda_sizes.order_turn(gpus)[: -(-columns // s)], *group),
    )
    return group


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL, Mode.OVERLAP, Mode.QUERY_IN_TARGET])
@pytest.mark.parametrize("count", [2, 4])
def test_scores_with_pruning_are_those_of_one_gpu(
    emulated, dealt_groups: list[int], monkeypatch: pytest.MonkeyPatch, mode: Mode, count: int
) -> None:
    random = np.random.default_rng(count)
    LatePeers(monkeypatch, random)
    for m, n, dealt_groups[0] in ((500, 520, 2), (250, 170, 1), (40, 300, 3)):
        problem = draw_pair(random, mode, m, n)
        expected = oracle.best_alignment(problem)
        with order(count):
            found = run_on(problem, "striped-score", count, s=64, T=16, pruning="on", precision="16")
        assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
        if m == 500:
            assert found.cells == problem.cells - found.answer.skipped.skipped_cells < 0.6 * problem.cells


@pytest.mark.parametrize("count", [2, 4])
def test_paths_with_pruning_are_those_of_one_gpu(
    emulated, dealt_groups: list[int], monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    random = np.random.default_rng(count)
    LatePeers(monkeypatch, random)
    for mode, dealt_groups[0] in ((Mode.LOCAL, 2), (Mode.GLOBAL, 1)):
        problem = draw_pair(random, mode, 300, 320)
        found = run_on(problem, "checkpointed-alignment", count, s=64, T=16, tile=64, pruning="on")
        expected = oracle.best_alignment(problem)
        assert found.answer.score == expected.score
        assert_same_path(found.answer, expected)


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


@pytest.mark.parametrize("pruning", ["off", "on"])
def test_every_gpu_has_lanes_of_its_own_in_the_log(emulated, dealt_groups: list[int], pruning: str) -> None:
    from tests.emulator.fake_cupy.kernels import MULTIPROCESSORS

    steps, dealt_groups[0] = StepLog(keeps=True), 2
    problem = draw_pair(np.random.default_rng(1), Mode.LOCAL, 150, 256)
    run_on(problem, "striped-score", 2, steps, s=32, pruning=pruning)
    events = steps.ordered_events()
    own = events["column_start"] // 32 // 2 % 2 == 0 if pruning == "on" else events["column_start"] < 128
    assert own.any() and not own.all()
    assert (events["worker"][own] < MULTIPROCESSORS).all()
    assert (events["worker"][~own] >= MULTIPROCESSORS).all()


@pytest.mark.parametrize(("multiprocessors", "turn"), [((8, 4), (0, 1, 0)), ((4, 12), (0, 1, 1, 1)), ((5, 4), (0, 1))])
def test_a_faster_gpu_takes_more_groups_with_pruning(
    emulated, dealt_groups: list[int], monkeypatch: pytest.MonkeyPatch, multiprocessors: list[int], turn: list[int]
) -> None:
    find, steps, random = devices.find_device, StepLog(keeps=True), np.random.default_rng(5)
    monkeypatch.setattr(
        devices, "find_device", lambda index: replace(find(index), multiprocessors=multiprocessors[index])
    )
    LatePeers(monkeypatch, random)
    problem = draw_pair(random, Mode.LOCAL, 400, 420)
    found = run_on(problem, "striped-score", 2, steps, s=32, T=16, pruning="on")
    expected = oracle.best_alignment(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
    events = steps.ordered_events()
    owners = (events["worker"] >= multiprocessors[0]).astype(int)
    np.testing.assert_array_equal(owners, np.array(turn)[events["column_start"] // 32 % len(turn)])
    assert set(owners) == {0, 1}
    path = run_on(problem, "checkpointed-alignment", 2, s=64, T=16, tile=64, pruning="on")
    assert_same_path(path.answer, expected)


def test_unequal_gpus_share_a_pair_with_pruning_where_equal_groups_would_not_pay() -> None:
    """10 Mb at 10 %: in equal groups, the faster GPU would be faster alone."""
    assert cuda_sizes.deal_strips(10**7, 10**7, 640, True, 0.082, [132, 66])[0] == (0, 1, 0)
    assert cuda_sizes.deal_strips(10**7, 10**7, 640, True, 0.082, [66, 132])[0] == (0, 1, 1)


@pytest.mark.parametrize(("share", "used"), [(0.082, (1, 2, 3)), (0.009, (1, 1, 1)), (1.0, (1, 2, 4))])
def test_as_many_gpus_as_pay_are_used(share: float, used: tuple[int, ...]) -> None:
    """Shares of 10 Mb in 16 bits: at 10 % divergence, at 3 %, and where all is computed."""
    size = SimpleNamespace(rows=10**7, columns=10**7)
    for most, count in zip((1, 2, 4), used, strict=True):
        s = cuda_sizes.choose_parameters(size, 132 * most, cuda_step_costs.PACKED_STEP, share)["s"]
        found, group = cuda_sizes.deal_strips(size.rows, size.columns, s, True, share, [132] * most)
        assert found == tuple(range(count))
        assert (group == -(-size.columns // s)) == (count == 1)


@pytest.mark.parametrize("length", [10**7, 4 * 10**7, 25 * 10**7])
def test_launches_with_pruning_can_be_numbered(length: int) -> None:
    """Boundary cells have 16 bits for the number of a launch: chromosomes in narrow strips take more steps in each."""
    for share, s in itertools.product((0.1, 0.007), (64, 192, 1024)):
        turn, group = cuda_sizes.deal_strips(length, length, s, True, share, [132] * 4)
        launches = cuda_sizes.make_slices(length, length, s, 32, spread=64, slack=cuda_sizes.PRUNED_SLACK, group=group)
        assert len(launches) <= cuda_sizes.MOST_LAUNCHES, (share, s, turn)


def test_the_promised_time_is_that_of_the_gpus_that_will_be_used(emulated) -> None:
    first = "".join(np.random.default_rng(3).choice(LETTERS, 1100))
    problem = pair(first, first[:600] + first[610:], Scoring(match_mismatch(2, -3), 5, 2))
    for method, shares in (("striped-score", {"on": 1.0, "off": 0.5}), ("checkpointed-alignment", {"off": 0.5})):
        for pruning, share in shares.items():
            given = {"s": 64, "T": 16, "pruning": pruning}
            with gpus(2):
                one, two = (
                    engine.plan_run(registry.find_method(method), problem, given, "cuda", peers=peers, use_tuned=False)
                    for peers in ((), (1,))
                )
                assert (one.gpu_share, two.gpu_share) == (1.0, share)
                assert (two.time_ms == one.time_ms) == (share == 1.0)
                found = engine.execute(two, keep_rate=False)
            assert any("1 of the 2 GPUs" in note for note in found.notes) == (share == 1.0)


def test_tiles_are_shared_by_all_gpus_where_phase_1_uses_one(emulated) -> None:
    first = "".join(np.random.default_rng(3).choice(LETTERS, 1100))
    problem = pair(first, first[:600] + first[610:], Scoring(match_mismatch(2, -3), 5, 2))
    method = registry.find_method("checkpointed-alignment")
    with gpus(2):
        plan = engine.plan_run(method, problem, {"pruning": "on"}, "cuda", peers=(1,), use_tuned=False)
    again = method.cost.count_recomputed(problem, plan.parameters)
    work = method.cost.count_work(problem, plan.parameters)
    assert plan.gpu_share * work == pytest.approx(work - again + again / 2)


@pytest.mark.parametrize(("pruning", "most_launches"), [("off", 4), ("on", 13)])
def test_a_gpu_that_is_lost_is_named_and_the_run_goes_on_without_it(
    emulated, dealt_groups: list[int], monkeypatch: pytest.MonkeyPatch, pruning: str, most_launches: int
) -> None:
    from tests.emulator.fake_cupy import cuda, kernels

    problem = draw_pair(np.random.default_rng(2), Mode.LOCAL, 400, 420)
    method, chosen = registry.find_method("checkpointed-alignment"), {"s": 64, "T": 16, "tile": 64, "pruning": pruning}
    launch, launches = kernels.RawKernel.__call__, [0]

    def lose_second_gpu(kernel: Any, *arguments: Any, **more: Any) -> None:
        launches[0] += cuda.Device().id == 1
        if launches[0] > most_launches and cuda.Device().id == 1:
            raise cuda.CUDARuntimeError("cudaErrorLaunchFailure: unspecified launch failure")
        launch(kernel, *arguments, **more)

    def save_at_once(store: CheckpointWriter, *given: Any) -> Any:
        saved = save(store, *given)
        saved.result()
        return saved

    save = CheckpointWriter.save
    monkeypatch.setattr(CheckpointWriter, "save", save_at_once)
    with monkeypatch.context() as patch, gpus(2):
        patch.setattr(kernels.RawKernel, "__call__", lose_second_gpu)
        plan = engine.plan_run(method, problem, chosen, "cuda", peers=(1,), use_tuned=False)
        with pytest.raises(BackendUnavailable, match=r"GPU 1 failed .* with --device 0,.* % of this run is kept"):
            engine.execute(plan, keep_rate=False, keep_parts=True)
    kept = interrupted_runs.find_run(method, problem, chosen)
    assert kept and 0 < kept.fraction < 1
    result = engine.execute(engine.plan_run(method, problem, chosen, "cuda", use_tuned=False), interrupted_run=kept)
    assert_same_path(result.answer, oracle.best_alignment(problem))


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
