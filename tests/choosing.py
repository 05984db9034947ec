"""Hypothesis as the one who chooses: what fails is made small, and the next run draws the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from antidiag.kernels.trials import Choice
from tests.example_counts import count_examples

_integers = lru_cache(maxsize=None)(st.integers)
"""Strategies, each of which is made, and looked through, once."""


class HypothesisChooser:
    """Choices of Hypothesis."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def draw_integer(self, low: int, high: int) -> int:
        return self._draw(_integers(low, high))

    def choose_one(self, options: Sequence[Choice]) -> Choice:
        """The first where what fails is made small. Only the place is drawn: whatever is chosen from costs nothing."""
        return options[self._draw(_integers(0, len(options) - 1))]

    def make_generator(self) -> np.random.Generator:
        return np.random.default_rng(self._draw(_integers(0, 2**32 - 1)))


def for_all(check: Callable[[HypothesisChooser], None], examples: int) -> None:
    """Try a check on so many choices, fewer where slow tests are left out; the first that fails is made small."""

    @settings(
        max_examples=count_examples(examples), deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip
    @given(data=st.data())
    def tried(data: st.DataObject) -> None:
        check(HypothesisChooser(data.draw))

    tried()
