"""The commands that compute: ``estimate`` says what a run would cost, ``run`` runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import typer

from antidiag.app.cli import inputs, report
from antidiag.app.cli.executor_options import ExecutorOptions
from antidiag.app.cli.method_runs import (
    MethodId,
    MethodRun,
    Resume,
    RunInput,
    RunOutput,
    RunPlace,
    SavedResult,
    build_problem,
    watch_saved_run,
)
from antidiag.app.cli.options import with_option_groups
from antidiag.app.cli.progress import watch_run
from antidiag.app.invocation import SAMPLES
from antidiag.kernels import registry
from antidiag.kernels.batch_runs import split_runs
from antidiag.kernels.registry import memory_advice

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

antidiag estimate msa family.fa --on processes
"""


@with_option_groups
def estimate(
    method_id: MethodId,
    given: RunInput,
    place: RunPlace,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    executor: ExecutorOptions,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Estimate memory and time of a run without running it; with --on or --scheduler also those of its pieces."""
    method = registry.find_method(method_id)
    with watch_run() as monitor:
        data = given.read_data(method, flagged, monitor)
        values, problem = given.parse_parameters(method), build_problem(method, data, options)
        planned = place.plan(method, problem, values)
        if executor.is_chosen:
            with executor.open() as opened:
                note = split_runs.describe_expected_pieces(planned, opened.slots)
            planned = replace(planned, notes=(note, *planned.notes))
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
    place: RunPlace,
    output: RunOutput,
    resume: Resume = False,
    *,
    executor: ExecutorOptions,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Run a method and report its result.

    --on and --scheduler share one run out, if its method falls into pieces: distance-full, lcs-single-linkage, msa, ...

    A run of more than a minute can be continued after a crash or Ctrl-C, if its method supports that: see --resume.
    For pairs of more than about 64,000 letters each, use checkpointed-alignment: its memory grows linearly.

    The JSON of an alignment contains score, start, end and aligned, and for a pair also cigar. Methods that return a
    score only leave out aligned and cigar, and the start of a local alignment is null.
    """
    method = registry.find_method(method_id)
    saved = SavedResult(output.check(method, [*(given.files or []), *flagged.values()]))
    with watch_saved_run() as monitor:
        data = given.read_data(method, flagged, monitor)
        wanted = MethodRun(method, place, options, given.parse_parameters(method), flagged, resume, executor)
        result = wanted.execute(data, monitor)
        saved.write(result, monitor)
    saved.report(result, report.result_rows(result))
