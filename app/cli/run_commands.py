"""The commands that compute: ``estimate`` says what a run would cost, ``run`` runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from antidiag.app.cli import inputs, report, runs_command
from antidiag.app.cli.options import known_suffixes, parse_parameters, parse_problem_options, with_option_groups
from antidiag.app.cli.progress import watch_run
from antidiag.app.invocation import SAMPLES
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import MemoryRefused, ResultNotSaved
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import interrupted_runs as resuming
from antidiag.kernels.registry import memory_advice, result_saving
from antidiag.kernels.run_plan import RunPlan

RUN_EXAMPLES = f"""
[bold]Examples[/]

antidiag run striped-score {SAMPLES}/human-haemoglobin.fasta

antidiag run striped-alignment human.fa chimpanzee.gb.gz --out mt.aln

antidiag run striped-alignment globins.fa --record HBA --record MYG --mode global --matrix BLOSUM50 --gap-open 12

antidiag run checkpointed-alignment chromosome-1.fa chromosome-2.fa --resume --out long.paf

antidiag run striped-score a.fa b.fa --match 1 --mismatch -1 --gap-open 0 --gap-extend 1 -p s=256 --json -
"""
ESTIMATE_EXAMPLES = f"""
[bold]Examples[/]

antidiag estimate striped-alignment {SAMPLES}/phage-lambda.fasta {SAMPLES}/prophage-ecoli536.fasta

antidiag estimate striped-score a.fa b.fa --backend cuda --device 1 -p s=512 --json
"""

MethodId = Annotated[str, typer.Argument(metavar="METHOD", help="Identifier of a method; 'methods' lists them.")]
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
    typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="Set a parameter of the method; repeatable."),
]
Threads = Annotated[str | None, typer.Option("--threads", metavar="N", help="Short for -p threads=N.")]
Records = Annotated[
    list[str] | None,
    typer.Option("--record", metavar="NAME", help="Use this record, by name or as #3; repeatable, the order matters."),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--seq-type",
        metavar="dna|rna|protein",
        help="Type of all sequences and alignments; by default guessed for each. Nothing is translated: DNA and "
        "protein are compared letter by letter, and a note says so.",
    ),
]
Backend = Annotated[
    str, typer.Option("--backend", metavar="auto|cpu|cuda", help="Where to run; auto uses a GPU if the run fits one.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue the interrupted run of this method, problem and parameters, if there is one ('runs' lists "
        "them), and save progress from the first second on.",
    ),
]
Device = Annotated[int, typer.Option("--device", metavar="N", help="Number of the GPU; 'info' lists them.")]


@dataclass(frozen=True)
class RunInput:
    """The options that say what a method runs on, and with which parameters."""

    files: Files = None
    settings: Settings = None
    records: Records = None
    kind: Kind = None
    threads: Threads = None

    @property
    def letters(self) -> SequenceType | None:
        """The type of all sequences, or None to guess it. Raise ParameterError for an unknown one."""
        return inputs.parse_sequence_type(self.kind)

    def read_data(self, method: Method, flagged: Mapping[str, str], monitor: Monitor) -> Sequence[Any]:
        """Read the data of the files."""
        return inputs.read_inputs(method, self.files or [], flagged, self.records or [], self.letters, monitor)

    def parse_parameters(self, method: Method) -> Mapping[str, Any]:
        """Return the values of the parameters that are set. Raise ParameterError for what the method lacks."""
        return parse_parameters(method, self.settings or [], self.threads)


@with_option_groups
def estimate(
    method_id: MethodId,
    given: RunInput,
    backend: Backend = "auto",
    device: Device = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Estimate memory and time of a run without running it."""
    method = registry.find_method(method_id)
    with watch_run() as monitor:
        data = given.read_data(method, flagged, monitor)
        values, problem = given.parse_parameters(method), _build_problem(method, data, options)
        planned = engine.plan_run(method, problem, values, cast(engine.BackendChoice, backend), device)
    inputs.print_reading_notes(data)
    inputs.print_option_notes(method, flagged, options)
    fitting = memory_advice.find_fitting_changes(planned, values) if planned.refusal else ()
    alike = [other for other in registry.METHODS if other.problem_type is method.problem_type]
    suited = memory_advice.suggest_method(alike, data, planned.backend)
    if as_json:
        better = suited.method.id if suited else None
        report.print_json(
            {**report.plan_json(planned), "would_fit": [fit.format_text for fit in fitting], "made_for_this": better}
        )
    else:
        hint = suited if suited and suited.method is not method else None
        report.print_rows(report.plan_rows(planned, [fit.format_text for fit in fitting], hint))


