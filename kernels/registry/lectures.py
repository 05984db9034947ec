"""Lectures: JSON files with scenes of step-by-step animations, and checks of these files.

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
from antidiag.kernels.registry import find_method
from antidiag.kernels.text import parse_json
from antidiag.kernels.walkthroughs import placeholders, walkthrough
from antidiag.kernels.walkthroughs.animation import Animation, Cell
from antidiag.kernels.walkthroughs.placeholders import AnimationMoment
from antidiag.kernels.walkthroughs.shared_clock import BY_MEASURED, BY_STEPS, BY_TIME

FOLDER = RESOURCES / "lectures"
VERSION = 1
QUESTIONS = 10
COLOURINGS = ("state", "worker", "memory", "paths")
CLOCKS = (BY_STEPS, BY_TIME, BY_MEASURED)
SIZE, LARGEST_SIZE = 16, 4096
"""Default and largest size of the problem on which the methods of a scene are measured."""
END = "end"


@dataclass(frozen=True)
class ScenePlay:
    """A method with the input values of its animation."""

    method: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def animation(self) -> Animation:
        """The animation; raises InputError or ParameterError if the method has none or a value is invalid."""
        made = walkthrough.load_walkthrough(find_method(self.method))
        if made is None:
            raise InputError(f"{self.method} has no step-by-step animation; choose another method")
        return made.make_animation(self.values)

    @cached_property
    def resolved_values(self) -> Mapping[str, Any]:
        """All input values, with defaults for those that are not given."""
        made = walkthrough.load_walkthrough(find_method(self.method))
        return made.resolve_values(self.values) if made else {}


@dataclass(frozen=True)
class SceneView:
    """View settings of the animations of a scene."""

    colouring: str = "state"
    tables: tuple[str, ...] = ()
    cell: tuple[Any, ...] = ()
    path: bool = False

    def table_numbers(self, play: Animation) -> tuple[int, ...] | None:
        """Return the numbers of the shown tables; None for the default tables of the animation."""
        if not self.tables:
            return None
        found = tuple(at for at, table in enumerate(play.tables) if table.name in self.tables)
        return found or None

    def find_cell(self, play: Animation) -> Cell | None:
        """Return the explained cell; None if the animation does not have its table."""
        if not self.cell or all(table.name != self.cell[0] for table in play.tables):
            return None
        return placeholders.find_cell(play, str(self.cell[0]), [int(at) for at in self.cell[1:]])


@dataclass(frozen=True)
class LectureScene:
    """A scene of a lecture: points for the audience, text for the speaker, and up to two animations on one clock.

    The clock plays the ticks from ``first`` to ``last``; -1 is the end. On the measured clock, the methods run on a
    problem of this ``size`` and their measured timelines are played.
    """

    name: str
    title: str
    points: tuple[str, ...]
    text: tuple[str, ...]
    source: str = ""
    plays: tuple[ScenePlay, ...] = ()
    clock: str = "steps"
    first: int = 0
    last: int = 0
    view: SceneView = field(default_factory=SceneView)
    size: int = SIZE

    @property
    def is_measured(self) -> bool:
        """Whether the methods are run and measured."""
        return self.clock == BY_MEASURED

    def shown_moments(self, steps: Sequence[int] | None = None) -> tuple[AnimationMoment, ...]:
        """Return the animations with their shown steps, by default the last steps of the scene."""
        at = steps or [(len(one.animation) if self.last < 0 else self.last) - 1 for one in self.plays]
        return tuple(
            AnimationMoment(one.animation, one.resolved_values, step) for one, step in zip(self.plays, at, strict=False)
        )

    def fill_numbers(self, text: str, steps: Sequence[int] | None = None) -> str:
        """Return a text with the numbers of this scene in its placeholders."""
        return placeholders.fill_placeholders(text, self.shown_moments(steps))


@dataclass(frozen=True)
class Question:
    """A question that some scenes answer."""

    question: str
    answer: str
    scenes: tuple[str, ...]


@dataclass(frozen=True)
class Lecture:
    """A lecture: scenes, sources and questions."""

    title: str
    abstract: str
    sources: Mapping[str, str] = field(hash=False)
    scenes: tuple[LectureScene, ...] = ()
    questions: tuple[Question, ...] = ()
    source: str = ""

    def find_scene(self, name: str) -> LectureScene:
        """Return the scene with this name."""
        return next(scene for scene in self.scenes if scene.name == name)

    def fill_question(self, question: Question) -> tuple[str, str]:
        """Return a question and its answer with the numbers of its first scene."""
        first = self.find_scene(question.scenes[0])
        return first.fill_numbers(question.question), first.fill_numbers(question.answer)


def shipped_lectures() -> tuple[Path, ...]:
    """Return the files of the lectures that come with the program."""
    return tuple(sorted(FOLDER.glob("*.json")))


def find_lecture(name: str) -> Path:
    """Return a file, or the file of a lecture that comes with the program; raise InputError if there is none."""
    path = Path(name)
    if path.is_file():
        return path
    found = FOLDER / f"{name}.json"
    if not found.is_file():
        known = ", ".join(one.stem for one in shipped_lectures())
        raise InputError(f"{name}: neither a file nor a lecture; known lectures: {known}")
    return found


@lru_cache(maxsize=16)
def _parse_lecture(text: bytes, place: str) -> Lecture:
    try:
        found = parse_json(text)
    except ValueError as error:
        raise InputError(f"{place}: this is not JSON: {error}") from None
    if not isinstance(found, dict) or "antidiag_lecture" not in found:
        raise InputError(f"{place}: not a lecture; it needs antidiag_lecture, title, sources, scenes and questions")
    if found["antidiag_lecture"] != VERSION:
        raise InputError(
            f"{place}: a lecture of version {found['antidiag_lecture']}; this program reads {VERSION}: "
            "update the program"
        )
    return Lecture(
        _read_text(found, "title", place),
        _read_text(found, "abstract", place, ""),
        _read_mapping(found, "sources", place),
        tuple(
            _parse_scene(one, f"{place}, scene {at}") for at, one in enumerate(_read_list(found, "scenes", place), 1)
        ),
        tuple(
            _parse_question(one, f"{place}, question {at}")
            for at, one in enumerate(_read_list(found, "questions", place), 1)
        ),
        place,
    )


def read_lecture(path: str | Path) -> Lecture:
    """Read the lecture of a file; raise InputError that names file, scene and field."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read the lecture: {error.strerror}") from error
    return _parse_lecture(text, str(path))


