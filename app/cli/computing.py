"""The commands that compute: ``estimate`` says what a run would cost, ``run`` runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

import typer

from app.cli import inputs, report
from app.cli.options import known_suffixes, parameters, problem_options, with_problem_options
from app.cli.progress import watched
from kernels import engine, formats, registry
from kernels.method import Method

SAMPLE = "resources/samples"
RUN_EXAMPLES = f"""
[bold]Examples[/]

python main.py run striped-score {SAMPLE}/human-haemoglobin.fasta

python main.py run striped-alignment human.fa chimpanzee.gb.gz --out mt.aln

python main.py run striped-alignment globins.fa --record HBA --record MYG --mode global --matrix BLOSUM50 --gap-open 12

python main.py run striped-score a.fa b.fa --match 1 --mismatch -1 --gap-open 0 --gap-extend 1 -p s=256 --json -
"""
ESTIMATE_EXAMPLES = f"""
[bold]Examples[/]

python main.py estimate striped-alignment {SAMPLE}/phage-lambda.fasta {SAMPLE}/prophage-ecoli536.fasta

python main.py estimate striped-score a.fa b.fa --backend cuda --device 1 -p s=512 --json
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
    str | None, typer.Option("--seq-type", metavar="dna|rna|protein", help="Type of all sequences; guessed by default.")
]
Backend = Annotated[
    str, typer.Option("--backend", metavar="auto|cpu|cuda", help="Where to run; auto takes a GPU where one fits.")
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
        planned = _plan(method, data, options, settings or [], threads, backend, device)
    if as_json:
        report.print_json(report.plan_json(planned))
    else:
        report.print_rows(report.plan_rows(planned))


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
    """Run a method on data and report its result."""
    method = registry.method(method_id)
    targets = inputs.targets(method, out, json_file, [*(files or []), *flagged.values()])
    with watched() as monitor:
        data = inputs.gather(method, files or [], flagged, records or [], inputs.sequence_type(kind), monitor)
        planned = _plan(method, data, options, settings or [], threads, backend, device)
        result = engine.execute(planned, monitor)
    _save(result, targets)
    if targets.json_to_output:
        report.print_json(formats.result_json(result))
        return
    saved = [("saved", str(path)) for path in (targets.out, targets.json) if path is not None]
    report.print_rows([*report.result_rows(result), *saved])


def _plan(
    method: Method,
    data: list[Any],
    texts: Mapping[str, str],
    settings: list[str],
    threads: str | None,
    backend: str,
    device: int,
) -> engine.Plan:
    """The plan of what the user asked for; every error in it is theirs to correct."""
    given = parameters(method, settings, threads)
    problem = method.problem.build(data, problem_options(method, texts))
    return engine.plan(method, problem, given, cast(engine.BackendChoice, backend), device)


def _save(result: Any, targets: inputs.Targets) -> None:
    if targets.out is not None:
        formats.write_result(targets.out, result)
    if targets.json is not None:
        formats.write_result(targets.json, result, formats.JSON)
