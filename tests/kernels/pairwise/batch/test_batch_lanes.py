"""Pairs of a batch side by side in the lanes of vectors on the CPU: every answer is the textbook's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine
from antidiag.kernels.pairwise.batch import METHODS, cpu, lane_groups, sizes, slices
from antidiag.kernels.pairwise.batch.cpu_kernels import make_group
from antidiag.kernels.pairwise.batch.cpu_lanes import PairArrays
from antidiag.kernels.pairwise.batch.model import ALL, RECORDS, BatchProblem
from antidiag.kernels.pairwise.batch.trials import TRIALS, align_by_textbook, make_batch
from antidiag.kernels.scoring import (
    NO_FREE_ENDS,
    FreeEnds,
    Mode,
    Scoring,
    SubstitutionMatrix,
    match_mismatch,
    named_matrix,
)
from tests.example_counts import try_examples

MANY = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
RANDOM_SCORES = np.random.default_rng(5).integers(-4, 6, (len(MANY), len(MANY))).astype(float)
DNA = Scoring(match_mismatch(2, -3), 5, 2)
SCORINGS = {
    "dna": ("ACGT", DNA),
    "two pieces": ("ACGTN", Scoring(match_mismatch(2, -3), 4, 2, 9, 1)),
    "protein": ("ARNDCQEGHILKMFPSTWYVBZX*", Scoring(named_matrix("BLOSUM62"), 10, 1)),
    "protein, two pieces": ("ARNDCQEGHILKMFPSTWYVBZX*", Scoring(named_matrix("BLOSUM62"), 8, 2, 14, 0)),
    "32 bits": ("ACGT", Scoring(match_mismatch(200, -300), 500, 2)),
    "36 letters": (MANY, Scoring(SubstitutionMatrix("any", MANY, RANDOM_SCORES), 3, 1)),
    "no costs": ("AC", Scoring(match_mismatch(1, 0), 0, 0)),
}


def _draw_letters(seed: int, alphabet: str, sizes: list[int]) -> list[str]:
    """Return parts of one sequence with some other letters."""
    random = np.random.default_rng(seed)
    base = random.choice(list(alphabet), 2 * max(sizes))
    starts = [int(random.integers(0, max(sizes) // 4 + 1)) for _ in sizes]
    letters = [base[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    return [
        "".join(np.where(random.random(one.size) < 0.9, one, random.choice(list(alphabet), one.size)))
        for one in letters
    ]


def _run(method, problem: BatchProblem, threads: int = 1):
    return engine.execute(engine.plan_run(method, problem, {"threads": threads}, "cpu"), keep_rate=False).answer


def _check(problem: BatchProblem) -> None:
    for method in METHODS:
        TRIALS.assert_same_answer(problem, _run(method, problem), align_by_textbook(problem), method)


def _fits(problem: BatchProblem) -> list[bool]:
    shapes = slices.orient_pairs(problem)
    return lane_groups.fits_16_bits(problem, shapes.rows, shapes.columns).tolist()


@try_examples(60)
@given(
    name=st.sampled_from(sorted(SCORINGS)),
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=9),
    mode=st.sampled_from(Mode),
    ends=st.tuples(*[st.booleans()] * 4),
    seed=st.integers(0, 99),
)
def test_groups_of_pairs_of_any_lengths(name, lengths, mode, ends, seed):
    alphabet, scoring = SCORINGS[name]
    letters = _draw_letters(seed, alphabet, [*lengths, 12])
    chosen = FreeEnds(*ends) if mode is Mode.CUSTOM else NO_FREE_ENDS
    _check(make_batch(letters, scoring, mode, chosen, ALL))


@pytest.mark.parametrize("count", [1, 31, 32, 33])
@pytest.mark.parametrize("name", ["dna", "protein", "32 bits"])
def test_as_many_pairs_of_one_length_as_there_are_lanes(name, count):
    alphabet, scoring = SCORINGS[name]
    letters = _draw_letters(count, alphabet, [16] * (2 * count))
    _check(make_batch(letters, scoring, Mode.OVERLAP, pairing=RECORDS))


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
def test_the_greatest_scores_of_16_bits_and_those_above(mode):
    scoring = Scoring(match_mismatch(127, -100), 10, 10)
    least = (2**15 - 1 - 127 - 10) // 127
    problem = make_batch(["A" * size for size in (least, least + 1, least, least + 1)], scoring, mode)
    assert _fits(problem) == [True, False]
    for method in METHODS:
        answer = _run(method, problem)
        assert answer.scores.tolist() == [127 * least, 127 * (least + 1)]
        answer.check(problem)


def test_the_least_scores_of_16_bits_and_those_below():
    scoring = Scoring(match_mismatch(1, -120), 100, 100)
    most = (2**15 - 1 - 200 - 100 - 200) // 100
    rows = ["C", "C", "A" * (most - 1), "A" * most]
    problem = make_batch(rows, scoring, Mode.GLOBAL)
    assert _fits(problem) == [True, False]
    _check(problem)


@pytest.mark.slow
def test_scores_that_no_instruction_looks_up(monkeypatch):
    monkeypatch.setattr(cpu, "HAS_LOOKUP", False)
    for name in ("dna", "protein"):
        alphabet, scoring = SCORINGS[name]
        letters = _draw_letters(3, alphabet, [33, 7, 20, 40])
        _check(make_batch(letters, scoring, Mode.LOCAL, pairing=ALL))


def test_every_small_pair_is_in_one_task():
    sizes = np.random.default_rng(2).integers(1, 50, 40).tolist()
    problem = make_batch(_draw_letters(4, "ACGT", sizes), DNA, Mode.QUERY_IN_TARGET, pairing=ALL)
    shapes, small = slices.orient_pairs(problem), np.arange(3, problem.pair_count)
    tasks = list(lane_groups.make_tasks(problem, shapes, small, threads=3))
    assert len(tasks) > 3 and {task.is_swapped for task in tasks} == {False, True}
    assert np.sort(np.concatenate([task.numbers for task in tasks])).tolist() == small.tolist()
    assert all((shapes.is_swapped[task.numbers] == task.is_swapped).all() for task in tasks)


def test_neighbours_have_like_rows_and_columns():
    random = np.random.default_rng(3)
    rows, columns = (random.integers(1, 1000, 32 * 100) for _ in range(2))
    order = lane_groups.order_for_lanes(rows, columns, 32)
    assert np.sort(order).tolist() == list(range(rows.size))
    cells = sum(rows[one].max() * columns[one].max() for one in np.split(order, 100)) * 32
    assert cells < 1.3 * (rows * columns).sum()


def test_a_pair_that_would_enlarge_the_table_too_much_begins_a_group():
    rows, columns = np.array([4, 5, 5, 2, 2]), np.array([10, 10, 11, 400, 401])
    none = np.zeros(5, np.int64)
    pairs = PairArrays(np.zeros(1, np.uint8), none, none, rows, columns)
    assert make_group(pairs, 0, 32, 10**6) == (0, 3, 5, 11, 4)
    assert make_group(pairs, 3, 32, 10**6) == (3, 5, 2, 401, 2)
    assert make_group(pairs, 0, 2, 10**6).last == 2, "no more pairs than lanes"
    assert make_group(pairs, 0, 32, 50).last == 2, "no more cells than there is room"


def test_columns_that_16_bits_do_not_count_are_not_for_lanes():
    rows, columns = np.array([1, 1, 1000, 2000]), np.array([2**15 - 1, 2**15, 1000, 2000])
    assert sizes.is_small(rows, columns).tolist() == [True, False, True, False]
