"""Tuned values: kept by method, device and size, and used where the user gives nothing."""

from __future__ import annotations

import dataclasses

import pytest

from antidiag.kernels import engine, memory, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.machine import tuned_values
from antidiag.kernels.machine.tuned_values import TunedValues
from antidiag.kernels.scoring import Scoring, match_mismatch
from tests.problems import pair

METHOD = registry.find_method("striped-alignment")
PROBLEM = pair("A" * 400, "C" * 500, Scoring(match_mismatch(2, -3), 5, 2))


def entry(cells: int = PROBLEM.cells, **values) -> TunedValues:
    return TunedValues(
        method=METHOD.id,
        backend="cpu",
        device=engine.cpu_name(),
        cells=cells,
        size="some size",
        values=values or {"s": 96, "T": 40},
        time_ms=2.0,
        automatic_ms=3.0,
        found="2026-01-02T03:04:05",
    )


def test_a_plan_takes_tuned_values_between_given_and_automatic():
    automatic = engine.plan_run(METHOD, PROBLEM, {}, "cpu")
    assert automatic.tuned == frozenset()
    tuned_values.save_tuned(entry())
    planned = engine.plan_run(METHOD, PROBLEM, {}, "cpu")
    assert planned.parameters == dataclasses.replace(automatic.parameters, s=96, T=40)
    assert planned.tuned == {"s", "T"}
    assert planned.notes == ("Tuned: s = 96, T = 40 (tuned on 2026-01-02 for some size: 1.50 x)",)
    given = engine.plan_run(METHOD, PROBLEM, {"s": 64}, "cpu")
    assert given.parameters.s == 64
    assert given.parameters.T == 40
    assert given.tuned == {"T"}
    assert engine.plan_run(METHOD, PROBLEM, {"s": 64, "T": 64}, "cpu").notes == ()


def test_a_plan_without_them_is_automatic():
    tuned_values.save_tuned(entry())
    planned = engine.plan_run(METHOD, PROBLEM, {}, "cpu", use_tuned=False)
    assert planned.tuned == frozenset()
    assert planned.parameters.s != 96


def test_values_that_do_not_fit_into_memory_are_not_used(monkeypatch):
    tuned_values.save_tuned(entry(s=1024))
    fits = engine.plan_run(METHOD, PROBLEM, {}, "cpu", use_tuned=False).footprint.host_bytes
    needs = engine.plan_run(METHOD, PROBLEM, {}, "cpu").footprint.host_bytes
    assert fits < needs
    monkeypatch.setattr(memory, "host_bytes_free", lambda: fits)
    planned = engine.plan_run(METHOD, PROBLEM, {}, "cpu")
    assert planned.refusal is None
    assert planned.parameters.s != 1024
    assert planned.notes[0].startswith("The tuned values are not used: this run needs")


@pytest.mark.parametrize(("factor", "used"), [(1, True), (4, True), (0.25, True), (4.1, False), (0.2, False)])
def test_values_are_used_for_half_to_twice_the_length(factor, used):
    tuned_values.save_tuned(entry())
    found = tuned_values.find_tuned(METHOD, "cpu", engine.cpu_name(), int(PROBLEM.cells * factor))
    assert (found is not None) == used


def test_the_nearest_size_counts():
    tuned_values.save_tuned(entry(1000, s=32))
    tuned_values.save_tuned(entry(3000, s=64))
    assert tuned_values.find_tuned(METHOD, "cpu", engine.cpu_name(), 1500).values == {"s": 32}
    assert tuned_values.find_tuned(METHOD, "cpu", engine.cpu_name(), 2000).values == {"s": 64}


def test_a_new_search_replaces_what_was_found_for_nearly_the_same_size():
    tuned_values.save_tuned(entry(1000, s=32))
    tuned_values.save_tuned(entry(1500, s=64))
    tuned_values.save_tuned(entry(9000, s=96))
    assert [one.values["s"] for one in tuned_values.read_tuned()] == [64, 96]


def test_another_device_or_method_has_its_own():
    tuned_values.save_tuned(entry())
    assert tuned_values.find_tuned(METHOD, "cuda", engine.cpu_name(), PROBLEM.cells) is None
    assert tuned_values.find_tuned(METHOD, "cpu", "another one", PROBLEM.cells) is None
    assert (
        tuned_values.find_tuned(registry.find_method("striped-score"), "cpu", engine.cpu_name(), PROBLEM.cells) is None
    )


def test_values_that_a_method_does_not_take_are_left_out():
    tuned_values.save_tuned(entry(s=96, q=3, T=7, recompute="first-row"))
    found = tuned_values.find_tuned(METHOD, "cpu", engine.cpu_name(), PROBLEM.cells)
    assert found.values == {"s": 96}, "q is unknown, 7 no multiple of 8, and recompute has a default of its own"
    tuned_values.delete_tuned()
    tuned_values.save_tuned(entry(q=3))
    assert tuned_values.find_tuned(METHOD, "cpu", engine.cpu_name(), PROBLEM.cells) is None


def test_reset_forgets_one_method_or_all():
    tuned_values.save_tuned(entry())
    tuned_values.save_tuned(dataclasses.replace(entry(), method="striped-score"))
    assert tuned_values.delete_tuned("striped-score") == 1
    assert [one.method for one in tuned_values.read_tuned()] == [METHOD.id]
    assert tuned_values.delete_tuned() == 1
    assert tuned_values.read_tuned() == ()
    assert tuned_values.delete_tuned() == 0


def test_forget_takes_away_what_would_be_used():
    tuned_values.save_tuned(entry(1000))
    tuned_values.save_tuned(entry(100_000))
    tuned_values.delete_tuned_for_size(METHOD.id, "cpu", engine.cpu_name(), 2000)
    assert [one.cells for one in tuned_values.read_tuned()] == [100_000]


def test_nothing_is_written_where_nothing_is_forgotten():
    tuned_values.delete_tuned_for_size(METHOD.id, "cpu", engine.cpu_name(), 2000)
    assert not tuned_values._tuned_path().exists()
    tuned_values.save_tuned(entry(100_000))
    before = tuned_values._tuned_path().stat().st_mtime_ns
    tuned_values.delete_tuned_for_size(METHOD.id, "cpu", engine.cpu_name(), 2000)
    assert tuned_values._tuned_path().stat().st_mtime_ns == before and len(tuned_values.read_tuned()) == 1


def test_a_torn_file_holds_nothing():
    tuned_values._tuned_path().parent.mkdir(parents=True, exist_ok=True)
    for text in ("{", "[{}]", "3"):
        tuned_values._tuned_path().write_text(text)
        assert tuned_values.read_tuned() == ()


def test_a_place_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(tuned_values, "_tuned_path", lambda: tmp_path / "file" / "tuned.json")
    with pytest.raises(InputError, match="cannot be written"):
        tuned_values.save_tuned(entry())
