"""Plans while the user types: answers that the window has no longer go on the planner's thread."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import pytest

from antidiag.app.jobs import planning
from antidiag.app.jobs.planning import Answer, Planner, Request

METHOD: Any = None


@pytest.fixture
def planner(qtbot, monkeypatch):
    monkeypatch.setattr(planning, "answer", Answer)
    found = Planner()
    yield found
    found.stop()


def test_an_old_answer_is_given_back_on_the_thread_of_the_planner(qtbot, planner) -> None:
    shown: list[Answer] = []
    gone: list[str] = []

    def show(found: Answer) -> None:
        shown[:] = [found]

    planner.planned.connect(show)

    def ask() -> None:
        with qtbot.waitSignal(planner.planned):
            planner.ask(Request(METHOD, (), {}, {}))

    ask()
    weakref.finalize(shown[0], lambda: gone.append(threading.current_thread().name))
    ask()
    assert not gone
    ask()
    assert gone == ["planner"]


def test_nothing_is_kept_where_nothing_is_to_be_planned(qtbot, planner) -> None:
    seen: list[weakref.ref[Answer]] = []
    planner.planned.connect(lambda found: seen.append(weakref.ref(found)))
    with qtbot.waitSignal(planner.planned):
        planner.ask(Request(METHOD, (), {}, {}))
    planner.forget()
    qtbot.waitUntil(lambda: seen[0]() is None)
