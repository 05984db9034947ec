"""The commands that measure: ``sweep`` over axes, ``bench`` beside peers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from antidiag.app.cli.laboratory import figures, output
from antidiag.app.cli.laboratory.figures import SweepPlot
from antidiag.app.cli.laboratory.output import (
    Resume,
    TableTargets,
    report_kept_points,
    watch_measurement,
)
from antidiag.app.cli.method_runs import MethodId, RunInput
from antidiag.app.cli.options import parse_problem_options, with_option_groups
from antidiag.app.cli.shell.completion import option_of_words
from antidiag.app.invocation import SAMPLES
from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.measuring import card_points, runner
from antidiag.kernels.experiments.point_data import point_store, points, speedups, tables
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.suites import cpu_suite
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded, SweepInputs
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

SWEEP_EXAMPLES = f"""
[bold]Examples[/]

antidiag sweep chunked-alignment-1 a.fa b.fa --axis s=32:1024:*2 --axis h=64,128,256 --repeat 5 --csv heat.csv

antidiag sweep striped-score --axis length=1000:100000:*10 --with parasail-score-32 --baseline parasail-score-32

antidiag sweep striped-score {SAMPLES}/phage-lambda.fasta {SAMPLES}/prophage-ecoli536.fasta --axis threads=1,2

antidiag sweep enhanced-ba --length 10000 --axis s=4:64:*2 --plot blocks.svg
"""
BENCH_EXAMPLES = f"""
[bold]Examples[/]

antidiag bench

