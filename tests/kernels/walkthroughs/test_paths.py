"""All best ways, against every solution there is, written out and scored one by one."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.walkthroughs import any_graph as graphs
from antidiag.kernels.hmm.walkthroughs import forward_backward, inputs, matrix_products
from antidiag.kernels.hmm.walkthroughs import viterbi_rows as hmm_rows
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, rescore_path
from antidiag.kernels.pairwise.walkthroughs import catalog as pairs
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.profiles.problem import score_path as rescore_profiles
from antidiag.kernels.registry import find_method
from antidiag.kernels.trials import RandomChooser
from antidiag.kernels.triple.model import TripleAlignment
from antidiag.kernels.triple.model import score_alignment as rescore_triple
from antidiag.kernels.walkthroughs import best_paths, walkthrough


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
    return [(rescore_path(problem, one), one) for one in found]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("opening", [0, 2])
def test_the_number_of_best_global_alignments_is_that_of_all_that_are_written_out(seed, opening):
    choose = RandomChooser(seed)
    first, second = ("".join(choose.choose_one("AC") for _ in range(choose.draw_integer(1, 4))) for _ in range(2))
    values = {"first": first, "second": second, "mode": "global", "gap_open": opening, "match": 1, "mismatch": -1}
    play, problem = pairs.SCORE.make_animation(values), pairs.SCORE.build_problem(pairs.SCORE.resolve_values(values))
    scored = _all_global(problem)
    best = max(score for score, _ in scored)
    right = [one for score, one in scored if score == best]
    found = best_paths.count_best_paths(play)
    assert found.total == len(right)
    ways = list(best_paths.iterate_best_paths(play))
    assert len(ways) == len(set(ways)) == len(right)
    crossed = {}
    for one in right:
        for i, j in {tuple(cell) for cell in one.list_cells().tolist()}:
            place = (j, i) if problem.swapped else (i, j)
            crossed[place] = crossed.get(place, 0) + 1
    inner = {cell: share for cell, share in found.share.items() if cell[0] == 0 and cell[1] and cell[2]}
    assert inner == pytest.approx(
        {(0, *place, 0): count / len(right) for place, count in crossed.items() if all(place)}
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_best_alignment_through_a_cell_is_that_of_all_that_are_written_out(seed):
    choose = RandomChooser(seed)
    first, second = ("".join(choose.choose_one("ACG") for _ in range(choose.draw_integer(2, 4))) for _ in range(2))
    values = {"first": first, "second": second, "mode": "global", "gap_open": 0, "gap_extend": 1}
    play, problem = pairs.SCORE.make_animation(values), pairs.SCORE.build_problem(pairs.SCORE.resolve_values(values))
    best = {}
    for score, one in _all_global(problem):
        for i, j in one.list_cells().tolist():
            place = (j, i) if problem.swapped else (i, j)
            best[place] = max(best.get(place, -99), score)
    lacking = best_paths.path_deficits(play)
    for (i, j), score in best.items():
        if i and j:
            assert max(best.values()) - lacking[0, i, j, 0] == score
    exact = {cell for cell in best_paths.cells_near_best(play, 0) if cell[1] and cell[2]}
    assert exact == {cell for cell in best_paths.count_best_paths(play).share if cell[1] and cell[2]}
    assert set(best_paths.cells_near_best(play, 1)) >= set(best_paths.cells_near_best(play, 0))


@pytest.mark.parametrize("seed", range(5))
def test_the_number_of_best_structures_is_that_of_all_that_are_written_out(seed):
    choose = RandomChooser(seed)
    stage = walkthrough.load_walkthrough(find_method("nussinov"))
    values = {"letters": "".join(choose.choose_one("ACGU") for _ in range(8)), "min_loop": 1, "wobble": True}
    play, problem = stage.make_animation(values), stage.build_problem(stage.resolve_values(values))

    def structures(i, j):
        if j < i:
            yield frozenset()
            return
        yield from structures(i, j - 1)
        for k in range(i, j - problem.min_loop):
            if problem.pairing_table[problem.letter_codes[k], problem.letter_codes[j]]:
                for left, inner in product(structures(i, k - 1), structures(k + 1, j - 1)):
                    yield left | inner | {(k, j)}

    found = list(structures(0, 7))
    assert len(found) == len(set(found))
    most = max(map(len, found))
    assert (
        best_paths.count_best_paths(play).total == sum(len(one) == most for one in found) and play.answer.pairs == most
    )


def test_the_number_of_orders_of_a_product_of_equal_matrices_is_catalans():
    stage = walkthrough.load_walkthrough(find_method("matrix-chain"))
    assert best_paths.count_best_paths(stage.make_animation({"dimensions": "2,2,2,2,2,2"})).total == 14


def test_large_numbers_are_exact():
    values = {"first": "A" * 30, "second": "A" * 60, "mode": "global", "gap_open": 0, "gap_extend": 1}
    assert best_paths.count_best_paths(pairs.SCORE.make_animation(values)).total == math.comb(60, 30)
    assert len(list(best_paths.iterate_best_paths(pairs.SCORE.make_animation(values), 7))) == 7


def test_paths_of_states_and_of_graphs_are_counted():
    flat = {"letters": "ABA", "transitions": "0.5 0.5; 0.5 0.5", "emissions": "0.5 0.5; 0.5 0.5", "initial": "0.5 0.5"}
    assert best_paths.count_best_paths(hmm_rows.ROWS.make_animation(flat)).total == 8
    assert best_paths.count_best_paths(matrix_products.TREE.make_animation(flat)).total == 8
    square = {"weights": "0 1 1 -; - 0 - 1; - - 0 1; - - - 0"}
    play = graphs.WARSHALL.make_animation(square)
    one = [end for end in play.ends if end[1:3] == (0, 3)]
    assert best_paths.count_best_paths(replace(play, ends=tuple(one))).total == 2


@pytest.mark.parametrize("seed", range(4))
def test_cells_of_paths_of_states_that_are_nearly_as_good_are_those_of_all_that_are_written_out(seed):
    choose = RandomChooser(seed)
    play = hmm_rows.ROWS.make_animation({**inputs.draw_inputs(choose), "letters": "ABBA"})
    if not play.ends:
        return
    states, steps = range(play.tables[0].table_shape[1]), len(play) - 1
    cost = {}
    for path in product(states, repeat=steps):
        cells = [(0, k, j, 0) for k, j in enumerate(path)] + [(0, steps, path[-1], 0)]
        total = play.cell_value(cells[0])
        for before, cell in pairwise(cells):
            total += min((case.value - play.cell_value(before) for case in play.find_formula(cell).cases
                          if case.sources == (before,)), default=np.inf)  # fmt: skip
        for cell in cells:
            cost[cell] = min(cost.get(cell, np.inf), total)
    best = min(cost.values())
    for margin in (0.0, 0.5, 2.0):
        right = {cell: total - best for cell, total in cost.items() if total <= best + margin + 1e-9}
        assert best_paths.cells_near_best(play, margin) == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("name", ["floyd-warshall", "minplus-product", "striped-score", "sloped", "nussinov"])
def test_what_is_at_no_margin_is_on_a_best_path(name):
    for seed in range(4):
        stage = walkthrough.load_walkthrough(find_method(name))
        play = stage.make_animation(stage.draw_inputs(RandomChooser(seed)))
        if play.ends:
            assert set(best_paths.cells_near_best(play, 0)) == set(best_paths.count_best_paths(play).share)


def test_local_alignments_that_end_elsewhere_are_near():
    play = pairs.SCORE.make_animation(
        {
            "first": "GATTACATTTTGGCA",
            "second": "GATTACACCCCGGCA",
            "mode": "local",
            "match": 2,
            "mismatch": -3,
            "gap_open": 5,
            "gap_extend": 2,
        }
    )
    found = best_paths.cells_near_best(play, 4)
    assert found[0, 7, 7, 0] == 0, "GATTACA scores 14"
    assert found[0, 15, 15, 0] == 4, "and with four mismatches and four more letters 10"
    assert (0, 15, 15, 0) not in best_paths.cells_near_best(play, 3)


def test_margins_of_products_are_refused():
    with pytest.raises(InputError, match="products"):
        best_paths.cells_near_best(
            walkthrough.load_walkthrough(find_method("viterbi-probabilities")).make_animation({}), 1
        )


def test_what_is_summed_has_no_best_way():
    with pytest.raises(InputError, match="summed"):
        best_paths.count_best_paths(forward_backward.FORWARD.make_animation({}))


@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_best_alignments_of_three_is_that_of_all_that_are_written_out(seed):
    choose = RandomChooser(seed)
    words = {
        name: "".join(choose.choose_one("AC") for _ in range(choose.draw_integer(1, 2)))
        for name in ("first", "second", "third")
    }
    values = {**words, "match": 1, "mismatch": -1, "gap_extend": 1}
    stage = walkthrough.load_walkthrough(find_method("sloped"))
    play, problem = stage.make_animation(values), stage.build_problem(stage.resolve_values(values))

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
    assert best_paths.count_best_paths(play).total == scored.count(max(scored)) and max(scored) == play.answer.score


@pytest.mark.parametrize("seed", range(4))
def test_profiles_have_as_many_best_paths_as_are_written_out(seed):
    choose = RandomChooser(seed)
    rows = {
        name: "".join(choose.choose_one("AC") for _ in range(choose.draw_integer(1, 4))) for name in ("first", "second")
    }
    stage = walkthrough.load_walkthrough(find_method("profile-serial"))
    play, problem = stage.make_animation(rows), stage.build_problem(stage.resolve_values(rows))
    scores = {}
    for moves in _alignments(len(rows["first"]), len(rows["second"])):
        made = ProfileAnswer(0, (0, 0), (problem.encoded.m, problem.encoded.n), np.array(moves, np.uint8))
        scores[moves] = rescore_profiles(problem, made)
    assert best_paths.count_best_paths(play).total == list(scores.values()).count(max(scores.values()))
