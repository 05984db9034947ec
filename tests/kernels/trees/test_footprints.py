"""What a run is said to need is at least what it takes, on the emulated device."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix, numbered_names
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import find_method
from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances import problem as rules
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.trials import make_matrix
from tests.kernels.trees.test_distances import SCORINGS
from tests.problems import sequence

GIB = 1 << 30


def problems():
    random = np.random.default_rng(3)
    texts = ["".join(random.choice(list("ACDE"), random.integers(1, 100))) for _ in range(40)]
    found = tuple(sequence(text, f"s{number}", SequenceType.PROTEIN) for number, text in enumerate(texts))
    rows = AlignedSequences(tuple(numbered_names(40)), np.full((40, 100), ord("A"), np.uint8), SequenceType.PROTEIN)
    tree = TreeProblem(make_matrix(additive_distances(120, random, 0.1)))
    return [
        *[(name, tree) for name in ("nj-pruned", "nj-basic", "nj-compact")],
        ("distance-full", rules.FullProblem(found, SCORINGS[0], Mode.LOCAL)),
        ("distance-6mer", rules.SixmerProblem(found)),
        ("distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {})),
        ("distance-alignment", rules.AlignedProblem(rows)),
    ]


@pytest.mark.parametrize(("name", "problem"), problems())
def test_device_memory_is_foretold(emulated, name: str, problem) -> None:
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
    plan = engine.plan_run(find_method(name), problem, {}, "cuda")
    assert 0 < engine.execute(plan).device_bytes <= plan.footprint.device_bytes


def test_100_000_taxa_fit_an_h200() -> None:
    """The matrix is in single precision and joined in place: it is there once."""
    one = np.zeros((1, 1), np.float32)
    problem = TreeProblem(DistanceMatrix(numbered_names(100_000), np.broadcast_to(one, (100_000, 100_000))), "single")
    for name, most in (("nj-pruned", 38 * GIB), ("nj-basic", 38 * GIB), ("nj-compact", 19 * GIB)):
        method = find_method(name)
        planned = method.cost.estimate_memory(problem, method.parameters.restore({"threads": 1}), "cuda")
        assert most - GIB < planned.device_bytes < most
        assert planned.host_bytes < GIB
