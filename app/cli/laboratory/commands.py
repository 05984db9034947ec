"""The commands that measure: ``sweep`` over axes, ``bench`` beside peers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

import typer

from antidiag.app.cli import inputs
from antidiag.app.cli.computing import Files, Kind, MethodId, Records, Settings, Threads
from antidiag.app.cli.laboratory import output
from antidiag.app.cli.laboratory.output import Csv, Json, Markdown, Resume, Targets, kept_in_the_end, watched
from antidiag.app.cli.options import parameters, problem_options, with_problem_options
from antidiag.app.invocation import SAMPLES
from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments import axes, peers, points, results, runner, speedups, suite, tables
from antidiag.kernels.experiments.inputs import Generated, Inputs, Loaded
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.sweep import Sweep
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

SWEEP_EXAMPLES = f"""
[bold]Examples[/]

antidiag sweep chunked-alignment-1 a.fa b.fa --axis s=32:1024:*2 --axis h=64,128,256 --repeat 5 --csv heat.csv

antidiag sweep striped-score --axis length=1000:100000:*10 --with parasail-score-32 --baseline parasail-score-32

antidiag sweep striped-score {SAMPLES}/phage-lambda.fasta {SAMPLES}/prophage-ecoli536.fasta --axis threads=1,2
"""
BENCH_EXAMPLES = f"""
[bold]Examples[/]

antidiag bench

antidiag bench striped-score {SAMPLES}/mitochondrion-human.fasta {SAMPLES}/mitochondrion-chimpanzee.fasta
"""

Axes = Annotated[
    list[str] | None,
    typer.Option(
        "--axis", metavar="NAME=VALUES", help=f"What varies; VALUES is {axes.FORMS}. Any parameter or option, length, "
        "count or divergence of the input, method, backend, device. May be repeated.",
    ),
]  # fmt: skip
Repeat = Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Timed calls of every point.")]
WarmUp = Annotated[int, typer.Option("--warm-up", metavar="N", min=0, help="Calls before them that are not counted.")]
Backends = Annotated[
    list[str] | None,
    typer.Option("--backend", metavar="auto|cpu|cuda", help="Where to run; may be repeated, to compare."),
]
Devices = Annotated[
    list[int] | None,
    typer.Option("--device", metavar="N", help="Number of a GPU, see 'info'; may be repeated."),
]
With = Annotated[
    list[str] | None, typer.Option("--with", metavar="METHOD|PEER", help="Measure this beside it; may be repeated.")
]
Peers = Annotated[bool, typer.Option("--peers", help="Measure every peer beside it that is installed and can do this.")]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="METHOD|PEER|cpu|NAME=VALUE", help="What speedups are over; measured as well."),
]
Length = Annotated[
    str | None,
    typer.Option("--length", metavar="N|MxN", help="Length of generated input, or of the front of files."),
]
Count = Annotated[
    int | None, typer.Option("--count", metavar="N", min=1, help="Number of inputs, where several are taken.")
]
Divergence = Annotated[float, typer.Option("--divergence", metavar="X", help="Of generated sequences, 0 to 1.")]
Random = Annotated[bool, typer.Option("--random", help="Generate unrelated sequences instead of mutated ones.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of generated input.")]
SideBySide = Annotated[bool, typer.Option("--side-by-side", help="Let the points of one problem take turns.")]
Roofline = Annotated[
    bool, typer.Option("--roofline", help="Measure the limits of the device first, if they are not known yet.")
]


@with_problem_options
def sweep(
    method_id: MethodId,
    files: Files = None,
    axis: Axes = None,
    repeat: Repeat = 3,
    warm_up: WarmUp = 1,
    settings: Settings = None,
    threads: Threads = None,
    backend: Backends = None,
    device: Devices = None,
    beside: With = None,
    with_peers: Peers = False,
    baseline: Baseline = None,
    records: Records = None,
    kind: Kind = None,
    length: Length = None,
    count: Count = None,
    divergence: Divergence = 0.1,
    unrelated: Random = False,
    seed: Seed = 1,
    side_by_side: SideBySide = False,
    limits: Roofline = False,
    resume: Resume = False,
    csv: Csv = None,
    json: Json = None,
    markdown: Markdown = None,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Measure a method over one or more axes: files, or generated input where none is named."""
    method = registry.method(method_id)
    targets = Targets(csv, json, markdown)
    targets.check([*(files or []), *flagged.values()])
    against = speedups.parse(baseline) if baseline else None
    letters = inputs.sequence_type(kind)
    with watched() as (control, far):
        generated = generated_input(letters, divergence, unrelated, seed)
        wanted = Sweep(
            contenders=contenders(method, beside or [], with_peers, against),
            inputs=sized(source(method, files, flagged, records, letters, generated, control), length, count, method),
            axes=tuple(axes.parse(text, [method]) for text in axis or []),
            options=problem_options(method, options),
            parameters=parameters(method, settings or [], threads),
            backends=cast("tuple[BackendChoice, ...]", tuple(backend or ["auto"])),
            devices=tuple(device or [0]),
            repeats=repeat,
            warm_up=warm_up,
            side_by_side=side_by_side,
        )
        check_baseline(against or {}, wanted, method)
        found = measured(wanted, control, far, resume, limits)
    varying = {axis.name for axis in wanted.axes}
    present(found, titled(method, wanted.inputs, varying), against, targets)


