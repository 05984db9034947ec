"""The last line of a run of tests: what was not tested, and why, so that nothing is left out in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

DESELECTED = {"gpu": "need a GPU (make gpu-test)", "slow": "take long (make test-all)"}
"""Marks whose tests are run only when asked for, and why."""
PART = "left out"
"""The property of a test that names a part of it that was not tested."""
LeaveOut = Callable[[Iterable[str]], None]


@pytest.fixture
def leave_out(record_property: Callable[[str, object], None]) -> LeaveOut:
    """``leave_out(reasons)``: say of a test that goes on which of its parts are left out, each by its reason."""

    def note(reasons: Iterable[str]) -> None:
        for reason in reasons:
            record_property(PART, reason)

    return note


class Untested:
    """Counts the tests that were left out, by reasons; processes of pytest-xdist tell the one above them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._deselected: Counter[str] = Counter()
        """Tests of each mark."""
        self._reasons: Counter[str] = Counter()
        self._files: dict[str, str] = {}
        """Files of which nothing could be collected, and why."""

    def leave_out(self, file: str, reason: str) -> None:
        """Note that none of the tests of a file are there."""
        self._files[file] = reason

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        unwanted = [mark for mark in DESELECTED if f"not {mark}" in self._config.option.markexpr]
        for item in items:
            self._deselected.update([mark for mark in unwanted if item.get_closest_marker(mark)][:1])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.leave_out(report.nodeid, _reason(report))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._reasons[_reason(report)] += 1
        if report.when == "call":
            self._reasons.update(str(reason) for name, reason in report.user_properties if name == PART)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Every process collects all tests; the reports of those that it runs come by themselves."""
        deselected, files = getattr(node, "workeroutput", {}).get("untested", ({}, {}))
        self._deselected |= Counter(deselected)
        self._files |= files

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["untested"] = dict(self._deselected), self._files
        yield
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if output is None and terminal is not None:
            terminal.write_line(self.line())

    def line(self) -> str:
        """not tested: 131 that need a GPU (make gpu-test); 3: MAFFT is not on the PATH."""
        parts = [f"{self._deselected[mark]} that {why}" for mark, why in DESELECTED.items() if self._deselected[mark]]
        parts += [f"{count}: {reason}" for reason, count in self._reasons.most_common()]
        parts += [f"all of {file}: {reason}" for file, reason in sorted(self._files.items())]
        return f"not tested: {'; '.join(parts) or 'nothing'}"


def _reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return words.removeprefix("Skipped: ")
