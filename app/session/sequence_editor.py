"""Edits of many sequences: immediate for few rows, else a job, so that the window stays responsive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from antidiag.app.jobs.queue import Job, JobQueue
from antidiag.app.session.session import Session, duplicate_label, retype_label
from antidiag.app.session.state import Check, State, duplicated, kept_alone, retyped, with_made
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.model import Sequence as Data
from antidiag.kernels.model import SequenceType, sequence_lengths
from antidiag.kernels.monitor import Monitor

LANE = "edit"
MANY = 20_000
"""Rows from which an edit that makes new sequences is a job: so many take some 50 ms."""
LETTERS = 10
"""Letters that cost as much time as a row when sequences are made from others."""

Make = Callable[[Check], State]


class SequenceEditor:
    """Makes edits whose time grows with the rows; ``refused(text)`` shows why an edit was not made."""

    def __init__(self, session: Session, queue: JobQueue, refused: Callable[[str], None]) -> None:
        self._session, self._queue, self._refused = session, queue, refused

    def duplicate_rows(self, rows: Sequence[int]) -> None:
        """Add copies of these rows after the last of them."""
        before = self._session.state
        if rows:
            self._apply_edit(duplicate_label(len(rows)), len(rows), lambda check: duplicated(before, rows, check))

    def make(self, label: str, rows: Sequence[int], made: Callable[[Data], Data]) -> None:
        """Add ``made(sequence)`` of each of these rows after the last of them."""
        before = self._session.state
        if not rows:
            return
        letters = int(sequence_lengths(before.sequences)[rows].sum())
        self._apply_edit(label, max(len(rows), letters // LETTERS), lambda check: with_made(before, rows, made, check))

    def keep(self, label: str, kept: Callable[[Check], Sequence[int]]) -> None:
        """The sequences of these rows alone."""
        before = self._session.state
        self._apply_edit(label, len(before.sequences), lambda check: kept_alone(before, kept(check)))

    def change_type(self, rows: Sequence[int], kind: SequenceType) -> None:
        """Change the type of these rows, or refuse and name the first letter that does not belong to it."""
        before = self._session.state
        self._apply_edit(retype_label(kind), len(rows), lambda check: retyped(before, rows, kind, check))

    def add_computed(self, label: str, compute: Callable[[Monitor], Any]) -> None:
        """Add the datum that a job computes, such as an alignment, behind the other data."""
        self._queue.submit(Job(label, LANE, compute, lambda found: self._session.add_data([found])))

    def _apply_edit(self, label: str, rows: int, make: Make) -> None:
        before = self._session.state

        def take(after: State) -> None:
            if self._session.state is before:
                self._session.edit(label, after)
            else:
                self._refused(f"{label} was not done because the data changed meanwhile; do it again.")

        if rows > MANY:
            self._queue.submit(Job(label, LANE, lambda monitor: make(monitor.check), take))
            return
        try:
            take(make(lambda: None))
        except AntidiagError as error:
            self._refused(str(error))
