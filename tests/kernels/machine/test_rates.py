"""Measured rates, from which the time of the next run is estimated."""

import json
import subprocess
import sys

import pytest

from antidiag.kernels import registry
from antidiag.kernels.machine import measured_rates
from antidiag.kernels.machine.measured_rates import RatePoint

METHOD = registry.find_method("striped-score")
SHIPPED_POINTS = measured_rates.shipped_points
GUESS = METHOD.cost.nominal_gcups["cpu"]


@pytest.fixture(autouse=True)
def _nothing_measured(tmp_path, monkeypatch):
    """Neither a run on this machine nor a shipped rate."""
    monkeypatch.setattr(measured_rates, "_rates_path", lambda: tmp_path / "rates" / "rates.json")
    ship(monkeypatch, {})


def ship(monkeypatch, points):
    """Let these be the rates that ship with the program."""
    monkeypatch.setattr(measured_rates, "shipped_points", lambda backend: points)


def known(work):
    return measured_rates.estimate_gcups(METHOD, "cpu", "a processor", work)


def remember(work, time_ms):
    measured_rates.save_rate(METHOD, "cpu", "a processor", work, time_ms)


def test_a_guess_before_anything_was_measured():
    assert known(1e9) == GUESS
    assert measured_rates.estimate_gcups(METHOD, "cpu", "a processor", 1e9, threads=2) == 2 * GUESS


def test_the_last_rate_of_comparable_work():
    remember(1e9, 100)
    assert known(1e9) == pytest.approx(10)
    remember(2e9, 100)
    assert known(1e9) == pytest.approx(20)


def test_a_tiny_run_spoils_no_estimate_of_a_large_one():
    remember(20_000, 7)
    assert known(20_000) == pytest.approx(20_000 / 7e6)
    assert known(2.7e8) == GUESS
    remember(2.7e8, 50)
    remember(20_000, 7)
    assert known(2.7e8) == pytest.approx(5.4)


def test_a_damaged_or_older_cache_counts_as_none():
    for text in (
        "no json",
        "[]",
        '{"striped-score/cpu/a processor": 3.0}',
        '{"striped-score/cpu/a processor": ["a", 1]}',
    ):
        measured_rates._rates_path().parent.mkdir(parents=True, exist_ok=True)
        measured_rates._rates_path().write_text(text)
        assert known(1e9) == GUESS


def test_a_run_with_nothing_to_do_has_no_rate():
    """Nussinov over one letter has no split: a rate of 0 would leave no time to foretell."""
    remember(0, 7)
    assert known(0) == GUESS
    measured_rates._rates_path().parent.mkdir(parents=True, exist_ok=True)
    measured_rates._rates_path().write_text('{"striped-score/cpu/a processor": [0.0, 0]}')
    assert known(0) == GUESS
    remember(1e9, 100)
    assert known(1e9) == pytest.approx(10)


def test_entries_that_are_not_understood_are_kept():
    measured_rates._rates_path().parent.mkdir(parents=True, exist_ok=True)
    measured_rates._rates_path().write_text(
        '{"a/newer/entry": {"rate": 2}, "a/damaged/entry": [], "another/cpu/x": [3, 4]}'
    )
    remember(1e9, 100)
    found = json.loads(measured_rates._rates_path().read_text())
    assert {name: found[name] for name in found if name.startswith("a")} == {
        "a/newer/entry": {"rate": 2},
        "a/damaged/entry": [],
        "another/cpu/x": [3, 4],
    }
    assert known(1e9) == pytest.approx(10)


REMEMBERING = """
import sys
from pathlib import Path
from antidiag.kernels import registry
from antidiag.kernels.machine import measured_rates

measured_rates._rates_path = lambda: Path(sys.argv[1])
method, device = registry.find_method("striped-score"), "d" * 20_000
for number in range(300):
    measured_rates.save_rate(method, "cpu", f"{device} {number % 3}", 1e9, 10 + number)
"""


