"""The Tune workspace, with sweeps kept in a folder of the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antidiag.app import application, settings, theme
from antidiag.app.jobs.queue import JobQueue
from antidiag.app.tune.workspace import TuneWorkspace
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.io import sequences
from antidiag.kernels.machine import tuned_values
from tests.app import fake


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sweeps and tuned values of this test are kept."""
    monkeypatch.setattr(point_store, "experiments_folder", lambda: tmp_path / "experiments")
    monkeypatch.setattr(tuned_values, "_tuned_path", lambda: tmp_path / "tuned.json")
    return tmp_path / "experiments"


@pytest.fixture
def tune(request: pytest.FixtureRequest, place: Path) -> Any:
    """The workspace, with two sequences open; in a window where the test asks for one."""
    if "make_window" not in request.fixturenames:
        return request.getfixturevalue("alone")
    ready = request.getfixturevalue("ready")
    ready.turn_to(1)
    return ready.tune


@pytest.fixture
def alone(qtbot: Any, folder: Path, pair: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TuneWorkspace]:
    """The workspace without the window around it, which takes longer to make than most of what is tested in it."""
    queue, method = JobQueue(), fake.make()
    monkeypatch.setattr(registry, "METHODS", (method, fake.make("other"), fake.make_weighing(), fake.make_kept()))
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    application.make_application(settings.Settings())
    with theme.unstyled():
        made = TuneWorkspace(queue, registry.METHODS)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.set_method(method, {})
    made.set_data(tuple(sequences.read_sequences(pair)))
    made.show()
    fake.RELEASED.clear()
    yield made
    fake.RELEASED.set()
    queue.shut_down()