@with_option_groups
def run(
    method_id: MethodId,
    given: RunInput,
    backend: Backend = "auto",
    device: Device = 0,
    resume: Resume = False,
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help=f"Save in the format of the suffix: {' '.join(known_suffixes())}; repeatable.",
        ),
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Save the result as JSON; - prints it alone.")
    ] = None,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Run a method and report its result.

    A run of more than a minute can be continued after a crash or Ctrl-C, if its method supports that: see --resume.
    For pairs of more than about 64,000 letters each, use checkpointed-alignment: its memory grows linearly.

    The JSON of an alignment contains score, start, end and aligned, and for a pair also cigar. Methods that return a
    score only leave out aligned and cigar, and the start of a local alignment is null.
    """
    method = registry.find_method(method_id)
    targets = inputs.check_targets(method, out or [], json_file, [*(given.files or []), *flagged.values()])
    with watch_run() as monitor, resuming.keep_until_saved():
        data = given.read_data(method, flagged, monitor)
        values, problem = given.parse_parameters(method), _build_problem(method, data, options)
        resumed = runs_command.find_interrupted_run(method, problem, values, backend, resume)
        if resumed:
            values, backend = resuming.resumed_parameters(method, resumed, values), resumed.backend
        planned = engine.plan_run(method, problem, values, cast(engine.BackendChoice, backend), device)
        _refuse_unfit(planned, values)
        inputs.print_reading_notes(data)
        inputs.print_option_notes(method, flagged, options)
        result = engine.execute(planned, monitor, interrupted_run=resumed, keep_parts=resume or None)
        saved, failures = _save_result(result, targets, monitor)
    if targets.json_to_output:
        report.print_result_json(result)
    else:
        report.print_rows([*report.result_rows(result), *(("saved", str(path)) for path in saved)])
    if failures:
        raise ResultNotSaved("; ".join(map(str, failures))) from failures[0].__cause__


def _refuse_unfit(planned: RunPlan, given: Mapping[str, Any]) -> None:
    """Raise MemoryRefused for a run that does not fit, naming settings that would."""
    if planned.refusal and (fitting := memory_advice.find_fitting_changes(planned, given)):
        raise MemoryRefused(f"{planned.refusal}. These would fit: {'; '.join(fit.format_text for fit in fitting)}")


def _build_problem(method: Method, data: Sequence[Any], texts: Mapping[str, str]) -> Any:
    """Build the problem that the user described."""
    return method.problem_type.make_problem(data, parse_problem_options(method, texts))


def _save_result(
    result: Result, targets: inputs.ResultTargets, monitor: Monitor
) -> tuple[list[Path], list[ResultNotSaved]]:
    """Write the result files; return those that are written, and the errors of the others."""
    saved, failures = list[Path](), list[ResultNotSaved]()
    wanted = [(path, None) for path in targets.outs] + [(path, result_saving.JSON) for path in (targets.json,) if path]
    for path, suffix in wanted:
        try:
            result_saving.save_or_rescue(path, result, suffix, monitor)
            saved.append(path)
        except ResultNotSaved as error:
            failures.append(error)
    return saved, failures
