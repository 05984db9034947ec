"""What the time of the next run is foretold from."""

import pytest

from antidiag.kernels import registry
from antidiag.kernels.machine import rates

METHOD = registry.method("striped-score")
GUESS = METHOD.nominal_gcups["cpu"]


@pytest.fixture(autouse=True)
def _nothing_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(rates, "_path", lambda: tmp_path / "rates" / "rates.json")


def known(work):
    return rates.rate_gcups(METHOD, "cpu", "a processor", work)


def remember(work, time_ms):
    rates.remember(METHOD, "cpu", "a processor", work, time_ms)


def test_a_guess_before_anything_was_measured():
    assert known(1e9) == GUESS
    assert rates.rate_gcups(METHOD, "cpu", "a processor", 1e9, threads=2) == 2 * GUESS


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
    for text in ("no json", "[]", '{"striped-score/cpu/a processor": 3.0}'):
        rates._path().parent.mkdir(parents=True, exist_ok=True)
        rates._path().write_text(text)
        assert known(1e9) == GUESS


def test_a_run_with_nothing_to_do_has_no_rate():
    """Nussinov over one letter has no split: a rate of 0 would leave no time to foretell."""
    remember(0, 7)
    assert known(0) == GUESS
    rates._path().parent.mkdir(parents=True, exist_ok=True)
    rates._path().write_text('{"striped-score/cpu/a processor": [0.0, 0]}')
    assert known(0) == GUESS
    remember(1e9, 100)
    assert known(1e9) == pytest.approx(10)
