"""Tells of a test that fails when it fails: a run that is ended from outside prints no summary."""

from __future__ import annotations

import pytest

WHOLE = 5
"""So many failures are told whole, the others by a line each; the summary has all of them."""


class Failures:
    """Writes them to the terminal, wherever they ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._told = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if not report.failed or terminal is None:
            return
        self._told += 1
        terminal.ensure_newline()
        if self._told <= WHOLE:
            terminal.write_line(f"{report.nodeid} failed in its {report.when}\n{report.longreprtext}")
        else:
            terminal.write_line(f"{report.nodeid}: {line(report)}")


def line(report: pytest.TestReport) -> str:
    """What went wrong, on one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return text.strip().partition("\n")[0]
