"""Sessions and sweeps that earlier versions saved open, and hold what they held; wherever their classes are by now."""

from __future__ import annotations

import json
import subprocess
import sys
import typing
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from antidiag.app.session import archive, journal
from antidiag.kernels import registry, serialization
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.registry import data_loading
from antidiag.kernels.steps import StepLog
from tests.fixtures.saved import FOLDERS, assert_holds, expected
from tests.fixtures.saved_content import describe_points, describe_result, describe_value

ROOT = Path(__file__).parents[2]


def files(part: str, suffix: str) -> list[Any]:
    found = [path for folder in FOLDERS for path in sorted((folder / part).glob(f"*{suffix}"))]
    return [pytest.param(path, id=f"{path.parts[-3]}-{path.stem}") for path in found]


SESSIONS, SWEEPS = files("sessions", ".antidiag"), files("experiments", point_store.SUFFIX)
OLDEST = "saved-0"
"""Files of the first version, in which an ambiguous letter matched itself."""
EVERY_SESSION = pytest.mark.parametrize("path", SESSIONS)


def wanted(path: Path) -> Any:
    return expected(path.parents[1], path.parent.name)[path.stem]


@cache
def opened(path: Path) -> archive.Saved:
    return archive.load(path)


def test_there_are_files_of_every_problem() -> None:
    found = {path.values[0].stem for path in SESSIONS}
    assert {"pair", "triple", "tree", "viterbi", "paths", "folding", "data"} <= found and len(SWEEPS) >= 8


@EVERY_SESSION
def test_a_session_opens_and_its_answers_fit_their_problems(path: Path) -> None:
    state, entries, settings, edits = opened(path)
    there = wanted(path)
    assert_holds(describe_value(state.sequences), there["open"])
    assert_holds(describe_value(state.data), there["data"])
    assert_holds(describe_value({str(number): kept for number, kept in edits.items()}), there.get("edits", {}))
    assert_holds([list(state.chosen), list(state.picked), list(state.subset)], there.get("rows", [[], [], []]))
    assert_holds(dict(settings), there.get("settings", {}))
    assert len(entries) == len(there.get("results", []))
    for entry, said in zip(entries, there.get("results", []), strict=True):
        found = {**describe_result(entry.result), "options": entry.options, "given": entry.parameters}
        found["views"] = entry.views
        assert_holds(found, said)
        entry.result.check(entry.result.problem)


@EVERY_SESSION
def test_a_journal_of_an_earlier_version_is_read(path: Path) -> None:
    """What changed after the session was saved, by the program that was killed."""
    if (there := wanted(path).get("journaled")) is None:
        assert not journal.journal_of(path).has_records()
        return
    missing: list[str] = []
    state, (entry,), *_ = journal.journal_of(path).replay(archive.load(path), missing.append)
    assert list(state.chosen) == there["rows"] and not missing
    assert [entry.name, list(entry.tags), entry.note] == there["labels"]
    assert_holds(describe_value(dict(entry.edits)), there["edits"])
    assert entry.views == there["views"]


@EVERY_SESSION
def test_what_was_read_is_saved_by_names_that_no_move_changes(path: Path, tmp_path: Path) -> None:
    state, entries, settings, edits = opened(path)
    archive.save(tmp_path / "new.antidiag", state, entries, settings, edits)
    with zipfile.ZipFile(tmp_path / "new.antidiag") as source:
        index = source.read(archive.INDEX)
    assert b"kernels" not in index and b"app." not in index
    again_state, again_entries, *_ = archive.load(tmp_path / "new.antidiag")
    assert describe_value(again_state.data) == describe_value(state.data)
    results_of = [[describe_result(entry.result) for entry in found] for found in (again_entries, entries)]
    assert results_of[0] == results_of[1]


def test_a_session_opens_where_nothing_else_was_imported() -> None:
    (path,) = (path.values[0] for path in SESSIONS if path.values[0].stem == "viterbi")
    code = (
        "from pathlib import Path; from antidiag.app.session import archive; "
        f"print(len(archive.load(Path({str(path)!r}))[1]))"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == f"{len(opened(path)[1])}\n"


def parts(value: Any) -> Iterator[Any]:
    """A value and all that is in it, but arrays."""
    yield value
    if isinstance(value, Mapping):
        inside = list(value.values())
    elif isinstance(value, (tuple, list, frozenset)):
        inside = list(value)
    else:
        inside = [getattr(value, field.name) for field in fields(value)] if is_dataclass(value) else []
    for part in inside:
        yield from parts(part)


def hinted(kind: Any) -> Iterator[type]:
    """The dataclasses and enumerations that the annotation of a field speaks of."""
    if isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, Enum)):
        yield kind
    for argument in typing.get_args(kind):
        yield from hinted(argument)


