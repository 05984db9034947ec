"""The commands ``play`` and ``lecture``: methods step by step, and notebooks of scenes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from antidiag.app.cli import measured_plays, report
from antidiag.app.cli.inputs import check_place
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.plays import exercises, facts, html, paths, staging, telling
from antidiag.kernels.plays.clock import BY_STEPS, BY_TIME, Clock
from antidiag.kernels.plays.model import Cell, Machine, Play
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.registry import lectures

PLAY_EXAMPLES = """
[bold]Examples[/]

antidiag play

antidiag play striped-score -p first=GATTACA -p second=GCATGCA -p s=3

antidiag play striped-score --step 12 --cell "H(4, 4)" --paths

antidiag play layered --beside sloped --out steps.html

antidiag play antidiagonal --beside striped-score --clock measured --size 64

antidiag play nussinov --worksheet folding.pdf --seed 7
"""
LECTURE_EXAMPLES = """
[bold]Examples[/]

antidiag lecture

antidiag lecture long-pairs

antidiag lecture long-pairs --scene strips --out strips.html

antidiag lecture long-pairs --check
"""
MOST_EXERCISES = 50
MEASURED = "measured"
Size = Annotated[int, typer.Option("--size", metavar="N", help="Of the problem that methods are measured on.")]
Backend = Annotated[
    str,
    typer.Option(
        "--backend", metavar="auto|cpu|cuda", help="Where methods are measured; auto is a GPU, if one is there."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="Write .png, .svg or .pdf of the step, .webp, .gif or .mp4 of all up "
                 "to it, .html that plays in a browser."),
]  # fmt: skip


def play(
    method_id: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="The method to play.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="An input or a parameter of the play.")
    ] = None,
    beside: Annotated[
        str | None, typer.Option("--beside", metavar="METHOD", help="Another method, same input.")
    ] = None,
    step: Annotated[int | None, typer.Option("--step", metavar="N", help="Tell this step, from 1; or draw it.")] = None,
    cell: Annotated[str | None, typer.Option("--cell", metavar="H(I, J)", help="Tell how a cell comes about.")] = None,
    ways: Annotated[bool, typer.Option("--paths", help="Count all best paths, and show the first of them.")] = False,
    margin: Annotated[
        float | None, typer.Option("--near", metavar="MARGIN", help="Cells of paths that are at most so much worse.")
    ] = None,
    clock: Annotated[
        str, typer.Option("--clock", metavar="steps|time|measured", help="What two plays have in common.")
    ] = "steps",
    size: Size = lectures.SIZE,
    backend: Backend = "auto",
    out: Out = None,
    worksheet: Annotated[
        str | None, typer.Option("--worksheet", metavar="FILE.pdf", help="Write exercises with blanks, and solutions.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the first exercise; the next ones follow.")] = 1,
    count: Annotated[int, typer.Option("--exercises", metavar="N", help="How many exercises a worksheet has.")] = 3,
    as_json: Json = False,
) -> None:
    """Play a method on a small input, step by step; without a method, list those that can be played."""
    if method_id is None:
        _list_plays(as_json)
        return
    methods = [registry.method(one) for one in (method_id, beside) if one]
    if worksheet is not None:
        _write_worksheet(Path(worksheet), methods[0], seed, count)
        return
    if clock == MEASURED:
        told, runs = measured_plays.measure(methods, size, backend)
        _give_measured(out, as_json, " and ".join(name for name, _ in runs), [], told, runs)
        return
    plays = _plays(methods, parameter or [])
    made = Clock(tuple(plays), {"steps": BY_STEPS, "time": BY_TIME}.get(clock) or _unknown_clock(clock))
    tick = made.last if step is None else made.tick(0, _step(plays[0], step) - 1)
    if out is not None:
        _write(Path(out), made, tick, " and ".join(one.title for one in plays), [])
        return
    if as_json:
        report.print_json([_play_json(one) for one in plays])
        return
    for one in plays:
        _tell(one, step, cell, ways, margin)


def lecture(
    name: Annotated[str | None, typer.Argument(metavar="[LECTURE]", help="A lecture by name, or a file.")] = None,
    scene: Annotated[str | None, typer.Option("--scene", metavar="NAME", help="Only this scene.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Say what is wrong with it.")] = False,
    out: Out = None,
    backend: Backend = "auto",
    as_json: Json = False,
) -> None:
    """Tell a lecture with its numbers, or write the picture of a scene; without a name, list those that ship."""
    if name is None:
        _list_lectures(as_json)
        return
    found = lectures.read(lectures.find(name))
    if check:
        problems = lectures.problems(found)
        print("\n".join(problems) if problems else f"{found.title}: {len(found.scenes)} scenes, nothing is wrong")
        if problems:
            raise typer.Exit(2)
        return
    if scene is not None and all(one.name != scene for one in found.scenes):
        raise InputError(f"--scene {scene}: there are {', '.join(one.name for one in found.scenes)}")
    chosen = [one for one in found.scenes if scene in (None, one.name)]
    if out is not None:
        if scene is None:
            raise ParameterError("--out writes one scene; name it with --scene")
        _write_scene(Path(out), chosen[0], backend)
        return
    if as_json:
        report.print_json(lectures.as_json(found))
        return
    _tell_lecture(found, chosen, scene is None)


def _list_plays(as_json: bool) -> None:
    found = [method for method in registry.METHODS if method.staging]
    if as_json:
        report.print_json([{"id": one.id, "name": one.name, "inputs": _declared(one)} for one in found])
        return
    for one in found:
        print(f"{one.id}: {one.name}; {one.problem.label}")
        for parameter in _staged(one).declared:
            print(f"  -p {parameter.name}={parameter.default}: {parameter.help}")
    for one in registry.METHODS:
        if one.unplayed:
            print(f"{one.id}: {one.name} is not played. {one.unplayed}")


def _declared(method: Method) -> list[dict[str, Any]]:
    return [{"name": one.name, "default": one.default, "help": one.help} for one in _staged(method).declared]


def _staged(method: Method) -> Staging:
    made = staging.of(method)
    if made is None:
        raise ParameterError(f"{method.name} cannot be played step by step. {method.unplayed}")
    return made


def _plays(methods: Sequence[Method], settings: Iterable[str]) -> list[Play]:
    """Each method's play of the settings that it declares; ParameterError for one that none of them declares."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ParameterError(f"-p {setting!r} is not name=value, such as -p first=GATTACA")
        given[name] = text
    staged = [_staged(method) for method in methods]
    known = {one.name: one for made in staged for one in made.declared}
    for name in given:
        if name not in known:
            raise ParameterError(f"unknown parameter {name!r}; there are: {', '.join(known)}")
    plays = []
    for made in staged:
        own = {one.name: one.parse(given[one.name]) for one in made.declared if one.name in given}
        plays.append(made.make(own))
    return plays


