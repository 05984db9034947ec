"""The commands ``tune``, which finds good parameters, and ``reproduce``, which repeats the papers' tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, cast

import typer

from antidiag.app import texts
from antidiag.app.cli import inputs, report
from antidiag.app.cli.computing import Backend, Device, Files, Kind, Records, Settings, Threads
from antidiag.app.cli.laboratory import commands, output, paper_figures
from antidiag.app.cli.laboratory.commands import Axes, Count, Divergence, Length, Random, Seed
from antidiag.app.cli.laboratory.output import Csv, Json, Markdown, Resume, Targets, kept_in_the_end, watched
from antidiag.app.cli.laboratory.paper_figures import Plot
from antidiag.app.cli.options import parameters, problem_options, with_problem_options
from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments import axes, results, tables, tuning
from antidiag.kernels.experiments.papers import published, reproducing
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.records import search_id
from antidiag.kernels.experiments.sweep import Task
from antidiag.kernels.experiments.tuning import Found
from antidiag.kernels.machine import tuned

TUNE_EXAMPLES = """
[bold]Examples[/]

antidiag tune striped-score a.fa b.fa --budget 60

antidiag tune chunked-alignment-1 --length 20000 --budget 30 --axis h=64,128,256,512

antidiag tune --list

antidiag tune striped-score --reset
"""
REPRODUCE_EXAMPLES = """
[bold]Examples[/]

antidiag reproduce --list

antidiag reproduce 001-figure-09 --csv figure-9.csv

antidiag reproduce 001-figure-09 --quick --plot figure-9.svg

antidiag reproduce --quick
"""


@with_problem_options
def tune(
    method_id: Annotated[str | None, typer.Argument(metavar="METHOD", help="Identifier of a method.")] = None,
    files: Files = None,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", min=1.0, help="Time for the search.")] = 60.0,
    settings: Settings = None,
    threads: Threads = None,
    axis: Axes = None,
    backend: Backend = "auto",
    device: Device = 0,
    records: Records = None,
    kind: Kind = None,
    length: Length = None,
    count: Count = None,
    divergence: Divergence = 0.1,
    unrelated: Random = False,
    seed: Seed = 1,
    reset: Annotated[bool, typer.Option("--reset", help="Forget what was found for this method, or for all.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List what was found on this computer.")] = False,
    csv: Csv = None,
    json: Json = None,
    markdown: Markdown = None,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Search parameters that make a method fast here, and use them by default for problems of this size."""
    if method_id is not None:
        registry.method(method_id)
    if reset or show:
        _kept(method_id, reset)
        return
    if method_id is None:
        raise ParameterError("tune takes a METHOD; 'methods' lists them")
    method = registry.method(method_id)
    targets = Targets(csv, json, markdown)
    targets.check([*(files or []), *flagged.values()])
    letters = inputs.sequence_type(kind)
    with watched() as (control, far):
        generated = commands.generated_input(letters, divergence, unrelated, seed)
        source = commands.source(method, files, flagged, records, letters, generated, control)
        task = Task(
            contender=method.id,
            problem_type=method.problem.id,
            inputs=commands.sized(source, length, count, method),
            options=problem_options(method, options),
            parameters=parameters(method, settings or [], threads),
            backend=cast(BackendChoice, backend),
            device=device,
        )
        narrowed = [axes.parse(text, [method]) for text in axis or []]
        for one in narrowed:
            if one.role != "parameter":
                raise ParameterError(f"--axis {one.name}: only parameters can be searched")
        only = {one.name: one.values for one in narrowed}
        store = results.of(search_id(task))
        found = tuning.tune(task, budget, control, on_progress=far, only=only or None, store=store, seed=seed)
    _present(found, method.name, targets)


def reproduce(
    table_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE...]", help="Tables, as --list names them, or papers; all by default."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes: minutes on a laptop, marked as such.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the tables.")] = False,
    backend: Backend = "auto",
    device: Device = 0,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, help="Timed calls of every point.")
    ] = reproducing.REPEATS,
    resume: Resume = False,
    csv: Csv = None,
    json: Json = None,
    markdown: Markdown = None,
    plot: Plot = None,
) -> None:
    """Repeat tables and figures of the papers on this computer, beside the published numbers."""
    chosen = published.find(table_ids or [])
    if show:
        report.print_rows((table.id, table.title) for table in chosen)
        return
    targets = Targets(csv, json, markdown)
    targets.check([])
    figures = paper_figures.files(plot, chosen) if plot else ()
    where, total = cast(BackendChoice, backend), sum(len(published.tasks(table, quick)) for table in chosen)
    shown, points, compared = [], list[Point](), []
    data = []
    with watched() as (control, far), kept_in_the_end(reproducing.folder(), points, total):
        for table in chosen:
            found = reproducing.reproduce(table, quick, where, device, repeat, control, points.append, far, resume)
            compared.append(published.compare(table, found, quick))
            shown.append(published.as_table(table, compared[-1], quick))
            data.append({"id": table.id, **shown[-1].data(), "points": [point.data() for point in found]})
    output.complain(points, [text for table in chosen for text in reproducing.warnings(table, quick)])
    targets.save(shown, shown, data)
    for path, table, one in zip(figures, chosen, compared, strict=bool(figures)):
        paper_figures.save(path, table, one, quick)
        print(f"saved {path}", file=targets.told)
    output.exit_code(points)


def _kept(method_id: str | None, reset: bool) -> None:
    """List what was found on this computer, or forget it."""
    if reset:
        count = tuned.reset(method_id)
        of = f" of {method_id}" if method_id else ""
        print(
            f"forgot {count} tuned set{'' if count == 1 else 's'} of values{of}" if count else f"nothing{of} was tuned"
        )
        return
    entries = [one for one in tuned.kept() if method_id in (None, one.method)]
    if not entries:
        print("nothing is tuned on this computer")
    report.print_rows((one.method, f"{one.device}: {one.text()}") for one in entries)


def _present(found: Found, name: str, targets: Targets) -> None:
    best = f"{texts.settings(found.values)}: {tables.milliseconds(found.time_ms)}"
    rows = [
        ("method", name),
        ("tried", f"{len(found.points)} sets of values" + (", stopped" if found.stopped else "")),
        ("best", f"{best}, {found.speedup:.2f} x as fast as the automatic values"),
        ("automatic", f"{texts.settings(found.automatic)}: {tables.milliseconds(found.automatic_ms)}"),
        ("kept", "yes, as the default for problems of about this size" if found.kept else f"no: {found.reason}"),
    ]
    fastest = sorted(found.points, key=lambda point: point.value("wall_ms") or float("inf"))
    data = {
        "values": dict(found.values),
        "time_ms": found.time_ms,
        "automatic": dict(found.automatic),
        "automatic_ms": found.automatic_ms,
        "kept": found.kept,
        "reason": found.reason,
        "points": [point.data() for point in found.points],
    }
    output.complain(found.points)
    targets.save([tables.summary(fastest[:10], "The ten fastest")], [tables.everything(found.points)], data)
    if "-" not in (targets.csv, targets.json, targets.markdown):
        report.print_rows(rows)
    output.exit_code(found.points)
