"""A run whose log nobody keeps does not work one out."""

from __future__ import annotations

import pytest

from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.trials import make_problem as triple
from tests.problems import shifted

PAIR = shifted(150, 7)
TRIPLE = triple("ACGTACGTTA", "ACGACGTTAA", "CGTACTTA")
RUNS = (
    *((PAIR, method) for method in ("striped-score", "chunked-alignment-1", "checkpointed-alignment", "antidiagonal")),
    *((TRIPLE, method) for method in ("layered", "sloped-bt1", "sloped-bt3", "sloped-checkpointed")),
)


@pytest.mark.parametrize(("problem", "method"), RUNS, ids=[method for _, method in RUNS])
def test_a_log_that_nobody_keeps_is_not_worked_out(emulated, monkeypatch, problem, method: str) -> None:
    from antidiag.kernels.cuda.run import DeviceRun

    worked_out, logged = [], DeviceRun.convert_events
    monkeypatch.setattr(DeviceRun, "convert_events", lambda *given: worked_out.append(given) or logged(*given))
    emulated(method, problem)
    assert worked_out  # what is counted below

    worked_out.clear()
    emulated(method, problem, steps=StepLog(keeps=False))
    assert not worked_out