def _unknown_clock(name: str) -> str:
    raise ParameterError(f"--clock {name}: choose steps, time or measured")


def _step(made: Play, step: int) -> int:
    if not 1 <= step <= len(made):
        raise ParameterError(f"--step {step}: {made.title} has steps 1 to {len(made)}")
    return step


def _tell(made: Play, step: int | None, cell: str | None, ways: bool, margin: float | None) -> None:
    print(made.title)
    for line in made.told.splitlines():
        print(f"  {line}")
    if cell is None and step is None and not ways and margin is None:
        for at in range(len(made)):
            print(telling.heading(made, at))
    if step is not None:
        at = _step(made, step) - 1
        print(telling.heading(made, at))
        report.print_rows([*telling.counts(made, at, Machine()), *telling.memory(made, at)])
        for line in telling.crossings(made, at):
            print(f"crosses: {line}")
    if cell is not None:
        _tell_cell(made, cell)
    if ways:
        found = paths.counted(made)
        print(f"best paths: {found.total:,}")
        first = next(iter(paths.each(made, 1)))
        print("the first: " + " ".join(_name(made, one) for one in first if made.step(one) >= 0))
    if margin is not None:
        near = paths.near(made, margin)
        print(f"cells at most {margin:g} worse than the best: {len(near):,}")
        for one, worse in sorted(near.items()):
            print(f"  {_name(made, one)}: {worse:g}")


def _name(made: Play, cell: Cell) -> str:
    table, i, j, k = cell
    layer = f", {k}" if made.tables[table].shape[2] > 1 else ""
    return f"{made.tables[table].name}({i}, {j}{layer})"


def _tell_cell(made: Play, text: str) -> None:
    match = facts.CELL.fullmatch(text.strip())
    if match is None:
        raise ParameterError(f"--cell {text!r} is no cell; give it as H(4, 4)")
    found = facts.cell_of(made, match[1], [int(word) for word in match[2].split(",")])
    if made.step(found) < 0:
        print(f"{text} = {made.letter(found)}, given")
    elif made.step(found) >= len(made):
        print(f"{text}: nothing is computed there")
    else:
        for line, wins in telling.formula_lines(made, found):
            print(f"{'* ' if wins else '  '}{line}")


def _play_json(made: Play) -> dict[str, Any]:
    """Steps with what they compute, hold and hand on; tables with values, steps and workers."""
    return {
        "title": made.title,
        "answer": made.told,
        "workers": list(made.workers),
        "tables": [_table_json(one) for one in made.tables],
        "steps": [
            {"text": step.text, "phase": step.phase, "cells": len(cells), "busy": int(busy),
             "waiting": list(step.waiting), "barrier": step.barrier,
             "held": [{"place": one.place, "what": one.what, "bytes": one.bytes} for one in step.held],
             "crossings": [{"what": one.what, "place": one.place, "bytes": one.bytes} for one in step.crossings]}
            for step, cells, busy in zip(made.steps, made.cells_of, made.busy, strict=True)
        ],
    }  # fmt: skip


