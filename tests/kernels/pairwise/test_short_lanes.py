"""Strips in 16 bits on the CPU: every value is that of 32 bits, and 32 bits are taken where 16 do not do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import StripedScoreParameters
from antidiag.kernels.pairwise.strips import cpu_sizes, cpu_strips
from antidiag.kernels.pairwise.strips.cpu_16bit import kernel_variant
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.cpu_runs import run_on_cpu
from tests.example_counts import try_examples
from tests.problems import pair

LENGTHS = (1, 2, 30, 31, 32, 33, 63, 64, 65, 95, 97)
DNA = Scoring(match_mismatch(2, -3), 5, 2)
SCORINGS = {
    "dna": DNA,
    "free": Scoring(match_mismatch(1, 1), 0, 0),
    "linear": Scoring(match_mismatch(5, -4), 0, 3),
    "large": Scoring(match_mismatch(100, -120), 40, 27),
    "larger": Scoring(match_mismatch(200, -300), 500, 11),
}
PROTEIN = Scoring(named_matrix("BLOSUM62"), 10, 1)


def sweep(
    problem: PairProblem, s: int, batch: int, short: bool, h: int = 2**62, states: bool = False, chunk_parts: int = 2
) -> StripRun:
    """Phase 1 on two threads, with all boundary columns kept, and the last rows of chunks."""
    encoded, run = encode_pair(problem), CpuRun(threads=2)
    scoring, count = problem.scoring, -(-encoded.columns.size // s)
    strips = StripRun(
        pair=encoded,
        s=s,
        batch=batch,
        run=run,
        h=h,
        chunk_parts=chunk_parts,
        values=np.empty((count, encoded.value_count, encoded.rows.size + 16), np.int32),
        states=np.empty((count, encoded.value_count, encoded.rows.size + 16), np.int32) if states else None,
        short_rows=cpu_sizes.most_16bit_rows(scoring.score_bounds, scoring.gap_pieces, s) if short else 0,
    )
    with run.phase("phase 1") as phase:
        cpu_strips.compute_strips(strips, phase)
    return strips


def assert_same(problem: PairProblem, s: int, batch: int, h: int) -> None:
    """Best cell, corner, boundary columns and chunk rows of 16 bits are those of 32."""
    wide, short = (sweep(problem, s, batch, is_short, h) for is_short in (False, True))
    assert short.short is not None
    assert cpu_strips.find_best_cell(short)[:2] == cpu_strips.find_best_cell(wide)[:2]
    m, n = wide.pair.rows.size, wide.pair.columns.size
    last = wide.strip_count - (n % s > 0)  # columns beyond the end have other values, which nobody reads
    np.testing.assert_array_equal(short.values[:last, :, 1 : m + 1], wide.values[:last, :, 1 : m + 1])
    for row in range(h, m, h):
        np.testing.assert_array_equal(short.kept_row(row, 0, n), wide.kept_row(row, 0, n))


def assert_same_states(problem: PairProblem, s: int, batch: int, h: int, parts: int) -> None:
    """Values and start states of 16 bits are those of 32: on boundaries, of the best cell, below chunks."""
    wide, short = (sweep(problem, s, batch, is_short, h, True, parts) for is_short in (False, True))
    assert short.short is not None and wide.states is not None and short.states is not None
    assert cpu_strips.find_best_cell(short) == cpu_strips.find_best_cell(wide)
    m, n = wide.pair.rows.size, wide.pair.columns.size
    last = wide.strip_count - (n % s > 0)
    for found, expected in ((short.values, wide.values), (short.states, wide.states)):
        np.testing.assert_array_equal(found[:last, :, 1 : m + 1], expected[:last, :, 1 : m + 1])
    np.testing.assert_array_equal(short.bottoms[:last], wide.bottoms[:last])
    np.testing.assert_array_equal(short.bottoms[last:, :, :, : n % s], wide.bottoms[last:, :, :, : n % s])


def letters(random: np.random.Generator, alphabet: str, length: int) -> str:
    return "".join(random.choice(list(alphabet), length))


def related(random: np.random.Generator, alphabet: str, m: int, n: int) -> tuple[str, str]:
    """Two sequences that share a piece, so that scores are high, with gaps inside."""
    first = letters(random, alphabet, m)
    cut = int(random.integers(0, m + 1))
    second = first[:cut] + letters(random, alphabet, int(random.integers(0, 9))) + first[cut + 2 :]
    return first, (second + letters(random, alphabet, n))[:n]


FEWER = try_examples(50)
"""For each scoring: lengths on both sides of a border, of which each draw has two, come up many times in so many."""


@pytest.mark.parametrize("name", SCORINGS)
@FEWER
@given(
    m=st.sampled_from(LENGTHS) | st.integers(1, 150),
    n=st.sampled_from(LENGTHS) | st.integers(1, 150),
    s=st.sampled_from([32, 64]),
    batch=st.sampled_from([8, 32, 64]),
    mode=st.sampled_from(Mode),
    seed=st.integers(0, 99),
)
def test_every_value_is_that_of_32_bits(name: str, m: int, n: int, s: int, batch: int, mode: Mode, seed: int) -> None:
    random = np.random.default_rng(seed)
    problem = pair(*related(random, "ACGTN"[: 4 + seed % 2], m, n), SCORINGS[name], mode)
    assert_same(problem, s, batch, h=32)


@pytest.mark.parametrize("name", SCORINGS)
@FEWER
@given(
    m=st.sampled_from(LENGTHS) | st.integers(1, 150),
    n=st.sampled_from(LENGTHS) | st.integers(1, 150),
    s=st.sampled_from([32, 64]),
    batch=st.sampled_from([8, 32, 64]),
    parts=st.sampled_from([2, 4]),
    mode=st.sampled_from(Mode),
    seed=st.integers(0, 99),
)
def test_every_start_state_is_that_of_32_bits(
    name: str, m: int, n: int, s: int, batch: int, parts: int, mode: Mode, seed: int
) -> None:
    random = np.random.default_rng(seed)
    problem = pair(*related(random, "ACGTN"[: 4 + seed % 2], m, n), SCORINGS[name], mode)
    assert_same_states(problem, s, batch, 32, parts)


@given(m=st.integers(1, 100), n=st.integers(1, 100), mode=st.sampled_from(Mode), seed=st.integers(0, 99))
def test_start_states_of_letters_that_fill_more_than_a_register(m: int, n: int, mode: Mode, seed: int) -> None:
    random = np.random.default_rng(seed)
    problem = pair(*related(random, "ARNDCQEGHILKMFPSTWYV", m, n), PROTEIN, mode)
    assert_same_states(problem, 64, 32, 48, 4)


@given(m=st.integers(1, 100), n=st.integers(1, 100), mode=st.sampled_from(Mode), seed=st.integers(0, 99))
def test_letters_that_fill_more_than_a_register(m: int, n: int, mode: Mode, seed: int) -> None:
    random = np.random.default_rng(seed)
    problem = pair(*related(random, "ARNDCQEGHILKMFPSTWYV", m, n), PROTEIN, mode)
    assert_same(problem, 64, 32, h=48)


@pytest.mark.parametrize("mode", Mode)
def test_values_far_beyond_16_bits(mode: Mode) -> None:
    """A score of 127 a letter, over 3,000 letters: some 380,000, in the strips' order and against it."""
    random = np.random.default_rng(1)
    high = Scoring(match_mismatch(120, -90), 60, 5)
    first = letters(random, "ACGT", 3000)
    for second in (first, first[:1000] + first[1400:], first[1500:] + first[:1500]):
        assert_same(pair(first, second, high, mode), 64, 512, h=512)
        assert_same_states(pair(first, second, high, mode), 64, 512, 512, 4)


