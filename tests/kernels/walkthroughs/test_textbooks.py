"""Plays that show the numbers of their method itself, held against textbooks: k-tuples, and consistency."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from antidiag.kernels.msa.consistency import method_run, reference
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.walkthroughs.consistency_rounds import _ConsistencyAnimation
from antidiag.kernels.registry import find_method
from antidiag.kernels.trials import RandomChooser
from antidiag.kernels.walkthroughs import walkthrough

UNIT = 1 / 65536


def _drawn(id: str, seed: int):
    stage = walkthrough.load_walkthrough(find_method(id))
    values = stage.resolve_values(stage.draw_inputs(RandomChooser(seed)))
    made = stage.build_problem(values)
    return made, stage.animate(made, values)


# k-tuples: words that two sequences share are points; a chain goes down and to the right through them.


def _chain(points: list[tuple[int, int]], k: int, gap: int) -> int:
    """The best chain: on a diagonal every new letter counts, and a change of it costs, and begins with a whole word."""
    best: dict[tuple[int, int], int] = {}
    for i, j in sorted(points):
        scores = [k]
        for (before_i, before_j), score in best.items():
            if before_i - before_j == i - j:
                scores.append(score + min(i - before_i, k))
            elif before_i + k <= i and before_j + k <= j:
                scores.append(score + k - gap)
        best[i, j] = max(scores)
    return max(best.values(), default=0)


def _fullest(points: list[tuple[int, int]], rows: int, columns: int, top: int) -> list[set[int]]:
    """The diagonals that may be taken: the last one and those with most words, whichever of equal ones."""
    counts = dict.fromkeys(range(1 - columns, rows), 0)
    for i, j in points:
        counts[i - j] += 1
    last, others = rows - 1, sorted(set(counts) - {rows - 1}, key=lambda d: -counts[d])
    wanted = min(max(top, 2) - 1, len(others))
    least = counts[others[wanted - 1]] if wanted else 0
    sure = {d for d in others if counts[d] > least} | {last}
    tied = [d for d in others if counts[d] == least and least]
    room = min(wanted - len(sure) + 1, len(tied))
    return [{d for d in sure | set(some) if counts[d]} for some in combinations(tied, room)]


def _ktuple(made, x: int, y: int) -> set[float]:
    """All distances that the rule allows, where diagonals tie."""
    one, other = (made.sequences[at].letters for at in (x, y))
    k = made.ktuple
    points = [(i, j) for i in range(len(one) - k + 1) for j in range(len(other) - k + 1)
              if one[i : i + k] == other[j : j + k]]  # fmt: skip
    found = set()
    for taken in _fullest(points, len(one), len(other), made.diagonals):
        near = [(i, j) for i, j in points if any(abs(i - j - d) <= made.window for d in taken)]
        found.add(max(1 - _chain(near, k, made.word_gap) / min(len(one), len(other)), 0.0))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_ktuple_distances_are_those_of_the_best_chain_of_shared_words(seed):
    made, play = _drawn("distance-ktuple", seed)
    assert made.word_gap >= made.ktuple - 1, "else the order of the words decides"
    for x, y in combinations(range(len(made.sequences)), 2):
        allowed = _ktuple(made, x, y)
        assert any(abs(play.answer[x, y] - value) < 1e-12 for value in allowed), (x, y, play.answer[x, y], allowed)


def test_the_textbook_of_ktuples_tells_sequences_apart():
    found = set()
    for seed in range(12):
        made, play = _drawn("distance-ktuple", seed)
        found |= {round(float(play.answer[x, y]), 6) for x, y in combinations(range(len(made.sequences)), 2)}
    assert len(found) > 6, "distances that are all alike would prove nothing"


# Consistency: posteriors by forward and backward in logarithms, the weighted mean by way of all others, best sums.


@pytest.fixture(scope="module", params=[1, 2, 3])
def told(request):
    made, play = _drawn("msa", request.param)
    return made, play, _ConsistencyAnimation(made, 1)


def _posteriors(play, told: _ConsistencyAnimation, layer: int) -> dict[tuple[int, int], np.ndarray]:
    found = {}
    for at, (x, y) in enumerate(told.pairs):
        found[x, y] = play.tables[at].values[:, :, layer]
        found[y, x] = found[x, y].T
    return found


def test_posteriors_are_those_of_forward_and_backward(told):
    made, play, inside = told
    codes, own = method_run.encode_sequences(made), make_recipe(made)
    for (x, y), found in _posteriors(play, inside, 0).items():
        expected = reference.compute_posteriors(codes[x], codes[y], own.models)
        kept = found > 0
        np.testing.assert_allclose(found[kept], expected[kept], rtol=0, atol=0.6 * UNIT)
        assert (expected[~kept] < (own.cut + 1) * UNIT).all(), "only small ones are left out"


def test_rounds_are_the_weighted_mean_by_way_of_all_others(told):
    made, play, inside = told
    everybody, weights, own = range(inside.n), inside.recorded.weights, inside.recorded.own
    cut = make_recipe(made).cut
    for layer in range(1, play.tables[0].table_shape[2]):
        before, after = _posteriors(play, inside, layer - 1), _posteriors(play, inside, layer)
        for x, y in inside.pairs:
            expected = reference.apply_consistency(before, x, y, everybody, weights, own)
            possible, found = before[x, y] > 0, after[x, y]
            np.testing.assert_allclose(found[found > 0], expected[found > 0], rtol=0, atol=2 * UNIT)
            left_out = possible & (found == 0)
            assert (expected[left_out] < (cut + 2) * UNIT).all()


def test_two_sequences_are_joined_at_the_greatest_sum_of_posteriors(told):
    _, play, inside = told
    first, second = sorted(int(at) for at in inside.ready.joins[0])
    P = _posteriors(play, inside, play.tables[0].table_shape[2] - 1)[first, second]
    rows = [inside.letter_columns(1, at) for at in (first, second)]
    joined = sum(P[i, j] for i, j in product(range(len(rows[0])), range(len(rows[1]))) if rows[0][i] == rows[1][j])
    assert joined == pytest.approx(reference.score_two_groups(P))