def _table_json(table: Any) -> dict[str, Any]:
    """Numbers that JSON does not have are null."""
    numbers = [[[_finite(value) for value in place] for place in row] for row in table.values.tolist()]
    return {"name": table.name, "values": numbers, "step": table.step_of.tolist(), "worker": table.worker_of.tolist(),
            "rows": list(table.rows), "columns": list(table.columns)}  # fmt: skip


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _list_lectures(as_json: bool) -> None:
    found = {path.stem: lectures.read(path) for path in lectures.shipped()}
    if as_json:
        report.print_json([{"name": name, "title": one.title, "scenes": [scene.name for scene in one.scenes]}
                           for name, one in found.items()])  # fmt: skip
        return
    for name, one in found.items():
        print(f"{name}: {one.title} ({len(one.scenes)} scenes)")
        print(f"  {one.abstract}")


def _tell_lecture(found: lectures.Lecture, scenes: Sequence[lectures.Scene], whole: bool) -> None:
    if whole:
        print(f"{found.title}\n{found.abstract}\n")
    for one in scenes:
        source = f"  [{one.source}]" if one.source else ""
        print(f"{one.name}: {one.filled(one.title)}{source}")
        for point in one.points:
            print(f"  - {one.filled(point)}")
        for text in one.text:
            print(f"  {one.filled(text)}")
        print()
    for number, question in enumerate(found.questions if whole else (), 1):
        asked, answer = found.asked(question)
        print(f"{number}. {asked}\n   {answer}")


def _give_measured(out: str | None, as_json: bool, title: str, words: Sequence[str], told: str,
                   runs: measured_plays.Runs) -> None:  # fmt: skip
    """Runs as a file, as JSON, or in words."""
    if out is not None and out.lower().endswith(".html"):
        check_place(Path(out), [])
        measured_plays.write_page(Path(out), title, words, told, runs)
    elif out is not None:
        check_place(Path(out), [])
        _qt(Path(out)).save_measured(Path(out), runs, 0.5 if _still(out) else 1.0)
    elif as_json:
        report.print_json(measured_plays.as_json(told, runs))
    else:
        measured_plays.tell(told, runs)


def _still(name: str) -> bool:
    """Whether a file holds one picture: that of the middle says more than that of the end."""
    return Path(name).suffix.lower() in (".png", ".svg", ".pdf")


def _write_scene(path: Path, scene: lectures.Scene, backend: str) -> None:
    """The scene where it stops, or up to there; real runs are made now."""
    if not scene.plays:
        raise InputError(f"{scene.name}: a scene without a picture; choose another")
    if scene.measured:
        methods = [registry.method(one.method) for one in scene.plays]
        told, runs = measured_plays.measure(methods, scene.size, backend)
        words = [scene.filled(text) for text in (*scene.points, *scene.text)]
        _give_measured(str(path), False, scene.filled(scene.title), words, told, runs)
        return
    clock = Clock(tuple(one.play for one in scene.plays), scene.clock)
    tick = clock.last if scene.last < 0 else min(scene.last, clock.last)
    words = [scene.filled(text) for text in (*scene.points, *scene.text)]
    _write(path, clock, tick, scene.filled(scene.title), words, scene.view, min(scene.first, tick))


def _write_worksheet(path: Path, method: Method, seed: int, count: int) -> None:
    """Tasks, then solutions, of exercises by seed."""
    check_place(path, [])
    if path.suffix.lower() != ".pdf":
        raise InputError(f"{path}: worksheets are written as .pdf")
    if seed < 1 or not 1 <= count <= MOST_EXERCISES:
        raise ParameterError(f"--seed is 1 or more, and --exercises 1 to {MOST_EXERCISES}")
    made = [exercises.make(_staged(method), seed + at) for at in range(count)]
    _qt(path).save_worksheet(path, made)


def _qt(path: Path) -> ModuleType:
    """What draws; InputError where Qt is missing. No screen is needed."""
    if find_spec("PySide6") is None:
        raise InputError(f"{path}: pictures are drawn with PySide6, which is missing; run python3 scripts/setup.py")
    if sys.platform.startswith("linux") and not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from antidiag.app.kit.play import offscreen
    except ImportError as error:
        raise InputError(f"{path}: Qt cannot be loaded: {error}") from None
    return offscreen


def _write(path: Path, clock: Clock, tick: int, title: str, words: Sequence[str],
           view: lectures.View | None = None, first: int = 0) -> None:  # fmt: skip
    check_place(path, [])
    if path.suffix.lower() == ".html":
        write_bytes(path, [html.page(clock, title, words, tick).encode()])
        return
    _qt(path).save(path, clock, view or lectures.View(), first, tick)
