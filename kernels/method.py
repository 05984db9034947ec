"""Declarations of methods, problem types and kinds of data; forms, command line and tests are derived from them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.dp_taxonomy import DpClassification
from antidiag.kernels.errors import BackendUnavailable, InputError
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import BOTH_BACKENDS, MethodParameters, Parameter
from antidiag.kernels.processors import count_processors
from antidiag.kernels.run_splitting import RunSplitting
from antidiag.kernels.sequences.sequence_set import split_data
from antidiag.kernels.steps import LoggedWork
from antidiag.kernels.table_cuts import TableCuts, TableTiles, no_cuts, no_tiles

LabelledRows = list[tuple[str, str]]
"""Pairs of a label and a text to display."""


@dataclass(frozen=True, slots=True)
class DataKind:
    """A kind of data that users open and methods take, such as sequences or distance matrices.

    Fields
    ------
    type
        Frozen dataclass of the data, with ``name``, ``source`` (the file), ``note`` (what reading changed) and
        ``summary`` ("24 taxa").
    claims
        ``claims(path, head)`` returns whether a file is of this kind, from its name and its first unpacked bytes.
    read
        ``read(path, monitor)`` returns all data in a file, or raises InputError with file and line.
    read_typed
        ``read_typed(path, monitor, type)`` reads data whose letters have this sequence type, for kinds with letters.
    generate
        ``generate(size, random)`` returns a random datum, for sweeps.
    unaligned
        ``unaligned(datum)`` returns the sequences in a datum, for kinds that contain sequences.
    adopts
        Types of other kinds that are accepted, each with a function that converts a datum of it to this kind.
    bundled
        Files of this kind that come with the program.
    settled
        Returns a datum in the form that methods read; an alignment that is being edited has another form.
    """

    id: str
    label: str
    plural: str
    type: type
    claims_file: Callable[[Path, bytes], bool]
    read: Callable[[Path, Monitor | None], Sequence[Any]]
    suffixes: tuple[str, ...] = ()
    generate: Callable[[int, np.random.Generator], Any] | None = None
    extract_sequences: Callable[[Any], list[Letters]] | None = None
    converters: Mapping[Any, Callable[[Any], Any]] = field(default_factory=dict, hash=False)
    bundled_files: tuple[Path, ...] = ()
    normalize: Callable[[Any], Any] = lambda datum: datum
    read_typed: Callable[[Path, Monitor | None, SequenceType], Sequence[Any]] | None = None

    def accepts(self, datum: Any) -> bool:
        """Return whether a datum is of this kind or can be converted to it."""
        return isinstance(datum, (self.type, *self.converters))

    def convert_datum(self, datum: Any) -> Any:
        """Return an accepted datum as a datum of this kind."""
        if isinstance(datum, self.type):
            return self.normalize(datum)
        return next(make for kind, make in self.converters.items() if isinstance(datum, kind))(datum)


@dataclass(frozen=True, slots=True)
class ProblemInput:
    """An input of a problem: ``minimum`` to ``maximum`` data of one kind; a maximum of None is any number.

    On the command line, an input with a ``flag`` is an option (``--model FILE``); all others are positional arguments,
    and all positional inputs of a problem are of one kind. ``sequence_types`` are the types of its sequences where they
    must differ, in the order in which generated ones are made.
    """

    kind: DataKind
    minimum: int = 1
    maximum: int | None = 1
    flag: str = ""
    label: str = ""
    sequence_types: tuple[SequenceType, ...] = ()

    def describe_count(self) -> str:
        """Return the accepted number in words: '2 sequences', '3 or more sequences', 'at most 1 tree'."""
        noun = self.kind.label if self.minimum == self.maximum == 1 else self.kind.plural
        if self.maximum == self.minimum:
            return f"{self.minimum} {noun}"
        if not self.minimum:
            return f"at most {self.maximum} {self.kind.label if self.maximum == 1 else noun}" if self.maximum else noun
        return f"{self.minimum} or more {noun}" if self.maximum is None else f"{self.minimum} to {self.maximum} {noun}"

    def describe_input(self) -> str:
        """Return the input in words: '2 sequences', 'sequences' for any number, 'optionally a tree'."""
        if self.minimum:
            return self.kind.plural if (self.minimum, self.maximum) == (1, None) else self.describe_count()
        article = "an" if self.kind.label[0] in "aeiou" else "a"
        return f"optionally {article} {self.kind.label}" if self.maximum == 1 else f"optionally {self.kind.plural}"

    def check(self, count: int) -> None:
        """Raise InputError if there are too few or too many data."""
        if count < self.minimum or (self.maximum is not None and count > self.maximum):
            if count < self.minimum:
                another = "add another file or record" if count else "add a file"
                remedy = f"give a file with --{self.flag}" if self.flag else another
            elif self.kind.type is Letters and not self.flag:
                remedy = f"choose {self.maximum} with --record NAME"
            else:
                remedy = "remove the others"
            raise InputError(f"this method takes {self.describe_count()}; got {count:,}; {remedy}")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format for results of methods whose ``returns`` contain what the format ``needs``.

    Text formats have ``lines(result)``, others ``write(path, result)``, which writes the whole file or none.
    ``count(result)`` is the number of pieces that ``lines`` yields, for formats that take long to write.
    """

    suffix: str
    label: str
    required_output: str
    iterate_lines: Callable[[Result], Iterable[str]] | None = None
    write_file: Callable[[Path, Result], None] | None = None
    count_pieces: Callable[[Result], int] | None = None


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem: its inputs and options, and how its answers are shown and saved.

    Fields
    ------
    build
        ``build(data, options)`` returns a frozen problem (see `kernels.model`) from data in the order of ``inputs`` and
        option values by name; raises InputError or ParameterError.
    options, defaults
        Settings that define the correct answer (mode, gap costs), and ``defaults(data)``, their values for some data.
    answer, answer_label
        ``answer(result)`` is a text of a few characters, shown after ``answer_label`` where it stands alone.
    rows, data
        ``rows(result)`` are labelled texts; ``data(result)`` are the fields of the JSON output, long ones as arrays.
    formats, products
        File formats of results, and ``products(result)``: data that other methods take as input.
    numbers
        ``numbers(result)`` are further quantities of a result that measured points keep by their names.
    settings, option_values
        ``settings(problem)`` are labelled texts about what defines the answer; ``option_values(problem)`` are the
        options that build the problem again.
    notes
        ``notes(problem)`` are sentences about unusual settings and changed data; plans and results begin with them. By
        default, the ``notes`` of the problem, if it has any.
    recommend
        ``recommend(data, backend)`` returns the id of the method to begin with and the reason, or None.
    unit
        Unit of the methods' ``work``.
    trials
        "package.module:NAME" of the `kernels.trials.Trials` that test its methods.
    placement
        Its class of dynamic programming; None if it has none.
    guide_options
        Options that make what an input with a flag gives, and that have no effect beside it.
    """

    id: str
    label: str
    inputs: tuple[ProblemInput, ...]
    options: tuple[Parameter, ...]
    build_problem: Callable[[Any, Mapping[str, Any]], Any]
    default_options: Callable[[Any], Mapping[str, Any]]
    answer_json: Callable[[Result], dict[str, Any]]
    answer_rows: Callable[[Result], LabelledRows]
    format_answer: Callable[[Result], str]
    file_formats: tuple[FileFormat, ...] = ()
    extract_data: Callable[[Result], list[Any]] | None = None
    answer_quantities: Callable[[Result], Mapping[str, float]] = lambda result: {}
    setting_rows: Callable[[Any], LabelledRows] = lambda problem: []
    option_values: Callable[[Any], Mapping[str, Any]] = lambda problem: {}
    problem_notes: Callable[[Any], tuple[str, ...]] = lambda problem: getattr(problem, "notes", ())
    work_unit: str = "cells"
    answer_label: str = ""
    recommend_method: Callable[[Sequence[Any], str], tuple[str, str] | None] | None = None
    trials_name: str = ""
    dp_classification: DpClassification | None = None
    guide_options: tuple[str, ...] = ()

    def make_problem(self, data: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Check and convert the data, and build the problem.

        Raises InputError if there are too few or too many data of a kind, and the errors of ``build``.
        """
        sequences, others = split_data(data)
        looked_at = (*sequences[:1], *others)  # what holds of one sequence holds of all
        for taken in self.inputs:
            count = sum(map(taken.kind.accepts, looked_at))
            if len(sequences) and taken.kind.accepts(looked_at[0]):
                count += len(sequences) - 1
            taken.check(count)
        if not all(self.convert_datum(datum) is datum for datum in looked_at):
            data = [self.convert_datum(datum) for datum in data]
        elif not others:
            data = sequences  # many of them in columns, however they were passed
        return self.build_problem(data, options)

    def convert_datum(self, datum: Any) -> Any:
        """Return a datum as a datum of the input kind that accepts it; a datum of no such kind unchanged."""
        kind = next((taken.kind for taken in self.inputs if taken.kind.accepts(datum)), None)
        return kind.convert_datum(datum) if kind else datum

    def describe_inputs(self) -> str:
        """Return the inputs in words: '2 sequences', '1 model and 1 sequence', 'sequences; optionally a tree'."""
        required = " and ".join(taken.describe_input() for taken in self.inputs if taken.minimum)
        optional = [taken.describe_input() for taken in self.inputs if not taken.minimum]
        return "; ".join(filter(None, (required, *optional))) or "no input"


