"""The command ``play``: methods step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from antidiag.app.cli import measured_plays, offscreen, report
from antidiag.app.cli.inputs import check_writable
from antidiag.app.cli.shell.completion import complete_method, option_of_words
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.registry import lectures
from antidiag.kernels.walkthroughs import animation_text, best_paths, exercises, html_page, placeholders, walkthrough
from antidiag.kernels.walkthroughs.animation import Animation, Cell, ModelMachine
from antidiag.kernels.walkthroughs.shared_clock import BY_STEPS, BY_TIME, SharedClock
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

PLAY_EXAMPLES = """
[bold]Examples[/]

antidiag play

antidiag play striped-score -p first=GATTACA -p second=GCATGCA -p s=3

antidiag play striped-score --step 12 --cell "H(4, 4)" --paths

antidiag play layered --beside sloped --out steps.html

antidiag play antidiagonal --beside striped-score --clock measured --size 64

antidiag play nussinov --worksheet folding.pdf --seed 7
"""
MOST_EXERCISES = 50
MEASURED = "measured"
Size = Annotated[int, typer.Option("--size", metavar="N", help="Size of the measured problem.")]
Backend = Annotated[
    str,
    option_of_words(
        "--backend", ("auto", "cpu", "cuda"), "Where methods are measured; auto uses a GPU if there is one."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write the step as .png, .svg or .pdf, all steps up to it as .webp, .gif or .mp4, or an .html page that "
        "plays in a browser.",
    ),
]


def play(
    method_id: Annotated[
        str | None,
        typer.Argument(metavar="[METHOD]", help="Method to show step by step.", autocompletion=complete_method),
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="Set an input or a parameter of the example.")
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="METHOD",
            help="Show another method on the same input beside it.",
            autocompletion=complete_method,
        ),
    ] = None,
    step: Annotated[int | None, typer.Option("--step", metavar="N", help="Explain or draw step N, from 1.")] = None,
    cell: Annotated[str | None, typer.Option("--cell", metavar="H(I, J)", help="Explain this cell's value.")] = None,
    ways: Annotated[bool, typer.Option("--paths", help="Count all optimal paths and show the first.")] = False,
    margin: Annotated[
        float | None,
        typer.Option("--near", metavar="MARGIN", help="List cells on paths within MARGIN of the best."),
    ] = None,
    clock: Annotated[
        str, option_of_words("--clock", ("steps", "time", "measured"), "Clock shared by both animations.")
    ] = "steps",
    size: Size = lectures.SIZE,
    backend: Backend = "auto",
    out: Out = None,
    worksheet: Annotated[
        str | None, typer.Option("--worksheet", metavar="FILE.pdf", help="Write exercises and their solutions.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the first exercise.")] = 1,
    count: Annotated[int, typer.Option("--exercises", metavar="N", help="Number of exercises.")] = 3,
    as_json: Json = False,
) -> None:
    """Show a method step by step on a small input; without a method, list those that can be shown."""
    if method_id is None:
        _list_plays(as_json)
        return
    methods = [registry.find_method(one) for one in (method_id, beside) if one]
    if worksheet is not None:
        _write_worksheet(Path(worksheet), methods[0], seed, count)
        print(f"saved {worksheet}")
        return
    if clock == MEASURED:
        machine, runs = measured_plays.measure_methods(methods, size, backend)
        output_measured(out, as_json, " and ".join(name for name, _ in runs), [], machine, runs)
        if out is not None:
            print(f"saved {out}")
        return
    plays = _make_plays(methods, parameter or [])
    made = SharedClock(tuple(plays), {"steps": BY_STEPS, "time": BY_TIME}.get(clock) or _unknown_clock(clock))
    tick = made.last_tick if step is None else made.tick_of(0, _check_step(plays[0], step) - 1)
    if out is not None:
        write_play(Path(out), made, tick, " and ".join(one.title for one in plays), [])
        print(f"saved {out}")
        return
    if as_json:
        report.print_json([_play_json(one) for one in plays])
        return
    for one in plays:
        _print_play(one, step, cell, ways, margin)


def _list_plays(as_json: bool) -> None:
    found = [method for method in registry.METHODS if method.teaching.walkthrough_name]
    if as_json:
        report.print_json([{"id": one.id, "name": one.name, "inputs": _inputs_json(one)} for one in found])
        return
    for one in found:
        print(f"{one.id}: {one.name}; {one.problem_type.label}")
        for parameter in _walkthrough_of(one).all_parameters:
            print(f"  -p {parameter.name}={parameter.default}: {parameter.help}")
    for one in registry.METHODS:
        if one.teaching.no_walkthrough_reason:
            print(f"{one.id}: {one.name} cannot be shown step by step. {one.teaching.no_walkthrough_reason}")


def _inputs_json(method: Method) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "default": one.default, "help": one.help} for one in _walkthrough_of(method).all_parameters
    ]


def _walkthrough_of(method: Method) -> Walkthrough:
    made = walkthrough.load_walkthrough(method)
    if made is None:
        raise ParameterError(f"{method.name} cannot be shown step by step. {method.teaching.no_walkthrough_reason}")
    return made


def _make_plays(methods: Sequence[Method], settings: Iterable[str]) -> list[Animation]:
    """Make the animation of each method. Raise ParameterError for a setting that none of them declares."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"-p must be name=value, such as -p first=GATTACA; got {setting!r}")
        given[name] = text
    staged = [_walkthrough_of(method) for method in methods]
    known = {one.name: one for made in staged for one in made.all_parameters}
    for name in given:
        if name not in known:
            raise ParameterError(f"unknown parameter {name!r}; choose from: {', '.join(known)}")
    plays = []
    for made in staged:
        own = {one.name: one.parse(given[one.name]) for one in made.all_parameters if one.name in given}
        plays.append(made.make_animation(own))
    return plays


