"""The device code of distances: it compiles for old and new GPUs, and on the emulator gives what the CPU gives."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.trees.distances import problem as rules
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    MODELS,
    PROTEIN_MODELS,
    distances_of_rows,
    make_model,
)
from tests.example_counts import try_examples
from tests.kernels.trees.test_distances import SCORINGS, distances, families
from tests.nvrtc import compile_without_device
from tests.problems import sequence

nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")

MODES = st.sampled_from((Mode.LOCAL, Mode.GLOBAL))


@pytest.mark.parametrize(
    ("architecture", "local", "wide"), [pytest.param("sm_75", 0, 0, marks=pytest.mark.slow), ("sm_90", 1, 1)]
)
def test_kernels_compile(architecture: str, local: int, wide: int) -> None:
    from antidiag.kernels.trees.distances.aligned_pairs import cuda_identities
    from antidiag.kernels.trees.distances.alignment_columns import cuda_columns
    from antidiag.kernels.trees.distances.shared_words import cuda_kmers

    defines = {"LOCAL": local, "WIDE": wide, "COUNT": 28 if wide else 12}
    assert compile_without_device(cuda_identities.IDENTITIES, defines, architecture)
    assert compile_without_device(cuda_kmers.WORDS, {}, architecture)
    for kind, models in ((SequenceType.DNA, MODELS), (SequenceType.PROTEIN, PROTEIN_MODELS)):
        for name in models:
            number = make_model(name, kind, np.ones(4, np.int64)).number
            defines = cuda_columns.column_defines(number, kind, is_double=not wide)
            assert compile_without_device(cuda_columns.COLUMNS, defines, architecture)


def of_device(emulated, id: str, problem, **parameters) -> np.ndarray:
    return emulated(id, problem, **parameters).answer.distances.values


@try_examples(15)
@given(
    found=families(8),
    scoring=st.sampled_from(SCORINGS),
    mode=MODES,
    seed=st.sampled_from((0, 1)),
)
def test_emulated_full_distances_are_those_of_the_cpu(emulated, found, scoring, mode, seed) -> None:
    problem = rules.FullProblem(found, scoring, mode)
    np.testing.assert_array_equal(
        of_device(emulated, "distance-full", problem, seed=seed), distances("distance-full", problem)
    )


def relatives(lengths, letters: str = "ACDE"):
    """Mutated pieces of one sequence."""
    random = np.random.default_rng(7)
    whole = random.choice(list(letters), max(lengths))
    found = []
    for length in lengths:
        copy = np.where(random.random(length) < 0.8, whole[:length], random.choice(list(letters), length))
        found.append(sequence("".join(copy), f"s{len(found)}", SequenceType.PROTEIN))
    return tuple(found)


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
def test_emulated_strips_follow_each_other(emulated, mode: Mode) -> None:
    for lengths in ((530, 540, 30), (1, 515, 513), (33, 65, 129)):
        problem = rules.FullProblem(relatives(lengths), SCORINGS[0], mode)
        np.testing.assert_array_equal(
            of_device(emulated, "distance-full", problem), distances("distance-full", problem)
        )


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
def test_emulated_pairs_that_need_wide_words(emulated, mode: Mode) -> None:
    scoring = Scoring(match_mismatch(100_000, -70_000), 90_000, 20_000)
    problem = rules.FullProblem(relatives((90, 3, 60, 1)), scoring, mode)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", problem), distances("distance-full", problem))


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
def test_emulated_launches_are_sliced(emulated, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles a few at a time; and pairs that are too long for one launch, some strips at a time."""
    few = rules.FullProblem(relatives(range(1, 71)), Scoring(named_matrix("BLOSUM62"), 10, 1), mode)
    tall = rules.FullProblem(relatives((1100, 1050, 40)), Scoring(named_matrix("BLOSUM62"), 10, 1), mode)
    module, tiling = (
        importlib.import_module("antidiag.kernels.trees.distances.aligned_pairs.cuda_identities"),
        importlib.import_module("antidiag.kernels.trees.distances.pair_tiles"),
    )
    monkeypatch.setattr(module, "FIRST_SLICE", 1)
    monkeypatch.setattr(tiling, "MOST_ITEMS", 2)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", few), distances("distance-full", few))
    monkeypatch.setattr(module, "LONG", 512 * 1100)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", tall), distances("distance-full", tall))


