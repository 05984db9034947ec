"""The command ``guidelines``: what was recorded, what is measured, and why nothing can be."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels.cuda import devices, guideline_timings
from antidiag.kernels.errors import BackendUnavailable, ParameterError

ROWS = (
    guideline_timings.VariantTime("slow", 8.0),
    guideline_timings.VariantTime("fast", 2.0, "a remark"),
    guideline_timings.VariantTime("missing", None, "why"),
)


def test_what_was_recorded_is_shown_without_a_gpu(says):
    found = json.loads(says("guidelines", "texture", "--recorded", "--json", "-"))
    expected = guideline_timings.read_recorded_times("texture")
    assert [row["ms"] for row in found["rows"]] == [row.milliseconds for row in expected.rows]
    assert min(row["ratio"] for row in found["rows"]) == 1


def test_guidelines_are_measured_on_a_gpu(says, monkeypatch):
    monkeypatch.setattr(devices, "discover_devices", lambda: (("a card",), ""))
    monkeypatch.setattr(
        guideline_timings,
        "measure_guideline",
        lambda name, device: guideline_timings.GuidelineTimes(name, f"card {device}", ROWS),
    )
    printed = says("guidelines", "layout", "--device", 1)
    assert "4.00 x" in printed and "a remark" in printed and "card 1" in printed and "why" in printed


def test_without_a_gpu_the_command_says_what_to_do(monkeypatch):
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is no driver"))
    with pytest.raises(BackendUnavailable, match="there is no driver; --recorded shows recorded times"):
        program.program(args=["guidelines"], standalone_mode=False)
    with pytest.raises(ParameterError, match="choose one of: layout"):
        program.program(args=["guidelines", "luck", "--recorded"], standalone_mode=False)
