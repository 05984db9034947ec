"""All best ways, against every solution there is, written out and scored one by one."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import plays as graphs
from antidiag.kernels.hmm import plays as hmm
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, rescore
from antidiag.kernels.pairwise.plays import stagings as pairs
from antidiag.kernels.plays import paths, staging
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.problem import rescore as rescore_profiles
from antidiag.kernels.registry import method
from antidiag.kernels.trials import Chance
from antidiag.kernels.triple.model import TripleAlignment
from antidiag.kernels.triple.model import rescore as rescore_triple


def _alignments(m, n):
    """Every order of operations that takes m and n letters."""
    if not m and not n:
        yield ()
        return
    if m and n:
        yield from ((*rest, DIAGONAL) for rest in _alignments(m - 1, n - 1))
    if m:
        yield from ((*rest, UP) for rest in _alignments(m - 1, n))
    if n:
        yield from ((*rest, LEFT) for rest in _alignments(m, n - 1))


def _all_global(problem):
    m, n = len(problem.first), len(problem.second)
    found = [Alignment((0, 0), (m, n), np.array(one, np.uint8)) for one in _alignments(m, n)]
    return [(rescore(problem, one), one) for one in found]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("opening", [0, 2])
def test_the_number_of_best_global_alignments_is_that_of_all_that_are_written_out(seed, opening):
    choose = Chance(seed)
    first, second = ("".join(choose.of("AC") for _ in range(choose.integer(1, 4))) for _ in range(2))
    values = {"first": first, "second": second, "mode": "global", "gap_open": opening, "match": 1, "mismatch": -1}
    play, problem = pairs.SCORE.make(values), pairs.SCORE.problem(pairs.SCORE.values(values))
    scored = _all_global(problem)
    best = max(score for score, _ in scored)
    right = [one for score, one in scored if score == best]
    found = paths.counted(play)
    assert found.total == len(right)
    ways = list(paths.each(play))
    assert len(ways) == len(set(ways)) == len(right)
    crossed = {}
    for one in right:
        for i, j in {tuple(cell) for cell in one.cells().tolist()}:
            place = (j, i) if problem.swapped else (i, j)
            crossed[place] = crossed.get(place, 0) + 1
    inner = {cell: share for cell, share in found.share.items() if cell[0] == 0 and cell[1] and cell[2]}
    assert inner == pytest.approx(
        {(0, *place, 0): count / len(right) for place, count in crossed.items() if all(place)}
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_best_alignment_through_a_cell_is_that_of_all_that_are_written_out(seed):
    choose = Chance(seed)
    first, second = ("".join(choose.of("ACG") for _ in range(choose.integer(2, 4))) for _ in range(2))
    values = {"first": first, "second": second, "mode": "global", "gap_open": 0, "gap_extend": 1}
    play, problem = pairs.SCORE.make(values), pairs.SCORE.problem(pairs.SCORE.values(values))
    best = {}
    for score, one in _all_global(problem):
        for i, j in one.cells().tolist():
            place = (j, i) if problem.swapped else (i, j)
            best[place] = max(best.get(place, -99), score)
    found = paths.through(play)
    for (i, j), score in best.items():
        if i and j:
            assert found[0, i, j, 0] == score
    exact = {cell for cell in paths.near(play, 0) if cell[1] and cell[2]}
    assert exact == {cell for cell in paths.counted(play).share if cell[1] and cell[2]}
    assert set(paths.near(play, 1)) >= set(paths.near(play, 0))


@pytest.mark.parametrize("seed", range(5))
def test_the_number_of_best_structures_is_that_of_all_that_are_written_out(seed):
    choose = Chance(seed)
    stage = staging.of(method("nussinov"))
    values = {"letters": "".join(choose.of("ACGU") for _ in range(8)), "min_loop": 1, "wobble": True}
    play, problem = stage.make(values), stage.problem(stage.values(values))

    def structures(i, j):
        if j < i:
            yield frozenset()
            return
        yield from structures(i, j - 1)
        for k in range(i, j - problem.min_loop):
            if problem.pairing[problem.codes[k], problem.codes[j]]:
                for left, inner in product(structures(i, k - 1), structures(k + 1, j - 1)):
                    yield left | inner | {(k, j)}

    found = list(structures(0, 7))
    assert len(found) == len(set(found))
    most = max(map(len, found))
    assert paths.counted(play).total == sum(len(one) == most for one in found) and play.answer.pairs == most


def test_the_number_of_orders_of_a_product_of_equal_matrices_is_catalans():
    stage = staging.of(method("matrix-chain"))
    assert paths.counted(stage.make({"dimensions": "2,2,2,2,2,2"})).total == 14


def test_large_numbers_are_exact():
    values = {"first": "A" * 30, "second": "A" * 60, "mode": "global", "gap_open": 0, "gap_extend": 1}
    assert paths.counted(pairs.SCORE.make(values)).total == math.comb(60, 30)
    assert len(list(paths.each(pairs.SCORE.make(values), 7))) == 7


def test_paths_of_states_and_of_graphs_are_counted():
    flat = {"letters": "ABA", "transitions": "0.5 0.5; 0.5 0.5", "emissions": "0.5 0.5; 0.5 0.5", "initial": "0.5 0.5"}
    assert paths.counted(hmm.ROWS.make(flat)).total == 8
    assert paths.counted(hmm.TREE.make(flat)).total == 8
    square = {"weights": "0 1 1 -; - 0 - 1; - - 0 1; - - - 0"}
    play = graphs.WARSHALL.make(square)
    one = [end for end in play.ends if end[1:3] == (0, 3)]
    assert paths.counted(replace(play, ends=tuple(one))).total == 2


@pytest.mark.parametrize("seed", range(4))
def test_cells_of_paths_of_states_that_are_nearly_as_good_are_those_of_all_that_are_written_out(seed):
    choose = Chance(seed)
    play = hmm.ROWS.make({**hmm.draw(choose), "letters": "ABBA"})
    if not play.ends:
        return
    states, steps = range(play.tables[0].shape[1]), len(play) - 1
    cost = {}
    for path in product(states, repeat=steps):
        cells = [(0, k, j, 0) for k, j in enumerate(path)] + [(0, steps, path[-1], 0)]
        total = play.value(cells[0])
        for before, cell in pairwise(cells):
            total += min((case.value - play.value(before) for case in play.formula(cell).cases
                          if case.sources == (before,)), default=np.inf)  # fmt: skip
        for cell in cells:
            cost[cell] = min(cost.get(cell, np.inf), total)
    best = min(cost.values())
    for margin in (0.0, 0.5, 2.0):
        right = {cell: total - best for cell, total in cost.items() if total <= best + margin + 1e-9}
        assert paths.near(play, margin) == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("name", ["floyd-warshall", "minplus-product", "striped-score", "sloped", "nussinov"])
def test_what_is_at_no_margin_is_on_a_best_path(name):
    for seed in range(4):
        stage = staging.of(method(name))
        play = stage.make(stage.draw(Chance(seed)))
        if play.ends:
            assert set(paths.near(play, 0)) == set(paths.counted(play).share)


def test_local_alignments_that_end_elsewhere_are_near():
    play = pairs.SCORE.make({"first": "GATTACATTTTGGCA", "second": "GATTACACCCCGGCA", "mode": "local", "match": 2,
                             "mismatch": -3, "gap_open": 5, "gap_extend": 2})  # fmt: skip
    found = paths.near(play, 4)
    assert found[0, 7, 7, 0] == 0, "GATTACA scores 14"
    assert found[0, 15, 15, 0] == 4, "and with four mismatches and four more letters 10"
    assert (0, 15, 15, 0) not in paths.near(play, 3)


def test_margins_of_products_are_refused():
    with pytest.raises(InputError, match="products"):
        paths.near(staging.of(method("viterbi-probabilities")).make({}), 1)


def test_what_is_summed_has_no_best_way():
    with pytest.raises(InputError, match="summed"):
        paths.counted(hmm.FORWARD.make({}))


@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_best_alignments_of_three_is_that_of_all_that_are_written_out(seed):
    choose = Chance(seed)
    words = {
        name: "".join(choose.of("AC") for _ in range(choose.integer(1, 2))) for name in ("first", "second", "third")
    }
    values = {**words, "match": 1, "mismatch": -1, "gap_extend": 1}
    stage = staging.of(method("sloped"))
    play, problem = stage.make(values), stage.problem(stage.values(values))

    def paths_from(cell):
        if cell == problem.lengths:
            yield ()
        for move in range(1, 8):
            there = tuple(place + (move & bit > 0) for place, bit in zip(cell, (4, 2, 1), strict=True))
            if all(place <= length for place, length in zip(there, problem.lengths, strict=True)):
                yield from ((move, *rest) for rest in paths_from(there))

    def score(moves):
        return TripleAlignment((0, 0, 0), problem.lengths, np.array(moves, np.uint8))

    scored = [rescore_triple(problem, score(moves)) for moves in paths_from((0, 0, 0))]
    assert paths.counted(play).total == scored.count(max(scored)) and max(scored) == play.answer.score


@pytest.mark.parametrize("seed", range(4))
def test_profiles_have_as_many_best_paths_as_are_written_out(seed):
    choose = Chance(seed)
    rows = {name: "".join(choose.of("AC") for _ in range(choose.integer(1, 4))) for name in ("first", "second")}
    stage = staging.of(method("profile-serial"))
    play, problem = stage.make(rows), stage.problem(stage.values(rows))
    scores = {}
    for moves in _alignments(len(rows["first"]), len(rows["second"])):
        made = ProfileAnswer(0, (0, 0), (problem.encoded.m, problem.encoded.n), np.array(moves, np.uint8))
        scores[moves] = rescore_profiles(problem, made)
    assert paths.counted(play).total == list(scores.values()).count(max(scores.values()))
