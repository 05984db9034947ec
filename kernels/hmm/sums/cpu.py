"""Evaluation, posterior and learning on the CPU."""

from __future__ import annotations

import functools
import itertools
import time
from dataclasses import replace
from functools import partial

import numpy as np

from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog, measure_ms
from antidiag.kernels.cpu.workers import end_idle_threads, make_stop_word, share_work
from antidiag.kernels.errors import InputError, ScoreOverflow
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.model.underflow import cannot_underflow
from antidiag.kernels.hmm.parameters import SumParameters
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_probability_tables, build_tiny_tables
from antidiag.kernels.hmm.sums import cpu_forward_backward, extended_range, row_sharing, sizes
from antidiag.kernels.hmm.sums.problem import (
    EvaluationAnswer,
    ExpectedCounts,
    LearningProblem,
    PosteriorAnswer,
    impossible_sequence_error,
    learn,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.steps import StepLog

SLICE = 1 << 25
"""Cells between two checks for cancellation."""

NOTHING = np.empty(0)


def hmm_forward(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of a sequence, over all paths."""
    is_bounded, threads = cannot_underflow(problem), sizes.count_sharing_threads(problem, parameters)
    warm = (
        partial(_compute_forward, _make_tiny_tables(), Monitor(), _make_silent_log(), NOTHING, int(threads > 0))
        if is_bounded
        else partial(extended_range.compile_extended_range, _make_tiny_tables())
    )
    times_ms = {"compilation": measure_ms(warm), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model, log = build_probability_tables(problem), PhaseLog(steps, 1, clock.started_ns)
    if is_bounded:
        found, _ = _compute_forward(model, monitor, log, NOTHING, threads)
    else:
        found = extended_range.compute_log_probability(problem, model, monitor, log)
    clock.end_phase("forward")
    needed = sum(sizes.list_forward_bytes(problem).values())
    return Outcome(EvaluationAnswer(found), times_ms, needed)


def hmm_posterior(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of every state at every letter, given the whole sequence."""
    threads = sizes.count_sharing_threads(problem, parameters)
    warm = partial(_compile_posterior, cannot_underflow(problem), int(threads > 0))
    times_ms = {"compilation": measure_ms(warm), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    model = build_probability_tables(problem)
    found, rows = _compute_posterior(model, monitor, PhaseLog(steps, 1, clock.started_ns), NOTHING, threads)
    extended_range.refuse_lost_states(problem, model, found, monitor)
    clock.end_phase("forward and backward")
    posterior = None
    if rows is not None:
        posterior = np.ascontiguousarray(rows.reshape(problem.n, model.width)[:, : problem.states])
        posterior /= posterior.sum(axis=1, keepdims=True)
    needed = sum(sizes.list_posterior_bytes(problem).values())
    return Outcome(PosteriorAnswer(found, posterior), times_ms, needed)


def hmm_baum_welch(problem: LearningProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Learn a model that makes the sequences more probable; InputError where it cannot emit one of them."""
    longest = max(problem.parts, key=lambda part: part.n)
    times_ms = {"compilation": measure_ms(partial(_compile_counts, cannot_underflow(longest))), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    log, portions = PhaseLog(steps, 1, clock.started_ns), _split_portions(problem)
    threads = min(parameters.threads, len(portions))

    def count(model: Hmm, monitor: Monitor, number: int) -> ExpectedCounts:
        return _count_portions(portions, model, threads, monitor, log)

    try:
        found = learn(problem, count, monitor)
    except BaseException:
        end_idle_threads()
        raise
    clock.end_phase("learning")
    return Outcome(found, times_ms, sum(sizes.list_learning_bytes(problem, threads).values()))


def _split_portions(problem: LearningProblem) -> list[LearningProblem]:
    """Split the sequences into portions that are counted separately, so that sums never depend on the threads."""
    ends = np.cumsum([len(each) for each in problem.sequences])
    borders = np.searchsorted(ends, np.arange(1, sizes.MOST_PORTIONS) * ends[-1] / sizes.MOST_PORTIONS)
    cuts = np.unique([0, *(borders + 1), len(ends)])
    parts = [problem.sequences[first:last] for first, last in itertools.pairwise(cuts.tolist())]
    return [replace(problem, sequences=part) for part in parts if any(map(len, part))]


def _count_portions(
    portions: list[LearningProblem], model: Hmm, threads: int, monitor: Monitor, log: PhaseLog
) -> ExpectedCounts:
    """Count all portions under ``model`` on threads, and add the counts up in the order of the portions."""
    letters = np.cumsum([0, *(portion.letters for portion in portions)]).tolist()
    found: list[ExpectedCounts | None] = [None] * len(portions)
    numbers, stop, done = iter(range(len(portions))), make_stop_word(), np.zeros(threads, np.int64)
    failures: dict[int, InputError | ScoreOverflow] = {}

    def report() -> None:
        monitor.update(int(done.sum()), letters[-1], "learning")

    def work(worker: int) -> None:
        for number in numbers:
            if stop[0] or failures:
                return
            begun_ns = time.perf_counter_ns()
            try:
                found[number] = _count_expected(portions[number], model, CancelOnlyMonitor(monitor))
            except (InputError, ScoreOverflow) as error:
                failures[number] = error
                return
            log.add_event(number, (0, len(model)), (letters[number], letters[number + 1]), worker, begun_ns)
            done[worker] += portions[number].letters
            if threads == 1:
                report()

    if threads == 1:
        work(0)
    else:
        share_work(work, threads, stop, report)
    if failures:  # portions begin in order, so that the first failure is raised, whatever the threads
        raise failures[min(failures)]
    total, *sums = zip(*(counts for counts in found if counts is not None), strict=True)
    return sum(total), *(functools.reduce(np.add, parts) for parts in sums)


def _make_silent_log() -> PhaseLog:
    """Return a log that nobody reads."""
    return PhaseLog(StepLog(), 1, 0)


def _make_tiny_tables() -> HmmTables:
    """Return a tiny model to compile with."""
    return build_tiny_tables(0.0, np.array([0.5, 0.5]), np.full((2, 2), 0.5), 1.0)


def _compile_posterior(is_bounded: bool, sharing: int = 0) -> None:
    """Compile what the posterior needs."""
    _compute_posterior(_make_tiny_tables(), Monitor(), _make_silent_log(), NOTHING, sharing)
    if not is_bounded:
        extended_range.compile_extended_range(_make_tiny_tables())


def _compile_counts(is_bounded: bool) -> None:
    """Compile what learning needs."""
    _compile_posterior(is_bounded)
    model = _make_tiny_tables()
    _, rows = _compute_posterior(model, Monitor(), _make_silent_log(), np.zeros(model.width**2))
    cpu_forward_backward.count_letters(rows, model, 0, 1, np.zeros(2 * model.width))


def _count_slice_letters(model: HmmTables) -> int:
    """Return the letters of a slice between two checks for cancellation."""
    return max(1, SLICE // model.width**2)


def _compute_forward(
    model: HmmTables, monitor: Monitor, log: PhaseLog, rows: np.ndarray, threads: int = 0
) -> tuple[float, np.ndarray]:
    """Return the logarithm of the probability of the letters, and the divisors of the rows, which go to ``rows``.

    ``threads`` share every row; 0: one thread, which waits for nobody.
    """
    n, row = len(model.seen), model.initial.copy()
    if threads:
        divisors, possible = row_sharing.compute_forward(model, threads, monitor, log, rows)
        if not possible:
            monitor.update(n, n, "forward")
        return float(np.log(divisors).sum()) if possible else -np.inf, divisors
    divisors, stop = np.zeros(n), make_stop_word()
    for first in range(0, n, _count_slice_letters(model)):
        monitor.update(first, n, "forward")
        last, begun_ns = min(first + _count_slice_letters(model), n), time.perf_counter_ns()
        done = cpu_forward_backward.compute_forward_rows(row, model, first, last, divisors, rows, stop)
        log.add_event(0, (0, model.states), (first, done), 0, begun_ns)
        if done < last:
            monitor.update(n, n, "forward")
            return -np.inf, divisors
    if n:
        monitor.update(n, n, "forward")
    return float(np.log(divisors).sum()), divisors


def _compute_posterior(
    model: HmmTables, monitor: Monitor, log: PhaseLog, pairs: np.ndarray, threads: int = 0
) -> tuple[float, np.ndarray | None]:
    """Return the logarithm of the probability, and the posterior rows (flat); ``pairs`` takes counts unless it is
    empty.

    ``threads`` share every row, as in `_compute_forward`.
    """
    n = len(model.seen)
    rows = np.zeros(n * model.width)
    found, divisors = _compute_forward(model, monitor, log, rows, threads)
    if found == -np.inf:
        return found, None
    if threads:
        row_sharing.compute_backward(model, threads, monitor, log, divisors, rows, pairs)
        return found, rows
    row, stop = np.ones(model.width), make_stop_word()
    for last in range(n - 1, -1, -_count_slice_letters(model)):
        monitor.update(n - 1 - last, n, "backward")
        first, begun_ns = max(0, last - _count_slice_letters(model) + 1), time.perf_counter_ns()
        cpu_forward_backward.compute_backward_rows(row, model, first, last, divisors, rows, pairs, stop)
        log.add_event(0, (0, model.states), (first, last + 1), 0, begun_ns)
    if n:
        monitor.update(n, n, "backward")
    return found, rows


def _count_expected(problem: LearningProblem, model: Hmm, monitor: Monitor) -> ExpectedCounts:
    """Count the sequences of a portion under ``model``."""
    states, symbols = len(model), len(model.alphabet)
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((symbols + 1, states))
    total, done = 0.0, 0
    for part in problem.parts:
        monitor.update(done, problem.letters, "learning")
        now = HmmProblem(model, part.sequence, part.unknown)
        table = build_probability_tables(now)
        width = table.width
        counts, seen = np.zeros(width**2), np.zeros((symbols + 1) * width)
        found, rows = _compute_posterior(table, CancelOnlyMonitor(monitor), _make_silent_log(), counts)
        extended_range.refuse_lost_states(now, table, found, monitor)
        if rows is None:
            raise impossible_sequence_error(part)
        cpu_forward_backward.count_letters(rows, table, 0, part.n, seen)
        total, done = total + found, done + part.n
        first += rows[:states]
        pairs += counts.reshape(width, width)[:states, :states] * model.transitions
        letters += seen.reshape(-1, width)[:, :states]
    return total, first, pairs, letters[:symbols].T