def write_lecture(path: Path, lecture: Lecture) -> None:
    """Write a lecture to a file, completely or not at all."""
    write_bytes(path, [(json.dumps(lecture_to_json(lecture), indent=1, ensure_ascii=False) + "\n").encode()])


def lecture_to_json(lecture: Lecture) -> dict[str, Any]:
    """Return the JSON object of the file."""
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


def _scene_json(scene: LectureScene) -> dict[str, Any]:
    view = {
        "colouring": scene.view.colouring,
        "tables": list(scene.view.tables),
        "cell": list(scene.view.cell),
        "path": scene.view.path,
    }
    size = {"size": scene.size} if scene.is_measured else {}
    return {
        "name": scene.name,
        "title": scene.title,
        "points": list(scene.points),
        "text": list(scene.text),
        "source": scene.source,
        "plays": [{"method": one.method, "values": dict(one.values)} for one in scene.plays],
        "clock": scene.clock,
        "from": scene.first,
        "to": END if scene.last < 0 else scene.last,
        "view": view,
        **size,
    }


def find_problems(lecture: Lecture) -> list[str]:
    """Return the errors of a lecture: animations, ticks, tables, placeholders, typed numbers, questions."""
    found: list[str] = []
    names = [scene.name for scene in lecture.scenes]
    found += [f"two scenes are called {name}" for name in sorted({one for one in names if names.count(one) > 1})]
    for scene in lecture.scenes:
        found += [f"scene {scene.name}: {problem}" for problem in find_scene_problems(scene, lecture)]
    if len(lecture.questions) != QUESTIONS:
        found.append(f"{len(lecture.questions)} questions; a lecture ends in {QUESTIONS}")
    for at, question in enumerate(lecture.questions, 1):
        missing = [name for name in question.scenes if name not in names]
        found += [f"question {at}: no scene {name}" for name in missing]
        if not question.scenes:
            found.append(f"question {at}: names no scene that answers it")
        elif not missing:
            try:
                lecture.fill_question(question)
            except AntidiagError as error:
                found.append(f"question {at}: {error}")
        for text in (question.question, question.answer):
            found += [
                f"question {at}: the number {number} is typed" for number in placeholders.find_typed_numbers(text)
            ]
    return found


