"""Reads files, pasted text and samples into the session with jobs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QMimeData, QObject, Signal

from antidiag.app import texts
from antidiag.app.jobs.queue import Job, JobQueue, JobState
from antidiag.app.session.open_content import find_open_datum, find_open_rows
from antidiag.app.session.session import Session
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.plain_letters import DoubtfulLetters
from antidiag.kernels.io.sequences import read_sequence_text, read_sequences
from antidiag.kernels.method import ProblemInput
from antidiag.kernels.model import Sequence, sequence_lengths
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from antidiag.kernels.registry.samples import BundledSample
from antidiag.kernels.sequences.sequence_set import join_sequences, split_data
from antidiag.kernels.text import format_count

LANE = "read"
SESSION_SUFFIX = ".antidiag"
LONG = 100_000
"""Least letters of a sequence whose composition the reading thread counts, not the table."""


class ReadData(NamedTuple):
    """What a reading job found: sequences, other data, and notes for the user."""

    sequences: Sequences[Sequence]
    others: tuple[Any, ...]
    notes: tuple[str, ...]


@dataclass
class OpenedTogether:
    """What was opened at once so far: sequences, one entry a file, their rows in the session, and other data."""

    sequences: list[Sequences[Sequence]] = field(default_factory=list)
    rows: Sequences[int] = ()
    others: list[Any] = field(default_factory=list)

    def add_rows(self, rows: Sequences[int]) -> None:
        """Add the rows of the sequences of a file."""
        if isinstance(self.rows, range) and isinstance(rows, range) and self.rows.stop == rows.start:
            self.rows = range(self.rows.start, rows.stop)
        else:
            self.rows = (*self.rows, *rows) if self.rows else rows


class DataLoader(QObject):
    """Starts reading jobs and puts what they read into the session.

    Sequences opened together become the inputs of the next run. A sequence opened alone becomes the last input, after
    those chosen before. What is open already is used in the same way, and not added again.
    """

    opened = Signal(str)
    found = Signal(object, bool, object)
    """Sent before the last data are added: all data opened together so far, whether they are a sample, and their number
    by type or None. A receiver may choose another method and then sets ``taken``."""
    own_data_found = Signal()
    """Sent before data are added that are no sample."""
    data_added = Signal(object)
    """Sent with all data opened together so far that are no sequences, in the order of their files."""
    rows_found = Signal(object)
    """Sent with the rows of sequences of a file that were open already."""
    said = Signal(str)
    session_wanted = Signal(object)
    doubt_found = Signal(str, object)
    """Sent for letters that may be no sequence: the doubt, and what reads them as a sequence nevertheless."""

    def __init__(self, session: Session, queue: JobQueue) -> None:
        super().__init__()
        self._session, self._queue = session, queue
        self.taken: ProblemInput | None = None
        """The sequences that the chosen method takes."""

    def open_paths(self, paths: Iterable[str | Path]) -> None:
        """Read files, one job each, in this order; a session file opens as a session."""
        together = OpenedTogether()
        files = tuple(map(Path, paths))
        for path in files:
            if path.suffix == SESSION_SUFFIX:
                self.session_wanted.emit(path)
            else:
                read, anyway = partial(read_file, path, beside=files), partial(_read_any_letters, path)
                self._read(f"Read {path.name}", read, together, path, anyway=anyway)

    def open_sample(self, sample: BundledSample) -> None:
        """Read a bundled sample."""
        self._read(f"Read sample: {sample.title}", lambda monitor: sample.read_data(), OpenedTogether(), sample=True)

    def open_mime(self, mime: QMimeData) -> None:
        """Open pasted or dropped files or text."""
        paths = [url.toLocalFile() for url in mime.urls() if url.isLocalFile()]
        if paths:
            self.open_paths(paths)
        elif mime.hasText() and mime.text().strip():
            self.open_text(mime.text())
        else:
            self.said.emit("The clipboard has neither text nor files; copy sequences first.")

    def open_text(self, text: str) -> None:
        """Read pasted text and show what kind of data it was recognised as."""
        self._read(
            "Read pasted text",
            lambda monitor: data_loading.parse_text(text),
            OpenedTogether(),
            tell=_describe_pasted,
            anyway=lambda monitor: read_sequence_text(text, any_letters=True),
        )

    def _read(
        self,
        title: str,
        read: Callable[[Monitor], Sequences[Any]],
        together: OpenedTogether,
        path: Path | None = None,
        sample: bool = False,
        tell: Callable[[Sequences[Sequence]], tuple[str, ...]] = lambda sequences: (),
        anyway: Callable[[Monitor], Sequences[Any]] | None = None,
    ) -> None:
        """Read data in a job and put them into the session.

        ``anyway`` reads letters that may be no sequence; the receiver of `doubt_found` decides about it.
        """

        def read_or_doubt(monitor: Monitor) -> DoubtfulLetters | ReadData:
            try:
                data = read(monitor)
            except DoubtfulLetters as doubt:
                if anyway is None:
                    raise
                return doubt
            sequences, others = split_data(data)
            prepare_all(sequences, others, monitor)
            return ReadData(sequences, others, (*tell(sequences), *data_loading.reading_notes(data)))

        def done(found: DoubtfulLetters | ReadData) -> None:
            if isinstance(found, DoubtfulLetters):
                read_anyway = partial(self._read, title, anyway, together, path, sample, tell)
                self.doubt_found.emit(str(found), read_anyway)
                return
            if not sample:
                self.own_data_found.emit()
            sequences, others, notes = found
            before = tuple(together.others)
            together.sequences.append(sequences)
            opened = join_sequences(*together.sequences)
            alone = not before and not others
            counts = {Sequence: len(opened)} if alone and opened else None
            self.found.emit(opened if alone else [*before, *others, *opened], sample, counts)
            if sequences:
                self._add_sequences(sequences, together)
            if others:
                together.others += self._add_others(others, before)
                self.data_added.emit(tuple(together.others))
            for note in dict.fromkeys(notes):
                self.said.emit(note)
            if path:
                self.opened.emit(str(path.resolve()))

        self._dismiss_failed()
        self._queue.submit(Job(title, LANE, read_or_doubt, done))

    def _dismiss_failed(self) -> None:
        """Remove failed reading jobs; their errors are in the log."""
        for job in list(self._queue.jobs):
            if job.lane == LANE and job.state is JobState.FAILED:
                self._queue.dismiss(job)

    def _add_sequences(self, found: Sequences[Sequence], together: OpenedTogether) -> None:
        """Use the sequences of a file in the next run; add them unless they are open."""
        before, beside = self._session.state, tuple(together.others)
        label = f"Add {found[0].name}" if len(found) == 1 else f"Add {len(found):,} sequences"
        open_rows = find_open_rows(found, before.sequences)
        first = len(before.sequences)
        together.add_rows(range(first, first + len(found)) if open_rows is None else open_rows)
        most = self.taken.maximum if self.taken else 0
        chosen = () if most is None else self._choose_rows(found[0], together.rows, most)
        opened = together.rows if most is None else ()
        if open_rows is None:
            self._session.add(found, label, chosen, opened, beside)
            self._warn_of_mixed_pair(most)
            return
        self._session.use_rows(chosen, opened)
        self.rows_found.emit(open_rows)
        what = (
            f"{found[0].name} is open already and" if len(found) == 1 else f"These {len(found):,} are open already and"
        )
        self.said.emit(f"{what} selected, not added again.")

    def _warn_of_mixed_pair(self, most: int | None) -> None:
        """Say so where the next run would take sequences of different types because one type has too few."""
        state = self._session.state
        more = any(job.lane == LANE and job.state is JobState.WAITING for job in self._queue.jobs)
        taken = [state.sequences[row] for row in state.rows(most)] if most and not more else []
        other = next((one for one in taken if one.type != taken[0].type), None)
        if other is not None:
            self.said.emit(
                f"{taken[0].name} was added as {taken[0].type} and is paired with {other.name}, which is {other.type}; "
                f"open another {taken[0].type} sequence, or choose the sequences of the run in the table."
            )

    def _choose_rows(self, found: Sequence, opened: Sequences[int], most: int) -> list[int]:
        """Return the rows of at most ``most`` inputs: those opened together, after those chosen before if they are
        fewer and of the same type, because nobody aligns DNA to proteins."""
        state = self._session.state
        before = state.rows(most) if len(opened) < most else ()
        kept = [row for row in before if state.sequences[row].type == found.type]
        return list(dict.fromkeys((*kept, *opened)))[-most:] if kept else list(opened[:most])

    def _add_others(self, found: tuple[Any, ...], beside: tuple[Any, ...]) -> tuple[Any, ...]:
        """Use data other than sequences in the next run; add those that are not open. Return them as they are open."""
        data = self._session.state.data
        opened = tuple(find_open_datum(datum, data) for datum in found)
        self._session.add_data([datum for datum, one in zip(found, opened, strict=True) if one is None], beside)
        for datum in opened:
            if datum is not None:
                self._session.use_datum(next(number for number, one in enumerate(data) if one is datum))
                self.said.emit(f"{datum.name} is open already and selected, not added again.")
        return tuple(datum if one is None else one for datum, one in zip(found, opened, strict=True))


def prepare_all(sequences: Sequences[Sequence], others: Iterable[Any], monitor: Monitor) -> None:
    """Prepare all that was read (see `prepare_datum`); may raise Cancelled."""
    long = np.flatnonzero(sequence_lengths(sequences) >= LONG).tolist()
    for datum in itertools.chain((sequences[row] for row in long), others):
        prepare_datum(datum, monitor)


def prepare_datum(datum: Any, monitor: Monitor) -> None:
    """Do slow work on the reading thread: count letters of long sequences, load compiled code for alignments, which is
    compiled at first use."""
    monitor.check()
    if isinstance(datum, Sequence):
        if len(datum) >= LONG:
            texts.describe_content(datum)
    elif isinstance(datum, AlignedSequences):
        from antidiag.kernels.alignments import cell_pixels  # which loads Numba
        from antidiag.kernels.cpu.compilation import compile_cancellably

        compile_cancellably(lambda: cell_pixels.load_compiled_code(datum.letters), monitor)


def read_file(path: Path, monitor: Monitor, beside: Iterable[Path] = ()) -> Sequences[Any]:
    """What is in a file; InputError for a pipe, on which a window could wait for ever.

    Files opened together, ``beside``, give the letters of pairs that name sequences alone.
    """
    if path.is_fifo():
        raise InputError(f"{path} is a pipe; save its output to a file and open that")
    return data_loading.read_data(path, monitor, beside)


def _read_any_letters(path: Path, monitor: Monitor) -> Sequences[Sequence]:
    return read_sequences(path, monitor=monitor, any_letters=True)


def _describe_pasted(sequences: Sequences[Sequence]) -> tuple[str, ...]:
    """Return what a pasted text was taken for; nothing for other data."""
    if not sequences:
        return ()
    types = Counter(str(sequence.type) for sequence in sequences)
    taken = " and ".join(f"{number:,} {name}" for name, number in types.items())
    letters = format_count(int(sequence_lengths(sequences).sum()), "letter")
    return (f"Pasted: {taken} sequence{'s' * (len(sequences) > 1)} of {letters}.",)


def can_open(mime: QMimeData) -> bool:
    """Return whether dropped or pasted content may hold data."""
    return mime.hasUrls() or mime.hasText()
