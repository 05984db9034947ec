"""Search for parameters that make a method fast on this machine, within a time budget.

Optuna proposes values (its tree-structured Parzen estimator, a Bayesian search) and decides by successive
halving which candidates get another run. The automatic values are the first candidate and take part in the
final runs with the best candidates, so that no slower values are ever stored. More worker threads than processors have
to win a second time, because on a busy machine they win by chance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from antidiag.kernels import engine
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError, Cancelled, ParameterError
from antidiag.kernels.experiments.measuring import runner, task_preparation, timing
from antidiag.kernels.experiments.measuring.answer_agreement import AnswerAgreement
from antidiag.kernels.experiments.measuring.runner import SweepControl
from antidiag.kernels.experiments.measuring.task_preparation import PreparedTask
from antidiag.kernels.experiments.measuring.timing import TimedRuns
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun, spread_of
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, find_contender
from antidiag.kernels.machine import tuned_values
from antidiag.kernels.machine.tuned_values import TunedValues
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.processors import count_processors
from antidiag.kernels.run_plan import RunPlan

VALUES_A_DOUBLING = 4
RUNS = 4
"""Largest number of runs of a candidate in the search."""
REDUCTION = 3
"""One of so many candidates gets the next run."""
FINALISTS, FINAL_RUNS, FINAL_SHARE = 3, 5, 0.25
"""The best candidates run again in turn, for at most this fraction of the budget."""
MIN_GAIN = 0.02
"""Smallest fraction of the time of the automatic values that tuned values must save."""
COMPILATION_SHARE = 0.01
"""A run that spent a larger fraction of its time on compilation counts as a warm-up."""

Values = Mapping[str, Any]
ValuesKey = tuple[tuple[str, Any], ...]
"""Values as a key: pairs of name and value, sorted by name."""


@dataclass(frozen=True)
class TuningOutcome:
    """Outcome of a search: the best values and the automatic values, with their times.

    ``points`` are all candidates in the order of the search. ``kept`` is whether the values were stored for later runs,
    else ``reason`` says why not. ``stopped`` is whether the user ended the search.
    """

    values: Values
    time_ms: float
    automatic: Values
    automatic_ms: float
    points: tuple[MeasuredPoint, ...] = ()
    kept: bool = False
    reason: str = ""
    stopped: bool = False

    @property
    def speedup_ratio(self) -> float:
        """Time of the automatic values divided by the time of the best values."""
        return self.automatic_ms / self.time_ms


@dataclass
class _Search:
    """State of a search: its task and the candidates that ran, by their values."""

    task: MeasurementTask
    problem: Any
    problem_digest: str
    control: SweepControl
    on_point: Callable[[MeasuredPoint], None]
    store: PointStore | None
    agreement: AnswerAgreement = field(default_factory=AnswerAgreement)
    points: list[MeasuredPoint] = field(default_factory=list)
    medians: dict[ValuesKey, float] = field(default_factory=dict)

    def prepare_candidate(self, values: Values) -> PreparedTask:
        """Return the prepared task of a candidate."""
        coordinates = {"method": self.task.contender, **values}
        task = replace(self.task, parameters={**self.task.parameters, **values}, coordinates=coordinates)
        return task_preparation.prepare_task(task, self.problem, self.problem_digest, self.control)

    def add_point(self, point: MeasuredPoint) -> MeasuredPoint:
        """Check, store and report the point of a candidate."""
        point = self.agreement.check_point(point)
        if self.store is not None:
            self.store.append_point(point)
        self.points.append(point)
        self.on_point(point)
        return point


def search_space(method: Method, automatic: Values, backend: str, fixed: Values) -> dict[str, tuple[Any, ...]]:
    """Return the values to try for every automatic parameter that the user did not fix.

    Numbers lie around the automatic value, four per doubling. Memory limits are not searched.
    """
    found = {}
    for parameter in method.parameters.declared():
        is_open = parameter.default is None and parameter.name not in fixed and parameter.unit != "MiB"
        if is_open and backend in parameter.backends and parameter.kind != "text":
            found[parameter.name] = _candidate_values(parameter, automatic[parameter.name])
    return {name: values for name, values in found.items() if len(values) > 1}


def tune_parameters(
    task: MeasurementTask,
    budget_s: float = 60.0,
    control: SweepControl | None = None,
    on_point: Callable[[MeasuredPoint], None] = lambda point: None,
    on_progress: Callable[[runner.SweepProgress], None] = lambda progress: None,
    only: Mapping[str, tuple[Any, ...]] | None = None,
    store: PointStore | None = None,
    seed: int = 1,
) -> TuningOutcome:
    """Search fast parameters for the problem of a task and store them for later runs of about this size.

    ``task.parameters`` are fixed. The result is not stored if there are any, or if ``only`` restricts the values of
    some parameters. ``on_point`` gets the point of every candidate. ``control.cancel()`` ends the search with the best
    values so far. Raises MemoryRefused or another AntidiagError if the automatic values cannot run, ParameterError if
    there is no parameter to search.
    """
    _import_optuna()  # where it is missing, this is said before anything is measured
    control = control or SweepControl()
    began = time.monotonic()
    problem = task.build_problem()
    method = tunable_method(task)
    planned = engine.plan_run(method, problem, task.parameters, task.backend, task.device, use_tuned=False)
    if planned.refusal:
        raise ParameterError(f"the automatic values cannot run: {planned.refusal}")
    automatic = dict(planned.parameters.as_mapping())
    choices = search_space(method, automatic, planned.backend, task.parameters)
    if only:
        choices = {name: only.get(name, values) for name, values in choices.items()}
    if not choices:
        raise ParameterError(f"{method.name} has no parameter to search: all are fixed or have a single value")
    search = _Search(
        replace(task, backend=cast(BackendChoice, planned.backend)),
        problem,
        digest_value(problem),
        control,
        on_point,
        store,
    )
    if store is not None:
        store.begin_sweep(sweep_records.search_to_json(task))
    first = {name: automatic[name] for name in choices}
    before = tuned_values.find_tuned(method, planned.backend, planned.device_name, problem.cells)
    starts = [first, *([{**first, **{k: v for k, v in before.values.items() if k in choices}}] if before else [])]

    def report(text: str) -> None:
        passed = time.monotonic() - began
        on_progress(runner.SweepProgress(len(search.points), 0, passed, max(0.0, budget_s - passed), text))

    stopped = False
    try:
        _explore_candidates(search, choices, starts, began + budget_s * (1 - FINAL_SHARE), seed, report)
        report("comparing the best values")
        ranking = _run_finalists(search, _choose_finalists(search, first), budget_s * FINAL_SHARE)
        if _has_spare_threads(_fastest(ranking)):
            report("measuring again with more threads than processors")
            ranking = _confirm_threads(search, ranking, budget_s * FINAL_SHARE)
    except Cancelled:
        stopped, ranking = (
            True,
            {key: time_ms for key, time_ms in search.medians.items() if not _has_spare_threads(key)},
        )
    if _values_key(first) not in ranking:
        raise Cancelled
    best = _fastest(ranking)
    found = TuningOutcome(
        values=dict(best),
        time_ms=ranking[best],
        automatic=first,
        automatic_ms=ranking[_values_key(first)],
        points=tuple(search.points),
        stopped=stopped,
    )
    reason = _explain_not_kept(found, task, only)
    if not reason:
        tuned_values.save_tuned(_tuned_entry(found, planned))
    elif before and found.values == first and not task.parameters:
        tuned_values.delete_tuned_for_size(method.id, planned.backend, planned.device_name, problem.cells)
    return replace(found, kept=not reason, reason=reason)


def tunable_method(task: MeasurementTask) -> Method:
    """Return the method of a task; raise ParameterError for a peer, which cannot be tuned."""
    found = find_contender(task.contender)
    if not isinstance(found, Method):
        raise ParameterError(f"{found.name} is a peer; only methods can be tuned")
    return found


def _candidate_values(parameter: Parameter, automatic: Any) -> tuple[Any, ...]:
    if parameter.kind == "bool":
        return False, True
    if parameter.kind == "choice":
        return parameter.choices
    middle = float(automatic) if automatic else float(parameter.minimum or 1)
    steps = range(-4 * VALUES_A_DOUBLING, 4 * VALUES_A_DOUBLING + 1)  # AROUND is 2 to the power of 4
    numbers = (middle * 2 ** (step / VALUES_A_DOUBLING) for step in steps)
    found = {_nearest_valid(parameter, number) for number in numbers}
    return tuple(sorted(found | ({automatic} if automatic is not None else set())))


def _nearest_valid(parameter: Parameter, number: float) -> int | float:
    """Return the valid value nearest to a number."""
    low = parameter.minimum if parameter.minimum is not None else 0
    if parameter.kind == "int":
        number = int(low + round((number - low) / parameter.step) * parameter.step)
    number = max(number, low) if parameter.minimum is not None else number
    if parameter.maximum is not None and number > parameter.maximum:
        number = parameter.maximum
    return int(number) if parameter.kind == "int" else number


def _import_optuna() -> Any:
    """Return Optuna, which proposes candidates; AntidiagError that names the extra where it is not installed."""
    try:
        import optuna
    except ImportError:
        raise AntidiagError(
            "tuning needs the library Optuna, which is not installed; install it with pip install 'antidiag[tune]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _explore_candidates(
    search: _Search,
    choices: Mapping[str, tuple[Any, ...]],
    starts: Sequence[Values],
    until: float,
    seed: int,
    report: Callable[[str], None],
) -> None:
    """Run candidates until the time is over or all are known."""
    optuna = _import_optuna()
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=8),
        pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=REDUCTION),
    )
    # Values are searched by their index in the list, so that a doubling is the same distance everywhere.
    places: dict[str, Any] = {
        name: optuna.distributions.IntDistribution(0, len(values) - 1) for name, values in choices.items()
    }
    for start in starts:
        study.enqueue_trial(
            {name: choices[name].index(start[name]) for name in choices if start[name] in choices[name]}
        )
    possible, repeated = 1, 0
    for several in choices.values():
        possible *= len(several)
    tried: dict[ValuesKey, float] = {}
    while len(tried) < possible and repeated < 50 and (time.monotonic() < until or len(tried) < len(starts)):
        search.control.wait_while_paused()
        trial = study.ask(places)
        values = {name: choices[name][trial.params[name]] for name in choices}
        if _values_key(values) in tried:
            # The sampler proposes known values again; another measurement would add nothing.
            study.tell(trial, tried[_values_key(values)])
            repeated += 1
            continue
        repeated = 0
        report(", ".join(f"{name} = {value}" for name, value in values.items()))
        median = _run_candidate(search, values, trial, patient=len(tried) < len(starts))
        tried[_values_key(values)] = float("inf") if median is None else median
        if median is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, median)


def _run_candidate(search: _Search, values: Values, trial: Any, patient: bool) -> float | None:
    """Run a candidate as often as the pruner allows; return the median time, or None if it does not run."""
    prepared = search.prepare_candidate(values)
    if prepared.call is None:
        search.add_point(prepared.point)
        return None
    measured = TimedRuns()
    try:
        for number in range(1, RUNS + 1):
            run, measured.value = _run_without_compilation(prepared, measured)
            measured.runs.append(run)
            trial.report(_median_time(measured.runs), number)
            if not patient and trial.should_prune():
                break
            search.control.wait_while_paused()
    except (AntidiagError, MemoryError) as error:
        measured.error = timing.record_failure(error)
    point = search.add_point(task_preparation.complete_point(prepared, measured))
    if point.status is not PointStatus.MEASURED:
        return None
    search.medians[_values_key(values)] = _median_time(measured.runs)
    return search.medians[_values_key(values)]


def _run_without_compilation(prepared: PreparedTask, measured: TimedRuns) -> tuple[TimedRun, Any]:
    """Return a run without compilation; a first run that compiled is repeated."""
    assert prepared.call is not None
    run, value = prepared.call()
    if not measured.runs and run.compilation_ms > COMPILATION_SHARE * run.wall_ms:
        measured.compilation_ms = run.compilation_ms
        return prepared.call()
    return run, value


def _choose_finalists(search: _Search, automatic: Values) -> list[ValuesKey]:
    """Return the automatic values, the best candidates, and the best one without spare threads."""
    ranked = sorted(search.medians, key=search.medians.__getitem__)
    within = [values for values in ranked if not _has_spare_threads(values)]
    return list(dict.fromkeys([_values_key(automatic), *ranked[:FINALISTS], *within[:1]]))


def _run_finalists(search: _Search, finalists: Sequence[ValuesKey], seconds: float) -> dict[ValuesKey, float]:
    """Run some candidates in turn and return their median times."""
    prepared = [search.prepare_candidate(dict(values)) for values in finalists]
    calls = [one.call for one in prepared if one.call is not None]
    patience = seconds / max(len(calls), 1)
    measured = iter(timing.take_turns(calls, FINAL_RUNS, 0, patience, search.control.wait_while_paused))
    found = {}
    for values, one in zip(finalists, prepared, strict=True):
        runs = next(measured).runs if one.call is not None else []
        if runs:
            found[values] = _median_time(runs)
    return found


def _confirm_threads(search: _Search, ranking: dict[ValuesKey, float], seconds: float) -> dict[ValuesKey, float]:
    """Measure the fastest values again, which have spare threads, and drop all with spare threads if they do not win.

    They win if they save `MIN_GAIN` of the time of the best other values both times.
    """
    within = {values: time_ms for values, time_ms in ranking.items() if not _has_spare_threads(values)}
    if not within:
        return ranking
    best, other = _fastest(ranking), _fastest(within)
    again = _run_finalists(search, [best, other], seconds)
    wins = all(times.get(best, math.inf) < (1 - MIN_GAIN) * times.get(other, 0.0) for times in (ranking, again))
    return {**ranking, **again} if wins else {**within, other: again.get(other, within[other])}


def _fastest(ranking: Mapping[ValuesKey, float]) -> ValuesKey:
    return min(ranking, key=ranking.__getitem__)


def _has_spare_threads(values: ValuesKey) -> bool:
    """Return whether values have more worker threads than there are processors."""
    return dict(values).get("threads", 1) > count_processors()


def _median_time(runs: Sequence[TimedRun]) -> float:
    """Return the median time of the whole call without compilation, which the search minimises."""
    spread = spread_of(run.wall_ms - run.compilation_ms for run in runs)
    return spread.median if spread else float("inf")


def _values_key(values: Values) -> ValuesKey:
    return tuple(sorted(values.items()))


def _explain_not_kept(found: TuningOutcome, task: MeasurementTask, only: Any) -> str:
    """Return why the values are not stored, or ""."""
    if found.values == found.automatic:
        return "the automatic values are the fastest"
    if found.time_ms > (1 - MIN_GAIN) * found.automatic_ms:
        return f"they save less than {MIN_GAIN:.0%} of the time of the automatic values"
    if task.parameters or only:
        return "parameters were fixed or narrowed for this search"
    return ""


def _tuned_entry(found: TuningOutcome, planned: RunPlan) -> TunedValues:
    return TunedValues(
        method=planned.method.id,
        backend=planned.backend,
        device=planned.device_name,
        cells=planned.problem.cells,
        size=planned.problem.size,
        values=dict(found.values),
        time_ms=found.time_ms,
        automatic_ms=found.automatic_ms,
        found=datetime.now().isoformat(timespec="seconds"),
    )
