"""Plans while the user types: only the newest request is answered, and nothing of it is kept."""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import pytest

from antidiag.app.jobs import planning
from antidiag.app.jobs.planning import PlanAnswer, Planner, RunRequest, plan_request
from antidiag.kernels.cuda import devices
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.model import Sequence, SequenceType
from tests.app import fake

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


DATA = (Sequence("one", b"ACGTACGT", SequenceType.DNA), Sequence("two", b"ACGTAC", SequenceType.DNA))


@pytest.mark.parametrize(("place", "finishes", "refused"), [
    ("dask", False, False), ("dask", True, True), ("processes", False, True)
])  # fmt: skip
def test_a_run_on_a_cluster_needs_memory_here_only_where_it_goes_on_here(monkeypatch, place, finishes, refused) -> None:
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    splitting = replace(fake.SPLITTING, finish_run={"cpu": "unused"} if finishes else {})
    method = fake.make(splitting=splitting)
    answer = plan_request(RunRequest(method, DATA, {}, {"huge": True}, "cpu", 0, ExecutorChoice(place)))
    assert ("host memory" in answer.refusal) == refused and answer.plan is not None
    note = answer.plan.notes[0]
    assert "shared out" in note and "quarters" in note and answer.plan.time_ms and answer.plan.footprint.host_bytes
    assert ("Only the answer is joined here: this run needs" in note) == (not refused)
    assert ("goes on here" in note) == finishes
