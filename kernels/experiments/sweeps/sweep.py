"""Sweeps: axes over contenders and inputs, as a list of self-contained tasks."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice, plan_run
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, SweepInputs, with_input
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.run_plan import RunPlan

Contender = Method | Peer
SIMILAR_NAMES = 3
MOST_POINTS = 100_000
"""Largest number of points of a sweep."""


def known_contenders() -> list[Contender]:
    """Return every method, then every peer."""
    found: list[Contender] = [*registry.METHODS]
    return found + [*peers.PEERS]


def find_contender(contender_id: str) -> Contender:
    """Return the method or peer with this identifier; raise ParameterError with similar identifiers if unknown."""
    known = {candidate.id: candidate for candidate in known_contenders()}
    if contender_id in known:
        return known[contender_id]
    alike = difflib.get_close_matches(contender_id, known, SIMILAR_NAMES) or list(known)[:SIMILAR_NAMES]
    such = f"{len(known)} methods and peers are known, such as {', '.join(alike)}"
    raise ParameterError(f"unknown method {contender_id!r}; {such}")


@dataclass(frozen=True)
class MeasurementTask:
    """One point to measure, as plain picklable data for any machine with this program.

    ``problem_type`` is the identifier of the problem type; ``options`` and ``parameters`` are the given options
    of the problem and parameters of the method.
    """

    contender: str
    problem_type: str
    inputs: SweepInputs
    coordinates: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    backend: BackendChoice = "auto"
    device: int = 0
    repeats: int = 3
    warm_up: int = 1

    def build_problem(self) -> Any:
        """Build and return the problem; raise InputError or ParameterError."""
        declared = find_problem_type(self.problem_type)
        return declared.make_problem(self.inputs.make_data(declared), self.options)

    def plan_run(self, problem: Any) -> RunPlan:
        """Return the plan of the method's run; raise ParameterError for a peer, which has no plan."""
        found = find_contender(self.contender)
        if isinstance(found, Peer):
            raise ParameterError(f"{found.name} is a peer, which has no parameters to plan with")
        return plan_run(found, problem, self.parameters, self.backend, self.device)

    def has_same_problem(self, other: MeasurementTask) -> bool:
        """Return whether both tasks build the same problem."""
        mine = (self.problem_type, self.inputs, dict(self.options))
        return mine == (other.problem_type, other.inputs, dict(other.options))