@cache
def edge_of_the_range(s: int) -> Scoring:
    """The greatest match score that is computed in 16 bits in strips of s columns, with gaps of one less."""
    for match in range(2**12, 0, -1):
        scoring = Scoring(match_mismatch(match, -match), match, 1)
        if cpu_sizes.most_16bit_rows(scoring.score_bounds, scoring.gap_pieces, s):
            return scoring
    raise AssertionError(f"no score fits in strips of {s} columns")


@pytest.mark.parametrize("s", [32, 256])
@pytest.mark.parametrize("mode", Mode)
def test_at_the_edge_of_the_range(s: int, mode: Mode) -> None:
    """Equal letters climb as fast as they can, then fall as fast, across strips and tiles."""
    scoring = edge_of_the_range(s)
    up, down = "A" * (3 * s), "C" * (2 * s)
    for first, second in ((up, up), (up + down, up + "G" * (2 * s)), (down + up, up), (up + down + up, up + up)):
        assert_same(pair(first, second, scoring, mode), s, 2048, h=s)


@pytest.mark.parametrize("s", [32, 1024])
def test_a_larger_score_takes_32_bits(s: int) -> None:
    match = -edge_of_the_range(s).scores.min() + 1
    scoring = Scoring(match_mismatch(int(match), -int(match)), int(match), 1)
    assert cpu_sizes.most_16bit_rows(scoring.score_bounds, scoring.gap_pieces, s) == 0
    problem = pair("ACGT" * 30, "ACGA" * 30, scoring)
    chosen = StripedScoreParameters(s=s, T=32, threads=1, precision="16", pruning="off")
    assert cpu_sizes.chosen_16bit_rows(problem, chosen) == 0
    found = registry.find_method("striped-score").load_backend("cpu")(problem, chosen, Monitor(), StepLog())
    assert found.answer.score == oracle.best_alignment(problem).score


def test_precision_is_chosen_by_the_scores() -> None:
    def chosen(scoring: Scoring, **given: Any) -> Any:
        problem = pair("ACGT" * 900, "ACGA" * 900, scoring)
        return engine.plan_run(registry.find_method("striped-score"), problem, given, "cpu").parameters.precision

    assert chosen(DNA) == "16"
    assert chosen(DNA, precision="32") == "32"
    assert chosen(Scoring(match_mismatch(3000, -3000), 5000, 2000)) == "32"


def test_what_computes_a_pair() -> None:
    for alphabet, scoring, expected in (("ACGT", DNA, "table"), ("ARNDCQEGH", PROTEIN, "profile")):
        problem = pair(alphabet, alphabet, scoring)
        assert kernel_variant(encode_pair(problem), 64) == expected
        assert kernel_variant(encode_pair(problem), 0) == "int8"


METHODS = ("striped-score", "striped-alignment", "chunked-alignment-1", "chunked-alignment-2", "checkpointed-alignment")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", Mode)
def test_both_precisions_give_the_answer_of_the_oracle(method: str, mode: Mode) -> None:
    random = np.random.default_rng(5)
    problem = pair(*related(random, "ACGTN", 170, 201), DNA, mode)
    expected = oracle.best_alignment(problem)
    for precision in ("32", "16"):
        parameters = {"s": 32, "T": 32, "threads": 2, "precision": precision, "tile": 64, "checkpoint_memory": 1}
        found = run_on_cpu(registry.find_method(method), problem, {**parameters, "h": 64}).answer
        assert (found.score, found.end) == (expected.score, expected.end)
        if found.alignment is not None:
            np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)
