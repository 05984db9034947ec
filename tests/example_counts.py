"""How many random examples a property is tried with: a quarter in `make test`, all where slow tests run too."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

SHARE = 4
"""One example in so many is tried where slow tests are left out."""
LEAST = 4
"""Examples that are always tried: the first of them are the simplest."""
DEFAULT = 100
"""Examples of a property that says no number."""

_share = 1


def set_share(runs_slow_tests: bool) -> None:
    """Set which share of the examples this run tries, before the files of tests are imported."""
    global _share
    _share = 1 if runs_slow_tests else SHARE
    settings.register_profile(
        "antidiag",
        max_examples=count_examples(DEFAULT),
        deadline=None,
        derandomize=True,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("antidiag")


def count_examples(most: int) -> int:
    """Return how many of at most ``most`` examples this run tries."""
    return max(most // _share, min(most, LEAST))


def try_examples(most: int, **others: Any) -> settings:
    """Return the settings of a property that is tried with ``most`` examples where slow tests run too."""
    return settings(max_examples=count_examples(most), **others)
