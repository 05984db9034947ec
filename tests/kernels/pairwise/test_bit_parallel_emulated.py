"""The device code of the bit-parallel methods, run by the emulator: the textbook's score and path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.method import Method
from antidiag.kernels.pairwise.bit_parallel import trials
from antidiag.kernels.pairwise.edit_methods import EDIT_METHODS
from antidiag.kernels.pairwise.trials import best_alignment
from antidiag.kernels.trials import load_trials
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples


@pytest.mark.parametrize("method", EDIT_METHODS, ids=lambda method: method.id)
@try_examples(12)
@given(data=st.data())
def test_answer_is_the_textbooks(emulated, method: Method, data: st.DataObject) -> None:
    tried = load_trials(method.problem_type)
    problem = trials.draw_pair(HypothesisChooser(data.draw), 80)
    words = 1 + len(problem.first) % 2
    found = emulated(method, problem, seed=data.draw(st.sampled_from((0, 1, 2))), words=words).answer
    tried.assert_same_answer(problem, found, best_alignment(problem), method)


@pytest.mark.parametrize("seed", [0, 1])
def test_several_strips_and_tiles(emulated, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Two strips of 1,024 columns, kept rows at 512 and 1,024, and a path that goes through six tiles."""
    random = np.random.default_rng(seed)
    first = random.choice(list("ACGT"), 1100)
    second = trials.edit_letters(first, list("ACGT"), 0.1, random)
    problem = trials.make_edit_pair("".join(first), "".join(second))
    method = EDIT_METHODS[0]
    found = emulated(method, problem, words=1, tile=512, threads=64, seed=seed).answer
    load_trials(method.problem_type).assert_same_answer(problem, found, best_alignment(problem), method)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_short_ring_of_boundary_words_is_used_again(emulated, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Slices of 32 steps: rings of six words go round six times, and every strip stops at every slice."""
    from antidiag.kernels.pairwise.bit_parallel import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    monkeypatch.setattr(cuda_sizes, "LEAST_STEPS", 32)
    random = np.random.default_rng(seed)
    first, second = random.choice(list("ACGT"), 1100), random.choice(list("ACGT"), 2100)
    problem = trials.make_edit_pair("".join(first), "".join(second), mode="custom", free_second_end=True)
    assert cuda_sizes.crossing_capacity(1100, 2100, whole=False) == 6
    method = EDIT_METHODS[1]
    found = emulated(method, problem, words=1, threads=32, seed=seed).answer
    load_trials(method.problem_type).assert_same_answer(problem, found, best_alignment(problem), method)
