"""The device code of the pairwise methods, on the emulator."""

from __future__ import annotations

import pytest

from kernels.registry import METHODS
from kernels.scoring import Scoring, match_mismatch
from tests import oracle
from tests.problems import pair


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_answer_is_the_oracles(emulated, method):
    problem = pair("ACGTTACGATTACA" * 5, "GATTACAGGACGTTA" * 6, Scoring(match_mismatch(2, -3), 5, 2))
    found = emulated(method, problem, **({"s": 32} if "s" in {parameter.name for parameter in method.parameters} else {}))
    assert (found.answer.score, found.answer.end) == (oracle.best(problem).score, oracle.best(problem).end)
