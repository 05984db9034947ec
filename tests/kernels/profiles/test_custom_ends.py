"""Profiles with free ends of one's own choice: as pairs of sequences, against every alignment, and by every method."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import reference as pair_reference
from antidiag.kernels.profiles.column_scores.scoring import ProfileSpan
from antidiag.kernels.profiles.problem import LEFT, UP, ProfileAnswer, score_path
from antidiag.kernels.profiles.reference import align_profiles
from antidiag.kernels.registry import find_method
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.kernels.profiles.test_query_in_target import METHODS, every_path, make_problem

NAMES = ("free_first_start", "free_first_end", "free_second_start", "free_second_end")
SWITCHES = [dict(zip(NAMES, chosen, strict=True)) for chosen in product((False, True), repeat=4)]


def random_rows(random: np.random.Generator, rows: int, longest: int) -> list[str]:
    columns = int(random.integers(1, longest))
    return ["".join(random.choice(list("ACGT"), columns)) for _ in range(rows)]


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda one: "".join(str(int(free)) for free in one.values()))
def test_profiles_of_one_row_score_as_the_sequences(switches):
    random = np.random.default_rng(sum(switches.values()))
    kind = find_method("striped-alignment").problem_type
    for _ in range(6):
        first, second = random_rows(random, 1, 9), random_rows(random, 1, 9)
        scores = {"match": 2.0, "mismatch": -3.0, "gap_open": float(random.integers(0, 5)), "gap_extend": 1.0}
        profiles = make_problem(first, second, span="custom", gaps="affine", **scores, **switches)
        data = [Sequence("s", rows[0].encode(), SequenceType.DNA) for rows in (first, second)]
        pair = kind.make_problem(data, {"mode": "custom", **scores, **switches})
        found = align_profiles(profiles)
        found.check(profiles)
        assert found.score / profiles.scoring.units == pair_reference.align_pair(pair).score / pair.scoring.scale


@pytest.mark.parametrize("switches", SWITCHES[1::3], ids=lambda one: "".join(str(int(free)) for free in one.values()))
def test_the_textbook_finds_the_best_of_all_alignments(switches):
    random = np.random.default_rng(3)
    for _ in range(3):
        problem = make_problem(random_rows(random, 2, 5), random_rows(random, 2, 4), span="custom", **switches)
        size = len(problem.first), len(problem.second)
        scores = [score_path(problem, ProfileAnswer(0, (0, 0), size, path)) for path in every_path(*size)]
        assert align_profiles(problem).score == max(scores)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_every_method_agrees_with_the_textbook(method):
    tried = load_trials(method.problem_type)
    for seed, switches in enumerate(SWITCHES):
        drawn = tried.draw_problem(RandomChooser(seed))
        ends = type(drawn.chosen_ends)(*switches.values())
        problem = replace(drawn, span=ProfileSpan.CUSTOM, chosen_ends=ends)
        result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)
        result.check(problem)
        tried.assert_same_answer(problem, result.answer, tried.solve_by_textbook(problem), method)


def test_the_end_of_one_overlaps_the_start_of_the_other():
    switches = {"free_first_start": True, "free_second_end": True}
    problem = make_problem(["CCCCGATTACA"], ["GATTACATTTT"], span="custom", **switches)
    assert align_profiles(problem).operations.tolist() == [UP] * 4 + [0] * 7 + [LEFT] * 4
    assert "start of the first, end of the second" in problem.size


def test_switches_without_custom_and_distances_that_align_nothing_are_refused():
    with pytest.raises(ParameterError, match="choose the mode custom"):
        make_problem(["ACGT"], ["ACGT"], free_first_start=True)
    crossed = {"span": "custom", "column_score": "euclidean", "free_first_start": True, "free_second_end": True}
    with pytest.raises(ParameterError, match="set offset"):
        make_problem(["ACGT"], ["ACGT"], **crossed)


def test_a_gpu_refuses_with_a_remedy():
    method = find_method("profile-wavefront")
    problem = make_problem(["ACGT"], ["ACGT"], span="custom", free_first_start=True)
    assert "on the CPU only" in method.refuse_backend(problem, "cuda")
    known = make_problem(["ACGT"], ["ACGT"], span="custom", free_second_start=True, free_second_end=True)
    assert not method.refuse_backend(known, "cuda") and known.encoded.mode == make_problem(["A"], ["A"]).encoded.mode
