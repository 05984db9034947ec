"""Export commands: copy, save, print, and give the alignment to other methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QImage

from antidiag.app.kit import ask
from antidiag.app.kit.figures.pages import PagedFigure
from antidiag.app.kit.figures.print_size import WrapOptions
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.export import alignment_text, figures, track_table
from antidiag.app.views.aligned.export.figures import AlignmentFigure, FigureSource
from antidiag.app.views.aligned.status_text import format_percent
from antidiag.kernels.alignments import alignment_kind, column_counter
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences

if TYPE_CHECKING:
    from antidiag.app.views.aligned.base_view import BaseAlignmentView

PRINT_COLUMNS = 60
"""Columns of a printed block at first."""
OfferAlignment = Callable[[AlignedSequences], object]
"""Takes an alignment that is offered to the session."""


class AlignmentExporter:
    """Copies, saves and offers the shown alignment; threads write files and copy large alignments."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.file_writing = LatestTask(
            view,
            lambda path: view.show_status(f"Saved {path}"),
            self._show_error,
            lambda state: view.show_status(f"Saving: {format_percent(*state)}"),
        )
        self._settling = LatestTask(view, self._offer_copy)
        self._copying = LatestTask(view, self._copy_image)

    @property
    def busy(self) -> bool:
        """Whether letters or a picture are being copied."""
        return self._settling.busy or self._copying.busy

    def add_to_data(self) -> None:
        """Add the shown rows in their order to the data."""
        picture = self._view.picture
        part = alignment_text.extract_shown(picture, False)
        self.offer_alignment(replace(part, name=f"{picture.alignment.name}, edited"), self._view.datum_offered.emit)

    def request_profile(self) -> None:
        """Ask for a profile of the shown alignment."""
        self.offer_alignment(alignment_text.extract_shown(self._view.picture, False), self._view.profile_wanted.emit)

    def offer_alignment(self, part: AlignedSequences, offer: OfferAlignment) -> None:
        """Call ``offer`` with a plain copy of an alignment, made on a thread if it is large."""
        if part.letters.size > column_counter.MAX_LETTERS_AT_ONCE:
            self._view.show_status("Copying the letters ...")
            self._settling.request(lambda monitor: (offer, alignment_kind.as_arrays(part)))
        else:
            offer(alignment_kind.as_arrays(part))

    def _offer_copy(self, made: tuple[OfferAlignment, AlignedSequences]) -> None:
        self._view.show_status("")
        made[0](made[1])

    def copy_text(self, form: str) -> None:
        """Copy the selected cells, or all, as ".fasta", ".aln", "plain" letters, "unaligned" FASTA or "names"."""
        try:
            self._view.show_status(alignment_text.copy_cells(self._view.picture, form))
        except InputError as error:
            self._view.show_status(str(error))

    @property
    def file_name(self) -> str:
        """The name that files are proposed to have, without suffix."""
        return ask.suggest_name(self._view.result or self._view.picture.alignment, "alignment")

    def copy_picture(self) -> None:
        """Copy the current view as a figure."""
        made = figures.view_figure(self.figure_source)
        self._view.show_status("Copying the picture ...")
        self._copying.request(lambda monitor: figures.make_image(made, monitor))

    def _copy_image(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        self._view.show_status("Picture copied.")

    def save_alignment(self, chosen: bool = False) -> None:
        """Ask for a file and write the alignment, or the selected cells, in the format of its suffix."""
        view = self._view
        self._ask_and_write(
            lambda: alignment_text.ask_and_save(
                view, self.file_name, view.picture, chosen, self.file_writing, view.show_status
            )
        )

    def save_picture(self) -> None:
        """Ask for a file and write a figure of the current view."""
        self._ask_and_write(lambda: self._save_figure(figures.view_figure(self.figure_source)))

    def save_wrapped(self) -> None:
        """Ask for a file and write a figure of the selected cells, or all, in blocks of columns."""
        self._ask_and_write(lambda: self._save_figure(figures.wrapped_figure(self.figure_source)))

    def save_track_picture(self) -> None:
        """Ask for a file and write a figure of the tracks alone."""
        self._ask_and_write(lambda: self._save_figure(figures.wrapped_figure(self.figure_source, rows=False)))

    def print_picture(self) -> None:
        """Ask for a size in millimetres and a file, and write a figure of the current view."""
        made = figures.view_figure(self.figure_source)
        self._ask_and_write(
            lambda: figures.ask_and_print(
                self._view, self.file_name, lambda _: made, self.file_writing, self._view.show_status
            )
        )

    def print_wrapped(self) -> None:
        """Ask for a size in millimetres and a file, and write a figure in blocks of columns."""
        shown = self.figure_source

        def make(lines: WrapOptions) -> AlignmentFigure:
            return figures.wrapped_figure(shown, lines.columns, tallest=lines.tallest)

        def make_pages(lines: WrapOptions) -> PagedFigure:
            assert lines.page is not None
            return figures.paged_figure(shown, lines.page, lines.columns)

        self._ask_and_write(
            lambda: figures.ask_and_print(
                self._view, self.file_name, make, self.file_writing, self._view.show_status, PRINT_COLUMNS, make_pages
            )
        )

    def _save_figure(self, made: AlignmentFigure) -> None:
        figures.ask_and_save(self._view, self.file_name, made, self.file_writing, self._view.show_status)

    def save_tracks(self) -> None:
        """Ask for a file and write the values of the shown tracks, a line per column."""
        view, tracks = self._view, self._view.canvas.shown_tracks
        what = view.picture, tracks, view.counting_task()
        self._ask_and_write(
            lambda: track_table.ask_and_save(view, self.file_name, *what, self.file_writing, view.show_status)
        )

    def _show_error(self, error: Exception) -> None:
        self._view.show_status("")
        ask.dialogs.show_warning(self._view, "Save", str(error))

    def stop_writing(self) -> None:
        """Stop writing; an older file of that name stays."""
        self.file_writing.cancel()
        self._view.show_status("")

    def _ask_and_write(self, ask: Callable[[], None]) -> None:
        """Ask for a file and write it, one at a time."""
        if self.file_writing.busy:
            self._view.show_status("Another file is being written; try again when it is finished.")
            return
        try:
            ask()
        except InputError as error:
            self._view.show_status(str(error))

    @property
    def figure_source(self) -> FigureSource:
        """What figures are made of, as it is now."""
        view = self._view
        drawing = view.tree_panel.drawing if view.tree_panel is not None else None
        return FigureSource(view.canvas.visible_part.freeze(), view.legend, drawing)
