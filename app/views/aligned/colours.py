"""The colours of the alignment that is shown: by which scheme, and made where, at once or on a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned import counting, schemes
from antidiag.app.views.aligned.given import given, lacking
from antidiag.app.views.aligned.picture import Picture
from antidiag.app.views.aligned.schemes import Colouring
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.model import SequenceType


class Colours(QObject):
    """Has the scheme that is chosen. ``changed(picture)`` says that a picture has other colours now."""

    changed = Signal(object)

    def __init__(self, parent: QWidget, picture: Callable[[], Picture | None]) -> None:
        super().__init__(parent)
        self._parent, self._picture = parent, picture
        self.scheme = self._wanted = schemes.FIRST
        self._own: dict[str, str] = {}
        self._making = Latest(self)
        self._making.finished.connect(self._take)

    @property
    def busy(self) -> bool:
        return self._making.busy

    def choose(self, scheme: str) -> None:
        """Colour by a scheme of `schemes.SCHEMES`, or by the one from a file ("file")."""
        self.scheme = self._wanted = scheme
        self.remake()

    def ask(self) -> None:
        """Ask for a file of colours, and use it."""
        name, _ = QFileDialog.getOpenFileName(self._parent, "Colours", "", "Lines of letters and a colour (*)")
        if name:
            try:
                self.read(Path(name))
            except InputError as error:
                QMessageBox.warning(self._parent, "Colours", str(error))

    def read(self, path: Path) -> None:
        """Colour by a file of letters and colours; InputError names the line that is none."""
        self._own = schemes.from_file(path)
        self.choose("file")

    def fit(self, alignment: AlignedSequences, compared: bool) -> None:
        """Use the first scheme where the one that was chosen is of other letters, or needs what is not there; it comes
        back with them."""
        known = schemes.available(alignment.type == SequenceType.PROTEIN, lacking(alignment, compared))
        self.scheme = self._wanted if self._wanted in known or self._wanted == "file" else schemes.FIRST

    def behind(self, alignment: AlignedSequences) -> bool:
        """Whether colours are made on a thread: there are many columns, and they differ from one to the next."""
        scheme = schemes.SCHEMES.get(self.scheme)
        return alignment.letters.shape[1] > counting.WIDE and scheme is not None and scheme.by_column

    def made(self, alignment: AlignedSequences, columns: Columns | None, row: int, scheme: str = "") -> Colouring:
        """The colours of the scheme that is chosen, or of another; ``row`` is the one at the cursor."""
        scheme = scheme or self.scheme
        if scheme == "file" and self._own:
            return schemes.of_groups(self._own)
        picture = self._picture()
        agreement = picture.tracks.get("agreement") if picture is not None else None
        found = schemes.colouring(scheme, given(alignment, columns, row, agreement, scheme))
        return replace(found, whole=row) if schemes.against_row(scheme) else found

    def remake(self) -> None:
        """Colour the picture anew."""
        picture = self._picture()
        if picture is None:
            return
        row = int(picture.order[picture.cursor[0]])
        if self.behind(picture.alignment):
            self._making.request(lambda monitor: (picture, self.made(picture.alignment, picture.columns, row)))
        else:
            self._making.cancel()
            self._take((picture, self.made(picture.alignment, picture.columns, row)))

    def _take(self, made: tuple[Picture, Colouring]) -> None:
        if self._picture() is made[0]:
            made[0].colouring = made[1]
            made[0].version += 1
            self.changed.emit(made[0])
