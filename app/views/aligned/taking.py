"""What is taken out of the viewer: to the clipboard, to files and figures, and to other methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QMessageBox, QWidget

from antidiag.app.kit.background import Latest
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.print_size import Lines
from antidiag.app.views.aligned import counting, figures, saving, track_table
from antidiag.app.views.aligned.canvas import AlignmentCanvas
from antidiag.app.views.aligned.figures import Beside, Figure, Shown
from antidiag.app.views.aligned.picture import Picture
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_kind
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.monitor import Monitor

PRINT_WRAP = 60
"""Columns of a line in print, to begin with."""
Offer = Callable[[AlignedSequences], object]


class Viewer(Protocol):
    """What is taken from."""

    canvas: AlignmentCanvas
    beside_rows: Beside | None
    kept: Any
    profile_wanted: Any

    @property
    def picture(self) -> Picture | None: ...
    @property
    def legend(self) -> tuple[LegendItem, ...]: ...
    def counting(self) -> Callable[[Monitor], Columns]: ...
    def say(self, text: str) -> None: ...


class Taking:
    """Copies, saves and offers what a viewer shows; files and copies of large alignments are made by threads."""

    def __init__(self, view: Any) -> None:
        self._view: Viewer = view
        self._widget: QWidget = view
        self.writing, self._settling, self._copying = Latest(view), Latest(view), Latest(view)
        self.writing.finished.connect(lambda path: view.say(f"Saved {path}"))
        self.writing.failed.connect(self._refuse)
        self.writing.progressed.connect(lambda told: view.say(f"Saving: {100 * told[0] // max(told[1], 1)} %"))
        self._settling.finished.connect(self._offer_settled)
        self._copying.finished.connect(self._take_picture)

    @property
    def busy(self) -> bool:
        """Whether letters are being copied for another method, or a picture for the clipboard."""
        return self._settling.busy or self._copying.busy

    def keep(self) -> None:
        """Offer the alignment as it is shown to other methods: its rows that are not hidden, in their order."""
        picture = self._view.picture
        part = saving.shown_part(picture, False)
        self.offer(replace(part, name=f"{picture.alignment.name}, edited"), self._view.kept.emit)

    def want_profile(self) -> None:
        """Ask for a profile of the alignment as it is shown."""
        self.offer(saving.shown_part(self._view.picture, False), self._view.profile_wanted.emit)

    def offer(self, part: AlignedSequences, offer: Offer) -> None:
        """Call ``offer`` with an alignment as methods take it: at once, or where it is large once a thread has it."""
        if part.letters.size > counting.SMALL:
            self._view.say("Copying the letters ...")
            self._settling.request(lambda monitor: (offer, aligned_kind.settled(part)))
        else:
            offer(aligned_kind.settled(part))

    def _offer_settled(self, made: tuple[Offer, AlignedSequences]) -> None:
        self._view.say("")
        made[0](made[1])

    def copy(self, form: str) -> None:
        """Copy the chosen cells, or all, as ".fasta", ".aln", "plain" letters, "unaligned" FASTA or "names"."""
        try:
            self._view.say(saving.copy(self._view.picture, form))
        except InputError as error:
            self._view.say(str(error))

    def copy_picture(self) -> None:
        """Copy the figure of what is seen."""
        made = figures.seen(self.shown)
        self._view.say("Copying the picture ...")
        self._copying.request(lambda monitor: figures.make_image(made, monitor))

    def _take_picture(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        self._view.say("Copied as a picture.")

    def save_alignment(self, chosen: bool = False) -> None:
        """Ask for a file and write the alignment, or the chosen cells, in the format of its suffix."""
        view = self._view
        self._write(lambda: saving.ask_and_save(self._widget, view.picture, chosen, self.writing, view.say))

    def save_picture(self) -> None:
        """Ask for a file and write a figure of what is seen."""
        self._write(lambda: self._save(figures.seen(self.shown)))

    def save_wrapped(self) -> None:
        """Ask for a file and write a figure of the chosen cells, or of all, in blocks of columns."""
        self._write(lambda: self._save(figures.wrapped(self.shown)))

    def save_track_picture(self) -> None:
        """Ask for a file and write a figure of the tracks alone."""
        self._write(lambda: self._save(figures.wrapped(self.shown, rows=False)))

    def print_picture(self) -> None:
        """Ask for a size in millimetres and a file, and write a figure of what is seen."""
        made = figures.seen(self.shown)
        self._write(lambda: figures.ask_and_print(self._widget, lambda _: made, self.writing, self._view.say))

    def print_wrapped(self) -> None:
        """Ask for a size in millimetres and a file, and write a figure in blocks of columns."""
        shown = self.shown

        def make(lines: Lines) -> Figure:
            return figures.wrapped(shown, lines.columns, tallest=lines.tallest)

        self._write(lambda: figures.ask_and_print(self._widget, make, self.writing, self._view.say, PRINT_WRAP))

    def _save(self, made: Figure) -> None:
        figures.ask_and_save(self._widget, made, self.writing, self._view.say)

    def save_tracks(self) -> None:
        """Ask for a file and write the values of the tracks that are shown, a line for each column."""
        view, tracks = self._view, self._view.canvas.tracks
        self._write(lambda: track_table.ask_and_save(self._widget, view.picture, tracks, view.counting(), self.writing,
                                                     view.say))  # fmt: skip

    def _refuse(self, error: Exception) -> None:
        self._view.say("")
        QMessageBox.warning(self._widget, "Save", str(error))

    def stop(self) -> None:
        """Write no further; a file that was there before stays as it was."""
        self.writing.cancel()
        self._view.say("")

    def _write(self, ask: Callable[[], None]) -> None:
        """Ask for a file and have it written, one at a time."""
        if self.writing.busy:
            self._view.say("Another file is being written; save again when that is done.")
            return
        try:
            ask()
        except InputError as error:
            self._view.say(str(error))

    @property
    def shown(self) -> Shown:
        """What figures are made of, as it is now."""
        view = self._view
        drawing = view.beside_rows.drawing if view.beside_rows is not None else None
        return Shown(view.canvas.sight.frozen(), view.legend, drawing)
