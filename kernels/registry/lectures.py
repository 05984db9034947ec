"""Lectures: notebooks of scenes that name plays, as JSON files; what is wrong in one is said by scene.

A file of version 1 is an object with ``antidiag_lecture`` (1), ``title``, ``abstract``, ``sources`` (key to reference),
``scenes`` and ``questions``. The names of its fields never change. See docs/lectures.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.plays import facts, staging
from antidiag.kernels.plays.clock import BY_MEASURED, BY_STEPS, BY_TIME
from antidiag.kernels.plays.facts import Shown
from antidiag.kernels.plays.model import Cell, Play
from antidiag.kernels.registry import method
from antidiag.kernels.text import from_json

FOLDER = RESOURCES / "lectures"
VERSION = 1
QUESTIONS = 10
COLOURINGS = ("state", "worker", "memory", "paths")
CLOCKS = (BY_STEPS, BY_TIME, BY_MEASURED)
SIZE, LARGEST = 16, 4096
"""Of the problem that methods are measured on: as a scene has it by default, and at most."""
END = "end"


@dataclass(frozen=True)
class Staged:
    """A method, and the values that are typed for it."""

    method: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def play(self) -> Play:
        """InputError or ParameterError where it cannot be played."""
        made = staging.of(method(self.method))
        if made is None:
            raise InputError(f"{self.method} cannot be played step by step; choose another method")
        return made.make(self.values)

    @cached_property
    def resolved(self) -> Mapping[str, Any]:
        made = staging.of(method(self.method))
        return made.values(self.values) if made else {}


@dataclass(frozen=True)
class View:
    """How the plays of a scene are looked at."""

    colouring: str = "state"
    tables: tuple[str, ...] = ()
    cell: tuple[Any, ...] = ()
    path: bool = False

    def table_numbers(self, play: Play) -> tuple[int, ...] | None:
        """The tables of a play that are shown; None for those that it shows by itself."""
        if not self.tables:
            return None
        found = tuple(at for at, table in enumerate(play.tables) if table.name in self.tables)
        return found or None

    def cell_in(self, play: Play) -> Cell | None:
        """The cell that is explained; None where the play does not have its table."""
        if not self.cell or all(table.name != self.cell[0] for table in play.tables):
            return None
        return facts.cell_of(play, str(self.cell[0]), [int(at) for at in self.cell[1:]])


@dataclass(frozen=True)
class Scene:
    """One picture of a lecture: lines for the audience, text for the speaker, and up to two plays on one clock.

    Ticks of the clock from ``first`` to ``last`` are played; -1 is the end. On the measured clock the methods of the
    plays are run there and then, on a problem of this ``size``, and all of what was measured is played.
    """

    name: str
    title: str
    points: tuple[str, ...]
    text: tuple[str, ...]
    source: str = ""
    plays: tuple[Staged, ...] = ()
    clock: str = "steps"
    first: int = 0
    last: int = 0
    view: View = field(default_factory=View)
    size: int = SIZE

    @property
    def measured(self) -> bool:
        """Whether the methods themselves are run."""
        return self.clock == BY_MEASURED

    def shown(self, steps: Sequence[int] | None = None) -> tuple[Shown, ...]:
        """The plays for placeholders; ``steps`` are those that are shown, the last ones of the scene if not given."""
        at = steps or [(len(one.play) if self.last < 0 else self.last) - 1 for one in self.plays]
        return tuple(Shown(one.play, one.resolved, step) for one, step in zip(self.plays, at, strict=False))

    def filled(self, text: str, steps: Sequence[int] | None = None) -> str:
        return facts.filled(text, self.shown(steps))


@dataclass(frozen=True)
class Question:
    """What the text and the pictures of some scenes answer."""

    question: str
    answer: str
    scenes: tuple[str, ...]


@dataclass(frozen=True)
class Lecture:
    """A notebook of scenes."""

    title: str
    abstract: str
    sources: Mapping[str, str] = field(hash=False)
    scenes: tuple[Scene, ...] = ()
    questions: tuple[Question, ...] = ()
    source: str = ""

    def scene(self, name: str) -> Scene:
        return next(scene for scene in self.scenes if scene.name == name)

    def asked(self, question: Question) -> tuple[str, str]:
        """A question and its answer, with the numbers of its first scene."""
        first = self.scene(question.scenes[0])
        return first.filled(question.question), first.filled(question.answer)


def shipped() -> tuple[Path, ...]:
    """The files of the lectures that come with the program."""
    return tuple(sorted(FOLDER.glob("*.json")))


def find(name: str) -> Path:
    """A file, or the lecture of this name that comes with the program; InputError names those there are."""
    path = Path(name)
    if path.is_file():
        return path
    found = FOLDER / f"{name}.json"
    if not found.is_file():
        known = ", ".join(one.stem for one in shipped())
        raise InputError(f"{name}: no such file, and no lecture of that name; there are {known}")
    return found


@lru_cache(maxsize=16)
def _of_text(text: bytes, place: str) -> Lecture:
    try:
        found = from_json(text)
    except ValueError as error:
        raise InputError(f"{place}: this is not JSON: {error}") from None
    if not isinstance(found, dict) or "antidiag_lecture" not in found:
        raise InputError(f"{place}: not a lecture; it needs antidiag_lecture, title, sources, scenes and questions")
    if found["antidiag_lecture"] != VERSION:
        raise InputError(f"{place}: a lecture of version {found['antidiag_lecture']}; this program reads {VERSION}: "
                         "update the program")  # fmt: skip
    return Lecture(
        _text(found, "title", place), _text(found, "abstract", place, ""), _mapping(found, "sources", place),
        tuple(_scene(one, f"{place}, scene {at}") for at, one in enumerate(_list(found, "scenes", place), 1)),
        tuple(_question(one, f"{place}, question {at}") for at, one in enumerate(_list(found, "questions", place), 1)),
        place,
    )  # fmt: skip


def read(path: str | Path) -> Lecture:
    """The lecture of a file; InputError names file, scene and field."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read the lecture: {error.strerror}") from error
    return _of_text(text, str(path))


