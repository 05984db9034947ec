"""Guide trees on a GPU: the kernels compile for old and new ones; emulated ones make the trees of the textbook,
real ones those of the CPU at sizes that an emulator does not reach."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import recursion_map, trials
from antidiag.kernels.parttree.parameters import Warps
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.words import letters_of
from antidiag.kernels.trials import Chance
from tests.nvrtc import compile_without_device

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize(("architecture", "refs"), [("sm_75", 1), ("sm_86", 2), ("sm_90", 4)])
def test_kernels_compile(architecture: str, refs: int) -> None:
    from antidiag.kernels.parttree.cuda_sources import MEASURE, SECTIONS

    assert compile_without_device(MEASURE, {"REFS": refs, "TASK": 256}, architecture)
    assert compile_without_device(SECTIONS, {}, architecture)


@pytest.mark.parametrize("refs", [1, 2, 4])
def test_emulated_trees_are_the_textbooks(emulated, refs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    monkeypatch.setattr(importlib.import_module("antidiag.kernels.parttree.cuda"), "COUNTERS", (refs,))
    choose = Chance(refs)
    for seed in (0, 1, 2):
        problem = trials.draw(choose)
        found = emulated("parttree", problem, seed=seed, block="128").answer
        trials.same(problem, found, trials.textbook(problem), registry.method("parttree"))


def distances_are_those_of_the_cpu(sequences: int, references: int, block: str = "1024") -> None:
    """The distances of the first level, as a device hands them over, beside those that a picture is made of."""
    from antidiag.kernels.cuda import devices
    from antidiag.kernels.cuda.run import Run
    from antidiag.kernels.parttree.cuda import Counted

    problem = PartTreeProblem(trials.synthetic(sequences), references)
    refs, members = np.arange(references) * (sequences // references), np.arange(sequences)
    with devices.use(0):
        counted = Counted(letters_of(problem.sequences, True), True, Run(Monitor()), Warps(block))
        found = counted.reference_distances(refs, members)
    expected = recursion_map.distances(problem, refs, members)
    assert found.shape == (sequences, references)
    np.testing.assert_array_equal(found, expected.T.astype(np.float32))


@pytest.mark.parametrize("references", [7, 130])
def test_emulated_distances_are_those_of_the_cpu(emulated, references: int) -> None:
    distances_are_those_of_the_cpu(600, references, "128")


@pytest.mark.parametrize(("references", "tasks", "slots", "count"), [
    (5000, 52, 132, 5), (5000, 132, 132, 1), (5000, 27, 132, 4), (100, 1, 132, 1), (130, 1, 132, 2), (1, 1, 1, 1),
])  # fmt: skip
def test_references_are_cut_so_that_few_multiprocessors_wait(references, tasks, slots, count) -> None:
    from antidiag.kernels.parttree.cuda import _groups

    groups = _groups(references, tasks, slots)
    assert groups.size == count + 1
    assert (groups[0], groups[-1]) == (0, references)


@pytest.mark.gpu
def test_distances_are_those_of_the_cpu() -> None:
    distances_are_those_of_the_cpu(60_000, 2_000)


@pytest.mark.gpu
@pytest.mark.parametrize("id", ["parttree", "cuda-parttree"])
@pytest.mark.parametrize("references", [50, 1000])
def test_trees_are_those_of_the_cpu(id: str, references: int) -> None:
    problem = PartTreeProblem(trials.synthetic(6000), references)
    found, expected = (
        engine.execute(engine.plan(registry.method(method), problem, {}, backend), keep_rate=False).answer
        for method, backend in ((id, "cuda"), ("parttree", "cpu"))
    )
    assert found.tree == expected.tree
    np.testing.assert_array_equal(found.splits, expected.splits)
