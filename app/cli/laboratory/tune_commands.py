"""The commands ``tune``, which searches good parameters, and ``reproduce``, which repeats tables of the papers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

import typer

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.app.cli.laboratory import figures, output
from antidiag.app.cli.laboratory.figures import Plot
from antidiag.app.cli.laboratory.output import (
    Resume,
    TableTargets,
    report_kept_points,
    watch_measurement,
)
from antidiag.app.cli.laboratory.sweep_commands import Axes, GeneratedInput, OnCards, open_cards
from antidiag.app.cli.method_runs import Backend, SingleDevice
from antidiag.app.cli.options import parse_problem_options, with_option_groups
from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.papers import comparison, paper_tables, reproduction, table_tasks
from antidiag.kernels.experiments.point_data import point_store, tables
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.sweeps import parameter_tuning, sweep_axes
from antidiag.kernels.experiments.sweeps.parameter_tuning import TuningOutcome
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.experiments.sweeps.sweep_records import search_id
from antidiag.kernels.machine import tuned_values
from antidiag.kernels.method import Method

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


@with_option_groups
def tune(
    method_id: Annotated[str | None, typer.Argument(metavar="METHOD", help="Identifier of a method.")] = None,
    *,
    given: GeneratedInput,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", min=1.0, help="Time for the search.")] = 60.0,
    axis: Axes = None,
    backend: Backend = "auto",
    device: SingleDevice = 0,
    reset: Annotated[bool, typer.Option("--reset", help="Delete tuned parameters of this method or all.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List tuned parameters of this computer.")] = False,
    targets: TableTargets,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Search the fastest parameters of a method; they become the default for problems of this size."""
    if method_id is not None:
        registry.find_method(method_id)
    if reset or show:
        targets.refuse_tables("--reset" if reset else "--list")
        _list_tuned(method_id, reset)
        return
    if method_id is None:
        raise ParameterError("give a METHOD; 'methods' lists them")
    method = registry.find_method(method_id)
    targets.check([*(given.files or []), *flagged.values()])
    with watch_measurement() as (control, on_progress):
        task = MeasurementTask(
            contender=method.id,
            problem_type=method.problem_type.id,
            inputs=given.make_input(method, flagged, control),
            options=parse_problem_options(method, options),
            parameters=given.parse_parameters(method),
            backend=cast(BackendChoice, backend),
            device=device,
        )
        narrowed = [sweep_axes.parse_axis(text, [method]) for text in axis or []]
        for one in narrowed:
            if one.role != "parameter":
                raise ParameterError(f"--axis {one.name}: only parameters can be searched")
        only = {one.name: one.values for one in narrowed}
        store = point_store.store_of_sweep(search_id(task))
        found = parameter_tuning.tune_parameters(
            task, budget, control, on_progress=on_progress, only=only or None, store=store, seed=given.seed
        )
    _show_search(found, method, targets)


@with_option_groups
def reproduce(
    table_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE...]", help="Names of tables or papers, see --list; by default all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use smaller sizes; takes minutes on a laptop.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the tables.")] = False,
    backend: Backend = "auto",
    device: SingleDevice = 0,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, help="Timed calls of every point.")
    ] = reproduction.REPEATS,
    resume: Resume = False,
    on: OnCards = None,
    plot: Plot = None,
    *,
    targets: TableTargets,
) -> None:
    """Repeat tables and figures of the papers on this computer and compare with the published numbers."""
    chosen = paper_tables.find_tables(table_ids or [])
    if show:
        targets.refuse_tables("--list")
        _print_tables(chosen)
        return
    targets.check([])
    paths = figures.figure_files(plot, chosen) if plot else ()
    where, total = cast(BackendChoice, backend), sum(len(table_tasks.table_tasks(table, quick)) for table in chosen)
    shown, points, compared = [], list[MeasuredPoint](), []
    data = []
    with (
        watch_measurement() as (control, on_progress),
        open_cards(on) as cards,
        report_kept_points(reproduction.papers_folder(), points, total),
    ):
        for table in chosen:
            found = reproduction.reproduce_table(
                table, quick, where, device, repeat, control, points.append, on_progress, resume, cards
            )
            compared.append(comparison.compare_points(table, found, quick))
            shown.append(comparison.comparison_table(table, compared[-1], quick))
            unit = "ms" if table.unit in paper_tables.MILLISECONDS else table.unit
            measured = {"unit": unit, "points": [point.to_json() for point in found]}
            data.append({"id": table.id, **shown[-1].to_json(), **measured})
    output.print_warnings(points, [text for table in chosen for text in reproduction.store_warnings(table, quick)])
    targets.save(shown, shown, data)
    for path, table, one in zip(paths, chosen, compared, strict=bool(paths)):
        figures.save_paper_figure(path, table, one, quick)
        print(f"saved {path}", file=targets.message_stream)
    output.exit_if_wrong(points)


def _print_tables(chosen: Sequence[paper_tables.PaperTable]) -> None:
    """Print names and titles of tables below the papers that published them."""
    width = max(len(table.id) for table in chosen) + 2
    for citation, of_paper in itertools.groupby(chosen, lambda table: table.citation.partition(", section")[0]):
        print(citation)
        for table in of_paper:
            print(f"  {table.id:<{width}}{table.title}")


def _list_tuned(method_id: str | None, reset: bool) -> None:
    """Print or delete the tuned parameters of this computer."""
    if reset:
        count = tuned_values.delete_tuned(method_id)
        of = f" of {method_id}" if method_id else ""
        print(
            f"deleted {count} tuned set{'' if count == 1 else 's'} of parameters{of}"
            if count
            else f"nothing{of} is tuned"
        )
        return
    entries = [one for one in tuned_values.read_tuned() if method_id in (None, one.method)]
    if not entries:
        print("nothing is tuned on this computer")
    report.print_rows((one.method, f"{one.device}: {one.format_text()}") for one in entries)


def _show_search(found: TuningOutcome, method: Method, targets: TableTargets) -> None:
    best = f"{texts.format_settings(found.values)}: {tables.format_milliseconds(found.time_ms)}"
    rows = [
        ("method", method.name),
        ("tried", f"{len(found.points)} sets of values" + (", stopped" if found.stopped else "")),
        ("best", f"{best}, {found.speedup_ratio:.2f} x as fast as the automatic values"),
        ("automatic", f"{texts.format_settings(found.automatic)}: {tables.format_milliseconds(found.automatic_ms)}"),
        ("kept", "yes, as the default for problems of about this size" if found.kept else f"no: {found.reason}"),
    ]
    fastest = sorted(found.points, key=lambda point: point.median_value("wall_ms") or float("inf"))
    data = {
        "method": method.id,
        "values": dict(found.values),
        "time_ms": found.time_ms,
        "automatic": dict(found.automatic),
        "automatic_ms": found.automatic_ms,
        "speedup": found.speedup_ratio,
        "stopped": found.stopped,
        "kept": found.kept,
        "reason": found.reason or None,
        "points": [point.to_json() for point in found.points],
    }
    output.print_warnings(found.points)
    targets.save([tables.summary_table(fastest[:10], "The ten fastest")], [tables.full_table(found.points)], data)
    if "-" not in (targets.csv, targets.json, targets.markdown):
        report.print_rows(rows)
    output.exit_if_wrong(found.points)
