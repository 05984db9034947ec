"""The Tune workspace, with sweeps kept in a folder of the test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernels.experiments import results
from kernels.machine import tuned


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sweeps and tuned values of this test are kept."""
    monkeypatch.setattr(results, "folder", lambda: tmp_path / "experiments")
    monkeypatch.setattr(tuned, "_path", lambda: tmp_path / "tuned.json")
    return tmp_path / "experiments"


@pytest.fixture
def tune(ready: Any, place: Path) -> Any:
    """The workspace, with two sequences open in Analyse."""
    ready.turn_to(1)
    return ready.tune
