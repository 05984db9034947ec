"""Hits in the window: their view, the data that they become, the alignment of one of them."""

from __future__ import annotations

from typing import Any

import pytest

from antidiag.app import texts
from antidiag.app.kit.view_protocols import TaskRequest
from antidiag.app.session.session import Entry
from antidiag.kernels import registry
from antidiag.kernels.model import Result
from antidiag.kernels.registry import task_methods
from tests.app import fake
from tests.app.views.search.test_view import protein_search

SEARCH = registry.METHODS


@pytest.fixture(scope="module")
def result() -> Result:
    return protein_search(12)


@pytest.fixture
def found(window: Any, result: Result, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A window that shows the result of a search."""
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS, *SEARCH))
    window.session.add_result(Entry(result))
    return window


def test_a_search_is_shown_as_hits_first(found: Any) -> None:
    assert found.viewer.tabs_shown()[0] == "hits" and "summary" in found.viewer.tabs_shown()


def test_hits_become_sequences_of_the_data(found: Any, result: Result) -> None:
    assert found.viewer.keep.isVisible()
    found.viewer.keep.click()
    names = [sequence.name for sequence in found.session.state.sequences]
    assert names == [one.name for one in texts.extract_named_data(result)] and not found.session.state.data


def test_the_method_of_a_task_is_chosen_for_added_hits(
    window: Any, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = next(method for method in window.methods if method.id == "other")

    class FakeTask:
        def recommend(self, data: Any, backend: str) -> tuple[Any, str]:
            assert len(data) == 2
            return other, ""

        def methods(self) -> list[Any]:
            return []

    monkeypatch.setattr("antidiag.app.window.TASKS", {"msa": FakeTask()})
    hits = tuple(result.answer.subjects[:2])
    window.result_tabs.task_wanted.emit(TaskRequest(hits, "msa"))
    assert [one.name for one in window.session.state.sequences] == [one.name for one in hits]
    assert window.method.method is other


def test_hits_that_are_open_are_chosen_and_not_added_again(window: Any, result: Result) -> None:
    hits = tuple(result.answer.subjects[:4])
    window.result_tabs.task_wanted.emit(TaskRequest(hits[:3]))
    assert len(window.session.state.sequences) == 3
    window.result_tabs.task_wanted.emit(TaskRequest((hits[3], hits[1])))
    assert [one.name for one in window.session.state.sequences] == [one.name for one in hits]
    assert window.session.state.subset == (1, 3)


def test_a_result_that_a_view_made_is_added_and_shown(qtbot: Any, ready: Any) -> None:
    ready.run()
    fake.RELEASED.set()
    qtbot.waitUntil(lambda: len(ready.session.entries) == 1)
    made = ready.session.entries[0].result
    ready.session.remove_results(ready.session.entries)
    ready.result_tabs.result_made.emit(made)
    assert ready.session.entries[0].result is made and ready.session.shown is ready.session.entries[0]


def test_tasks_that_the_view_offers_exist() -> None:
    assert {"align", "msa", "tree"} <= set(task_methods.TASKS)
