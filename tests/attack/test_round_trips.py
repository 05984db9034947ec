"""A short attack with a fixed seed on every format that is written, and on guide trees; and that it finds faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.io import tree_files
from antidiag.kernels.trials import RandomChooser
from tests.attack import files, guide_trees, problems, round_trips

SEED, ATTEMPTS, FAMILIES = 23, 3, 12
OF_DATA = [kind for kind in round_trips.KINDS if kind != "results"]


def _numbers(kind: str, count: int) -> range:
    """Return the numbers of attempts of one kind."""
    first = list(round_trips.KINDS).index(kind)
    return range(first, first + count * len(round_trips.KINDS), len(round_trips.KINDS))


@pytest.mark.parametrize("kind", OF_DATA)
def test_what_is_written_is_read_again(kind: str, tmp_path: Path) -> None:
    found = [round_trips.attempt(SEED, number, tmp_path) for number in _numbers(kind, ATTEMPTS)]
    assert not any(found), "\n".join(found)


def test_trees_written_otherwise_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = tree_files.write_trees
    monkeypatch.setattr(tree_files, "write_trees", lambda path, trees: write(path, trees[:1]))
    found = [round_trips.attempt(SEED, number, tmp_path) for number in _numbers("trees", 4)]
    assert any("trees written and read again: AssertionError: other trees" in one for one in found)


def test_one_attempt_on_files_in_some_is_a_round_trip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    monkeypatch.setattr(round_trips, "attempt", lambda seed, number, folder: tried.append(number) or "")
    for number in range(3 * files.ROUND_TRIPS):
        files.attempt(SEED, number, tmp_path)
    assert tried == [0, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ["msa-parttree", "msa-thesis", "msa-clustalw"])
def test_methods_along_any_guide_tree(identifier: str) -> None:
    (method,) = (one for one in guide_trees.TAKES_A_TREE if one.id == identifier)
    for number in range(FAMILIES):
        guide_trees.try_guide_trees(method, "cpu", RandomChooser(SEED << 40 | number))


def test_one_attempt_on_problems_in_some_is_of_guide_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: object) -> None:
        raise AssertionError("another alignment")

    monkeypatch.setattr(guide_trees, "try_guide_trees", wrong)
    monkeypatch.setattr(problems, "_checks", lambda method, backend: [lambda *arguments: None])
    found = [problems.attempt(SEED, number, tmp_path) for number in range(2 * problems.GUIDE_TREES)]
    assert [bool(one) for one in found] == [number % problems.GUIDE_TREES == problems.GUIDE_TREES - 1
                                            for number in range(len(found))]  # fmt: skip
    assert all(one.split()[0] in {method.id for method in guide_trees.TAKES_A_TREE} for one in found if one)
