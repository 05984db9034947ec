"""Trials of consistency-based alignment: backends against each other, answers by their own check."""

from __future__ import annotations

from typing import Any

from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.msa.trials import make_trials
from antidiag.kernels.trials import TrialChooser


def _consistency_problem() -> ProblemType:
    from antidiag.kernels.msa import CONSISTENCY_PROBLEM  # it names these trials

    return CONSISTENCY_PROBLEM


def _draw_options(choose: TrialChooser) -> dict[str, Any]:
    return {
        "effort": choose.choose_one(("fast", "normal", "thorough")),
        "refinement_seed": choose.choose_one((0, 1)),
        "least_posterior": choose.choose_one((0.01, 0.1)),
        "triplets": choose.choose_one((False, True)),
    }


def _unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    return frozenset()


CONSISTENCY = make_trials(
    _consistency_problem, lambda problem: None, _draw_options, phases_without_steps=_unlogged_phases
)