def write(path: Path, lecture: Lecture) -> None:
    """Write a lecture as a file, all or nothing."""
    write_bytes(path, [(json.dumps(as_json(lecture), indent=1, ensure_ascii=False) + "\n").encode()])


def as_json(lecture: Lecture) -> dict[str, Any]:
    """The object of the file."""
    return {
        "antidiag_lecture": VERSION,
        "title": lecture.title,
        "abstract": lecture.abstract,
        "sources": dict(lecture.sources),
        "scenes": [_scene_json(scene) for scene in lecture.scenes],
        "questions": [
            {"question": one.question, "answer": one.answer, "scenes": list(one.scenes)} for one in lecture.questions
        ],
    }


def _scene_json(scene: Scene) -> dict[str, Any]:
    view = {"colouring": scene.view.colouring, "tables": list(scene.view.tables), "cell": list(scene.view.cell),
            "path": scene.view.path}  # fmt: skip
    size = {"size": scene.size} if scene.measured else {}
    return {
        "name": scene.name, "title": scene.title, "points": list(scene.points), "text": list(scene.text),
        "source": scene.source,
        "plays": [{"method": one.method, "values": dict(one.values)} for one in scene.plays], "clock": scene.clock,
        "from": scene.first, "to": END if scene.last < 0 else scene.last, "view": view,
        **size,
    }  # fmt: skip


def problems(lecture: Lecture) -> list[str]:
    """What is wrong with a lecture that can be read: plays, ticks, tables, placeholders, typed numbers, questions."""
    found: list[str] = []
    names = [scene.name for scene in lecture.scenes]
    found += [f"two scenes are called {name}" for name in sorted({one for one in names if names.count(one) > 1})]
    for scene in lecture.scenes:
        found += [f"scene {scene.name}: {told}" for told in problems_of(scene, lecture)]
    if len(lecture.questions) != QUESTIONS:
        found.append(f"{len(lecture.questions)} questions; a lecture ends in {QUESTIONS}")
    for at, question in enumerate(lecture.questions, 1):
        missing = [name for name in question.scenes if name not in names]
        found += [f"question {at}: no scene {name}" for name in missing]
        if not question.scenes:
            found.append(f"question {at}: names no scene that answers it")
        elif not missing:
            try:
                lecture.asked(question)
            except AntidiagError as error:
                found.append(f"question {at}: {error}")
        for text in (question.question, question.answer):
            found += [f"question {at}: the number {number} is typed" for number in facts.free_numbers(text)]
    return found


