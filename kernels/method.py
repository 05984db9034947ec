"""Method: one published algorithm, declared once. Form, command line and tests follow from it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.analysis import Model
from antidiag.kernels.citation import Citation
from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.cuts import Cuts, Tiles, no_cuts, no_tiles
from antidiag.kernels.dynamic_class import Placement
from antidiag.kernels.errors import BackendUnavailable, InputError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import Result
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.steps import Logged

Rows = list[tuple[str, str]]
"""Pairs of a label and a text, for people."""


def _as_it_is(datum: Any) -> Any:
    return datum


@dataclass(frozen=True, slots=True)
class DataKind:
    """A kind of data that users open and methods take, such as sequences or distance matrices.

    ``type`` is its frozen dataclass, with ``name``, ``source`` (the file), ``note`` (what reading changed) and
    ``summary`` ("24 taxa"). ``claims(path, head)`` says whether a file is of this kind, from its name and its first
    bytes, unpacked; ``read(path, monitor)`` returns everything in a file, or raises InputError with file and line.
    ``generate(size, random)`` makes a random one, for sweeps; ``unaligned(datum)`` the sequences that one holds, where
    it holds some; ``bundled`` are files of this kind that come with the program. ``adopts`` are types of other data
    that stand for one of this kind, each with what makes it of them. ``settled`` gives a datum as methods read it,
    where it may be held otherwise while it is edited.
    """

    id: str
    label: str
    plural: str
    type: type
    claims: Callable[[Path, bytes], bool]
    read: Callable[[Path, Monitor | None], list[Any]]
    suffixes: tuple[str, ...] = ()
    generate: Callable[[int, np.random.Generator], Any] | None = None
    unaligned: Callable[[Any], list[Letters]] | None = None
    adopts: Mapping[Any, Callable[[Any], Any]] = field(default_factory=dict, hash=False)
    bundled: tuple[Path, ...] = ()
    settled: Callable[[Any], Any] = _as_it_is

    def takes(self, datum: Any) -> bool:
        """Whether a datum is of this kind, or stands for one."""
        return isinstance(datum, (self.type, *self.adopts))

    def taken(self, datum: Any) -> Any:
        """A datum that it `takes`, as one of this kind."""
        if isinstance(datum, self.type):
            return self.settled(datum)
        return next(make for kind, make in self.adopts.items() if isinstance(datum, kind))(datum)


@dataclass(frozen=True, slots=True)
class Input:
    """What a problem takes: from ``minimum`` to ``maximum`` data of one kind, None for any number.

    On the command line an input with a ``flag`` is given by it (``--model FILE``), and all others are positional;
    the positional inputs of one problem are of one kind.
    """

    kind: DataKind
    minimum: int = 1
    maximum: int | None = 1
    flag: str = ""
    label: str = ""

    def number(self) -> str:
        """'2 sequences', '3 or more sequences'."""
        noun = self.kind.label if self.minimum == self.maximum == 1 else self.kind.plural
        if self.maximum == self.minimum:
            return f"{self.minimum} {noun}"
        return f"{self.minimum} or more {noun}" if self.maximum is None else f"{self.minimum} to {self.maximum} {noun}"

    def check(self, given: int) -> None:
        """InputError where ``given`` data are too few or too many."""
        if given < self.minimum or (self.maximum is not None and given > self.maximum):
            counted = "1 was given" if given == 1 else f"{given:,} were given"
            if given < self.minimum:
                another = "add another file or record" if given else "add a file"
                remedy = f"give a file with --{self.flag}" if self.flag else another
            elif self.kind.type is Letters and not self.flag:
                remedy = f"choose {self.maximum} with --record NAME"
            else:
                remedy = "leave the others out"
            raise InputError(f"this method takes {self.number()}, and {counted}; {remedy}")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file that a result can be saved as, if its method returns what the format ``needs``.

    Text formats have ``lines(result)``, others ``write(path, result)``, which writes all or nothing. ``count(result)``
    is how many pieces the lines come in, of formats that may take long to write.
    """

    suffix: str
    label: str
    needs: str
    lines: Callable[[Result], Iterable[str]] | None = None
    write: Callable[[Path, Result], None] | None = None
    count: Callable[[Result], int] | None = None


def _no_rows(problem: Any) -> Rows:
    return []


def _no_values(problem: Any) -> Mapping[str, Any]:
    return {}


