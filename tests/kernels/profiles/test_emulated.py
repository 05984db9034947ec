"""The device code of the family, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import reference, trials
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import NUCLEOTIDES, Profile, generate_profile, profile_from_frequencies
from antidiag.kernels.profiles.sizes import estimate_one_of_many
from antidiag.kernels.profiles.wavefront import many_alignments
from antidiag.kernels.scoring import match_mismatch, named_matrix
from tests.choosing import HypothesisChooser
from tests.emulator.emulation import order
from tests.example_counts import try_examples

SEEDS = st.sampled_from((0, 1, 2))
SUM = ColumnScoring(ColumnScore.SUM_OF_PAIRS, ProfileGaps.AFFINE, named_matrix("BLOSUM62"), 3, 1)
DISTANCE = ColumnScoring(ColumnScore.EUCLIDEAN, ProfileGaps.COLUMN, offset=0.4)
THESIS = [
    method
    for method in registry.METHODS
    if method.family == "profiles" and "cuda" in method.backends and method.id != "profile-wavefront"
]


def same(found: ProfileAnswer, expected: ProfileAnswer) -> None:
    assert (found.score, found.start, found.end) == (expected.score, expected.start, expected.end)
    np.testing.assert_array_equal(found.operations, expected.operations)


def on_cpu(problem: ProfileProblem) -> ProfileAnswer:
    return engine.execute(
        engine.plan_run(registry.find_method("profile-wavefront"), problem, {}, "cpu"), keep_rate=False
    ).answer


def pair(m: int, n: int, seed: int, alike: bool = False) -> tuple[Profile, Profile]:
    """Random columns; those of the second are mostly the first's where they are to be ``alike``."""
    random = np.random.default_rng(seed)
    first, second = generate_profile(m, random), generate_profile(n, random)
    if alike:
        both = min(m, n)
        second.frequencies.setflags(write=True)
        second.frequencies[:, :both] = 0.1 * second.frequencies[:, :both] + 0.9 * first.frequencies[:, :both]
    return first, second


@try_examples(20)
@given(data=st.data(), seed=SEEDS)
def test_small_profiles(emulated, data: st.DataObject, seed: int) -> None:
    problem = trials.draw_profiles(HypothesisChooser(data.draw))
    same(emulated("profile-wavefront", problem, seed=seed).answer, reference.align_profiles(problem))


@pytest.mark.slow
@pytest.mark.parametrize("method", THESIS, ids=lambda method: method.id)
@try_examples(6)
@given(data=st.data(), seed=SEEDS)
def test_methods_of_the_thesis(emulated, method: Method, data: st.DataObject, seed: int) -> None:
    choose = HypothesisChooser(data.draw)
    tried = trials.PROFILES if method.problem_type.id == "profiles" else trials.SEQUENCE
    problem = tried.draw_problem(choose)
    values = tried.draw_parameters(method, "cuda", choose)
    same(emulated(method, problem, seed=seed, **values).answer, reference.align_profiles(problem))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("span", "m", "n"),
    [
        (ProfileSpan.GLOBAL, 270, 129),
        (ProfileSpan.LOCAL, 33, 260),
        (ProfileSpan.SEMI_GLOBAL, 140, 256),
        (ProfileSpan.QUERY_IN_TARGET, 140, 256),
        (ProfileSpan.QUERY_IN_TARGET, 260, 33),
    ],
)
@pytest.mark.parametrize("scoring", [SUM, DISTANCE], ids=["sum", "distance"])
def test_several_strips_and_batches(emulated, scoring: ColumnScoring, span: ProfileSpan, m: int, n: int) -> None:
    problem = ProfileProblem(*pair(m, n, 1), scoring, span)
    same(emulated("profile-wavefront", problem, seed=1).answer, on_cpu(problem))


