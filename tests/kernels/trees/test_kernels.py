"""The device code of the trees: it compiles for old and new GPUs, and on the emulator joins as the textbook does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidiag.kernels.trees import reference
from tests.kernels.trees.problems import problems
from tests.nvrtc import compile_without_device

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize(("architecture", "double"), [("sm_75", 1), ("sm_90", 0)])
def test_kernels_compile(architecture: str, double: int) -> None:
    from antidiag.kernels.trees.joining import cuda

    assert compile_without_device(cuda.PRUNED, {"DOUBLE": double}, architecture)
    for folded in (0, 1):
        defines = {"DOUBLE": double, "FOLDED": folded, "SIDE": 64, "THREADS": 256}
        assert compile_without_device(cuda.BLOCKS, defines, architecture)


SMALL = {
    "nj-basic": st.fixed_dictionaries({"block": st.just("64"), "cells": st.sampled_from(("1", "4"))}),
    "nj-compact": st.fixed_dictionaries({"block": st.just("64"), "cells": st.sampled_from(("1", "4"))}),
    "nj-pruned": st.fixed_dictionaries({"epoch": st.sampled_from((2, 64))}),
}


@pytest.mark.parametrize("id", SMALL)
@settings(max_examples=12)
@given(data=st.data())
def test_emulated_joins_and_lengths_are_the_textbooks(emulated, id: str, data: st.DataObject) -> None:
    problem = data.draw(problems(60))
    found = emulated(id, problem, seed=data.draw(st.sampled_from((0, 1, 2))), **data.draw(SMALL[id])).answer
    expected = reference.neighbor_joining(problem)
    np.testing.assert_array_equal(found.joins, expected.joins)
    assert found.tree == expected.tree
