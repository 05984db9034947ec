"""Alignments of many sequences on a GPU are those of the CPU, to the last gap."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parttree import ALIGNMENT_PROBLEM, trials
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.trials import RandomChooser
from tests.kernels.parttree.test_alignment import family_with_insertions
from tests.nvrtc import compile_without_device

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_kernels_compile(architecture: str) -> None:
    from antidiag.kernels.parttree.lcs.cuda_linkage import LCS
    from antidiag.kernels.parttree.progressive.cuda_sources import PROFILES

    assert compile_without_device(PROFILES, {}, architecture)
    assert compile_without_device(LCS, {"WORDS": 3}, architecture)


def on_cpu(problem: MsaProblem) -> np.ndarray:
    planned = engine.plan_run(registry.find_method("msa-parttree"), problem, {"threads": 2}, "cpu")
    return engine.execute(planned, keep_rate=False).answer.alignment.letters


@pytest.mark.parametrize("seed", range(6))
def test_emulated_alignments_are_those_of_the_cpu(emulated, seed: int) -> None:
    problem = trials.ALIGNMENT.draw_problem(RandomChooser(seed))
    found = emulated("msa-parttree", problem, seed=seed).answer
    np.testing.assert_array_equal(found.alignment.letters, on_cpu(problem))


@pytest.mark.parametrize(("guide", "level_s"), [("single-linkage", 0.0), ("parttree", 0.0), ("parttree", 1e-4)])
def test_emulated_profiles_of_several_strips_move(
    emulated, guide: str, level_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "antidiag.kernels.parttree.progressive.cuda_profiles.initial_device_bytes",
        lambda different, letters: (3008, 30_000),
    )
    monkeypatch.setattr("antidiag.kernels.parttree.progressive.cuda_profiles.GAP_BUFFER_SIZE", 8)
    monkeypatch.setattr("antidiag.kernels.parttree.progressive.cuda_profiles.LEVEL_S", level_s)
    problem = ALIGNMENT_PROBLEM.make_problem(
        trials.random_proteins(12, 60, 90), {"guide": guide, "references": 3, "gap_open": 4.0}
    )
    found = emulated("msa-parttree", problem, seed=1).answer
    np.testing.assert_array_equal(found.alignment.letters, on_cpu(problem))


def test_emulated_columns_with_hardly_a_letter_are_left_out(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.parttree.progressive.cuda_profiles.LEVEL_S", 0.0)
    family = family_with_insertions(56)
    problem = ALIGNMENT_PROBLEM.make_problem([*family, *(replace(one, name=f"h{one.name}", letters=one.letters[30:])
                                                         for one in family[::3])], {})  # fmt: skip
    found = emulated("msa-parttree", problem, seed=1).answer
    np.testing.assert_array_equal(found.alignment.letters, on_cpu(problem))


def linked(problem: PartTreeProblem, backend: str) -> Tree:
    planned = engine.plan_run(registry.find_method("lcs-single-linkage"), problem, {}, backend)
    return engine.execute(planned, keep_rate=False).answer.tree


def mixed_lengths() -> PartTreeProblem:
    short, long = trials.random_proteins(20, 10, 60), trials.random_proteins(5, 200, 330, seed=2)
    return PartTreeProblem(tuple(replace(one, name=f"s{at}") for at, one in enumerate((*short, *long))))


@pytest.mark.parametrize("shared", [True, False])
def test_emulated_single_linkage_is_that_of_the_cpu(emulated, shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.parttree.lcs.cuda_linkage.WORDS", (1, 3))
    monkeypatch.setattr("antidiag.kernels.parttree.lcs.cuda_linkage.TEXTS_PER_BLOCK", 7)
    monkeypatch.setattr("antidiag.kernels.parttree.lcs.cuda_linkage.MASK_BYTES", 1)
    monkeypatch.setattr("antidiag.kernels.parttree.lcs.cuda_linkage.LAUNCH_STEPS", 100_000)
    if not shared:
        monkeypatch.setattr("antidiag.kernels.cuda.block_limits.max_shared_bytes", lambda: 10_000)
    problem = mixed_lengths()
    assert emulated("lcs-single-linkage", problem, seed=2).answer.tree == linked(problem, "cpu")


@pytest.mark.gpu
def test_single_linkage_is_that_of_the_cpu() -> None:
    for problem in (mixed_lengths(), PartTreeProblem(trials.random_proteins(3000, 20, 400))):
        assert linked(problem, "cuda") == linked(problem, "cpu")


@pytest.mark.gpu
@pytest.mark.parametrize("guide", ["single-linkage", "parttree"])
def test_alignments_are_those_of_the_cpu(guide: str) -> None:
    for seed in range(6):
        drawn = trials.ALIGNMENT.draw_larger_problem(RandomChooser(seed))
        problem = replace(drawn, rules=replace(drawn.rules, guide=guide))
        planned = engine.plan_run(registry.find_method("msa-parttree"), problem, {}, "cuda")
        found = engine.execute(planned, keep_rate=False).answer
        np.testing.assert_array_equal(found.alignment.letters, on_cpu(problem))


@pytest.mark.parametrize("launch_steps", [1 << 38, 0])
def test_a_short_linkage_compiles_one_kernel_and_a_long_one_a_kernel_for_each_size(
    emulated, launch_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    linkage = importlib.import_module("antidiag.kernels.parttree.lcs.cuda_linkage")
    kernel_compiler = importlib.import_module("antidiag.kernels.cuda.run")
    compiled, compile_kernel = list[int](), kernel_compiler.compile_kernel

    def count(parts: Any, name: str, defines: Any) -> Any:
        compiled.extend([defines["WORDS"]] * (name == "find_nearest"))
        return compile_kernel(parts, name, defines)

    monkeypatch.setattr(kernel_compiler, "compile_kernel", count)
    monkeypatch.setattr(linkage, "LAUNCH_STEPS", launch_steps)
    problem = PartTreeProblem(trials.random_proteins(6, 20, 120))
    assert emulated("lcs-single-linkage", problem).answer.tree == linked(problem, "cpu")
    assert len(set(compiled)) == 1 if launch_steps else len(set(compiled)) > 1


def test_a_run_along_a_given_tree_compiles_no_guide_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.parttree.progressive import cpu

    compiled = list[str | None]()
    monkeypatch.setattr(cpu, "compile_alignment", lambda kind, further: compiled.append(kind))
    problem = ALIGNMENT_PROBLEM.make_problem(trials.random_proteins(3), {})
    given = replace(problem, tree=Tree.from_joins(problem.names, np.array([[0, 1], [3, 2]])))
    for one, on_device in ((problem, False), (problem, True), (given, False)):
        cpu.alignment_compiler(one, on_device)()
    assert compiled == ["single-linkage", None, None]
