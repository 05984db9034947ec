"""Evaluation, posterior and learning on the CPU."""

from __future__ import annotations

import functools
import itertools
import time
from dataclasses import replace
from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.errors import InputError, ScoreOverflow
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.model.underflow import cannot_underflow
from antidiag.kernels.hmm.parameters import SumParameters
from antidiag.kernels.hmm.rows.cpu_tables import build_probability_tables
from antidiag.kernels.hmm.sums import cpu_forward_backward, extended_range, sizes
from antidiag.kernels.hmm.sums.forward_backward import compute_forward, compute_posterior
from antidiag.kernels.hmm.sums.problem import (
    EvaluationAnswer,
    ExpectedCounts,
    LearningProblem,
    PosteriorAnswer,
    impossible_sequence_error,
    learn_model,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.steps import StepLog

NOTHING = np.empty(0)


def hmm_forward(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of a sequence, over all paths."""
    is_bounded, threads = cannot_underflow(problem), sizes.count_sharing_threads(problem, parameters)
    run = CpuRun(monitor, steps, threads if is_bounded else 1)
    run.compile_once(_compile_forward, is_bounded, run.threads > 1)
    with run.phase("forward", problem.n) as phase:
        model = build_probability_tables(problem)
        if is_bounded:
            found, _ = compute_forward(model, phase, NOTHING)
        else:
            found = extended_range.compute_log_probability(problem, model, phase)
        phase.report(phase.total)
    needed = sum(sizes.list_forward_bytes(problem).values())
    return Outcome(EvaluationAnswer(found), run.times_ms, needed)


def hmm_posterior(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of every state at every letter, given the whole sequence."""
    run = CpuRun(monitor, steps, sizes.count_sharing_threads(problem, parameters))
    run.compile_once(_compile_posterior, cannot_underflow(problem), run.threads > 1)
    with run.phase("forward and backward", 2 * problem.n) as phase:
        model = build_probability_tables(problem)
        found, rows = compute_posterior(model, phase, NOTHING)
        extended_range.refuse_lost_states(problem, model, found, monitor)
        phase.report(phase.total)
    posterior = None
    if rows is not None:
        posterior = np.ascontiguousarray(rows.reshape(problem.n, model.width)[:, : problem.states])
        posterior /= posterior.sum(axis=1, keepdims=True)
    needed = sum(sizes.list_posterior_bytes(problem).values())
    return Outcome(PosteriorAnswer(found, posterior), run.times_ms, needed)


def hmm_baum_welch(problem: LearningProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Learn a model that makes the sequences more probable; InputError where it cannot emit one of them."""
    longest = max(problem.parts, key=lambda part: part.n)
    portions = _split_portions(problem)
    run = CpuRun(monitor, steps, min(parameters.threads, len(portions)))
    run.compile_once(_compile_counts, cannot_underflow(longest))
    with run.phase("learning") as phase:
        found = learn_model(problem, lambda model, part, number: _count_portions(portions, model, part, phase), monitor)
    needed = sum(sizes.list_learning_bytes(problem, run.threads).values())
    return Outcome(found, run.times_ms, needed)


def _split_portions(problem: LearningProblem) -> list[LearningProblem]:
    """Split the sequences into portions that are counted separately, so that sums never depend on the threads."""
    ends = np.cumsum([len(each) for each in problem.sequences])
    borders = np.searchsorted(ends, np.arange(1, sizes.MOST_PORTIONS) * ends[-1] / sizes.MOST_PORTIONS)
    cuts = np.unique([0, *(borders + 1), len(ends)])
    parts = [problem.sequences[first:last] for first, last in itertools.pairwise(cuts.tolist())]
    return [replace(problem, sequences=part) for part in parts if any(map(len, part))]


def _count_portions(portions: list[LearningProblem], model: Hmm, monitor: Monitor, phase: CpuPhase) -> ExpectedCounts:
    """Count all portions under ``model`` on threads, and add the counts up in the order of the portions."""
    letters = np.cumsum([0, *(portion.letters for portion in portions)]).tolist()
    found: list[ExpectedCounts | None] = [None] * len(portions)
    failures: dict[int, InputError | ScoreOverflow] = {}

    def count(worker: int, number: int) -> None:
        try:
            found[number] = None if failures else _count_expected(portions[number], model, monitor)
        except (InputError, ScoreOverflow) as error:
            failures[number] = error

    def report() -> None:
        finished = sum(portion.letters for portion, counts in zip(portions, found, strict=True) if counts)
        monitor.update(finished, letters[-1], "learning")

    def cells_of_portion(number: int) -> LoggedCells:
        return LoggedCells((0, len(model)), (letters[number], letters[number + 1]), number)

    if phase.run.threads > 1:
        phase.share_tasks(range(len(portions)), count, cells_of_portion, report)
    else:  # a round may be shorter than the way to another thread
        for number in range(len(portions)):
            report()
            begun_ns = time.perf_counter_ns()
            count(0, number)
            phase.log(cells_of_portion(number), 0, begun_ns)
        report()
    if failures:  # portions begin in order, so that the first failure is raised, whatever the threads
        raise failures[min(failures)]
    total, *sums = zip(*(counts for counts in found if counts is not None), strict=True)
    return sum(total), *(functools.reduce(np.add, parts) for parts in sums)


def _count_expected(problem: LearningProblem, model: Hmm, monitor: Monitor) -> ExpectedCounts:
    """Count the sequences of a portion under ``model``."""
    states, symbols = len(model), len(model.alphabet)
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((symbols + 1, states))
    total = 0.0
    with CpuRun(CancelOnlyMonitor(monitor)).phase("learning") as phase:
        for part in problem.parts:
            now = HmmProblem(model, part.sequence, part.unknown)
            table = build_probability_tables(now)
            width = table.width
            counts, seen = np.zeros(width**2), np.zeros((symbols + 1) * width)
            found, rows = compute_posterior(table, phase, counts)
            extended_range.refuse_lost_states(now, table, found, monitor)
            if rows is None:
                raise impossible_sequence_error(part)
            cpu_forward_backward.count_letters(rows, table, 0, part.n, seen)
            total += found
            first += rows[:states]
            pairs += counts.reshape(width, width)[:states, :states] * model.transitions
            letters += seen.reshape(-1, width)[:, :states]
    return total, first, pairs, letters[:symbols].T


def _compile_forward(is_bounded: bool, is_shared: bool) -> None:
    """Compile what evaluation needs."""
    if is_bounded:
        with CpuRun(threads=2 if is_shared else 1).phase("forward") as phase:
            compute_forward(extended_range.make_tiny_tables(), phase, NOTHING)
    else:
        extended_range.compile_extended_range()


@cache
def _compile_posterior(is_bounded: bool, is_shared: bool = False) -> None:
    """Compile what the posterior needs."""
    with CpuRun(threads=2 if is_shared else 1).phase("forward and backward") as phase:
        compute_posterior(extended_range.make_tiny_tables(), phase, NOTHING)
    if not is_bounded:
        extended_range.compile_extended_range()


def _compile_counts(is_bounded: bool) -> None:
    """Compile what learning needs."""
    _compile_posterior(is_bounded)
    model = extended_range.make_tiny_tables()
    with CpuRun().phase("learning") as phase:
        _, rows = compute_posterior(model, phase, np.zeros(model.width**2))
    cpu_forward_backward.count_letters(rows, model, 0, 1, np.zeros(2 * model.width))