@with_problem_options
def bench(
    method_id: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="Only this; else the suite.")] = None,
    files: Files = None,
    repeat: Repeat = 5,
    settings: Settings = None,
    threads: Threads = None,
    backend: Backends = None,
    device: Devices = None,
    records: Records = None,
    kind: Kind = None,
    length: Length = None,
    count: Count = None,
    baseline: Baseline = None,
    quick: Annotated[bool, typer.Option("--quick", help="The suite without the slowest peers, fewer repeats.")] = False,
    limits: Roofline = False,
    resume: Resume = False,
    csv: Csv = None,
    json: Json = None,
    markdown: Markdown = None,
    *,
    options: Mapping[str, str],
    flagged: Mapping[str, str],
) -> None:
    """Measure a method side by side with every peer that is installed, or the standard suite."""
    targets = Targets(csv, json, markdown)
    targets.check([*(files or []), *flagged.values()])
    if method_id is None:
        _suite(quick, limits, resume, targets)
        return
    method = registry.method(method_id)
    letters = inputs.sequence_type(kind)
    with watched() as (control, far):
        generated = generated_input(letters)
        wanted = Sweep(
            contenders=contenders(method, [], True, speedups.parse(baseline) if baseline else None),
            inputs=sized(source(method, files, flagged, records, letters, generated, control), length, count, method),
            options=problem_options(method, options),
            parameters=parameters(method, settings or [], threads),
            backends=cast("tuple[BackendChoice, ...]", tuple(backend or ["auto"])),
            devices=tuple(device or [0]),
            repeats=repeat,
            patience_s=25.0,
            side_by_side=True,
        )
        found = measured(wanted, control, far, resume, limits)
    against = speedups.parse(baseline) if baseline else _fastest_peer(found)
    present(found, titled(method, wanted.inputs), against, targets)


def contenders(
    method: Method, beside: Sequence[str], with_peers: bool, against: Mapping[str, str] | None
) -> tuple[str, ...]:
    """The method, what is to be measured beside it, and the baseline where that is another contender."""
    found = [method.id, *beside]
    if with_peers:
        found += [peer.id for peer in peers.of(method) if peer.version() is not None]
    if against and "method" in against:
        found.append(against["method"])
    return tuple(dict.fromkeys(found))


def generated_input(
    letters: SequenceType | None, divergence: float = 0.1, unrelated: bool = False, seed: int = 1
) -> Generated:
    """What is generated where no file is named; ParameterError where the divergence is no share."""
    _, declared = axes.declared("divergence", [])
    share = declared.validate(divergence)
    return Generated("random" if unrelated else "mutated", letters or SequenceType.DNA, divergence=share, seed=seed)


