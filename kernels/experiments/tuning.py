"""Tuning: the search for parameters that make a method fast on this machine, within a budget of time.

Optuna proposes values (its tree-structured Parzen estimator, a Bayesian search) and decides by successive
halving which of them are worth another run. The automatic values are the first candidate and run in the
final as well, side by side with the best ones, so that nothing slower than they are is ever kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from antidiag.kernels import engine
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError, Cancelled, ParameterError
from antidiag.kernels.experiments import measure, preparing, records, runner
from antidiag.kernels.experiments.agreement import Agreement
from antidiag.kernels.experiments.digest import digest
from antidiag.kernels.experiments.measure import Measured
from antidiag.kernels.experiments.points import Point, Run, Status, spread_of
from antidiag.kernels.experiments.preparing import Prepared
from antidiag.kernels.experiments.results import Store
from antidiag.kernels.experiments.runner import Control
from antidiag.kernels.experiments.sweep import Task, contender
from antidiag.kernels.machine import tuned
from antidiag.kernels.machine.tuned import Tuned
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plan import Plan

AROUND = 16
"""Numbers are searched from a sixteenth of the automatic value to sixteen times it."""
VALUES_A_DOUBLING = 4
RUNS = 4
"""Most runs of a candidate in the search."""
REDUCTION = 3
"""One candidate out of so many gets the next run."""
FINALISTS, FINAL_RUNS, FINAL_SHARE = 3, 5, 0.25
"""The best candidates of the search run once more in turn, for at most this share of the budget."""
WORTH = 0.02
"""A candidate is kept where it saves at least this share of the automatic values' time."""
COMPILED = 0.01
"""A run that spent more of its time than this on compiling is a warm-up."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """What a search found: the best values, and what they are compared with.

    ``points`` are all candidates in the order of the search, ``kept`` whether the values are now the default;
    ``reason`` says why not. ``stopped`` says that the user ended the search.
    """

    values: Values
    time_ms: float
    automatic: Values
    automatic_ms: float
    points: tuple[Point, ...] = ()
    kept: bool = False
    reason: str = ""
    stopped: bool = False

    @property
    def speedup(self) -> float:
        """How many times faster than with the automatic values."""
        return self.automatic_ms / self.time_ms


@dataclass
class _Search:
    """The state of a search: candidates that ran, by their values."""

    task: Task
    problem: Any
    of_problem: str
    control: Control
    on_point: Callable[[Point], None]
    store: Store | None
    agreement: Agreement = field(default_factory=Agreement)
    points: list[Point] = field(default_factory=list)
    medians: dict[tuple[tuple[str, Any], ...], float] = field(default_factory=dict)

    def prepared(self, values: Values) -> Prepared:
        coordinates = {"method": self.task.contender, **values}
        task = replace(self.task, parameters={**self.task.parameters, **values}, coordinates=coordinates)
        return preparing.prepare(task, self.problem, self.of_problem, self.control)

    def add(self, point: Point) -> Point:
        point = self.agreement.judge(point)
        if self.store is not None:
            self.store.append(point)
        self.points.append(point)
        self.on_point(point)
        return point


def space(method: Method, automatic: Values, backend: str, fixed: Values) -> dict[str, tuple[Any, ...]]:
    """The values that a search tries for every parameter that the program chooses and the user did not fix.

    Numbers lie around the automatic value, four to a doubling. A limit on memory is the user's to set.
    """
    found = {}
    for parameter in method.parameters:
        is_open = parameter.default is None and parameter.name not in fixed and parameter.unit != "MiB"
        if is_open and backend in parameter.backends and parameter.kind != "text":
            found[parameter.name] = _candidates(parameter, automatic[parameter.name])
    return {name: values for name, values in found.items() if len(values) > 1}


def tune(
    task: Task,
    budget_s: float = 60.0,
    control: Control | None = None,
    on_point: Callable[[Point], None] = lambda point: None,
    on_progress: Callable[[runner.Progress], None] = lambda progress: None,
    only: Mapping[str, tuple[Any, ...]] | None = None,
    store: Store | None = None,
    seed: int = 1,
) -> Found:
    """Search good parameters for the problem of a task; keep them for later runs of about this size.

    ``task.parameters`` are fixed; where there are any, or where ``only`` narrows the search to some values of some
    parameters, the result is not kept. Every candidate is a Point, given to ``on_point``. ``control.cancel()`` ends
    the search, and what was found by then counts. Raises MemoryRefused or another AntidiagError where not even
    the automatic values run, and ParameterError where there is nothing to search.
    """
    control = control or Control()
    began = time.monotonic()
    problem = task.problem()
    method = engine_method(task)
    planned = engine.plan(method, problem, task.parameters, task.backend, task.device, use_tuned=False)
    if planned.refusal:
        raise ParameterError(f"the automatic values cannot run: {planned.refusal}")
    automatic = dict(planned.parameters)
    choices = space(method, automatic, planned.backend, task.parameters)
    if only:
        choices = {name: only.get(name, values) for name, values in choices.items()}
    if not choices:
        raise ParameterError(f"{method.name} has no parameter to search here: all are fixed, or have one value only")
    search = _Search(
        replace(task, backend=cast(BackendChoice, planned.backend)), problem, digest(problem), control, on_point, store
    )
    if store is not None:
        store.begin(records.of_search(task))
    first = {name: automatic[name] for name in choices}
    before = tuned.find(method, planned.backend, planned.device_name, problem.cells)
    starts = [first, *([{**first, **{k: v for k, v in before.values.items() if k in choices}}] if before else [])]

    def report(text: str) -> None:
        passed = time.monotonic() - began
        on_progress(runner.Progress(len(search.points), 0, passed, max(0.0, budget_s - passed), text))

    stopped = False
    try:
        _explore(search, choices, starts, began + budget_s * (1 - FINAL_SHARE), seed, report)
        report("the best side by side")
        ranking = _final(search, first, budget_s * FINAL_SHARE)
    except Cancelled:
        stopped, ranking = True, dict(search.medians)
    if _key(first) not in ranking:
        raise Cancelled
    best = min(ranking, key=ranking.__getitem__)
    found = Found(
        values=dict(best),
        time_ms=ranking[best],
        automatic=first,
        automatic_ms=ranking[_key(first)],
        points=tuple(search.points),
        stopped=stopped,
    )
    reason = _reason(found, task, only)
    if not reason:
        tuned.keep(_entry(found, planned))
    elif before and found.values == first and not task.parameters:
        tuned.forget(method.id, planned.backend, planned.device_name, problem.cells)
    return replace(found, kept=not reason, reason=reason)


def engine_method(task: Task) -> Method:
    """The method of a task; ParameterError for a peer, whose parameters are not ours."""
    found = contender(task.contender)
    if not isinstance(found, Method):
        raise ParameterError(f"{found.name} is a peer; only methods can be tuned")
    return found


def _candidates(parameter: Parameter, automatic: Any) -> tuple[Any, ...]:
    if parameter.kind == "bool":
        return False, True
    if parameter.kind == "choice":
        return parameter.choices
    middle = float(automatic) if automatic else float(parameter.minimum or 1)
    steps = range(-4 * VALUES_A_DOUBLING, 4 * VALUES_A_DOUBLING + 1)  # AROUND is 2 to the power of 4
    numbers = (middle * 2 ** (step / VALUES_A_DOUBLING) for step in steps)
    found = {_nearest(parameter, number) for number in numbers}
    return tuple(sorted(found | ({automatic} if automatic is not None else set())))


def _nearest(parameter: Parameter, number: float) -> int | float:
    """The valid value nearest to a number."""
    low = parameter.minimum if parameter.minimum is not None else 0
    if parameter.kind == "int":
        number = int(low + round((number - low) / parameter.step) * parameter.step)
    number = max(number, low) if parameter.minimum is not None else number
    if parameter.maximum is not None and number > parameter.maximum:
        number = parameter.maximum
    return int(number) if parameter.kind == "int" else number


def _explore(
    search: _Search,
    choices: Mapping[str, tuple[Any, ...]],
    starts: Sequence[Values],
    until: float,
    seed: int,
    report: Callable[[str], None],
) -> None:
    """Candidates until the time is over, or all are known."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=8),
        pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=REDUCTION),
    )
    # Numbers as places in the list of values: a doubling is the same distance everywhere.
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
    tried: dict[tuple[tuple[str, Any], ...], float] = {}
    while len(tried) < possible and repeated < 50 and (time.monotonic() < until or len(tried) < len(starts)):
        search.control.wait()
        trial = study.ask(places)
        values = {name: choices[name][trial.params[name]] for name in choices}
        if _key(values) in tried:
            # The sampler comes back to a place it knows: it learns nothing new from another measurement.
            study.tell(trial, tried[_key(values)])
            repeated += 1
            continue
        repeated = 0
        report(", ".join(f"{name} = {value}" for name, value in values.items()))
        median = _candidate(search, values, trial, patient=len(tried) < len(starts))
        tried[_key(values)] = float("inf") if median is None else median
        if median is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, median)