def reachable() -> set[type]:
    """All types that the results and data of the sessions hold, and those that the fields of these may hold."""
    values = [
        part for path in SESSIONS for saved in opened(path.values[0])[:2] for part in parts(_without_window(saved))
    ]
    found = {type(value) for value in values if is_dataclass(value) or isinstance(value, Enum)}
    found |= {kind.type for kind in data_loading.data_kinds()}
    todo = list(found)
    while todo:
        kind = todo.pop()
        hints = typing.get_type_hints(kind) if is_dataclass(kind) else {}
        named = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
        new = {one for name in named for one in hinted(hints[name])} - found
        found |= new
        todo += new
    return found - {StepLog}


def _without_window(saved: Any) -> Any:
    """Of a state the data, of entries the results; both are the window's own."""
    return (*saved.data, *saved.sequences) if hasattr(saved, "data") else tuple(entry.result for entry in saved)


def test_every_type_that_a_session_may_hold_has_a_name() -> None:
    results_of = [entry.result for path in SESSIONS for entry in opened(path.values[0])[1]]
    methods = {result.method for result in results_of}
    assert methods <= {method.id for method in registry.METHODS} and len(methods) >= 49
    kinds = reachable()
    assert {type(result.problem) for result in results_of} | {type(result.answer) for result in results_of} <= kinds
    assert sorted(kind.__qualname__ for kind in kinds if not serialization.is_stored(kind)) == []
    assert len({serialization.stored_name(kind) for kind in kinds}) == len(kinds)


@pytest.fixture
def _all_moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every stored class stands in another module, under another name."""
    before = {
        kind: (kind.__module__, kind.__qualname__, kind.__name__) for kind in serialization.stored_types().values()
    }
    for kind, (module, _, name) in before.items():
        monkeypatch.delitem(sys.modules, module, raising=False)
        kind.__module__, kind.__qualname__, kind.__name__ = "elsewhere", f"Other{name}", f"Other{name}"
    serialization.original_name.cache_clear()
    yield
    for kind, (module, qualified, name) in before.items():
        kind.__module__, kind.__qualname__, kind.__name__ = module, qualified, name


@pytest.mark.usefixtures("_all_moved")
def test_a_class_that_moved_and_was_renamed_still_opens() -> None:
    for path in (path.values[0] for path in SESSIONS):
        state, entries, *_ = archive.load(path)
        said = wanted(path)
        for entry, one in zip(entries, said.get("results", []), strict=True):
            assert serialization.digest_value(entry.result.problem) == one["digest"]
            assert [digest_value(entry.result.problem), digest_value(entry.result.answer)] == one["experiment digests"]
        for datum, one in zip((*state.sequences, *state.data), said.get("digests", ()), strict="digests" in said):
            assert [serialization.digest_value(datum), digest_value(datum)] == one


@cache
def there() -> tuple[Any, ...]:
    """All data of the sessions, for sweeps of data that were open."""
    found: list[Any] = []
    for path in SESSIONS:
        state, entries, *_ = opened(path.values[0])
        found += [*state.sequences, *state.data, *(datum for entry in entries for datum in entry.result.problem.data)]
    return tuple(found)


def _scores_by_match(problem: Any) -> bool:
    """Return whether a problem scores letters by match and mismatch, without a matrix."""
    scoring = getattr(problem, "scoring", None)
    return scoring is not None and scoring.matrix.name.startswith("match")


@pytest.mark.parametrize("path", SWEEPS)
def test_a_sweep_opens_and_can_be_measured_again(path: Path) -> None:
    kept = point_store.read_points(path)
    assert kept.warnings == ()
    assert_holds(describe_points(kept), wanted(path))
    sweep = sweep_records.sweep_from_json(kept.sweep, there())
    said = {
        **sweep_records.sweep_to_json(sweep),
        **({point_store.SEARCH_KEY: True} if point_store.SEARCH_KEY in kept.sweep else {}),
    }
    assert_holds({"kind": "sweep", **said}, dict(kept.sweep))
    assert path.stem.removeprefix("tune-") == sweep.id, "a sweep is not found by its name any more"
    problems = [task.build_problem() for task in sweep.make_tasks()]
    found, stored = {digest_value(problem) for problem in problems}, {point.problem for point in kept.points}
    if path.parts[-3] == OLDEST and all(map(_scores_by_match, problems)):
        assert not found & stored, "N against N was a match then: these points are of other problems"
    else:
        assert found == stored
    measured = point_store.find_measured_points([path])
    assert len(measured) == (0 if point_store.SEARCH_KEY in kept.sweep else len({point.key for point in kept.points}))
    json.dumps([point.to_json() for point in kept.points])
