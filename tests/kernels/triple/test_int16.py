"""Numbers of 16 bits: taken as long as every value fits, and then the answer is that of 32 bits."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.model import SequenceType
from antidiag.kernels.scoring import Scoring, match_mismatch, named_matrix
from antidiag.kernels.triple.chunks.cpu import int16
from antidiag.kernels.triple.encoding import encode_problem
from antidiag.kernels.triple.grid import CHUNK_KINDS, make_grid
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.trials import make_problem as triple

GAP = 5
FITTING = ("sloped", "layered", "sloped-checkpointed")


def repeated(lengths: tuple[int, int, int], shifted: int, gap_open: int = 0) -> TripleProblem:
    """One letter over and over, so that the best alignment reaches the bound; ``shifted`` is its score c'."""
    scoring = Scoring(match_mismatch(shifted - 2 * GAP, -1), gap_open, GAP)
    return triple(*("A" * length for length in lengths), scoring)


def fits(problem: TripleProblem, name: str = "sloped", s: int = 32) -> bool:
    return int16.fits_int16(encode_problem(problem), CHUNK_KINDS[name], make_grid(problem, s, None))


def assert_right(problem: TripleProblem, name: str, s: int = 32) -> None:
    found = engine.execute(engine.plan_run(registry.find_method(name), problem, {"s": s}, "cpu"))
    found.check(problem)
    expected = engine.execute(engine.plan_run(registry.find_method("triple-traceback"), problem, {}, "cpu")).answer
    assert found.answer.score == expected.score
    if found.answer.alignment is not None:
        np.testing.assert_array_equal(found.answer.alignment.moves, expected.alignment.moves)


@pytest.mark.parametrize("name", FITTING)
@pytest.mark.parametrize("extra", [0, 1])
def test_the_largest_values_that_fit_and_one_more(name: str, extra: int) -> None:
    problem = repeated((70, 75 + extra, 80), 151)
    largest = (2 * 70 + 75 + extra) * 151 + 2 * 151
    assert int16.bound_values(encode_problem(problem)) + 2 * 151 == largest
    assert fits(problem, name) == (largest <= 32_767) == (extra == 0)
    assert_right(problem, name)


@pytest.mark.parametrize("shifted", [4095, 4096])
def test_the_highest_score_that_fits_and_one_more(shifted: int) -> None:
    problem = repeated((2, 2, 2), shifted)
    assert fits(problem) == (shifted == 4095)
    assert_right(problem, "sloped")


@pytest.mark.parametrize("shifted", [-4096, -4097])
@pytest.mark.parametrize("name", FITTING)
def test_the_lowest_score_that_fits_and_one_more(shifted: int, name: str) -> None:
    rows = ("ACCA" * 12, "CAAC" * 12, "ACAC" * 12)
    problem = triple(*rows, Scoring(match_mismatch(100, shifted - 2 * GAP), 0, GAP))
    assert fits(problem, name) == (shifted == -4096)
    assert_right(problem, name)


def test_a_pair_gives_no_more_than_its_letters_do() -> None:
    """Letters that one sequence lacks give nothing; of two sums, the smaller is the bound."""
    problem = triple("AAAC", "CC", "GGGGG", Scoring(match_mismatch(7, -30), 0, GAP))
    assert int16.bound_values(encode_problem(problem)) == 7 + 2 * GAP


def test_what_does_not_fit() -> None:
    problem = repeated((60, 60, 60), 20)
    assert fits(problem) and not fits(problem, "sloped-bt1"), "local starts have 32 bits"
    assert not fits(problem, s=48), "a chunk of 48 cells ends inside a vector"
    assert fits(repeated((40, 40, 60), 20), s=48), "a single chunk hands nothing on"
    assert not fits(repeated((60, 60, 60), 20, gap_open=1)), "affine gaps"


def test_a_table_row_of_the_paper_fits() -> None:
    random = np.random.default_rng(0)
    rows = ("".join(random.choice(list("ARNDCQEGHILKMFPSTWYV"), length)) for length in (347, 349, 365))
    problem = triple(*rows, Scoring(named_matrix("BLOSUM62"), 0, 8), SequenceType.PROTEIN)
    assert fits(problem, s=64)