@dataclass(frozen=True, slots=True)
class Resumption:
    """How interrupted runs of a method resume: the backends store finished parts in ``monitor.store``.

    ``depends_on`` are the parameters on which stored parts depend; a resumed run keeps their values.
    ``disk_bytes(problem, parameters, backend)`` is the largest size of the parts on disk, in addition to the footprint.
    """

    depends_on: tuple[str, ...]
    disk_bytes: Callable[[Any, Any, str], int]


def use_all_processors(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose a thread for each processor (default of ``Method.choose_parameters``)."""
    return {"threads": count_processors()}


def no_notes(problem: Any, parameters: Any) -> tuple[str, ...]:
    """Return no notes (default of ``Method.parameter_notes``)."""
    return ()


def keep_parameters(problem: Any, parameters: Any, backend: str) -> Any:
    """Return the parameters unchanged (default of ``Method.fit_parameters``)."""
    return parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePicture:
    """How the views draw the table of a run and the events of its step log.

    Fields
    ------
    table_cuts, table_tiles
        ``table_cuts(parameters)`` are the borders in the table, ``table_tiles(problem, backend)`` borders that no
        parameter determines.
    event_nouns
        Noun of an event ("antidiagonal") for each phase of the step log where it is not a strip.
    logged_work
        ``logged_work(problem, parameters, backend)`` is the work of each event of the step log. By default, the first
        phase did all work that is not recomputed, and the other phases recomputed their ranges.
    """

    table_cuts: Callable[[Any], TableCuts] = no_cuts
    table_tiles: Callable[[Any, str], TableTiles | None] = no_tiles
    event_nouns: Mapping[str, str] = field(default_factory=dict)
    logged_work: Callable[[Any, Any, str], LoggedWork] | None = None


@dataclass(frozen=True, slots=True)
class Teaching:
    """What Help and Learn show of a method.

    ``walkthrough_name`` is the "package.module:NAME" of the step-by-step animation; a method without one says in
    ``no_walkthrough_reason`` why, and what to look at instead.
    """

    help_page: Path
    walkthrough_name: str = ""
    no_walkthrough_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One published algorithm: what it is, and how it is run.

    Fields
    ------
    parameters, choose_parameters, parameter_notes
        The dataclass of the parameters; ``choose_parameters(problem, backend, multiprocessors)`` are values of its
        fields without a default, other names are ignored; with ``choice_depends_on_given`` it takes the values that the
        user gave, too; ``parameter_notes(problem, parameters)`` are sentences about values without effect.
    problem_notes
        ``problem_notes(problem)`` are sentences about a problem that hold for this method, beside those of its type.
    fit_parameters
        ``fit_parameters(problem, parameters, backend)`` returns the values with which a backend computes, where it
        cannot use the given ones; plans note each that changes. Raises ParameterError for values that do not go
        together.
    backends
        "package.module:function" for "cpu" and "cuda", called as ``function(problem, parameters, monitor, steps)``,
        which returns an Outcome. No other field imports a backend.
    refuse_backend
        ``refuse_backend(problem, backend)`` is a clause that says why one of the backends does not compute a problem;
        "" where it does.
    returns
        What an answer contains ("score", "alignment", "tree").
    is_exact, criterion
        Exact methods of one problem with the same ``criterion`` ("neighbor joining") give the same answer.
    is_heuristic
        The answer is no optimum of a stated objective: a greedy or a progressive rule, an approximation or a local
        search makes it.
    splitting
        How a run falls into independent pieces that executors share out; None if it runs in one piece.
    resumption, is_recommended_for
        How interrupted runs resume; ``is_recommended_for(data)`` returns whether to begin with this method.
    """

    id: str
    name: str
    family: str
    summary: str
    citation: Citation
    problem_type: ProblemType
    parameters: type[MethodParameters] = MethodParameters
    choose_parameters: Callable[..., Mapping[str, Any]] = use_all_processors
    choice_depends_on_given: bool = False
    parameter_notes: Callable[[Any, Any], tuple[str, ...]] = no_notes
    problem_notes: Callable[[Any], tuple[str, ...]] = lambda problem: ()
    fit_parameters: Callable[[Any, Any, str], Any] = keep_parameters
    backends: Mapping[str, str]
    refuse_backend: Callable[[Any, str], str] = lambda problem, backend: ""
    returns: frozenset[str]
    is_exact: bool = True
    is_heuristic: bool = False
    criterion: str = ""
    resumption: Resumption | None = None
    is_recommended_for: Callable[[Sequence[Any]], bool] | None = None
    cost: CostEstimate
    picture: TablePicture = TablePicture()
    splitting: RunSplitting | None = None
    teaching: Teaching

    @property
    def shares_gpus(self) -> bool:
        """Return whether several GPUs can share a run."""
        return self.cost.gpu_share is not None

    @property
    def finds_optimum(self) -> bool:
        """Return whether the answer is an optimum of a stated objective, or the exact value of a stated quantity."""
        return self.is_exact and not self.is_heuristic

    def automatic_values(
        self, problem: Any, backend: str, multiprocessors: int | None, given: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the values that are chosen for fields without a default, beside those that the user gave."""
        more = (given,) if self.choice_depends_on_given else ()
        return self.choose_parameters(problem, backend, multiprocessors, *more)

    def list_problem_notes(self, problem: Any) -> tuple[str, ...]:
        """Return what is to be said of a problem: the notes of its type, and those that hold for this method."""
        return (*self.problem_type.problem_notes(problem), *self.problem_notes(problem))

    def restore_parameters(self, result: Result) -> MethodParameters:
        """Return the parameters of a result; those that an old result lacks have their default or automatic value."""
        stored = {name: value for name, value in result.parameters.items() if value is not None}
        needed = {one.name for one in self.parameters.declared() if one.default is None}
        if not needed <= stored.keys():
            stored = {**self.automatic_values(result.problem, result.backend, None, stored), **stored}
        return self.parameters.restore(stored)

    def load_backend(self, backend: str) -> Callable[..., Any]:
        """Import and return the function of a backend; raise BackendUnavailable if the method has no such backend."""
        if backend not in self.backends:
            raise BackendUnavailable(f"{self.name} has no backend {backend!r}; it has {', '.join(self.backends)}")
        module, function = self.backends[backend].split(":")
        return getattr(importlib.import_module(module), function)


def backends_in(package: str, function: str, backends: Iterable[str] = BOTH_BACKENDS) -> Mapping[str, str]:
    """Return ``Method.backends`` of a function that exists in the modules ``cpu`` and ``cuda`` of a package."""
    return {backend: f"{package}.{backend}:{function}" for backend in backends}
