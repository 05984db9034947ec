"""The commands that compute: ``estimate`` says what a run would cost, ``run`` runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

import typer

from antidiag.app.cli import inputs, interrupted, report
from antidiag.app.cli.options import known_suffixes, parameters, problem_options, with_problem_options
from antidiag.app.cli.progress import watched
from antidiag.app.invocation import SAMPLES
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.plan import Plan
from antidiag.kernels.recovery import resuming
from antidiag.kernels.registry import advice, saving

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
        help="What the method takes, in order from all files. Sequences: FASTA, GenBank and others, also gzipped; "
        "- is standard input.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="A parameter of the method; may be repeated."),
]
Threads = Annotated[str | None, typer.Option("--threads", metavar="N", help="Short for -p threads=N.")]
Records = Annotated[
    list[str] | None,
    typer.Option("--record", metavar="NAME", help="Take this record, by name or as #3; may be repeated, order counts."),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--seq-type",
        metavar="dna|rna|protein",
        help="Type of all sequences; guessed for each by default. Nothing is translated: DNA against a protein is "
        "compared letter by letter, and a note says so.",
    ),
]
Backend = Annotated[
    str, typer.Option("--backend", metavar="auto|cpu|cuda", help="Where to run; auto takes a GPU where one fits.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the interrupted run of this method, problem and parameters, if there is one ('runs' lists "
        "them), and keep what is finished from the first second on.",
    ),
]
Device = Annotated[int, typer.Option("--device", metavar="N", help="Number of the GPU, as 'info' lists them.")]


@with_problem_options
def estimate(
    method_id: MethodId,
    files: Files = None,
    settings: Settings = None,
    records: Records = None,
    kind: Kind = None,
    backend: Backend = "auto",
    device: Device = 0,
    threads: Threads = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Say how many bytes and how much time a run would take, without running it."""
    method = registry.method(method_id)
    with watched() as monitor:
        data = inputs.gather(method, files or [], flagged, records or [], inputs.sequence_type(kind), monitor)
        given, problem = parameters(method, settings or [], threads), _problem(method, data, options)
        planned = engine.plan(method, problem, given, cast(engine.BackendChoice, backend), device)
    fitting = advice.what_fits(planned, given) if planned.refusal else ()
    alike = [other for other in registry.METHODS if other.problem is method.problem]
    suited = advice.suited(alike, data, planned.backend)
    if as_json:
        better = suited.method.id if suited else None
        report.print_json(
            {**report.plan_json(planned), "would_fit": [fit.text for fit in fitting], "made_for_this": better}
        )
    else:
        hint = suited if suited and suited.method is not method else None
        report.print_rows(report.plan_rows(planned, [fit.text for fit in fitting], hint))


@with_problem_options
def run(
    method_id: MethodId,
    files: Files = None,
    settings: Settings = None,
    records: Records = None,
    kind: Kind = None,
    backend: Backend = "auto",
    device: Device = 0,
    threads: Threads = None,
    resume: Resume = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help=f"Save in a format by suffix: {' '.join(known_suffixes())}"),
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Save the result as JSON; - prints nothing else.")
    ] = None,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Run a method on data and report its result.

    A run of more than a minute survives a crash or a cancel, where its method can be continued: see --resume. For
    pairs of more than some 64,000 letters each take checkpointed-alignment, whose memory grows with the length alone.

    The JSON of an alignment has score, start, end and aligned, of a pair cigar too. Methods that return the score alone
    leave out aligned and cigar, and the start of a local alignment is null there.
    """
    method = registry.method(method_id)
    targets = inputs.targets(method, out, json_file, [*(files or []), *flagged.values()])
    with watched() as monitor, resuming.until_saved():
        data = inputs.gather(method, files or [], flagged, records or [], inputs.sequence_type(kind), monitor)
        given, problem = parameters(method, settings or [], threads), _problem(method, data, options)
        resumed = interrupted.look_for(method, problem, given, backend, resume)
        if resumed:
            given, backend = resuming.parameters(method, resumed, given), resumed.backend
        planned = engine.plan(method, problem, given, cast(engine.BackendChoice, backend), device)
        _refuse(planned, given)
        result = engine.execute(planned, monitor, resumed=resumed, keep=resume or None)
        _save(result, targets, monitor)
        if targets.json_to_output:
            report.print_result_json(result)
            return
    saved = [("saved", str(path)) for path in (targets.out, targets.json) if path is not None]
    report.print_rows([*report.result_rows(result), *saved])


def _refuse(planned: Plan, given: Mapping[str, Any]) -> None:
    """MemoryRefused, with what would fit, for a run that would not."""
    if planned.refusal and (fitting := advice.what_fits(planned, given)):
        raise MemoryRefused(f"{planned.refusal}. What would fit: {'; '.join(fit.text for fit in fitting)}")


def _problem(method: Method, data: list[Any], texts: Mapping[str, str]) -> Any:
    """What the user asked for; every error in it is theirs to correct."""
    return method.problem.make(data, problem_options(method, texts))


def _save(result: Any, targets: inputs.Targets, monitor: Monitor) -> None:
    """Write the files that were asked for, which for a matrix of thousands of taxa takes longer than its numbers."""
    if targets.out is not None:
        saving.write_result(targets.out, result, monitor=monitor)
    if targets.json is not None:
        saving.write_result(targets.json, result, saving.JSON, monitor)
