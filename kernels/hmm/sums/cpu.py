"""Evaluation, posterior and learning on the CPU."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.cpu.workers import end_idle, share, stop_word
from antidiag.kernels.errors import InputError, ScoreOverflow
from antidiag.kernels.hmm import kinds, sizes, vanishing
from antidiag.kernels.hmm.cpu_tables import Tables, probabilities, tiny
from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums import cpu_sums, together, underflow
from antidiag.kernels.hmm.sums.problem import (
    Counts,
    EvaluationAnswer,
    LearningProblem,
    PosteriorAnswer,
    cannot_emit,
    learned,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor, Silent
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

SLICE = 1 << 25
"""Cells between two looks at whether the user cancelled."""

NOTHING = np.empty(0)


def hmm_forward(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of a sequence, over all paths."""
    bounded, threads = vanishing.bounded(problem), sizes.sharing(problem, parameters)
    warm = (
        partial(_forward, _warm(), Monitor(), _unheard(), NOTHING, int(threads > 0))
        if bounded
        else partial(underflow.compile_for, _warm())
    )
    times_ms = {"compilation": time_ms(warm), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model, log = probabilities(problem), PhaseLog(steps, 1, clock.started_ns)
    if bounded:
        found, _ = _forward(model, monitor, log, NOTHING, threads)
    else:
        found = underflow.log_probability(problem, model, monitor, log)
    clock.phase("forward")
    needed = sum(sizes.sums_parts(problem, kinds.FORWARD).values())
    return Outcome(EvaluationAnswer(found), times_ms, needed)


def hmm_posterior(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of every state at every letter, given the whole sequence."""
    threads = sizes.sharing(problem, parameters)
    warm = partial(_warm_posterior, vanishing.bounded(problem), int(threads > 0))
    times_ms = {"compilation": time_ms(warm), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model = probabilities(problem)
    found, rows = _posterior(model, monitor, PhaseLog(steps, 1, clock.started_ns), NOTHING, threads)
    underflow.compare(problem, model, found, monitor)
    clock.phase("forward and backward")
    posterior = None
    if rows is not None:
        posterior = np.ascontiguousarray(rows.reshape(problem.n, model.width)[:, : problem.states])
        posterior /= posterior.sum(axis=1, keepdims=True)
    needed = sum(sizes.sums_parts(problem, kinds.POSTERIOR).values())
    return Outcome(PosteriorAnswer(found, posterior), times_ms, needed)


def hmm_baum_welch(problem: LearningProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A model that makes the sequences more probable; InputError where the first model cannot emit one of them."""
    times_ms = {
        "compilation": time_ms(partial(_warm_counts, all(map(vanishing.bounded, problem.parts)))),
        "transfer": 0.0,
    }
    clock = PhaseClock(times_ms)
    log, portions = PhaseLog(steps, 1, clock.started_ns), _portions(problem)
    threads = min(typed(HmmParameters, parameters).threads, len(portions))

    def count(model: Hmm, monitor: Monitor, number: int) -> Counts:
        return _shared(portions, model, threads, monitor, log)

    try:
        found = learned(problem, count, monitor)
    except BaseException:
        end_idle()
        raise
    clock.phase("learning")
    return Outcome(found, times_ms, sum(sizes.sums_parts(problem, kinds.LEARNING, threads).values()))


def _portions(problem: LearningProblem) -> list[LearningProblem]:
    """The sequences in portions that are counted on their own: sums have one order, whatever the threads."""
    ends = np.cumsum([len(each) for each in problem.sequences])
    borders = np.searchsorted(ends, np.arange(1, sizes.PORTIONS) * ends[-1] / sizes.PORTIONS)
    cuts = np.unique([0, *(borders + 1), len(ends)])
    parts = [problem.sequences[first:last] for first, last in itertools.pairwise(cuts.tolist())]
    return [replace(problem, sequences=part) for part in parts if any(map(len, part))]


def _shared(portions: list[LearningProblem], model: Hmm, threads: int, monitor: Monitor, log: PhaseLog) -> Counts:
    """What all portions count under ``model``, by threads that take them in turns; added up in their order."""
    letters = np.cumsum([0, *(portion.letters for portion in portions)]).tolist()
    found: list[Counts | None] = [None] * len(portions)
    numbers, stop, done = iter(range(len(portions))), stop_word(), np.zeros(threads, np.int64)
    failures: dict[int, InputError | ScoreOverflow] = {}

    def tell() -> None:
        monitor.update(int(done.sum()), letters[-1], "learning")

    def work(worker: int) -> None:
        for number in numbers:
            if stop[0] or failures:
                return
            begun_ns = time.perf_counter_ns()
            try:
                found[number] = _counted(portions[number], model, Silent(monitor))
            except (InputError, ScoreOverflow) as error:
                failures[number] = error
                return
            log.add(number, (0, len(model)), (letters[number], letters[number + 1]), worker, begun_ns)
            done[worker] += portions[number].letters
            if threads == 1:
                tell()

    if threads == 1:
        work(0)
    else:
        share(work, threads, stop, tell)
    if failures:  # portions begin in order, so that the first one is told, whatever the threads
        raise failures[min(failures)]
    total, *sums = zip(*(counts for counts in found if counts is not None), strict=True)
    return sum(total), *(functools.reduce(np.add, parts) for parts in sums)


def _unheard() -> PhaseLog:
    return PhaseLog(Steps(), 1, 0)


def _warm() -> Tables:
    return tiny(0.0, np.array([0.5, 0.5]), np.full((2, 2), 0.5), 1.0)


def _warm_posterior(bounded: bool, sharing: int = 0) -> None:
    _posterior(_warm(), Monitor(), _unheard(), NOTHING, sharing)
    if not bounded:
        underflow.compile_for(_warm())


def _warm_counts(bounded: bool) -> None:
    _warm_posterior(bounded)
    model = _warm()
    _, rows = _posterior(model, Monitor(), _unheard(), np.zeros(model.width**2))
    cpu_sums.count_letters(rows, model, 0, 1, np.zeros(2 * model.width))


def _sliced(model: Tables) -> int:
    return max(1, SLICE // model.width**2)


def _forward(
    model: Tables, monitor: Monitor, log: PhaseLog, rows: np.ndarray, threads: int = 0
) -> tuple[float, np.ndarray]:
    """The logarithm of the probability of the letters, and the divisors; forward rows go to ``rows``.

    ``threads`` share every row; 0: one thread, which waits for nobody.
    """
    n, row = len(model.seen), model.initial.copy()
    if threads:
        divisors, possible = together.forward(model, threads, monitor, log, rows)
        if not possible:
            monitor.update(n, n, "forward")
        return float(np.log(divisors).sum()) if possible else -np.inf, divisors
    divisors, stop = np.zeros(n), stop_word()
    for first in range(0, n, _sliced(model)):
        monitor.update(first, n, "forward")
        last, begun_ns = min(first + _sliced(model), n), time.perf_counter_ns()
        done = cpu_sums.forward(row, model, first, last, divisors, rows, stop)
        log.add(0, (0, model.states), (first, done), 0, begun_ns)
        if done < last:
            monitor.update(n, n, "forward")
            return -np.inf, divisors
    if n:
        monitor.update(n, n, "forward")
    return float(np.log(divisors).sum()), divisors


def _posterior(
    model: Tables, monitor: Monitor, log: PhaseLog, pairs: np.ndarray, threads: int = 0
) -> tuple[float, np.ndarray | None]:
    """The logarithm of the probability, and the posterior rows (flat); ``pairs`` takes counts where it is not empty.

    ``threads`` as in `_forward`.
    """
    n = len(model.seen)
    rows = np.zeros(n * model.width)
    found, divisors = _forward(model, monitor, log, rows, threads)
    if found == -np.inf:
        return found, None
    if threads:
        together.backward(model, threads, monitor, log, divisors, rows, pairs)
        return found, rows
    row, stop = np.ones(model.width), stop_word()
    for last in range(n - 1, -1, -_sliced(model)):
        monitor.update(n - 1 - last, n, "backward")
        first, begun_ns = max(0, last - _sliced(model) + 1), time.perf_counter_ns()
        cpu_sums.backward(row, model, first, last, divisors, rows, pairs, stop)
        log.add(0, (0, model.states), (first, last + 1), 0, begun_ns)
    if n:
        monitor.update(n, n, "backward")
    return found, rows


def _counted(problem: LearningProblem, model: Hmm, monitor: Monitor) -> Counts:
    """What all sequences count under ``model``."""
    states, symbols = len(model), len(model.alphabet)
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((symbols + 1, states))
    total, done = 0.0, 0
    for part in problem.parts:
        monitor.update(done, problem.letters, "learning")
        now = HmmProblem(model, part.sequence, part.unknown)
        table = probabilities(now)
        width = table.width
        counts, seen = np.zeros(width**2), np.zeros((symbols + 1) * width)
        found, rows = _posterior(table, Silent(monitor), _unheard(), counts)
        underflow.compare(now, table, found, monitor)
        if rows is None:
            raise cannot_emit(part)
        cpu_sums.count_letters(rows, table, 0, part.n, seen)
        total, done = total + found, done + part.n
        first += rows[:states]
        pairs += counts.reshape(width, width)[:states, :states] * model.transitions
        letters += seen.reshape(-1, width)[:, :states]
    return total, first, pairs, letters[:symbols].T
