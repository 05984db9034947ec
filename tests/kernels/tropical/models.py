"""Hidden Markov models and sequences for tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kernels.model import Sequence, SequenceType
from kernels.tropical.viterbi.hmm import Hmm, checked
from kernels.tropical.viterbi.problem import HmmProblem

LENGTHS = st.one_of(st.sampled_from((0, 1, 2, 3)), st.integers(0, 60))


def rows(random: np.random.Generator, shape: tuple[int, ...], zeros: float) -> np.ndarray:
    """Probabilities with many equal ones, so that paths tie, and zeros among them."""
    numbers = random.integers(1, 4, shape) * (random.random(shape) >= zeros)
    numbers[..., 0] += numbers.sum(axis=-1) == 0
    return numbers / numbers.sum(axis=-1, keepdims=True)


def model(states: int, symbols: int, zeros: float, seed: int) -> Hmm:
    random = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(states)]
    return checked("model", names, "ABCDE"[:symbols], rows(random, (states, states), zeros),
                   rows(random, (states, symbols), zeros), rows(random, (states,), zeros))  # fmt: skip


@st.composite
def problems(draw: st.DrawFn, lengths: st.SearchStrategy[int] = LENGTHS) -> HmmProblem:
    """Models of one to seventeen states, dense or sparse, and sequences with letters that no model knows."""
    states = draw(st.sampled_from((1, 2, 3, 8, 9, 17)))
    seed = draw(st.integers(0, 2**32 - 1))
    hmm = model(states, draw(st.integers(1, 5)), draw(st.sampled_from((0.0, 0.0, 0.3, 0.7))), seed)
    letters = np.random.default_rng(seed + 1).choice(list((hmm.alphabet + "X").encode()), draw(lengths))
    return HmmProblem(hmm, sequence(letters.astype(np.uint8).tobytes()), "missing")


def sequence(letters: bytes) -> Sequence:
    return Sequence("sequence", letters, SequenceType.PROTEIN)