@pytest.mark.parametrize(("scoring", "span"), [*((SUM, span) for span in ProfileSpan), (DISTANCE, ProfileSpan.GLOBAL)])
def test_several_launches(emulated, monkeypatch: pytest.MonkeyPatch, scoring: ColumnScoring, span: ProfileSpan) -> None:
    """Every launch goes on where the one before stopped: here after each batch of rows."""
    cuda_wavefront = importlib.import_module("antidiag.kernels.profiles.wavefront.cuda_wavefront")
    monkeypatch.setattr(cuda_wavefront, "SLICE_CELLS", 1)
    assert cuda_wavefront.slice_rows(300, 300) == [(0, 128), (128, 256), (256, 300)]
    problem = ProfileProblem(*pair(300, 300, 3), scoring, span)
    for seed in (0, 1):
        same(emulated("profile-wavefront", problem, seed=seed).answer, on_cpu(problem))


@pytest.mark.parametrize(
    ("span", "m", "n", "side"),
    [
        (ProfileSpan.GLOBAL, 400, 530, 2),
        (ProfileSpan.SEMI_GLOBAL, 150, 780, 3),
        (ProfileSpan.LOCAL, 530, 300, 2),
        (ProfileSpan.QUERY_IN_TARGET, 530, 150, 2),
    ],
)
def test_the_path_by_squares(
    emulated, monkeypatch: pytest.MonkeyPatch, span: ProfileSpan, m: int, n: int, side: int
) -> None:
    """A long path leaves square after square of tiles; where the profiles are alike it does so along the diagonal."""
    cuda_pairs = importlib.import_module("antidiag.kernels.profiles.wavefront.cuda_pairs")
    monkeypatch.setattr(cuda_pairs, "SHORT_PATH", 0)
    monkeypatch.setattr(cuda_pairs, "MOST_SIDE", side)
    for alike in (False, True):
        problem = ProfileProblem(*pair(m, n, 5, alike), SUM, span)
        same(emulated("profile-wavefront", problem, seed=2).answer, on_cpu(problem))


def test_nucleotides(emulated) -> None:
    random = np.random.default_rng(2)
    first, second = (generate_profile(length, random, NUCLEOTIDES) for length in (50, 140))
    scoring = ColumnScoring(ColumnScore.LOG_AVERAGE, ProfileGaps.POSITION, match_mismatch(2, -3), 5, 2)
    problem = ProfileProblem(first, second, scoring)
    same(emulated("profile-wavefront", problem, seed=2).answer, reference.align_profiles(problem))


@pytest.mark.slow
@pytest.mark.parametrize("span", list(ProfileSpan))
def test_many_pairs_at_once_are_each_by_itself(emulated, monkeypatch: pytest.MonkeyPatch, span: ProfileSpan) -> None:
    """In any order, in slices of the queue, and in several groups one after another."""
    cuda_wavefront, cuda_batch = (
        importlib.import_module(f"antidiag.kernels.profiles.wavefront.{name}")
        for name in ("cuda_wavefront", "cuda_many_alignments")
    )
    pairs = [pair(m, n, m) for m, n in ((1, 1), (200, 30), (33, 300), (140, 141), (5, 128), (129, 4))]
    told: list[tuple[int, int, str]] = []
    for seed, slice_cells, together in ((0, 2**33, 2**30), (1, 2**13, 2**30), (2, 2**33, 2**16)):
        monkeypatch.setattr(cuda_wavefront, "SLICE_CELLS", slice_cells)
        monkeypatch.setattr(cuda_batch, "TOGETHER", together)
        with order(seed), devices.use_device(0):
            found = many_alignments.align_profile_pairs(
                pairs, SUM, span, None, Monitor(lambda *one: told.append(one)), backend="cuda"
            )
            assert many_alignments.align_profile_pairs([], SUM, span, backend="cuda") == []
        for one, answer in zip(pairs, found, strict=True):
            problem = ProfileProblem(*one, SUM, span)
            answer.check(problem)
            same(answer, on_cpu(problem))
    assert told[-1] == (len(pairs), len(pairs), "alignments")


