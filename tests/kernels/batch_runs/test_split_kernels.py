"""Pieces of a run on the emulated GPU give what one run on the CPU gives."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.batch_runs import split_runs
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.msa.consistency import posterior_blocks
from antidiag.kernels.msa.consistency.sizes import LONG_CELLS
from antidiag.kernels.parttree.lcs import block_pairs
from tests.kernels.batch_runs.test_split_runs import (
    assert_same_alignment,
    family,
    random_alignment,
    random_sequences,
    run_whole,
)

pytest.importorskip("cupy_backends.cuda.libs.nvrtc")


def run_split_on_device(method_id: str, data: list, least: int, monkeypatch: pytest.MonkeyPatch, **options: object):
    monkeypatch.setattr(split_runs, "PIECES_PER_SLOT", least)
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(data, options)
    with ExecutorChoice("local", slots=1).open() as executor:
        return split_runs.execute_split(method, problem, {}, executor, backend="cuda")


@pytest.mark.parametrize("mode", ["local", "global"])
def test_emulated_strips_are_the_distances_of_the_cpu(emulated, monkeypatch, mode):
    data = random_sequences(100)
    found = run_split_on_device("distance-full", data, 3, monkeypatch, mode=mode)
    whole = run_whole("distance-full", data, mode=mode)
    assert found.backend == "cuda" and "pieces" in found.notes[-1]
    assert np.array_equal(found.answer.distances.values, whole.answer.distances.values)


def test_emulated_blocks_of_pairs_are_those_of_the_cpu(emulated, monkeypatch):
    data = random_sequences(6)
    found = run_split_on_device("batch-alignment", data, 3, monkeypatch, pairing="all")
    whole = run_whole("batch-alignment", data, pairing="all")
    found.check(found.problem)
    assert found.backend == "cuda" and np.array_equal(found.answer.scores, whole.answer.scores)


def test_emulated_replicates_give_the_support_of_the_cpu(emulated, monkeypatch):
    data = [random_alignment(9, 40)]
    found = run_split_on_device("nj-alignment", data, 3, monkeypatch, bootstrap=7)
    assert found.answer.tree.names == run_whole("nj-alignment", data, bootstrap=7).answer.tree.names
    assert found.backend == "cuda"


@pytest.mark.parametrize("long_cells", [LONG_CELLS, 900])
def test_emulated_blocks_of_posteriors_are_those_of_the_cpu(emulated, monkeypatch, long_cells):
    from antidiag.kernels.msa.consistency.posteriors import cuda_stages

    monkeypatch.setattr(cuda_stages, "LONG_CELLS", long_cells)
    monkeypatch.setattr(posterior_blocks, "SENT_ROW_CELLS", -1)
    data = family(7, 32)
    found = run_split_on_device("msa", data, 3, monkeypatch)
    assert_same_alignment(found, run_whole("msa", data))
    assert found.backend == "cuda" and "3 pieces" in found.notes[-1]


def test_emulated_linkage_of_blocks_is_that_of_the_cpu(emulated, monkeypatch):
    monkeypatch.setattr(block_pairs, "LEAST_BLOCK", 10)
    data = random_sequences(40)
    found = run_split_on_device("lcs-single-linkage", data, 6, monkeypatch)
    tree, other = found.answer.tree, run_whole("lcs-single-linkage", data).answer.tree
    assert tree.names == other.names and np.array_equal(tree.lengths, other.lengths, equal_nan=True)
    assert found.backend == "cuda" and "10 pieces" in found.notes[-1]
