"""The command ``lecture``: notebooks of scenes, listed, printed, checked and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from antidiag.app.cli import measured_plays, report
from antidiag.app.cli.play_command import Backend, Json, Out, output_measured, write_handout, write_play
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import lectures
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

LECTURE_EXAMPLES = """
[bold]Examples[/]

antidiag lecture

antidiag lecture long-pairs

antidiag lecture long-pairs --scene strips --out strips.html

antidiag lecture long-pairs --out handout.pdf

antidiag lecture long-pairs --check
"""


def lecture(
    name: Annotated[str | None, typer.Argument(metavar="[LECTURE]", help="Name or file of a lecture.")] = None,
    scene: Annotated[str | None, typer.Option("--scene", metavar="NAME", help="Show this scene only.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Check the lecture for errors.")] = False,
    out: Out = None,
    backend: Backend = "auto",
    as_json: Json = False,
) -> None:
    """Print a lecture with its numbers, or write its handout or the picture of a scene; without a name, list lectures.

    --out writes the whole lecture as a handout (.pdf, .html), with --scene the picture of one scene.
    """
    if name is None:
        _list_lectures(as_json)
        return
    found = lectures.read_lecture(lectures.find_lecture(name))
    if check:
        problems = lectures.find_problems(found)
        print("\n".join(problems) if problems else f"{found.title}: {len(found.scenes)} scenes, no errors")
        if problems:
            raise typer.Exit(2)
        return
    if scene is not None and all(one.name != scene for one in found.scenes):
        raise InputError(f"--scene {scene}: no such scene; choose {', '.join(one.name for one in found.scenes)}")
    chosen = [one for one in found.scenes if scene in (None, one.name)]
    if out is not None:
        if scene is None:
            write_handout(Path(out), found)
        else:
            _write_scene(Path(out), chosen[0], backend)
        print(f"saved {out}")
        return
    if as_json:
        report.print_json(lectures.lecture_to_json(found))
        return
    _print_lecture(found, chosen, scene is None)


def _list_lectures(as_json: bool) -> None:
    found = {path.stem: lectures.read_lecture(path) for path in lectures.shipped_lectures()}
    if as_json:
        scenes = {name: [scene.name for scene in one.scenes] for name, one in found.items()}
        listed = [{"name": name, "title": one.title, "scenes": scenes[name]} for name, one in found.items()]
        report.print_json(listed)
        return
    for name, one in found.items():
        print(f"{name}: {one.title} ({len(one.scenes)} scenes)")
        print(f"  {one.abstract}")


def _print_lecture(found: lectures.Lecture, scenes: Sequence[lectures.LectureScene], whole: bool) -> None:
    if whole:
        print(f"{found.title}\n{found.abstract}\n")
        report.print_rows(found.sources.items())
        print()
    for one in scenes:
        source = f"  [{one.source}]" if one.source else ""
        print(f"{one.name}: {one.fill_numbers(one.title)}{source}")
        for point in one.points:
            print(f"  - {one.fill_numbers(point)}")
        for text in one.text:
            print(f"  {one.fill_numbers(text)}")
        print()
    for number, question in enumerate(found.questions if whole else (), 1):
        asked, answer = found.fill_question(question)
        print(f"{number}. {asked}\n   {answer}")


def _write_scene(path: Path, scene: lectures.LectureScene, backend: str) -> None:
    """Write the picture of a scene at its last step, or all steps up to it; measured scenes run now."""
    if not scene.plays:
        raise InputError(f"{scene.name}: this scene has no picture; choose another")
    if scene.is_measured:
        methods = [registry.find_method(one.method) for one in scene.plays]
        machine, runs = measured_plays.measure_methods(methods, scene.size, backend)
        words = [scene.fill_numbers(text) for text in (*scene.points, *scene.text)]
        output_measured(str(path), False, scene.fill_numbers(scene.title), words, machine, runs)
        return
    clock = SharedClock(tuple(one.animation for one in scene.plays), scene.clock)
    tick = clock.last_tick if scene.last < 0 else min(scene.last, clock.last_tick)
    words = [scene.fill_numbers(text) for text in (*scene.points, *scene.text)]
    write_play(path, clock, tick, scene.fill_numbers(scene.title), words, scene.view, min(scene.first, tick))
