"""Sweeps: axes over contenders and inputs, as a list of self-contained tasks."""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice, plan
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments import axes, peers
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.digest import digest
from antidiag.kernels.experiments.inputs import Generated, Inputs, with_input
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.plan import Plan

Contender = Method | Peer
ALIKE = 3
MOST_POINTS = 100_000
"""Points of a sweep: more would take months."""


def known_contenders() -> list[Contender]:
    """Every method, then every peer."""
    found: list[Contender] = [*registry.METHODS]
    return found + [*peers.PEERS]


def contender(contender_id: str) -> Contender:
    """The method or peer with this identifier; ParameterError with those that are named most alike if there is none."""
    known = {candidate.id: candidate for candidate in known_contenders()}
    if contender_id in known:
        return known[contender_id]
    alike = difflib.get_close_matches(contender_id, known, ALIKE) or list(known)[:ALIKE]
    such = f"{len(known)} methods and peers are known, such as {', '.join(alike)}"
    raise ParameterError(f"unknown method {contender_id!r}; {such}")


@dataclass(frozen=True)
class Task:
    """One point to be measured: all that it takes, as plain picklable data, on any machine with this program.

    ``problem_type`` is the identifier of the problem type; ``options`` are its options, ``parameters`` the
    parameters of the method, both as far as they are given.
    """

    contender: str
    problem_type: str
    inputs: Inputs
    coordinates: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    backend: BackendChoice = "auto"
    device: int = 0
    repeats: int = 3
    warm_up: int = 1

    def problem(self) -> Any:
        """The problem, built now; raises InputError or ParameterError."""
        declared = problem_type(self.problem_type)
        return declared.make(self.inputs.make(declared), self.options)

    def plan(self, problem: Any) -> Plan:
        """The plan of a method's run; ParameterError where the contender is a peer, which has no plan."""
        found = contender(self.contender)
        if isinstance(found, Peer):
            raise ParameterError(f"{found.name} is a peer, which has no parameters to plan with")
        return plan(found, problem, self.parameters, self.backend, self.device)

    def same_problem(self, other: Task) -> bool:
        """Whether both build the same problem."""
        mine = (self.problem_type, self.inputs, dict(self.options))
        return mine == (other.problem_type, other.inputs, dict(other.options))


@dataclass(frozen=True)
class Sweep:
    """What is to be measured.

    Contenders are methods and peers of one problem type. An axis over a parameter moves those methods that
    have it; the others, and peers, are measured once for every place of the remaining axes. Every point is
    called ``warm_up`` times, then ``repeats`` times with the clock running, less often where that would take
    longer than ``patience_s``. ``side_by_side`` lets the points of one problem take turns, so that a noisy
    minute is shared by all of them.
    """

    contenders: tuple[str, ...]
    inputs: Inputs = Generated()  # noqa: RUF009 - frozen
    axes: tuple[Axis, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    backends: tuple[BackendChoice, ...] = ("auto",)
    devices: tuple[int, ...] = (0,)
    repeats: int = 3
    warm_up: int = 1
    patience_s: float = 60.0
    side_by_side: bool = False
    title: str = ""

    def tasks(self) -> tuple[Task, ...]:
        """The grid in order, the last axis fastest; ParameterError where contenders and axes do not fit together."""
        self._check()
        places = itertools.product(*(axis.values for axis in self._axes()))
        found = [task for values in places for task in self._at(dict(zip(self._names(), values, strict=True)))]
        first = {(task.contender, digest(dict(task.coordinates))): task for task in reversed(found)}
        return tuple(task for task in found if first[task.contender, digest(dict(task.coordinates))] is task)

    def problem_type(self) -> ProblemType:
        """The problem type of the methods; a sweep of peers alone has none."""
        return self._methods()[0].problem

    @property
    def id(self) -> str:
        """A stable name of the sweep: the same for the same contenders, input, axes and settings."""
        settings = (self.contenders, self.axes, self.inputs, dict(self.options), dict(self.parameters))
        return digest((*settings, self.backends, self.devices, self.repeats, self.warm_up))

    def _axes(self) -> list[Axis]:
        """Problems vary slowest, so that each is built once."""
        order = {"input": 0, "option": 1, "method": 2, "backend": 3, "device": 4, "parameter": 5}
        return sorted(self.axes, key=lambda axis: order[axis.role])

    def _names(self) -> list[str]:
        return [axis.name for axis in self._axes()]

    def _contenders(self) -> tuple[str, ...]:
        on_axis = [value for axis in self.axes if axis.role == "method" for value in axis.values]
        return tuple(dict.fromkeys([*self.contenders, *on_axis]))

    def _methods(self) -> list[Method]:
        return [found for found in map(contender, self._contenders()) if isinstance(found, Method)]

    def _check(self) -> None:
        methods = self._methods()
        if not methods:
            raise ParameterError("a sweep needs at least one method; peers are measured beside it")
        kinds = {method.problem.id for method in methods}
        if len(kinds) > 1:
            raise ParameterError(f"methods of different problems ({', '.join(sorted(kinds))}) cannot be swept together")
        if self.repeats < 1 or self.warm_up < 0:
            raise ParameterError("a sweep needs at least 1 repeat, and a warm-up of 0 or more")
        points = math.prod(len(axis.values) for axis in self.axes) * len(self.contenders)
        if points > MOST_POINTS:
            raise ParameterError(f"these axes have {points:,} points; {MOST_POINTS:,} are the most that are measured")
        if len(set(self._names())) < len(self.axes):
            raise ParameterError("two axes have the same name; give every axis once")
        declared = {parameter.name for method in methods for parameter in method.parameters}
        for name in self.parameters:
            if name not in declared:
                raise ParameterError(f"unknown parameter {name!r}; there are: {', '.join(sorted(declared)) or 'none'}")
        for axis in self.axes:
            if axis.role == "parameter" and axis.name in self.parameters:
                raise ParameterError(f"{axis.name} is both an axis and a fixed parameter; give one of them")
            if axis.role == "input" and axis.name not in {one.name for one in axes.of_input(methods[0].problem)}:
                raise ParameterError(f"{axis.name} cannot vary: {methods[0].name} takes {methods[0].problem.takes()}")

    def _at(self, place: Mapping[str, Any]) -> Iterator[Task]:
        """The tasks at one place of the axes, one for each contender, backend and device that is not an axis itself."""
        roles = {axis.name: axis.role for axis in self.axes}
        inputs, options = self.inputs, dict(self.options)
        for name, value in place.items():
            if roles[name] == "input":
                inputs = with_input(inputs, name, value)
            elif roles[name] == "option":
                options[name] = value
        ids = (place["method"],) if "method" in roles else self._contenders()
        for contender_id in ids:
            yield from self._of(contender(contender_id), place, roles, inputs, options)

    def _of(
        self,
        found: Contender,
        place: Mapping[str, Any],
        roles: Mapping[str, str],
        inputs: Inputs,
        options: Mapping[str, Any],
    ) -> Iterator[Task]:
        own = {parameter.name for parameter in found.parameters} if isinstance(found, Method) else set()
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
            yield Task(
                contender=found.id,
                problem_type=self.problem_type().id,
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


def problem_type(problem_id: str) -> ProblemType:
    """The problem type with this identifier, of the methods in the registry."""
    for method in registry.METHODS:
        if method.problem.id == problem_id:
            return method.problem
    raise ParameterError(f"no method solves a problem {problem_id!r}")
