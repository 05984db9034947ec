"""Consistency-based alignment: every stage equals its textbook, whatever the threads."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine as runs
from antidiag.kernels import memory, registry, serialization
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import CONSISTENCY_PROBLEM
from antidiag.kernels.msa.consistency import reference, sizes, solver
from antidiag.kernels.msa.consistency.groups import cpu_merging
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner
from antidiag.kernels.msa.consistency.posteriors import cpu_stages, pair_models
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import SparsePosteriors
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe, make_recipe
from antidiag.kernels.msa.consistency.rules import ConsistencyRules
from antidiag.kernels.msa.consistency.stage_observer import StageObserver

BOTH = pair_models.make_protein_models()
UNIT = 1 / 65536


def family(count: int, length: int, seed: int = 1) -> list[np.ndarray]:
    """Related codes; the last two have no more than two letters."""
    random = np.random.default_rng(seed)
    ancestor, made = random.integers(0, 20, length), []
    for _ in range(count - 2):
        letters = np.where(random.random(length) < 0.4, random.integers(0, 21, length), ancestor)
        at = int(random.integers(0, length - 4))
        made.append(np.delete(letters, slice(at, at + int(random.integers(0, 4)))).astype(np.uint8))
    return [*made, ancestor[:2].astype(np.uint8), ancestor[5:6].astype(np.uint8)]


def posteriors(sequences: list[np.ndarray], threads: int = 1, cut: int = cpu_stages.CUT) -> SparsePosteriors:
    return cpu_stages.CpuStages(CpuRun(threads=threads), cut).compute_posteriors(sequences, BOTH)


@pytest.fixture(scope="module")
def sequences() -> list[np.ndarray]:
    """So many that vectors are filled, and longer than a strip."""
    return family(20, 37)


@pytest.fixture(scope="module")
def found(sequences: list[np.ndarray]) -> SparsePosteriors:
    return posteriors(sequences)


@pytest.mark.parametrize(("x", "y"), [(0, 1), (17, 3), (18, 2), (5, 19), (18, 19)])
def test_posteriors_are_those_of_the_textbook(sequences: list[np.ndarray], x: int, y: int) -> None:
    one_unit = posteriors(sequences, cut=1)
    expected = reference.compute_posteriors(sequences[x], sequences[y], BOTH)
    np.testing.assert_allclose(one_unit.dense(x, y), expected, rtol=0, atol=0.6 * UNIT)
    np.testing.assert_array_equal(one_unit.dense(x, y).T, one_unit.dense(y, x))


def test_no_mass_is_lost_beside_what_is_larger_by_far() -> None:
    """Two halves, exchanged: in every row a sum that leads nowhere is beyond float32 times the one that counts."""
    random = np.random.default_rng(3)
    first, second = (random.choice([17, 4], size).astype(np.uint8) for size in (70, 71))
    x, y = np.concatenate([first, second]), np.concatenate([second, first])
    made = posteriors([x, y], cut=1)
    np.testing.assert_allclose(made.dense(0, 1), reference.compute_posteriors(x, y, BOTH), rtol=0, atol=0.6 * UNIT)


def test_small_posteriors_are_dropped(sequences: list[np.ndarray], found: SparsePosteriors) -> None:
    every = posteriors(sequences, cut=1)
    for x, y in ((0, 1), (3, 18)):
        whole = every.dense(x, y)
        np.testing.assert_array_equal(found.dense(x, y), np.where(whole >= cpu_stages.CUT * UNIT, whole, 0))


def test_a_round_of_consistency_is_a_mean_of_products(found: SparsePosteriors) -> None:
    n, random = found.count, np.random.default_rng(5)
    P = {(x, y): found.dense(x, y) for x in range(n) for y in range(n) if x != y}
    chosen = np.sort(np.argsort(random.random((n, n)), 1)[:, :9], 1).astype(np.int32)
    weights = random.random(n).astype(np.float32)
    made = cpu_stages.CpuStages(CpuRun(), cut=1).apply_consistency(found, chosen, weights, 3.0)
    for x, y in ((0, 1), (4, 17), (2, 19)):
        expected = reference.apply_consistency(P, x, y, [*chosen[x], *chosen[y]], weights, 3.0)
        np.testing.assert_allclose(
            made.dense(x, y), np.where(expected < UNIT / 2, 0, expected), rtol=0, atol=0.6 * UNIT
        )


def test_expected_accuracy_is_the_best_sum(found: SparsePosteriors) -> None:
    made = cpu_stages.CpuStages(CpuRun()).compute_accuracies(found)
    for x, y in ((0, 1), (3, 18), (18, 19)):
        shorter = min(found.lengths[x], found.lengths[y])
        assert made[x, y] == made[y, x] == pytest.approx(reference.score_two_groups(found.dense(x, y)) / shorter)


def test_a_family_weighs_as_much_as_one_that_is_alone() -> None:
    """Three of the same, and one that is like none: each of the three says a third; one that is half like them more."""
    accuracies = np.zeros((5, 5))
    accuracies[:3, :3] = 1
    accuracies[:3, 4] = accuracies[4, :3] = 0.5
    expected = 1 / np.array([3 + 0.5**4] * 3 + [1, 1 + 3 * 0.5**4])
    np.testing.assert_allclose(solver.weigh_by_similarity(accuracies) / pair_models.WEIGHT_UNIT, expected, atol=1e-3)


def test_nucleotides_weigh_what_the_tree_says() -> None:
    kinds = {SequenceType.PROTEIN: b"MKVALNDSTW", SequenceType.DNA: b"ACGTACCTGA"}
    for kind, letters in kinds.items():
        problem = CONSISTENCY_PROBLEM.make_problem(tuple(Sequence(name, letters, kind) for name in "ab"), {})
        assert make_recipe(problem).tree_weights == (kind == SequenceType.DNA)


def test_a_merge_has_the_best_sum_of_columns() -> None:
    scores = np.random.default_rng(1).integers(-3, 9, (13, 17))
    path, best = cpu_merging.align_groups(scores, np.zeros(1, np.int64))
    assert best == reference.score_two_groups(scores)
    first, second = cpu_merging.place_columns(path, 13, 17)
    pairs = [(i, j) for i in range(13) for j in range(17) if first[i] == second[j]]
    assert sum(scores[i, j] for i, j in pairs) == best


def test_threads_change_nothing(sequences: list[np.ndarray]) -> None:
    def aligned(threads: int) -> solver.ConsistencyAlignment:
        run = CpuRun(threads=threads)
        stages = cpu_stages.CpuStages(run)
        return solver.align_sequences(sequences, ConsistencyRecipe(BOTH), stages, run, StageObserver())

    one, three = aligned(1), aligned(3)
    assert one.columns == three.columns and one.tree == three.tree
    for first, second in zip(one.places, three.places, strict=True):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(one.confidence, three.confidence)


def proteins(*letters: str) -> tuple[Sequence, ...]:
    return tuple(Sequence(f"s{k}", row.encode(), SequenceType.PROTEIN) for k, row in enumerate(letters))


def rows(*letters: str, **options: object) -> list[str]:
    problem = CONSISTENCY_PROBLEM.make_problem(proteins(*letters), options)
    result = runs.execute(runs.plan_run(registry.find_method("msa"), problem, {"threads": 1}, "cpu"))
    result.check(problem)
    return [row.tobytes().decode() for row in result.answer.alignment.letters]


LONG = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVV"


@pytest.mark.parametrize(
    "letters",
    [
        ("MKV",),
        (LONG, LONG),
        (LONG, LONG, LONG),
        (LONG, "", LONG[:30] + LONG[40:]),
        ("", "M", ""),
        (LONG, LONG.lower(), LONG.replace("L", "*").replace("K", "U")),
        ("ACDEFGHIKL", "MNPQRSTVWY"),
        (30 * LONG, LONG, LONG[10:60]),
    ],
)
def test_rows_are_the_sequences(letters: tuple[str, ...]) -> None:
    assert [row.replace("-", "") for row in rows(*letters)] == list(letters)


def test_equal_sequences_have_no_gaps() -> None:
    assert rows(LONG, LONG, LONG, effort="fast") == [LONG] * 3


def test_what_is_left_out_is_a_gap() -> None:
    assert rows(LONG, LONG[:30] + LONG[36:], LONG) == [LONG, LONG[:30] + 6 * "-" + LONG[36:], LONG]


def test_a_given_tree_is_followed() -> None:
    tree = Tree.from_parents(("s0", "s2", "s1", "", ""), np.array([3, 3, 4, 4, -1]), np.full(5, 0.5))
    problem = CONSISTENCY_PROBLEM.make_problem((*proteins(LONG, LONG, LONG[:50]), tree), {})
    result = runs.execute(runs.plan_run(registry.find_method("msa"), problem, {"threads": 1}, "cpu"))
    assert set(result.answer.tree.taxa) == {"s0", "s1", "s2"}
    np.testing.assert_array_equal(result.answer.tree.parents, tree.parents)


def test_too_many_and_too_long_are_refused() -> None:
    with pytest.raises(InputError, match="4,001 sequences"):
        CONSISTENCY_PROBLEM.make_problem(proteins(*4001 * ["M"]), {})
    with pytest.raises(InputError, match="65,536 letters"):
        CONSISTENCY_PROBLEM.make_problem(proteins("M", 65536 * "M"), {})


def test_one_long_sequence_among_short_ones_takes_little() -> None:
    problem = CONSISTENCY_PROBLEM.make_problem(proteins(30_000 * "M", "MKV", "MKL"), {})
    plan = runs.plan_run(registry.find_method("msa"), problem, {"threads": 1}, "cpu")
    assert plan.footprint.host["stages"] < 100 * 2**20


def test_only_larger_posteriors_take_less_memory(sequences: list[np.ndarray], found: SparsePosteriors) -> None:
    data = proteins(LONG, LONG[::-1], LONG[::2] + LONG[1::2], LONG[::3])
    plans = [
        runs.plan_run(
            registry.find_method("msa"), CONSISTENCY_PROBLEM.make_problem(data, {"least_posterior": least}), {}, "cpu"
        )
        for least in (0.01, 0.05)
    ]
    assert plans[1].footprint.host["posteriors"] < 0.6 * plans[0].footprint.host["posteriors"]
    fewer = cpu_stages.CpuStages(CpuRun(), cut=6554).compute_posteriors(sequences, BOTH)
    assert fewer.units.min() >= 6554 and fewer.units.size < found.units.size


def test_more_posteriors_are_expected_of_sequences_that_are_less_alike() -> None:
    equal, related, unrelated = proteins(LONG, LONG), proteins(LONG, LONG[:20] + LONG[::-1]), proteins(LONG, LONG[::-1])
    problems = [CONSISTENCY_PROBLEM.make_problem(data, {}) for data in (equal, related, unrelated)]
    densities = [sizes.estimate_density(problem) for problem in problems]
    assert 1 < densities[0] < 1.3 < densities[1] < 5 and densities[2] == 8.5
    thinned = CONSISTENCY_PROBLEM.make_problem(unrelated, {"least_posterior": 0.1})
    assert sizes.estimate_density(thinned) == pytest.approx(1.75)


def test_threads_beyond_the_processors_change_no_expected_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "count_processors", lambda: 2)
    problem = CONSISTENCY_PROBLEM.make_problem(proteins(LONG, LONG, LONG), {})
    works = [
        sizes.count_timed_work(problem, sizes.PosteriorParameters(threads=threads, warps=1)) for threads in (1, 2, 64)
    ]
    assert works[0] < works[1] == works[2]


def test_so_many_splits_are_tried_together_as_fit_into_memory() -> None:
    class Scorer:
        most_cells = 1 << 26

    aligner = GroupAligner(Scorer(), CpuRun(), np.empty(0, np.int32), np.empty(0, np.int64))
    assert [aligner.most_trials(columns) for columns in (0, 1000, 4000, 30_000)] == [16, 16, 4, 1]


def test_many_sequences_keep_larger_posteriors_or_are_referred_to_parttree(monkeypatch: pytest.MonkeyPatch) -> None:
    few, more, many = (
        CONSISTENCY_PROBLEM.make_problem(proteins(*count * [400 * "M"]), {}) for count in (1000, 1500, 3000)
    )
    assert few.rules.least_posterior == 0.01 and not few.notes
    assert more.rules.least_posterior == 0.05 and "Posteriors below 0.05 are dropped" in more.notes[-1]
    assert many.rules.least_posterior == 0.1
    given = CONSISTENCY_PROBLEM.make_problem(proteins(*3000 * [400 * "M"]), {"least_posterior": 0.02})
    assert given.rules.least_posterior == 0.02
    monkeypatch.setattr(memory, "host_bytes_free", lambda: 2**33)
    plan = runs.plan_run(registry.find_method("msa"), many, {"threads": 1}, "cpu")
    assert plan.refusal is not None and "PartTree" in plan.refusal


def test_rules_that_were_kept_before_there_was_a_least_posterior_open() -> None:
    kept = {"class": "msa-consistency-rules", "fields": {"effort": "fast", "refinement_seed": 3}}
    assert serialization.decode(kept, {}.get) == ConsistencyRules("fast", 3, 0.01)


@pytest.mark.parametrize("stage", ["posteriors", "distances", "consistency", "progressive", "refinement"])
def test_every_stage_can_be_cancelled(sequences: list[np.ndarray], stage: str) -> None:
    def told(done: int, total: int, phase: str) -> None:
        if phase == stage:
            monitor.cancel()

    monitor = Monitor(told)
    run = CpuRun(monitor, threads=2)
    with pytest.raises(Cancelled):
        solver.align_sequences(sequences, ConsistencyRecipe(BOTH), cpu_stages.CpuStages(run), run, StageObserver())


def test_gonnet_at_its_own_distance_is_itself() -> None:
    np.testing.assert_allclose(
        pair_models._gonnet_scores(pair_models.PAM250),
        pair_models._matrix_scores("GONNET1992", pair_models.AMINO_ACIDS),
        atol=1e-3,
    )