@try_examples(15)
@given(found=families(10, longest=60, letters="ACDEFXK"), seed=st.sampled_from((0, 1)))
def test_emulated_6mer_distances_are_those_of_the_cpu(emulated, found, seed) -> None:
    problem = rules.SixmerProblem(found)
    np.testing.assert_array_equal(
        of_device(emulated, "distance-6mer", problem, seed=seed), distances("distance-6mer", problem)
    )


def test_emulated_6mers_that_are_there_too_often_for_a_byte(emulated) -> None:
    found = tuple(sequence("A" * length, f"s{length}", SequenceType.PROTEIN) for length in (300, 280, 20))
    problem = rules.SixmerProblem(found)
    np.testing.assert_array_equal(of_device(emulated, "distance-6mer", problem), distances("distance-6mer", problem))


@try_examples(15)
@given(found=families(8, longest=80), k=st.sampled_from((1, 2)), diagonals=st.integers(1, 5), gap=st.integers(0, 4))
def test_emulated_ktuple_distances_are_those_of_the_cpu(emulated, found, k, diagonals, gap) -> None:
    problem = rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": k, "diagonals": diagonals, "word_gap": gap})
    np.testing.assert_array_equal(
        of_device(emulated, "distance-ktuple", problem), distances("distance-ktuple", problem)
    )


def test_emulated_chains_of_long_pairs_are_made_some_rows_at_a_time(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some pairs are too long for one launch; more of them than there is room for at a time."""
    module = importlib.import_module("antidiag.kernels.trees.distances.word_chains.cuda_chains")
    random = np.random.default_rng(6)
    texts = ["".join(random.choice(list("ACDE"), length)) for length in (90, 3, 70, 80, 1, 60, 5, 40, *[7] * 30, 50)]
    found = tuple(sequence(text, f"s{number}", SequenceType.PROTEIN) for number, text in enumerate(texts))
    problem = rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": 1, "diagonals": 2, "window": 0})
    expected = distances("distance-ktuple", problem)
    monkeypatch.setattr(module, "LONG", 60 * 50)
    monkeypatch.setattr(module, "chain_warps", lambda *arguments: 8)
    np.testing.assert_array_equal(of_device(emulated, "distance-ktuple", problem, seed=1), expected)


@try_examples(15)
@given(
    kind_and_model=st.sampled_from(
        [(SequenceType.DNA, name) for name in MODELS] + [(SequenceType.PROTEIN, name) for name in PROTEIN_MODELS]
    ),
    taxa=st.integers(1, 70),
    columns=st.integers(1, 200),
    seed=st.integers(0, 99),
)
def test_emulated_distances_of_an_alignment_are_those_of_the_cpu(emulated, kind_and_model, taxa, columns, seed) -> None:
    kind, model = kind_and_model
    random = np.random.default_rng(seed)
    first = np.array(list(b"ACGTUN-" if kind == SequenceType.DNA else b"ACDEW*X-"), np.uint8)
    letters = first[np.where(random.random((taxa, columns)) < 0.3, random.integers(0, first.size, (taxa, columns)), 0)]
    alignment = AlignedSequences(tuple(f"r{row}" for row in range(taxa)), letters, kind)
    problem = rules.AlignedProblem(alignment, model)
    found = emulated("distance-alignment", problem).answer
    values, without = distances_of_rows(alignment, model)
    np.testing.assert_array_equal(found.distances.values, values)
    assert found.pairs_without == without
