"""Three groups aligned at once: the best sum there is, along any tree, on both backends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import CONSISTENCY_PROBLEM, tree_growth
from antidiag.kernels.msa.consistency import reference
from antidiag.kernels.msa.consistency.groups import cpu_merging, cpu_triplets, tree_order
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import CpuStages
from antidiag.kernels.msa.consistency.posteriors.pair_models import make_protein_models
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe
from antidiag.kernels.msa.consistency.solver import PreparedAlignment, prepare_alignment
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.tree_growth import DONE
from antidiag.kernels.msa.trials import generate_family
from tests.example_counts import try_examples

STOP = np.zeros(1, np.int64)


def drawn(lengths: tuple[int, int, int], seed: int) -> list[np.ndarray]:
    """Scores of the three pairs, most of them 0, as posteriors are."""
    random, (l, m, n) = np.random.default_rng(seed), lengths  # noqa: E741
    pairs = (l, m), (l, n), (m, n)
    return [np.where(random.random(shape) < 0.3, random.integers(0, 50, shape), 0) for shape in pairs]


def worth(moves: np.ndarray, scores: list[np.ndarray]) -> int:
    """What the pairs of columns of an alignment score."""
    stands = [np.where(moves & bit > 0, np.cumsum(moves & bit > 0) - 1, -1) for bit in (4, 2, 1)]
    total = 0
    for (a, b), score in zip(((0, 1), (0, 2), (1, 2)), scores, strict=True):
        both = (stands[a] >= 0) & (stands[b] >= 0)
        total += int(score[stands[a][both], stands[b][both]].sum())
    return total


@try_examples(60, deadline=None)
@given(lengths=st.tuples(*3 * [st.integers(1, 11)]), seed=st.integers(0, 2**32 - 1))
def test_the_best_sum_of_the_textbook(lengths: tuple[int, int, int], seed: int) -> None:
    scores = drawn(lengths, seed)
    moves, best = cpu_triplets.align_three_groups(*scores, STOP)
    assert [int((moves & bit > 0).sum()) for bit in (4, 2, 1)] == list(lengths)
    assert best == worth(moves, scores) == reference.score_three_groups(*scores)


@given(lengths=st.tuples(*3 * [st.integers(1, 9)]), seed=st.integers(0, 2**32 - 1))
@try_examples(30, deadline=None)
def test_the_order_of_the_groups_changes_no_score(lengths: tuple[int, int, int], seed: int) -> None:
    first_second, first_third, second_third = drawn(lengths, seed)
    _, best = cpu_triplets.align_three_groups(first_second, first_third, second_third, STOP)
    _, turned = cpu_triplets.align_three_groups(
        second_third, np.ascontiguousarray(first_second.T), np.ascontiguousarray(first_third.T), STOP
    )
    assert best == turned


def test_three_are_never_worse_than_two_and_one() -> None:
    for seed in range(20):
        first_second, first_third, second_third = scores = drawn((17, 23, 19), seed)
        path, _ = cpu_merging.align_groups(first_second, STOP)
        first, second = cpu_merging.place_columns(path, 17, 23)
        both = np.zeros((path.size, 19), np.int64)
        both[first] += first_third
        both[second] += second_third
        _, added = cpu_merging.align_groups(both, STOP)
        paired = int(sum(first_second[i, j] for i, j in zip(*np.nonzero(first[:, None] == second), strict=True)))
        _, best = cpu_triplets.align_three_groups(*scores, STOP)
        assert best >= paired + added


def test_of_equal_scores_that_with_most_letters_in_the_last_columns() -> None:
    moves, best = cpu_triplets.align_three_groups(
        *(np.zeros(shape, np.int64) for shape in ((2, 3), (2, 1), (3, 1))), STOP
    )
    assert best == 0 and moves.tolist() == [2, 6, 7]


def test_a_wish_to_stop_is_heard() -> None:
    assert not cpu_triplets.align_three_groups(*drawn((5, 5, 5), 1), np.ones(1, np.int64))[0].size


@pytest.fixture(scope="module")
def made() -> PreparedAlignment:
    """Consistent posteriors of nine sequences, and their tree."""
    sequences = [np.frombuffer(one.letters, np.uint8) % 20 for one in generate_family(9, 30, 3)]
    recipe = ConsistencyRecipe(make_protein_models(), rounds=1)
    return prepare_alignment(sequences, recipe, CpuStages(CpuRun()), CpuRun(), StageObserver())


def joined(made: PreparedAlignment, three: bool, threads: int = 1) -> tuple[GroupAligner, int]:
    aligner = made.make_aligner(CpuRun(threads=threads))
    return aligner, tree_order.align_along_tree(aligner, made.joins, made.tree, StageObserver(), three)


def test_each_join_is_made_once_and_with_one_of_its_children() -> None:
    joins = np.array([[0, 1], [2, 3], [8, 9], [4, 5], [10, 11], [6, 7], [13, 12]], np.int32)
    below = tree_order.choose_triplets(joins)
    assert below == {2: 1, 4: 3, 6: 5}
    assert len(set(below.values())) == len(below) and not set(below) & set(below.values())
    assert tree_order.choose_triplets(np.zeros((0, 2), np.int32)) == {}


def test_letters_stand_in_order_whatever_the_threads(made: PreparedAlignment) -> None:
    one, columns = joined(made, True)
    three, same = joined(made, True, 3)
    assert columns == same and np.array_equal(one.places, three.places)
    for x, start in enumerate(one.starts.tolist()):
        places = one.places[start : start + one.lengths[x]]
        assert (np.diff(places) > 0).all() and places[0] >= 0 and places[-1] < columns
    assert set(one.places.tolist()) == set(range(columns))


def test_groups_that_are_too_large_are_aligned_two_by_two(
    made: PreparedAlignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_two, columns = joined(made, False)
    monkeypatch.setattr(tree_order, "TRIPLET_CELLS", 0)
    never, same = joined(made, True)
    assert columns == same and np.array_equal(by_two.places, never.places)


def test_it_is_an_option_of_every_effort_and_the_tree_fills() -> None:
    for effort in ("fast", "normal", "thorough"):
        monitor, method = Monitor(), registry.find_method("msa")
        problem = CONSISTENCY_PROBLEM.make_problem(generate_family(7, 25), {"effort": effort, "triplets": True})
        result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), monitor, keep_rate=False, keep_parts=False)
        result.check(problem)
        assert (monitor.partial_result.node_states() == DONE).all()
        assert tree_growth.replay_growth(result) is not None


def test_memory_of_triplets_is_foretold() -> None:
    method = registry.find_method("msa")
    for length, count, least in ((30, 9, 8 * 2 * 8 * 30**2), (600, 9, 40e6), (600, 2, 0)):
        problem = CONSISTENCY_PROBLEM.make_problem(generate_family(count, length), {"triplets": True})
        told = engine.plan_run(method, problem, {"threads": 1}, "cpu").footprint.host.get("triplets", 0)
        assert least <= told <= 4 * least + 1, f"{told:,} bytes of {count} sequences of {length}"


def test_it_can_be_cancelled() -> None:
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "progressive" else None)
    problem = CONSISTENCY_PROBLEM.make_problem(generate_family(5, 30), {"triplets": True})
    with pytest.raises(Cancelled):
        engine.execute(
            engine.plan_run(registry.find_method("msa"), problem, {}, "cpu"), monitor, keep_rate=False, keep_parts=False
        )


def test_the_device_finds_the_same(emulated) -> None:  # type: ignore[no-untyped-def]
    method, problem = (
        registry.find_method("msa"),
        CONSISTENCY_PROBLEM.make_problem(generate_family(5, 15), {"triplets": True}),
    )
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)
