"""Gap costs of two pieces: every alignment there is, Biopython's gap functions, 16 bits, and the device code."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import pairwise
from antidiag.kernels.errors import ParameterError, ScoreOverflow
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem, rescore_path
from antidiag.kernels.pairwise.pictures import matrix_view
from antidiag.kernels.pairwise.problem import build_pair, option_values, setting_rows
from antidiag.kernels.pairwise.strips import cpu_sizes
from antidiag.kernels.pairwise.trials import TRIALS, TWO_PIECE_COSTS
from antidiag.kernels.scoring import FreeEnds, Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.serialization import decode, digest_value, encode
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples
from tests.problems import LAMBDOIDS, MITOCHONDRIA, SAMPLES, assert_same_path, matrices, pair, pairs, sequence

MAP_ONT = Scoring(match_mismatch(2, -4, "N", True), 4, 2, 24, 1)
ASM5 = Scoring(match_mismatch(1, -19, "N", True), 39, 3, 81, 1)
ASM20 = Scoring(match_mismatch(1, -4, "N", True), 6, 2, 26, 1)
"""Preset scorings of minimap2 2.26 (its manual, options -A, -B, -O and -E)."""
METHODS = {method.id: method for method in pairwise.METHODS}
SMALL = {"s": 32, "T": 8, "threads": 2, "h": 32, "tile": 64, "checkpoint_memory": 1}


def run_method(method: Method, problem: PairProblem, **chosen: object) -> PairAnswer:
    values = {name: value for name, value in {**SMALL, **chosen}.items() if name in method.parameters.names()}
    automatic = method.choose_parameters(problem, "cpu", None)
    parameters = method.parameters.resolve(values, automatic)
    return method.load_backend("cpu")(problem, parameters, Monitor(), StepLog()).answer


def with_costs(problem: PairProblem, costs: tuple[float, ...]) -> PairProblem:
    return replace(problem, scoring=Scoring(problem.scoring.matrix, *costs))


@st.composite
def two_piece_pairs(draw: st.DrawFn, longest: int = 130) -> PairProblem:
    return with_costs(draw(pairs(longest)), draw(st.sampled_from(TWO_PIECE_COSTS)))


@try_examples(150, deadline=None)
@given(st.data())
def test_no_alignment_scores_more(data: st.DataObject) -> None:
    letters, mode = st.text("ABC", min_size=1, max_size=5), data.draw(st.sampled_from(Mode))
    scoring = Scoring(data.draw(matrices()), *data.draw(st.sampled_from(((2, 3, 5, 0), (0, 5, 1, 4), (1, 2, 2, 1)))))
    problem = pair(data.draw(letters), data.draw(letters), scoring, mode)
    if mode is Mode.CUSTOM:
        problem = replace(problem, chosen_ends=FreeEnds(*(data.draw(st.booleans()) for _ in range(4))))
    best = oracle.exhaustive_score(problem)
    assert (reference.align_pair(problem).score, oracle.best_alignment(problem).score) == (best, best)


@try_examples(80, deadline=None)
@given(two_piece_pairs(60))
def test_gaps_of_any_length_give_the_same_alignment(problem: PairProblem) -> None:
    """The oracle has no gap states: where several gaps give H, the shortest one counts."""
    found, expected = reference.align_pair(problem), oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert_same_path(found, expected)
    assert rescore_path(problem, found.alignment) == found.score


@pytest.mark.parametrize("method", pairwise.METHODS, ids=lambda method: method.id)
@try_examples(30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_method_returns_the_textbooks_alignment(method: Method, data: st.DataObject) -> None:
    problem, precision = data.draw(two_piece_pairs()), data.draw(st.sampled_from(("32", "16")))
    recompute = data.draw(st.sampled_from(("start-point", "first-row")))
    found, expected = (
        run_method(method, problem, precision=precision, recompute=recompute),
        reference.align_pair(problem),
    )
    assert (found.score, found.end) == (expected.score, expected.end)
    if "alignment" in method.returns:
        assert_same_path(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("method", pairwise.METHODS, ids=lambda method: method.id)
@try_examples(15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_device_code_returns_it_too(emulated, method: Method, data: st.DataObject) -> None:
    problem = data.draw(two_piece_pairs())
    wide = bool(np.abs(problem.scoring.scores).max() > 127)
    chosen = TRIALS.draw_parameters(method, "cuda", HypothesisChooser(data.draw))
    if "T" in method.parameters.names():
        chosen |= {"s": 32 if wide else 128, "T": 8 if len(problem.first) % 2 else 24}
        if chosen.get("mapping") != "published" and data.draw(st.booleans()):
            chosen |= {"precision": "16"}
    found, expected = emulated(method, problem, **chosen).answer, reference.align_pair(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    if "alignment" in method.returns:
        assert_same_path(found, expected)


def biopython_score(problem: PairProblem) -> float:
    """The score by gap functions, in cubic time: a gap's cost by its length, nothing at ends that are free."""
    scoring, free = problem.scoring, problem.free_ends
    m, n = len(problem.first), len(problem.second)
    matrix = substitution_matrices.Array(scoring.matrix.letters, dims=2)
    matrix[:, :] = scoring.matrix.values
    aligner = PairwiseAligner(mode="local" if problem.mode is Mode.LOCAL else "global", substitution_matrix=matrix)

    def gap_score(length: int) -> float:
        pieces = (scoring.gap_open, scoring.gap_extend), (scoring.gap_open2, scoring.gap_extend2)
        return -min(opening + extend * length for opening, extend in pieces)

    def insertion(place: int, length: int) -> float:
        is_free = (place == 0 and free.second_start) or (place == m and free.second_end)
        return 0.0 if is_free else gap_score(length)

    def deletion(place: int, length: int) -> float:
        return 0.0 if (place == 0 and free.first_start) or (place == n and free.first_end) else gap_score(length)

    aligner.insertion_score, aligner.deletion_score = insertion, deletion
    return aligner.score(*(one.letters.decode() for one in problem.sequences))