def problems_of(scene: Scene, lecture: Lecture) -> list[str]:
    """What is wrong with a scene."""
    found = []
    texts = (scene.title, *scene.points, *scene.text)
    found += [f"the number {number} is typed; let the program put it there" for text in texts
              for number in facts.free_numbers(text)]  # fmt: skip
    keys = [part.split(",")[0].strip() for part in scene.source.split(";") if part.strip()]
    found += [f"the source {key} is not among the sources" for key in keys if key not in lecture.sources]
    if not scene.points or not scene.text:
        found.append("points and text are needed")
    try:
        plays = [one.play for one in scene.plays]
        for text in texts:
            scene.filled(text)
        for name in scene.view.tables:
            if all(table.name != name for play in plays for table in play.tables):
                found.append(f"no play has a table {name!r}")
        if scene.view.cell and plays and all(scene.view.cell_in(play) is None for play in plays):
            found.append(f"no play has the cell {scene.view.cell}")
        for play, step in zip(plays, (shown.step for shown in scene.shown()), strict=True):
            cell = scene.view.cell_in(play)
            if cell is not None and scene.clock == "steps" and play.step(cell) > step:
                found.append(f"the cell {scene.view.cell} of {play.title} is not computed yet where the scene ends")
        if scene.measured and not plays:
            found.append("nothing is measured without a method; give one in plays, or another clock")
        longest = max(map(len, plays), default=0)
        if scene.clock == "steps" and plays and not 0 <= scene.first <= (longest if scene.last < 0 else scene.last):
            found.append(f"from {scene.first} lies behind to")
        if scene.clock == "steps" and plays and scene.last > longest:
            found.append(f"to {scene.last} is beyond the last of {longest} steps")
    except AntidiagError as error:
        found.append(str(error))
    return found


def _scene(found: Any, place: str) -> Scene:
    if not isinstance(found, dict):
        raise InputError(f"{place}: not an object")
    name = _text(found, "name", place)
    place = f"{place} ({name})"
    view = found.get("view", {})
    if not isinstance(view, dict):
        raise InputError(f"{place}: view is not an object")
    plays = tuple(Staged(_text(one, "method", place), _mapping(one, "values", place))
                  for one in _list(found, "plays", place))  # fmt: skip
    if len(plays) > 2:
        raise InputError(f"{place}: {len(plays)} plays; two are the most that stand side by side")
    made = Scene(
        name, _text(found, "title", place), _texts(found, "points", place), _texts(found, "text", place),
        _text(found, "source", place, ""), plays, _one_of(found, "clock", CLOCKS, place),
        _tick(found, "from", place), _tick(found, "to", place),
        View(_one_of(view, "colouring", COLOURINGS, place), _texts(view, "tables", place),
             tuple(_list(view, "cell", place)), bool(view.get("path", False))), _size(found, place),
    )  # fmt: skip
    return replace(made, first=max(made.first, 0))


def _question(found: Any, place: str) -> Question:
    if not isinstance(found, dict):
        raise InputError(f"{place}: not an object")
    return Question(_text(found, "question", place), _text(found, "answer", place), _texts(found, "scenes", place))


def _text(found: Any, name: str, place: str, default: str | None = None) -> str:
    value = found.get(name, default) if isinstance(found, dict) else None
    if not isinstance(value, str):
        raise InputError(f"{place}: {name} is not a text; give one")
    return value


def _list(found: Mapping[str, Any], name: str, place: str) -> list[Any]:
    value = found.get(name, [])
    if not isinstance(value, list):
        raise InputError(f"{place}: {name} is not a list; give one in [ ]")
    return value


def _texts(found: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    value = _list(found, name, place)
    if not all(isinstance(one, str) for one in value):
        raise InputError(f"{place}: {name} holds what is no text")
    return tuple(value)


def _mapping(found: Any, name: str, place: str) -> dict[str, Any]:
    value = found.get(name, {}) if isinstance(found, dict) else None
    if not isinstance(value, dict):
        raise InputError(f"{place}: {name} is not an object; give one in {{ }}")
    return value


def _one_of(found: Mapping[str, Any], name: str, known: tuple[str, ...], place: str) -> str:
    value = found.get(name, known[0])
    if value not in known:
        raise InputError(f"{place}: {name} is {value!r}; it is one of {', '.join(known)}")
    return str(value)


def _tick(found: Mapping[str, Any], name: str, place: str) -> int:
    value = found.get(name, 0)
    if value == END:
        return -1
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f'{place}: {name} is {value!r}; give a whole number from 0, or "end"')
    return value


def _size(found: Mapping[str, Any], place: str) -> int:
    value = found.get("size", SIZE)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise InputError(f"{place}: size is {value!r}; give a whole number from 1 to {LARGEST:,}")
    return value