def find_scene_problems(scene: LectureScene, lecture: Lecture) -> list[str]:
    """Return the errors of a scene."""
    found = []
    texts = (scene.title, *scene.points, *scene.text)
    found += [
        f"the number {number} is typed; let the program put it there"
        for text in texts
        for number in placeholders.find_typed_numbers(text)
    ]
    keys = [part.split(",")[0].strip() for part in scene.source.split(";") if part.strip()]
    found += [f"the source {key} is not among the sources" for key in keys if key not in lecture.sources]
    if not scene.points or not scene.text:
        found.append("points and text are needed")
    try:
        plays = [one.animation for one in scene.plays]
        for text in texts:
            scene.fill_numbers(text)
        for name in scene.view.tables:
            if all(table.name != name for play in plays for table in play.tables):
                found.append(f"no play has a table {name!r}")
        if scene.view.cell and plays and all(scene.view.find_cell(play) is None for play in plays):
            found.append(f"no play has the cell {scene.view.cell}")
        for play, step in zip(plays, (shown.step for shown in scene.shown_moments()), strict=True):
            cell = scene.view.find_cell(play)
            if cell is not None and scene.clock == "steps" and play.cell_step(cell) > step:
                found.append(f"the cell {scene.view.cell} of {play.title} is not computed yet where the scene ends")
        if scene.is_measured and not plays:
            found.append("nothing is measured without a method; give one in plays, or another clock")
        longest = max(map(len, plays), default=0)
        if scene.clock == "steps" and plays and not 0 <= scene.first <= (longest if scene.last < 0 else scene.last):
            found.append(f"from {scene.first} lies behind to")
        if scene.clock == "steps" and plays and scene.last > longest:
            found.append(f"to {scene.last} is beyond the last of {longest} steps")
    except AntidiagError as error:
        found.append(str(error))
    return found


def _parse_scene(found: Any, place: str) -> LectureScene:
    if not isinstance(found, dict):
        raise InputError(f"{place}: not an object")
    name = _read_text(found, "name", place)
    place = f"{place} ({name})"
    view = found.get("view", {})
    if not isinstance(view, dict):
        raise InputError(f"{place}: view is not an object")
    plays = tuple(
        ScenePlay(_read_text(one, "method", place), _read_mapping(one, "values", place))
        for one in _read_list(found, "plays", place)
    )
    if len(plays) > 2:
        raise InputError(f"{place}: {len(plays)} plays; two are the most that stand side by side")
    made = LectureScene(
        name,
        _read_text(found, "title", place),
        _read_texts(found, "points", place),
        _read_texts(found, "text", place),
        _read_text(found, "source", place, ""),
        plays,
        _read_choice(found, "clock", CLOCKS, place),
        _read_tick(found, "from", place),
        _read_tick(found, "to", place),
        SceneView(
            _read_choice(view, "colouring", COLOURINGS, place),
            _read_texts(view, "tables", place),
            tuple(_read_list(view, "cell", place)),
            bool(view.get("path", False)),
        ),
        _read_size(found, place),
    )
    return replace(made, first=max(made.first, 0))


def _parse_question(found: Any, place: str) -> Question:
    if not isinstance(found, dict):
        raise InputError(f"{place}: not an object")
    return Question(
        _read_text(found, "question", place), _read_text(found, "answer", place), _read_texts(found, "scenes", place)
    )


def _read_text(found: Any, name: str, place: str, default: str | None = None) -> str:
    value = found.get(name, default) if isinstance(found, dict) else None
    if not isinstance(value, str):
        raise InputError(f"{place}: {name} is not a text; give one")
    return value


def _read_list(found: Mapping[str, Any], name: str, place: str) -> list[Any]:
    value = found.get(name, [])
    if not isinstance(value, list):
        raise InputError(f"{place}: {name} is not a list; give one in [ ]")
    return value


def _read_texts(found: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    value = _read_list(found, name, place)
    if not all(isinstance(one, str) for one in value):
        raise InputError(f"{place}: {name} holds what is no text")
    return tuple(value)


def _read_mapping(found: Any, name: str, place: str) -> dict[str, Any]:
    value = found.get(name, {}) if isinstance(found, dict) else None
    if not isinstance(value, dict):
        raise InputError(f"{place}: {name} is not an object; give one in {{ }}")
    return value


def _read_choice(found: Mapping[str, Any], name: str, known: tuple[str, ...], place: str) -> str:
    value = found.get(name, known[0])
    if value not in known:
        raise InputError(f"{place}: {name} is {value!r}; it is one of {', '.join(known)}")
    return str(value)


def _read_tick(found: Mapping[str, Any], name: str, place: str) -> int:
    value = found.get(name, 0)
    if value == END:
        return -1
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f'{place}: {name} is {value!r}; give a whole number from 0, or "end"')
    return value


def _read_size(found: Mapping[str, Any], place: str) -> int:
    value = found.get("size", SIZE)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_SIZE:
        raise InputError(f"{place}: size is {value!r}; give a whole number from 1 to {LARGEST_SIZE:,}")
    return value