def _unknown_clock(name: str) -> str:
    raise ParameterError(f"--clock {name}: choose steps, time or measured")


def _check_step(made: Animation, step: int) -> int:
    if not 1 <= step <= len(made):
        raise ParameterError(f"--step must be from 1 to {len(made)} ({made.title}); got {step}")
    return step


def _print_play(made: Animation, step: int | None, cell: str | None, ways: bool, margin: float | None) -> None:
    print(made.title)
    for line in made.answer_text.splitlines():
        print(f"  {line}")
    if cell is None and step is None and not ways and margin is None:
        for at in range(len(made)):
            print(animation_text.step_heading(made, at))
    if step is not None:
        at = _check_step(made, step) - 1
        print(animation_text.step_heading(made, at))
        report.print_rows(
            [*animation_text.counted_rows(made, at, ModelMachine()), *animation_text.memory_rows(made, at)]
        )
        for line in animation_text.describe_crossings(made, at):
            print(f"transfer: {line}")
    if cell is not None:
        _print_cell(made, cell)
    if ways:
        found = best_paths.count_best_paths(made)
        print(f"optimal paths: {found.total:,}")
        first = next(iter(best_paths.iterate_best_paths(made, 1)))
        print("first: " + " ".join(_cell_name(made, one) for one in first if made.cell_step(one) >= 0))
    if margin is not None:
        near = best_paths.cells_near_best(made, margin)
        print(f"cells on paths that score within {margin:g} of the best: {len(near):,}")
        for one, worse in sorted(near.items()):
            print(f"  {_cell_name(made, one)}: {worse:g}")


def _cell_name(made: Animation, cell: Cell) -> str:
    table, i, j, k = cell
    layer = f", {k}" if made.tables[table].table_shape[2] > 1 else ""
    return f"{made.tables[table].name}({i}, {j}{layer})"


def _print_cell(made: Animation, text: str) -> None:
    match = placeholders.CELL.fullmatch(text.strip())
    if match is None:
        raise ParameterError(f"--cell must be a cell such as H(4, 4); got {text!r}")
    found = placeholders.find_cell(made, match[1], [int(word) for word in match[2].split(",")])
    if made.cell_step(found) < 0:
        print(f"{text} = {made.format_cell(found)}, given")
    elif made.cell_step(found) >= len(made):
        print(f"{text}: not computed")
    else:
        for line, wins in animation_text.format_formula(made, found):
            print(f"{'* ' if wins else '  '}{line}")


