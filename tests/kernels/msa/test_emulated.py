"""Multiple alignment on the device code, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import registry, trials
from tests.choosing import Drawn


@pytest.mark.parametrize("method_id", ["msa-thesis", "msa-clustalw"])
@settings(max_examples=6)
@given(data=st.data(), seed=st.sampled_from((0, 1)))
def test_small_families(emulated, method_id: str, data: st.DataObject, seed: int) -> None:
    method = registry.method(method_id)
    tried = trials.of(method.problem)
    problem = tried.draw(Drawn(data.draw))
    tried.same(problem, emulated(method_id, problem, seed=seed).answer, tried.oracle(problem), method)