def slices(names: tuple[str, str], *pieces: slice) -> list[str]:
    return [
        next(iter(read_sequences(SAMPLES / name))).letters[piece].decode().upper()
        for name, piece in zip(names, pieces, strict=True)
    ]


REAL = [
    pytest.param(MITOCHONDRIA, (slice(100, 160), slice(90, 170)), id="mitochondria"),
    pytest.param(LAMBDOIDS, (slice(0, 60), slice(18_000, 18_080)), id="phages"),
]
"""Short: Biopython tries every length of a gap at every cell."""


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "scoring",
    [
        pytest.param(MAP_ONT, id="map-ont"),
        pytest.param(ASM5, id="asm5", marks=pytest.mark.slow),
        pytest.param(ASM20, id="asm20", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(("names", "pieces"), REAL)
def test_real_dna_scores_as_biopythons_gap_functions(names, pieces, scoring: Scoring, mode: Mode) -> None:
    first, second = slices(names, *pieces)
    second = second[:30] + second[60:] + first[5:35]  # long gaps, beyond the crossing of both pieces
    problem = pair(first, second, scoring, mode)
    if mode is Mode.CUSTOM:
        problem = replace(problem, chosen_ends=FreeEnds(first_start=True, second_end=True))
    found = run_method(METHODS["striped-alignment"], problem)
    assert found.score == biopython_score(problem) == run_method(METHODS["striped-score"], problem).score
    assert rescore_path(problem, found.alignment) == found.score


@pytest.mark.slow
def test_proteins_with_decimals_score_as_biopythons_gap_functions() -> None:
    random = np.random.default_rng(5)
    first, core = ("".join(random.choice(list("ACDEFGHIKLMNPQRSTVWY"), length)) for length in (30, 30))
    scoring = Scoring(named_matrix("BLOSUM62"), 10, 1, 20, 0.5)
    assert scoring.scale == 10
    problem = pair(first + core, core[:20] + first + core[20:], scoring, Mode.GLOBAL)
    found = run_method(METHODS["checkpointed-alignment"], problem)
    assert scoring.unscale_score(found.score) == pytest.approx(biopython_score(problem))


def test_a_long_gap_costs_the_second_piece_and_stays_whole() -> None:
    """What the second piece is for: by the first alone the gap would cost 804 and the alignment would end at it."""
    random = np.random.default_rng(3)
    left, inserted, right = ("".join(random.choice(list("ACGT"), length)) for length in (60, 400, 60))
    whole = pair(left * 5 + right * 5, left * 5 + inserted + right * 5, MAP_ONT)
    path = run_method(METHODS["chunked-alignment-2"], whole).alignment
    assert path is not None
    runs = [(kind, len(list(run))) for kind, run in itertools.groupby(path.operations.tolist())]
    assert [length for kind, length in runs if kind != 0] == [400]
    assert run_method(METHODS["striped-score"], whole).score == 2 * 600 - (24 + 400)


def test_of_gaps_that_cost_the_same_the_shorter_one_is_taken() -> None:
    """Length 4 costs 12 by both pieces; a shorter gap goes first where two gaps lead to the same score."""
    scoring = Scoring(match_mismatch(4, -4), 0, 3, 8, 1)
    found = reference.align_pair(pair("ACGTACGT", "ACGT", scoring, Mode.GLOBAL))
    assert found.score == 16 - 12 == oracle.best_alignment(pair("ACGTACGT", "ACGT", scoring, Mode.GLOBAL)).score
    assert found.alignment.operations.tolist() == [1] * 4 + [0] * 4


@try_examples(40, deadline=None)
@given(data=st.data())
def test_the_matrix_view_computes_the_textbooks_cells(data: st.DataObject) -> None:
    problem = data.draw(two_piece_pairs(90))
    scanned, expected = matrix_view.scan_matrix(problem, pixels=(40, 40)), reference.compute_matrices(problem)
    rows, columns = (0, len(problem.first) + 1), (0, len(problem.second) + 1)
    cells, textbooks = matrix_view.compute_cells(scanned, rows, columns), (expected.H, expected.E, expected.F)
    for found, textbook in zip(cells, textbooks, strict=True):
        reached = textbook > -(2**29)
        np.testing.assert_array_equal(found[reached], textbook[reached])


def test_16_bits_are_used_and_bounded_by_the_greater_costs() -> None:
    assert cpu_sizes.most_16bit_rows(MAP_ONT.score_bounds, MAP_ONT.gap_pieces, 256) > 0
    costly = Scoring(match_mismatch(2, -4), 4, 2, 16_000, 1)
    assert cpu_sizes.most_16bit_rows(costly.score_bounds, costly.gap_pieces, 256) == 0


@pytest.mark.parametrize("mode", [Mode.LOCAL, pytest.param(Mode.GLOBAL, marks=pytest.mark.slow)])
def test_values_climb_and_fall_to_the_edge_of_16_bits(mode: Mode) -> None:
    match = next(
        match
        for match in range(2**12, 0, -1)
        if cpu_sizes.most_16bit_rows((-match, match), ((match, 3), (2 * match, 1)), 64)
    )
    scoring, up, down = Scoring(match_mismatch(match, -match), match, 3, 2 * match, 1), "A" * 192, "C" * 128
    for first, second in ((up, up), (up + down, up + "G" * 128), (down + up, up), (up + down + up, up + up)):
        problem = pair(first, second, scoring, mode)
        for method in ("striped-score", "striped-alignment"):
            found = run_method(METHODS[method], problem, s=64, T=512, precision="16")
            expected = reference.align_pair(problem)
            assert (found.score, found.end) == (expected.score, expected.end)


# Costs, options, files


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ((4, 2, 24, 2), "gap_extend2 below gap_extend"),
        ((4, 2, 4, 1), "gap_open2 must be above gap_open"),
        ((4, 2, 24, None), "set gap_extend2"),
        ((4, 2, None, 1), "set gap_open2"),
        ((4, 2, -24, 1), "gap_open2 must be a cost of 0 or more"),
        ((4, 2, 24.00001, 1), "more than three decimals"),
    ],
)
def test_costs_that_make_no_sense_are_refused(costs: tuple, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Scoring(match_mismatch(2, -4), *costs)


def test_a_second_piece_beyond_32_bits_is_refused() -> None:
    with pytest.raises(ScoreOverflow):
        Scoring(match_mismatch(2, -4), 4, 2, 2**29, 1)
    with pytest.raises(ScoreOverflow):
        pair("ACGT", "ACGT", Scoring(match_mismatch(2, -4), 4, 2, 2**29 - 1, 1))


def test_problems_of_one_piece_keep_their_digest() -> None:
    """Of earlier versions: the digest of a problem that knows nothing of a second piece."""
    one = Scoring(match_mismatch(2, -4), 4, 2)
    assert digest_value(one) == digest_value(Scoring(match_mismatch(2, -4), 4, 2, None, None))
    assert digest_value(one) != digest_value(Scoring(match_mismatch(2, -4), 4, 2, 24, 1))


def test_a_stored_problem_opens_again() -> None:
    """Earlier versions wrote no second piece; what they wrote opens as gap costs of one piece."""
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    for scoring in (MAP_ONT, Scoring(match_mismatch(2, -4), 4, 2)):
        problem = pair("ACGT", "ACG", scoring, Mode.OVERLAP)
        written = json.loads(json.dumps(encode(problem, put)))
        assert ("gap_open2" in written["fields"]["scoring"]["fields"]) == scoring.has_two_pieces
        assert decode(written, arrays.__getitem__) == problem


def test_options_make_the_problem_and_come_back() -> None:
    sequences = [sequence("ACGTACGT", "a"), sequence("ACGT", "b")]
    default = build_pair(sequences, {"gap_model": "two-piece"})
    assert default.scoring.describe_gaps() == "the smaller of 5 + 2 k and 24 + 1 k"
    chosen = build_pair(sequences, {"match": 2, "mismatch": -4, "gap_open": 4, "gap_open2": 30})
    assert chosen.scoring.gap_pieces == ((4, 2), (30, 1))
    assert build_pair(sequences, option_values(chosen)) == chosen
    assert (
        "Scoring",
        f"{chosen.scoring.matrix.name}; a gap of length k costs the smaller of 4 + 2 k and 30 + 1 k",
    ) in (setting_rows(chosen))
    assert not build_pair(sequences, {}).scoring.has_two_pieces
    with pytest.raises(ParameterError, match="gap model affine does not use"):
        build_pair(sequences, {"gap_model": "affine", "gap_open2": 30})
