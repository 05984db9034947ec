"""Guide trees on a GPU: the kernels compile for old and new ones; emulated ones make the trees of the textbook,
real ones those of the CPU at sizes that an emulator does not reach."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.parttree import trials
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.trials import RandomChooser
from tests.nvrtc import compile_without_device

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize(("architecture", "refs"), [("sm_75", 1), ("sm_86", 2), ("sm_90", 4)])
def test_kernels_compile(architecture: str, refs: int) -> None:
    from antidiag.kernels.parttree.kmers.cuda_sources import MEASURE, SECTIONS

    assert compile_without_device(MEASURE, {"REFS": refs, "TASK": 256}, architecture)
    assert compile_without_device(SECTIONS, {}, architecture)


@pytest.mark.parametrize("refs", [1, 2, 4])
def test_emulated_trees_are_the_textbooks(emulated, refs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.parttree.splitting.cuda.COUNTERS", (refs,))
    choose = RandomChooser(refs)
    for seed in (0, 1, 2):
        problem = trials.draw_problem(choose)
        found = emulated("parttree", problem, seed=seed, block="128").answer
        trials.check_same(problem, found, trials.textbook_trees(problem), registry.find_method("parttree"))


@pytest.mark.gpu
@pytest.mark.parametrize("id", ["parttree", "cuda-parttree"])
@pytest.mark.parametrize("references", [50, 1000])
def test_trees_are_those_of_the_cpu(id: str, references: int) -> None:
    problem = PartTreeProblem(trials.random_proteins(6000), references)
    found, expected = (
        engine.execute(engine.plan_run(registry.find_method(method), problem, {}, backend), keep_rate=False).answer
        for method, backend in ((id, "cuda"), ("parttree", "cpu"))
    )
    assert found.tree == expected.tree
    np.testing.assert_array_equal(found.splits, expected.splits)
