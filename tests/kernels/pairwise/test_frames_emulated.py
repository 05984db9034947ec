"""The device code of frame alignment, run by the emulator: the textbook's answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.pairwise.frames import trials
from antidiag.kernels.pairwise.frames.methods import FRAME_METHODS
from antidiag.kernels.pairwise.frames.reference import align_frames
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples

METHOD = FRAME_METHODS[0]


@try_examples(15)
@given(data=st.data())
def test_answer_is_the_textbooks(emulated, data: st.DataObject) -> None:
    problem = trials.draw_problem(HypothesisChooser(data.draw), 30)
    found = emulated(METHOD, problem, threads=64, seed=data.draw(st.sampled_from((0, 1)))).answer
    trials.assert_same_answer(problem, found, align_frames(problem), METHOD)


@pytest.mark.parametrize("least", [7, 100])
def test_several_segments_and_strips(emulated, monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    """More than 128 amino acids are two strips; segments overlap by what a path can span."""
    from antidiag.kernels.pairwise.frames import sizes

    monkeypatch.setattr(sizes, "GPU_LEAST_BASES", least)
    monkeypatch.setattr(sizes, "GPU_WARM_UPS", 0)
    for problem in (trials.make_related(140, 500), trials.make_related(4, 300)):
        found = emulated(METHOD, problem, threads=32).answer
        trials.assert_same_answer(problem, found, align_frames(problem), METHOD)
