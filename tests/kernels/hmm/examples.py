"""Hidden Markov models and sequences for tests, as strategies of Hypothesis: what kernels.hmm.trials draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from antidiag.kernels.hmm import trials
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.trials import make_sequence
from tests.choosing import HypothesisChooser


@st.composite
def problems(draw: st.DrawFn, lengths: st.SearchStrategy[int] | None = None) -> HmmProblem:
    """Models of one to seventeen states, dense or sparse, and sequences with letters that no model knows."""
    made = trials.draw_problem(HypothesisChooser(draw))
    if lengths is None:
        return made
    alphabet = list((made.hmm.alphabet + trials.UNKNOWN).encode())
    letters = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).choice(alphabet, draw(lengths))
    return replace(made, sequence=make_sequence(letters.astype(np.uint8).tobytes()))
