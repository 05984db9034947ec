"""What a first run compiles is told and counted in its estimate."""

from __future__ import annotations

import json
import threading

import pytest

from antidiag.kernels import registry
from antidiag.kernels.cpu import compilation
from antidiag.kernels.machine import compiled_methods
from antidiag.kernels.monitor import Monitor

METHOD = registry.find_method("striped-score")


@pytest.fixture
def stored(monkeypatch, tmp_path):
    monkeypatch.setattr(compiled_methods, "_path", lambda: tmp_path / "cache" / "compiled.json")
    monkeypatch.setattr(compiled_methods, "_COMPILED", set())
    return tmp_path / "cache" / "compiled.json"


def shipped(method=METHOD) -> float:
    return json.loads(compiled_methods.SHIPPED_TIMES.read_text())[method.family][method.id]


def expected() -> float:
    return compiled_methods.expected_compilation_ms(METHOD, "cpu", "a processor")


def test_a_method_is_compiled_once(stored, monkeypatch):
    assert expected() == shipped()
    compiled_methods.remember_compilation(METHOD, "cpu", "a processor", 12_000.0)
    assert expected() == 0
    monkeypatch.setattr(compiled_methods, "_COMPILED", set())  # another process
    assert expected() == 0
    assert compiled_methods.expected_compilation_ms(METHOD, "cpu", "another") > 0


def test_what_was_compiled_here_tells_how_long_others_take(stored):
    """A machine that takes three times as long for one family takes as long for another."""
    other, search = registry.find_method("sloped"), registry.find_method("smith-waterman-search")
    compiled_methods.remember_compilation(other, "cpu", "a processor", 3 * shipped(other))
    assert expected() == pytest.approx(3 * shipped())
    compiled_methods.remember_compilation(search, "cpu", "a processor", 1000 * shipped(search))
    assert expected() == compiled_methods.MAX_FACTOR * shipped()
    assert compiled_methods.expected_compilation_ms(METHOD, "cpu", "another") == shipped()


def test_a_method_that_was_not_measured_takes_as_long_as_its_family(stored, monkeypatch):
    times = {METHOD.family: {"one": 4000, "two": 8000}}
    monkeypatch.setattr(compiled_methods, "_shipped_times", lambda: times)
    assert expected() == 6000
    monkeypatch.setattr(compiled_methods, "_shipped_times", dict)
    assert expected() == compiled_methods.TYPICAL_MS


def test_another_version_compiles_again_and_takes_as_long(stored, monkeypatch):
    compiled_methods.remember_compilation(METHOD, "cpu", "a processor", 12_000.0)
    monkeypatch.setattr(compiled_methods, "_COMPILED", set())
    monkeypatch.setattr(compiled_methods, "__version__", "99")
    assert expected() == 12_000
    compiled_methods.remember_compilation(METHOD, "cpu", "a processor", 200.0)  # it was only loaded
    assert json.loads(stored.read_text())["striped-score/cpu/a processor"] == ["99", 12_000.0]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"striped-score/cpu/a processor": 3}', "\0"])
def test_a_damaged_file_is_no_error(stored, text):
    stored.parent.mkdir()
    stored.write_text(text)
    assert expected() == shipped()
    compiled_methods.remember_compilation(METHOD, "cpu", "a processor", 1.0)
    assert expected() == 0


def test_long_compilation_is_reported_as_such(monkeypatch):
    monkeypatch.setattr(compilation, "LOADING_S", 0.06)
    told, reported = [], threading.Event()

    def listen(*state):
        told.append(state)
        reported.set()

    compilation.compile_cancellably(lambda: reported.wait(60), Monitor(listen))
    assert told == [(0, 1, "compiling, once"), (1, 1, "compiling, once")]


def test_loading_is_not_reported():
    told = []
    compilation.compile_cancellably(threading.Event, Monitor(lambda *state: told.append(state)))
    assert told == []
