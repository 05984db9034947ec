"""A run of a method from the command line: its options, declared once for all commands, and its report."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from antidiag.app.cli import inputs, report, runs_command
from antidiag.app.cli.executor_options import ExecutorOptions
from antidiag.app.cli.options import describe_out, known_suffixes, parse_parameters, parse_problem_options
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import config_file, messages
from antidiag.app.cli.shell.completion import complete_method, complete_parameter, complete_words, option_of_words
from antidiag.kernels import engine, file_conventions
from antidiag.kernels.batch_runs import split_runs
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import MemoryRefused, ParameterError, ResultNotSaved
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs as resuming
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun
from antidiag.kernels.registry import memory_advice, result_saving
from antidiag.kernels.run_plan import RunPlan

MethodId = Annotated[
    str,
    typer.Argument(
        metavar="METHOD", help="Identifier of a method; 'methods' lists them.", autocompletion=complete_method
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        help="Input files, in the order in which the method takes their data. Sequences: FASTA, GenBank and others, "
        "also compressed (gzip, bzip2, xz, zstd, zip); - reads standard input. SAM, PAF and chains without letters "
        "take them from the sequence files given with them.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="Set a parameter of the method; repeatable.",
        autocompletion=complete_parameter,
    ),
]
Threads = Annotated[str | None, typer.Option("--threads", metavar="N", help="Short for -p threads=N.")]
Records = Annotated[
    list[str] | None,
    typer.Option("--record", metavar="NAME", help="Use this record, by name or as #3; repeatable, the order matters."),
]
Kind = Annotated[
    str | None,
    option_of_words(
        "--seq-type",
        ("dna", "rna", "protein"),
        "Type of all sequences and alignments; by default guessed for each. Nothing is translated: DNA and "
        "protein are compared letter by letter, and a note says so.",
    ),
]
Backend = Annotated[
    str, option_of_words("--backend", ("auto", "cpu", "cuda"), "Where to run; auto uses a GPU if the run fits one.")
]
SingleDevice = Annotated[int, typer.Option("--device", metavar="N", help="Number of the GPU; 'info' lists them.")]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="N|all",
        help="Number of the GPU; 'info' lists them. Several, such as 0,1, or all share a run of striped-score and "
        "checkpointed-alignment.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue the interrupted run of this method, problem and parameters, if there is one ('runs' lists "
        "them), and save progress from the first second on.",
    ),
]
Outs = Annotated[list[str] | None, typer.Option("--out", "-o", metavar="FILE|-", help=describe_out(known_suffixes()))]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Format of --out, by its suffix: sto, aln, nwk; needed for -.",
        autocompletion=complete_words([suffix.lstrip(".") for suffix in known_suffixes()]),
    ),
]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="Save the result as JSON; - prints it alone.")
]


Masking = Annotated[
    str | None,
    typer.Option(
        "--soft-masking",
        metavar="ignore|unknown",
        help="Lower-case letters of FASTA and FASTQ: the same as capitals (ignore), or N, in proteins X (unknown).",
    ),
]
Cigar = Annotated[
    str | None,
    typer.Option(
        "--cigar",
        metavar="extended|match",
        help="CIGAR in SAM, PAF and JSON: = and X for equal and different letters (extended), or M for both (match).",
    ),
]


@dataclass(frozen=True)
class RunInput:
    """The options that say what a method runs on, and with which parameters."""

    files: Files = None
    settings: Settings = None
    records: Records = None
    kind: Kind = None
    threads: Threads = None
    masking: Masking = None

    def __post_init__(self) -> None:
        file_conventions.choose_masking(self.masking)

    @property
    def letters(self) -> SequenceType | None:
        """The type of all sequences, or None to guess it. Raise ParameterError for an unknown one."""
        return inputs.parse_sequence_type(self.kind)

    def read_data(self, method: Method, flagged: Mapping[str, str], monitor: Monitor) -> Sequence[Any]:
        """Read the data of the files."""
        return inputs.read_inputs(method, self.files or [], flagged, self.records or [], self.letters, monitor)

    def read_any_data(self, monitor: Monitor) -> Sequence[Any]:
        """Read the data of the files, whatever they hold."""
        return inputs.read_any_data(self.files or [], self.records or [], self.letters, monitor)

    def parse_parameters(self, method: Method) -> Mapping[str, Any]:
        """Return the values of the parameters that are set. Raise ParameterError for what the method lacks."""
        own = "threads" in method.parameters.names() and not any(
            one.startswith("threads=") for one in self.settings or []
        )
        threads = config_file.read_config().threads if self.threads is None and own else self.threads
        return parse_parameters(method, self.settings or [], threads)


@dataclass(frozen=True)
class RunPlace:
    """The options that say where a method runs."""

    backend: Backend = "auto"
    device: Device = "0"

    def plan(self, method: Method, problem: Any, values: Mapping[str, Any]) -> RunPlan:
        """Return the plan of a run."""
        device, peers = devices.select_gpus(devices.parse_gpus(self.device), method.shares_gpus)
        backend = cast(engine.BackendChoice, self.backend)
        return engine.plan_run(method, problem, values, backend, device, peers=peers)

    @property
    def single_device(self) -> int:
        """The only GPU of tasks that run on one each. Raise ParameterError for several."""
        device, peers = devices.select_gpus(devices.parse_gpus(self.device), shares=False)
        if peers:
            raise ParameterError(f"--device {self.device}: each task uses one GPU; give one number")
        return device


@dataclass(frozen=True)
class RunOutput:
    """The options that say where a result is saved."""

    outs: Outs = None
    to: To = None
    json_file: JsonFile = None
    cigar: Cigar = None

    def __post_init__(self) -> None:
        file_conventions.choose_cigar(self.cigar)

    def check(self, method: Method, files: Sequence[str]) -> inputs.ResultTargets:
        """Return the targets. Raise InputError now for a file that could not be written after the run."""
        return inputs.check_targets(method, self.outs or [], self.json_file, files, self.to)


@dataclass
class MethodRun:
    """One run: its method, what the user set, and why the method was chosen (None if the user named it)."""

    method: Method
    place: RunPlace
    options: Mapping[str, str]
    values: Mapping[str, Any]
    flagged: Mapping[str, str] = field(default_factory=dict)
    resume: bool = False
    executor: ExecutorOptions = field(default_factory=ExecutorOptions)

    def execute(self, data: Sequence[Any], monitor: Monitor, read: Sequence[Any] | None = None) -> Result:
        """Return the result for some data; notes on what reading changed are printed once the run is planned."""
        method, values, backend = self.method, self.values, self.place.backend
        problem = build_problem(method, data, self.options)
        if self.executor.is_chosen:
            return self._execute_split(problem, data if read is None else read, monitor)
        resumed = runs_command.find_interrupted_run(method, problem, values, backend, self.resume)
        planned = self._plan(problem, resumed)
        inputs.print_reading_notes(data if read is None else read)
        inputs.print_option_notes(method, self.flagged, self.options)
        messages.print_detail(
            f"{method.id} on the {planned.backend}, {planned.device_name}: {report.estimate_text(planned)}, "
            f"{report.plan_settings(planned) or 'no parameters'}"
        )
        return engine.execute(planned, monitor, interrupted_run=resumed, keep_parts=self.resume or None)

    def _execute_split(self, problem: Any, read: Sequence[Any], monitor: Monitor) -> Result:
        """Return the result of a run whose pieces are shared out."""
        split_runs.find_splitting(self.method)
        inputs.print_reading_notes(read)
        inputs.print_option_notes(self.method, self.flagged, self.options)
        place = self.place
        with self.executor.open() as executor:
            return split_runs.execute_split(
                self.method, problem, self.values, executor, monitor, place.backend, place.single_device
            )

    def _plan(self, problem: Any, resumed: InterruptedRun | None) -> RunPlan:
        """Return the plan of the run. Raise MemoryRefused if it does not fit, naming settings that would."""
        method, values, place = self.method, self.values, self.place
        if resumed:
            values = resuming.resumed_parameters(method, resumed, values)
            place = RunPlace(resumed.backend, place.device)
        planned = place.plan(method, problem, values)
        if planned.refusal and (fitting := memory_advice.find_fitting_changes(planned, values)):
            raise MemoryRefused(f"{planned.refusal}. These would fit: {'; '.join(fit.format_text for fit in fitting)}")
        return planned


@contextmanager
def watch_saved_run() -> Iterator[Monitor]:
    """Yield the monitor of a run whose parts are kept until its result is saved."""
    with watch_run() as monitor, resuming.keep_until_saved():
        yield monitor


def build_problem(method: Method, data: Sequence[Any], texts: Mapping[str, str]) -> Any:
    """Build the problem that the user described."""
    return method.problem_type.make_problem(data, parse_problem_options(method, texts))


@dataclass
class SavedResult:
    """Where a result was saved, and the errors of the files that could not be written."""

    targets: inputs.ResultTargets
    files: list[Path] = field(default_factory=list)
    failures: list[ResultNotSaved] = field(default_factory=list)

    def write(self, result: Result, monitor: Monitor) -> None:
        """Write all files, and what goes to standard output."""
        for path, suffix in self.targets.files:
            try:
                result_saving.save_or_rescue(path, result, suffix, monitor)
                self.files.append(path)
            except ResultNotSaved as error:
                self.failures.append(error)

    def report(self, result: Result, rows: Sequence[report.LabelledText], shown: str = "") -> None:
        """Print the result or its report; ``shown`` is the suffix of the format in which it follows the report.

        Raises ResultNotSaved if a file could not be written.
        """
        if self.targets.output_suffix == result_saving.JSON:
            report.print_result_json(result)
        elif self.targets.output_suffix:
            _print_result(result, self.targets.output_suffix)
        elif not (messages.is_quiet() and self.files):
            report.print_rows([*rows, *(("saved", str(path)) for path in self.files)])
            if shown and not self.files:
                report.print_shortened(result, shown)
        if self.failures:
            raise ResultNotSaved("; ".join(map(str, self.failures))) from self.failures[0].__cause__


def _print_result(result: Result, suffix: str) -> None:
    """Write a result to standard output in the format of a suffix."""
    sys.stdout.flush()
    with result_saving.open_result(result, suffix) as written:
        shutil.copyfileobj(written, sys.stdout.buffer)
    sys.stdout.buffer.flush()
