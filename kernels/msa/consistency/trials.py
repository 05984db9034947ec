"""How consistency-based alignment is tried: its backends against each other, answers by their own check."""

from __future__ import annotations

from typing import Any

from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.msa.trials import trials
from antidiag.kernels.trials import Choose


def _problem() -> ProblemType:
    from antidiag.kernels.msa import CONSISTENCY_PROBLEM  # it names these trials

    return CONSISTENCY_PROBLEM


def _options(choose: Choose) -> dict[str, Any]:
    return {
        "effort": choose.of(("fast", "normal", "thorough")),
        "refinement_seed": choose.of((0, 1)),
        "least_posterior": choose.of((0.01, 0.1)),
        "triplets": choose.of((False, True)),
    }


def _unlogged(method: Method, backend: str) -> frozenset[str]:
    return frozenset()


CONSISTENCY = trials(_problem, lambda problem: None, _options, unlogged=_unlogged)
