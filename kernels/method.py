"""Method: one published algorithm, declared once. Form, command line and tests follow from it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kernels.errors import BackendUnavailable
from kernels.memory import Footprint
from kernels.parameters import Parameter


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a method was published."""

    key: str
    authors: str
    title: str
    venue: str
    year: int
    section: str = ""

    def at(self, section: str) -> Citation:
        """The same publication, pointing at a section."""
        return replace(self, section=section)

    def text(self) -> str:
        where = f", {self.section}" if self.section else ""
        return f"{self.authors}: {self.title}. {self.venue}, {self.year}{where}"

    def bibtex(self) -> str:
        authors = self.authors.replace(", ", " and ")
        return (
            f"@inproceedings{{{self.key},\n  author = {{{authors}}},\n  title = {{{self.title}}},\n"
            f"  booktitle = {{{self.venue}}},\n  year = {{{self.year}}}\n}}\n"
        )


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What kind of problem a method solves, and how one is made from what the user has.

    ``build(sequences, options)`` takes the sequences in order and a mapping of option values by
    name, and returns a frozen Problem; it raises InputError or ParameterError. ``options`` are the
    settings that define the right answer (mode, gap costs), declared as parameters are;
    ``defaults(sequences)`` gives values that suit these sequences.
    """

    id: str
    label: str
    sequences: int
    options: tuple[Parameter, ...]
    build: Callable[[Any, Mapping[str, Any]], Any]
    defaults: Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Resumption:
    """How a method can be continued after a crash: its backends keep what they finish in ``monitor.store``.

    ``depends_on`` are the parameters that what is kept depends on: a run is continued with these as they were.
    ``disk_bytes(problem, parameters, backend)`` is what it takes on disk at most.
    """

    depends_on: tuple[str, ...]
    disk_bytes: Callable[[Any, Mapping[str, Any], str], int]


@dataclass(frozen=True, slots=True)
class Method:
    """One published algorithm.

    ``backends`` maps "cpu" and "cuda" to "package.module:function"; the function is called as
    ``function(problem, parameters, monitor, steps)`` and returns an Outcome. The three callables
    never import a backend:

    - ``footprint(problem, parameters, backend)``: bytes needed, as a Footprint;
    - ``automatic(problem, backend, multiprocessors)``: values for parameters whose default is None;
    - ``work(problem, parameters)``: cells computed, recomputation included.

    ``nominal_gcups`` is the rate assumed per backend (per core on the CPU) until one was measured. ``resumption`` says
    how a run that was interrupted can be continued, where it can.
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

    def load(self, backend: str) -> Callable[..., Any]:
        """The function that runs this method on ``backend``; imports it now."""
        if backend not in self.backends:
            raise BackendUnavailable(f"{self.name} has no backend {backend!r}; it has {', '.join(self.backends)}")
        module, function = self.backends[backend].split(":")
        return getattr(importlib.import_module(module), function)

    def parameter(self, name: str) -> Parameter:
        return next(parameter for parameter in self.parameters if parameter.name == name)
