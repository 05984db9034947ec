"""The device code of the methods of three sequences, run by the emulator: the textbook's score and path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import triple
from kernels.method import Method
from tests.kernels.triple.problems import best, triples

ON_DEVICE = [method for method in triple.METHODS if "cuda" in method.backends]
each = pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)


def given_to(method: Method, s: int, h: int) -> dict[str, int]:
    return {name: value for name, value in {"s": s, "h": h}.items() if name in {p.name for p in method.parameters}}


@each
@settings(max_examples=6)
@given(data=st.data())
def test_answer_is_the_textbooks(emulated, method: Method, data: st.DataObject) -> None:
    """Chunks of 16 for linear gaps and 32 for affine ones, so that few kernels are compiled."""
    problem = data.draw(triples(longest=34))
    chosen = given_to(method, 32 if problem.affine else 16, data.draw(st.sampled_from((8, 16))))
    found = emulated(method, problem, seed=data.draw(st.sampled_from((0, 1, 2))), **chosen).answer
    expected = best(problem)
    assert found.score == expected.score
    if "alignment" in method.returns:
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)
