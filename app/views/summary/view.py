"""SummaryView: everything that made a result, and how to make it again."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.phase_times import phase_times
from antidiag.app.kit.repeat import command_line
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.summary.page import Page, Section
from antidiag.kernels import memory
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.registry.loading import kind_of

COMMAND_LINES = 5
MANY_CELLS = 10**11
"""Cells of a problem whose answer may be so long that it is described on a thread."""
MANY_DATA = 1000
"""Inputs from which on what they are, and their distances, is put together on a thread."""
MOST_DATA = 10
"""Inputs that are listed; a run may have a hundred thousand."""


class SummaryView(QWidget):
    """What was run, on what, with which result, time and memory."""

    id = "summary"
    title = "Summary"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self._sections: list[Section] = []
        self._reading = Latest(self)
        self._reading.finished.connect(lambda found: self._show_page(*found))
        self._reading.failed.connect(lambda error: self._show_page([(f"This cannot be described: {error}", [])]))
        self.page = Page()
        self._command = QPlainTextEdit(readOnly=True)
        self._command.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._command.setFont(theme.fixed_font())
        self._command.setFixedHeight(COMMAND_LINES * self._command.fontMetrics().lineSpacing() + 14)
        caption = QLabel("Repeat on the command line")
        caption.setObjectName("heading")
        row = QHBoxLayout()
        row.addWidget(caption, 1)
        row.addWidget(tool_button("Copy command", "Copy the command line", self.copy_command))
        row.addWidget(tool_button("Copy all", "Copy everything here as text", self.copy))
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self.page, 1)
        layout.addLayout(row)
        layout.addWidget(self._command)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return True

    def show_result(self, result: Result | None) -> None:
        """Describe a result, or nothing."""
        self.result = result
        self._reading.cancel()
        if result is not None and (result.problem.cells > MANY_CELLS or len(result.problem.data) > MANY_DATA):
            self._show_page([("Counting what the result holds...", [])])
            self._reading.request(lambda monitor: (sections(result), command_line(result)))
        elif result is not None:
            self._show_page(sections(result), command_line(result))
        else:
            self._show_page([])

    @property
    def sharp(self) -> bool:
        """Whether everything is told."""
        return not self._reading.busy

    def _show_page(self, found: list[Section], command: str = "") -> None:
        self._sections = found
        self.page.show_sections(found)
        self._command.setPlainText(command)

    def copy_command(self) -> None:
        """Copy the command line that repeats the result."""
        QGuiApplication.clipboard().setText(self._command.toPlainText())

    def copy_text(self) -> str:
        """Everything shown, as plain text."""
        if self.result is None:
            return ""
        lines = []
        for heading, rows in self._sections:
            lines += [heading, *(f"  {name}: {value}" for name, value in rows), ""]
        return "\n".join([*lines, self._command.toPlainText(), ""])

    def copy(self) -> None:
        """Copy everything as text."""
        QGuiApplication.clipboard().setText(self.copy_text())


def sections(result: Result) -> list[Section]:
    """Headings with pairs of name and value."""
    method = texts.method_of(result)
    run = [("Method", f"{texts.method_name(result)} ({result.method})")]
    if method is not None:
        run.append(("Published in", method.citation.text()))
        run.append(("Exact", "yes" if method.exact else "no: a heuristic"))
    run += [
        ("Parameters", texts.settings(texts.used(result)) or "none"),
        ("Started", f"{result.started:%Y-%m-%d %H:%M:%S %Z}"),
    ]
    place = [("Backend", result.backend), ("Device", result.device), *(("Note", note) for note in result.notes)]
    return [
        ("Answer", _answer(result)),
        ("Problem", _problem(result)),
        ("Run", run),
        ("Where", place),
        ("Time", _times(result)),
        (
            "Memory",
            [("Host", memory.bytes_text(result.host_bytes)), ("Device", memory.bytes_text(result.device_bytes))],
        ),
        ("Versions", list(result.versions.items())),
    ]


def _answer(result: Result) -> list[tuple[str, str]]:
    method = texts.method_of(result)
    return method.problem.rows(result) if method else []


def _problem(result: Result) -> list[tuple[str, str]]:
    method, problem = texts.method_of(result), result.problem
    rows = [_datum(number, datum) for number, datum in enumerate(problem.data[:MOST_DATA], 1)]
    if len(problem.data) > MOST_DATA:
        rows.append(("", f"and {len(problem.data) - MOST_DATA:,} more"))
    rows.append(((method.problem.unit if method else "cells").capitalize(), f"{result.cells:,}"))
    return rows + (method.problem.settings(problem) if method else [])


def _datum(number: int, datum: Any) -> tuple[str, str]:
    """What a run was given: a sequence with its title line, or other data with their summary."""
    if isinstance(datum, Sequence):
        details = [datum.name, texts.length(datum), str(datum.type), texts.place(datum.source)]
        lines = [", ".join(detail for detail in details if detail), texts.about(datum)]
        return f"Sequence {number}", "\n".join(line for line in lines if line)
    found = kind_of(datum)
    details = [datum.name, datum.summary, texts.place(datum.source)]
    return (found.label if found else "Input").capitalize(), ", ".join(detail for detail in details if detail)


def _times(result: Result) -> list[tuple[str, str]]:
    method = texts.method_of(result)
    rate = texts.rate(result.gcups, method.problem.unit if method else "cells")
    rows = [("Computing", f"{texts.duration(result.compute_ms)}, {rate}")]
    return rows + [(time.name.capitalize(), texts.duration(time.time_ms)) for time in phase_times(result)]