def _notes_of(problem: Any) -> tuple[str, ...]:
    return getattr(problem, "notes", ())


def no_notes(problem: Any, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Nothing to say (``Method.notes``)."""
    return ()


def nothing_recomputed(problem: Any, parameters: Mapping[str, Any]) -> int:
    """0: no cell is computed a second time (``Method.recomputed``)."""
    return 0


def _no_numbers(result: Result) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What kind of problem a method solves: how one is made from the user's data, and how its answer is told.

    ``build(data, options)`` takes the data in the order of ``inputs`` and a mapping of option values by name, and
    returns a frozen problem (see `kernels.model`); it raises InputError or ParameterError. ``options`` are the
    settings that define the right answer (mode, gap costs), declared as parameters are; ``defaults(data)`` gives
    values that suit these data.

    Of a result, ``answer`` is told in a few characters (after ``answer_label`` where it stands alone), ``rows`` in
    labelled texts, and ``data`` as the fields of its JSON, large ones as arrays; ``products`` are data that other
    methods take. Of a problem, ``settings`` tells people what defines the answer, and ``option_values`` gives the
    options that build it again; ``notes`` tell the user what is seldom meant, what was changed in the data, or what the
    rule gives to some of them (by default those that the problem has); plans and results begin with them.
    ``numbers`` are quantities of a result, beside times and bytes, that measured points keep by their names.
    ``recommend(data, backend)`` names the method to begin with for these data, by its identifier, and says why; None
    where the data leave that open.
    ``unit`` is what the methods' ``work`` counts. ``trials`` is "package.module:NAME" of the `kernels.trials.Trials` by
    which its methods are tested. ``placement`` is its class of dynamic programming; None where it is none, or has not
    been placed.
    """

    id: str
    label: str
    inputs: tuple[Input, ...]
    options: tuple[Parameter, ...]
    build: Callable[[Any, Mapping[str, Any]], Any]
    defaults: Callable[[Any], Mapping[str, Any]]
    data: Callable[[Result], dict[str, Any]]
    rows: Callable[[Result], Rows]
    answer: Callable[[Result], str]
    formats: tuple[FileFormat, ...] = ()
    products: Callable[[Result], list[Any]] | None = None
    numbers: Callable[[Result], Mapping[str, float]] = _no_numbers
    settings: Callable[[Any], Rows] = _no_rows
    option_values: Callable[[Any], Mapping[str, Any]] = _no_values
    notes: Callable[[Any], tuple[str, ...]] = _notes_of
    unit: str = "cells"
    answer_label: str = ""
    recommend: Callable[[Sequence[Any], str], tuple[str, str] | None] | None = None
    trials: str = ""
    placement: Placement | None = None

    def make(self, data: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """The problem of these data: as `build`, which no longer meets too few data, or too many.

        InputError says how many of which kind are taken; no two inputs of a problem are of one kind.
        """
        for taken in self.inputs:
            taken.check(sum(taken.kind.takes(datum) for datum in in_turns(data)))
        if not all(self.taken(datum) is datum for datum in in_turns(data)):
            data = [self.taken(datum) for datum in data]
        return self.build(data, options)  # the very data, of which there may be a million

    def taken(self, datum: Any) -> Any:
        """A datum as one of the kind that is taken, where it stands for one."""
        kind = next((taken.kind for taken in self.inputs if taken.kind.takes(datum)), None)
        return kind.taken(datum) if kind else datum

    def takes(self) -> str:
        """'2 sequences'; '1 model and 1 sequence'; 'nothing but its options'."""
        return " and ".join(taken.number() for taken in self.inputs) or "nothing but its options"


@dataclass(frozen=True, slots=True)
class Resumption:
    """How a method can be continued after a crash: its backends keep what they finish in ``monitor.store``.

    ``depends_on`` are the parameters that what is kept depends on: a run is continued with these as they were.
    ``disk_bytes(problem, parameters, backend)`` is what it takes on disk at most, beside what the footprint says.
    """

    depends_on: tuple[str, ...]
    disk_bytes: Callable[[Any, Mapping[str, Any], str], int]


@dataclass(frozen=True, slots=True)
class Method:
    """One published algorithm.

    ``backends`` maps "cpu" and "cuda" to "package.module:function"; the function is called as
    ``function(problem, parameters, monitor, steps)`` and returns an Outcome. The four callables
    never import a backend:

    - ``footprint(problem, parameters, backend)``: bytes needed, as a Footprint;
    - ``automatic(problem, backend, multiprocessors)``: values for parameters whose default is None;
    - ``work(problem, parameters)``: cells computed, recomputation included; or another unit, as the problem says;
    - ``notes(problem, parameters)``: what the user should know of these values, such as that one of them is of no use;
    - ``recomputed(problem, parameters)``: how many of these are cells of the problem that were computed before,
      at most. What a strip or a chunk has beyond the cells of the problem does not count.

    ``returns`` names what an answer holds ("score", "alignment", "tree"). ``nominal_gcups`` is the rate
    assumed per backend (per core on the CPU) until one was measured. ``resumption`` says how a run that was
    interrupted can be continued, where it can. ``suits(data)`` says whether this is the method to begin with for
    these data, where the user has chosen none; most methods leave that open. ``done(problem, parameters, answer)``
    is how much of ``work`` a run did, for methods whose run is told in that rather than in cells of the problem,
    such as those that take a number of rounds. ``cuts(parameters)`` says where a run cuts its table, for pictures;
    ``tiles(problem, backend)`` where no parameter says it.
    ``pieces`` are the phases of its step log, in their order, and what an event of each is ("antidiagonal"), where that
    is no strip. ``models`` are what the paper's analysis foretells. ``criterion`` names what decides the answer beside
    the problem, where the methods of a problem type go by different ones ("neighbor joining"): exact methods of one
    criterion give one answer. ``staging`` is "package.module:NAME" of the `kernels.plays.staging.Staging` by which it
    is played step by step; empty where it is not, and then ``unplayed`` says why, and what to play instead.
    ``remedy`` says what else can be done where a run does not fit. ``logged(problem, parameters, backend)`` says how
    much of the work each event of a step log did; where it is not given, the first phase of a log did all that is not
    recomputed, and other phases recompute what their ranges say, up to ``recomputed``.
    """

    id: str
    name: str
    family: str
    summary: str
    citation: Citation
    problem: ProblemType
    parameters: tuple[Parameter, ...]
    backends: Mapping[str, str]
    returns: frozenset[str]
    footprint: Callable[[Any, Mapping[str, Any], str], Footprint]
    automatic: Callable[[Any, str, int | None], Mapping[str, Any]]
    work: Callable[[Any, Mapping[str, Any]], int]
    page: Path
    nominal_gcups: Mapping[str, float] = field(default_factory=dict)
    exact: bool = True
    resumption: Resumption | None = None
    suits: Callable[[Sequence[Any]], bool] | None = None
    recomputed: Callable[[Any, Mapping[str, Any]], int] = nothing_recomputed
    notes: Callable[[Any, Mapping[str, Any]], tuple[str, ...]] = no_notes
    done: Callable[[Any, Mapping[str, Any], Any], int] | None = None
    cuts: Callable[[Mapping[str, Any]], Cuts] = no_cuts
    tiles: Callable[[Any, str], Tiles | None] = no_tiles
    pieces: Mapping[str, str] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    criterion: str = ""
    logged: Callable[[Any, Mapping[str, Any], str], Logged] | None = None
    staging: str = ""
    remedy: str = ""
    unplayed: str = ""

    def foretold(self, problem: Any, parameters: Mapping[str, Any]) -> int:
        """Cells that a run is expected to compute, in the unit in which its result tells them."""
        return problem.cells if self.done is None else self.work(problem, parameters)

    def used(self, parameters: Mapping[str, Any], backend: str) -> dict[str, Any]:
        """Those of the values that mean something on this backend."""
        known = {parameter.name for parameter in self.parameters if backend in parameter.backends}
        return {name: value for name, value in parameters.items() if name in known}

    def load(self, backend: str) -> Callable[..., Any]:
        """The function that runs this method on ``backend``; imports it now. BackendUnavailable where it has none."""
        if backend not in self.backends:
            raise BackendUnavailable(f"{self.name} has no backend {backend!r}; it has {', '.join(self.backends)}")
        module, function = self.backends[backend].split(":")
        return getattr(importlib.import_module(module), function)

    def parameter(self, name: str) -> Parameter:
        """The declaration of a parameter that this method has."""
        return next(parameter for parameter in self.parameters if parameter.name == name)
