"""Batches of both strands and with gap costs of two pieces: each pair has the answer of the textbook."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.errors import BackendUnavailable, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.batch import METHODS, PAIR_BATCH
from antidiag.kernels.pairwise.batch.model import ALL, PAIRINGS, QUERIES, BatchProblem
from antidiag.kernels.pairwise.batch.trials import TRIALS, align_by_textbook, make_batch
from antidiag.kernels.pairwise.trials import TWO_PIECE_COSTS
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode, Scoring, Strand, match_mismatch
from antidiag.kernels.scoring_options import TWO_PIECES

ALIGNMENT, SCORE = METHODS
BASES = match_mismatch(2, -3, nucleotides=True)
ONE_END = FreeEnds(first_start=True, second_end=True)


def _draw_letters(seed: int, count: int = 6) -> list[str]:
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list("ACGTN"), random.integers(1, 40))) for _ in range(count)]


def _make_batch(letters: list[str], costs: tuple[int, ...], mode: Mode, pairing: str, strand: Strand) -> BatchProblem:
    """Return a batch whose sequences are DNA and RNA in turn."""
    kinds = SequenceType.DNA, SequenceType.RNA
    sequences = tuple(
        Sequence(f"s{number}", text.replace("T", "TU"[number % 2]).encode(), kinds[number % 2])
        for number, text in enumerate(letters)
    )
    ends = ONE_END if mode is Mode.CUSTOM else NO_FREE_ENDS
    return BatchProblem(sequences, Scoring(BASES, *costs), mode, ends, pairing, 2, "", strand)


def _check(run, problem: BatchProblem) -> None:
    for method in METHODS:
        found = run(method, problem).answer
        TRIALS.assert_same_answer(problem, found, align_by_textbook(problem), method)
        found.check(problem)


def _run_on_cpu(method, problem):
    return engine.execute(engine.plan_run(method, problem, {"threads": 2}, "cpu"), keep_rate=False)


@pytest.mark.parametrize(("mode", "strand"), list(product(Mode, Strand)), ids=str)
def test_every_mode_and_strand_is_that_of_the_textbook(mode, strand):
    for seed, (pairing, costs) in enumerate(zip(PAIRINGS, ((5, 2), *TWO_PIECE_COSTS[:2]), strict=True)):
        _check(_run_on_cpu, _make_batch(_draw_letters(seed), costs, mode, pairing, strand))


@pytest.mark.parametrize("costs", TWO_PIECE_COSTS[2:])
def test_ties_of_two_pieces_fall_as_in_the_textbook(costs):
    letters = ["AAAACCCCAAAA", "AAAAAAAA", "AACCAACCAACCAACC", "AAAA", "ACAC", "CCCCCCCCAAAAACCCCCCCC"]
    for mode in (Mode.GLOBAL, Mode.LOCAL, Mode.OVERLAP):
        _check(_run_on_cpu, _make_batch(letters, costs, mode, ALL, Strand.FORWARD))


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.CUSTOM])
def test_both_strands_on_the_emulated_gpu(emulated, mode):
    _check(emulated, _make_batch(_draw_letters(9), (5, 2), mode, QUERIES, Strand.BOTH))


@pytest.mark.slow
def test_large_pairs_take_the_better_strand(monkeypatch):
    monkeypatch.setattr("antidiag.kernels.pairwise.batch.sizes.SMALL_CELLS", 100)
    _check(_run_on_cpu, _make_batch(_draw_letters(4), (5, 2), Mode.GLOBAL, ALL, Strand.BOTH))


def test_a_gpu_refuses_two_pieces_and_says_where_they_are_computed():
    problem = make_batch(["ACGT", "ACGT"], Scoring(BASES, 4, 2, 24, 1), kind=SequenceType.DNA)
    with pytest.raises(BackendUnavailable, match="two pieces are computed on the CPU only; choose the backend cpu"):
        engine.plan_run(ALIGNMENT, problem, {}, "cuda")
    assert engine.plan_run(ALIGNMENT, problem).backend == "cpu"


def test_presets_and_strands_are_options():
    sequences = list(make_batch(["ACGTACGT", "ACGTCGT"], kind=SequenceType.DNA).sequences)
    problem = PAIR_BATCH.make_problem(sequences, {"preset": "map-ont", "strand": "both"})
    assert problem.scoring.has_two_pieces and problem.strand is Strand.BOTH and problem.cells == 2 * 8 * 7
    values = PAIR_BATCH.option_values(problem)
    assert (values["preset"], values["gap_model"], values["strand"]) == ("map-ont", TWO_PIECES, "both")
    proteins = [replace(one, type=SequenceType.PROTEIN) for one in sequences]
    with pytest.raises(ParameterError, match="strand both needs nucleotides, and s0 and s1 are protein"):
        PAIR_BATCH.make_problem(proteins, {"strand": "both"})
