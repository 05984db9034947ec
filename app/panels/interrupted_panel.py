"""Notices about interrupted runs, above the views: each run can be continued or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import ElidedLabel, create_label, create_row, quiet_button
from antidiag.app.session.run_jobs import describe_run
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.recovery.interrupted_runs import OTHER_VERSION, InterruptedRun, format_percent

MAX_ROWS = 2
"""Runs that are shown until the user asks for all."""


class InterruptedRow(QFrame):
    """An interrupted run: its progress, and buttons to continue or discard it."""

    def __init__(self, run: InterruptedRun, name: str) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.title = ElidedLabel(f"Interrupted: {name}")
        saved = f"{run.saved.astimezone():%d %B, %H:%M}"
        self.numbers = ElidedLabel(
            f"{format_percent(run.fraction)} done   {saved}   {format_bytes(run.nbytes)} on disk"
        )
        self.numbers.setObjectName("muted")
        self.reason = create_label(f"Cannot be continued: {OTHER_VERSION}.", "warning", wrap=True)
        self.reason.setVisible(run.foreign)
        self.resume_button, self.discard_button = QPushButton("Continue"), QPushButton("Discard")
        self.resume_button.setObjectName("primary")
        self.resume_button.setToolTip("Continue where this run was interrupted")
        if run.foreign:
            self.resume_button.setEnabled(False)
            self.resume_button.setToolTip(self.reason.text())
        self.discard_button.setToolTip("Delete the files of this run")
        words, box = QVBoxLayout(), QHBoxLayout(self)
        words.setSpacing(0)
        for line in (self.title, self.numbers, self.reason):
            words.addWidget(line)
        box.setContentsMargins(theme.MARGIN, theme.SPACING, theme.SPACING, theme.SPACING)
        box.setSpacing(theme.SPACING)
        box.addLayout(words, 1)
        for button in (self.discard_button, self.resume_button):
            box.addWidget(button)


class InterruptedPanel(QWidget):
    """Shows a notice for each interrupted run, the newest first; hidden if there is none."""

    resume_wanted = Signal(object)
    discard_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, InterruptedRow] = {}
        self._runs: tuple[InterruptedRun, ...] = ()
        self._all = False
        self.more_button = quiet_button("", "Show all interrupted runs")
        self.more_button.clicked.connect(self._show_all)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, theme.SPACING)
        self._box.setSpacing(theme.SPACING)
        self._box.addLayout(create_row(self.more_button, QWidget(), stretch=1))
        self.hide()

    def show_runs(self, runs: Sequence[InterruptedRun]) -> None:
        """Show these runs; do nothing if they are shown already."""
        if tuple(runs) == self._runs:
            return
        self._runs = tuple(runs)
        for old in self.rows.values():
            self._box.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.rows = {}
        for run in runs:
            shown = self.rows[run.id] = InterruptedRow(run, describe_run(run))
            shown.resume_button.clicked.connect(partial(self.resume_wanted.emit, run))
            shown.discard_button.clicked.connect(partial(self.discard_wanted.emit, run))
            self._box.insertWidget(len(self.rows) - 1, shown)
        self._show_rows()

    def _show_all(self) -> None:
        self._all = True
        self._show_rows()

    def _show_rows(self) -> None:
        for number, shown in enumerate(self.rows.values()):
            shown.setVisible(self._all or number < MAX_ROWS)
        hidden = 0 if self._all else max(len(self.rows) - MAX_ROWS, 0)
        self.more_button.setText(f"{hidden} more interrupted runs")
        self.more_button.setVisible(hidden > 0)
        self.setVisible(bool(self.rows))
