"""Curves of models in the background: kept when known, and not asked for again when they failed."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QObject

from antidiag.app.tune import model_curves


@pytest.mark.parametrize("fails", [False, True])
def test_curves_are_asked_for_once(qtbot: Any, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    calls = []

    def curves(asked: Any, monitor: Any) -> Any:
        calls.append(tuple(asked))
        if fails:
            raise ValueError("a model that cannot")
        return {key: {"steps": [(32.0, 1.0)]} for key in asked}

    monkeypatch.setattr(model_curves, "compute_curves", curves)
    owner = QObject()
    found = model_curves.ModelCurves(owner)
    task: Any = None
    with qtbot.waitSignal(found.ready):
        assert found.request_curves("key", task, "s", [32.0]) == {}
    assert found.request_curves("key", task, "s", [32.0]) == ({} if fails else {"steps": [(32.0, 1.0)]})
    assert not found._start_timer.isActive() and not found._thread.busy, "it asks again"
    assert len(calls) == 1
