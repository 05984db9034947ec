"""The colours of the shown alignment: the selected scheme, applied at once or on a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.colouring import schemes
from antidiag.app.views.aligned.colouring.colour_inputs import collect_inputs, missing_inputs
from antidiag.app.views.aligned.colouring.schemes import CellColours
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.kernels.alignments import column_counter
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType


class ColourController(QObject):
    """Holds the selected scheme. ``colours_changed(picture)`` is sent when a picture has new colours."""

    colours_changed = Signal(object)

    def __init__(self, parent: QWidget, picture: Callable[[], AlignmentPicture | None]) -> None:
        super().__init__(parent)
        self._parent, self._picture = parent, picture
        self.scheme = self._wanted = schemes.DEFAULT_SCHEME
        self._own: dict[str, str] = {}
        self._making = LatestTask(self, self._take_colours)

    @property
    def busy(self) -> bool:
        """Whether colours are being computed."""
        return self._making.busy

    def select_scheme(self, scheme: str) -> None:
        """Colour by a scheme of `schemes.SCHEMES`, or by the scheme of a file ("file")."""
        self.scheme = self._wanted = scheme
        self.recolour()

    def ask_colour_file(self) -> None:
        """Ask for a colour file and use it."""
        ask.open_and_use(self._parent, "Colours", "Lines of letters and a colour (*)", self.read_colour_file)

    def read_colour_file(self, path: Path) -> None:
        """Colour by a file of letters and colours; InputError names a wrong line."""
        self._own = schemes.read_groups(path)
        self.select_scheme("file")

    def fit_scheme(self, alignment: AlignedSequences, has_comparison: bool) -> None:
        """Use the first scheme while the selected one does not fit the alignment."""
        known = schemes.available_schemes(
            alignment.type == SequenceType.PROTEIN, missing_inputs(alignment, has_comparison)
        )
        self.scheme = self._wanted if self._wanted in known or self._wanted == "file" else schemes.DEFAULT_SCHEME

    def needs_thread(self, alignment: AlignedSequences) -> bool:
        """Whether a thread makes the colours: they differ between columns, and columns are many."""
        scheme = schemes.SCHEMES.get(self.scheme)
        return (
            alignment.letters.shape[1] > column_counter.MAX_COLUMNS_AT_ONCE and scheme is not None and scheme.by_column
        )

    def make_colours(
        self, alignment: AlignedSequences, columns: ColumnCounts | None, row: int, scheme: str = ""
    ) -> CellColours:
        """Return the colours of the selected scheme, or of another; ``row`` is the row at the cursor."""
        scheme = scheme or self.scheme
        if scheme == "file" and self._own:
            return schemes.colour_groups(self._own)
        picture = self._picture()
        agreement = picture.tracks.get("agreement") if picture is not None else None
        found = schemes.make_colouring(scheme, collect_inputs(alignment, columns, row, agreement, scheme))
        return replace(found, reference_row=row) if schemes.compares_with_row(scheme) else found

    def recolour(self) -> None:
        """Colour the picture again."""
        picture = self._picture()
        if picture is None:
            return
        row = int(picture.order[picture.cursor[0]])
        if self.needs_thread(picture.alignment):
            self._making.request(lambda monitor: (picture, self.make_colours(picture.alignment, picture.columns, row)))
        else:
            self._making.cancel()
            self._take_colours((picture, self.make_colours(picture.alignment, picture.columns, row)))

    def _take_colours(self, made: tuple[AlignmentPicture, CellColours]) -> None:
        if self._picture() is made[0]:
            made[0].colouring = made[1]
            made[0].version += 1
            self.colours_changed.emit(made[0])
