"""The device code of distances: it compiles for old and new GPUs, and on the emulator gives what the CPU gives."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.cuda.compile import compile_without_device
from kernels.model import Mode, SequenceType
from kernels.scoring import Scoring, match_mismatch, named_matrix
from kernels.trees import distance_problem as rules
from tests.kernels.trees.test_distances import SCORINGS, distances, families
from tests.problems import sequence

nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_kernels_compile(architecture: str) -> None:
    from kernels.trees import cuda_distances as cuda

    for local, wide in ((0, 0), (1, 0), (1, 1)):
        defines = {"LOCAL": local, "WIDE": wide, "COUNT": 28 if wide else 12}
        assert compile_without_device(cuda.IDENTITIES, defines, architecture)


def of_device(emulated, id: str, problem, **parameters) -> np.ndarray:
    return emulated(id, problem, **parameters).answer.distances.values


@settings(max_examples=25)
@given(found=families(8), scoring=st.sampled_from(SCORINGS), mode=st.sampled_from(Mode), seed=st.sampled_from((0, 1)))
def test_emulated_full_distances_are_those_of_the_cpu(emulated, found, scoring, mode, seed) -> None:
    problem = rules.FullProblem(found, scoring, mode)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", problem, seed=seed),
                                  distances("distance-full", problem))  # fmt: skip


def relatives(lengths, letters: str = "ACDE"):
    """Mutated pieces of one sequence."""
    random = np.random.default_rng(7)
    whole = random.choice(list(letters), max(lengths))
    found = []
    for length in lengths:
        copy = np.where(random.random(length) < 0.8, whole[:length], random.choice(list(letters), length))
        found.append(sequence("".join(copy), f"s{len(found)}", SequenceType.PROTEIN))
    return tuple(found)


@pytest.mark.parametrize("mode", list(Mode))
def test_emulated_strips_follow_each_other(emulated, mode: Mode) -> None:
    for lengths in ((530, 540, 30), (1, 515, 513), (33, 65, 129)):
        problem = rules.FullProblem(relatives(lengths), SCORINGS[0], mode)
        np.testing.assert_array_equal(of_device(emulated, "distance-full", problem),
                                      distances("distance-full", problem))  # fmt: skip


@pytest.mark.parametrize("mode", list(Mode))
def test_emulated_pairs_that_need_wide_words(emulated, mode: Mode) -> None:
    scoring = Scoring(match_mismatch(100_000, -70_000), 90_000, 20_000)
    problem = rules.FullProblem(relatives((90, 3, 60, 1)), scoring, mode)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", problem), distances("distance-full", problem))


@pytest.mark.parametrize("mode", list(Mode))
def test_emulated_launches_are_sliced(emulated, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles a few at a time; and pairs that are too long for one launch, some strips at a time."""
    few = rules.FullProblem(relatives(range(1, 71)), Scoring(named_matrix("BLOSUM62"), 10, 1), mode)
    tall = rules.FullProblem(relatives((1100, 1050, 40)), Scoring(named_matrix("BLOSUM62"), 10, 1), mode)
    module = import_of_device()
    monkeypatch.setattr(module, "FIRST_SLICE", 1)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", few), distances("distance-full", few))
    monkeypatch.setattr(module, "LONG", 512 * 1100)
    np.testing.assert_array_equal(of_device(emulated, "distance-full", tall), distances("distance-full", tall))


def import_of_device():
    """The module as the emulator loads it."""
    import importlib

    return sys.modules.get("kernels.trees.cuda_distances") or importlib.import_module("kernels.trees.cuda_distances")