antidiag bench striped-score {SAMPLES}/mitochondrion-human.fasta {SAMPLES}/mitochondrion-chimpanzee.fasta
"""

Axes = Annotated[
    list[str] | None,
    typer.Option(
        "--axis",
        metavar="NAME=VALUES",
        help=f"Axis of the sweep; VALUES is {sweep_axes.FORMS}. NAME is a parameter, an option, length, count or "
        "divergence "
        "of the input, method, backend or device. Repeatable.",
    ),
]
Repeat = Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Timed calls for each point.")]
WarmUp = Annotated[int, typer.Option("--warm-up", metavar="N", min=0, help="Untimed calls before them.")]
Backends = Annotated[
    list[str] | None,
    option_of_words("--backend", ("auto", "cpu", "cuda"), "Where to run; repeatable, to compare."),
]
Devices = Annotated[
    list[int] | None,
    typer.Option("--device", metavar="N", help="Number of a GPU, see 'info'; repeatable."),
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="METHOD|PEER", help="Also measure this; repeatable."),
]
Peers = Annotated[bool, typer.Option("--peers", help="Also measure every installed peer that solves this problem.")]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="METHOD|PEER|cpu|NAME=VALUE", help="Reference of speedups; measured too."),
]
Length = Annotated[
    str | None,
    typer.Option("--length", metavar="N|MxN", help="Length of generated sequences, or of the front of files."),
]
Count = Annotated[
    int | None, typer.Option("--count", metavar="N", min=1, help="Number of sequences, for methods that take several.")
]
Divergence = Annotated[float, typer.Option("--divergence", metavar="X", help="Of generated sequences, from 0 to 1.")]
Random = Annotated[bool, typer.Option("--random", help="Generate unrelated sequences instead of mutated ones.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of generated input.")]
SideBySide = Annotated[bool, typer.Option("--side-by-side", help="Measure the points of one problem in turns.")]
OnCards = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="gpus",
        help="gpus: measure points on all GPUs of this machine at the same time, each alone on its card; other points "
        "follow.",
    ),
]
Roofline = Annotated[
    bool, typer.Option("--roofline", help="Measure the limits of the device first, unless they are known.")
]


@dataclass(frozen=True)
class MeasuredInput(RunInput):
    """The options that say what is measured: data of files, or generated ones, in this size."""

    length: Length = None
    count: Count = None

    def make_input(self, method: Method, flagged: Mapping[str, str], monitor: Monitor) -> SweepInputs:
        """Return the input of all points. Raise ParameterError if the method has no such sizes."""
        found = self._choose_input(method, flagged, monitor)
        known = {parameter.name for parameter in sweep_axes.input_axes(method.problem_type)}
        for name, value in (("length", self.length), ("count", self.count)):
            if value is not None and name not in known:
                taken = method.problem_type.describe_inputs()
                raise ParameterError(f"--{name} does not apply: {method.name} takes {taken}")
        if self.length is not None:
            values = sweep_axes.parse_axis(f"length={self.length}", [method]).values
            if len(values) != 1:
                raise ParameterError(f"--length must be one length; use --axis length={self.length} for several")
            found = replace(found, length=values[0])
        return found if self.count is None else replace(found, count=self.count)

    def _choose_input(self, method: Method, flagged: Mapping[str, str], monitor: Monitor) -> SweepInputs:
        """Return the data of the files, or generated data if there are no files."""
        if not self.files and not flagged:
            return self._generated_input()
        data = tuple(self.read_data(method, flagged, monitor))
        return Loaded(data) if self.files else replace(self._generated_input(), given=data)

    def _generated_input(self) -> Generated:
        return Generated("mutated", self.letters or SequenceType.DNA)


@dataclass(frozen=True)
class GeneratedInput(MeasuredInput):
    """The options of measured input, and those that say how it is generated."""

    divergence: Divergence = 0.1
    unrelated: Random = False
    seed: Seed = 1

    def _generated_input(self) -> Generated:
        """Raise ParameterError for a divergence out of range."""
        _, declared = sweep_axes.find_axis("divergence", [])
        found = replace(super()._generated_input(), divergence=declared.validate(self.divergence), seed=self.seed)
        return replace(found, kind="random") if self.unrelated else found


@with_option_groups
def sweep(
    method_id: MethodId,
    given: GeneratedInput,
    axis: Axes = None,
    repeat: Repeat = 3,
    warm_up: WarmUp = 1,
    backend: Backends = None,
    device: Devices = None,
    beside: With = None,
    with_peers: Peers = False,
    baseline: Baseline = None,
    side_by_side: SideBySide = False,
    limits: Roofline = False,
    resume: Resume = False,
    on: OnCards = None,
    plot: SweepPlot = None,
    *,
    targets: TableTargets,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Measure a method along one or more axes, on files or on generated input."""
    method = registry.find_method(method_id)
    inputs = [*(given.files or []), *flagged.values()]
    targets.check(inputs)
    if plot:
        figures.check_figure_file(Path(plot), inputs)
    against = speedups.parse_baseline(baseline) if baseline else None
    with watch_measurement() as (control, on_progress):
        wanted = Sweep(
            contenders=list_contenders(method, beside or [], with_peers, against),
            inputs=given.make_input(method, flagged, control),
            axes=tuple(sweep_axes.parse_axis(text, [method]) for text in axis or []),
            options=parse_problem_options(method, options),
            parameters=given.parse_parameters(method),
            backends=cast("tuple[BackendChoice, ...]", tuple(backend or ["auto"])),
            devices=tuple(device or [0]),
            repeats=repeat,
            warm_up=warm_up,
            side_by_side=side_by_side,
        )
        check_baseline(against or {}, wanted, method)
        found = measure_sweep(wanted, control, on_progress, resume, limits, on)
    varying = {axis.name for axis in wanted.axes}
    title = sweep_title(method, wanted.inputs, varying)
    if plot:
        output.check_measured(found)
        figures.save_sweep_figure(Path(plot), found, title, wanted.axes, baseline or "")
    show_points(found, title, against, targets)
    if plot:
        print(f"saved {plot}", file=targets.message_stream)


