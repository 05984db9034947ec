"""Runs end where the user wishes: no result, no thread left behind."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method
from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances import problem as rules
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.trials import make_matrix
from tests.kernels.trees.test_distances import SCORINGS
from tests.problems import sequence


class Impatient(Monitor):
    """Cancels when it is asked for the second time."""

    calls = 0

    def check(self) -> None:
        self.calls += 1
        if self.calls > 1:
            raise Cancelled

    def update(self, done: int, total: int, phase: str = "") -> None:
        self.check()


def problems():
    found = tuple(sequence("ACDEFGHIKL" * 9, f"s{number}", SequenceType.PROTEIN) for number in range(20))
    tree = TreeProblem(make_matrix(additive_distances(150, np.random.default_rng(1), 0.1)))
    for name in ("nj-serial", "nj-basic", "nj-compact", "nj-pruned", "upgma"):
        yield name, tree
    yield "distance-full", rules.FullProblem(found, SCORINGS[0], Mode.LOCAL)
    yield "distance-6mer", rules.SixmerProblem(found)
    yield "distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {})


@pytest.mark.parametrize(("name", "problem"), list(problems()))
def test_a_run_can_be_cancelled(name: str, problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antidiag.kernels.trees.joining.cpu.PAIRS_PER_SLICE", 1e4)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(find_method(name), problem, {}, "cpu"), Impatient())
