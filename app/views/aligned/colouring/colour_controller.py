"""The colours of the shown alignment: the selected scheme, applied at once or on a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

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

ALPHABETS = {True: "protein", False: "nucleotides"}
"""Names of the alphabets by whether they are proteins."""


class ColourController(QObject):
    """Holds the selected scheme. ``colours_changed(picture)`` is sent when a picture has new colours."""

    colours_changed = Signal(object)

    def __init__(self, parent: QWidget, picture: Callable[[], AlignmentPicture | None]) -> None:
        super().__init__(parent)
        self._parent, self._picture = parent, picture
        self.scheme = schemes.DEFAULT_SCHEME
        self._wanted = dict.fromkeys(ALPHABETS.values(), schemes.DEFAULT_SCHEME)
        """The selected scheme of each alphabet; another one is used while it does not fit the alignment."""
        self._alphabet = ALPHABETS[True]
        self._own: dict[str, str] = {}
        self._making = LatestTask(self, self._take_colours)

    @property
    def busy(self) -> bool:
        """Whether colours are being computed."""
        return self._making.busy

    def select_scheme(self, scheme: str) -> None:
        """Colour by a scheme of `schemes.SCHEMES`, or by the scheme of a file ("file")."""
        self.scheme = self._wanted[self._alphabet] = scheme
        self.recolour()

    def list_choice(self) -> dict[str, Any]:
        """Return the selected scheme by the alphabet of the alignment, and the colours of a file that was read."""
        return {self._alphabet: self._wanted[self._alphabet], **({"file": dict(self._own)} if self._own else {})}

    def restore_choice(
        self, choice: Mapping[str, Any], alignment: AlignedSequences | None, has_comparison: bool
    ) -> None:
        """Select the schemes that `list_choice` returned, as far as they are known."""
        self._own = {str(letters): str(colour) for letters, colour in choice.get("file", self._own).items()}
        for alphabet in self._wanted:
            if choice.get(alphabet) in (*schemes.SCHEMES, "file"):
                self._wanted[alphabet] = choice[alphabet]
        if alignment is not None:
            self.fit_scheme(alignment, has_comparison)
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
        is_protein = alignment.type == SequenceType.PROTEIN
        known = schemes.available_schemes(is_protein, missing_inputs(alignment, has_comparison))
        self._alphabet = ALPHABETS[is_protein]
        wanted = self._wanted[self._alphabet]
        self.scheme = wanted if wanted in known or wanted == "file" else schemes.DEFAULT_SCHEME

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