@with_option_groups
def bench(
    method_id: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="Method; by default the suite.")] = None,
    *,
    given: MeasuredInput,
    repeat: Repeat = 5,
    backend: Backends = None,
    device: Devices = None,
    baseline: Baseline = None,
    quick: Annotated[bool, typer.Option("--quick", help="Skip the slowest peers and repeat less often.")] = False,
    limits: Roofline = False,
    resume: Resume = False,
    on: OnCards = None,
    targets: TableTargets,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Measure a method beside every installed peer, or run the standard suite."""
    targets.check([*(given.files or []), *flagged.values()])
    if method_id is None:
        _run_suite(quick, limits, resume, targets, on)
        return
    method = registry.find_method(method_id)
    with watch_measurement() as (control, on_progress):
        wanted = Sweep(
            contenders=list_contenders(method, [], True, speedups.parse_baseline(baseline) if baseline else None),
            inputs=given.make_input(method, flagged, control),
            options=parse_problem_options(method, options),
            parameters=given.parse_parameters(method),
            backends=cast("tuple[BackendChoice, ...]", tuple(backend or ["auto"])),
            devices=tuple(device or [0]),
            repeats=repeat,
            patience_s=25.0,
            side_by_side=True,
        )
        found = measure_sweep(wanted, control, on_progress, resume, limits, on)
    against = speedups.parse_baseline(baseline) if baseline else _fastest_peer(found)
    show_points(found, sweep_title(method, wanted.inputs), against, targets)


def list_contenders(
    method: Method, beside: Sequence[str], with_peers: bool, against: Mapping[str, str] | None
) -> tuple[str, ...]:
    """Return the method, the methods and peers measured beside it, and the baseline if it is another method."""
    found = [method.id, *beside]
    if with_peers:
        found += [peer.id for peer in peers.peers_of_method(method) if peer.version() is not None]
    if against and "method" in against:
        found.append(against["method"])
    return tuple(dict.fromkeys(found))


def check_baseline(against: Mapping[str, str], wanted: Sweep, method: Method) -> None:
    """Raise ParameterError for a baseline that is not a point of the sweep."""
    for name, value in against.items():
        if name == "method":
            continue  # it is measured as well
        sweep_axes.find_axis(name, [method])
        for axis in wanted.axes:
            if axis.name == name and value not in (values := [points.format_value(one) for one in axis.values]):
                raise ParameterError(f"--baseline {name}={value} is not on the axis {name}: {', '.join(values)}")


def measure_sweep(
    wanted: Sweep, control: runner.SweepControl, on_progress: Any, resume: bool, limits: bool, on: str | None = None
) -> tuple[MeasuredPoint, ...]:
    """Measure the points of a sweep, on all GPUs if ``on`` is "gpus"; each is saved in the user's folder at once."""
    tasks, store, found = wanted.make_tasks(), point_store.store_of_sweep(wanted.id), list[MeasuredPoint]()
    if limits:
        for backend, device in {(_resolve_backend(task.backend), task.device) for task in tasks}:
            on_progress(runner.SweepProgress(0, len(tasks), 0.0, None, "limits of the device"))
            roofline.find_roofline(backend, device, control)
    with open_cards(on) as cards, report_kept_points(store.path, found, len(tasks)):
        done = runner.run_sweep(wanted, store, control, found.append, on_progress, resume, cards)
    output.print_warnings(done, store.read_points().warnings)
    return done


@contextmanager
def open_cards(on: str | None) -> Iterator[Executor | None]:
    """Yield the executor of all GPUs if ``on`` is "gpus", else None. Raise ParameterError for another value."""
    if on not in (None, "gpus"):
        raise ParameterError(f"--on {on} measures nothing: points are measured here, or on all GPUs with --on gpus")
    with card_points.open_cards() if on else nullcontext() as cards:
        yield cards


def sweep_title(method: Method, source: SweepInputs, varying: Collection[str] = ()) -> str:
    """Return the title of a sweep: the method and those sizes of its input that do not vary."""
    return ", ".join(part for part in (method.name, source.describe_data(method.problem_type, varying)) if part)


def show_points(
    found: Sequence[MeasuredPoint], title: str, against: Mapping[str, Any] | None, targets: TableTargets
) -> None:
    """Print and save the tables of a sweep, or the reasons if no point could be measured."""
    output.check_measured(found)
    data = {"title": title, "points": [point.to_json() for point in found]}
    targets.save([tables.summary_table(found, title, against)], [tables.full_table(found, against)], data)
    output.exit_if_wrong(found)


def _resolve_backend(backend: str) -> str:
    from antidiag.kernels.cuda import devices

    return "cuda" if backend == "cuda" or (backend == "auto" and devices.discover_devices()[0]) else "cpu"


def _fastest_peer(found: Sequence[MeasuredPoint]) -> dict[str, str] | None:
    """Return the fastest measured peer, as a baseline."""
    rivals = [point for point in found if point.is_peer and point.has_times]
    best = min(rivals, key=lambda point: point.median_value("wall_ms") or 0.0, default=None)
    return {"method": best.contender} if best else None


def _run_suite(quick: bool, limits: bool, resume: bool, targets: TableTargets, on: str | None) -> None:
    shown, full, of_all = [], [], list[MeasuredPoint]()
    with watch_measurement() as (control, on_progress):
        for case in cpu_suite.benchmark_cases(quick):
            found = measure_sweep(case.sweep, control, on_progress, resume, limits, on)
            shown.append(tables.summary_table(found, f"{case.sweep.title}, {found[0].size}", case.baseline))
            full.append(tables.full_table(found, case.baseline))
            of_all += found
    targets.save(shown, full, {"title": "bench", "points": [point.to_json() for point in of_all]})
    output.exit_if_wrong(of_all)