def check_baseline(against: Mapping[str, str], wanted: Sweep, method: Method) -> None:
    """ParameterError where a baseline can be no point of the sweep."""
    for name, value in against.items():
        if name == "method":
            continue  # it is measured as well
        axes.declared(name, [method])
        for axis in wanted.axes:
            if axis.name == name and value not in (told := [points.text(one) for one in axis.values]):
                raise ParameterError(f"--baseline {name}={value} is no point of the axis {name}: {', '.join(told)}")


def source(
    method: Method,
    files: Sequence[str] | None,
    flagged: Mapping[str, str],
    records: Sequence[str] | None,
    letters: SequenceType | None,
    generated: Generated,
    monitor: Monitor,
) -> Inputs:
    """The input of all points: what the files hold; what no file is named for is generated."""
    if not files and not flagged:
        return generated
    data = tuple(inputs.gather(method, files or [], flagged, records or [], letters, monitor))
    return Loaded(data) if files else replace(generated, given=data)


def sized(found: Inputs, length: str | None, count: int | None, method: Method) -> Inputs:
    """The input with a length and a number of data, where given; ParameterError where a method has no use for them."""
    known = {parameter.name for parameter in axes.of_input(method.problem)}
    for name, value in (("length", length), ("count", count)):
        if value is not None and name not in known:
            raise ParameterError(f"--{name} has no meaning: {method.name} takes {method.problem.takes()}")
    if length is not None:
        values = axes.parse(f"length={length}", [method]).values
        if len(values) != 1:
            raise ParameterError(f"--length {length} is not one length; --axis length={length} varies it")
        found = replace(found, length=values[0])
    return found if count is None else replace(found, count=count)


def measured(wanted: Sweep, control: runner.Control, far: Any, resume: bool, limits: bool) -> tuple[Point, ...]:
    """The points of a sweep, kept one by one in the user's folder."""
    tasks, store, found = wanted.tasks(), results.of(wanted.id), list[Point]()
    if limits:
        for backend, device in {(_backend(task.backend), task.device) for task in tasks}:
            far(runner.Progress(0, len(tasks), 0.0, None, "limits of the device"))
            roofline.of(backend, device, control)
    with kept_in_the_end(store.path, found, len(tasks)):
        done = runner.run(wanted, store, control, found.append, far, resume)
    output.complain(done, store.read().warnings)
    return done


def titled(method: Method, source: Inputs, varying: Collection[str] = ()) -> str:
    """The method and its input, but for what varies."""
    return ", ".join(part for part in (method.name, source.text(method.problem, varying)) if part)


def present(found: Sequence[Point], title: str, against: Mapping[str, Any] | None, targets: Targets) -> None:
    """Tables on the screen and in files; nothing of it, and the reasons, where no point could be measured."""
    output.check_measured(found)
    data = {"title": title, "points": [point.data() for point in found]}
    targets.save([tables.summary(found, title, against)], [tables.everything(found, against)], data)
    output.exit_code(found)


def _backend(backend: str) -> str:
    from antidiag.kernels.cuda import devices

    return "cuda" if backend == "cuda" or (backend == "auto" and devices.discover()[0]) else "cpu"


def _fastest_peer(found: Sequence[Point]) -> dict[str, str] | None:
    """The peer that a user would take if there were only peers."""
    rivals = [point for point in found if point.is_peer and point.measured]
    best = min(rivals, key=lambda point: point.value("wall_ms") or 0.0, default=None)
    return {"method": best.contender} if best else None


def _suite(quick: bool, limits: bool, resume: bool, targets: Targets) -> None:
    shown, full, of_all = [], [], list[Point]()
    with watched() as (control, far):
        for case in suite.cases(quick):
            found = measured(case.sweep, control, far, resume, limits)
            shown.append(tables.summary(found, f"{case.sweep.title}, {found[0].size}", case.baseline))
            full.append(tables.everything(found, case.baseline))
            of_all += found
    targets.save(shown, full, {"title": "bench", "points": [point.data() for point in of_all]})
    output.exit_code(of_all)
