"""The device code of the trees: it compiles for old and new GPUs, and on the emulator joins as the textbook does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.registry import find_method
from antidiag.kernels.trees import reference
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.trials import make_matrix
from tests.example_counts import try_examples
from tests.kernels.trees.problems import problems
from tests.nvrtc import compile_without_device

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize(("architecture", "double"), [pytest.param("sm_75", 1, marks=pytest.mark.slow), ("sm_90", 0)])
def test_kernels_compile(architecture: str, double: int) -> None:
    from antidiag.kernels.trees.joining import cuda, cuda_sources

    assert compile_without_device(cuda.PRUNED, {"DOUBLE": double}, architecture)
    for folded in (0, 1):
        defines = {"DOUBLE": double, "FOLDED": folded, "SIDE": 64, "THREADS": 256}
        assert compile_without_device(cuda.BLOCKS, defines, architecture)
        defines = {"DOUBLE": double, "FOLDED": folded, "ACROSS": 16, "CELLS": 4}
        assert compile_without_device(cuda_sources.PUBLISHED, defines, architecture)


CELL_BLOCKS = {
    "block": st.just("64"),
    "cells": st.sampled_from(("1", "4")),
    "mapping": st.sampled_from(("dense", "published")),
}
SMALL = {
    "nj-basic": st.fixed_dictionaries(CELL_BLOCKS),
    "nj-compact": st.fixed_dictionaries(CELL_BLOCKS),
    "nj-pruned": st.fixed_dictionaries({"epoch": st.sampled_from((2, 64))}),
}


@pytest.mark.parametrize("id", SMALL)
@try_examples(12)
@given(data=st.data())
def test_emulated_joins_and_lengths_are_the_textbooks(emulated, id: str, data: st.DataObject) -> None:
    problem = data.draw(problems(60))
    found = emulated(id, problem, seed=data.draw(st.sampled_from((0, 1, 2))), **data.draw(SMALL[id])).answer
    expected = reference.neighbor_joining(problem)
    np.testing.assert_array_equal(found.joins, expected.joins)
    assert found.tree == expected.tree


@pytest.mark.parametrize("id", ["nj-basic", "nj-compact"])
@pytest.mark.parametrize("taxa", [1, 2, 3, 4, 5, 33])
def test_few_taxa_with_the_published_mapping(emulated, id: str, taxa: int) -> None:
    problem = TreeProblem(make_matrix(1 - np.eye(taxa)))
    found = emulated(id, problem, mapping="published", block="256", cells="16").answer
    assert found.tree == reference.neighbor_joining(problem).tree


@pytest.mark.parametrize("id", ["nj-basic", "nj-compact"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_published_mapping_takes_no_more_memory_than_was_estimated(emulated, id: str, precision: str) -> None:
    values = np.random.default_rng(1).random((130, 130))
    problem = TreeProblem(make_matrix(np.triu(values, 1) + np.triu(values, 1).T), precision)
    planned = engine.plan_run(find_method(id), problem, {"mapping": "published"}, "cuda")
    assert planned.footprint.host["matrix"] == problem.dtype.itemsize * 130**2
    found = emulated(id, problem, mapping="published")
    assert 0 < found.device_bytes <= planned.footprint.device_bytes
    np.testing.assert_array_equal(found.answer.joins, reference.neighbor_joining(problem).joins)


def test_a_matrix_that_no_texture_holds_is_refused(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.cuda import textures

    monkeypatch.setattr(textures, "MOST_TEXELS", 1000)
    problem = TreeProblem(make_matrix(1 - np.eye(40)))
    with pytest.raises(MemoryRefused, match="needs 1,681 texels, but this GPU binds up to 1,000; choose mapping=dense"):
        emulated("nj-basic", problem, mapping="published")
    assert emulated("nj-compact", problem, mapping="published").answer.tree
