"""Multiple alignment on the device code, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cuda import devices
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import sizes
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.consistency.posteriors.pair_models import make_dna_models
from antidiag.kernels.msa.trials import generate_family
from antidiag.kernels.profiles.wavefront import many_alignments
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples
from tests.kernels.conformance.card_sizes import card_bytes, small_card


@pytest.mark.parametrize("method_id", ["msa-thesis", "msa-clustalw"])
@try_examples(5)
@given(data=st.data(), seed=st.sampled_from((0, 1)))
def test_small_families(emulated, method_id: str, data: st.DataObject, seed: int) -> None:
    method = registry.find_method(method_id)
    tried = trials.load_trials(method.problem_type)
    problem = tried.draw_problem(HypothesisChooser(data.draw))
    tried.assert_same_answer(
        problem, emulated(method_id, problem, seed=seed).answer, tried.solve_by_textbook(problem), method
    )


def test_problems_that_threads_make(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_alignments, "LONG", 1)
    method = registry.find_method("msa-clustalw")
    problem = method.problem_type.make_problem(generate_family(9, 30), {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)


@pytest.mark.parametrize("method_id", ["msa-refine", "msa-add"])
def test_alignments_that_are_given(emulated, method_id: str) -> None:
    method, (*rows, new) = registry.find_method(method_id), generate_family(5, 20)
    data = [insert_random_gaps(tuple(rows), np.random.default_rng(1)), *([new] if method_id == "msa-add" else [])]
    problem = method.problem_type.make_problem(data, {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)


@pytest.mark.slow
@pytest.mark.parametrize("method_id", ["msa", "msa-refine"])
def test_a_run_fits_a_card_of_the_size_of_its_estimate(emulated, monkeypatch: pytest.MonkeyPatch, method_id) -> None:
    """Slices of many sizes, as large families have: on a card the gaps between their arrays count too."""
    stages = importlib.import_module("antidiag.kernels.msa.consistency.posteriors.cuda_stages")
    monkeypatch.setattr(stages, "FIRST_CELLS", 1 << 60)
    monkeypatch.setattr(stages, "FIRST_PRODUCTS", 1 << 60)
    for module in (stages, sizes):
        monkeypatch.setattr(module, "BATCH_ROWS", 3000)
    method, random = registry.find_method(method_id), np.random.default_rng(3)
    family = generate_family(32, 80)
    sequences = tuple(replace(one, letters=one.letters[: random.integers(40, 80)]) for one in family)
    data = sequences if method_id == "msa" else [insert_random_gaps(sequences, random)]
    planned = engine.plan_run(method, method.problem_type.make_problem(data, {}), {"warps": 48}, "cuda")
    with small_card(card_bytes(planned.footprint)):
        engine.execute(planned, keep_rate=False, keep_parts=False)


def test_slices_of_many_sizes_leave_no_gaps_in_the_memory_pool(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gaps between the arrays of slices count on a card: 1,000 sequences took four times what was in use."""
    stages = importlib.import_module("antidiag.kernels.msa.consistency.posteriors.cuda_stages")
    cuda_run = importlib.import_module("antidiag.kernels.cuda.run")
    random, pool = np.random.default_rng(1), devices.run_memory_pool()
    sequences = [random.integers(0, 4, length).astype(np.uint8) for length in random.integers(50, 70, 150)]

    def slices_of_many_sizes(slices: Any) -> Iterator[slice]:
        ends = np.cumsum(random.integers(50, 400, slices.work.size))
        ends = np.minimum(ends[: np.searchsorted(ends, slices.work.size) + 1], slices.work.size)
        yield from (slice(*ends_of_slice) for ends_of_slice in pairwise([0, *ends.tolist()]))

    monkeypatch.setattr(stages.PairSlices, "__iter__", slices_of_many_sizes)
    monkeypatch.setattr(stages, "lay_out_pairs", lambda lengths, parts, run: len(parts))
    pool.free_all_blocks()
    pool.most_total = 0
    with devices.use_device(0):
        run = cuda_run.DeviceRun(Monitor())
        run.compile_kernel = lambda *source, **defines: lambda *launch, **more: None
        run.download_array = lambda words: random.integers(2000, 9000, words.size)  # entries that a slice found
        assert stages.CudaStages(run, warps=64).compute_posteriors(sequences, make_dna_models()) > 40
        assert pool.most_total < 1.1 * devices.peak_allocated_bytes()