@dataclass(frozen=True)
class Sweep:
    """A grid of points to measure.

    Contenders are methods and peers of one problem type. An axis over a parameter applies to methods that have the
    parameter; other methods and peers are measured once for each combination of the remaining axes. Every point runs
    ``warm_up`` times without and ``repeats`` times with the clock, fewer times if that takes longer than
    ``patience_s``. With ``side_by_side``, points of one problem take turns, so that disturbances affect all of them.
    """

    contenders: tuple[str, ...]
    inputs: SweepInputs = Generated()  # noqa: RUF009 - frozen
    axes: tuple[SweepAxis, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    backends: tuple[BackendChoice, ...] = ("auto",)
    devices: tuple[int, ...] = (0,)
    repeats: int = 3
    warm_up: int = 1
    patience_s: float = 60.0
    side_by_side: bool = False
    title: str = ""

    def make_tasks(self) -> tuple[MeasurementTask, ...]:
        """Return the tasks in order, the last axis fastest; raise ParameterError for an invalid sweep."""
        self._check_settings()
        places = itertools.product(*(axis.values for axis in self._ordered_axes()))
        found = [
            task
            for values in places
            for task in self._tasks_at_place(dict(zip(self._axis_names(), values, strict=True)))
        ]
        first = {(task.contender, digest_value(dict(task.coordinates))): task for task in reversed(found)}
        return tuple(task for task in found if first[task.contender, digest_value(dict(task.coordinates))] is task)

    def find_problem_type(self) -> ProblemType:
        """Return the problem type of the methods; a sweep of peers alone has none."""
        return self._contending_methods()[0].problem_type

    @property
    def id(self) -> str:
        """Stable identifier: equal for equal contenders, inputs, axes and settings."""
        settings = (self.contenders, self.axes, self.inputs, dict(self.options), dict(self.parameters))
        return digest_value((*settings, self.backends, self.devices, self.repeats, self.warm_up))

    def _ordered_axes(self) -> list[SweepAxis]:
        """Return the axes in an order in which problems vary slowest, so that each is built once."""
        order = {"input": 0, "option": 1, "method": 2, "backend": 3, "device": 4, "parameter": 5}
        return sorted(self.axes, key=lambda axis: order[axis.role])

    def _axis_names(self) -> list[str]:
        return [axis.name for axis in self._ordered_axes()]

    def _all_contenders(self) -> tuple[str, ...]:
        on_axis = [value for axis in self.axes if axis.role == "method" for value in axis.values]
        return tuple(dict.fromkeys([*self.contenders, *on_axis]))

    def _contending_methods(self) -> list[Method]:
        return [found for found in map(find_contender, self._all_contenders()) if isinstance(found, Method)]

    def _check_settings(self) -> None:
        methods = self._contending_methods()
        if not methods:
            raise ParameterError("a sweep needs at least one method; add one to the peers")
        kinds = {method.problem_type.id for method in methods}
        if len(kinds) > 1:
            raise ParameterError(f"methods of different problems ({', '.join(sorted(kinds))}) cannot be swept together")
        if self.repeats < 1 or self.warm_up < 0:
            raise ParameterError("a sweep needs at least 1 repeat, and a warm-up of 0 or more")
        points = math.prod(len(axis.values) for axis in self.axes) * len(self.contenders)
        if points > MOST_POINTS:
            raise ParameterError(f"these axes have {points:,} points; reduce them to at most {MOST_POINTS:,}")
        if len(set(self._axis_names())) < len(self.axes):
            raise ParameterError("two axes have the same name; give every axis once")
        declared = {parameter.name for method in methods for parameter in method.parameters.declared()}
        for name in self.parameters:
            if name not in declared:
                raise ParameterError(
                    f"unknown parameter {name!r}; known parameters: {', '.join(sorted(declared)) or 'none'}"
                )
        for axis in self.axes:
            if axis.role == "parameter" and axis.name in self.parameters:
                raise ParameterError(f"{axis.name} is both an axis and a fixed parameter; remove one of them")
            if axis.role == "input" and axis.name not in {
                one.name for one in sweep_axes.input_axes(methods[0].problem_type)
            }:
                raise ParameterError(
                    f"{axis.name} cannot vary: {methods[0].name} takes {methods[0].problem_type.describe_inputs()}"
                )

    def _tasks_at_place(self, place: Mapping[str, Any]) -> Iterator[MeasurementTask]:
        """Yield the tasks at one combination of axis values, for all contenders, backends and devices."""
        roles = {axis.name: axis.role for axis in self.axes}
        inputs, options = self.inputs, dict(self.options)
        for name, value in place.items():
            if roles[name] == "input":
                inputs = with_input(inputs, name, value)
            elif roles[name] == "option":
                options[name] = value
        ids = (place["method"],) if "method" in roles else self._all_contenders()
        for contender_id in ids:
            yield from self._contender_tasks(find_contender(contender_id), place, roles, inputs, options)

    def _contender_tasks(
        self,
        found: Contender,
        place: Mapping[str, Any],
        roles: Mapping[str, str],
        inputs: SweepInputs,
        options: Mapping[str, Any],
    ) -> Iterator[MeasurementTask]:
        """Yield the tasks of one contender at one combination of axis values, for all backends and devices."""
        own = found.parameters.names() if isinstance(found, Method) else set()
        moved = {name: value for name, value in place.items() if name in own and roles[name] == "parameter"}
        shared = {name: value for name, value in place.items() if roles[name] in ("input", "option")}
        is_method = isinstance(found, Method)
        backends: tuple[BackendChoice, ...] = (place["backend"],) if "backend" in roles else self.backends
        devices = (place["device"],) if "device" in roles else self.devices
        if not is_method:
            backends, devices = ("cpu",), (0,)
        several = "device" in roles or len(devices) > 1
        for backend, number in itertools.product(backends, devices):
            device = 0 if backend == "cpu" else number  # one CPU for all numbers of GPUs
            yield MeasurementTask(
                contender=found.id,
                problem_type=self.find_problem_type().id,
                inputs=inputs,
                coordinates={
                    "method": found.id,
                    **({"backend": backend} if is_method else {}),
                    **({"device": device} if is_method and backend != "cpu" and (several or device) else {}),
                    **shared,
                    **moved,
                },
                options=options,
                parameters={**{name: value for name, value in self.parameters.items() if name in own}, **moved},
                backend=backend,
                device=device,
                repeats=self.repeats,
                warm_up=self.warm_up,
            )


def find_problem_type(problem_id: str) -> ProblemType:
    """Return the problem type with this identifier; raise ParameterError if no method has it."""
    for method in registry.METHODS:
        if method.problem_type.id == problem_id:
            return method.problem_type
    raise ParameterError(f"no method solves a problem {problem_id!r}")
