"""Batches of pairs on the emulated GPU: every answer is the textbook's, in 16 and 32 bits, with strips and slices."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from antidiag.kernels.pairwise.batch import METHODS, slices
from antidiag.kernels.pairwise.batch.model import ALL, QUERIES
from antidiag.kernels.pairwise.batch.trials import TRIALS, align_by_textbook, draw_batch, make_batch
from antidiag.kernels.pairwise.model import DIAGONAL
from antidiag.kernels.scoring import Mode, Scoring, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import RandomChooser

ALIGNMENT, SCORE = METHODS
LENGTHS = 1, 5, 31, 32, 33, 64, 90


def _check(emulated, problem) -> None:
    for method in METHODS:
        found = emulated(method, problem).answer
        TRIALS.assert_same_answer(problem, found, align_by_textbook(problem), method)


def _related(random: np.random.Generator, lengths, alphabet: str = "ABCD") -> list[str]:
    base = random.choice(list(alphabet), max(lengths))
    return [
        "".join(np.where(random.random(size) < 0.85, base[:size], random.choice(list(alphabet), size)))
        for size in lengths
    ]


@pytest.mark.parametrize("seed", range(12))
def test_drawn_batches_are_those_of_the_textbook(emulated, seed):
    _check(emulated, draw_batch(RandomChooser(seed)))


@pytest.mark.parametrize(("mode", "wide"), list(product(list(Mode)[:4], (False, True))), ids=str)
def test_every_mode_in_16_and_32_bits(emulated, mode, wide):
    scoring = Scoring(match_mismatch(200, -300), 500, 2) if wide else Scoring(match_mismatch(2, -3), 5, 2)
    letters = _related(np.random.default_rng(7), LENGTHS)
    _check(emulated, make_batch(letters, scoring, mode, pairing=ALL))


@pytest.mark.parametrize("mode", [Mode.GLOBAL, Mode.LOCAL, Mode.OVERLAP])
def test_rows_beyond_a_strip(emulated, monkeypatch, mode):
    monkeypatch.setattr(slices, "GROUPS", (4,))
    letters = _related(np.random.default_rng(8), (127, 128, 129, 260, 31, 288))
    _check(emulated, make_batch(letters, Scoring(match_mismatch(2, -3), 5, 2), mode, pairing=ALL))


def test_local_scores_beyond_16_bits_are_computed_again(emulated):
    scoring = Scoring(match_mismatch(120, -3), 50, 2)
    problem = make_batch(["A" * 300, "A" * 290, "AB" * 20, "BA" * 22], scoring, pairing=ALL)
    assert align_by_textbook(problem)[0].score == 290 * 120 > 2**15
    _check(emulated, problem)


def test_asymmetric_scores_follow_the_order_of_the_sequences(emulated):
    values = np.array([[3, -1, -2, 0], [1, 4, -3, -1], [-4, 0, 5, -2], [2, -2, -1, 3]], float)
    scoring = Scoring(SubstitutionMatrix("any", "ABCD", values), 2, 1)
    letters = _related(np.random.default_rng(9), (20, 33, 20, 7, 40))
    for mode in (Mode.LOCAL, Mode.QUERY_IN_TARGET):
        _check(emulated, make_batch(letters, scoring, mode, pairing=QUERIES, queries=2))


def test_a_batch_is_cut_into_slices(emulated, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_BYTES", 40_000)
    letters = _related(np.random.default_rng(10), (60, 70, 50, 33, 20, 90, 80, 64))
    problem = make_batch(letters, pairing=ALL)
    shapes = slices.orient_pairs(problem)
    planned = list(slices.plan_slices(problem, shapes, paths=True))
    assert len(planned) > 3
    assert sorted(set(np.concatenate([one.numbers for one in planned]).tolist())) == list(range(problem.pair_count))
    _check(emulated, problem)


def test_unaligned_letters_of_free_ends_are_in_no_operation(emulated):
    problem = make_batch(["AAAABBBB", "CCBBBBAAAA"], Scoring(match_mismatch(2, -3), 5, 2), Mode.OVERLAP)
    path = emulated(ALIGNMENT, problem).answer.paths[0]
    assert (path.start, path.end) == ((4, 2), (8, 6)) or (path.start, path.end) == ((0, 6), (4, 10))
    assert (path.operations == DIAGONAL).all()