def _play_json(made: Animation) -> dict[str, Any]:
    """Return steps with their cells, memory and transfers, and tables with values, steps and workers."""
    return {
        "title": made.title,
        "answer": made.answer_text,
        "workers": list(made.workers),
        "tables": [_table_json(one) for one in made.tables],
        "steps": [
            {
                "text": step.text,
                "phase": step.phase or None,
                "cells": len(cells),
                "busy_workers": int(busy),
                "waiting_workers": list(step.waiting),
                "barrier": step.barrier,
                "memory": [{"place": one.place, "data": one.what, "bytes": one.bytes} for one in step.held],
                "transfers": [{"place": one.place, "data": one.what, "bytes": one.bytes} for one in step.crossings],
            }
            for step, cells, busy in zip(made.steps, made.step_cells, made.busy_workers, strict=True)
        ],
    }


def _table_json(table: Any) -> dict[str, Any]:
    """Return a table as plain data; infinite values are null."""
    numbers = [[[_finite_or_none(value) for value in place] for place in row] for row in table.values.tolist()]
    return {
        "name": table.name,
        "values": numbers,
        "step": table.step_of.tolist(),
        "worker": table.worker_of.tolist(),
        "rows": list(table.rows),
        "columns": list(table.columns),
    }


def _finite_or_none(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def output_measured(
    out: str | None, as_json: bool, title: str, words: Sequence[str], machine: str, runs: measured_plays.MeasuredReplays
) -> None:
    """Write measured runs to a file, or print them as JSON or text."""
    if out is not None and out.lower().endswith(".html"):
        check_writable(Path(out), [])
        measured_plays.write_page(Path(out), title, words, machine, runs)
    elif out is not None:
        check_writable(Path(out), [])
        _load_drawing(Path(out)).save_measured_runs(Path(out), runs, 0.5 if _is_still_picture(out) else 1.0)
    elif as_json:
        report.print_json(measured_plays.as_json(machine, runs))
    else:
        measured_plays.print_replays(machine, runs)


def _is_still_picture(name: str) -> bool:
    """Return whether a file holds one picture, which is taken from the middle of the run."""
    return Path(name).suffix.lower() in (".png", ".svg", ".pdf")


def _write_worksheet(path: Path, method: Method, seed: int, count: int) -> None:
    """Write exercises and their solutions, one for each seed."""
    check_writable(path, [])
    if path.suffix.lower() != ".pdf":
        raise InputError(f"{path}: a worksheet must be a .pdf file")
    if seed < 1 or not 1 <= count <= MOST_EXERCISES:
        raise ParameterError(f"--seed must be 1 or more, and --exercises from 1 to {MOST_EXERCISES}")
    made = [exercises.make_exercise(_walkthrough_of(method), seed + at) for at in range(count)]
    _load_drawing(path).save_worksheet(path, made)


def _load_drawing(path: Path) -> Any:
    """Load the module that draws without a screen. Raise InputError if Qt is missing."""
    offscreen.check_qt(f"{path}: a picture")
    return offscreen.load_drawing("antidiag.app.kit.play.offscreen", str(path))


def write_handout(path: Path, lecture: lectures.Lecture) -> None:
    """Write the handout of a lecture as PDF or HTML."""
    check_writable(path, [])
    if path.suffix.lower() not in (".pdf", ".html"):
        raise InputError(
            f"{path}: a handout is a .pdf or .html file; for the picture of a scene choose it with --scene"
        )
    _load_drawing(path).save_handout(path, lecture)


def write_play(
    path: Path,
    clock: SharedClock,
    tick: int,
    title: str,
    words: Sequence[str],
    view: lectures.SceneView | None = None,
    first: int = 0,
) -> None:
    """Write a play as a page, or draw the step ``tick``, or all steps from ``first`` up to it."""
    check_writable(path, [])
    if path.suffix.lower() == ".html":
        write_bytes(path, [html_page.make_page(clock, title, words, tick).encode()])
        return
    _load_drawing(path).save_plays(path, clock, view or lectures.SceneView(), first, tick)