@pytest.mark.parametrize("span", list(ProfileSpan))
def test_of_ends_that_are_as_good_the_first_is_taken(emulated, span: ProfileSpan) -> None:
    """Letters that match or not end in many places as well, also in the last row and among the last columns of it."""
    random, scoring = (
        np.random.default_rng(4),
        ColumnScoring(ColumnScore.SUM_OF_PAIRS, ProfileGaps.AFFINE, match_mismatch(2, 0), 3, 2),
    )

    def letters() -> Profile:
        chosen = random.integers(4, size=random.integers(1, 8))
        return profile_from_frequencies(np.eye(5)[:, chosen], "ACGT-", SequenceType.DNA)

    pairs = [(letters(), letters()) for _ in range(60)]
    with devices.use_device(0):
        found = many_alignments.align_profile_pairs(pairs, scoring, span, None, Monitor(), backend="cuda")
    for one, answer in zip(pairs, found, strict=True):
        same(answer, reference.align_profiles(ProfileProblem(*one, scoring, span)))


def test_groups_are_by_bytes_and_not_by_cells(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair of one column each takes a whole strip of factors."""
    cuda_batch = importlib.import_module("antidiag.kernels.profiles.wavefront.cuda_many_alignments")
    monkeypatch.setattr(cuda_batch, "TOGETHER", 2**17)
    made = [cuda_batch.ProfilePairShape(21, m, n) for m, n in ((1, 1),) * 12 + ((300, 1), (1, 300))]
    groups = list(cuda_batch._group_pairs(made))
    assert sorted(at for group in groups for at in group) == list(range(len(made)))
    assert len(groups) > 2
    sizes = [sum(estimate_one_of_many(*made[at]) for at in group) for group in groups]
    assert all(len(group) == 1 or size <= 2**17 for group, size in zip(groups, sizes, strict=True))


def test_many_pairs_are_cancelled(emulated) -> None:
    monitor = Monitor()
    monitor.cancel()
    with devices.use_device(0), pytest.raises(Cancelled):
        many_alignments.align_profile_pairs([pair(30, 30, 1)], SUM, backend="cuda", monitor=monitor)


def test_strips_are_drawn_as_the_gpu_cuts_them(emulated) -> None:
    """A width that was given counts on the CPU alone: the result says what was done, and that it differs."""
    result = emulated("profile-wavefront", ProfileProblem(*pair(30, 30, 1), SUM), s=512, T=64, threads=2)
    assert (result.parameters["s"], result.parameters["T"], result.parameters["threads"]) == (128, 128, 2)
    method = registry.find_method("profile-wavefront")
    assert len(result.notes) == 2 and "s=512" in result.notes[0] and "T=64" in result.notes[1]
    assert method.picture.table_cuts(method.restore_parameters(result)).strip == 128


@pytest.mark.slow
@pytest.mark.parametrize("scoring", [SUM, DISTANCE], ids=["sum", "distance"])
@pytest.mark.parametrize(("span", "m", "n"), [(ProfileSpan.GLOBAL, 400, 450), (ProfileSpan.LOCAL, 300, 90)])
def test_pictures_are_those_of_the_cpu(emulated, scoring: ColumnScoring, span: ProfileSpan, m: int, n: int) -> None:
    """The overview, windows that begin anywhere, and single cells, from the borders that the device kept."""
    pictures = importlib.import_module("antidiag.kernels.profiles.wavefront.table_picture")
    problem = ProfileProblem(*pair(m, n, 4), scoring, span)
    found, expected = (
        pictures.scan_table(problem, pixels=(70, 50), device=0),
        pictures.scan_table(problem, pixels=(70, 50)),
    )
    assert (found.device, expected.device) == (0, None)
    np.testing.assert_array_equal(found.overview, expected.overview)
    for rows, columns, shape in (
        ((0, 30), (0, 40), (30, 20)),
        ((m - 40, m + 1), (n - 60, n + 1), (41, 61)),
        ((129, 140), (60, 61), (3, 1)),
        ((0, 1), (0, n + 1), (1, 9)),
        ((257, 290), (n // 2, n // 2 + 30), (33, 30)),
    ):
        np.testing.assert_array_equal(
            pictures.draw_window(found, rows, columns, shape), pictures.draw_window(expected, rows, columns, shape)
        )
    for one, other in zip(
        *(pictures.compute_cells(each, (m - 50, m + 1), (n - 30, n + 1)) for each in (found, expected)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
