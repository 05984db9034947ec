"""The alignment that agrees with several: what they say of pairs of letters, and what is made of that."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import CONSISTENCY_PROBLEM
from antidiag.kernels.msa.consistency import ensemble
from antidiag.kernels.msa.consistency.posteriors import cpu_stages
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.trials import generate_family


def test_the_share_of_alignments_is_counted() -> None:
    random, lengths = np.random.default_rng(3), np.array([7, 0, 9, 5])
    starts, columns = np.cumsum(lengths) - lengths, [12, 10, 11]
    places = [
        np.concatenate([np.sort(random.permutation(wide)[:length]) for length in lengths]).astype(np.int32)
        for wide in columns
    ]
    parts = ensemble.compute_agreement(lengths, places, columns, CpuRun(threads=2))
    found = cpu_stages.CpuStages(CpuRun()).lay_out_pairs(lengths, parts)
    for x, y in permutations(range(4), 2):
        expected = np.zeros((lengths[x], lengths[y]))
        for own in places:
            first, second = (own[starts[z] : starts[z] + lengths[z]] for z in (x, y))
            expected += first[:, None] == second[None, :]
        np.testing.assert_array_equal(found.dense(x, y) * 65536, (expected * 65535).astype(np.int64) // 3)


@pytest.mark.parametrize("kind", [SequenceType.PROTEIN, SequenceType.DNA])
def test_it_is_an_alignment_whatever_the_threads(kind: SequenceType) -> None:
    sequences = (
        generate_family(6, 30)
        if kind == SequenceType.PROTEIN
        else tuple(
            type(one)(one.name, bytes(b"ACGT"[letter % 4] for letter in one.letters), kind)
            for one in generate_family(6, 30)
        )
    )
    problem = CONSISTENCY_PROBLEM.make_problem(sequences, {"effort": "thorough"})
    assert len(make_recipe(problem).variants) == (4 if kind == SequenceType.PROTEIN else 3)
    method, answers = registry.find_method("msa"), []
    for threads in (1, 3):
        planned = engine.plan_run(method, problem, {"threads": threads}, "cpu")
        result = engine.execute(planned, keep_rate=False, keep_parts=False)
        result.check(problem)
        assert result.cells == problem.cells * len(make_recipe(problem).variants)
        answers.append(result.answer)
    trials.load_trials(method.problem_type).assert_same_answer(problem, answers[0], answers[1], method)
    assert {"variants", "agreement", "progressive"} <= result.times_ms.keys()


def test_equal_sequences_and_single_ones() -> None:
    for count in (1, 2, 3):
        problem = CONSISTENCY_PROBLEM.make_problem(count * generate_family(1, 20), {"effort": "thorough"})
        result = engine.execute(
            engine.plan_run(registry.find_method("msa"), problem, {}, "cpu"), keep_rate=False, keep_parts=False
        )
        result.check(problem)
        assert result.answer.alignment.letters.shape == (count, len(problem.sequences[0]))


@pytest.mark.parametrize("stage", ["variants", "agreement"])
def test_every_stage_can_be_cancelled(stage: str) -> None:
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == stage else None)
    problem = CONSISTENCY_PROBLEM.make_problem(generate_family(5, 30), {"effort": "thorough"})
    with pytest.raises(Cancelled):
        engine.execute(
            engine.plan_run(registry.find_method("msa"), problem, {}, "cpu"), monitor, keep_rate=False, keep_parts=False
        )


def test_the_device_finds_the_same(emulated) -> None:  # type: ignore[no-untyped-def]
    method, problem = (
        registry.find_method("msa"),
        CONSISTENCY_PROBLEM.make_problem(generate_family(4, 15), {"effort": "thorough"}),
    )
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)
    np.testing.assert_array_equal(found.confidence, expected.confidence)
