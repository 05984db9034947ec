"""Alignments of profiles beside judges of their own: the pairwise methods, scores without rounding, exact roots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import reference as pairwise
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.profiles import PROFILE_SEQUENCE, PROFILES, options, reference, sizes
from antidiag.kernels.profiles.column_scores.scoring import (
    BACKGROUND,
    LINEAR,
    LOGARITHM,
    ROOT,
    ColumnScore,
    ColumnScoring,
    ProfileGaps,
    ProfileSpan,
    letter_scores,
    score_pairs,
)
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem, score_path
from antidiag.kernels.profiles.profile import PROTEIN, generate_profile, profile_from_alignment, profile_from_sequence
from antidiag.kernels.profiles.wavefront import many_alignments
from antidiag.kernels.profiles.whole_table import cpu_blocks, cpu_cells
from antidiag.kernels.scoring import Mode, Scoring, named_matrix
from tests.kernels.profiles.test_profiles import aligned

BLOSUM = named_matrix("BLOSUM62")
AFFINE = ColumnScoring(ColumnScore.SUM_OF_PAIRS, ProfileGaps.AFFINE, BLOSUM, 10, 1)


def protein(letters: str, name: str = "s") -> Sequence:
    return Sequence(name, letters.encode(), SequenceType.PROTEIN)


def random_letters(length: int, seed: int) -> str:
    return "".join(np.random.default_rng(seed).choice(list(PROTEIN[:-1]), length))


@pytest.mark.parametrize(("span", "mode"), [(ProfileSpan.GLOBAL, Mode.GLOBAL), (ProfileSpan.LOCAL, Mode.LOCAL)])
@pytest.mark.parametrize("seed", range(4))
def test_profiles_of_one_sequence_give_the_pairwise_alignment(span: ProfileSpan, mode: Mode, seed: int) -> None:
    letters = random_letters(60, seed)
    other = letters[:20] + letters[30:50] + random_letters(8, seed + 10)
    pair = PairProblem(protein(letters, "a"), protein(other, "b"), Scoring(BLOSUM, 10, 1), mode)
    best = pairwise.align_pair(pair)
    for one, two in ((letters, other), (other, letters)):
        problem = ProfileProblem(profile_from_sequence(protein(one)), profile_from_sequence(protein(two)), AFFINE, span)
        for found in (
            reference.align_profiles(problem),
            by("profile-wavefront", problem),
            by("profile-serial", problem),
        ):
            assert AFFINE.unscale_score(found.score) == best.score
            places = (found.start, found.end) if one == letters else (found.start[::-1], found.end[::-1])
            assert places == (best.alignment.start, best.alignment.end)
            if one == letters:  # the rule of ties is the same; exchanged, a gap of one is a gap of the other
                np.testing.assert_array_equal(found.operations, best.alignment.operations)


def test_scores_are_near_those_without_rounding() -> None:
    random = np.random.default_rng(1)
    first, second = generate_profile(80, random), generate_profile(70, random)
    i, j = np.indices((80, 70)).reshape(2, -1)
    p, q = first.frequencies[:, i], second.frequencies[:, j]
    letters = letter_scores(PROTEIN, BLOSUM, -4)
    nats = ColumnScoring(ColumnScore.PSSM, ProfileGaps.AFFINE).nats
    exact = {
        ColumnScore.EUCLIDEAN: (-np.sqrt(((p - q) ** 2).sum(axis=0)), 0.003),
        ColumnScore.SUM_OF_PAIRS: (np.einsum("ax,ab,bx->x", p, letters, q, optimize=True), 0.02),
        ColumnScore.LOG_AVERAGE: (
            np.log(np.einsum("ax,ab,bx->x", p, np.exp(nats * letters), q, optimize=True)) / nats,
            0.1,
        ),
        ColumnScore.PSSM: (np.einsum("ax,ax->x", log_odds(first.frequencies, nats, -4)[:, i], q), 0.02),
    }
    assert set(exact) == set(ColumnScore)
    for kind, (expected, within) in exact.items():
        scoring = ColumnScoring(kind, ProfileGaps.COLUMN, BLOSUM, blank=-4)
        made = ProfileProblem(first, second, scoring).encoded
        assert np.abs(score_pairs(made, i, j) / scoring.units - expected).max() < within, kind


def robinson() -> dict[str, float]:
    """Frequencies of amino acids in nature, for judges that take nothing else from the program."""
    found = dict(zip(PROTEIN, BACKGROUND[PROTEIN], strict=False))
    return {letter: share / sum(found.values()) for letter, share in found.items()}


def log_odds(frequencies: np.ndarray, nats: float, blank: float) -> np.ndarray:
    """A position-specific matrix of whole columns, symbol by symbol; odds below 1/256 count as 1/256."""
    found = np.empty(frequencies.shape)
    share = 1 - frequencies[-1]
    for symbol, nature in enumerate(robinson().values()):
        odds = np.maximum(frequencies[symbol] / share / nature, 1 / 256)
        found[symbol] = share * np.log(odds) / nats + (1 - share) * blank
    found[-1] = share * blank
    return found


def test_a_position_specific_score_of_a_letter_is_the_entry_of_the_matrix() -> None:
    """Ten rows and a pseudo-count of 1: the letters of the sequence are not mixed with the background."""
    first = profile_from_alignment(aligned(*["WA"] * 10, kind=SequenceType.PROTEIN))
    nature, nats = robinson(), float(np.log(2) / 2)
    entry = [np.log((10 + nature[letter]) / 11 / nature[letter]) / nats for letter in "WA"]
    found = np.array([12.19, 7.11])
    np.testing.assert_allclose(entry, found, atol=0.005)
    made = PROFILE_SEQUENCE.make_problem([first, protein("WA")], {"column_score": "pssm", "gaps": "affine"}).encoded
    np.testing.assert_allclose(score_pairs(made, np.arange(2), np.arange(2)) / 256, entry, atol=0.02)


def test_position_specific_gaps_cost_little_opposite_blanks() -> None:
    """Nine blanks of ten rows: a tenth of the cost of a full column, as in sums of pairs; letters score the rest."""
    first = profile_from_alignment(aligned("WA-", *["W--"] * 9, kind=SequenceType.PROTEIN))
    chosen = {"column_score": "pssm", "gaps": "column", "blank": -4.0, "pseudocounts": 0.0}
    problem = PROFILE_SEQUENCE.make_problem([first, protein("A")], chosen)
    made, pairs = (
        problem.encoded,
        PROFILE_SEQUENCE.make_problem([first, protein("A")], {**chosen, "column_score": "sum-of-pairs"}),
    )
    np.testing.assert_allclose(made.row_extend / 256, [4, 0.4, 0], atol=0.005)
    np.testing.assert_allclose(made.row_extend, pairs.encoded.row_extend, atol=1)
    entry = np.log(1 / robinson()["A"]) / problem.scoring.nats
    found = score_pairs(made, np.array([1, 2]), np.zeros(2, int)) / 256
    np.testing.assert_allclose(found, [0.1 * entry - 0.9 * 4, -4], atol=0.02)


@njit
def finish_single_score(kind, shift, factor, origin, table, value, bias):
    """Return the score of one product."""
    return cpu_cells.finish_score(kind, shift, factor, origin, table, np.int32(value), np.int32(bias))


def test_roots_and_logarithms_of_compiled_code_are_exact() -> None:
    """All whole numbers that a distance or a product may be, around every border of rounding."""
    table = ProfileProblem(*(generate_profile(2, np.random.default_rng(seed)) for seed in (1, 2)), AFFINE).encoded.table
    roots = np.arange(2897, dtype=np.int64)
    squares = np.unique(np.concatenate([roots**2 + roots + offset for offset in (-1, 0, 1, 2)] + [roots**2]))
    squares = squares[(squares >= 0) & (squares <= 2 * 2048**2)]
    found = np.array([finish_single_score(ROOT, 0, 0, 0, table, 0, int(square)) for square in squares])
    nearest = np.rint(np.sqrt(squares.astype(np.longdouble))).astype(np.int64)
    np.testing.assert_array_equal(-found, nearest)
    values = np.unique(
        np.concatenate([2 ** np.arange(25) + offset for offset in (-1, 0, 1)] + [np.arange(1, 2**24, 99_991)])
    )
    values = values[values <= 2**24]
    found = np.array([finish_single_score(LOGARITHM, 0, 1 << 14, 0, table, int(value), 0) for value in values])
    assert np.abs(found / 2**14 - np.log2(np.maximum(values, 1))).max() < 2**-13
    assert finish_single_score(LINEAR, 3, 0, 0, table, -12, 0) == -1


def test_position_specific_gaps_go_where_gaps_are() -> None:
    first = profile_from_alignment(aligned("ACDE-FGH", "ACDE-FGH", "ACDEWFGH", kind=SequenceType.PROTEIN))
    second = profile_from_alignment(aligned("ACDEFGH", kind=SequenceType.PROTEIN))
    scoring = replace(AFFINE, gaps=ProfileGaps.POSITION)
    found = reference.align_profiles(ProfileProblem(first, second, scoring))
    assert found.operations.tolist() == [0, 0, 0, 0, 1, 0, 0, 0]
    made = ProfileProblem(first, second, scoring).encoded
    assert made.row_extend.tolist() == [256] * 4 + [85] + [256] * 3
    factors = replace(first, open_factors=np.full(8, 0.5), extend_factors=np.arange(8.0))
    made = ProfileProblem(factors, second, scoring).encoded
    assert made.row_open.tolist() == [1280] * 8 and made.row_extend.tolist() == [256 * k for k in range(8)]


def test_merged_rows_are_both_alignments() -> None:
    problem = PROFILES.make_problem(
        [profile_from_alignment(aligned("ACGT", "A-GT")), profile_from_alignment(aligned("AGT"))], {}
    )
    answer = reference.align_profiles(problem)
    assert [row for _, row in answer.merge_rows(problem)] == ["ACGT", "A-GT", "A-GT"]
    answer.check(problem)
    with pytest.raises(AssertionError, match="the result says"):
        replace(answer, score=answer.score + 1).check(problem)
    with pytest.raises(AssertionError, match="the path leads"):
        replace(answer, operations=answer.operations[:-1]).check(problem)


def test_stars_stand_where_most_rows_of_both_hold_a_letter() -> None:
    first = profile_from_alignment(aligned("AACA", *["A-C-"] * 9))
    half = profile_from_alignment(aligned("AC", "AT"))
    for one, second, stars in ((first, "AACA", "* * "), (half, "AC", "* ")):
        problem = PROFILES.make_problem([one, profile_from_alignment(aligned(second))], {})
        result = engine.execute(
            engine.plan_run(registry.find_method("profile-serial"), problem, {}, "cpu"), keep_rate=False
        )
        assert result.answer.operations.tolist() == [0] * len(second)
        assert options.mark_conserved_columns(result) == stars


def test_free_gaps_cost_nothing_but_inner_ones_do() -> None:
    first, second = (profile_from_sequence(protein(letters)) for letters in ("WWACDEFGHWWW", "ACDFGH"))
    problem = ProfileProblem(first, second, AFFINE, ProfileSpan.SEMI_GLOBAL)
    path = np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1], np.uint8)
    made = ProfileAnswer(0, (0, 0), (12, 6), path)
    inner = sum(int(BLOSUM.values[BLOSUM.letters.index(x), BLOSUM.letters.index(x)]) for x in "ACDFGH")
    assert AFFINE.unscale_score(score_path(problem, made)) == inner - 11
    assert AFFINE.unscale_score(reference.align_profiles(problem).score) == inner - 11


def by(method: str, problem: ProfileProblem, parameters: dict[str, int] | None = None) -> ProfileAnswer:
    """The answer of a method of the registry, on the CPU."""
    plan = engine.plan_run(registry.find_method(method), problem, parameters or {}, "cpu")
    return engine.execute(plan, keep_rate=False).answer


@pytest.mark.parametrize("kind", [ColumnScore.EUCLIDEAN, ColumnScore.SUM_OF_PAIRS])
def test_an_offset_beyond_the_whole_numbers_of_float32_is_added_exactly(kind: ColumnScore) -> None:
    random = np.random.default_rng(4)
    first, second = generate_profile(3, random), generate_profile(3, random)
    scoring = ColumnScoring(kind, ProfileGaps.AFFINE, BLOSUM, 1, 1)
    for units in (2**24 + 1, 2**24 + 2):
        problem = ProfileProblem(first, second, replace(scoring, offset=units / scoring.units))
        expected = reference.align_profiles(problem)
        for method in ("profile-wavefront", "profile-serial"):
            assert by(method, problem).score == expected.score, method


def test_many_pairs_at_once_are_each_by_itself() -> None:
    random = np.random.default_rng(5)
    pairs = [
        (generate_profile(m, random), generate_profile(n, random)) for m, n in ((1, 1), (700, 30), (33, 600), (80, 81))
    ]
    for span in ProfileSpan:
        found = many_alignments.align_profile_pairs(pairs, AFFINE, span, threads=2)
        wavefront = registry.find_method("profile-wavefront")
        for pair, answer in zip(pairs, found, strict=True):
            problem = ProfileProblem(*pair, AFFINE, span)
            answer.check(problem)
            other = engine.execute(
                engine.plan_run(wavefront, problem, {"s": 64, "T": 16}, "cpu"), keep_rate=False
            ).answer
            assert (other.score, other.start, other.end) == (answer.score, answer.start, answer.end)
            np.testing.assert_array_equal(other.operations, answer.operations)
    assert many_alignments.align_profile_pairs([], AFFINE) == []


def test_options_build_the_same_problem_again() -> None:
    pair = [profile_from_alignment(aligned("ACGT", "A-GT")), profile_from_alignment(aligned("AGT"))]
    for chosen in (
        {},
        {"column_score": "sum-of-pairs", "gaps": "affine", "span": "local", "match": 3, "mismatch": -2},
        {"column_score": "log-average", "matrix": "NUC.4.4", "gaps": "position", "gap_open": 3.0, "gap_extend": 0.5},
        {"column_score": "pssm", "span": "semi-global"},
        {"offset": 0.7, "span": "local"},
    ):
        problem = PROFILES.make_problem(pair, chosen)
        assert PROFILES.make_problem(pair, PROFILES.option_values(problem)) == problem


def test_what_cannot_be_aligned_is_refused() -> None:
    dna, amino = profile_from_alignment(aligned("ACGT")), profile_from_sequence(protein("ACDE"))
    with pytest.raises(InputError, match="one sequence type"):
        PROFILES.make_problem([dna, amino], {})
    assert "The types differ" in PROFILE_SEQUENCE.make_problem([dna, protein("ACDE")], {}).notes[0]
    gaps = profile_from_alignment(aligned("---", "---"))  # which no letter tells to be of proteins or of nucleotides
    for kind, data in ((PROFILES, [gaps, amino]), (PROFILES, [amino, gaps]), (PROFILE_SEQUENCE, [gaps, protein("AC")])):
        with pytest.raises(InputError, match="alignment: no column has a letter"):
            kind.make_problem(data, {})
    with pytest.raises(ParameterError, match="set offset"):
        PROFILES.make_problem([dna, dna], {"span": "local"})
    with pytest.raises(ScoreOverflow, match="beyond the limit"):
        PROFILES.make_problem([dna, dna], {"gaps": "affine", "gap_extend": 1e5})
    other = profile_from_alignment(aligned("HPHP"), alphabet="HP-")
    with pytest.raises(InputError, match="the matrix has no scores of"):
        PROFILES.make_problem([other, other], {"column_score": "sum-of-pairs", "matrix": "NUC.4.4"})


@pytest.mark.parametrize(("method", "wide"), [("profseq-matvecprod-v1", False), ("profseq-matprod-v1", True)])
def test_v_is_filled_by_columns_where_the_thesis_has_products_with_a_vector(
    monkeypatch: pytest.MonkeyPatch, method: str, wide: bool
) -> None:
    """Algorithm 4.3, lines 4 to 6: n products of the profile and a vector; algorithm 4.4: one product of matrices."""
    seen, finish = [], cpu_blocks.finish_vertical

    def watched(pair, down, first, last, left, right, vertical) -> None:
        seen.append((left, right))
        assert down.size == (last - first) * (right - left)
        finish(pair, down, first, last, left, right, vertical)

    problem = PROFILE_SEQUENCE.make_problem([generate_profile(9, np.random.default_rng(1)), protein("ACDEFW")], {})
    expected = reference.align_profiles(problem)
    by(method, problem)  # compiled, so that none but this run is watched
    monkeypatch.setattr(cpu_blocks, "finish_vertical", watched)
    found = by(method, problem)
    assert found.score == expected.score
    assert set(seen) == ({(0, 6)} if wide else {(column, column + 1) for column in range(6)})


def test_all_scores_of_a_sequence_are_one_product() -> None:
    """Algorithm 4.6 knows no blocks."""
    assert not registry.find_method("profseq-matprod-v2").parameters.names()


def test_matrices_beyond_the_limit_are_refused() -> None:
    first = generate_profile(300, np.random.default_rng(1))
    problem = PROFILE_SEQUENCE.make_problem([first, protein(random_letters(300, 1))], {})
    method = registry.find_method("profseq-matprod-v1")
    with pytest.raises(ParameterError, match=r"limit=1 MiB: H, V and D of 300 x 300 columns take 1\.0 MiB"):
        engine.plan_run(method, problem, {"limit": 1}, "cpu")
    assert engine.plan_run(method, problem, {"limit": 2}, "cpu").refusal is None


def test_a_run_on_a_gpu_says_how_wide_its_strips_are() -> None:
    """What is drawn of a run goes by its parameters."""
    first = generate_profile(sizes.NARROW + 1, np.random.default_rng(1))
    problem = PROFILES.make_problem([first, first], {})
    method = registry.find_method("profile-wavefront")
    assert (
        method.choose_parameters(PROFILES.make_problem([first, first.slice_columns(0, 30)], {}), "cpu", None)["s"]
        == sizes.NARROW_STRIP
    )
    widths = {backend: method.choose_parameters(problem, backend, 132)["s"] for backend in method.backends}
    assert widths == {"cpu": sizes.STRIP_WIDTH, "cuda": sizes.GPU_STRIP}
    chosen = {
        backend: method.parameters.resolve({}, method.choose_parameters(problem, backend, 132))
        for backend in method.backends
    }
    assert {backend: method.picture.table_cuts(values).strip for backend, values in chosen.items()} == {
        "cpu": 512,
        "cuda": 128,
    }


def test_speeds_are_foretold_for_the_backends_that_a_method_has() -> None:
    for method in registry.METHODS:
        if method.family == "profiles":
            assert method.cost.nominal_gcups.keys() == method.backends.keys(), method.id