def _candidate(search: _Search, values: Values, trial: Any, patient: bool) -> float | None:
    """Run a candidate as often as it is worth; the median of its times, or None where it does not run."""
    prepared = search.prepared(values)
    if prepared.call is None:
        search.add(prepared.point)
        return None
    measured = Measured()
    try:
        for number in range(1, RUNS + 1):
            run, measured.value = _settled(prepared, measured)
            measured.runs.append(run)
            trial.report(_time(measured.runs), number)
            if not patient and trial.should_prune():
                break
            search.control.wait()
    except (AntidiagError, MemoryError) as error:
        measured.error = error
    point = search.add(preparing.finish(prepared.point, measured))
    if point.status is not Status.MEASURED:
        return None
    search.medians[_key(values)] = _time(measured.runs)
    return search.medians[_key(values)]


def _settled(prepared: Prepared, measured: Measured) -> tuple[Run, Any]:
    """One run without compilation: a run that compiled is repeated."""
    assert prepared.call is not None
    run, value = prepared.call()
    if not measured.runs and run.compilation_ms > COMPILED * run.wall_ms:
        measured.compilation_ms = run.compilation_ms
        return prepared.call()
    return run, value


def _final(search: _Search, automatic: Values, seconds: float) -> dict[tuple[tuple[str, Any], ...], float]:
    """The best candidates and the automatic values in turn: their medians."""
    best = sorted(search.medians, key=search.medians.__getitem__)[:FINALISTS]
    finalists = list(dict.fromkeys([_key(automatic), *best]))
    prepared = [search.prepared(dict(values)) for values in finalists]
    calls = [one.call for one in prepared if one.call is not None]
    patience = seconds / max(len(calls), 1)
    measured = iter(measure.take_turns(calls, FINAL_RUNS, 0, patience, search.control.wait))
    found = {}
    for values, one in zip(finalists, prepared, strict=True):
        runs = next(measured).runs if one.call is not None else []
        if runs:
            found[values] = _time(runs)
    return found


def _time(runs: Sequence[Run]) -> float:
    """What is made small: the whole call but for compilation, which happens once."""
    spread = spread_of(run.wall_ms - run.compilation_ms for run in runs)
    return spread.median if spread else float("inf")


def _key(values: Values) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))


def _reason(found: Found, task: Task, only: Any) -> str:
    """Why the values do not become the default, or ""."""
    if found.values == found.automatic:
        return "the automatic values are the fastest that were found"
    if found.time_ms > (1 - WORTH) * found.automatic_ms:
        return f"they save less than {WORTH:.0%} of the time of the automatic values"
    if task.parameters or only:
        return "parameters were fixed or narrowed for this search"
    return ""


def _entry(found: Found, planned: Plan) -> Tuned:
    return Tuned(
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
