"""Evaluation, posterior and learning on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.phases import PhaseClock, time_ms
from kernels.steps import Steps
from kernels.tropical.viterbi import cpu_sums, sizes
from kernels.tropical.viterbi.cpu_tables import Tables, probabilities, tiny
from kernels.tropical.viterbi.hmm import Hmm
from kernels.tropical.viterbi.problem import HmmProblem
from kernels.tropical.viterbi.sums import (
    Counts,
    EvaluationAnswer,
    LearningProblem,
    PosteriorAnswer,
    cannot_emit,
    learned,
)
from kernels.workers import stop_word

SLICE = 1 << 25
"""Cells between two looks at whether the user cancelled."""

NOTHING = np.empty(0)


def hmm_forward(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of a sequence, over all paths."""
    times_ms = {"compilation": time_ms(partial(_forward, _warm(), Monitor(), NOTHING)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model = probabilities(problem)
    found, _ = _forward(model, monitor, NOTHING)
    clock.phase("forward")
    return Outcome(EvaluationAnswer(found), times_ms, 24 * model.width**2 + 8 * problem.n)


def hmm_posterior(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of every state at every letter, given the whole sequence."""
    times_ms = {"compilation": time_ms(partial(_posterior, _warm(), Monitor(), NOTHING)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model = probabilities(problem)
    found, rows = _posterior(model, monitor, NOTHING)
    clock.phase("forward and backward")
    posterior = None
    if rows is not None:
        posterior = np.ascontiguousarray(rows.reshape(problem.n, model.width)[:, : problem.states])
        posterior /= posterior.sum(axis=1, keepdims=True)
    needed = sum(sizes.parts(problem, parameters, "hmm-posterior").values())
    return Outcome(PosteriorAnswer(found, posterior), times_ms, needed)


def hmm_baum_welch(problem: LearningProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A model that makes the sequences more probable; InputError where the first model cannot emit one of them."""
    times_ms = {"compilation": time_ms(_warm_counts), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    found = learned(problem, lambda model: _counted(problem, model, monitor), monitor)
    clock.phase("learning")
    longest = max(map(len, problem.sequences))
    width = sizes.padded(len(problem.hmm))
    return Outcome(found, times_ms, 8 * width * longest + 32 * width**2)


def _warm() -> Tables:
    return tiny(0.0, np.array([0.5, 0.5]), np.full((2, 2), 0.5), 1.0)


def _warm_counts() -> None:
    model = _warm()
    _, rows = _posterior(model, Monitor(), np.zeros(model.width**2))
    cpu_sums.count_letters(rows, model.width, model.states, model.seen, 0, 1, np.zeros(2 * model.width))


def _sliced(model: Tables) -> int:
    return max(1, SLICE // model.width**2)


def _forward(model: Tables, monitor: Monitor, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """The logarithm of the probability of the letters, and the divisors; forward rows go to ``rows``."""
    n, row = len(model.seen), model.initial.copy()
    divisors, stop = np.zeros(n), stop_word()
    for first in range(0, n, _sliced(model)):
        monitor.update(first, n, "forward")
        last = min(first + _sliced(model), n)
        if cpu_sums.forward(row, model.transitions, model.width, model.states, model.emissions, model.seen, first,
                            last, divisors, rows, stop) < last:  # fmt: skip
            return -np.inf, divisors
    return float(np.log(divisors).sum()), divisors


def _posterior(model: Tables, monitor: Monitor, pairs: np.ndarray) -> tuple[float, np.ndarray | None]:
    """The logarithm of the probability, and the posterior rows (flat); ``pairs`` takes counts where it is not empty."""
    n = len(model.seen)
    rows = np.zeros(n * model.width)
    found, divisors = _forward(model, monitor, rows)
    if found == -np.inf:
        return found, None
    row, stop = np.ones(model.width), stop_word()
    for last in range(n - 1, -1, -_sliced(model)):
        monitor.update(n - 1 - last, n, "backward")
        first = max(0, last - _sliced(model) + 1)
        cpu_sums.backward(row, model.columns, model.width, model.states, model.emissions, model.seen, first, last,
                          divisors, rows, pairs, stop)  # fmt: skip
    return found, rows


def _counted(problem: LearningProblem, model: Hmm, monitor: Monitor) -> Counts:
    """What all sequences count under ``model``."""
    states, symbols = len(model), len(model.alphabet)
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((symbols + 1, states))
    total = 0.0
    for part in problem.parts:
        table = probabilities(HmmProblem(model, part.sequence, part.unknown))
        width = table.width
        counts, seen = np.zeros(width**2), np.zeros((symbols + 1) * width)
        found, rows = _posterior(table, monitor, counts)
        if rows is None:
            raise cannot_emit(part)
        cpu_sums.count_letters(rows, width, states, table.seen, 0, part.n, seen)
        total += found
        first += rows[:states]
        pairs += counts.reshape(width, width)[:states, :states] * model.transitions
        letters += seen.reshape(-1, width)[:, :states]
    return total, first, pairs, letters[:symbols].T
