"""The sleeping method stands in the registry, and nothing of it outlives a test."""

from __future__ import annotations

import pytest

from antidiag.kernels import registry
from tests.kernels.experiments import fakes


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch):
    """The fake methods in the registry; gives the list of calls."""
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS, fakes.METHOD, fakes.OTHER))
    monkeypatch.setattr(fakes, "CALLS", [])
    return fakes
