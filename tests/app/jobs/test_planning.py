"""Plans while the user types: only the newest request is answered, and nothing of it is kept."""

from __future__ import annotations

import weakref
from typing import Any

import pytest

from antidiag.app.jobs import planning
from antidiag.app.jobs.planning import PlanAnswer, Planner, RunRequest

METHOD: Any = None


@pytest.fixture
def planner(qtbot, monkeypatch):
    monkeypatch.setattr(planning, "plan_request", PlanAnswer)
    found = Planner()
    yield found
    found.forget()


def test_only_the_newest_request_is_answered(qtbot, planner) -> None:
    answered: list[RunRequest] = []
    planner.planned.connect(lambda found: answered.append(found.request))
    requests = [RunRequest(METHOD, (), {}, {}) for _ in range(3)]
    for request in requests:
        planner.ask(request)
    assert planner.busy
    qtbot.waitUntil(lambda: not planner.busy)
    assert answered == requests[-1:]


def test_a_forgotten_request_is_not_answered(qtbot, planner) -> None:
    answered: list[PlanAnswer] = []
    planner.planned.connect(answered.append)
    planner.ask(RunRequest(METHOD, (), {}, {}))
    planner.forget()
    qtbot.wait(3 * planning.DEBOUNCE_MS)
    assert not answered and not planner.busy


def test_nothing_is_kept_where_nothing_is_to_be_planned(qtbot, planner) -> None:
    seen: list[weakref.ref[PlanAnswer]] = []
    planner.planned.connect(lambda found: seen.append(weakref.ref(found)))
    with qtbot.waitSignal(planner.planned):
        planner.ask(RunRequest(METHOD, (), {}, {}))
    planner.forget()
    qtbot.waitUntil(lambda: seen[0]() is None)
