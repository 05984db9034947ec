"""Profiles with free ends of one's own choice: as pairs of sequences, against every alignment, and by every method."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import reference as pair_reference
from antidiag.kernels.profiles.column_scores.scoring import ProfileSpan
from antidiag.kernels.profiles.problem import LEFT, UP
from antidiag.kernels.profiles.reference import align_profiles
from antidiag.kernels.registry import find_method
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.kernels.profiles.test_query_in_target import (
    METHODS,
    assert_agrees_with_the_textbook,
    assert_best_of_all_alignments,
    make_problem,
    random_rows,
)

NAMES = ("free_first_start", "free_first_end", "free_second_start", "free_second_end")
SWITCHES = [dict(zip(NAMES, chosen, strict=True)) for chosen in product((False, True), repeat=4)]


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
        assert_best_of_all_alignments(problem)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_every_method_agrees_with_the_textbook(method):
    for seed, switches in enumerate(SWITCHES):
        drawn = load_trials(method.problem_type).draw_problem(RandomChooser(seed))
        ends = type(drawn.chosen_ends)(*switches.values())
        assert_agrees_with_the_textbook(method, replace(drawn, span=ProfileSpan.CUSTOM, chosen_ends=ends))


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
