"""SummaryView: how a result was computed, and the command that repeats it."""

from __future__ import annotations

import html
from typing import Any

from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextBrowser, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.results.command_line import format_command
from antidiag.app.kit.results.phase_times import list_phase_times
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.view_state import ViewState
from antidiag.kernels import memory
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.registry.data_loading import find_kind

COMMAND_LINES = 5
MANY_CELLS = 10**11  # cells; a longer answer is described on a thread
MANY_DATA = 1000  # inputs; more are described on a thread
MOST_DATA = 10  # inputs that are listed at most
Section = tuple[str, list[tuple[str, str]]]
NAMES_WIDTH = 120  # pixels of the column of names, so that all values are aligned


class SummaryPage(QTextBrowser):
    """Names and values in one document, which is laid out three times faster than fifty labels."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName("Summary")
        self._sections: list[Section] = []
        theme.notifier.changed.connect(self._write)

    def show_sections(self, sections: list[Section]) -> None:
        """Show these sections from the top."""
        self._sections = sections
        self._write()

    def _write(self) -> None:
        self.setHtml("".join(_section_html(heading, rows) for heading, rows in self._sections))


class SummaryView(QWidget):
    """Method, input, answer, time and memory of a run."""

    id = "summary"
    title = "Summary"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self._sections: list[Section] = []
        self._reading = LatestTask(
            self,
            lambda found: self._show_page(*found),
            lambda error: self._show_page([(f"The result cannot be described: {error}", [])]),
        )
        self.page = SummaryPage()
        self._command = QPlainTextEdit(readOnly=True)
        self._command.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._command.setFont(theme.fixed_font())
        self._command.setFixedHeight(COMMAND_LINES * self._command.fontMetrics().lineSpacing() + 14)
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(self.page, 1)
        layout.addLayout(
            row_of(
                (create_label("Repeat on the command line", "heading"), 1),
                tool_button("Copy command", "Copy the command line", self.copy_command),
                tool_button("Copy all", "Copy everything here as text", self.copy),
            )
        )
        layout.addWidget(self._command)
        self.view_state = ViewState(lambda: self.result is not None and self.sharp)
        self.view_state.keep_scrolling(self.page)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return True

    def show_result(self, result: Result | None) -> None:
        """Describe a result, or nothing."""
        self.result = result
        self._reading.cancel()
        if result is not None and (result.problem.cells > MANY_CELLS or len(result.problem.data) > MANY_DATA):
            self._show_page([("Reading the result\u2026", [])])
            self._reading.request(lambda monitor: (summary_sections(result), format_command(result)))
        elif result is not None:
            self._show_page(summary_sections(result), format_command(result))
        else:
            self._show_page([])

    @property
    def sharp(self) -> bool:
        """Whether the summary is complete."""
        return not self._reading.busy

    def _show_page(self, found: list[Section], command: str = "") -> None:
        self._sections = found
        self.page.show_sections(found)
        self._command.setPlainText(command)
        self.view_state.resume()

    def copy_command(self) -> None:
        """Copy the command line that repeats the result."""
        QGuiApplication.clipboard().setText(self._command.toPlainText())

    def copy_text(self) -> str:
        """Return the page and the command as plain text."""
        if self.result is None:
            return ""
        lines = []
        for heading, rows in self._sections:
            lines += [heading, *(f"  {name}: {value}" for name, value in rows), ""]
        return "\n".join([*lines, self._command.toPlainText(), ""])

    def copy(self) -> None:
        """Copy page and command to the clipboard as text."""
        QGuiApplication.clipboard().setText(self.copy_text())


def summary_sections(result: Result) -> list[Section]:
    """Return the headings, each with pairs of name and value."""
    method = texts.result_method(result)
    run = [("Method", f"{texts.method_name(result)} ({result.method})")]
    if method is not None:
        run.append(("Published in", method.citation.format_text()))
        run.append(("Exact", "yes" if method.finds_optimum else "no: a heuristic"))
    run += [
        ("Parameters", texts.format_settings(texts.used_parameters(result)) or "none"),
        ("Started", f"{result.started:%Y-%m-%d %H:%M:%S %Z}"),
    ]
    place = [("Backend", result.backend), ("Device", result.device), *(("Note", note) for note in result.notes)]
    return [
        ("Answer", _answer_rows(result)),
        ("Problem", _problem_rows(result)),
        ("Run", run),
        ("Where", place),
        ("Time", _time_rows(result)),
        (
            "Memory",
            [("Host", memory.format_bytes(result.host_bytes)), ("Device", memory.format_bytes(result.device_bytes))],
        ),
        ("Versions", list(result.versions.items())),
    ]


def _answer_rows(result: Result) -> list[tuple[str, str]]:
    method = texts.result_method(result)
    return method.problem_type.answer_rows(result) if method else []


def _problem_rows(result: Result) -> list[tuple[str, str]]:
    method, problem = texts.result_method(result), result.problem
    rows = [_datum_row(number, datum) for number, datum in enumerate(problem.data[:MOST_DATA], 1)]
    if len(problem.data) > MOST_DATA:
        rows.append(("", f"and {len(problem.data) - MOST_DATA:,} more"))
    rows.append(((method.problem_type.work_unit if method else "cells").capitalize(), f"{result.cells:,}"))
    return rows + (method.problem_type.setting_rows(problem) if method else [])


def _datum_row(number: int, datum: Any) -> tuple[str, str]:
    """Describe an input: a sequence with its title line, or other data with their summary."""
    if isinstance(datum, Sequence):
        details = [datum.name, texts.format_length(datum), str(datum.type), texts.relative_path(datum.source)]
        lines = [", ".join(detail for detail in details if detail), datum.details]
        return f"Sequence {number}", "\n".join(line for line in lines if line)
    found = find_kind(datum)
    details = [datum.name, datum.summary, texts.relative_path(datum.source)]
    return (found.label if found else "Input").capitalize(), ", ".join(detail for detail in details if detail)


def _time_rows(result: Result) -> list[tuple[str, str]]:
    method = texts.result_method(result)
    rate = texts.format_rate(result.gcups, method.problem_type.work_unit if method else "cells")
    rows = [("Computing", f"{texts.format_duration(result.compute_ms)}, {rate}")]
    return rows + [(time.name.capitalize(), texts.format_duration(time.time_ms)) for time in list_phase_times(result)]


def _section_html(heading: str, rows: list[tuple[str, str]]) -> str:
    muted = theme.active().muted
    cells = "".join(
        f"<tr><td width={NAMES_WIDTH} style='color: {muted}; padding-bottom: 3px'>{_escape_html(name)}</td>"
        f"<td width='100%' style='padding-bottom: 3px'>{_escape_html(value)}</td></tr>"
        for name, value in rows
    )
    table = f"<table width='100%' cellspacing=0 style='margin: 0 0 8px {theme.MARGIN}px'>{cells}</table>"
    return f"<p style='margin: 0 0 4px 0'><b>{_escape_html(heading)}</b></p>" + (table if rows else "")


def _escape_html(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
