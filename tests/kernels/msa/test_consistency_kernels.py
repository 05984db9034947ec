"""The device code of consistency: it compiles for old and new GPUs, and on the emulator finds what the CPU finds."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa import CONSISTENCY_PROBLEM
from antidiag.kernels.msa.consistency.posteriors import cuda_sources
from antidiag.kernels.msa.problem import MsaProblem
from tests.nvrtc import compile_without_device

KINDS = {SequenceType.PROTEIN: b"ACDEFGHIKLMNPQRSTVWYX", SequenceType.DNA: b"ACGTN"}


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
@pytest.mark.parametrize(
    "source",
    [
        cuda_sources.PAIR_SOURCE,
        cuda_sources.ROUND_SOURCE,
        cuda_sources.LAYOUT_SOURCE,
        cuda_sources.MERGING_SOURCE,
        cuda_sources.PATH_SOURCE,
    ],
)
def test_kernels_compile(source: tuple, architecture: str) -> None:
    assert compile_without_device(source, {}, architecture)


def problem(kind: SequenceType, lengths: tuple[int, ...], seed: int = 1) -> MsaProblem:
    random, made = np.random.default_rng(seed), []
    ancestor = random.choice(list(KINDS[kind]), max(lengths))
    for number, length in enumerate(lengths):
        letters = np.where(random.random(length) < 0.3, random.choice(list(KINDS[kind]), length), ancestor[:length])
        made.append(Sequence(f"s{number}", letters.astype(np.uint8).tobytes(), kind))
    return CONSISTENCY_PROBLEM.make_problem(tuple(made), {})


MIXED, SOME_DNA, ONE, LONG = (128, 1, 129, 60, 33, 0, 4), (31, 140, 32), (9,), (1100, 5, 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "lengths", "seed"),
    [
        (SequenceType.PROTEIN, MIXED, 0),
        (SequenceType.PROTEIN, MIXED, 1),
        (SequenceType.DNA, SOME_DNA, 0),
        (SequenceType.DNA, SOME_DNA, 1),
        (SequenceType.PROTEIN, ONE, 0),
        (SequenceType.PROTEIN, LONG, 0),  # in one order of the blocks: the shorter ones are tried in two
    ],
)
def test_the_emulator_finds_what_the_cpu_finds(
    emulated, kind: SequenceType, lengths: tuple[int, ...], seed: int
) -> None:
    from antidiag.kernels import engine, registry

    posed = problem(kind, lengths)
    found = emulated("msa", posed, seed=seed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("msa"), posed, {"threads": 1}, "cpu")).answer
    np.testing.assert_array_equal(found.alignment.letters, expected.alignment.letters)
    np.testing.assert_array_equal(found.confidence, expected.confidence)
    assert found.tree == expected.tree


def test_long_pairs_are_left_to_the_cpu(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    from antidiag.kernels import engine, registry

    stages = importlib.import_module("antidiag.kernels.msa.consistency.posteriors.cuda_stages")
    monkeypatch.setattr(stages, "LONG_CELLS", 50 * 60)
    posed = problem(SequenceType.PROTEIN, (60, 61, 40, 20))
    found = emulated("msa", posed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("msa"), posed, {"threads": 1}, "cpu")).answer
    np.testing.assert_array_equal(found.alignment.letters, expected.alignment.letters)


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_long_sequences_leave_room_for_few_rows_a_block(emulated, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    import importlib

    from antidiag.kernels import engine, registry

    stages = importlib.import_module("antidiag.kernels.msa.consistency.posteriors.cuda_stages")
    monkeypatch.setattr(stages.block_limits, "max_shared_bytes", lambda: 4 * 61 * rows + stages.TICKET_BYTES)
    posed = problem(SequenceType.PROTEIN, (60, 61, 40, 20, 7))
    found = emulated("msa", posed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("msa"), posed, {"threads": 1}, "cpu")).answer
    np.testing.assert_array_equal(found.alignment.letters, expected.alignment.letters)


def test_merges_are_made_in_several_launches_where_they_do_not_fit_in_one(
    emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    from antidiag.kernels import engine, registry

    merging = importlib.import_module("antidiag.kernels.msa.consistency.groups.cuda_merging")
    stages = importlib.import_module("antidiag.kernels.msa.consistency.posteriors.cuda_stages")
    monkeypatch.setattr(stages, "CudaColumnScorer", lambda *given: merging.CudaColumnScorer(*given, most_cells=2000))
    posed = problem(SequenceType.PROTEIN, (40, 39, 41, 38, 40, 37))
    found = emulated("msa", posed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("msa"), posed, {"threads": 1}, "cpu")).answer
    np.testing.assert_array_equal(found.alignment.letters, expected.alignment.letters)
