"""Long lists of a session are arrays in its file, and come back as they were."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from antidiag.app.session import archive
from antidiag.app.session.long_lists import LONG, PART, each_line, lines_of, numbers_of, texts_of
from antidiag.app.session.session import Entry
from antidiag.app.session.state import State
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from tests.app.views import made

COUNT = LONG + 5
RECORDS = tuple(Sequence(f"r{number % 7}", b"ACGT"[number % 4 :], SequenceType.DNA) for number in range(COUNT))


@pytest.mark.parametrize("texts", [
    (), ("",), ("", "", ""), ("a", "b"), ("\u00e4\u20ac", "\ud800", "\r x"), tuple(map(str, range(2 * PART + 1))),
    ("",) * PART, ("x",) * 2 * PART,
])  # fmt: skip
def test_texts_come_back(texts: tuple[str, ...]) -> None:
    lines = lines_of(texts)
    assert lines is not None and lines.dtype == np.uint8
    assert texts_of(lines) == texts and len(list(each_line(lines.tobytes()))) == len(texts)


def test_texts_with_line_ends_are_no_lines() -> None:
    assert lines_of(("a", "b\nc", "")) is None


@pytest.mark.parametrize("damaged", [np.frombuffer(b"a\nb", np.uint8), np.zeros(3)])
def test_lines_that_are_damaged_are_refused(damaged: np.ndarray) -> None:
    with pytest.raises(ValueError, match="cut|numbers"):
        texts_of(damaged)


def test_numbers_come_in_their_order() -> None:
    assert list(numbers_of(np.arange(2 * PART + 3))) == list(range(2 * PART + 3))


def problem() -> PartTreeProblem:
    return PartTreeProblem(RECORDS)


def caterpillar(names: tuple[str, ...]) -> Tree:
    """A tree in which every taxon joins all before it."""
    made_before = np.concatenate([[0], len(names) + np.arange(len(names) - 2)])
    joins = np.stack([made_before, np.arange(1, len(names))], 1)
    return Tree.from_joins(names, joins, np.ones(joins.shape))


def index_of(path: Path) -> dict:
    with zipfile.ZipFile(path) as source:
        return json.loads(source.read(archive.INDEX))


def test_long_lists_come_back_and_are_not_in_the_index(tmp_path: Path) -> None:
    path, given = tmp_path / "x.antidiag", problem()
    answer = PartTreeAnswer(caterpillar(given.names))
    entry = Entry(made.result("parttree", given, answer), {}, {})
    other = caterpillar(tuple(f"a\n{number}" for number in range(LONG)))
    archive.save(path, State((*RECORDS, RECORDS[3]), (3,), (other,)), [entry], {})
    state, (after,), *_ = archive.load(path)
    assert state == State((*RECORDS, RECORDS[3]), (3,), (other,)) and state.sequences[-1] is state.sequences[3]
    assert after.result.problem == given and after.result.answer.tree == answer.tree
    assert after.result.problem.sequences[5] is state.sequences[5]
    index = index_of(path)
    assert index["format"] == archive.LONG_FORMAT and set(index["open"]) == {"sequences"}
    assert set(index["results"][0]["result"]["fields"]["problem"]["fields"]["sequences"]) == {"sequences"}


def test_a_session_of_short_lists_is_one_of_earlier_versions(tmp_path: Path) -> None:
    archive.save(tmp_path / "x.antidiag", State(RECORDS[:9]), [], {})
    index = index_of(tmp_path / "x.antidiag")
    assert index["format"] == archive.FORMAT and index["open"] == list(range(9))


@pytest.mark.parametrize("numbers", [np.array([0, COUNT]), np.zeros(2), np.zeros((2, 2), int)])
def test_numbers_of_no_sequences_are_refused(tmp_path: Path, numbers: np.ndarray) -> None:
    path = tmp_path / "x.antidiag"
    archive.save(path, State(RECORDS), [], {})
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    with zipfile.ZipFile(path, "w") as target:
        for name, data in members.items():
            if name != json.loads(members[archive.INDEX])["open"]["sequences"]:
                target.writestr(name, data)
        with target.open(json.loads(members[archive.INDEX])["open"]["sequences"], "w") as member:
            np.lib.format.write_array(member, numbers)
    with pytest.raises(InputError, match="damaged"):
        archive.load(path)