@pytest.mark.slow
def test_processes_that_write_at_the_same_time_never_leave_half_a_file(tmp_path):
    path = tmp_path / "rates.json"
    path.write_text('{"kept": [1.0, 2.0]}')
    processes = [subprocess.Popen([sys.executable, "-c", REMEMBERING, str(path)]) for _ in range(2)]
    while any(process.poll() is None for process in processes):
        assert json.loads(path.read_text())["kept"] == [1.0, 2.0]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(json.loads(path.read_text())) == 4
    assert list(tmp_path.iterdir()) == [path]


SHIPPED = (RatePoint(1e4, 0.5, 1), RatePoint(1e6, 2.0, 1), RatePoint(1e8, 100.0, 2))


def expected(work, threads=1, method=METHOD):
    return measured_rates.estimate_ms(method, "cpu", "a processor", work, threads)


def test_at_first_use_time_follows_the_shipped_runs(monkeypatch):
    monkeypatch.setattr(measured_rates, "count_processors", lambda: 4)
    ship(monkeypatch, {METHOD.id: SHIPPED})
    assert expected(1e4) == pytest.approx(0.5)
    assert expected(1e2) == pytest.approx(0.5), "the start-up of the smallest run"
    assert expected(1e5) == pytest.approx(1.0), "a power of the work between two runs"
    assert expected(1e8, 2) == pytest.approx(100)
    assert expected(1e8, 4) == pytest.approx(50), "more threads share it"
    assert expected(1e9, 2) == pytest.approx(1000), "the rate of the largest run beyond it"


def test_a_run_here_corrects_the_shipped_rate_by_its_length(monkeypatch):
    ship(monkeypatch, {METHOD.id: SHIPPED})
    measured_rates.save_rate(METHOD, "cpu", "a processor", 1e8, 400, threads=2)
    assert expected(1e8, 2) == pytest.approx(400, rel=0.1)
    assert expected(1e7, 1) == pytest.approx(4 * 20, rel=0.1), "runs of a tenth too"
    measured_rates.save_rate(METHOD, "cpu", "a processor", 1e4, 6, threads=1)
    assert expected(1e4) < 1.2, "six milliseconds may be a cold start"
    assert expected(1e8, 2) == pytest.approx(400, rel=0.1)


def test_what_was_measured_here_fades_for_much_larger_runs_without_a_jump(monkeypatch):
    """A promise just beyond what a run tells must not fall back to the shipped rate at once."""
    ship(monkeypatch, {METHOD.id: SHIPPED})
    measured_rates.save_rate(METHOD, "cpu", "a processor", 1e8, 400, threads=2)
    slower = [expected(1e8 * times, 2) / (100 * times) for times in (1, 29, 31, 200, 800, 1000)]
    assert slower[:2] == pytest.approx([4, 4]) and slower[2] == pytest.approx(4, rel=0.05)
    assert slower == sorted(slower, reverse=True) and slower[-1] == pytest.approx(1)


def test_methods_that_ran_here_correct_one_that_never_did(monkeypatch):
    others = [method for method in registry.METHODS if method is not METHOD][:3]
    ship(monkeypatch, {method.id: SHIPPED for method in (METHOD, *others)})
    for slower, method in zip((2.0, 3.0, 30.0), others, strict=True):
        measured_rates.save_rate(method, "cpu", "a processor", 1e8, 100 * slower, threads=2)
    assert expected(1e8, 2) == pytest.approx(300), "three times as slow as where the rates were measured"


def test_another_file_of_rates_for_a_while(tmp_path):
    remember(1e9, 100)
    with measured_rates.use_rates_file(tmp_path / "other.json"):
        assert known(1e9) == GUESS
    assert known(1e9) == pytest.approx(10)


def test_every_method_of_the_cpu_ships_rates():
    shipped = SHIPPED_POINTS("cpu")
    assert {method.id for method in registry.METHODS if "cpu" in method.backends} == set(shipped)
    for points in shipped.values():
        assert list(points) == sorted(points)
        assert all(point.time_ms > 0 and point.work > 0 and point.threads >= 1 for point in points)
