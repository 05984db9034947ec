"""The command ``guidelines``: what was recorded, what is measured, and why nothing can be."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels.cuda import devices, measured
from antidiag.kernels.errors import BackendUnavailable, ParameterError

ROWS = (measured.Row("slow", 8.0), measured.Row("fast", 2.0, "a remark"), measured.Row("missing", None, "why"))


def test_what_was_recorded_is_shown_without_a_gpu(says):
    found = json.loads(says("guidelines", "texture", "--recorded", "--json", "-"))
    expected = measured.recorded("texture")
    assert [row["ms"] for row in found["rows"]] == [row.milliseconds for row in expected.rows]
    assert min(row["ratio"] for row in found["rows"]) == 1


def test_guidelines_are_measured_on_a_gpu(says, monkeypatch):
    monkeypatch.setattr(devices, "discover", lambda: (("a card",), ""))
    monkeypatch.setattr(measured, "measure", lambda name, device: measured.Measurement(name, f"card {device}", ROWS))
    printed = says("guidelines", "layout", "--device", 1)
    assert "4.00 x" in printed and "a remark" in printed and "card 1" in printed and "why" in printed


def test_without_a_gpu_the_command_says_what_to_do(monkeypatch):
    monkeypatch.setattr(devices, "discover", lambda: ((), "there is no driver"))
    with pytest.raises(BackendUnavailable, match="there is no driver; --recorded shows what one took"):
        program.program(args=["guidelines"], standalone_mode=False)
    with pytest.raises(ParameterError, match="measured are: layout"):
        program.program(args=["guidelines", "luck", "--recorded"], standalone_mode=False)
